/** Files that go along with a prompt: uploaded as soon as they are chosen. */

import type { AttachmentUse } from "../../api/types";
import { sentence } from "../connection/problem";
import { call } from "../connection/rest";

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

/** Pictures that the model sees as pictures; anything else it is told the path of. */
const SEEN: readonly string[] = ["image/png", "image/jpeg", "image/gif", "image/webp"];

export class Attachments {
  all = $state.raw<readonly Attached[]>([]);
  readonly #session: string;
  #last = 0;

  constructor(session: string) {
    this.#session = session;
  }

  get isUploading(): boolean {
    return this.all.some((one) => one.use === null && one.trouble === null);
  }

  /** What a prompt says of them. */
  get uses(): AttachmentUse[] {
    return this.all.flatMap((one) => (one.use ? [one.use] : []));
  }

  add(files: Iterable<File>): void {
    for (const file of files) void this.#upload(file);
  }

  remove(id: number): void {
    const gone = this.all.find((one) => one.id === id);
    if (gone?.picture) URL.revokeObjectURL(gone.picture);
    this.all = this.all.filter((one) => one.id !== id);
  }

  clear(): void {
    for (const one of this.all) this.remove(one.id);
  }

  async #upload(file: File): Promise<void> {
    const id = (this.#last += 1);
    const isSeen = SEEN.includes(file.type);
    const picture = isSeen ? URL.createObjectURL(file) : null;
    this.all = [...this.all, { id, name: file.name, size: file.size, picture, use: null, trouble: null }];
    try {
      const kept = await call("uploadAttachment", { params: { session: this.#session }, query: { name: file.name }, body: file });
      this.#change(id, { use: { digest: kept.digest, as: isSeen ? "block" : "path" } });
    } catch (error) {
      this.#change(id, { trouble: sentence(error) });
    }
  }

  #change(id: number, as: Partial<Attached>): void {
    this.all = this.all.map((one) => (one.id === id ? { ...one, ...as } : one));
  }
}
