//! The runs of a session, and what was said in them.

use std::io::ErrorKind;
use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

use jiff::Timestamp;
use pilothouse_session::id::{RunId, SessionId};
use schemars::JsonSchema;
use serde::Serialize;

use super::house::blocking;
use super::{Host, HostError};
use crate::holder::{RunState, find};
use crate::secrets::string_end;
use crate::wirelog::{ArchiveError, Log};

/// The most that is given at once.
const MOST_BYTES: usize = 8 * 1024 * 1024;

/// How far to read on, so that a name is not taken for a value because its colon is missing.
const AHEAD: usize = 64;

/// A run of a session.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct RunRow {
    /// The run.
    pub run: RunId,
    /// When it was started.
    pub started_at: Option<Timestamp>,
    /// Its CLI works, or waits.
    pub is_live: bool,
    /// The CLI's exit code.
    pub code: Option<i32>,
    /// The signal that ended it.
    pub signal: Option<i32>,
    /// How long its wire log is, in bytes.
    pub bytes: u64,
}

impl Host {
    /// The runs of a session, oldest first.
    pub async fn runs(&self, session: SessionId) -> Result<Vec<RunRow>, HostError> {
        self.session(session).await?;
        let dir = self.0.session_runs(session);
        blocking(move || {
            let found = find(&dir).map_err(HostError::file(&dir))?;
            let mut rows = Vec::with_capacity(found.len());
            for run in found {
                let Ok(id) = run.run.parse().map(RunId) else { continue };
                // Between its beginning and its first line, a run has no log.
                let Some(log) = log_in(&run.dir)? else { continue };
                let bytes = log.end()?;
                let first = log.records(0).next_record()?;
                let millis = first.and_then(|first| i64::try_from(first.record.at()?).ok());
                let exit = match run.state {
                    RunState::Ended(exit) => (exit.code, exit.signal),
                    RunState::Live | RunState::Dead => (None, None),
                };
                rows.push(RunRow {
                    run: id,
                    started_at: millis.and_then(|ms| Timestamp::from_millisecond(ms).ok()),
                    is_live: run.state == RunState::Live,
                    code: exit.0,
                    signal: exit.1,
                    bytes,
                });
            }
            rows.sort_by_key(|row| row.started_at);
            Ok(rows)
        })
        .await
    }

    /// Bytes of a run's wire log, from `offset` on: fewer than `length` at its end, or where that is
    /// more than is given at once. Registered secrets and the pieces of streamed texts are overwritten
    /// with `*`, so that offsets stay those of the log.
    pub async fn wire_log(
        &self,
        session: SessionId,
        run: RunId,
        offset: u64,
        length: usize,
    ) -> Result<Vec<u8>, HostError> {
        let house = Arc::clone(&self.0);
        blocking(move || {
            let log = log_in(&house.run_dir(session, run))?;
            let mut log = log.ok_or(HostError::NoRun { session, run })?;
            let known = house.secrets().known();
            let length = length.min(MOST_BYTES);
            if known.is_empty() {
                return Ok(log.range(offset, length)?);
            }
            // A secret may lie across the ends of the part, and a piece is found from the beginning
            // of its line on.
            let margin = known.longest().max(AHEAD);
            let start = line_start(&mut log, offset.saturating_sub(margin as u64))?;
            let before = usize::try_from(offset - start).unwrap_or(usize::MAX);
            let mut bytes = log.range(start, before.saturating_add(length + margin))?;
            blot_pieces(&mut bytes);
            known.blot(&mut bytes);
            bytes.drain(..before.min(bytes.len()));
            bytes.truncate(length);
            Ok(bytes)
        })
        .await
    }

    /// How long a run's wire log is by now, in bytes.
    pub async fn wire_length(&self, session: SessionId, run: RunId) -> Result<u64, HostError> {
        let house = Arc::clone(&self.0);
        blocking(move || {
            let log = log_in(&house.run_dir(session, run))?;
            Ok(log.ok_or(HostError::NoRun { session, run })?.end()?)
        })
        .await
    }
}

