//! Unified diffs, of bounded size and made in bounded time.

use std::borrow::Cow;
use std::ops::Range;

use pilothouse_wire::tool::file::Hunk;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use similar::{DiffOp, TextDiff};

use super::bound::{DIFF_LIMIT, unset};

/// Lines around a change.
const CONTEXT: usize = 3;
/// Lines before times lines after, beyond which two texts are not compared line by line: the whole
/// of the one is replaced by the whole of the other. Comparing takes up to quadratic time, and there
/// is no clock here to stop it by.
const COMPARED: usize = 4_000_000;

/// What changed in a file.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Patch {
    /// The change as a unified diff, with `---` and `+++` lines.
    pub diff: String,
    /// The same, piece by piece.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub hunks: Vec<PatchHunk>,
    /// Lines added, also those that `diff` has no room for.
    pub lines_added: u64,
    /// Lines removed, also those that `diff` has no room for.
    pub lines_removed: u64,
    /// Whether the line numbers are those of the file. Otherwise only the replaced text was known,
    /// and its lines count from 1.
    #[serde(default, skip_serializing_if = "unset")]
    pub located: bool,
    /// Whether `diff` and `hunks` were cut because the change is too large.
    #[serde(default, skip_serializing_if = "unset")]
    pub truncated: bool,
}

/// A piece of a patch.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct PatchHunk {
    /// First line before the change, from 1; 0 where there is none.
    pub old_start: u64,
    /// How many lines before the change.
    pub old_lines: u64,
    /// First line after the change, from 1; 0 where there is none.
    pub new_start: u64,
    /// How many lines after the change.
    pub new_lines: u64,
    /// The lines, each after ` `, `+` or `-`; `\ No newline at end of file` follows a last line
    /// that does not end.
    pub lines: Vec<String>,
}

impl Patch {
    /// The patch that the CLI reports for `path`; none where it reports no change.
    pub(crate) fn reported(path: &str, hunks: &[Hunk]) -> Option<Self> {
        let drafts = hunks.iter().map(Draft::from).collect();
        Self::made(path, Life::Goes, drafts).map(|patch| Self { located: true, ..patch })
    }

    /// The patch that makes the whole file `new` from the whole file `old`. `None` is a file that is
    /// not there. There is no patch where the text is the same.
    pub fn whole(path: &str, old: Option<&str>, new: Option<&str>) -> Option<Self> {
        let life = match (old, new) {
            (None, _) => Life::Begins,
            (Some(_), None) => Life::Ends,
            (Some(_), Some(_)) => Life::Goes,
        };
        let drafts = compare(old.unwrap_or_default(), new.unwrap_or_default());
        Self::made(path, life, drafts).map(|patch| Self { located: true, ..patch })
    }

    /// The patch of replacements somewhere in the file: what was there and what is there now.
    pub(crate) fn pieces<'a>(
        path: &str,
        pieces: impl IntoIterator<Item = (&'a str, &'a str)>,
    ) -> Option<Self> {
        let drafts = pieces.into_iter().flat_map(|(old, new)| {
            let mut drafts = compare(old, new);
            // That the replaced text ends in mid-line says nothing about the file.
            drafts.iter_mut().for_each(|draft| draft.lines.retain(|line| !line.begins_with('\\')));
            drafts
        });
        Self::made(path, Life::Goes, drafts.collect())
    }

    fn made(path: &str, life: Life, drafts: Vec<Draft<'_>>) -> Option<Self> {
        if drafts.is_empty() {
            return None;
        }
        let count = |sign| {
            let lines = drafts.iter().flat_map(|draft| &draft.lines);
            lines.filter(|line| line.begins_with(sign)).count() as u64
        };
        let (lines_added, lines_removed) = (count('+'), count('-'));
        let name = header_name(path);
        let mut diff = match life {
            Life::Begins => format!("--- /dev/null\n+++ b/{name}\n"),
            Life::Goes => format!("--- a/{name}\n+++ b/{name}\n"),
            Life::Ends => format!("--- a/{name}\n+++ /dev/null\n"),
        };
        let (hunks, truncated) = bounded(drafts, &mut diff);
        Some(Self { diff, hunks, lines_added, lines_removed, located: false, truncated })
    }
}

