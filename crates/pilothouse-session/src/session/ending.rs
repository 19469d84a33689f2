//! The end of a run: what it means, and what follows by itself.

use pilothouse_wire::Content;
use pilothouse_wire::permission::PermissionMode;

use super::calls::has_effects;
use super::run::{Cut, Phase, Run};
use super::{Scope, Session};
use crate::command::{Refusal, Urgency};
use crate::effect::Effect;
use crate::event::{
    Body, CancelReason, ConversationReason, DeadRun, Exit, MessageOrigin, NoticeKind, NoticeLevel,
    PromptState, Status,
};
use crate::input::Transcript;

/// What a new conversation is told to do with a plan.
const CARRY_OUT: &str = "Implement the following plan:\n\n";
/// Why something has no end.
const ENDED: &str = "the CLI ended";
/// What the model is told after its run died in mid-turn.
const GO_ON: &str = "The process was restarted in the middle of your work. Go on where you were.";

impl Session {
    /// Asks the run to end, and first to leave off with what it does.
    pub(super) fn stop_run(&mut self) {
        self.cut_short();
        if let Some(run) = &mut self.run {
            run.is_stopping = true;
            self.effects.push(Effect::Stop);
        }
    }

    /// Ends the run that made the plan, as soon as it has nothing more to say.
    pub(super) fn make_way_for_plan(&mut self) {
        if self.carry_out.is_some() && self.turns.current().is_none() {
            self.stop_run();
        }
    }

    /// Many sessions may have been at work, and one of them may be the reason: they go on when
    /// somebody says so.
    pub(super) fn machine_stopped(&mut self) {
        if let Some(run) = &mut self.run {
            run.is_of_the_past = true;
        }
    }

    pub(super) fn run_exited(&mut self, exit: Exit, stderr_tail: String) {
        let Some(run) = self.run.take() else { return };
        self.prompts.put_back();
        let meaning = self.meaning(&run, exit, &stderr_tail);
        let may_resume = matches!(meaning, DeadRun::Resumable { .. })
            && self.carry_out.is_none()
            && !run.is_of_the_past
            && self.has_attempts();
        let has_more = self.turns.is_wanted();
        let cut = self.cut_off_at().filter(|_| may_resume);
        if cut.is_some() {
            self.prompts.set_aside(self.turns.current().filter(|_| has_more));
        }
        self.bury();
        self.rest = match meaning {
            DeadRun::Resumable { .. } | DeadRun::InDoubt { .. } => Status::Interrupted,
            DeadRun::Finished | DeadRun::Failed { .. } => Status::Ended,
        };
        self.tell(match run.id() {
            Some(run) => Body::RunEnded { run, exit, stderr_tail, meaning },
            None => Body::Error { message: stderr_tail, code: Some("not_started".to_owned()) },
        });
        if let Some(plan) = self.carry_out.take() {
            self.carry_out_plan(&plan);
        } else if may_resume {
            self.resume(has_more, cut);
        } else if run.is_missed {
            self.launch(self.conversation(None));
        }
    }

    /// What the end of the run means. Asked before anything of it is buried.
    fn meaning(&self, run: &Run, exit: Exit, stderr: &str) -> DeadRun {
        let is_owed = self.prompts.any_unheard();
        // What was killed may get further the next time.
        let was_killed = run.has_started() && exit.code.is_none();
        let may_get_further = run.is_of_the_past || (is_owed && self.has_attempts());
        if !run.is_stopping && ended_at_once(run, exit) && !(was_killed && may_get_further) {
            return DeadRun::Failed { message: stderr.trim().to_owned() };
        }
        let is_idle = self.turns.current().is_none() && !is_owed;
        if run.is_stopping || is_idle {
            return DeadRun::Finished;
        }
        match self.doubtful_calls() {
            calls if !calls.is_empty() => DeadRun::InDoubt { tool_call_ids: calls },
            _ if self.turns.is_wanted() || is_owed => {
                DeadRun::Resumable { at: self.committed.clone() }
            }
            // Somebody had asked for the turn's end, and has got it.
            _ => DeadRun::Finished,
        }
    }

    /// Whether it may go on by itself once more.
    fn has_attempts(&self) -> bool {
        self.attempts < self.setup.resume_attempts
    }

