/** Files that go along with a prompt: uploaded as soon as they are chosen. */

import type { AttachmentUse } from "../../api/types";
import { sentence } from "../connection/problem";
import { address, call, fetched } from "../connection/rest";
import { BLANK } from "../ui/remote";
import { isSeen, type KeptFile } from "./kept";

/** A file on its way. */
export type Attached = {
  readonly id: number;
  readonly name: string;
  readonly size: number;
  /** Where it can be looked at, if it is a picture. */
  readonly picture: string | null;
  readonly use: AttachmentUse | null;
  readonly trouble: string | null;
};

/** What files were called that have been sent: a prompt that comes back knows only which they are. */
const sent = new Map<string, KeptFile>();

/** Files of a prompt that has not arrived. */
export function filesOf(uses: readonly AttachmentUse[]): KeptFile[] {
  return uses.map((use) => sent.get(use.digest) ?? { use, name: use.as === "block" ? "Image" : "File", size: 0, isPicture: use.as === "block" });
}

export class Attachments {
  all = $state.raw<readonly Attached[]>([]);
  readonly #session: string;
  readonly #changed: () => void;
  #last = 0;

  constructor(session: string, changed: () => void = () => {}) {
    this.#session = session;
    this.#changed = changed;
  }

  get isUploading(): boolean {
    return this.all.some((one) => one.use === null && one.trouble === null);
  }

  /** One could not be uploaded: it would be missing. */
  get hasFailed(): boolean {
    return this.all.some((one) => one.trouble !== null);
  }

  /** What a prompt says of them. */
  get uses(): AttachmentUse[] {
    return this.kept.map((one) => one.use);
  }

  /** Those that the daemon has. */
  get kept(): KeptFile[] {
    return this.all.flatMap(({ use, name, size, picture }) => (use ? [{ use, name, size, isPicture: picture !== null }] : []));
  }

  add(files: Iterable<File>): void {
    for (const file of files) void this.#upload(file);
  }

  /** Takes files again that the daemon has already. */
  restore(files: readonly KeptFile[]): void {
    const fresh = files.filter(({ use }) => !this.all.some((one) => one.use?.digest === use.digest));
    if (fresh.length === 0) return;
    const back = fresh.map(
      ({ use, name, size, isPicture }): Attached => ({ id: (this.#last += 1), name, size, picture: isPicture ? BLANK : null, use, trouble: null }),
    );
    this.#set([...back, ...this.all]);
    for (const one of back) if (one.picture !== null && one.use) void this.#show(one.id, one.use.digest);
  }

  /** Fetches a picture that the daemon has. One that does not come stays blank. */
  async #show(id: number, digest: string): Promise<void> {
    const from = address("getAttachment", { params: { session: this.#session, digest } });
    const blob = await fetched(from, "long").catch(() => null);
    if (blob === null || !isSeen(blob.type) || !this.all.some((one) => one.id === id)) return;
    this.#change(id, { picture: URL.createObjectURL(blob) });
  }

  remove(id: number): void {
    this.#drop((one) => one.id === id);
  }

  clear(): void {
    for (const file of this.kept) sent.set(file.use.digest, file);
    this.#drop(() => true);
  }

  async #upload(file: File): Promise<void> {
    const id = (this.#last += 1);
    const isPicture = isSeen(file.type);
    const picture = isPicture ? URL.createObjectURL(file) : null;
    this.#set([...this.all, { id, name: file.name, size: file.size, picture, use: null, trouble: null }]);
    try {
      const kept = await call("uploadAttachment", { params: { session: this.#session }, query: { name: file.name }, body: file });
      this.#change(id, { use: { digest: kept.digest, as: isPicture ? "block" : "path" } });
    } catch (error) {
      this.#change(id, { trouble: sentence(error) });
    }
  }

  #change(id: number, as: Partial<Attached>): void {
    this.#set(this.all.map((one) => (one.id === id ? { ...one, ...as } : one)));
  }

  #drop(isGone: (one: Attached) => boolean): void {
    for (const one of this.all) if (isGone(one) && one.picture?.startsWith("blob:")) URL.revokeObjectURL(one.picture);
    this.#set(this.all.filter((one) => !isGone(one)));
  }

  #set(all: readonly Attached[]): void {
    this.all = all;
    this.#changed();
  }
}
