//! A session as a Markdown document.
//!
//! A tool call is written when it has ended, with what came of it. Calls that are open are remembered
//! for that, but not without limit, and what is still open at the end of a turn is written then.

use std::collections::BTreeMap;
use std::io::{self, Write};

use pilothouse_session::approval::{Approval, Decider, Decision, PlanChoice, Resolution, Subject};
use pilothouse_session::event::{
    Attachment, Body, Completion, Event, MessageOrigin, NoticeLevel, Outcome, ToolStatus,
};
use pilothouse_session::tool::{NormalizedPayload, Todo, TodoStatus};

use super::ExportHeader;
use super::page::{Page, code, one_line};
use super::{inline, tool};

/// How many open calls are remembered.
const OPEN: usize = 256;

/// A document that is being written.
pub(super) struct Document<W> {
    page: Page<W>,
    /// Calls that have not ended: their titles and what they are.
    open: BTreeMap<String, Open>,
}

struct Open {
    title: String,
    payload: Box<NormalizedPayload>,
    is_of_subagent: bool,
}

impl<W: Write> Document<W> {
    pub(super) fn begin(header: &ExportHeader, out: W) -> io::Result<Self> {
        let mut page = Page::new(out);
        let title = header.title.as_deref().map(one_line).filter(|title| !title.is_empty());
        page.block(&format!("# {}", inline::plain(title.as_deref().unwrap_or("Session"))))?;
        page.line(&format!("- Session: {}", code(&header.session.to_string())))?;
        page.line(&format!("- Directory: {}", code(&header.cwd)))?;
        if let Some(model) = &header.model {
            page.line(&format!("- Model: {}", code(model)))?;
        }
        if let Some(conversation) = &header.cli_session {
            page.line(&format!("- Conversation: {}", code(conversation)))?;
        }
        page.line(&format!("- Created: {}", header.created_at))?;
        page.block(&format!("- Exported: {}", header.exported_at))?;
        Ok(Self { page, open: BTreeMap::new() })
    }

    pub(super) fn end(mut self) -> io::Result<()> {
        self.close_open()?;
        self.page.quoted(false)?;
        self.page.flush()
    }

    pub(super) fn event(&mut self, event: &Event) -> io::Result<()> {
        let is_of_subagent = event.parent_tool_call_id.is_some();
        match &event.body {
            Body::UserMessage { text, attachments, origin, .. } => {
                self.page.quoted(is_of_subagent)?;
                self.page.block(&format!(
                    "## {} — {}",
                    speaker(origin, is_of_subagent),
                    event.at
                ))?;
                self.page.prose(text)?;
                attachments.iter().try_for_each(|one| self.attachment(one))
            }
            Body::Message { text, partial, .. } => {
                self.page.quoted(is_of_subagent)?;
                self.page.prose(text)?;
                if *partial { self.page.block("*(cut off)*") } else { Ok(()) }
            }
            Body::Reasoning { text, redacted, .. } => {
                self.page.quoted(is_of_subagent)?;
                match (redacted, text.is_empty()) {
                    (true, _) => self.page.block("*(thinking, hidden by the API)*"),
                    (false, true) => Ok(()),
                    (false, false) => {
                        self.page.label("Thinking")?;
                        self.page.prose(text)
                    }
                }
            }
            Body::ToolCall { tool_call_id, title, payload, .. } => {
                self.called(tool_call_id, title, payload, is_of_subagent)
            }
            Body::ToolUpdate { tool_call_id, status, payload, reason, .. } => {
                let title = self.open.remove(tool_call_id).map(|open| open.title);
                self.page.quoted(is_of_subagent)?;
                self.call(title, payload, Some(*status), reason.as_deref())
            }
            Body::Complete { completion } => {
                self.close_open()?;
                self.page.quoted(false)?;
                self.page.block(&settled(completion))?;
                self.page.block("---")
            }
            body => {
                let line = match self.note(body)? {
                    Some(line) => line,
                    None => return Ok(()),
                };
                self.page.quoted(is_of_subagent)?;
                self.page.block(&line)
            }
        }
    }

