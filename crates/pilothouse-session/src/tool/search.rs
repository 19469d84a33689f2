//! `code_search`: looking for files, and for text in them.

use std::collections::BTreeSet;

use pilothouse_wire::tool::legacy::LsInput;
use pilothouse_wire::tool::search::{
    GlobInput, GlobOutput, GrepInput, GrepMode, GrepOutput, LspInput, LspOutput,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::bound::{TEXT_LIMIT, clip, clip_list, unset};
use super::outcome::Outcome;

/// Files, or text in files, are looked for: `Glob`, `Grep`, `LS`, `LSP`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct CodeSearch {
    /// What is looked for and shown.
    pub mode: SearchMode,
    /// The text or regular expression, or what the language server is asked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub query: Option<String>,
    /// The pattern that names of files must match.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pattern: Option<String>,
    /// The directory or file to look in.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// Only in files whose names match this.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub glob: Option<String>,
    /// Only in files of this type: `rust`, `js`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub file_type: Option<String>,
    /// Whether case does not matter.
    #[serde(default, skip_serializing_if = "unset")]
    pub ignore_case: bool,
    /// Whether a match may span lines.
    #[serde(default, skip_serializing_if = "unset")]
    pub multiline: bool,
    /// At most so many results.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub limit: Option<u64>,
    /// What is left out of a listing.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub ignore: Vec<String>,
    /// The line that the language server is asked about, from 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<u64>,
    /// The character that the language server is asked about, from 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub character: Option<u64>,
    /// What was found, once it is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub output: Option<SearchOutput>,
    /// Why the call failed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
}

/// What is looked for and shown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum SearchMode {
    /// Files whose names match.
    FileNames,
    /// Files that hold a match.
    #[default]
    FilesWithMatches,
    /// The lines that match.
    Content,
    /// How often each file matches.
    Count,
    /// What a directory holds.
    Directory,
    /// What the language server knows.
    Symbols,
}

/// What was found.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SearchOutput {
    /// The files. Where lines or counts are shown, those that stand in them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub files: Vec<String>,
    /// How many files were found, also those that are not listed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub file_count: Option<u64>,
    /// Lines, counts, a listing or an answer, as text.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub content: Option<String>,
    /// How many lines were found.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line_count: Option<u64>,
    /// How many matches were found.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub match_count: Option<u64>,
    /// Whether there is more than is shown here.
    #[serde(default, skip_serializing_if = "unset")]
    pub truncated: bool,
    /// Where `content` was shortened here, how many bytes it had.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub original_bytes: Option<u64>,
    /// Whether the search took too long and was given up.
    #[serde(default, skip_serializing_if = "unset")]
    pub timed_out: bool,
}

impl CodeSearch {
    pub(crate) fn of_glob(input: GlobInput) -> Self {
        let GlobInput { pattern, path, .. } = input;
        let mode = SearchMode::FileNames;
        Self { mode, pattern: Some(pattern), path, ..Self::default() }
    }

    pub(crate) fn of_grep(input: GrepInput) -> Self {
        Self {
            mode: mode_of(input.output_mode.as_ref()).unwrap_or_default(),
            query: Some(input.pattern),
            path: input.path,
            glob: input.glob,
            file_type: input.file_type,
            ignore_case: input.ignore_case == Some(true),
            multiline: input.multiline == Some(true),
            limit: input.head_limit,
            ..Self::default()
        }
    }

    pub(crate) fn of_ls(input: LsInput) -> Self {
        let LsInput { path, ignore, .. } = input;
        Self { mode: SearchMode::Directory, path: Some(path), ignore, ..Self::default() }
    }

    pub(crate) fn of_lsp(input: LspInput) -> Self {
        Self {
            mode: SearchMode::Symbols,
            query: Some(input.operation),
            path: input.file_path,
            line: input.line,
            character: input.character,
            ..Self::default()
        }
    }

    pub(crate) fn complete(&mut self, outcome: &Outcome<'_>) {
        self.error = outcome.error();
        let structured = match self.mode {
            SearchMode::FileNames => outcome.typed().map(SearchOutput::of_glob),
            SearchMode::Symbols => outcome.typed().map(SearchOutput::of_lsp),
            SearchMode::Directory => None,
            _ => outcome.typed().map(|output: GrepOutput| {
                self.mode = mode_of(output.mode.as_ref()).unwrap_or(self.mode);
                SearchOutput::of_grep(output, self.mode)
            }),
        };
        let words =
            || (!outcome.is_error).then(|| SearchOutput::of_text(&outcome.text(), self.mode));
        self.output = structured.or_else(words);
    }
}

fn mode_of(mode: Option<&GrepMode>) -> Option<SearchMode> {
    match mode? {
        GrepMode::Content => Some(SearchMode::Content),
        GrepMode::FilesWithMatches => Some(SearchMode::FilesWithMatches),
        GrepMode::Count => Some(SearchMode::Count),
        GrepMode::Other(_) => None,
    }
}

