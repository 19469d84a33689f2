//! From a line of the CLI's transcript to what the machine can take in.

use std::borrow::Cow;

use pilothouse_client::history::{MessageKind, SessionMessage};
use pilothouse_session::session::import::{Kept, Moment};
use pilothouse_wire::message::user::{Origin, UserMessage};
use pilothouse_wire::message::{AssistantError, AssistantFrame, UserFrame};
use pilothouse_wire::{Block, Content, Nullable, Raw};

/// How the CLI tells the model that it was stopped.
const INTERRUPTED: &str = "[Request interrupted by user";

/// What is to be taken in for a message.
pub(super) enum Reading {
    /// This.
    Kept(Kept),
    /// Nothing: a note that no client is shown.
    Nothing,
    /// Nothing: it is no message of any known form.
    Damaged,
}

/// Reads a message.
pub(super) fn read(message: &SessionMessage) -> Reading {
    let kept = match message.kind {
        MessageKind::User => user(message),
        MessageKind::Assistant => assistant(message),
        MessageKind::System => return system(message),
    };
    kept.map_or(Reading::Damaged, Reading::Kept)
}

/// The calls that a message makes, and those whose results it brings.
pub(super) fn calls(kept: &Kept) -> (Vec<String>, Vec<String>) {
    let made = match kept {
        Kept::Assistant(frame) => frame.message.content.iter().filter_map(|block| match block {
            Block::ToolUse(call) => Some(call.id.clone()),
            _ => None,
        }),
        Kept::User(frame) => {
            let results = frame.message.content.blocks().iter();
            let results = results.filter_map(|block| match block {
                Block::ToolResult(result) => Some(result.tool_use_id.clone()),
                _ => None,
            });
            return (Vec::new(), results.collect());
        }
        _ => return (Vec::new(), Vec::new()),
    };
    (made.collect(), Vec::new())
}

/// The subagent that the result of a call names, and whether it goes on after that result.
pub(super) fn agent_of(kept: &Kept) -> Option<(String, bool)> {
    let Kept::User(frame) = kept else { return None };
    let result = frame.tool_use_result.as_ref()?;
    let fields = Fields::of(result)?;
    let agent = fields.text("agentId")?;
    let goes_on = fields.text("status").as_deref() == Some("async_launched");
    Some((agent, goes_on))
}

fn user(message: &SessionMessage) -> Option<Kept> {
    let entry = Raw::from(&*message.entry);
    let fields = Fields::of(&entry)?;
    let body: UserMessage = Raw::from(message.message.clone()?).read()?;
    let mut frame = UserFrame {
        message: body,
        uuid: Some(message.uuid.clone()),
        parent_tool_use_id: parent(message),
        tool_use_result: fields.get("toolUseResult"),
        origin: fields.get("origin").and_then(|raw| raw.read()),
        ..UserFrame::default()
    };
    let has_result =
        frame.message.content.blocks().iter().any(|block| matches!(block, Block::ToolResult(_)));
    let text = frame.message.content.text();
    let kind = frame.origin.as_ref().and_then(|origin| origin.kind.as_deref());
    let is_of_cli = message.meta || kind.is_some_and(|kind| kind != "human");
    if message.parent_tool_use_id.is_some() || message.parent_agent_id.is_some() || has_result {
        return Some(Kept::User(Box::new(frame)));
    }
    if text.starts_with(INTERRUPTED) {
        return Some(Kept::Interrupted(Box::new(frame)));
    }
    if message.compact_summary {
        frame.origin = Some(Box::new(origin("compact-summary")));
        return Some(Kept::User(Box::new(frame)));
    }
    if let Some(output) = output(&text) {
        frame.message.content = Content::Text(output);
        return Some(Kept::User(Box::new(frame)));
    }
    if is_of_cli {
        frame.origin.get_or_insert_with(|| Box::new(origin("generated")));
        return Some(Kept::User(Box::new(frame)));
    }
    let content = match typed(&text) {
        Some(typed) => Content::Text(typed),
        None => frame.message.content,
    };
    let moment = if message.queued { Moment::Within } else { Moment::Between };
    Some(Kept::Prompt { uuid: Some(message.uuid.clone()), content, moment })
}

