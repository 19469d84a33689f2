//! `read_file`: a look at a file.

use pilothouse_wire::Raw;
use pilothouse_wire::tool::file::{ImageFile, PdfFile, ReadInput, ReadOutput, ReadParts, TextFile};
use pilothouse_wire::tool::legacy::NotebookReadInput;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::bound::{Album, LIST_LIMIT, Media, TEXT_LIMIT, clip, unset, whole};
use super::outcome::Outcome;

/// A file is read: `Read`, `NotebookRead`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ReadFile {
    /// The file.
    pub file_path: String,
    /// The first line to read, from 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub offset: Option<u64>,
    /// How many lines to read.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub limit: Option<u64>,
    /// Of a PDF, which pages to read: `1-5`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pages: Option<String>,
    /// Of a notebook, the cell to read.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cell_id: Option<String>,
    /// What was read, once it is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub output: Option<FileContent>,
    /// Why the call failed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
}

/// What was read from a file.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct FileContent {
    /// What kind of content it is.
    pub format: FileFormat,
    /// The text, without line numbers.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub content: Option<String>,
    /// The number of the first line.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub start_line: Option<u64>,
    /// How many lines were read.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line_count: Option<u64>,
    /// How many lines the file has.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub total_lines: Option<u64>,
    /// Whether something was left out: by the CLI, because the model cannot take more, or here,
    /// because a payload cannot.
    #[serde(default, skip_serializing_if = "unset")]
    pub truncated: bool,
    /// Where `content` was shortened here, how many bytes it had.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub original_bytes: Option<u64>,
    /// Pictures and documents, pages of a PDF among them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub media: Vec<Media>,
    /// The cells of a notebook.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub cells: Vec<NotebookCell>,
    /// How many pages of a PDF were read.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub page_count: Option<u64>,
}

/// What kind of content a file has.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum FileFormat {
    /// Text.
    #[default]
    Text,
    /// A picture.
    Image,
    /// A notebook.
    Notebook,
    /// A PDF.
    Pdf,
    /// The same as when it was last read; not read again.
    Unchanged,
    /// Something this version does not know.
    Other,
}

/// A cell of a notebook.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct NotebookCell {
    /// Names the cell.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    /// `code` or `markdown`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cell_type: Option<String>,
    /// The language of its code.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub language: Option<String>,
    /// What is in it.
    pub source: String,
    /// What it printed when it last ran.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub printed: Option<String>,
}

impl ReadFile {
    pub(crate) fn of_read(input: ReadInput) -> Self {
        let ReadInput { file_path, offset, limit, pages, .. } = input;
        Self { file_path, offset, limit, pages, ..Self::default() }
    }

    pub(crate) fn of_notebook(input: NotebookReadInput) -> Self {
        let NotebookReadInput { notebook_path: file_path, cell_id, .. } = input;
        Self { file_path, cell_id, ..Self::default() }
    }

    pub(crate) fn complete(&mut self, outcome: &Outcome<'_>) {
        self.error = outcome.error();
        self.output = match outcome.typed::<ReadOutput>() {
            Some(output) => Some(FileContent::of(output, outcome)),
            None if outcome.is_error => None,
            None => Some(FileContent::of_result(outcome)),
        };
    }
}

impl FileContent {
    fn of(output: ReadOutput, outcome: &Outcome<'_>) -> Self {
        match output {
            ReadOutput::Text(read) => Self::of_lines(read.file),
            ReadOutput::Image(read) => Self::of_image(read.file),
            ReadOutput::Notebook(read) => Self::of_cells(&read.file.cells),
            ReadOutput::Pdf(read) => Self::of_pdf(read.file),
            ReadOutput::Parts(read) => Self::of_pages(read),
            ReadOutput::Unchanged(_) => Self { format: FileFormat::Unchanged, ..Self::default() },
            ReadOutput::Unknown(_) => {
                let read = Self::of_result(outcome);
                let format = if read.media.is_empty() { FileFormat::Other } else { read.format };
                Self { format, ..read }
            }
        }
    }

    fn of_lines(file: TextFile) -> Self {
        let cut = file.truncated_by_token_cap == Some(true);
        let content = clip(file.content.unwrap_or_default(), TEXT_LIMIT);
        Self {
            truncated: cut || content.bytes.is_some(),
            original_bytes: content.bytes,
            content: Some(content.text),
            start_line: file.start_line,
            line_count: file.num_lines,
            total_lines: file.total_lines,
            ..Self::default()
        }
    }

