/** Whether somebody is about to go back, in which session and to which prompt; and going there. */

import type { From, PromptId, SessionId } from "../../api/types";
import { house } from "../app/house.svelte";
import { composers } from "../composer/drafts";
import { filesAgain } from "../composer/kept";
import { call } from "../connection/rest";
import { isAsleep } from "../state/list";
import { goBack, type Stage, type Wanted } from "./going";
import type { Point } from "./points";

class Rewinding {
  shown = $state.raw<{ readonly session: SessionId; readonly prompt: PromptId | null } | null>(null);
  /** What is being done about the one that is shown. */
  stage = $state<Stage>("asking");

  /** Asks where to go back to; `prompt` is chosen at first. */
  show(session: SessionId, prompt: PromptId | null): void {
    this.shown = { session, prompt };
    this.stage = "asking";
  }

  /** Asks no more. What has been begun goes on to its end. */
  close(): void {
    this.shown = null;
  }

  /** Goes back to before a prompt, and asks no more once that is done. What goes wrong is told. */
  async go(session: SessionId, point: Point, from: From, wanted: Wanted): Promise<void> {
    const asked = this.shown;
    const runs = () => {
      const row = house.sessions.get(session);
      return row !== undefined && !isAsleep(row);
    };
    const done = await house.attempt(async () => {
      const ground = {
        putFilesBack: async () => {
          await call("rewindFiles", { params: { session }, body: { user_message_id: point.prompt } });
          house.tell("The files are as they were.");
        },
        runs,
        stop: () => house.talk.order(session, { do: "stop" }),
        ended: () => house.until(() => !runs()),
        start: () => house.talk.order(session, { do: "start", from }),
      };
      await goBack(wanted, ground, (stage) => {
        if (this.shown === asked) this.stage = stage;
      });
      return true;
    });
    if (!done) return;
    if (wanted.talk) composers.giveBack(session, point.text, filesAgain(point.attachments));
    if (this.shown === asked) this.close();
  }
}

export const rewinding = new Rewinding();
