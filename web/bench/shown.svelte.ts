/** A session without a daemon. */

import { emptySession, reduce, type SessionState, type Update } from "../src/state/state";

export class Shown {
  readonly id: string;
  state = $state.raw<SessionState>(emptySession(""));

  constructor(id: string) {
    this.id = id;
    this.state = emptySession(id);
  }

  hear(...updates: Update[]): void {
    this.state = updates.reduce((state, update) => reduce(state, update).state, this.state);
  }
}
