import type { Task } from "../../api/types";

/** How tasks end, in the CLI's words. */
const ENDED: readonly string[] = ["completed", "failed", "killed", "stopped", "cancelled"];

/** It goes on beside the conversation. */
export function isOpenTask(task: Task): boolean {
  return !ENDED.includes(task.status);
}
