//! Reads what was said in a run from any file that has it: a wire log, compressed or not, or a
//! transcript (`{"dir":"in"|"out","line":…}`, one per line).

use std::fs::File;
use std::io::{self, BufRead, BufReader};
use std::path::Path;

use bytes::Bytes;
use serde::Deserialize;
use serde_json::value::RawValue;

use super::archive::ArchiveError;
use super::log::{Log, Reader};
use super::record::Record;

/// Who said a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
pub enum Speaker {
    /// The host, on the CLI's stdin.
    #[serde(rename = "in")]
    Host,
    /// The CLI, on its stdout.
    #[serde(rename = "out")]
    Cli,
}

/// A line that was said.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Spoken {
    /// By whom.
    pub by: Speaker,
    /// When, in milliseconds of Unix time; a transcript does not know.
    pub at: Option<u64>,
    /// The line without its newline.
    pub line: Bytes,
}

/// A file of lines cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum AnyError {
    /// A wire log cannot be read.
    #[error(transparent)]
    Log(#[from] ArchiveError),
    /// The file cannot be read.
    #[error("cannot be read: {0}")]
    Io(#[from] io::Error),
    /// A line is not what a transcript is made of.
    #[error("line {number} is neither a wire log's nor a transcript's: {reason}")]
    NotATranscript {
        /// Which line, from 1.
        number: usize,
        /// What is wrong with it.
        reason: serde_json::Error,
    },
}

/// The lines of a run: of its directory, of its log, or of a transcript.
pub fn read_any(path: &Path) -> Result<AnyLines, AnyError> {
    if path.is_dir() {
        return Ok(AnyLines(Source::Log(Log::open(path)?.records(0))));
    }
    let mut file = BufReader::new(File::open(path)?);
    // A log begins with the name of a record, an archive with a magic number.
    match file.fill_buf()?.iter().find(|byte| !byte.is_ascii_whitespace()) {
        Some(b'{') => Ok(AnyLines(Source::Transcript { lines: file, number: 0 })),
        Some(_) => Ok(AnyLines(Source::Log(Log::open_file(path)?.records(0)))),
        None => Ok(AnyLines(Source::Transcript { lines: file, number: 0 })),
    }
}

/// Gives the lines that [`read_any`] has found.
#[derive(Debug)]
pub struct AnyLines(Source);

#[derive(Debug)]
enum Source {
    Log(Reader),
    Transcript { lines: BufReader<File>, number: usize },
}

impl Iterator for AnyLines {
    type Item = Result<Spoken, AnyError>;

    fn next(&mut self) -> Option<Self::Item> {
        match &mut self.0 {
            Source::Log(reader) => next_in_log(reader).map_err(Into::into).transpose(),
            Source::Transcript { lines, number } => next_in_transcript(lines, number).transpose(),
        }
    }
}

fn next_in_log(reader: &mut Reader) -> Result<Option<Spoken>, ArchiveError> {
    while let Some(found) = reader.next_record()? {
        let (by, at, line) = match found.record {
            Record::Out { at, line } => (Speaker::Cli, at, line),
            Record::In { at, line, .. } => (Speaker::Host, at, line),
            _ => continue,
        };
        return Ok(Some(Spoken { by, at: Some(at), line }));
    }
    Ok(None)
}

/// A line of a transcript. What was not JSON on the wire is a string.
#[derive(Deserialize)]
struct Entry<'a> {
    dir: Speaker,
    #[serde(borrow)]
    line: &'a RawValue,
}

fn next_in_transcript(
    lines: &mut impl BufRead,
    number: &mut usize,
) -> Result<Option<Spoken>, AnyError> {
    let mut text = String::new();
    while lines.read_line(&mut text)? > 0 {
        *number += 1;
        if text.trim().is_empty() {
            text.clear();
            continue;
        }
        let not_one = |reason| AnyError::NotATranscript { number: *number, reason };
        let entry: Entry<'_> = serde_json::from_str(&text).map_err(not_one)?;
        let raw = entry.line.get();
        let line = match raw.starts_with('"') {
            true => serde_json::from_str::<String>(raw).map_err(not_one)?.into(),
            false => Bytes::copy_from_slice(raw.as_bytes()),
        };
        return Ok(Some(Spoken { by: entry.dir, at: None, line }));
    }
    Ok(None)
}
