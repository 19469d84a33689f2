//! Requests of a session, one after the other, in the terminal.

use std::collections::VecDeque;
use std::io::{self, IsTerminal};

use pilothouse_session::approval::{Approval, Decision};
use pilothouse_session::id::{ApprovalId, SessionId};
use serde_json::Value;

use super::sessions::path;
use crate::ask::{Console, Dialog, Step};
use crate::reach::Reach;
use crate::view::{DIM, PLAIN, Screen, prompt, report};

/// What waits for an answer in this terminal.
pub(super) struct Asking {
    console: Option<Console>,
    /// Where it is asked, when stdout is not what somebody sees.
    aside: Option<Screen>,
    open: Option<(SessionId, Dialog)>,
    waiting: VecDeque<(SessionId, Approval)>,
}

impl Asking {
    pub(super) fn new() -> Self {
        let aside = (!io::stdout().is_terminal()).then(Screen::aside);
        Self { console: None, aside, open: None, waiting: VecDeque::new() }
    }

    /// Whether somebody can be asked here, now. The terminal is left alone until this is wanted.
    pub(super) fn has_terminal(&mut self) -> bool {
        if self.console.is_none() {
            self.console = Console::open();
        }
        self.console.as_ref().is_some_and(Console::is_ours)
    }

    /// Somebody is being asked.
    pub(super) fn is_open(&self) -> bool {
        self.open.is_some()
    }

    /// A line that answers what is open; waits for ever where nothing is.
    pub(super) async fn line(&mut self) -> Option<String> {
        match (&mut self.console, &self.open) {
            (Some(console), Some(_)) => console.line().await,
            _ => std::future::pending().await,
        }
    }

    /// A line for whatever it is for; waits for ever without a terminal.
    pub(super) async fn any_line(&mut self) -> Option<String> {
        match &mut self.console {
            Some(console) => console.line().await,
            None => std::future::pending().await,
        }
    }

    /// Asks, now or when what is open has been answered.
    pub(super) fn ask(
        &mut self,
        session: SessionId,
        approval: Approval,
        screen: &mut Screen,
    ) -> io::Result<()> {
        self.waiting.push_back((session, approval));
        self.next(screen)
    }

    fn next(&mut self, screen: &mut Screen) -> io::Result<()> {
        if self.open.is_some() {
            return Ok(());
        }
        let Some((session, approval)) = self.waiting.pop_front() else { return Ok(()) };
        let dialog = Dialog::new(approval);
        if self.has_terminal()
            && let Some(console) = &mut self.console
        {
            console.forget();
        }
        screen.flush()?;
        let seen = self.aside.as_mut().unwrap_or(screen);
        for (style, line) in dialog.opening() {
            seen.line(style, &line)?;
        }
        question(&dialog, seen)?;
        self.open = Some((session, dialog));
        Ok(())
    }

    /// A request was answered, by us or by somebody else, or cannot be answered any more.
    pub(super) fn settled(&mut self, approval: ApprovalId, screen: &mut Screen) -> io::Result<()> {
        self.waiting.retain(|(_, waiting)| waiting.approval != approval);
        let open = self.open.take_if(|(_, dialog)| dialog.approval().approval == approval);
        if open.is_some() {
            let seen = self.aside.as_mut().unwrap_or(screen);
            seen.line(DIM, "(answered elsewhere)")?;
        }
        self.next(screen)
    }

    /// A line of the terminal. The end of input refuses what is open: nobody is there any more.
    pub(super) async fn answer(
        &mut self,
        line: Option<String>,
        screen: &mut Screen,
        reach: &mut Reach,
    ) -> anyhow::Result<()> {
        let Some((session, mut dialog)) = self.open.take() else { return Ok(()) };
        let step = match &line {
            Some(line) => dialog.answer(line),
            None => Step::Decide(Box::new(Decision::Deny { message: None, stop: true })),
        };
        if line.is_none() {
            self.console = None;
        }
        match step {
            Step::More(lines) => {
                let seen = self.aside.as_mut().unwrap_or(screen);
                for (style, line) in lines {
                    seen.line(style, &line)?;
                }
                question(&dialog, seen)?;
                self.open = Some((session, dialog));
            }
            Step::Decide(decision) => {
                decide(reach, session, dialog.approval().approval, &decision).await?;
                self.next(screen)?;
            }
        }
        Ok(())
    }
}

fn question(dialog: &Dialog, screen: &mut Screen) -> io::Result<()> {
    for (style, line) in dialog.question() {
        screen.line(style, &line)?;
    }
    screen.flush()?;
    prompt("> ")
}

/// Answers a request. That somebody else was faster is no error: the event tells.
pub(super) async fn decide(
    reach: &mut Reach,
    session: SessionId,
    approval: ApprovalId,
    decision: &Decision,
) -> anyhow::Result<()> {
    let path = format!("{}/approvals/{approval}/decision", path(session));
    match reach.post::<Value>(&path, decision).await {
        Err(error) if error.refusal().is_some() => {
            report(PLAIN, &error.to_string())?;
            Ok(())
        }
        done => Ok(done.map(drop)?),
    }
}