    /// The calls that may have changed something, and whose outcome is not known.
    fn doubtful_calls(&self) -> Vec<String> {
        let open = self.calls.iter().filter(|(_, call)| has_effects(&call.payload));
        let open = open.map(|(id, _)| id).chain(&self.let_through);
        let held: Vec<String> = self.approvals.held_calls().collect();
        open.filter(|id| !held.contains(id)).cloned().collect()
    }

    /// Ends everything that the run had open.
    fn bury(&mut self) {
        for (_, pending) in std::mem::take(&mut self.requests.waiting) {
            if let Some(command) = pending.command() {
                self.effects.push(Effect::Reply { command, result: Err(Refusal::RunEnded) });
            }
        }
        for approval in self.approvals.ids() {
            self.void(approval, CancelReason::RunEnded);
        }
        self.approvals.forget_names();
        self.cut_off(|_| true);
        self.close_calls(|_| true, ENDED);
        self.hooks.clear();
        self.let_through.clear();
        self.end_tasks();
        self.lose_turn(ENDED);
        self.unsend();
    }

    /// Where the turn is looked for that the end of the run has cut off.
    fn cut_off_at(&self) -> Option<Cut> {
        let is_autonomous =
            self.turns.is_wanted() && self.prompts.of_turn(self.turns.current()).is_empty();
        let cli_session = self.cli_session.clone()?;
        Some(Cut { cli_session, is_autonomous })
    }

    /// Goes on by itself: with the turn that was cut off, where there was one, then with what waits.
    /// The CLI writes a prompt down a moment after it has begun to work on it, so that has to be
    /// looked for first.
    fn resume(&mut self, has_more: bool, cut: Option<Cut>) {
        self.attempts += 1;
        let text = format!("the CLI ended before it was done; restart {}", self.attempts);
        self.notice(NoticeLevel::Warning, NoticeKind::Session, text);
        match cut {
            Some(cut) if !self.prompts.aside().is_empty() => {
                self.effects.push(self.look_for(&cut));
                self.run = Some(Run::in_phase(Phase::Looking(cut)));
            }
            _ => {
                self.launch(self.conversation(None));
                if has_more {
                    self.say_itself(GO_ON.to_owned());
                }
            }
        }
    }

    pub(super) fn look_for(&self, cut: &Cut) -> Effect {
        Effect::Look { cli_session: cut.cli_session.clone(), prompts: self.prompts.aside() }
    }

    /// What the run before has written down is known: the next one is told the rest.
    pub(super) fn looked(&mut self, transcript: &Transcript) {
        let is_awaited = |run: &mut Run| matches!(run.phase, Phase::Looking(_));
        let Some(run) = self.run.take_if(is_awaited) else { return };
        let Phase::Looking(cut) = run.phase else { return };
        // What has got so far that a tool was used was written somewhere, and we do not know where.
        let is_new = *transcript == Transcript::Missing && self.committed.is_none();
        if is_new {
            self.cli_session = None;
        }
        let mut goes_on = cut.is_autonomous;
        for (prompt, was_taken_up) in self.prompts.put_back() {
            let is_known = match transcript {
                Transcript::Holds(known) => known.contains(&prompt),
                Transcript::Missing | Transcript::Unreadable => was_taken_up && !is_new,
            };
            goes_on |= is_known;
            let state = match is_known {
                true => PromptState::Failed { reason: ENDED.to_owned() },
                false => PromptState::Queued,
            };
            self.prompt_is(Scope::default(), prompt, state);
        }
        if run.is_stopping && !run.is_missed {
            self.rest = Status::Interrupted;
            return;
        }
        self.launch(self.conversation(None));
        if goes_on && !run.is_stopping {
            self.say_itself(GO_ON.to_owned());
        }
    }

    /// A new conversation that knows nothing but the plan. The old one stays in the CLI's history.
    fn carry_out_plan(&mut self, plan: &str) {
        self.leave_conversation(ConversationReason::Plan);
        self.mode_is(PermissionMode::AcceptEdits);
        self.launch(self.conversation(None));
        self.say_itself(format!("{CARRY_OUT}{plan}"));
    }

    /// A prompt of the host's own.
    fn say_itself(&mut self, text: String) {
        let prompt = self.own_prompt_id();
        self.enqueue(prompt, Content::from(text).into(), Urgency::Next, MessageOrigin::Host);
    }
}

/// Whether it could not be started, or ended before it worked on anything.
fn ended_at_once(run: &Run, exit: Exit) -> bool {
    !run.is_ready() || (!run.has_worked && exit.code != Some(0))
}
