/** Questions about trust that were shown in this browser: each opens by itself once. */

const KEY = "pilothouse.trust.asked";
const MOST = 100;

function read(): string[] {
  try {
    const kept: unknown = JSON.parse(localStorage.getItem(KEY) ?? "[]");
    return Array.isArray(kept) ? kept.filter((one): one is string => typeof one === "string") : [];
  } catch {
    return [];
  }
}

export function wasAsked(question: string): boolean {
  return read().includes(question);
}

export function noteAsked(question: string): void {
  const kept = [question, ...read().filter((one) => one !== question)].slice(0, MOST);
  try {
    localStorage.setItem(KEY, JSON.stringify(kept));
  } catch {
    // A browser that keeps nothing asks again.
  }
}
