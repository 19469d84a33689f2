//! The runs of a session, and what was said in them.

use std::collections::BTreeMap;
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
use crate::secrets::{Known, string_end};
use crate::wirelog::{ArchiveError, Log};

/// The most that is given at once.
const MOST_BYTES: usize = 8 * 1024 * 1024;

/// The length of the line of a short streamed piece.
const BYTES_PER_PIECE: usize = 512;

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
    /// more than is given at once. Registered secrets, and streamed pieces of them, are overwritten with
    /// `*`, so that offsets stay those of the log.
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
            // A secret may lie across the ends of the part, streamed in pieces of a letter each.
            let margin = known.longest().saturating_mul(BYTES_PER_PIECE).min(MOST_BYTES);
            let start = line_start(&mut log, offset.saturating_sub(margin as u64))?;
            let before = usize::try_from(offset - start).unwrap_or(usize::MAX);
            let mut bytes = log.range(start, before.saturating_add(length + margin))?;
            blot_split(&known, &mut bytes);
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

/// Overwrites streamed pieces that are part of a secret with `*`: a secret may lie across several
/// lines, and then none of them has it.
fn blot_split(known: &Known, lines: &mut [u8]) {
    let mut streams: BTreeMap<String, Stream> = BTreeMap::new();
    let mut start = 0;
    for line in lines.split(|byte| *byte == b'\n') {
        let at = start;
        start += line.len() + 1;
        let pieces = pieces(line);
        let Some(stream) = stream_of(line).filter(|_| !pieces.is_empty()) else { continue };
        let stream = streams.entry(stream).or_default();
        for piece in pieces {
            stream.push(&line[piece.clone()], at + piece.start..at + piece.end);
        }
    }
    for place in streams.into_values().flat_map(|stream| stream.found(known)) {
        lines[place].fill(b'*');
    }
}

/// Pieces that make up one text.
#[derive(Default)]
struct Stream {
    text: Vec<u8>,
    /// Where each piece ends in the text, and where it is in the lines.
    pieces: Vec<(usize, Range<usize>)>,
}

impl Stream {
    fn push(&mut self, raw: &[u8], place: Range<usize>) {
        // As it is in JSON, and as it was meant: values are known in both forms.
        let quoted = [b"\"", raw, b"\""].concat();
        match serde_json::from_slice::<String>(&quoted) {
            Ok(text) => self.text.extend_from_slice(text.as_bytes()),
            Err(_) => self.text.extend_from_slice(raw),
        }
        self.pieces.push((self.text.len(), place));
    }

    /// Places of the pieces that have something of a secret.
    fn found(self, known: &Known) -> Vec<Range<usize>> {
        let mut places = Vec::new();
        for (from, to) in known.spans(&self.text) {
            let first = self.pieces.partition_point(|(end, _)| *end <= from);
            let last = self.pieces.partition_point(|(end, _)| *end < to);
            let touched = self.pieces.iter().take(last + 1).skip(first);
            places.extend(touched.map(|(_, place)| place.clone()));
        }
        places
    }
}

/// Names the text that a streamed line is a piece of: those of subagents come in between.
fn stream_of(line: &[u8]) -> Option<String> {
    memchr::memmem::find(line, b"stream_event")?;
    let json = &line[memchr::memchr(b'{', line)?..];
    let line: serde_json::Value = serde_json::from_slice(json).ok()?;
    Some(format!("{} {}", line["parent_tool_use_id"], line["event"]["index"]))
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
    use serde_json::json;

    use super::*;

    const SECRET: &str = "hunter2 \"hunter2\"";

    fn known() -> Arc<Known> {
        let secrets = crate::secrets::Secrets::default();
        secrets.register(SECRET).unwrap();
        secrets.known()
    }

    fn line(parent: Option<&str>, index: u32, delta: &serde_json::Value) -> String {
        let event = json!({"type": "content_block_delta", "index": index, "delta": delta});
        let line = json!({"type": "stream_event", "event": event, "parent_tool_use_id": parent, "uuid": "u"});
        format!("o 1 {line}\n")
    }

    fn texts(lines: &[u8]) -> Vec<String> {
        let lines = String::from_utf8(lines.to_vec()).unwrap();
        let text = |line: &str| {
            let line: serde_json::Value = serde_json::from_str(&line[4..]).unwrap();
            line["event"]["delta"]["text"].as_str().unwrap().to_owned()
        };
        lines.lines().map(text).collect()
    }

    #[test]
    fn overwrites_streamed_pieces_of_a_secret() {
        let said = |parent, index, text: &str| line(parent, index, &json!({ "text": text }));
        let mut lines = [
            said(None, 0, "It is hun"),
            said(Some("t"), 0, "Another agent."),
            said(None, 1, "Another text."),
            said(None, 0, "ter2 \"hunt"),
            said(None, 0, "er2\""),
            said(None, 0, " and so on, hun"),
            said(None, 0, "gry."),
        ]
        .concat()
        .into_bytes();
        let length = lines.len();
        blot_split(&known(), &mut lines);
        assert_eq!(lines.len(), length);
        assert_eq!(
            texts(&lines),
            [
                "*".repeat(9).as_str(),
                "Another agent.",
                "Another text.",
                // As long as it was in JSON.
                "*".repeat(11).as_str(),
                "*".repeat(5).as_str(),
                " and so on, hun",
                "gry.",
            ]
        );
    }

    #[test]
    fn overwrites_streamed_inputs() {
        let input = json!({ "key": SECRET }).to_string();
        let (one, two) = input.split_at(12);
        let piece = |text: &str| line(None, 0, &json!({ "partial_json": text }));
        let mut lines = [piece(one), piece(two)].concat().into_bytes();
        blot_split(&known(), &mut lines);
        let lines = String::from_utf8(lines).unwrap();
        assert!(!lines.contains("hunt"), "{lines}");
    }

    #[test]
    fn finds_the_pieces_of_a_line() {
        for (line, found) in [
            (
                r#"{"event":{"delta":{"type":"text_delta","text":"a \"b"}},"uuid":"u"}"#,
                &["a \\\"b"][..],
            ),
            (r#"{"event":{"content_block":{"type":"text","text":"a"}},"text":"b"}"#, &["a"]),
            (r#"{"event":{"delta":{"text":"cut o"#, &["cut o"]),
            (r#"{"message":{"content":[{"text":"{\"event\":{\"delta\":1}}"}]}}"#, &[]),
            (r#"{"a":{"event":{"delta":{"text":"deeper"}}}}"#, &[]),
            (r#"no } JSON " here { "event": { "delta" "#, &[]),
            ("", &[]),
        ] {
            let texts: Vec<_> = pieces(line.as_bytes()).into_iter().map(|at| &line[at]).collect();
            assert_eq!(texts, found, "{line}");
        }
    }
}