    fn of_image(file: ImageFile) -> Self {
        let size = file.dimensions.unwrap_or_default();
        let mut album = Album::default();
        album.add(Media {
            media_type: file.media_type.unwrap_or_else(|| "image/*".to_owned()),
            data: Some(file.base64),
            url: None,
            bytes: file.original_size,
            width: whole(size.original_width.as_ref()),
            height: whole(size.original_height.as_ref()),
        });
        Self::of_media(FileFormat::Image, album.media)
    }

    fn of_pdf(file: PdfFile) -> Self {
        let mut album = Album::default();
        album.add(Media {
            media_type: "application/pdf".to_owned(),
            data: file.base64,
            bytes: file.original_size,
            ..Media::default()
        });
        Self::of_media(FileFormat::Pdf, album.media)
    }

    fn of_pages(read: ReadParts) -> Self {
        let mut album = Album::default();
        let page_count =
            read.file.count.or((!read.pages.is_empty()).then_some(read.pages.len() as u64));
        for page in read.pages {
            let media_type = page.media_type.unwrap_or_else(|| "image/*".to_owned());
            album.add(Media { media_type, data: page.base64, ..Media::default() });
        }
        Self { page_count, ..Self::of_media(FileFormat::Pdf, album.media) }
    }

    /// Pictures or documents; shortened where the bytes of one did not fit.
    fn of_media(format: FileFormat, media: Vec<Media>) -> Self {
        let truncated = media.iter().any(|media| media.data.is_none());
        Self { format, media, truncated, ..Self::default() }
    }

    fn of_cells(cells: &[Raw]) -> Self {
        let mut room = TEXT_LIMIT;
        let mut truncated = cells.len() > LIST_LIMIT;
        let read = cells.iter().take(LIST_LIMIT).map(|cell| {
            let mut cell = NotebookCell::of(&cell.to_value());
            for text in [Some(&mut cell.source), cell.printed.as_mut()].into_iter().flatten() {
                let short = clip(std::mem::take(text), room);
                truncated |= short.bytes.is_some();
                *text = short.text;
                room = room.saturating_sub(text.len());
            }
            cell
        });
        let cells = read.collect();
        Self { format: FileFormat::Notebook, cells, truncated, ..Self::default() }
    }

    /// From what the model reads: numbered lines, or pictures.
    fn of_result(outcome: &Outcome<'_>) -> Self {
        let media = Album::of(outcome.content);
        if let Some(first) = media.first() {
            let pdf = first.media_type == "application/pdf";
            return Self::of_media(if pdf { FileFormat::Pdf } else { FileFormat::Image }, media);
        }
        let text = outcome.text();
        let numbered = Numbered::of(&text);
        let content = clip(numbered.text.unwrap_or(text), TEXT_LIMIT);
        Self {
            truncated: content.bytes.is_some(),
            original_bytes: content.bytes,
            content: Some(content.text),
            start_line: numbered.start,
            line_count: numbered.count,
            ..Self::default()
        }
    }
}

/// Text whose lines the CLI has numbered, `     1→` or `1` and a tab.
#[derive(Default)]
struct Numbered {
    text: Option<String>,
    start: Option<u64>,
    count: Option<u64>,
}

impl Numbered {
    /// Empty where a line of `text` has no number: then it is something else.
    fn of(text: &str) -> Self {
        let mut lines = Vec::new();
        let mut start = None;
        for line in text.split('\n') {
            let digits = line.trim_start_matches(' ');
            let end = digits.find(|c: char| !c.is_ascii_digit()).unwrap_or(digits.len());
            let (number, rest) = digits.split_at(end);
            let rest = rest.strip_prefix('→').or_else(|| rest.strip_prefix('\t'));
            let (Ok(number), Some(rest)) = (number.parse::<u64>(), rest) else {
                return Self::default();
            };
            start = start.or(Some(number));
            lines.push(rest);
        }
        Self { text: Some(lines.join("\n")), start, count: Some(lines.len() as u64) }
    }
}

impl NotebookCell {
    fn of(cell: &Value) -> Self {
        let word = |keys: [&str; 2]| {
            keys.iter().find_map(|key| cell.get(key)?.as_str()).map(str::to_owned)
        };
        let outputs = cell.get("outputs").and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
        let printed: Vec<_> =
            outputs.iter().filter_map(|out| out.get("text")).map(joined).collect();
        Self {
            id: word(["cell_id", "id"]),
            cell_type: word(["cellType", "cell_type"]),
            language: word(["language", "lang"]),
            source: cell.get("source").map(joined).unwrap_or_default(),
            printed: (!printed.is_empty()).then(|| printed.join("\n")),
        }
    }
}

/// A text, which notebooks may also keep as a list of lines.
pub(crate) fn joined(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Array(lines) => lines.iter().filter_map(Value::as_str).collect(),
        _ => String::new(),
    }
}
