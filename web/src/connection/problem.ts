/** Why something did not work, as an error that can be thrown and shown. */

import type { Problem } from "../../api/types";
import { named } from "../render/text/visible";

/** The daemon has refused. Its message says what to do. */
export class Refused extends Error {
  readonly problem: Problem;
  /** It was asked more than once, over a break: what was refused may be the repetition only. */
  readonly repeated: boolean;

  constructor(problem: Problem, repeated = false) {
    super(problem.detail);
    this.name = "Refused";
    this.problem = problem;
    this.repeated = repeated;
  }

  /** Nobody is logged in here, or not any more. */
  get loggedOut(): boolean {
    return this.problem.status === 401;
  }
}

/** The daemon cannot be reached. Whether it has heard of the request is not known. */
export class Unreachable extends Error {
  constructor() {
    super("Pilothouse does not answer. Is the daemon running?");
    this.name = "Unreachable";
  }
}

/** Returns a sentence to show. The daemon quotes file names and the output of programs in it. */
export function sentence(error: unknown): string {
  return named(error instanceof Error ? error.message : String(error));
}
