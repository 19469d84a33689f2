/**
 * Pictures of the API, fetched and kept as object URLs: an `<img>` cannot prove the page's key.
 * Pictures that nobody shows are kept for a while, since rows come back when they are scrolled to.
 */

import { SHOWN, type HeldPicture, type RemoteFile } from "../ui/remote";
import { fetched } from "./rest";
import { save } from "./save";

/** So many are kept that nobody shows. */
const SPARE = 24;

type Kept = { users: number; readonly url: Promise<string> };

/** The longest unused first. */
const kept = new Map<string, Kept>();

/** The file at an address of the API. */
export function remote(address: string): RemoteFile {
  return { address, hold: () => holdPicture(address), save: (name) => save(address, name) };
}

/** Fetches a picture, or takes the one that is kept. Call `release` when it is no longer shown. */
export function holdPicture(address: string): HeldPicture {
  const picture = kept.get(address) ?? { users: 0, url: fetchPicture(address) };
  picture.users += 1;
  touch(address, picture);
  picture.url.catch(() => {
    // The next one who shows it tries again.
    if (kept.get(address) === picture) kept.delete(address);
  });
  let released = false;
  return {
    url: picture.url,
    release() {
      if (released) return;
      released = true;
      picture.users -= 1;
      if (kept.get(address) === picture) touch(address, picture);
      dropSpare();
    },
  };
}

async function fetchPicture(address: string): Promise<string> {
  const blob = await fetched(address, "long");
  if (!SHOWN.includes(blob.type)) throw new Error(`${blob.type} is not shown.`);
  return URL.createObjectURL(blob);
}

function touch(address: string, picture: Kept): void {
  kept.delete(address);
  kept.set(address, picture);
}

function dropSpare(): void {
  const spare = [...kept].filter(([, picture]) => picture.users === 0);
  for (const [address, picture] of spare.slice(0, Math.max(0, spare.length - SPARE))) {
    kept.delete(address);
    picture.url.then(
      (url) => URL.revokeObjectURL(url),
      () => {},
    );
  }
}
