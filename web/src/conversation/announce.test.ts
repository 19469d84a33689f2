import { expect, it } from "vitest";

import { live, log } from "../state/logs.test-support";
import { announcements } from "./announce";

it("tells whole texts, requests and ends, not pieces", () => {
  const lines = log("permission-allow");
  const told = lines.flatMap((_, at) => announcements(live(lines.slice(0, Math.max(1, at))), live(lines.slice(0, at + 1))));
  expect(told).toEqual(["Working.", "Tool: touch made", "Your answer is needed: a request", "So be it.", "Turn done."]);
});
