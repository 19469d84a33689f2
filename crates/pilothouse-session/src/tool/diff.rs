//! Unified diffs, of bounded size and made in bounded time.

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
        let hunks = hunks.iter().map(PatchHunk::from).collect();
        Self::made(path, Origin::File, hunks).map(|patch| Self { located: true, ..patch })
    }

    /// The patch that makes `new` from the whole file `old`, which was not there where it is `None`.
    pub(crate) fn whole(path: &str, old: Option<&str>, new: &str) -> Option<Self> {
        let origin = if old.is_some() { Origin::File } else { Origin::Nothing };
        let hunks = compare(old.unwrap_or_default(), new);
        Self::made(path, origin, hunks).map(|patch| Self { located: true, ..patch })
    }

    /// The patch of replacements somewhere in the file: what was there and what is there now.
    pub(crate) fn pieces<'a>(
        path: &str,
        pieces: impl IntoIterator<Item = (&'a str, &'a str)>,
    ) -> Option<Self> {
        let hunks = pieces.into_iter().flat_map(|(old, new)| {
            let mut hunks = compare(old, new);
            // That the replaced text ends in mid-line says nothing about the file.
            hunks.iter_mut().for_each(|hunk| hunk.lines.retain(|line| !line.starts_with('\\')));
            hunks
        });
        Self::made(path, Origin::File, hunks.collect())
    }

    fn made(path: &str, origin: Origin, hunks: Vec<PatchHunk>) -> Option<Self> {
        if hunks.is_empty() {
            return None;
        }
        let count = |sign| {
            let lines = hunks.iter().flat_map(|hunk| &hunk.lines);
            lines.filter(|line| line.starts_with(sign)).count() as u64
        };
        let (lines_added, lines_removed) = (count('+'), count('-'));
        let name = header_name(path);
        let old_name = if origin == Origin::Nothing { "/dev/null" } else { &format!("a/{name}") };
        let mut diff = format!("--- {old_name}\n+++ b/{name}\n");
        let (hunks, truncated) = bounded(hunks, &mut diff);
        Some(Self { diff, hunks, lines_added, lines_removed, located: false, truncated })
    }
}

/// What a patch starts from.
#[derive(Clone, Copy, PartialEq)]
enum Origin {
    File,
    Nothing,
}

/// Writes as many lines into `diff` as it has room for. Returns the hunks that were written, and
/// whether something is missing.
fn bounded(hunks: Vec<PatchHunk>, diff: &mut String) -> (Vec<PatchHunk>, bool) {
    let mut kept = Vec::new();
    for mut hunk in hunks {
        let header = hunk.header();
        if diff.len() + header.len() > DIFF_LIMIT {
            return (kept, true);
        }
        diff.push_str(&header);
        let mut written = 0;
        for line in &hunk.lines {
            if diff.len() + line.len() >= DIFF_LIMIT {
                break;
            }
            diff.push_str(line);
            diff.push('\n');
            written += 1;
        }
        let cut = written < hunk.lines.len();
        hunk.lines.truncate(written);
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

impl From<&Hunk> for PatchHunk {
    fn from(hunk: &Hunk) -> Self {
        // A line break inside a line would make a diff of other lines.
        let lines = hunk.lines.iter().map(|line| line.trim_end_matches('\n').replace('\n', "␊"));
        let count = |signs: [char; 2]| {
            hunk.lines.iter().filter(|line| line.starts_with(signs)).count() as u64
        };
        Self {
            old_start: hunk.old_start.unwrap_or(1),
            old_lines: hunk.old_lines.unwrap_or_else(|| count([' ', '-'])),
            new_start: hunk.new_start.unwrap_or(1),
            new_lines: hunk.new_lines.unwrap_or_else(|| count([' ', '+'])),
            lines: lines.collect(),
        }
    }
}

/// `path` as it stands in a header line: relative, on one line.
fn header_name(path: &str) -> String {
    let name = path.trim_start_matches('/');
    if name.contains(char::is_control) { name.escape_debug().to_string() } else { name.to_owned() }
}

/// The hunks that make `new` from `old`.
fn compare(old: &str, new: &str) -> Vec<PatchHunk> {
    if old == new {
        return Vec::new();
    }
    let old_lines: Vec<&str> = old.split_inclusive('\n').collect();
    let new_lines: Vec<&str> = new.split_inclusive('\n').collect();
    let same = |(a, b): &(&&str, &&str)| a == b;
    let head = old_lines.iter().zip(&new_lines).take_while(same).count();
    let rest = old_lines.len().min(new_lines.len()) - head;
    let tail =
        old_lines.iter().rev().zip(new_lines.iter().rev()).take(rest).take_while(same).count();
    let old_range = head..old_lines.len() - tail;
    let new_range = head..new_lines.len() - tail;
    if old_range.len().saturating_mul(new_range.len()) > COMPARED {
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

/// One hunk of several operations on lines, the first of which is line `skipped`, from 0.
fn hunk_of(ops: &[DiffOp], old: &[&str], new: &[&str], skipped: usize) -> Option<PatchHunk> {
    let (first, last) = (ops.first()?, ops.last()?);
    let mut lines = Vec::new();
    for op in ops {
        if let DiffOp::Equal { old_index, len, .. } = *op {
            old[old_index..old_index + len].iter().for_each(|line| push(&mut lines, ' ', line));
        } else {
            old[op.old_range()].iter().for_each(|line| push(&mut lines, '-', line));
            new[op.new_range()].iter().for_each(|line| push(&mut lines, '+', line));
        }
    }
    let old_range = first.old_range().start + skipped..last.old_range().end + skipped;
    let new_range = first.new_range().start + skipped..last.new_range().end + skipped;
    Some(hunk(old_range, new_range, lines))
}

/// One hunk that replaces everything but the first `head` and the last `tail` lines.
fn replacement(old: &[&str], new: &[&str], head: usize, tail: usize) -> PatchHunk {
    let start = head.saturating_sub(CONTEXT);
    let after = tail.min(CONTEXT);
    let mut lines = Vec::new();
    old[start..head].iter().for_each(|line| push(&mut lines, ' ', line));
    old[head..old.len() - tail].iter().for_each(|line| push(&mut lines, '-', line));
    new[head..new.len() - tail].iter().for_each(|line| push(&mut lines, '+', line));
    old[old.len() - tail..][..after].iter().for_each(|line| push(&mut lines, ' ', line));
    hunk(start..old.len() - tail + after, start..new.len() - tail + after, lines)
}

fn hunk(old: std::ops::Range<usize>, new: std::ops::Range<usize>, lines: Vec<String>) -> PatchHunk {
    // An empty range is named by the line before it.
    let start =
        |range: &std::ops::Range<usize>| (range.start + usize::from(!range.is_empty())) as u64;
    PatchHunk {
        old_start: start(&old),
        old_lines: old.len() as u64,
        new_start: start(&new),
        new_lines: new.len() as u64,
        lines,
    }
}

fn push(lines: &mut Vec<String>, sign: char, line: &str) {
    let text = line.strip_suffix('\n');
    lines.push(format!("{sign}{}", text.unwrap_or(line)));
    if text.is_none() {
        lines.push("\\ No newline at end of file".to_owned());
    }
}

#[cfg(test)]
mod tests;
