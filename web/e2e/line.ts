/** The line between a page and the daemon: what the daemon says can be held back, and the connection broken. */

import type { Page, WebSocketRoute } from "playwright-core";

export class Line {
  #ends: { page: WebSocketRoute; daemon: WebSocketRoute } | null = null;
  #held: string[] | null = null;

  /** Takes the line of a page that has not been opened yet. */
  static async of(page: Page): Promise<Line> {
    const line = new Line();
    await page.routeWebSocket(/\/api\/v1\/ws$/, (socket) => {
      const daemon = socket.connectToServer();
      line.#ends = { page: socket, daemon };
      daemon.onMessage((message) => (line.#held ? void line.#held.push(String(message)) : socket.send(message)));
    });
    return line;
  }

  /** From now on the page hears nothing. */
  hold(): void {
    this.#held = [];
  }

  /** The page hears all of it at once, as on a busy machine. */
  release(): void {
    const said = (this.#held ?? []).flatMap((message) => JSON.parse(message) as unknown[]);
    this.#held = null;
    this.#ends?.page.send(JSON.stringify(said));
  }

  /** The page never hears what was held back: it has to connect anew. */
  async break(): Promise<void> {
    this.#held = null;
    await this.#ends?.page.close();
    await this.#ends?.daemon.close();
  }
}