impl SearchOutput {
    fn of_glob(output: GlobOutput) -> Self {
        let more = output.truncated == Some(true);
        let timed_out = output.timed_out == Some(true);
        let count = output.total_matches.or(output.num_files);
        Self { timed_out, ..Self::listed(output.filenames, count, more) }
    }

    fn of_grep(output: GrepOutput, mode: SearchMode) -> Self {
        let more = output.applied_limit.is_some();
        let count = output.total_files.or(output.num_files);
        let found = match output.content {
            None => Self::listed(output.filenames, count, more),
            // Lists of files are left empty where lines are shown.
            Some(content) => {
                let shown = Self::shown(content, mode);
                let file_count = count.filter(|count| *count > 0).or(shown.file_count);
                Self { file_count, truncated: shown.truncated || more, ..shown }
            }
        };
        Self {
            line_count: output.total_lines.or(output.num_lines),
            match_count: output.num_matches,
            timed_out: output.timed_out == Some(true),
            ..found
        }
    }

    fn of_lsp(output: LspOutput) -> Self {
        let shown = Self::shown(output.result.unwrap_or_default(), SearchMode::Symbols);
        Self { file_count: output.file_count, match_count: output.result_count, ..shown }
    }

    /// From what the model reads.
    fn of_text(text: &str, mode: SearchMode) -> Self {
        match mode {
            SearchMode::FileNames | SearchMode::FilesWithMatches => Self::of_list(text),
            SearchMode::Content if text.trim() == "No matches found" => {
                Self { content: Some(String::new()), line_count: Some(0), ..Self::default() }
            }
            SearchMode::Content => {
                let shown = Self::shown(text.to_owned(), mode);
                Self { line_count: Some(text.lines().count() as u64), ..shown }
            }
            SearchMode::Count => Self::of_counts(text),
            SearchMode::Directory | SearchMode::Symbols => Self::shown(text.to_owned(), mode),
        }
    }

    /// `Found 2 files`, then a file on each line.
    fn of_list(text: &str) -> Self {
        let mut count = None;
        let mut more = false;
        let mut files = Vec::new();
        for line in text.lines().filter(|line| !line.is_empty()) {
            if line == "No files found" {
                count = Some(0);
            } else if let Some(found) = found(line, "file").filter(|_| files.is_empty()) {
                count = Some(found);
                more |= line.contains("limit: ");
            } else if line.starts_with("(Results are truncated") {
                more = true;
            } else {
                files.push(line.to_owned());
            }
        }
        let count = count.or(Some(files.len() as u64));
        Self::listed(files, count, more)
    }

    /// `file:2` on each line, then `Found 3 total occurrences across 2 files.`
    fn of_counts(text: &str) -> Self {
        let (counts, sum) = match text.rsplit_once("\n\n") {
            Some((counts, sum)) if sum.starts_with("Found ") => (counts, Some(sum)),
            _ => (text, None),
        };
        let counts = if counts == "No matches found" { "" } else { counts };
        let match_count = sum.and_then(|sum| found(sum, "total"));
        Self { match_count, ..Self::shown(counts.to_owned(), SearchMode::Count) }
    }

    fn listed(files: Vec<String>, count: Option<u64>, more: bool) -> Self {
        let file_count = count.or(Some(files.len() as u64));
        let (files, cut) = clip_list(files);
        Self { files, file_count, truncated: more || cut, ..Self::default() }
    }

    fn shown(content: String, mode: SearchMode) -> Self {
        let files = files_in(&content, mode);
        let found = (!files.is_empty()).then(|| Self::listed(files, None, false));
        let content = clip(content, TEXT_LIMIT);
        let found = found.unwrap_or_default();
        Self {
            truncated: found.truncated || content.bytes.is_some(),
            original_bytes: content.bytes,
            content: Some(content.text),
            ..found
        }
    }
}

/// `2` of `Found 2 files`, where `noun` is `file`.
fn found(line: &str, noun: &str) -> Option<u64> {
    let (number, rest) = line.strip_prefix("Found ")?.split_once(' ')?;
    rest.starts_with(noun).then(|| number.parse().ok()).flatten()
}

/// The files that stand before the numbers of lines (`file:12:text`) or counts (`file:12`), each
/// once, in the order in which they come.
fn files_in(content: &str, mode: SearchMode) -> Vec<String> {
    let file = |line: &str| match mode {
        SearchMode::Content => numbered_file(line).map(str::to_owned),
        SearchMode::Count => {
            let (file, count) = line.rsplit_once(':')?;
            count.parse::<u64>().ok().map(|_| file.to_owned())
        }
        _ => None,
    };
    let mut seen = BTreeSet::new();
    content.lines().filter_map(file).filter(|file| seen.insert(file.clone())).collect()
}

fn numbered_file(line: &str) -> Option<&str> {
    let numbered = |(at, _): &(usize, &str)| {
        let digits = line[at + 1..].bytes().take_while(u8::is_ascii_digit).count();
        digits > 0 && line[at + 1 + digits..].starts_with(':')
    };
    let (at, _) = line.match_indices(':').find(numbered)?;
    (at > 0).then(|| &line[..at])
}
