/** Logins: what other servers on this host get of them is worth nothing, and they are listed and ended. */

import { createServer, request, type IncomingHttpHeaders, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import type { Duplex } from "node:stream";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import type { LoginRow } from "../api/types";
import { Bed, until } from "./bed";
import { look, LOOKS } from "./look";

let bed: Bed;

beforeAll(async () => {
  bed = await Bed.open();
});

afterAll(async () => {
  await bed.close();
  expect(bed.complaints).toEqual([]);
});

type Taken = { readonly method: string; readonly path: string; readonly headers: IncomingHttpHeaders };

/** A server of somebody else on this host. Writes down all that it is sent. */
class Stranger {
  readonly taken: Taken[] = [];
  readonly #sockets = new Set<Duplex>();
  readonly #server: Server;
  address = "";

  constructor() {
    this.#server = createServer(({ method = "", url = "", headers }, response) => {
      this.taken.push({ method, path: url, headers });
      // As the daemon would, with a challenge of its own: it may be answered.
      const isApi = url.startsWith("/api/");
      response.writeHead(isApi ? 401 : 200, { "content-type": isApi ? "application/problem+json" : "text/html", "x-pilothouse-challenge": `mine${this.taken.length}` });
      response.end(isApi ? JSON.stringify({ type: "about:blank", title: "", status: 503, detail: "not now" }) : "<!doctype html><title>Other</title>");
    });
    this.#server.on("upgrade", ({ method = "", url = "", headers }, socket) => {
      this.taken.push({ method, path: url, headers });
      socket.end("HTTP/1.1 503 Service Unavailable\r\nconnection: close\r\n\r\n");
    });
    this.#server.on("connection", (socket) => {
      this.#sockets.add(socket);
      socket.on("close", () => this.#sockets.delete(socket));
    });
  }

  async listen(port = 0): Promise<void> {
    await new Promise<void>((done) => this.#server.listen(port, "127.0.0.1", done));
    this.address = `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  async close(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    await new Promise((done) => this.#server.close(done));
  }
}

/** Sends a request as any program can: with the headers that it likes. */
function replay({ method, path, headers }: Taken, body = ""): Promise<number> {
  const { host, origin } = new URL(bed.address);
  return new Promise((done, failed) => {
    const more = body === "" ? {} : { "content-type": "application/json", "content-length": Buffer.byteLength(body) };
    const sent = request(bed.address + path, { method, headers: { ...headers, host, origin, "sec-fetch-site": "same-origin", ...more } });
    sent.on("response", (response) => {
      response.resume();
      done(response.statusCode ?? 0);
    });
    sent.on("upgrade", (_, socket) => {
      socket.destroy();
      done(101);
    });
    sent.on("error", failed);
    sent.end(body);
  });
}

const createSession = () => JSON.stringify({ cwd: bed.path("work") });

describe("a login", () => {
  it("is worth nothing to a server on another port, which gets the cookie", async () => {
    const page = await bed.browser();
    const other = new Stranger();
    await other.listen();
    // Its console is full of refusals, as it should be.
    const visit = await page.context().newPage();
    await visit.goto(other.address);
    const cookie = other.taken[0]?.headers.cookie ?? "";
    expect(cookie, "browsers send cookies to every port").toMatch(/pilothouse_\d+=/);
    expect(await replay({ method: "POST", path: "/api/v1/sessions", headers: { cookie } }, createSession())).toBe(401);
    expect(await replay({ method: "GET", path: "/api/v1/sessions", headers: { cookie } })).toBe(401);
    // The page of the other port itself, in this browser.
    const got = await visit.evaluate(async (daemon) => {
      const kept = JSON.stringify(localStorage);
      const post = { method: "POST", credentials: "include", mode: "no-cors", body: "{}" } as const;
      const posted = await fetch(`${daemon}/api/v1/login/links`, post).then((response) => response.type, String);
      const read = await fetch(`${daemon}/api/v1/login`, { credentials: "include" }).then((response) => response.text(), () => "refused");
      const socket = await new Promise((done) => {
        const socket = new WebSocket(`${daemon.replace("http", "ws")}/api/v1/ws`);
        socket.addEventListener("open", () => done("open"));
        socket.addEventListener("error", () => done("refused"));
      });
      return { kept, posted, read, socket };
    }, bed.address);
    expect(got).toMatchObject({ kept: "{}", read: "refused", socket: "refused" });
    await visit.close();
    await other.close();
    expect((await bed.api<{ items: unknown[] }>("GET", "/sessions")).items).toEqual([]);
    await page.reload();
    await page.getByRole("heading", { name: "All quiet" }).waitFor();
  });

  it("is worth nothing to a server that takes the port while the daemon is down", async () => {
    const page = await bed.browser();
    await page.getByRole("heading", { name: "All quiet" }).waitFor();
    const key = await page.evaluate(() => localStorage.getItem("pilothouse.page-key"));
    expect(key).toMatch(/^[\w-]{43}$/);
    const port = Number(new URL(bed.address).port);
    await bed.stop();
    const squatter = new Stranger();
    await squatter.listen(port);
    const proofs = () => squatter.taken.filter(({ headers }) => headers["x-pilothouse-proof"]);
    const sockets = () => squatter.taken.filter(({ headers }) => headers.upgrade);
    await until(() => proofs().length >= 2 && sockets().length > 0, "the open page to ask again");
    await squatter.close();
    await bed.start();
    expect(squatter.taken.some(({ headers }) => /pilothouse_\d+=/.test(headers.cookie ?? "")), "it got the cookie").toBe(true);
    expect(JSON.stringify(squatter.taken)).not.toContain(key);
    for (const taken of squatter.taken.filter(({ path }) => path.startsWith("/api/"))) {
      expect(await replay(taken), `${taken.method} ${taken.path}`).toBe(401);
    }
    const { cookie = "" } = squatter.taken.find(({ headers }) => headers.cookie)!.headers;
    for (const { headers } of proofs()) {
      const forged = { cookie, "x-pilothouse-proof": headers["x-pilothouse-proof"] as string };
      expect(await replay({ method: "POST", path: "/api/v1/sessions", headers: forged }, createSession())).toBe(401);
    }
    // The page itself, which was shown the way out by the squatter, is logged in as before.
    await page.goto(bed.address);
    await page.getByRole("heading", { name: "All quiet" }).waitFor();
  });

  it("survives a restart of the daemon without a reload", async () => {
    const page = await bed.browser();
    const { id } = await bed.session({ title: "Before" });
    await page.getByText("Before").first().waitFor();
    await bed.stop();
    await bed.start();
    await bed.api("PATCH", `/sessions/${id}`, { title: "After" });
    await page.getByText("After").first().waitFor();
    await bed.api("DELETE", `/sessions/${id}`);
  });

  it("without its key ends at the page that says how to log in", async () => {
    const page = await bed.browser();
    await page.evaluate(() => localStorage.removeItem("pilothouse.page-key"));
    await page.reload();
    await page.getByText("This browser is not logged in").waitFor();
    await page.getByText("pilothouse login").waitFor();
  });
});

describe("the list of logins", () => {
  it("names them, and ends one by one", async () => {
    const page = await bed.browser();
    const other = await bed.browser();
    await page.goto(`${bed.address}/settings/logins`);
    const list = page.getByRole("list", { name: "Logins" });
    const mine = list.getByRole("listitem").filter({ hasText: "This browser" });
    await mine.getByRole("button", { name: "Rename e2e" }).click();
    await mine.getByRole("textbox", { name: "Name" }).fill("desk");
    const refused = { type: "about:blank", title: "", status: 422, detail: "This name is refused." };
    await page.route(/\/api\/v1\/logins\//, (route) => route.fulfill({ status: 422, json: refused }), { times: 1 });
    await mine.getByRole("button", { name: "Save" }).click();
    await page.getByText(refused.detail).waitFor();
    expect(await mine.getByRole("textbox", { name: "Name" }).inputValue()).toBe("desk");
    await mine.getByRole("button", { name: "Save" }).click();
    await mine.getByText("desk").waitFor();
    // All but this one.
    const rows = async () => (await bed.api<{ items: LoginRow[] }>("GET", "/logins")).items;
    const others = (await rows()).length - 1;
    for (let ended = 0; ended < others; ended += 1) {
      await list.getByRole("button", { name: "End e2e" }).first().click();
      await until(async () => (await rows()).length === others - ended, "one to be gone");
    }
    expect((await rows()).map(({ name }) => name)).toEqual(["desk"]);
    await other.getByText("This browser is not logged in").waitFor();
    await mine.getByRole("button", { name: "Log out" }).click();
    await page.getByText("This browser is not logged in").waitFor();
    expect(await page.evaluate(() => localStorage.getItem("pilothouse.page-key"))).toBeNull();
  });

  it.each(LOOKS)("looks right: $name", async ({ name, ...options }) => {
    const page = await bed.browser(options);
    await bed.browser();
    await page.goto(`${bed.address}/settings/logins`);
    await page.getByText("This browser").first().waitFor();
    await look(page, "logins", name);
  });
});
