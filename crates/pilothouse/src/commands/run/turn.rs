//! A turn as it is followed: what is shown, what is asked, and what comes of it.

use std::pin::pin;
use std::time::{Duration, Instant};

use hyper::Method;
use pilothouse_session::approval::{Approval, Decider, Decision};
use pilothouse_session::event::{Body, Completion, DeadRun, Event, Outcome, PromptState, Status};
use pilothouse_session::id::{PromptId, SessionId};
use serde_json::json;

use crate::commands::asking::{Asking, decide};
use crate::commands::sessions::path;
use crate::exit::{Exit, Trouble};
use crate::reach::{Ask, Reach, Update, Watch};
use crate::system::Stops;
use crate::view::{BAD, DIM, PLAIN, Screen, Transcript, print_exact, print_json, report, seconds};

/// How often the last line is drawn anew.
const TICK: Duration = Duration::from_millis(250);

/// What the model is told where nobody can be asked.
const NOBODY: &str = "Nobody is there to be asked. Do it \
                      another way, or say what you would have done.";

/// What is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Output {
    /// Everything, for people.
    Human,
    /// Only the answer.
    Quiet,
    /// Events.
    Json,
}

/// The turn of a prompt.
pub(super) struct Turn {
    session: SessionId,
    prompt: PromptId,
    output: Output,
    screen: Screen,
    transcript: Transcript,
    asking: Asking,
    waits: bool,
    began: Instant,
    /// What the model said last.
    answer: String,
    completion: Option<Completion>,
    failure: Option<String>,
    never_ran: Option<String>,
    refused: bool,
    interrupts: u32,
}

impl Turn {
    pub(super) fn new(session: SessionId, prompt: PromptId, output: Output, waits: bool) -> Self {
        Self {
            session,
            prompt,
            output,
            screen: Screen::new(),
            transcript: Transcript::default(),
            asking: Asking::new(),
            waits,
            began: Instant::now(),
            answer: String::new(),
            completion: None,
            failure: None,
            never_ran: None,
            refused: false,
            interrupts: 0,
        }
    }

    /// Follows it to its end.
    pub(super) async fn follow(
        mut self,
        mut watch: Watch,
        reach: &mut Reach,
        stops: &mut Stops,
    ) -> anyhow::Result<Exit> {
        let mut tick = tokio::time::interval(TICK);
        loop {
            enum Happened {
                Update(Box<Update>),
                Line(Option<String>),
                Stop,
            }
            let happened = {
                // Kept while the clock ticks: it may be taking over from a daemon that went away,
                // which takes longer than a tick.
                let mut next = pin!(watch.next(reach));
                loop {
                    tokio::select! {
                        update = &mut next => break Happened::Update(Box::new(update?)),
                        line = self.asking.line() => break Happened::Line(line),
                        () = stops.next() => break Happened::Stop,
                        _ = tick.tick() => self.tick()?,
                    }
                }
            };
            match happened {
                Happened::Update(update) => {
                    if self.update(*update, reach).await? {
                        return self.end();
                    }
                }
                Happened::Line(line) => self.asking.answer(line, &mut self.screen, reach).await?,
                Happened::Stop => {
                    self.interrupts += 1;
                    if self.interrupts > 1 {
                        self.screen.hide()?;
                        return Ok(Exit::Interrupted);
                    }
                    self.interrupt(reach)?;
                }
            }
        }
    }

    fn tick(&mut self) -> std::io::Result<()> {
        if self.output != Output::Human || self.asking.is_open() {
            return Ok(());
        }
        let doing = match self.transcript.doing() {
            "" => "starting",
            doing => doing,
        };
        let elapsed = self.began.elapsed().as_secs_f64();
        let hint = if self.interrupts > 0 { "Ctrl-C again to end" } else { "Ctrl-C to interrupt" };
        self.screen.status(&format!("… {doing} · {} · {hint}", seconds(elapsed * 1000.0)))
    }

    fn interrupt(&mut self, reach: &Reach) -> anyhow::Result<()> {
        if self.output == Output::Human {
            self.screen.line(DIM, "interrupting; again to end")?;
        }
        let session = path(self.session);
        let interrupt = Ask::new(Method::POST, format!("{session}/interrupt"));
        let interrupt = interrupt.json(&json!({ "cancel_queued": true }))?;
        // While the CLI starts there is nothing to interrupt, but a prompt to take back; unless it
        // is taken up meanwhile.
        let take_back = Ask::new(Method::DELETE, format!("{session}/prompts/{}", self.prompt));
        // A CLI that does not answer must not keep us from hearing the second one.
        reach.send_off([interrupt.clone(), take_back, interrupt]);
        Ok(())
    }

