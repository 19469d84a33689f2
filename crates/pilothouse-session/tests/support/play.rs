//! Steps that can come in any order, and the plays made of them.

use pilothouse_session::Command;
use pilothouse_session::approval::Decision;
use pilothouse_session::event::Status;
use pilothouse_session::input::Transcript;
use proptest::prelude::*;
use serde_json::json;

use super::Stage;

/// Something that happens, of the CLI's or a client's doing. Numbers tell requests apart.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Step {
    /// The CLI calls a tool.
    Calls(u8),
    /// The CLI asks whether it may, maybe for the second time.
    Asks(u8),
    Allow(u8),
    Deny(u8),
    DenyAndStop(u8),
    Cancels(u8),
    ToolResult(u8),
    Prompt(u8),
    TakesUp(u8),
    CancelPrompt(u8),
    SendNow(u8),
    Interrupt,
    Stop,
    /// The CLI answers the last request of the host's.
    Replies,
    Init,
    Text,
    Result,
    Aborted,
    Idle,
    Written,
    Exit,
    Killed,
    /// The run that was asked for starts, and introduces itself.
    Starts,
}

impl Stage {
    pub(crate) fn step(&mut self, step: Step) {
        let request = |number: u8| format!("r{}-{number}", self.run_number());
        let call = |number: u8| format!("t{}-{number}", self.run_number());
        let input = json!({"command": "make"});
        match step {
            Step::Calls(number) => self.tool_use(&call(number), "Bash", &input),
            Step::Asks(number) => self.can_use(&request(number), &call(number), "Bash", &input),
            Step::Allow(number) => {
                self.answer(number, Decision::Allow { input: None, updates: Vec::new() });
            }
            Step::Deny(number) => {
                self.answer(number, Decision::Deny { message: None, stop: false });
            }
            Step::DenyAndStop(number) => {
                self.answer(number, Decision::Deny { message: None, stop: true });
            }
            Step::Cancels(number) => self.cancels(&request(number)),
            Step::ToolResult(number) => self.tool_result(&call(number), "made"),
            Step::Prompt(number) => drop(self.prompt(number.into(), "Go on.")),
            Step::TakesUp(number) => self.lifecycle(number.into(), "started"),
            Step::CancelPrompt(number) => {
                self.command(Command::CancelPrompt { prompt: super::prompt_id(number.into()) });
            }
            Step::SendNow(number) => {
                self.command(Command::SendNow { prompt: super::prompt_id(number.into()) });
            }
            Step::Interrupt => drop(self.command(Command::Interrupt { cancel_queued: false })),
            Step::Stop => drop(self.command(Command::Stop)),
            Step::Replies => self.reply_to_host(),
            Step::Init => self.init("default"),
            Step::Text => self.text("Hm."),
            Step::Result => self.result(),
            Step::Aborted => self.aborted(),
            Step::Idle => {
                self.line(
                    &json!({"type": "system", "subtype": "session_state_changed", "state": "idle"}),
                );
            }
            Step::Written => self.written(),
            Step::Exit => drop(self.exit(0, "")),
            Step::Killed => drop(self.killed()),
            Step::Starts => self.start_if_asked(),
        }
    }

    fn run_number(&self) -> u128 {
        self.runs
    }

    /// Answers the request of this number, or of this run's, whether it is open or not.
    fn answer(&mut self, number: u8, decision: Decision) {
        self.decide(number.into(), decision);
    }

    fn reply_to_host(&mut self) {
        if self.session.run().is_some() {
            self.replies(json!({"cancelled": true}));
        }
    }

    fn start_if_asked(&mut self) {
        let mut known = std::mem::take(&mut self.looked_for);
        if !known.is_empty() {
            // Now all of it, now nothing but the first.
            known.truncate(1 + usize::from(self.runs.is_multiple_of(2)) * known.len());
            self.looked(Transcript::Holds(known));
        }
        if self.session.status() == Status::Starting && self.session.run().is_none() {
            self.started();
            self.introduces();
        }
    }
}

/// Any step.
pub(crate) fn any_step() -> impl Strategy<Value = Step> {
    let one = 1..=2_u8;
    prop_oneof![
        4 => one.clone().prop_map(Step::Asks),
        3 => one.clone().prop_map(Step::Calls),
        3 => (1..=6_u8).prop_map(Step::Allow),
        2 => (1..=6_u8).prop_map(Step::Deny),
        2 => (1..=6_u8).prop_map(Step::DenyAndStop),
        2 => one.clone().prop_map(Step::Cancels),
        2 => one.clone().prop_map(Step::ToolResult),
        3 => (1..=4_u8).prop_map(Step::Prompt),
        1 => (1..=4_u8).prop_map(Step::TakesUp),
        1 => (1..=4_u8).prop_map(Step::CancelPrompt),
        1 => (1..=4_u8).prop_map(Step::SendNow),
        2 => Just(Step::Interrupt),
        1 => Just(Step::Stop),
        2 => Just(Step::Replies),
        2 => Just(Step::Init),
        2 => Just(Step::Text),
        2 => Just(Step::Result),
        1 => Just(Step::Aborted),
        1 => Just(Step::Idle),
        2 => Just(Step::Written),
        1 => Just(Step::Exit),
        1 => Just(Step::Killed),
        3 => Just(Step::Starts),
    ]
}

pub(crate) fn any_steps(most: usize) -> impl Strategy<Value = Vec<Step>> {
    prop::collection::vec(any_step(), 1..most)
}
