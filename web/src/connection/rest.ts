/**
 * The REST API, typed by the daemon's own description of it. The table below holds only what the
 * client uses; its entries cannot disagree with the description.
 */

import type { Operations, Problem } from "../../api/types";
import { learn, proof } from "./key";
import { Refused, Unreachable } from "./problem";

const routes = {
  createSession: ["POST", "/api/v1/sessions"],
  listSessions: ["GET", "/api/v1/sessions"],
  searchSessions: ["GET", "/api/v1/sessions/search"],
  getSession: ["GET", "/api/v1/sessions/{session}"],
  changeSession: ["PATCH", "/api/v1/sessions/{session}"],
  deleteSession: ["DELETE", "/api/v1/sessions/{session}"],
  forkSession: ["POST", "/api/v1/sessions/{session}/fork"],
  sendPrompt: ["POST", "/api/v1/sessions/{session}/prompts"],
  uploadAttachment: ["POST", "/api/v1/sessions/{session}/attachments"],
  getAttachment: ["GET", "/api/v1/sessions/{session}/attachments/{digest}"],
  listOpenApprovals: ["GET", "/api/v1/approvals"],
  listApprovals: ["GET", "/api/v1/sessions/{session}/approvals"],
  listEvents: ["GET", "/api/v1/sessions/{session}/events"],
  stopTask: ["POST", "/api/v1/sessions/{session}/tasks/{task}/stop"],
  backgroundTasks: ["POST", "/api/v1/sessions/{session}/tasks/background"],
  getMcpServers: ["GET", "/api/v1/sessions/{session}/mcp"],
  toggleMcpServer: ["PUT", "/api/v1/sessions/{session}/mcp/{server}"],
  reconnectMcpServer: ["POST", "/api/v1/sessions/{session}/mcp/{server}/reconnect"],
  getContextUsage: ["GET", "/api/v1/sessions/{session}/context"],
  rewindFiles: ["POST", "/api/v1/sessions/{session}/rewind"],
  listRuns: ["GET", "/api/v1/sessions/{session}/runs"],
  getWireLog: ["GET", "/api/v1/sessions/{session}/runs/{run}/wire"],
  completeFile: ["GET", "/api/v1/sessions/{session}/files/complete"],
  readImage: ["GET", "/api/v1/sessions/{session}/files/image"],
  readFile: ["GET", "/api/v1/sessions/{session}/files/read"],
  listDirectory: ["GET", "/api/v1/sessions/{session}/files/list"],
  getDiff: ["GET", "/api/v1/sessions/{session}/files/diff"],
  listDirectories: ["GET", "/api/v1/directories"],
  exportSession: ["GET", "/api/v1/sessions/{session}/export"],
  listHistory: ["GET", "/api/v1/history"],
  searchHistory: ["GET", "/api/v1/history/search"],
  importHistory: ["POST", "/api/v1/history/{cli_session}/import"],
  listPolicies: ["GET", "/api/v1/policies"],
  getPolicy: ["GET", "/api/v1/policies/{policy}"],
  putPolicy: ["PUT", "/api/v1/policies/{policy}"],
  testPolicy: ["POST", "/api/v1/policies/test"],
  replayPolicy: ["POST", "/api/v1/policies/replay"],
  listTrust: ["GET", "/api/v1/trust"],
  getTrustReport: ["GET", "/api/v1/trust/report"],
  decideTrust: ["PUT", "/api/v1/trust"],
  forgetTrust: ["DELETE", "/api/v1/trust"],
  getUsage: ["GET", "/api/v1/usage"],
  getDoctor: ["GET", "/api/v1/doctor"],
  getVersion: ["GET", "/api/v1/version"],
  whoAmI: ["GET", "/api/v1/login"],
  logIn: ["POST", "/api/v1/login"],
  createLoginLink: ["POST", "/api/v1/login/links"],
  listLogins: ["GET", "/api/v1/logins"],
  changeLogin: ["PATCH", "/api/v1/logins/{login}"],
  endLogin: ["DELETE", "/api/v1/logins/{login}"],
  logOut: ["POST", "/api/v1/logout"],
} as const satisfies { [K in keyof Operations]?: readonly [Operations[K]["method"], Operations[K]["path"]] };

type Known = keyof typeof routes;
type Of<K extends Known> = Operations[K];
type Empty = Record<string, never>;

