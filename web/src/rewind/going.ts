/**
 * Going back, in its order: files first, since only a run can put them back; then the run ends, and the
 * next begins where the conversation is to go on. Knows nothing of the page: what has been begun is
 * brought to its end, also when nobody looks any more.
 */

import { Refused } from "../connection/problem";

/** What is being done. */
export type Stage = "asking" | "files" | "stopping" | "starting";

/** What goes back. */
export type Wanted = { readonly files: boolean; readonly talk: boolean };

/** The session, as far as this is concerned. All of it throws where it is refused. */
export type Ground = {
  putFilesBack(): Promise<unknown>;
  /** Whether there is a run. */
  runs(): boolean;
  stop(): Promise<unknown>;
  /** Done when no run is left. */
  ended(): Promise<void>;
  /** Begins a run where the conversation is to go on. */
  start(): Promise<unknown>;
};

/** Goes back, and says at every step what is being done; where that fails, one can be asked again. */
export async function goBack(wanted: Wanted, ground: Ground, now: (stage: Stage) => void): Promise<void> {
  try {
    if (wanted.files) {
      now("files");
      await ground.putFilesBack();
    }
    if (!wanted.talk) return;
    if (ground.runs()) {
      now("stopping");
      await stopped(ground);
      // The next must not begin elsewhere in the conversation before this one has written its last word.
      await ground.ended();
    }
    now("starting");
    await ground.start();
  } catch (error) {
    now("asking");
    throw error;
  }
}

/** Ends the run; one that has ended meanwhile is as good. */
async function stopped(ground: Ground): Promise<void> {
  try {
    await ground.stop();
  } catch (error) {
    if (!(error instanceof Refused) || error.problem.refusal?.kind !== "not_running") throw error;
  }
}
