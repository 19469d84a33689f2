//! What is asked of a session less often: its last word on something, its recorded calls, its
//! files as the CLI can read them.

use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use memchr::memmem;
use pilothouse_session::event::Event;
use pilothouse_session::id::SessionId;
use pilothouse_session::policy::{Level, Place, Policy};
use pilothouse_wire::{Block, Frame, Inbound, Raw};

use super::house::blocking;
use super::profile::Profile;
use super::uploads;
use super::wire::log_in;
use super::{Host, HostError};
use crate::doctor::{Examination, Program, Report};
use crate::files::{FileError, Roots};
use crate::store::{AttachmentRow, Digest, SessionRow, Store, StoreError};
use crate::wirelog::Record;

/// How many events are read at once when looking backwards.
const WINDOW: u64 = 512;

/// A tool call that is in a session's wire logs.
#[derive(Clone, Debug, PartialEq)]
pub struct RecordedCall {
    /// The call.
    pub tool_call_id: String,
    /// The tool.
    pub tool_name: String,
    /// What it was called with, whole.
    pub input: Raw,
    /// A subagent has called it.
    pub in_subagent: bool,
}

impl Host {
    /// The last event of a type in a session, such as `available_commands`.
    pub async fn last_event(
        &self,
        session: SessionId,
        kind: &'static str,
    ) -> Result<Option<Event>, HostError> {
        self.session(session).await?;
        self.read(move |store| last_event(store, session, kind)).await
    }

    /// The tool calls of a session's runs, oldest first, up to `most`; and whether there are more.
    pub async fn recorded_calls(
        &self,
        session: SessionId,
        most: usize,
    ) -> Result<(Vec<RecordedCall>, bool), HostError> {
        let runs = self.runs(session).await?;
        let house = Arc::clone(&self.0);
        blocking(move || {
            let (mut calls, mut known) = (Vec::new(), HashSet::new());
            for row in runs {
                let Some(log) = log_in(&house.run_dir(session, row.run))? else { continue };
                let mut records = log.records(0);
                while let Some(located) = records.next_record()? {
                    let Record::Out { line, .. } = located.record else { continue };
                    for call in calls_in(line) {
                        if !known.insert(call.tool_call_id.clone()) {
                            continue;
                        }
                        if calls.len() == most {
                            return Ok((calls, true));
                        }
                        calls.push(call);
                    }
                }
            }
            Ok((calls, false))
        })
        .await
    }

    /// Where a session works, as policies see it.
    pub async fn place(&self, row: &SessionRow) -> Place {
        let profile: Profile = serde_json::from_value(row.settings.clone()).unwrap_or_default();
        let (house, cwd) = (Arc::clone(&self.0), row.cwd.clone());
        blocking(move || house.place(&cwd, &profile)).await
    }

    /// What sessions need, and what to do where it is missing.
    pub async fn examine(&self) -> Report {
        let house = Arc::clone(&self.0);
        blocking(move || {
            let options = &house.options;
            let mut about = Examination::of(&options.data_dir, Program::find(&options.cli));
            about.unknown_messages = Some(options.telemetry.metrics().unknown_messages.get());
            about.run()
        })
        .await
    }

    /// The directories that a session works in.
    pub async fn roots(&self, session: SessionId) -> Result<Result<Roots, FileError>, HostError> {
        let row = self.session(session).await?;
        let place = self.place(&row).await;
        Ok(blocking(move || Roots::new(&place.cwd, &place.additional_dirs)).await)
    }

    /// The directories below which those of new sessions can be looked for.
    pub async fn browsable(&self) -> Result<Roots, FileError> {
        let house = Arc::clone(&self.0);
        blocking(move || {
            let named = house.options.browse.clone();
            let home = || std::env::home_dir().unwrap_or_else(|| PathBuf::from("/"));
            let dirs = if named.is_empty() { vec![home()] } else { named };
            // One that is not there now, such as a disk that is away, does not hide the others.
            let (there, away): (Vec<_>, Vec<_>) = dirs.into_iter().partition(|dir| dir.is_dir());
            match there.split_first() {
                Some((first, others)) => Roots::new(first, others),
                None => Err(FileError::NoDirectory(away.into_iter().next().unwrap_or_default())),
            }
        })
        .await
    }

    /// A policy by its name, read.
    pub async fn read_policy(&self, name: &str) -> Result<Policy, HostError> {
        let (house, name) = (Arc::clone(&self.0), name.to_owned());
        blocking(move || house.policies.named(&name)).await
    }

    /// A policy from its text, not kept anywhere.
    pub fn parse_policy(&self, text: &str) -> Result<Policy, HostError> {
        Ok(Policy::parse("policy.toml", text, Level::User)?)
    }

    /// Puts an uploaded file into the session's directory, for tools that need a path. Done again it
    /// gives the same path.
    pub async fn upload_file(
        &self,
        session: SessionId,
        digest: Digest,
    ) -> Result<Option<PathBuf>, HostError> {
        let row = self.session(session).await?;
        let found = self.read(move |store| store.attachment(session, digest)).await?;
        let Some((attachment, bytes)) = found else { return Ok(None) };
        blocking(move || {
            let name = file_name(&attachment);
            uploads::write(Path::new(&row.cwd), &name, &bytes)?;
            Ok(Some(uploads::path(Path::new(&row.cwd), &name)))
        })
        .await
    }
}

fn last_event(store: &Store, session: SessionId, kind: &str) -> Result<Option<Event>, StoreError> {
    let mark = format!("\"type\":\"{kind}\"");
    let mut end = store.last_seq(session)?;
    while end > 0 {
        let begin = end.saturating_sub(WINDOW);
        let room = usize::try_from(end - begin).unwrap_or(usize::MAX);
        let events = store.read_after(session, begin, room)?;
        for stored in events.iter().rev() {
            // The mark may also stand in something that a tool was called with.
            if memmem::find(&stored.json, mark.as_bytes()).is_some() {
                let value: serde_json::Value = serde_json::from_slice(&stored.json)?;
                if value["type"] == kind {
                    return Ok(Some(stored.read()?));
                }
            }
        }
        end = begin;
    }
    Ok(None)
}

/// The calls in a line of the CLI.
fn calls_in(line: bytes::Bytes) -> Vec<RecordedCall> {
    if memmem::find(&line, b"\"tool_use\"").is_none() {
        return Vec::new();
    }
    let Inbound::Assistant(frame) = Frame::decode(line).message else { return Vec::new() };
    let in_subagent = frame.parent_tool_use_id.get().is_some();
    let calls = frame.message.content.into_iter().filter_map(|block| match block {
        Block::ToolUse(call) => Some(RecordedCall {
            tool_call_id: call.id,
            tool_name: call.name,
            input: call.input,
            in_subagent,
        }),
        _ => None,
    });
    calls.collect()
}

/// A name that is no path, and another one for other bytes.
fn file_name(attachment: &AttachmentRow) -> String {
    let digest = attachment.digest.to_string();
    let plain = |c: char| match c {
        c if c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.') => c,
        _ => '-',
    };
    let name: String = attachment.name.as_deref().unwrap_or_default().chars().map(plain).collect();
    let name = name.trim_start_matches(['.', '-']);
    let name = &name[name.len().saturating_sub(64)..];
    let fallback = match &*attachment.media_type {
        "image/png" => "image.png",
        "image/jpeg" => "image.jpg",
        "image/gif" => "image.gif",
        "image/webp" => "image.webp",
        "application/pdf" => "document.pdf",
        "text/plain" => "text.txt",
        _ => "file",
    };
    format!("{}-{}", &digest[..12], if name.is_empty() { fallback } else { name })
}
