//! Reading what was said in a session.

use std::path::Path;

use serde_json::value::RawValue;

use super::chain::Chain;
use super::entry::Kind;
use super::files::Rereader;
use super::index::Index;
use super::json::Value;
use super::line::Line;
use super::queued::{Appearance, Generated, arrange};
use super::{History, HistoryError, Scope, SessionId};

/// Which messages to read.
///
/// ```
/// use pilothouse_client::history::MessageQuery;
/// let page = MessageQuery::new().offset(100).limit(50);
/// # let _ = page;
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MessageQuery {
    scope: Scope,
    system: SystemMessages,
    limit: Option<usize>,
    offset: usize,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum SystemMessages {
    #[default]
    LeftOut,
    Included,
}

impl MessageQuery {
    /// All user and assistant messages of a session, wherever it is.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Looks for the session only there.
    #[must_use]
    pub fn scope(mut self, scope: Scope) -> Self {
        self.scope = scope;
        self
    }

    /// Includes system messages, such as the boundaries compaction leaves.
    #[must_use]
    pub fn with_system(mut self) -> Self {
        self.system = SystemMessages::Included;
        self
    }

    /// Reads at most that many.
    #[must_use]
    pub fn limit(mut self, limit: usize) -> Self {
        self.limit = Some(limit);
        self
    }

    /// Passes over that many first.
    #[must_use]
    pub fn offset(mut self, offset: usize) -> Self {
        self.offset = offset;
        self
    }

    pub(super) fn place(&self) -> &Scope {
        &self.scope
    }
}

/// Whose message it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum MessageKind {
    /// A prompt, or the result of a tool.
    User,
    /// A part of an answer: one content block for each message, as stored.
    Assistant,
    /// A note of the CLI.
    System,
}

/// One message of a stored conversation.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct SessionMessage {
    /// Whose message it is.
    pub kind: MessageKind,
    /// The id to fork or rewind at. For a queued prompt it is the one the prompt was sent with.
    pub uuid: String,
    /// The session that stored it.
    pub session_id: String,
    /// When, as stored (ISO 8601).
    pub timestamp: Option<String>,
    /// The API message, `{role, content, …}`, as stored. System messages have none.
    pub message: Option<Box<RawValue>>,
    /// The whole line as stored, with everything not named here: `toolUseResult`, `origin`,
    /// `subtype` and others.
    pub entry: Box<RawValue>,
    /// In a subagent's transcript: the tool call that started the subagent.
    pub parent_tool_use_id: Option<String>,
    /// In a subagent's transcript: the subagent that started it, if one did.
    pub parent_agent_id: Option<String>,
    /// Generated rather than said: a subagent's instructions, a note for the transcript only.
    pub meta: bool,
    /// The summary that stands for everything before it.
    pub compact_summary: bool,
    /// A prompt that the running turn took in.
    pub queued: bool,
    /// A slash command that ran in the CLI, or its output.
    pub local_command: bool,
}

/// What started a subagent.
#[derive(Clone, Debug, Default)]
pub(super) struct Parentage {
    pub(super) tool_use_id: Option<String>,
    pub(super) agent_id: Option<String>,
}

impl History {
    /// What was said in a session, in order.
    ///
    /// This is the branch of the conversation that was used last, from its latest compaction on.
    /// A turn with parallel tool calls is whole. Left out are generated messages and those of
    /// subagents and teammates.
    ///
    /// # Errors
    /// [`HistoryError::SessionNotFound`], and [`HistoryError::Io`] when the transcript cannot be
    /// read.
    pub fn messages(
        &self,
        session: &SessionId,
        query: &MessageQuery,
    ) -> Result<Vec<SessionMessage>, HistoryError> {
        let transcript = self.find(session, &query.scope)?;
        let index =
            Index::read(&transcript.path).map_err(HistoryError::io("read", &transcript.path))?;
        let chain = Chain::of_session(&index);
        let mut shown = arrange(&index, &chain, Generated::Hidden);
        shown.retain(|(slot, appearance)| {
            let entry = &index.entries[*slot];
            let queued = *appearance == Appearance::QueuedPrompt;
            let wanted = match entry.kind {
                Kind::User | Kind::Assistant => true,
                Kind::System => query.system == SystemMessages::Included,
                Kind::Attachment | Kind::Progress => queued,
            };
            wanted && !entry.sidechain && !entry.team && (!entry.meta || entry.shown_origin)
        });
        read_page(&transcript.path, &index, &shown, query, &Parentage::default())
    }
}

/// Reads those lines that are on the page.
pub(super) fn read_page(
    path: &Path,
    index: &Index,
    shown: &[(usize, Appearance)],
    query: &MessageQuery,
    parentage: &Parentage,
) -> Result<Vec<SessionMessage>, HistoryError> {
    let page = shown.iter().skip(query.offset).take(query.limit.unwrap_or(usize::MAX));
    let mut reader = Rereader::open(path).map_err(HistoryError::io("read", path))?;
    let mut messages = Vec::new();
    for (slot, appearance) in page {
        let entry = &index.entries[*slot];
        let text = reader.line(entry.span).map_err(HistoryError::io("read", path))?;
        // It was one whole object a moment ago; a file rewritten meanwhile loses that line.
        messages.extend(read_message(&text, *appearance, parentage));
    }
    Ok(messages)
}

fn read_message(
    text: &str,
    appearance: Appearance,
    parentage: &Parentage,
) -> Option<SessionMessage> {
    // Checks that it is JSON, too.
    let entry = RawValue::from_string(text.trim().to_owned()).ok()?;
    let line = Line::of(Value::new(text));
    let owned = |key: &str| line.text(key).map(String::from);
    let queued = line.get("attachment").filter(|_| appearance == Appearance::QueuedPrompt);
    let kind = match &*line.text("type")? {
        "user" => MessageKind::User,
        "assistant" => MessageKind::Assistant,
        "attachment" if queued.is_some() => MessageKind::User,
        _ => MessageKind::System,
    };
    let (uuid, message) = match queued {
        None => (owned("uuid"), line.get("message").map(|message| message.raw().to_owned())),
        Some(queued) => {
            let sent_as = queued.get("source_uuid").and_then(Value::text);
            let sent_as = sent_as.filter(|uuid| !uuid.is_empty()).map(String::from);
            let prompt = queued.get("prompt")?.raw();
            (
                sent_as.or_else(|| owned("uuid")),
                Some(format!(r#"{{"role":"user","content":{prompt}}}"#)),
            )
        }
    };
    let compact_summary = line.is_true("isCompactSummary");
    let queued_meta = queued.and_then(|queued| queued.get("isMeta")).is_some_and(Value::is_truthy);
    Some(SessionMessage {
        kind,
        uuid: uuid?,
        session_id: owned("sessionId").unwrap_or_default(),
        timestamp: owned("timestamp"),
        message: message.and_then(|message| RawValue::from_string(message).ok()),
        entry,
        parent_tool_use_id: parentage.tool_use_id.clone(),
        parent_agent_id: parentage.agent_id.clone(),
        meta: line.is_true("isMeta")
            || compact_summary
            || line.is_true("isVisibleInTranscriptOnly")
            || queued_meta,
        compact_summary,
        queued: queued.is_some(),
        local_command: appearance == Appearance::LocalCommand,
    })
}