    /// What is said in one line, where it is worth one. Some need more and write it themselves.
    fn note(&mut self, body: &Body) -> io::Result<Option<String>> {
        let line = match body {
            Body::ApprovalRequested { approval } => asked(approval),
            Body::ApprovalResolved { resolution } => decided(resolution),
            Body::PermissionCancelled { .. } => {
                "**Withdrawn:** nobody needs to answer any more.".into()
            }
            Body::PlanReady { plan, .. } => {
                self.page.quoted(false)?;
                self.page.block("### Plan")?;
                self.page.prose(plan)?;
                return Ok(None);
            }
            Body::Todos { items } => {
                self.page.quoted(false)?;
                items.iter().try_for_each(|todo| self.page.line(&entry(todo)))?;
                self.page.line("")?;
                return Ok(None);
            }
            Body::Error { message, code: kind } => {
                let kind = kind.as_deref().map(|kind| format!(" ({})", code(kind)));
                format!("**Error**{}: {}", kind.unwrap_or_default(), plain(message))
            }
            Body::Notice { level, text, .. } => match level {
                NoticeLevel::Info => format!("*{}*", plain(text)),
                NoticeLevel::Warning => format!("**Warning:** {}", plain(text)),
                NoticeLevel::Error => format!("**Error:** {}", plain(text)),
            },
            Body::ModelChanged { model } => format!("*Model: {}*", code(model)),
            Body::ModeChanged { mode } => format!("*Permission mode: {}*", code(mode)),
            Body::Compacted { .. } => "*What came before was summarised.*".into(),
            Body::Retracted { items, .. } if !items.is_empty() => {
                "*(The message above was taken back.)*".into()
            }
            _ => return Ok(None),
        };
        Ok(Some(line))
    }

    fn called(
        &mut self,
        id: &str,
        title: &str,
        payload: &NormalizedPayload,
        is_of_subagent: bool,
    ) -> io::Result<()> {
        if let NormalizedPayload::SubagentTask(task) = payload {
            // What it says comes before its end.
            self.page.quoted(is_of_subagent)?;
            self.page.block(&format!("### Subagent {}", code(title)))?;
            self.page.prose(&task.prompt)?;
        }
        if self.open.len() >= OPEN
            && let Some((_, oldest)) = self.open.pop_first()
        {
            self.unfinished(oldest)?;
        }
        let payload = Box::new(payload.clone());
        self.open.insert(id.to_owned(), Open { title: title.to_owned(), payload, is_of_subagent });
        Ok(())
    }

    fn call(
        &mut self,
        title: Option<String>,
        payload: &NormalizedPayload,
        status: Option<ToolStatus>,
        reason: Option<&str>,
    ) -> io::Result<()> {
        let title = title.unwrap_or_else(|| payload.title_in(None));
        let state = match status {
            Some(ToolStatus::Complete) => "",
            Some(ToolStatus::Error) => " — failed",
            Some(ToolStatus::Cancelled) => " — cancelled",
            Some(ToolStatus::Detached) => " — goes on in the background",
            None => " — no result",
        };
        let reason = reason.map(|reason| format!(" ({})", plain(reason))).unwrap_or_default();
        self.page.block(&format!("### {}{state}{reason}", code(&title)))?;
        tool::payload(&mut self.page, payload)
    }

    fn unfinished(&mut self, open: Open) -> io::Result<()> {
        self.page.quoted(open.is_of_subagent)?;
        self.call(Some(open.title), &open.payload, None, None)
    }

    fn close_open(&mut self) -> io::Result<()> {
        let open = std::mem::take(&mut self.open);
        open.into_values().try_for_each(|open| self.unfinished(open))
    }

    fn attachment(&mut self, attachment: &Attachment) -> io::Result<()> {
        let title = attachment.title.as_deref().map(|title| format!(" {}", code(title)));
        let kind = code(&attachment.media_type);
        self.page.block(&format!("*Attached:{} {kind}*", title.unwrap_or_default()))
    }
}

