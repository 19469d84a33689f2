/** What the CLI's limits are called. One that is not known here has its own name. */

type Names = { readonly short: string; readonly name: string };

const LIMITS: Readonly<Record<string, Names>> = {
  five_hour: { short: "Five hours", name: "five-hour limit" },
  seven_day: { short: "Week", name: "weekly limit" },
  seven_day_opus: { short: "Week, Opus", name: "weekly Opus limit" },
  seven_day_sonnet: { short: "Week, Sonnet", name: "weekly Sonnet limit" },
  overage: { short: "Extra usage", name: "limit of extra usage" },
};

export function limitNames(limit: string | null): Names {
  if (limit === null) return { short: "Usage", name: "usage limit" };
  const known = Object.hasOwn(LIMITS, limit) ? LIMITS[limit] : undefined;
  const words = limit.replaceAll("_", " ");
  return known ?? { short: words, name: words };
}
