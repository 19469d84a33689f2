//! A session as it is told in a terminal: event by event, and letter by letter where somebody looks.

use std::collections::{HashMap, HashSet};
use std::io;

use pilothouse_session::approval::{Decider, Decision};
use pilothouse_session::event::{
    Body, Completion, DeadRun, Delta, DeltaKind, Event, MessageOrigin, NoticeLevel, OpenItem,
    Outcome, ToolStatus,
};
use pilothouse_session::id::ItemId;
use pilothouse_session::tool::{NormalizedPayload, Todo, TodoStatus};

use super::request::request;
use super::screen::{Screen, width};
use super::style::{ACCENT, BAD, BOLD, DIM, GOOD, PLAIN, WARN};
use super::text::{cut, harmless, one_line};
use super::tool::outcome;

/// How a session is told.
#[derive(Debug, Default)]
pub(crate) struct Transcript {
    /// Prompts are told too: who wrote them may not be who reads.
    with_prompts: bool,
    /// Requests are shown otherwise, and what they would change with them.
    asked_otherwise: bool,
    /// Calls whose change was shown when they were asked about.
    seen: HashSet<String>,
    /// The item that is being written letter by letter, and how many bytes of it there are.
    streaming: Option<(ItemId, usize)>,
    /// Calls by their titles, and which was told last.
    titles: HashMap<String, String>,
    last_call: Option<String>,
    /// The mode and the model, once they are known.
    mode: Option<String>,
    model: Option<String>,
    /// What goes on, for the last line.
    doing: String,
    /// Whether something was told, so that a new thing needs an empty line before it.
    begun: bool,
}

impl Transcript {
    /// Tells everything that was said, prompts included.
    pub(crate) fn with_prompts() -> Self {
        Self { with_prompts: true, ..Self::default() }
    }

    /// Whether requests are left to somebody who shows them whole.
    pub(crate) fn leave_requests(&mut self, to_somebody: bool) {
        self.asked_otherwise = to_somebody;
    }

    /// What goes on, in a few words.
    pub(crate) fn doing(&self) -> &str {
        &self.doing
    }

    /// Items that were half-written when we came.
    pub(crate) fn open(&mut self, items: &[OpenItem], screen: &mut Screen) -> io::Result<()> {
        for item in items.iter().filter(|item| item.parent_tool_call_id.is_none()) {
            let delta =
                Delta { item: item.item, kind: item.kind, offset: 0, text: item.text.clone() };
            self.delta(&delta, screen)?;
        }
        Ok(())
    }

    /// Pieces are missing: what is half-written comes again, whole.
    pub(crate) fn lagged(&mut self, screen: &mut Screen) -> io::Result<()> {
        self.streaming = None;
        screen.end_line()
    }

    /// A piece of an item.
    pub(crate) fn delta(&mut self, delta: &Delta, screen: &mut Screen) -> io::Result<()> {
        match delta.kind {
            DeltaKind::MessageChunk => {}
            DeltaKind::ReasoningChunk => {
                self.doing = "thinking".to_owned();
                return Ok(());
            }
            DeltaKind::ToolInputChunk => {
                self.doing = "preparing a call".to_owned();
                return Ok(());
            }
        }
        self.doing = "writing".to_owned();
        // In a file or a pipe whole texts are better.
        if !screen.is_live() {
            return Ok(());
        }
        let had = match self.streaming {
            Some((item, had)) if item == delta.item => had,
            // Of two at once, one is told as it is written, the other when it is whole.
            Some(_) => return Ok(()),
            None if delta.offset == 0 => {
                self.paragraph(screen)?;
                0
            }
            None => return Ok(()),
        };
        let Some(new) = delta.text.get(had.saturating_sub(delta.offset)..) else { return Ok(()) };
        if delta.offset > had {
            return Ok(());
        }
        screen.text(PLAIN, &harmless(new))?;
        self.streaming = Some((delta.item, delta.offset + delta.text.len()));
        Ok(())
    }

    fn paragraph(&mut self, screen: &mut Screen) -> io::Result<()> {
        self.last_call = None;
        if std::mem::replace(&mut self.begun, true) { screen.line(PLAIN, "") } else { Ok(()) }
    }