fn speaker(origin: &MessageOrigin, is_of_subagent: bool) -> String {
    match origin {
        MessageOrigin::User => "User".to_owned(),
        MessageOrigin::Host => "Host".to_owned(),
        MessageOrigin::Cli { .. } if is_of_subagent => "To the subagent".to_owned(),
        MessageOrigin::Cli { source: Some(source) } => format!("CLI ({})", code(source)),
        MessageOrigin::Cli { source: None } => "CLI".to_owned(),
    }
}

fn asked(approval: &Approval) -> String {
    let what = match &approval.subject {
        Subject::Tool { payload, .. } => code(&payload.title_in(None)),
        Subject::EnterPlan => "to plan first".to_owned(),
        Subject::Plan { .. } => "whether the plan is good".to_owned(),
        Subject::Question { questions } => {
            let texts: Vec<String> =
                questions.iter().map(|question| plain(&question.question)).collect();
            texts.join(" / ")
        }
        Subject::Elicitation { message, .. } => plain(message.as_deref().unwrap_or("a form")),
        Subject::Dialog { dialog, .. } => code(dialog),
    };
    let reason = approval.reason.as_deref().map(|reason| format!(" — {}", plain(reason)));
    format!("**Asked:** {what}{}", reason.unwrap_or_default())
}

fn decided(resolution: &Resolution) -> String {
    let what = match &resolution.decision {
        Decision::Allow { updates, .. } if !updates.is_empty() => "allowed, from now on".to_owned(),
        Decision::Allow { .. } => "allowed".to_owned(),
        Decision::Deny { message: Some(message), .. } => format!("denied: {}", plain(message)),
        Decision::Deny { message: None, .. } => "denied".to_owned(),
        Decision::Plan { choice, .. } => match choice {
            PlanChoice::ClearContext => "plan approved, with a fresh context",
            PlanChoice::AcceptEdits => "plan approved, edits accepted",
            PlanChoice::ApproveByHand => "plan approved, edits by hand",
            PlanChoice::KeepPlanning => "keep planning",
        }
        .to_owned(),
        Decision::Answers { answers, response } => {
            let given = answers.iter().map(|answer| plain(&answer.answers.join(", ")));
            let given: Vec<String> = given.chain(response.as_deref().map(plain)).collect();
            format!("answered: {}", given.join(" / "))
        }
        Decision::Form { .. } => "filled in".to_owned(),
        Decision::Choose { .. } => "chosen".to_owned(),
    };
    let by = match &resolution.by {
        Decider::Client { name: Some(name), .. } => format!(" by {}", plain(name)),
        Decider::Client { name: None, .. } => String::new(),
        Decider::Policy { .. } => " by a policy".to_owned(),
    };
    format!("**Decided{by}:** {what}")
}

fn settled(completion: &Completion) -> String {
    let how = match completion.outcome {
        Outcome::Done => "Done",
        Outcome::Interrupted => "Interrupted",
        Outcome::Failed => "Failed",
        Outcome::LimitReached => "A limit was reached",
        Outcome::Lost => "Lost",
    };
    let tokens = &completion.tokens;
    let read = tokens.input.saturating_add(tokens.cache_creation).saturating_add(tokens.cache_read);
    let mut parts = vec![how.to_owned()];
    if read > 0 || tokens.output > 0 {
        parts.push(format!("{read} tokens read, {} written", tokens.output));
    }
    if let Some(ms) = completion.duration_ms {
        parts.push(format!("{:.1} s", ms / 1000.0));
    }
    if let Some(cost) = completion.total_cost_usd {
        parts.push(format!("${cost:.4} so far in this run"));
    }
    format!("*{}*", parts.join(" · "))
}

fn entry(todo: &Todo) -> String {
    let mark = match todo.status {
        TodoStatus::Completed => "x",
        _ => " ",
    };
    let state = if todo.status == TodoStatus::InProgress { " *(under way)*" } else { "" };
    format!("- [{mark}] {}{state}", plain(&todo.title))
}

/// Foreign text in one line of ours.
fn plain(text: &str) -> String {
    inline::plain(&one_line(text))
}
