/** Times and amounts as people read them: short, with their unit, never more exact than they are. The only place for these. */

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

/** `840 ms`, `3.2 s`, `1 m 05 s`, `2 h 03 m`. */
export function duration(ms: number): string {
  if (ms < 0 || !Number.isFinite(ms)) return "";
  if (ms < 1000) return `${Math.round(ms)} ms`;
  if (ms < 59_950) return `${(ms / 1000).toFixed(1).replace(/\.0$/, "")} s`;
  const seconds = Math.round(ms / 1000);
  const pad = (n: number): string => String(n).padStart(2, "0");
  if (seconds < 3600) return `${Math.floor(seconds / 60)} m ${pad(seconds % 60)} s`;
  return `${Math.floor(seconds / 3600)} h ${pad(Math.floor((seconds % 3600) / 60))} m`;
}

function scaled(n: number, step: number, units: readonly string[]): string {
  let unit = 0;
  let value = n;
  while (value >= step && unit < units.length - 1) {
    value /= step;
    unit++;
  }
  const digits = unit === 0 || value >= 100 ? 0 : 1;
  return `${value.toFixed(digits).replace(/\.0$/, "")}${units[unit]}`;
}

/** `512 B`, `4.2 KiB`. */
export function bytes(n: number): string {
  return scaled(n, 1024, [" B", " KiB", " MiB", " GiB"]);
}

/** `950`, `12.4k`, `1.2M`. */
export function count(n: number): string {
  return scaled(n, 1000, ["", "k", "M", "G"]);
}

/** `$0.0042`, `$1.27`: two digits that say something. */
export function dollars(n: number): string {
  if (n === 0) return "$0";
  if (n < 0.01) return `$${n.toPrecision(2)}`;
  return `$${n.toFixed(2)}`;
}
