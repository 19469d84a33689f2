/** Times and amounts, for people. */

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** How long ago, in a few letters. */
export function ago(at: string, now: number): string {
  const past = now - Date.parse(at);
  if (past < MINUTE) return "now";
  if (past < HOUR) return `${Math.floor(past / MINUTE)}m`;
  if (past < DAY) return `${Math.floor(past / HOUR)}h`;
  if (past < 7 * DAY) return `${Math.floor(past / DAY)}d`;
  return new Date(at).toLocaleDateString(undefined, { month: "short", day: "numeric" });
}

/** How long something takes. */
export function span(ms: number): string {
  if (ms < 10_000) return `${(ms / 1000).toFixed(1)}s`;
  if (ms < MINUTE) return `${Math.floor(ms / 1000)}s`;
  if (ms < HOUR) return `${Math.floor(ms / MINUTE)}m ${Math.floor((ms % MINUTE) / 1000)}s`;
  return `${Math.floor(ms / HOUR)}h ${Math.floor((ms % HOUR) / MINUTE)}m`;
}

/** Tokens: 950, 12.3k, 1.2M. */
export function tokens(count: number): string {
  if (count < 1000) return String(count);
  if (count < 1_000_000) return `${trim(count / 1000)}k`;
  return `${trim(count / 1_000_000)}M`;
}

function trim(number: number): string {
  return number >= 100 ? number.toFixed(0) : number.toFixed(1).replace(/\.0$/, "");
}

/** Dollars; small amounts to a tenth of a cent. */
export function dollars(amount: number): string {
  return `$${amount.toFixed(amount >= 0.1 || amount === 0 ? 2 : 3)}`;
}

/** Bytes. */
export function bytes(count: number): string {
  if (count < 1024) return `${count} B`;
  if (count < 1024 ** 2) return `${trim(count / 1024)} KiB`;
  return `${trim(count / 1024 ** 2)} MiB`;
}
