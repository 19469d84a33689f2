//! What a listing shows of a session, found in the two ends of its transcript and its sidecars.

use std::path::{Path, PathBuf};

use super::SessionId;
use super::files::{Ends, WINDOW, read_small};
use super::json::Value;
use super::line::{Line, Sight, window};
use super::prompt::{FirstPrompt, human_prompt_ms, is_typed, time_ms};
use super::text::sidecar_title;

/// One session in a listing.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct SessionSummary {
    /// The session's id, for `--resume` and all other calls.
    pub session_id: SessionId,
    /// One line to show: the title, else the latest prompt, else a summary, else the first
    /// prompt.
    pub summary: String,
    /// When the transcript was last written, in milliseconds since 1970.
    pub last_modified_ms: i64,
    /// The size of the transcript in bytes.
    pub file_size: u64,
    /// The title somebody gave, else the one the CLI made up.
    pub custom_title: Option<String>,
    /// The first thing the user asked, shortened.
    pub first_prompt: Option<String>,
    /// The git branch the session was last on.
    pub git_branch: Option<String>,
    /// The working directory of the session.
    pub cwd: Option<String>,
    /// The tag, when there is one.
    pub tag: Option<String>,
    /// The first timestamp in the transcript, in milliseconds since 1970.
    pub created_at_ms: Option<i64>,
    /// `None` when the session was never archived; `Some(false)` when it has come back since.
    pub archived: Option<bool>,
    /// The transcript.
    pub transcript: PathBuf,
}

/// The entrypoints of sessions that no person started.
const PROGRAMMATIC_ENTRYPOINTS: [&str; 3] = ["sdk-cli", "sdk-ts", "sdk-py"];
const PROGRAMMATIC_KINDS: [&str; 2] = ["daemon", "daemon-worker"];

/// The archive mark is a line or two; anything longer is not ours.
const LONGEST_MARK: u64 = 4096;

