//! One link of the conversation chain, as much of it as putting the chain together takes.

use std::collections::HashMap;

use super::files::Span;
use super::json::Value;
use super::line::{Line, block_is};

/// The line types that are links of the chain.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    User,
    Assistant,
    System,
    Attachment,
    Progress,
}

impl Kind {
    pub(super) fn of(line: &Line<'_>) -> Option<Self> {
        Some(match &*line.text("type")? {
            "user" => Self::User,
            "assistant" => Self::Assistant,
            "system" => Self::System,
            "attachment" => Self::Attachment,
            "progress" => Self::Progress,
            _ => return None,
        })
    }

    pub(super) fn is_said(self) -> bool {
        matches!(self, Self::User | Self::Assistant)
    }
}

/// A uuid or another id, as a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct Name(u32);

/// Gives every id a number, so that the chain can be put together without copying text.
#[derive(Debug, Default)]
pub(super) struct Names {
    known: HashMap<Box<str>, Name>,
}

impl Names {
    pub(super) fn intern(&mut self, text: &str) -> Name {
        if let Some(name) = self.known.get(text) {
            return *name;
        }
        // More than u32::MAX names do not fit into memory.
        let name = Name(u32::try_from(self.known.len()).unwrap_or(u32::MAX));
        self.known.insert(text.into(), name);
        name
    }

    pub(super) fn get(&self, text: &str) -> Option<Name> {
        self.known.get(text).copied()
    }

    fn opt(&mut self, value: Option<Value<'_>>) -> Option<Name> {
        let text = value?.text().filter(|text| !text.is_empty())?;
        Some(self.intern(&text))
    }
}

/// A link of the chain.
#[derive(Clone, Debug)]
pub(super) struct Entry {
    pub(super) kind: Kind,
    pub(super) uuid: Name,
    pub(super) parent: Option<Name>,
    pub(super) span: Span,
    pub(super) timestamp: Box<str>,
    pub(super) sidechain: bool,
    pub(super) team: bool,
    pub(super) meta: bool,
    pub(super) compact_summary: bool,
    /// Which subagent wrote it, as stored.
    pub(super) agent: Option<Name>,
    /// `message.id` of an assistant line: lines that share it are one response.
    pub(super) response: Option<Name>,
    /// The tool calls an assistant line makes.
    pub(super) calls: Vec<Name>,
    /// The tool calls a user line answers.
    pub(super) answers: Vec<Name>,
    pub(super) has_tool_result: bool,
    pub(super) source_assistant: Option<Name>,
    /// Never the end of a conversation.
    pub(super) fork_briefing: bool,
    pub(super) boundary: Option<Boundary>,
    /// What a boundary came after, before it cut the chain.
    pub(super) logical_parent: Option<Name>,
    pub(super) queued: Option<Queued>,
    pub(super) text: TextSort,
    /// From an origin whose messages are shown although they are marked as generated.
    pub(super) shown_origin: bool,
}

/// Where a compaction cut the chain.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Boundary {
    pub(super) kept: Kept,
    /// Written by rewinding behind a compaction rather than by one.
    pub(super) rewound: bool,
}

/// What a compaction kept.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Kept {
    /// The kept messages, one by one, and what they now follow.
    Messages { anchor: Name, uuids: Vec<Name> },
    /// The first and last kept message, and what they now follow.
    Segment { anchor: Name, head: Name, tail: Name },
    /// Nothing, or nothing that can be understood.
    Nothing,
}

impl Kept {
    pub(super) fn anchor(&self) -> Option<Name> {
        match self {
            Self::Messages { anchor, .. } | Self::Segment { anchor, .. } => Some(*anchor),
            Self::Nothing => None,
        }
    }

    /// The kept messages that are named.
    pub(super) fn named(&self) -> Vec<Name> {
        match self {
            Self::Messages { uuids, .. } => uuids.clone(),
            Self::Segment { head, tail, .. } => vec![*head, *tail],
            Self::Nothing => Vec::new(),
        }
    }
}

/// A prompt that was queued while a turn was running.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Queued {
    /// The uuid the prompt was sent with.
    pub(super) source: Option<Name>,
    pub(super) delivery: Option<Name>,
    pub(super) meta: bool,
    /// Whether it can be shown as a message at all.
    pub(super) showable: bool,
}

/// What the text of a user line is, as far as it says so by how it starts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum TextSort {
    Plain,
    /// Says that what follows was run by the user and is no prompt.
    Caveat,
    /// A slash command that ran.
    Command,
    /// What it printed.
    Output,
    /// Left by an interruption.
    Interruption,
}

impl Entry {
    /// `None` for lines that are no link of the chain.
    pub(super) fn read(line: &Line<'_>, span: Span, names: &mut Names) -> Option<Self> {
        let kind = Kind::of(line)?;
        let uuid = names.intern(&line.text("uuid")?);
        // Messages can be long: each part is walked once.
        let message = line.get("message").map(Line::of);
        let content = message.as_ref().and_then(|message| message.get("content"));
        let blocks: Vec<Line<'_>> =
            content.into_iter().flat_map(Value::items).map(Line::of).collect();
        let of_type = |name: &'static str| blocks.iter().filter(move |block| block.is_type(name));
        let (user, assistant) = (kind == Kind::User, kind == Kind::Assistant);
        Some(Self {
            kind,
            uuid,
            parent: names.opt(line.get("parentUuid")),
            span,
            timestamp: line.text("timestamp").unwrap_or_default().into(),
            sidechain: line.is_truthy("isSidechain"),
            team: line.is_truthy("teamName"),
            meta: line.is_truthy("isMeta"),
            compact_summary: line.is_true("isCompactSummary"),
            agent: names.opt(line.get("agentId")),
            response: message
                .as_ref()
                .filter(|_| assistant)
                .and_then(|message| names.opt(message.get("id"))),
            calls: of_type("tool_use")
                .filter(|_| assistant)
                .filter_map(|block| names.opt(block.get("id")))
                .collect(),
            has_tool_result: user && of_type("tool_result").next().is_some(),
            answers: of_type("tool_result")
                .filter_map(|block| names.opt(block.get("tool_use_id")))
                .collect(),
            source_assistant: names.opt(line.get("sourceToolAssistantUUID")),
            fork_briefing: kind == Kind::Attachment
                && line.get("attachment").is_some_and(|own| block_is(own, "fork_briefing")),
            boundary: boundary(line, kind, uuid, names),
            logical_parent: names.opt(line.get("logicalParentUuid")),
            queued: queued(line, kind, names),
            text: match content {
                Some(content) if user => text_sort(line, content, &blocks),
                _ => TextSort::Plain,
            },
            shown_origin: origin_is_shown(line.get("origin")),
        })
    }

