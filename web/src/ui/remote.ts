/** Files that the daemon has, for components that do not know how they are fetched. */

/** A picture while it is shown: call `release` afterwards. */
export type HeldPicture = { readonly url: Promise<string>; release(): void };

/** A file that the daemon has. */
export type RemoteFile = {
  /** The same for the same file. */
  readonly address: string;
  /** Fetches it as a picture. */
  hold(): HeldPicture;
  /** Lets the user save it. */
  save(name: string): Promise<void>;
};

/** Pictures of dots only: what can hold other things is not shown. */
export const SHOWN: readonly string[] = ["image/png", "image/jpeg", "image/gif", "image/webp"];

/** Stands in the place of a picture that has not come yet. */
export const BLANK = "data:image/gif;base64,R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7";
