/**
 * A stand-in for the daemon that says what it is told to say: serves the built client, lists sessions,
 * and speaks the daemon's messages over one WebSocket. Parcels are as large as the daemon's.
 */

import { createHash } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { createServer } from "node:http";
import { extname, join } from "node:path";

/** @typedef {import("../api/types").ServerMessage} ServerMessage */
/** @typedef {import("../api/types").ClientMessage} ClientMessage */
/** @typedef {import("../api/types").SessionRow} SessionRow */
/** @typedef {import("./transcript.mjs").Transcript} Transcript */

/** The daemon sends what it has gathered at this size. */
const PARCEL = 256 * 1024;
const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; font-src 'self'; connect-src 'self'; manifest-src 'self'; worker-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";
const TYPES = /** @type {Record<string, string>} */ ({ ".js": "text/javascript", ".css": "text/css", ".html": "text/html", ".svg": "image/svg+xml", ".webmanifest": "application/manifest+json", ".png": "image/png" });

export class StandIn {
  /** @type {Map<string, { row: SessionRow, parcels: string[], seq: number }>} */
  #sessions = new Map();
  /** @type {Set<import("node:stream").Duplex>} */
  #sockets = new Set();
  address = "";

  /** @param {string} dist */
  constructor(dist) {
    this.dist = dist;
    this.server = createServer((request, response) => this.#serve(request.url ?? "/", response));
    this.server.on("upgrade", (request, socket) => this.#upgrade(request.headers["sec-websocket-key"] ?? "", socket));
  }

  async listen() {
    await new Promise((done) => this.server.listen(0, "127.0.0.1", () => done(undefined)));
    const at = /** @type {import("node:net").AddressInfo} */ (this.server.address());
    this.address = `http://127.0.0.1:${at.port}`;
  }

  close() {
    for (const socket of this.#sockets) socket.destroy();
    this.server.close();
  }

  /** Has a session with what its transcript has. @param {Transcript} transcript @param {string} title */
  add(transcript, title) {
    const id = transcript.session;
    const events = transcript.take();
    const at = events.at(-1)?.at ?? "";
    const row = { id, title, archived: false, cli_session: null, created_at: at, updated_at: at, cwd: "/project", last_seq: transcript.seq, mode: "default", model: null, needs_you: false, open_approvals: 0, policy: null, settings: {}, status: /** @type {const} */ ("idle"), tags: [], unread: false };
    /** @type {string[]} */
    const parcels = [];
    let size = 0;
    let gathered = /** @type {typeof events} */ ([]);
    for (const event of events) {
      gathered.push(event);
      size += JSON.stringify(event).length;
      if (size < PARCEL) continue;
      parcels.push(JSON.stringify([{ type: "events", session: id, events: gathered }]));
      [gathered, size] = [[], 0];
    }
    parcels.push(JSON.stringify([{ type: "events", session: id, events: gathered }]));
    this.#sessions.set(id, { row, parcels, seq: transcript.seq });
  }

  /** Says something to everybody. @param {ServerMessage[]} messages */
  say(messages) {
    for (const socket of this.#sockets) write(socket, JSON.stringify(messages));
  }

  /** @param {string} url @param {import("node:http").ServerResponse} response */
  #serve(url, response) {
    const path = new URL(url, "http://host").pathname;
    if (path.startsWith("/api/")) {
      const rows = [...this.#sessions.values()].map((session) => session.row);
      const reply = path === "/api/v1/login" ? { name: "bench", identity: { kind: "browser" } } : { items: path === "/api/v1/sessions" ? rows : [], next: null };
      response.setHeader("content-type", "application/json").end(JSON.stringify(reply));
      return;
    }
    const file = join(this.dist, path);
    const found = path !== "/" && existsSync(file) ? file : join(this.dist, "index.html");
    response.setHeader("content-security-policy", POLICY);
    response.setHeader("content-type", TYPES[extname(found)] ?? "application/octet-stream").end(readFileSync(found));
  }

  /** @param {string} key @param {import("node:stream").Duplex} socket */
  #upgrade(key, socket) {
    const accept = createHash("sha1").update(`${key}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`).digest("base64");
    socket.write(`HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Protocol: pilothouse.1\r\nSec-WebSocket-Accept: ${accept}\r\n\r\n`);
    this.#sockets.add(socket);
    socket.on("close", () => this.#sockets.delete(socket));
    socket.on("error", () => this.#sockets.delete(socket));
    let rest = Buffer.alloc(0);
    socket.on("data", (bytes) => {
      rest = Buffer.concat([rest, bytes]);
      for (let frame = read(rest); frame; frame = read(rest)) {
        rest = rest.subarray(frame.length);
        if (frame.text !== null) this.#heard(socket, /** @type {ClientMessage} */ (JSON.parse(frame.text)));
      }
    });
  }

  /** @param {import("node:stream").Duplex} socket @param {ClientMessage} message */
  #heard(socket, message) {
    if (message.op === "ping" || message.op === "command") write(socket, JSON.stringify([{ type: "reply", id: message.id, result: null, problem: null }]));
    if (message.op === "watch_list") write(socket, JSON.stringify([{ type: "list_lagged" }]));
    if (message.op !== "subscribe") return;
    const session = this.#sessions.get(message.session);
    if (!session) return;
    if (!message.after) for (const parcel of session.parcels) write(socket, parcel);
    write(socket, JSON.stringify([{ type: "live", session: message.session, seq: session.seq, open_items: [] }]));
  }
}

/** Writes one frame of text. @param {import("node:stream").Duplex} socket @param {string} text */
function write(socket, text) {
  const payload = Buffer.from(text);
  const head = Buffer.alloc(payload.length < 126 ? 2 : payload.length < 65_536 ? 4 : 10);
  head[0] = 0x81;
  if (head.length === 2) head[1] = payload.length;
  else if (head.length === 4) {
    head[1] = 126;
    head.writeUInt16BE(payload.length, 2);
  } else {
    head[1] = 127;
    head.writeBigUInt64BE(BigInt(payload.length), 2);
  }
  socket.write(head);
  socket.write(payload);
}

/** The first frame, if it is whole; a browser's are masked. @param {Buffer} bytes */
function read(bytes) {
  if (bytes.length < 2) return null;
  const [kind = 0, second = 0] = bytes;
  let size = second & 0x7f;
  let at = 2;
  if (size === 126) {
    if (bytes.length < 4) return null;
    size = bytes.readUInt16BE(2);
    at = 4;
  }
  if (bytes.length < at + 4 + size) return null;
  const mask = bytes.subarray(at, at + 4);
  const payload = Buffer.from(bytes.subarray(at + 4, at + 4 + size));
  for (let index = 0; index < payload.length; index += 1) payload[index] = (payload[index] ?? 0) ^ (mask[index % 4] ?? 0);
  return { length: at + 4 + size, text: (kind & 0x0f) === 1 ? payload.toString() : null };
}
