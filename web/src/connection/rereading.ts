/**
 * Reading something that may change while it is read: whoever asks meanwhile is not forgotten, it is
 * read once more after that.
 */

export class Rereading {
  readonly #read: () => Promise<void>;
  #reading: Promise<void> | null = null;
  #again = false;

  constructor(read: () => Promise<void>) {
    this.#read = read;
  }

  /** Reads; done when what has been asked for by now is read. */
  ask(): Promise<void> {
    this.#again = true;
    this.#reading ??= this.#go();
    return this.#reading;
  }

  async #go(): Promise<void> {
    try {
      while (this.#again) {
        this.#again = false;
        await this.#read();
      }
    } finally {
      this.#reading = null;
    }
  }
}