/// The log of a run; none where nothing was written yet.
pub(super) fn log_in(dir: &Path) -> Result<Option<Log>, HostError> {
    match Log::open(dir) {
        Err(ArchiveError::Io(error)) if error.kind() == ErrorKind::NotFound => Ok(None),
        log => Ok(Some(log?)),
    }
}

/// The beginning of the line that `offset` is in.
fn line_start(log: &mut Log, offset: u64) -> Result<u64, ArchiveError> {
    let mut step = 64 * 1024;
    loop {
        let from = offset.saturating_sub(step);
        let bytes = log.range(from, usize::try_from(offset - from).unwrap_or(usize::MAX))?;
        match memchr::memrchr(b'\n', &bytes) {
            Some(newline) => return Ok(from + newline as u64 + 1),
            None if from == 0 => return Ok(0),
            None => step *= 4,
        }
    }
}

/// Overwrites the pieces of streamed texts with `*`: a secret may lie across several, and none of
/// them has it. The message that ends the stream has the whole text.
fn blot_pieces(lines: &mut [u8]) {
    for line in lines.split_mut(|byte| *byte == b'\n') {
        for piece in pieces(line) {
            line[piece].fill(b'*');
        }
    }
}

/// The strings of `event.delta` and `event.content_block` in a line, without their quotes. The line
/// may be cut off.
fn pieces(line: &[u8]) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    // By which name the innermost value is, and the two around it.
    let (mut name, mut around, mut depth) = (&b""[..], [&b""[..]; 3], 0_usize);
    let mut at = 0;
    while let Some(next) = line[at..].iter().position(|byte| b"\"{}[]".contains(byte)) {
        at += next;
        match line[at] {
            b'"' => {
                let end = string_end(line, at);
                let is_closed = end > at + 1 && line[end - 1] == b'"';
                let text = at + 1..end - usize::from(is_closed);
                let is_piece = depth >= 3
                    && around[1] == b"event"
                    && matches!(around[2], b"delta" | b"content_block");
                if line[end..].trim_ascii_start().first() == Some(&b':') {
                    name = &line[text];
                } else if is_piece && !matches!(name, b"type" | b"stop_reason" | b"id" | b"name") {
                    found.push(text);
                }
                at = end;
                continue;
            }
            b'{' | b'[' => {
                if let Some(place) = around.get_mut(depth) {
                    *place = name;
                }
                depth += 1;
            }
            _ => depth = depth.saturating_sub(1),
        }
        at += 1;
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(before: &str, after: &str) {
        let mut bytes = before.as_bytes().to_vec();
        blot_pieces(&mut bytes);
        assert_eq!(String::from_utf8(bytes).unwrap(), after);
    }

    #[test]
    fn overwrites_the_pieces_of_streamed_texts() {
        check(
            concat!(
                r#"o 1 {"type":"stream_event","event":{"type":"content_block_delta","index":0,"#,
                r#""delta":{"type":"text_delta","text":"a \"ü"}},"uuid":"u"}"#,
                "\n",
                r#"o 2 {"event":{"delta":{"partial_json":"{\"a\":","type":"input_json_delta"}}}"#,
                "\n",
                r#"o 3 {"event":{"content_block":{"type":"text","text":"a"}},"text":"b"}"#,
                "\n",
                r#"o 4 {"event":{"delta":{"text":"cut o"#,
            ),
            concat!(
                r#"o 1 {"type":"stream_event","event":{"type":"content_block_delta","index":0,"#,
                r#""delta":{"type":"text_delta","text":"******"}},"uuid":"u"}"#,
                "\n",
                r#"o 2 {"event":{"delta":{"partial_json":"*******","type":"input_json_delta"}}}"#,
                "\n",
                r#"o 3 {"event":{"content_block":{"type":"text","text":"*"}},"text":"b"}"#,
                "\n",
                r#"o 4 {"event":{"delta":{"text":"*****"#,
            ),
        );
        for other in [
            r#"o 1 {"type":"assistant","message":{"content":[{"text":"{\"event\":{\"delta\":1}}"}]}}"#,
            r#"o 1 {"a":{"event":{"delta":{"text":"deeper"}}}}"#,
            r#"e 1 no } JSON " here { "event": { "delta" "#,
            "",
            "\n\n",
        ] {
            check(other, other);
        }
    }
}