/// The lines seen in both ends of one transcript.
pub(super) struct Glimpse<'a> {
    path: &'a Path,
    session: &'a SessionId,
    ends: &'a Ends,
    head: Vec<(Line<'a>, Sight)>,
    /// `None` when the head is all there is.
    tail: Option<Vec<(Line<'a>, Sight)>>,
}

impl<'a> Glimpse<'a> {
    pub(super) fn new(path: &'a Path, session: &'a SessionId, ends: &'a Ends) -> Self {
        let head = window(ends.head());
        let tail = (!ends.is_whole()).then(|| window(ends.tail()));
        Self { path, session, ends, head, tail }
    }

    fn tail(&self) -> &[(Line<'a>, Sight)] {
        self.tail.as_deref().unwrap_or(&self.head)
    }

    /// `None` when there is nothing to show: a subagent's transcript, or no text at all.
    pub(super) fn summary(&self, project: Option<&Path>) -> Option<SessionSummary> {
        if self.head.first().is_some_and(|(line, _)| line.is_true("isSidechain")) {
            return None;
        }
        let custom_title = self.title();
        let prompt = FirstPrompt::among(&self.head);
        let summary = custom_title
            .clone()
            .or_else(|| last_text(self.tail(), "lastPrompt"))
            .or_else(|| last_text(self.tail(), "summary"))
            .or_else(|| prompt.text().map(ToOwned::to_owned))
            .or_else(|| prompt.stand_in().map(ToOwned::to_owned))?;
        Some(SessionSummary {
            session_id: self.session.clone(),
            summary,
            last_modified_ms: self.ends.modified_ms,
            file_size: self.ends.size,
            custom_title,
            first_prompt: prompt.text().map(ToOwned::to_owned),
            git_branch: last_text(self.tail(), "gitBranch")
                .or_else(|| first_text(&self.head, "gitBranch")),
            cwd: self
                .recorded_cwd()
                .or_else(|| project.map(|path| path.to_string_lossy().into_owned())),
            tag: last_of_type(self.tail(), "tag", "tag").filter(|tag| !tag.is_empty()),
            created_at_ms: self.head.iter().find_map(|(line, _)| created_ms(line)),
            archived: self.archived(),
            transcript: self.path.to_owned(),
        })
    }

    /// The title a person gave, else the one the CLI made up.
    pub(super) fn title(&self) -> Option<String> {
        let given = last_of_type(self.tail(), "custom-title", "customTitle");
        // A title in the tail is newer than the sidecar, one in the head is older.
        let beside = if given.is_none() { self.sidecar_title() } else { None };
        let made_up = |lines| last_of_type(lines, "ai-title", "aiTitle");
        [
            given,
            beside,
            last_of_type(&self.head, "custom-title", "customTitle"),
            made_up(self.tail()),
            made_up(&self.head),
        ]
        .into_iter()
        .flatten()
        .find(|title| !title.is_empty())
    }

    /// A title for a copy of the session.
    pub(super) fn title_or_prompt(&self) -> Option<String> {
        self.title().or_else(|| FirstPrompt::among(&self.head).text().map(ToOwned::to_owned))
    }

    /// Where the session moved to, else where it started.
    pub(super) fn recorded_cwd(&self) -> Option<String> {
        last_of_type(self.tail(), "relocated", "relocatedCwd")
            .filter(|cwd| !cwd.is_empty())
            .or_else(|| first_text(&self.head, "cwd"))
    }

    /// Whether a program rather than a person started the session.
    pub(super) fn is_programmatic(&self) -> bool {
        let entrypoint =
            first_text(&self.head, "entrypoint").or_else(|| last_text(self.tail(), "entrypoint"));
        if entrypoint.is_some_and(|own| PROGRAMMATIC_ENTRYPOINTS.contains(&own.as_str())) {
            return true;
        }
        self.head
            .iter()
            .find(|(line, _)| line.get("parentUuid").is_some())
            .and_then(|(line, _)| line.text("sessionKind"))
            .is_some_and(|kind| PROGRAMMATIC_KINDS.contains(&&*kind))
    }

    /// Whether the conversation went on in another session beside this one.
    pub(super) fn is_superseded(&self) -> bool {
        let Some(next) = self.continued_in() else {
            return false;
        };
        let path = self.path.with_file_name(next.file_name());
        Ends::read(&path).is_some_and(|ends| {
            // Only metadata is short and without links; something that large has messages.
            ends.size > 2 * WINDOW
                || [ends.head(), ends.tail()].iter().any(|text| text.contains("\"parentUuid\":"))
        })
    }

    /// The session this one says it goes on in, unless it was itself used after saying so.
    fn continued_in(&self) -> Option<SessionId> {
        for (line, sight) in self.tail().iter().rev() {
            if *sight != Sight::Whole {
                continue;
            }
            if line.is_type("continued-in") {
                let next = line.text("continuedInSessionId");
                if let Some(next) = next {
                    return SessionId::parse(next).ok();
                }
            }
            if is_finished_answer(line) || is_typed(line) {
                return None;
            }
        }
        None
    }

    fn sidecar_title(&self) -> Option<String> {
        let path = self.path.with_file_name(self.session.as_str()).join("custom-title.json");
        let text = read_small(&path, WINDOW)?;
        let title = sidecar_title(&Line::parse(&text)?.text("customTitle")?);
        (!title.is_empty()).then_some(title)
    }

    /// A prompt after the mark brings the session back.
    fn archived(&self) -> Option<bool> {
        let path = self.path.with_file_name(self.session.as_str()).join("archived.json");
        let text = read_small(&path, LONGEST_MARK)?;
        let mark = Line::parse(&text)?;
        let archived = match mark.get("archived").map(Value::raw) {
            Some("true") => true,
            Some("false") => false,
            _ => return None,
        };
        let at = time_ms(&mark.text("at")?)?;
        let prompted = |lines: &[(Line<'_>, Sight)]| {
            lines.iter().any(|(line, sight)| {
                *sight == Sight::Whole && human_prompt_ms(line).is_some_and(|ms| ms > at)
            })
        };
        let again = archived && (prompted(self.tail()) || prompted(&self.head));
        Some(archived && !again)
    }
}

fn is_finished_answer(line: &Line<'_>) -> bool {
    line.is_type("assistant")
        && !line.is_true("isApiErrorMessage")
        && line
            .get("message")
            .and_then(|message| message.get("stop_reason"))
            .is_some_and(|reason| reason.text().is_some())
}

fn first_text(lines: &[(Line<'_>, Sight)], key: &str) -> Option<String> {
    lines.iter().find_map(|(line, _)| line.non_empty(key)).map(Into::into)
}

fn last_text(lines: &[(Line<'_>, Sight)], key: &str) -> Option<String> {
    lines
        .iter()
        .rev()
        .filter(|(_, sight)| *sight == Sight::Whole)
        .find_map(|(line, _)| line.non_empty(key))
        .map(Into::into)
}

/// The string `key` of the last line of this type, even when it is empty.
fn last_of_type(lines: &[(Line<'_>, Sight)], kind: &str, key: &str) -> Option<String> {
    lines
        .iter()
        .rev()
        .filter(|(line, sight)| *sight != Sight::Cut && line.is_type(kind))
        .find_map(|(line, _)| line.text(key))
        .map(Into::into)
}

/// The time on a line; a snapshot of files, often the first line, keeps its own one level down.
fn created_ms(line: &Line<'_>) -> Option<i64> {
    let inner = || line.get("snapshot").and_then(|snapshot| snapshot.get("timestamp"));
    let stamp = line.get("timestamp").or_else(inner).and_then(Value::text)?;
    time_ms(&stamp)
}