    /// An event.
    pub(crate) fn event(&mut self, event: &Event, screen: &mut Screen) -> io::Result<()> {
        let inner = event.parent_tool_call_id.is_some();
        match &event.body {
            Body::UserMessage { text, origin, .. } if self.with_prompts && !inner => {
                self.said(text, origin, screen)
            }
            Body::Message { item, text, .. } => self.message(*item, text, inner, screen),
            Body::Reasoning { text, .. } if !inner => {
                self.doing = "thinking".to_owned();
                let first = text.lines().map(one_line).find(|line| !line.is_empty());
                let Some(first) = first else { return Ok(()) };
                self.paragraph(screen)?;
                screen.line(DIM, &cut(&format!("∴ {first}"), width()))
            }
            Body::ToolCall { tool_call_id, title, .. } => {
                self.titles.insert(tool_call_id.clone(), title.clone());
                self.doing = one_line(title);
                self.call(tool_call_id, title, inner, screen)
            }
            Body::ToolUpdate { tool_call_id, status, payload, reason, .. } => {
                if self.last_call.as_ref() != Some(tool_call_id) {
                    let title = payload.title();
                    let title = self.titles.get(tool_call_id).cloned().unwrap_or(title);
                    self.call(tool_call_id, &format!("{title} …"), inner, screen)?;
                }
                let indent = if inner { "    " } else { "  " };
                if let Some(reason) = reason {
                    // The CLI has words for programs here: `permission-rule`.
                    let reason = one_line(reason).replace('-', " ");
                    return screen.line(BAD, &format!("{indent}✗ {reason}"));
                }
                if *status == ToolStatus::Cancelled {
                    return screen.line(WARN, &format!("{indent}✗ cut off"));
                }
                let is_edit = matches!(**payload, NormalizedPayload::ModifyFile(_));
                if self.seen.remove(tool_call_id) && is_edit && payload.error().is_none() {
                    return screen.line(GOOD, &format!("{indent}✓ done"));
                }
                for (style, line) in outcome(payload) {
                    screen.line(style, &format!("{indent}{line}"))?;
                }
                Ok(())
            }
            Body::Todos { items } if !inner => self.todos(items, screen),
            Body::PlanReady { plan, .. } if !self.asked_otherwise => {
                self.paragraph(screen)?;
                screen.line(BOLD, "Plan")?;
                screen.text(PLAIN, &harmless(plan))?;
                screen.end_line()
            }
            Body::ApprovalRequested { approval } => {
                self.doing = "waiting for an answer".to_owned();
                if self.asked_otherwise {
                    self.seen.extend(approval.tool_call_id.clone());
                    return Ok(());
                }
                screen.line(WARN, "? asks")?;
                let mut lines = request(approval).into_iter();
                lines.try_for_each(|(style, line)| screen.line(style, &format!("  {line}")))
            }
            Body::ApprovalResolved { resolution } => {
                let verdict = match &resolution.decision {
                    Decision::Deny { .. } => "refused",
                    _ => return Ok(()),
                };
                let by = match &resolution.by {
                    Decider::Policy { because } => because.to_string(),
                    Decider::Client { name, .. } => {
                        format!("by {}", name.as_deref().unwrap_or("somebody"))
                    }
                };
                screen.line(WARN, &format!("  ✗ {verdict}: {}", one_line(&by)))
            }
            Body::Notice { level, text, .. } => {
                let style = match level {
                    NoticeLevel::Info => DIM,
                    NoticeLevel::Warning => WARN,
                    NoticeLevel::Error => BAD,
                };
                screen.line(style, &format!("! {}", one_line(text)))
            }
            // What it begins with is what was asked for.
            Body::ModeChanged { mode } => match self.mode.replace(mode.clone()) {
                Some(before) if before != *mode => {
                    screen.line(DIM, &format!("· mode: {}", one_line(mode)))
                }
                _ => Ok(()),
            },
            Body::ModelChanged { model } => match self.model.replace(model.clone()) {
                Some(before) if before != *model => {
                    screen.line(DIM, &format!("· model: {}", one_line(model)))
                }
                _ => Ok(()),
            },
            Body::Compacted { .. } => screen.line(DIM, "· the conversation was summarised"),
            Body::Error { message, .. } => screen.line(BAD, &format!("✗ {}", one_line(message))),
            Body::RunEnded { meaning, .. } => match meaning {
                DeadRun::Finished => Ok(()),
                DeadRun::Resumable { .. } => {
                    screen.line(WARN, "! Claude ended in the middle of it")
                }
                DeadRun::InDoubt { .. } => screen.line(
                    WARN,
                    "! Claude ended while tools ran; look at what they did before you resume",
                ),
                DeadRun::Failed { message } if message.is_empty() => {
                    screen.line(BAD, "✗ Claude Code ended at once")
                }
                DeadRun::Failed { message } => {
                    screen.line(BAD, &format!("✗ {}", one_line(message)))
                }
            },
            Body::TurnStarted { .. } => {
                self.doing = "working".to_owned();
                Ok(())
            }
            Body::Complete { completion } => self.complete(completion, screen),
            _ => Ok(()),
        }
    }

