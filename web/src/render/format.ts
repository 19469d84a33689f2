/** Numbers as people read them: short, with their unit, never more exact than they are. */

/** `840 ms`, `3.2 s`, `1 m 05 s`, `2 h 03 m`. */
export function duration(ms: number): string {
  if (ms < 0 || !Number.isFinite(ms)) return "";
  if (ms < 1000) return `${Math.round(ms)} ms`;
  if (ms < 59_950) return `${(ms / 1000).toFixed(1)} s`;
  const seconds = Math.round(ms / 1000);
  const pad = (n: number): string => String(n).padStart(2, "0");
  if (seconds < 3600) return `${Math.floor(seconds / 60)} m ${pad(seconds % 60)} s`;
  return `${Math.floor(seconds / 3600)} h ${pad(Math.floor((seconds % 3600) / 60))} m`;
}

/** Milliseconds between two times as the API writes them; none where one of them is missing. */
export function between(from: string | null, to: string | null): number | null {
  if (from === null || to === null) return null;
  const ms = Date.parse(to) - Date.parse(from);
  return Number.isFinite(ms) && ms >= 0 ? ms : null;
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

/** `1 line`, `3,000 lines`. */
export function plural(n: number, one: string, many = `${one}s`): string {
  return `${String(n).replaceAll(/\B(?=(\d{3})+$)/g, ",")} ${n === 1 ? one : many}`;
}

/** A path's directory, with its slash, and its name. */
export function splitPath(path: string): { readonly directory: string; readonly name: string } {
  const at = Math.max(path.lastIndexOf("/", path.length - 2), path.lastIndexOf("\\", path.length - 2));
  return { directory: path.slice(0, at + 1), name: path.slice(at + 1) };
}

/** A text in one line, cut. */
export function oneLine(text: string, length = 160): string {
  const line = text.slice(0, length * 4).replace(/\s+/g, " ").trim();
  return line.length > length ? `${line.slice(0, length - 1)}…` : line;
}