fn assistant(message: &SessionMessage) -> Option<Kept> {
    let entry = Raw::from(&*message.entry);
    let mut frame: AssistantFrame = entry.read()?;
    frame.parent_tool_use_id = parent(message);
    let is_error = Fields::of(&entry)?.get("isApiErrorMessage").and_then(|raw| raw.read());
    if is_error == Some(true) && frame.error.is_none() {
        frame.error = Some(AssistantError::Unknown);
    }
    Some(Kept::Assistant(Box::new(frame)))
}

fn system(message: &SessionMessage) -> Reading {
    let entry = Raw::from(&*message.entry);
    let Some(fields) = Fields::of(&entry) else { return Reading::Damaged };
    match fields.text("subtype").as_deref() {
        Some("compact_boundary") => {
            let details = fields.get("compactMetadata");
            let details = details.as_ref().and_then(Fields::of);
            let number = |key| details.as_ref()?.get(key)?.read();
            Reading::Kept(Kept::Compacted {
                trigger: details.as_ref().and_then(|details| details.text("trigger")),
                before: number("preTokens"),
                after: number("postTokens"),
            })
        }
        Some("local_command") => {
            let text = fields.text("content").unwrap_or_default();
            let uuid = Some(message.uuid.clone());
            if let Some(output) = output(&text) {
                let content = Content::Text(output);
                let body = UserMessage { content, ..UserMessage::default() };
                let frame = UserFrame { message: body, uuid, ..UserFrame::default() };
                return Reading::Kept(Kept::User(Box::new(frame)));
            }
            match typed(&text) {
                Some(typed) => Reading::Kept(Kept::Prompt {
                    uuid,
                    content: Content::Text(typed),
                    moment: Moment::Between,
                }),
                None => Reading::Nothing,
            }
        }
        _ => Reading::Nothing,
    }
}

fn parent(message: &SessionMessage) -> Nullable<String> {
    message.parent_tool_use_id.clone().map_or(Nullable::Null, Nullable::Value)
}

fn origin(kind: &str) -> Origin {
    Origin { kind: Some(kind.to_owned()), ..Origin::default() }
}

/// What somebody typed, where the CLI has kept it in tags: `/name arguments`, or `!command`.
fn typed(text: &str) -> Option<String> {
    if let Some(command) = between(text, "bash-input") {
        return Some(format!("!{command}"));
    }
    let name = between(text, "command-name")?.trim();
    let name = name.strip_prefix('/').unwrap_or(name);
    match between(text, "command-args").map(str::trim).filter(|arguments| !arguments.is_empty()) {
        Some(arguments) => Some(format!("/{name} {arguments}")),
        None => Some(format!("/{name}")),
    }
}

/// What a command printed, in the one pair of tags that the machine knows.
fn output(text: &str) -> Option<String> {
    const TAGS: [&str; 4] =
        ["local-command-stdout", "local-command-stderr", "bash-stdout", "bash-stderr"];
    let trimmed = text.trim_start();
    if !TAGS.iter().any(|tag| trimmed.starts_with(&*format!("<{tag}>"))) {
        return None;
    }
    let parts = TAGS.iter().filter_map(|tag| between(text, tag));
    let parts: Vec<&str> = parts.map(str::trim_end).filter(|part| !part.is_empty()).collect();
    Some(format!("<local-command-stdout>{}</local-command-stdout>", parts.join("\n")))
}

/// The text in a pair of tags; to the end where it is not closed.
fn between<'a>(text: &'a str, tag: &str) -> Option<&'a str> {
    let (_, rest) = text.split_once(&*format!("<{tag}>"))?;
    Some(rest.split_once(&*format!("</{tag}>")).map_or(rest, |(inner, _)| inner))
}

/// The members of an object.
pub(super) struct Fields<'a>(Vec<(Cow<'a, str>, &'a str)>);

impl<'a> Fields<'a> {
    pub(super) fn of(raw: &'a Raw) -> Option<Self> {
        raw.members().map(Self)
    }

    pub(super) fn get(&self, key: &str) -> Option<Raw> {
        let (_, json) = self.0.iter().rev().find(|(name, _)| name == key)?;
        Raw::from_text(*json).ok()
    }

    pub(super) fn text(&self, key: &str) -> Option<String> {
        self.get(key)?.read()
    }
}