    fn said(&mut self, text: &str, origin: &MessageOrigin, screen: &mut Screen) -> io::Result<()> {
        let (style, sign) = match origin {
            MessageOrigin::User => (BOLD, ">"),
            MessageOrigin::Host | MessageOrigin::Cli { .. } => (DIM, "·"),
        };
        self.paragraph(screen)?;
        for line in harmless(text).lines() {
            screen.line(style, &format!("{sign} {line}"))?;
        }
        Ok(())
    }

    fn message(
        &mut self,
        item: ItemId,
        text: &str,
        inner: bool,
        screen: &mut Screen,
    ) -> io::Result<()> {
        if let Some((open, had)) = self.streaming.take_if(|(open, _)| *open == item) {
            debug_assert_eq!(open, item);
            // What was told is the beginning of the whole.
            screen.text(PLAIN, &harmless(text.get(had..).unwrap_or_default()))?;
            return screen.end_line();
        }
        if inner {
            for line in harmless(text).lines() {
                screen.line(DIM, &format!("    {line}"))?;
            }
            return Ok(());
        }
        self.paragraph(screen)?;
        screen.text(PLAIN, &harmless(text))?;
        screen.end_line()
    }

    fn call(&mut self, id: &str, title: &str, inner: bool, screen: &mut Screen) -> io::Result<()> {
        if !inner && self.last_call.is_none() {
            self.paragraph(screen)?;
        }
        self.last_call = Some(id.to_owned());
        let (indent, style) = if inner { ("  ", DIM) } else { ("", ACCENT) };
        screen.line(style, &cut(&format!("{indent}● {}", one_line(title)), width()))
    }

    fn todos(&mut self, items: &[Todo], screen: &mut Screen) -> io::Result<()> {
        for todo in items.iter().filter(|todo| todo.status != TodoStatus::Deleted) {
            let (style, sign) = match todo.status {
                TodoStatus::Completed => (GOOD, "☑"),
                TodoStatus::InProgress => (BOLD, "▸"),
                _ => (PLAIN, "☐"),
            };
            screen.line(style, &cut(&format!("  {sign} {}", one_line(&todo.title)), width()))?;
        }
        Ok(())
    }

    fn complete(&mut self, completion: &Completion, screen: &mut Screen) -> io::Result<()> {
        self.doing.clear();
        let (style, word) = match completion.outcome {
            Outcome::Done => (DIM, "done"),
            Outcome::Interrupted => (WARN, "interrupted"),
            Outcome::Failed => (BAD, "failed"),
            Outcome::LimitReached => (WARN, "stopped at a limit"),
            Outcome::Lost => (BAD, "lost: Claude ended before it was done"),
        };
        let mut parts = vec![word.to_owned()];
        parts.extend(completion.duration_ms.map(seconds));
        parts.extend(completion.total_cost_usd.filter(|cost| *cost > 0.0).map(dollars));
        self.paragraph(screen)?;
        screen.line(style, &parts.join(" · "))
    }
}

/// A time in seconds, for people.
pub(crate) fn seconds(ms: f64) -> String {
    let seconds = ms / 1000.0;
    match seconds {
        seconds if seconds < 10.0 => format!("{seconds:.1} s"),
        seconds if seconds < 120.0 => format!("{seconds:.0} s"),
        seconds => format!("{:.0} min", seconds / 60.0),
    }
}

fn dollars(cost: f64) -> String {
    format!("${cost:.4} so far")
}
