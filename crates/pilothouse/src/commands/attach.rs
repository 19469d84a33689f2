//! `attach`: a session in a terminal. What is typed is said to it, or answers what it asks.

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
    let mut interrupts = Interrupts::new()?;
    let Some(reach) = interrupts.or(Reach::open(config)).await else {
        return Ok(Exit::Interrupted);
    };
    let mut reach = reach?;
    let ended = match interrupts.or(Attached::begin(&mut reach, args)).await {
        Some(Ok((attached, watch))) => attached.follow(watch, interrupts, &mut reach).await,
        Some(Err(error)) => Err(error),
        None => Ok(Exit::Interrupted),
    };
    reach.close().await;
    ended
}

/// What comes to one who is attached.
enum News {
    Update(Box<Update>),
    Line(String),
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
            let news = tokio::select! {
                update = watch.next(reach) => News::Update(Box::new(update?)),
                line = self.asking.any_line() => match line {
                    Some(line) => News::Line(line),
                    None => return Ok(Exit::Done),
                },
                () = interrupts.next() => {
                    if !self.can_interrupt() {
                        return Ok(Exit::Done);
                    }
                    self.interrupt(reach)?;
                    continue;
                }
            };
            // A daemon that does not answer keeps nobody. What needs no answer is done first: then
            // Ctrl-C is for the session.
            tokio::select! {
                biased;
                taken = self.take(news, reach) => taken?,
                () = interrupts.next() => return Ok(Exit::Done),
            }
        }
    }

    /// Whether Ctrl-C is for the session, not for us.
    fn can_interrupt(&mut self) -> bool {
        let works = matches!(self.status, Status::Running | Status::AwaitingApproval);
        works && self.asking.has_terminal()
    }

    fn interrupt(&self, reach: &Reach) -> anyhow::Result<()> {
        let ask = Ask::new(Method::POST, format!("{}/interrupt", path(self.session)));
        reach.send_off([ask.json(&json!({ "cancel_queued": false }))?]);
        Ok(())
    }

    async fn take(&mut self, news: News, reach: &mut Reach) -> anyhow::Result<()> {
        match news {
            News::Update(update) => self.update(*update, reach).await,
            News::Line(line) if self.asking.is_open() => {
                self.asking.answer(Some(line), &mut self.screen, reach).await
            }
            News::Line(line) => self.say(line.trim(), reach).await,
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
        Ok(self.screen.flush()?)
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