/// What a patch means for its file.
#[derive(Clone, Copy)]
enum Life {
    /// It is made.
    Begins,
    /// It is changed.
    Goes,
    /// It is removed.
    Ends,
}

/// A hunk whose lines still stand in the texts they come from: most of a large change is cut off
/// before anything is copied.
struct Draft<'a> {
    /// The hunk, without lines.
    hunk: PatchHunk,
    lines: Vec<Line<'a>>,
}

struct Line<'a> {
    /// What stands before the text; nothing where the text has it already.
    sign: &'static str,
    text: Cow<'a, str>,
}

impl Line<'_> {
    fn len(&self) -> usize {
        self.sign.len() + self.text.len()
    }

    fn begins_with(&self, sign: char) -> bool {
        let beginning = if self.sign.is_empty() { &self.text } else { self.sign };
        beginning.starts_with(sign)
    }
}

/// Writes as many lines into `diff` as it has room for. Returns the hunks that were written, and
/// whether something is missing.
fn bounded(drafts: Vec<Draft<'_>>, diff: &mut String) -> (Vec<PatchHunk>, bool) {
    let mut kept = Vec::with_capacity(drafts.len());
    for Draft { mut hunk, lines } in drafts {
        let header = hunk.header();
        let mut end = diff.len() + header.len();
        if end > DIFF_LIMIT {
            return (kept, true);
        }
        let fits = |line: &&Line<'_>| {
            let fits = end + line.len() < DIFF_LIMIT;
            end += if fits { line.len() + 1 } else { 0 };
            fits
        };
        let written = lines.iter().take_while(fits).count();
        diff.reserve(end - diff.len());
        diff.push_str(&header);
        hunk.lines.reserve_exact(written);
        for line in &lines[..written] {
            let start = diff.len();
            diff.push_str(line.sign);
            diff.push_str(&line.text);
            hunk.lines.push(diff[start..].to_owned());
            diff.push('\n');
        }
        let cut = written < lines.len();
        kept.push(hunk);
        if cut {
            return (kept, true);
        }
    }
    (kept, false)
}

impl PatchHunk {
    fn header(&self) -> String {
        let range = |start: u64, lines: u64| match lines {
            1 => start.to_string(),
            _ => format!("{start},{lines}"),
        };
        let old = range(self.old_start, self.old_lines);
        let new = range(self.new_start, self.new_lines);
        format!("@@ -{old} +{new} @@\n")
    }
}

impl<'a> From<&'a Hunk> for Draft<'a> {
    fn from(hunk: &'a Hunk) -> Self {
        let line = |line: &'a String| {
            let line = line.trim_end_matches('\n');
            // A line break inside a line would make a diff of other lines.
            let text =
                if line.contains('\n') { line.replace('\n', "␊").into() } else { line.into() };
            Line { sign: "", text }
        };
        let count = |signs: [char; 2]| {
            hunk.lines.iter().filter(|line| line.starts_with(signs)).count() as u64
        };
        let lines = hunk.lines.iter().map(line).collect();
        let hunk = PatchHunk {
            old_start: hunk.old_start.unwrap_or(1),
            old_lines: hunk.old_lines.unwrap_or_else(|| count([' ', '-'])),
            new_start: hunk.new_start.unwrap_or(1),
            new_lines: hunk.new_lines.unwrap_or_else(|| count([' ', '+'])),
            lines: Vec::new(),
        };
        Self { hunk, lines }
    }
}

/// `path` as it stands in a header line: relative, on one line.
fn header_name(path: &str) -> String {
    let name = path.trim_start_matches('/');
    if name.contains(char::is_control) { name.escape_debug().to_string() } else { name.to_owned() }
}