    /// Whether the main conversation may end with it.
    pub(super) fn is_main(&self) -> bool {
        !self.sidechain && !self.team && self.kind != Kind::Progress && !self.fork_briefing
    }

    /// Whether two links were written by the same agent.
    pub(super) fn same_writer(&self, other: &Self) -> bool {
        self.sidechain == other.sidechain && self.agent == other.agent
    }
}

fn boundary(line: &Line<'_>, kind: Kind, own: Name, names: &mut Names) -> Option<Boundary> {
    if kind != Kind::System || line.text("subtype")? != "compact_boundary" {
        return None;
    }
    let metadata = line.get("compactMetadata");
    let instant = metadata.and_then(|own| own.get("durationMs")).is_some_and(|ms| ms.raw() == "0");
    let kept = kept(metadata, names);
    Some(Boundary { rewound: instant && kept.anchor() == Some(own), kept })
}

fn kept(metadata: Option<Value<'_>>, names: &mut Names) -> Kept {
    let part = |key| metadata.and_then(|own| own.get(key)).filter(|own| own.is_object());
    if let Some(messages) = part("preservedMessages") {
        let anchor = names.opt(messages.get("anchorUuid"));
        let uuids = messages.get("uuids").into_iter().flat_map(Value::items);
        let uuids: Option<Vec<_>> = uuids.map(|uuid| names.opt(Some(uuid))).collect();
        match (anchor, uuids) {
            (Some(anchor), Some(uuids)) => Kept::Messages { anchor, uuids },
            _ => Kept::Nothing,
        }
    } else if let Some(segment) = part("preservedSegment") {
        let mut name = |key| names.opt(segment.get(key));
        match (name("anchorUuid"), name("headUuid"), name("tailUuid")) {
            (Some(anchor), Some(head), Some(tail)) => Kept::Segment { anchor, head, tail },
            _ => Kept::Nothing,
        }
    } else {
        Kept::Nothing
    }
}

fn queued(line: &Line<'_>, kind: Kind, names: &mut Names) -> Option<Queued> {
    let own = line.get("attachment").filter(|_| kind == Kind::Attachment)?;
    if !block_is(own, "queued_command") {
        return None;
    }
    let prompt = own.get("prompt");
    let readable = prompt.is_some_and(|prompt| prompt.opening().is_some() || prompt.is_array());
    // Another session's intent, forwarded: the CLI shows it elsewhere.
    let forwarded = own
        .get("forwardedIntent")
        .and_then(|intent| intent.get("lineage"))
        .and_then(Value::text)
        .is_some_and(|lineage| !lineage.is_empty());
    let meta = own.get("isMeta").is_some_and(Value::is_truthy);
    Some(Queued {
        source: names.opt(own.get("source_uuid")),
        delivery: names.opt(own.get("delivery_id")),
        meta: meta && !origin_is_shown(own.get("origin")),
        showable: readable && !forwarded,
    })
}

/// Messages that reach the session from outside are marked as generated, but belong to what was
/// said.
fn origin_is_shown(origin: Option<Value<'_>>) -> bool {
    origin.and_then(|origin| origin.get("kind")).and_then(Value::text).is_some_and(|kind| {
        matches!(
            &*kind,
            "channel" | "observer" | "observer-activity" | "slack-ping" | "voice-call" | "peer"
        )
    })
}

const INTERRUPTIONS: [&str; 4] = [
    "[Request interrupted",
    "[Agent call interrupted",
    "[Tool call ",
    "The user doesn't want to take this action",
];

fn text_sort(line: &Line<'_>, content: Value<'_>, blocks: &[Line<'_>]) -> TextSort {
    let interrupts = |text: Option<Value<'_>>| {
        text.and_then(Value::opening)
            .is_some_and(|text| INTERRUPTIONS.iter().any(|start| text.starts_with(start)))
    };
    let all_interrupt = !blocks.is_empty()
        && blocks.iter().all(|block| {
            if block.is_type("text") {
                interrupts(block.get("text"))
            } else {
                let refused = block.is_type("tool_result") && block.is_true("is_error");
                refused && interrupts(block.get("content"))
            }
        });
    if all_interrupt || interrupts(Some(content)) {
        return TextSort::Interruption;
    }
    if line.get("promptSource").is_some() {
        return TextSort::Plain;
    }
    let last = blocks.iter().rfind(|block| block.is_type("text"));
    let text = content.opening().or_else(|| last?.get("text")?.opening()).unwrap_or_default();
    let starts = |tag: &str| text.starts_with(tag);
    if starts("<local-command-caveat>") {
        TextSort::Caveat
    } else if starts("<command-name>") {
        TextSort::Command
    } else if starts("<local-command-stdout>") || starts("<local-command-stderr>") {
        TextSort::Output
    } else {
        TextSort::Plain
    }
}
