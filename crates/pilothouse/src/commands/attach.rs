//! `attach`: a session in a terminal. What is typed is said to it, or answers what it asks.

use std::io::Write;

use hyper::Method;
use pilothouse_host::config::Config;
use pilothouse_session::event::{Body, Event, Status};
use pilothouse_session::id::SessionId;
use serde_json::json;

use super::asking::Asking;
use super::run::say;
use super::sessions::{SessionDetail, find, path};
use crate::args::AttachArgs;
use crate::exit::Exit;
use crate::reach::{Ask, Reach, Update, Watch};
use crate::system::Interrupts;
use crate::view::{BAD, DIM, Screen, Transcript};

pub(super) async fn attach(config: &Config, args: &AttachArgs) -> anyhow::Result<Exit> {
    let interrupts = Interrupts::new()?;
    let mut reach = Reach::open(config).await?;
    let attached = Attached::begin(&mut reach, args).await;
    let ended = match attached {
        Ok((attached, watch)) => attached.follow(watch, interrupts, &mut reach).await,
        Err(error) => Err(error),
    };
    reach.close().await;
    ended
}

struct Attached {
    session: SessionId,
    status: Status,
    screen: Screen,
    transcript: Transcript,
    asking: Asking,
    is_live: bool,
}

impl Attached {
    async fn begin(reach: &mut Reach, args: &AttachArgs) -> anyhow::Result<(Self, Watch)> {
        let id = find(reach, &args.session).await?.id;
        let SessionDetail { row, .. } = reach.get(&path(id)).await?;
        let watch = Watch::new(id, row.last_seq.saturating_sub(args.tail));
        let mut asking = Asking::new();
        let has_terminal = asking.has_terminal();
        let mut transcript = Transcript::with_prompts();
        transcript.leave_requests(has_terminal);
        let mut attached = Self {
            session: id,
            status: row.status,
            screen: Screen::new(),
            transcript,
            asking,
            is_live: false,
        };
        let how = match has_terminal {
            true => "what you type is said to it; Ctrl-C interrupts it, Ctrl-D leaves",
            false => "Ctrl-C leaves",
        };
        attached.screen.line(DIM, &format!("{} in {} ({how})", row.name(), row.cwd))?;
        Ok((attached, watch))
    }

    async fn follow(
        mut self,
        mut watch: Watch,
        mut interrupts: Interrupts,
        reach: &mut Reach,
    ) -> anyhow::Result<Exit> {
        loop {
            enum Happened {
                Update(Box<Update>),
                Line(Option<String>),
                Interrupt,
            }
            let happened = tokio::select! {
                update = watch.next(reach) => Happened::Update(Box::new(update?)),
                line = self.asking.any_line() => Happened::Line(line),
                () = interrupts.next() => Happened::Interrupt,
            };
            match happened {
                Happened::Update(update) => self.update(*update, reach).await?,
                Happened::Line(None) => return Ok(Exit::Done),
                Happened::Line(line) if self.asking.is_open() => {
                    self.asking.answer(line, &mut self.screen, reach).await?;
                }
                Happened::Line(Some(line)) => self.say(line.trim(), reach).await?,
                Happened::Interrupt => {
                    let works = matches!(self.status, Status::Running | Status::AwaitingApproval);
                    if !works || !self.asking.has_terminal() {
                        return Ok(Exit::Done);
                    }
                    let ask = Ask::new(Method::POST, format!("{}/interrupt", path(self.session)));
                    reach.send_off([ask.json(&json!({ "cancel_queued": false }))?]);
                }
            }
        }
    }

    async fn say(&mut self, text: &str, reach: &mut Reach) -> anyhow::Result<()> {
        if text.is_empty() {
            return Ok(());
        }
        // That it cannot be said now is no reason to leave.
        if let Err(error) = say(reach, self.session, text, None).await {
            self.screen.line(BAD, &error.to_string())?;
        }
        Ok(())
    }

    async fn update(&mut self, update: Update, reach: &mut Reach) -> anyhow::Result<()> {
        match update {
            Update::Event { event: Some(event), .. } => self.event(*event)?,
            Update::Event { event: None, .. } => {}
            Update::Delta(delta) => self.transcript.delta(&delta, &mut self.screen)?,
            Update::Live { open_items } => {
                self.transcript.open(&open_items, &mut self.screen)?;
                if !std::mem::replace(&mut self.is_live, true) {
                    // Those that are open now: of the past ones most have been answered.
                    let now: SessionDetail = reach.get(&path(self.session)).await?;
                    for approval in now.approvals {
                        self.asking.ask(self.session, approval, &mut self.screen)?;
                    }
                }
            }
            Update::Lagged => self.transcript.lagged(&mut self.screen)?,
        }
        self.screen.flush()?;
        Ok(std::io::stdout().flush()?)
    }

    fn event(&mut self, event: Event) -> std::io::Result<()> {
        self.transcript.event(&event, &mut self.screen)?;
        match event.body {
            Body::SessionStatus { status } => self.status = status,
            Body::ApprovalRequested { approval } if self.is_live => {
                self.asking.ask(self.session, *approval, &mut self.screen)?;
            }
            Body::ApprovalResolved { resolution } => {
                self.asking.settled(resolution.approval, &mut self.screen)?;
            }
            Body::PermissionCancelled { approval, .. } => {
                self.asking.settled(approval, &mut self.screen)?;
            }
            _ => {}
        }
        Ok(())
    }
}