/// The hunks that make `new` from `old`.
fn compare<'a>(old: &'a str, new: &'a str) -> Vec<Draft<'a>> {
    if old == new {
        return Vec::new();
    }
    let (old_lines, new_lines) = (lines_of(old), lines_of(new));
    let same = |(a, b): &(&&str, &&str)| a == b;
    let head = old_lines.iter().zip(&new_lines).take_while(same).count();
    let rest = old_lines.len().min(new_lines.len()) - head;
    let tail =
        old_lines.iter().rev().zip(new_lines.iter().rev()).take(rest).take_while(same).count();
    let old_range = head..old_lines.len() - tail;
    let new_range = head..new_lines.len() - tail;
    // Where lines were only added or only removed there is nothing to compare.
    let one_sided = old_range.is_empty() || new_range.is_empty();
    if one_sided || old_range.len().saturating_mul(new_range.len()) > COMPARED {
        return vec![replacement(&old_lines, &new_lines, head, tail)];
    }
    // What is the same at both ends is cut off but for the context, so that work is proportional to
    // what changed.
    let before = head.saturating_sub(CONTEXT);
    let after = |len: usize| (len - tail + CONTEXT).min(len);
    let old_part = &old_lines[before..after(old_lines.len())];
    let new_part = &new_lines[before..after(new_lines.len())];
    let diff = TextDiff::from_slices(old_part, new_part);
    let groups = diff.grouped_ops(CONTEXT);
    groups.iter().filter_map(|ops| hunk_of(ops, old_part, new_part, before)).collect()
}

/// The lines of a text, each with its end.
fn lines_of(text: &str) -> Vec<&str> {
    let ends = text.bytes().filter(|byte| *byte == b'\n').count();
    let mut lines = Vec::with_capacity(ends + 1);
    lines.extend(text.split_inclusive('\n'));
    lines
}

/// One hunk of several operations on lines, the first of which is line `skipped`, from 0.
fn hunk_of<'a>(
    ops: &[DiffOp],
    old: &[&'a str],
    new: &[&'a str],
    skipped: usize,
) -> Option<Draft<'a>> {
    let (first, last) = (ops.first()?, ops.last()?);
    let mut lines = Vec::new();
    for op in ops {
        if let DiffOp::Equal { old_index, len, .. } = *op {
            push(&mut lines, " ", &old[old_index..old_index + len]);
        } else {
            push(&mut lines, "-", &old[op.old_range()]);
            push(&mut lines, "+", &new[op.new_range()]);
        }
    }
    let old_range = first.old_range().start + skipped..last.old_range().end + skipped;
    let new_range = first.new_range().start + skipped..last.new_range().end + skipped;
    Some(draft(&old_range, &new_range, lines))
}

/// One hunk that replaces everything but the first `head` and the last `tail` lines.
fn replacement<'a>(old: &[&'a str], new: &[&'a str], head: usize, tail: usize) -> Draft<'a> {
    let start = head.saturating_sub(CONTEXT);
    let after = tail.min(CONTEXT);
    let mut lines = Vec::new();
    push(&mut lines, " ", &old[start..head]);
    push(&mut lines, "-", &old[head..old.len() - tail]);
    push(&mut lines, "+", &new[head..new.len() - tail]);
    push(&mut lines, " ", &old[old.len() - tail..][..after]);
    draft(&(start..old.len() - tail + after), &(start..new.len() - tail + after), lines)
}

fn draft<'a>(old: &Range<usize>, new: &Range<usize>, lines: Vec<Line<'a>>) -> Draft<'a> {
    // An empty range is named by the line before it.
    let start = |range: &Range<usize>| (range.start + usize::from(!range.is_empty())) as u64;
    let hunk = PatchHunk {
        old_start: start(old),
        old_lines: old.len() as u64,
        new_start: start(new),
        new_lines: new.len() as u64,
        lines: Vec::new(),
    };
    Draft { hunk, lines }
}

fn push<'a>(lines: &mut Vec<Line<'a>>, sign: &'static str, texts: &[&'a str]) {
    lines.reserve(texts.len());
    for line in texts {
        let text = line.strip_suffix('\n');
        lines.push(Line { sign, text: text.unwrap_or(line).into() });
        if text.is_none() {
            lines.push(Line { sign: "", text: "\\ No newline at end of file".into() });
        }
    }
}

#[cfg(test)]
mod tests;