    /// What happened; whether it was the last of it.
    async fn update(&mut self, update: Update, reach: &mut Reach) -> anyhow::Result<bool> {
        let human = self.output == Output::Human;
        match update {
            Update::Event { text, event } => {
                if self.output == Output::Json {
                    print_json(&text)?;
                }
                let Some(event) = event else { return Ok(false) };
                if human {
                    if matches!(event.body, Body::ApprovalRequested { .. } | Body::PlanReady { .. })
                    {
                        self.transcript.leave_requests(self.asking.has_terminal());
                    }
                    self.transcript.event(&event, &mut self.screen)?;
                }
                return self.event(*event, reach).await;
            }
            Update::Delta(delta) if human => self.transcript.delta(&delta, &mut self.screen)?,
            Update::Live { open_items } if human => {
                self.transcript.open(&open_items, &mut self.screen)?;
            }
            Update::Lagged if human => self.transcript.lagged(&mut self.screen)?,
            _ => {}
        }
        Ok(false)
    }

    async fn event(&mut self, event: Event, reach: &mut Reach) -> anyhow::Result<bool> {
        let is_main = event.parent_tool_call_id.is_none();
        match event.body {
            Body::Message { text, .. } if is_main => self.answer = text,
            Body::ApprovalRequested { approval } => self.asked(*approval, reach).await?,
            Body::ApprovalResolved { resolution } => {
                self.asking.settled(resolution.approval, &mut self.screen)?;
                let by_policy = matches!(resolution.by, Decider::Policy { .. });
                if matches!(resolution.decision, Decision::Deny { .. }) && by_policy {
                    self.refused = true;
                }
            }
            Body::PermissionCancelled { approval, .. } => {
                self.asking.settled(approval, &mut self.screen)?;
            }
            Body::Complete { completion } => self.completion = Some(*completion),
            Body::Error { message, code } if lacks_cli(code.as_deref()) => {
                self.never_ran = Some(message);
            }
            Body::Error { message, .. } => self.failure = Some(message),
            Body::PromptUpdated { prompt, state } if prompt == self.prompt => match state {
                PromptState::Failed { reason } => {
                    self.failure = Some(reason);
                    return Ok(true);
                }
                PromptState::Cancelled => return Ok(true),
                _ => {}
            },
            Body::RunEnded { meaning: DeadRun::Failed { message }, exit, .. } => {
                self.never_ran = Some(match (message.is_empty(), exit.code, exit.signal) {
                    (false, ..) => message,
                    (true, Some(code), _) => format!("it ended at once, with code {code}"),
                    (true, None, Some(signal)) => format!("it ended at once, by signal {signal}"),
                    (true, None, None) => "it ended at once".to_owned(),
                });
            }
            Body::RunReady { .. } => self.never_ran = None,
            Body::SessionStatus { status } => return Ok(self.is_over(status)),
            _ => {}
        }
        Ok(false)
    }

    /// Whether nothing more will come of the prompt.
    fn is_over(&self, status: Status) -> bool {
        match status {
            Status::Settled | Status::Idle | Status::Ready => self.completion.is_some(),
            Status::Ended | Status::Interrupted | Status::Dormant => true,
            Status::Starting | Status::Running | Status::AwaitingApproval => false,
        }
    }

    async fn asked(&mut self, approval: Approval, reach: &mut Reach) -> anyhow::Result<()> {
        if self.output != Output::Human || !self.asking.has_terminal() {
            let wait = self.waits;
            let id = approval.approval;
            if wait {
                let session = self.session;
                let how = format!("waiting for an answer: pilothouse approve {session} {id}");
                report(PLAIN, &how)?;
                return Ok(());
            }
            self.refused = true;
            let decision = Decision::Deny { message: Some(NOBODY.to_owned()), stop: false };
            return decide(reach, self.session, id, &decision).await;
        }
        self.asking.ask(self.session, approval, &mut self.screen)?;
        Ok(())
    }

    /// What it all comes to.
    fn end(mut self) -> anyhow::Result<Exit> {
        self.screen.hide()?;
        let is_done = matches!(&self.completion, Some(it) if it.outcome == Outcome::Done);
        if let Some(message) = self.never_ran.filter(|_| !is_done) {
            let why =
                format!("Claude Code cannot be used: {message} (`pilothouse doctor` tells more)");
            return Err(Trouble::NoCli(why).into());
        }
        if self.output == Output::Quiet && !self.answer.is_empty() {
            print_exact(&self.answer)?;
        }
        let outcome = self.completion.as_ref().map(|completion| completion.outcome);
        let exit = match outcome {
            Some(Outcome::Done) if self.refused => Exit::Refused,
            Some(Outcome::Done) => Exit::Done,
            Some(Outcome::Interrupted) => Exit::Interrupted,
            _ if self.interrupts > 0 => Exit::Interrupted,
            _ => Exit::Failed,
        };
        if exit == Exit::Failed && self.output != Output::Human {
            let why = self.failure.unwrap_or_else(|| "the turn failed".to_owned());
            report(BAD, &why)?;
        }
        Ok(exit)
    }
}

/// Whether there is no CLI that could be used, or it lacks a login: no other prompt will help.
fn lacks_cli(code: Option<&str>) -> bool {
    matches!(code, Some("not_started" | "authentication_failed"))
}
