//! Limits on what a payload holds.
//!
//! Payloads are stored in events and sent to every client, so nothing in them grows without end.
//! What is left out here is whole in the wire log.

use pilothouse_wire::{Block, Content, Extra, Num, Raw};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// Bytes kept of one text: of a command's output, of a file's content, of a prompt. A longer text
/// keeps its head and its tail.
pub const TEXT_LIMIT: usize = 256 * 1024;
/// Bytes kept of a unified diff. A longer one ends at a line border.
pub const DIFF_LIMIT: usize = 64 * 1024;
/// Bytes kept of a JSON value. A larger one has its long texts shortened, or becomes a text.
pub const JSON_LIMIT: usize = 64 * 1024;
/// Bytes of base64 kept of all pictures and documents of one call together.
pub const MEDIA_LIMIT: usize = 512 * 1024;
/// Entries kept of one list: of files, of search hits, of cells.
pub const LIST_LIMIT: usize = 1000;

/// Bytes kept of each text inside a JSON value that is too large as a whole.
const JSON_TEXT_LIMIT: usize = 4 * 1024;
/// How deep a JSON value may nest. Readers stop at 128, and a payload sits some levels down in what
/// is stored.
const JSON_DEPTH: usize = 64;

/// A text and, where it was shortened, how long it was.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Clipped {
    pub(crate) text: String,
    pub(crate) bytes: Option<u64>,
}

/// At most `limit` bytes of `text` and a mark: its head and its tail.
pub(crate) fn clip(text: String, limit: usize) -> Clipped {
    if text.len() <= limit {
        return Clipped { text, bytes: None };
    }
    let half = limit / 2;
    let head = &text[..text.floor_char_boundary(half)];
    let tail = &text[text.ceil_char_boundary(text.len() - half)..];
    let left_out = text.len() - head.len() - tail.len();
    let short = format!("{head}\n… {left_out} bytes left out …\n{tail}");
    Clipped { text: short, bytes: Some(text.len() as u64) }
}

/// At most [`TEXT_LIMIT`] bytes of a text and a mark.
pub(crate) fn clip_text(text: impl Into<String>) -> String {
    clip(text.into(), TEXT_LIMIT).text
}

/// `raw` as a value that is small and flat enough to be stored.
pub(crate) fn bounded_json(raw: &Raw) -> Value {
    let value = shallow(raw.to_value(), JSON_DEPTH);
    if raw.get().len() <= JSON_LIMIT {
        return value;
    }
    let value = shortened(value);
    let text = value.to_string();
    if text.len() <= JSON_LIMIT { value } else { Value::String(clip(text, JSON_LIMIT).text) }
}

fn shallow(value: Value, depth: usize) -> Value {
    match value {
        Value::Array(_) | Value::Object(_) if depth == 0 => Value::String(value.to_string()),
        Value::Array(items) => items.into_iter().map(|item| shallow(item, depth - 1)).collect(),
        Value::Object(members) => {
            members.into_iter().map(|(key, value)| (key, shallow(value, depth - 1))).collect()
        }
        plain => plain,
    }
}

fn shortened(value: Value) -> Value {
    match value {
        Value::String(text) => Value::String(clip(text, JSON_TEXT_LIMIT).text),
        Value::Array(items) => items.into_iter().map(shortened).collect(),
        Value::Object(members) => {
            members.into_iter().map(|(key, value)| (key, shortened(value))).collect()
        }
        plain => plain,
    }
}

/// A picture or document that a tool gave back.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Media {
    /// Such as `image/png` or `application/pdf`.
    pub media_type: String,
    /// Its bytes in base64; absent where they are too many for a payload, or elsewhere.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub data: Option<String>,
    /// Where it is, if not here.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub url: Option<String>,
    /// Its size on disk, in bytes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bytes: Option<u64>,
    /// Its width in pixels.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub width: Option<u64>,
    /// Its height in pixels.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub height: Option<u64>,
}

/// Collects pictures and documents until they are too many.
#[derive(Debug, Default)]
pub(crate) struct Album {
    pub(crate) media: Vec<Media>,
    used: usize,
}

impl Album {
    /// Adds one; its bytes only while there is room for them.
    pub(crate) fn add(&mut self, mut media: Media) {
        if self.media.len() >= LIST_LIMIT {
            return;
        }
        if let Some(data) = &media.data {
            if self.used + data.len() > MEDIA_LIMIT {
                media.data = None;
            } else {
                self.used += data.len();
            }
        }
        self.media.push(media);
    }

    /// Adds what a picture or document block holds.
    pub(crate) fn add_block(&mut self, block: &Block) {
        use pilothouse_wire::block::Source;
        let (source, kind) = match block {
            Block::Image(image) => (&image.source, "image/*"),
            Block::Document(document) => (&document.source, "application/octet-stream"),
            _ => return,
        };
        match source {
            Source::Base64(source) => self.add(Media {
                media_type: source.media_type.clone(),
                data: Some(source.data.clone()),
                ..Media::default()
            }),
            Source::Url(source) => self.add(Media {
                media_type: kind.to_owned(),
                url: Some(source.url.clone()),
                ..Media::default()
            }),
            _ => {}
        }
    }

    /// All pictures and documents among the blocks of `content`.
    pub(crate) fn of(content: Option<&Content>) -> Vec<Media> {
        let mut album = Self::default();
        for block in content.map(Content::blocks).unwrap_or_default() {
            album.add_block(block);
        }
        album.media
    }
}

/// At most [`LIST_LIMIT`] entries, and whether there were more.
pub(crate) fn clip_list<T>(mut list: Vec<T>) -> (Vec<T>, bool) {
    let cut = list.len() > LIST_LIMIT;
    list.truncate(LIST_LIMIT);
    (list, cut)
}

/// A number of the CLI as a whole one; none where it is negative.
pub(crate) fn whole(number: Option<&Num>) -> Option<u64> {
    let number = number?;
    // `as` saturates, so that a huge number stays huge.
    number.as_u64().or_else(|| number.as_f64().filter(|f| *f >= 0.0).map(|f| f.round() as u64))
}

/// Whether the list `key` came in a shape that could not be read: then an empty list in its place
/// would say something that nobody said.
pub(crate) fn is_lost(extra: &Extra, key: &str) -> bool {
    extra.get(key).is_some_and(|raw| !matches!(raw.get(), "null" | "[]"))
}

/// `skip_serializing_if` for flags.
pub(crate) fn unset(flag: &bool) -> bool {
    !*flag
}
