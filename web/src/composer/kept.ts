/** What is half said, as this browser keeps it: neither a reload nor a look elsewhere loses it. */

import type { Attachment, AttachmentUse } from "../../api/types";

/** A file that the daemon has. */
export type KeptFile = { readonly use: AttachmentUse; readonly name: string; readonly size: number; readonly isPicture: boolean };

/** What is half said in a session. */
export type Kept = { readonly text: string; readonly files: readonly KeptFile[] };

/** Where it is kept. */
export type Shelf = Pick<Storage, "getItem" | "setItem" | "removeItem">;

const TEXT = "pilothouse.draft.";
const FILES = "pilothouse.draft-files.";

/** Pictures that the model sees as pictures; anything else it is told the path of. */
const SEEN: readonly string[] = ["image/png", "image/jpeg", "image/gif", "image/webp"];

export function isSeen(mediaType: string): boolean {
  return SEEN.includes(mediaType);
}

export function read(shelf: Shelf, session: string): Kept {
  return { text: shelf.getItem(TEXT + session) ?? "", files: filesOf(shelf.getItem(FILES + session)) };
}

export function keep(shelf: Shelf, session: string, { text, files }: Kept): void {
  put(shelf, TEXT + session, text);
  put(shelf, FILES + session, files.length === 0 ? "" : JSON.stringify(files));
}

/** What came with a prompt, to be sent again; without those that the daemon has not kept. */
export function filesAgain(attachments: readonly Attachment[]): KeptFile[] {
  return attachments.flatMap(({ digest, media_type, size, title }, at) => {
    if (digest === null) return [];
    const isPicture = isSeen(media_type);
    return [{ use: { digest, as: isPicture ? "block" : "path" }, name: title ?? `${isPicture ? "Image" : "File"} ${at + 1}`, size, isPicture }];
  });
}

function put(shelf: Shelf, name: string, value: string): void {
  if (value === "") shelf.removeItem(name);
  else shelf.setItem(name, value);
}

/** Older clients, or newer ones, may have left something else there. */
function filesOf(json: string | null): KeptFile[] {
  if (json === null) return [];
  try {
    const files: unknown = JSON.parse(json);
    return Array.isArray(files) ? files.filter(isFile) : [];
  } catch {
    return [];
  }
}

function isFile(file: unknown): file is KeptFile {
  if (typeof file !== "object" || file === null) return false;
  const { use, name, size, isPicture } = file as Partial<Record<keyof KeptFile, unknown>>;
  const hasDigest = typeof use === "object" && use !== null && "digest" in use && typeof use.digest === "string";
  return hasDigest && typeof name === "string" && typeof size === "number" && typeof isPicture === "boolean";
}
