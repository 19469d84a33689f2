//! One file, as a client sees it: some lines of a text, a picture, or only what it is.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Read, Seek, SeekFrom};

use jiff::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::images::{self, Image};
use super::list::timestamp;
use super::{FileError, Roots};

/// The most bytes of text in one answer.
const MOST_TEXT: usize = 1 << 20;

/// How much of a file is looked at to count its lines.
const COUNTED: u64 = 64 << 20;

/// How much is looked at to tell what a file is.
const SNIFFED: usize = 8 << 10;

/// Which part of a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ReadRange {
    /// The first line, from 1.
    pub first_line: u64,
    /// How many lines.
    pub lines: u64,
}

impl Default for ReadRange {
    /// From the beginning, as much as fits.
    fn default() -> Self {
        Self { first_line: 1, lines: u64::MAX }
    }
}

/// A file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct FileView {
    /// Where it really is, absolute.
    pub path: String,
    /// Bytes.
    pub size: u64,
    /// When it was last changed.
    pub modified_at: Option<Timestamp>,
    /// What it is, as far as its first bytes tell; `text/plain` for any other text.
    pub media_type: String,
    /// What is shown of it.
    pub content: Seen,
}

/// What is shown of a file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Seen {
    /// Lines of a text.
    Text(FileText),
    /// A picture, whole.
    Image {
        /// What it is.
        #[serde(flatten)]
        image: Image,
        /// The picture. Not in JSON: it is sent as it is.
        #[serde(skip)]
        bytes: Vec<u8>,
    },
    /// Nothing: it is no text, or a picture that is too large.
    Binary,
}

/// Lines of a text.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct FileText {
    /// The lines.
    pub text: String,
    /// The number of the first, from 1.
    pub first_line: u64,
    /// How many there are in `text`.
    pub lines: u64,
    /// How many the file has; none where it is too large to be counted.
    pub total_lines: Option<u64>,
    /// Lines are missing that were asked for, or the last one is cut.
    pub truncated: bool,
    /// Something was no UTF-8 and is shown as replacement characters.
    pub lossy: bool,
}

impl Roots {
    /// A file, or some lines of it.
    pub fn read(&self, path: &str, range: ReadRange) -> Result<FileView, FileError> {
        let inside = self.resolve(path)?;
        let (shown, size) = (inside.path().display().to_string(), inside.size());
        let modified_at = inside.modified().and_then(timestamp);
        let mut file = inside.into_file()?;
        let (media_type, content) = see(&mut file, size, range)
            .map_err(|error| FileError::unreadable(path.as_ref(), error))?;
        Ok(FileView { path: shown, size, modified_at, media_type, content })
    }
}

fn see(file: &mut File, size: u64, range: ReadRange) -> io::Result<(String, Seen)> {
    let mut head = Vec::new();
    file.take(SNIFFED as u64).read_to_end(&mut head)?;
    let known = infer::get(&head);
    let is_text = match known.map(|kind| kind.matcher_type()) {
        Some(kind) => kind == infer::MatcherType::Text,
        None => !head.contains(&0),
    };
    let media_type = known
        .map_or(if is_text { "text/plain" } else { "application/octet-stream" }, |kind| {
            kind.mime_type()
        });
    file.seek(SeekFrom::Start(0))?;
    let content = if is_text {
        Seen::Text(lines(file, size, range)?)
    } else if size <= images::MOST_BYTES as u64 && media_type.starts_with("image/") {
        let mut bytes = Vec::new();
        file.take(images::MOST_BYTES as u64 + 1).read_to_end(&mut bytes)?;
        match images::check(&bytes) {
            Ok(image) => Seen::Image { image, bytes },
            Err(_) => Seen::Binary,
        }
    } else {
        Seen::Binary
    };
    Ok((media_type.to_owned(), content))
}

fn lines(file: &File, size: u64, range: ReadRange) -> io::Result<FileText> {
    let first = range.first_line.max(1);
    let last = first.saturating_add(range.lines.max(1) - 1);
    // A file that grows for ever is not followed.
    let mut reader = BufReader::with_capacity(64 << 10, file.take(COUNTED));
    let mut shown: Vec<u8> = Vec::new();
    let mut answer = FileText { first_line: first, ..FileText::default() };
    let mut number: u64 = 1;
    // Whether anything of line `number` was seen.
    let mut has_begun = false;
    loop {
        let chunk = reader.fill_buf()?;
        if chunk.is_empty() {
            break;
        }
        let end = memchr::memchr(b'\n', chunk);
        let piece = &chunk[..end.map_or(chunk.len(), |at| at + 1)];
        if (first..=last).contains(&number) {
            if !has_begun && shown.len() < MOST_TEXT {
                answer.lines += 1;
            }
            let room = MOST_TEXT - shown.len();
            answer.truncated |= piece.len() > room;
            shown.extend_from_slice(&piece[..piece.len().min(room)]);
        }
        has_begun = end.is_none();
        number += u64::from(end.is_some());
        let used = piece.len();
        reader.consume(used);
    }
    let total = if has_begun { number } else { number - 1 };
    let is_counted = size <= COUNTED;
    answer.total_lines = is_counted.then_some(total);
    answer.truncated |= !is_counted && last >= number;
    if answer.truncated {
        drop_cut_character(&mut shown);
    }
    answer.text = match String::from_utf8(shown) {
        Ok(text) => text,
        Err(error) => {
            answer.lossy = true;
            String::from_utf8_lossy(error.as_bytes()).into_owned()
        }
    };
    Ok(answer)
}

/// A character that a limit has cut in two is not one that is no UTF-8.
fn drop_cut_character(bytes: &mut Vec<u8>) {
    if let Err(error) = std::str::from_utf8(bytes)
        && error.error_len().is_none()
    {
        bytes.truncate(error.valid_up_to());
    }
}