/** What an operation is called with: only what it takes. */
export type Arguments<K extends Known> = (Of<K>["params"] extends Empty ? unknown : { params: Of<K>["params"] }) &
  (Of<K>["query"] extends Empty ? unknown : { query?: Of<K>["query"] }) &
  (Of<K>["body"] extends undefined ? unknown : { body: Of<K>["body"] }) & { signal?: AbortSignal };

type Loose = {
  params?: Record<string, string | number>;
  query?: Record<string, unknown>;
  body?: unknown;
  signal?: AbortSignal;
};

/** The address of an operation, as it is sent. */
export function address<K extends Known>(operation: K, given: Omit<Arguments<K>, "body" | "signal">): string {
  const { params = {}, query = {} } = given as Loose;
  const path = routes[operation][1].replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(params[name]!));
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    for (const one of Array.isArray(value) ? value : [value]) {
      if (one !== undefined && one !== null) search.append(name, String(one));
    }
  }
  return search.size > 0 ? `${path}?${search}` : path;
}

/**
 * Who has not answered by then does not: a connection that broke without a word would hold up what
 * waits behind it for as long as the browser likes.
 */
const PATIENCE = 30_000;
/** Much is read, written or sent; it may take so long. */
const LONG = 10 * 60_000;
const LONG_ONES: ReadonlySet<Known> = new Set<Known>(["uploadAttachment", "importHistory", "searchHistory", "searchSessions", "rewindFiles", "replayPolicy", "getWireLog", "deleteSession"]);

/** Calls an operation. Throws {@link Refused}, or {@link Unreachable} where no answer came in time. */
export async function call<K extends Known>(operation: K, given: Arguments<K>): Promise<Of<K>["reply"]> {
  const { body, signal } = given as Loose;
  const init: RequestInit = { method: routes[operation][0] };
  if (body instanceof Blob) {
    init.body = body;
  } else if (body !== undefined) {
    init.body = JSON.stringify(body);
    init.headers = { "content-type": "application/json" };
  }
  return asked(address(operation, given), init, LONG_ONES.has(operation) ? LONG : PATIENCE, signal, async (response) => {
    if (response.status === 204) return undefined;
    const isJson = response.headers.get("content-type")?.startsWith("application/json");
    return (isJson ? await response.json() : await response.blob()) as Of<K>["reply"];
  });
}

/** Fetches what is at an address of the API, whatever it is. Throws like {@link call}. */
export function fetched(address: string, time: "short" | "long", signal?: AbortSignal): Promise<Blob> {
  return asked(address, { method: "GET" }, time === "long" ? LONG : PATIENCE, signal, (response) => response.blob());
}

async function asked<T>(address: string, init: RequestInit, patience: number, signal: AbortSignal | undefined, read: (response: Response) => Promise<T>): Promise<T> {
  const late = new AbortController();
  const timer = setTimeout(() => late.abort(), patience);
  const signals = signal ? AbortSignal.any([signal, late.signal]) : late.signal;
  try {
    const response = await proven(address, { ...init, signal: signals, credentials: "same-origin" });
    if (!response.ok) throw new Refused(await problemOf(response));
    return await read(response);
  } catch (error) {
    if (error instanceof Refused || signal?.aborted) throw error;
    throw new Unreachable();
  } finally {
    clearTimeout(timer);
  }
}

/** Sends a request with a proof of the page's key. One that answers an old challenge is sent again, once. */
async function proven(address: string, init: RequestInit): Promise<Response> {
  const prove = () => proof(init.method ?? "GET", address);
  const given = prove();
  const first = await once(address, init, given);
  learn(first);
  // Compared with what this request sent: another one may have learned the new challenge meanwhile.
  if (first.status !== 401 || prove() === given) return first;
  // Read to its end, so that its connection is free again.
  await first.arrayBuffer();
  const second = await once(address, init, prove());
  learn(second);
  return second;
}

function once(address: string, init: RequestInit, given: string | null): Promise<Response> {
  return fetch(address, given === null ? init : { ...init, headers: { ...init.headers, "x-pilothouse-proof": given } });
}

async function problemOf(response: Response): Promise<Problem> {
  try {
    return (await response.json()) as Problem;
  } catch {
    const detail = `The daemon answered ${response.status} without saying why.`;
    return { type: "about:blank", title: response.statusText, status: response.status, detail };
  }
}
