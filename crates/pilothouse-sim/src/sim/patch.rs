//! Differences between two texts, line by line, as the CLI reports them.

use serde_json::{Value, json};

/// Unchanged lines shown around a change.
const CONTEXT: usize = 3;

/// Above this many pairs of lines the middle of two texts counts as replaced as a whole.
const LARGEST_TABLE: usize = 4_000_000;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Edit {
    Keep,
    Remove,
    Add,
}

/// `structuredPatch` from `old` to `new`.
pub(super) fn structured(old: &str, new: &str) -> Value {
    let (old_lines, new_lines) = (lines(old), lines(new));
    let edits = edits(&old_lines, &new_lines);
    let changed: Vec<_> = (0..edits.len()).filter(|at| edits[*at] != Edit::Keep).collect();
    let mut hunks = Vec::new();
    let mut rest = changed.as_slice();
    while let Some(first) = rest.first() {
        let mut last = *first;
        let near = rest.iter().take_while(|at| {
            let joins = **at <= last + 2 * CONTEXT + 1;
            if joins {
                last = **at;
            }
            joins
        });
        let count = near.count();
        rest = &rest[count..];
        let range = first.saturating_sub(CONTEXT)..(last + CONTEXT + 1).min(edits.len());
        hunks.push(hunk(&edits, range, (old, &old_lines), (new, &new_lines)));
    }
    Value::Array(hunks)
}

/// Lines added and removed on the way from `old` to `new`.
pub(super) fn counts(old: &str, new: &str) -> (usize, usize) {
    let edits = edits(&lines(old), &lines(new));
    let count = |wanted: Edit| edits.iter().filter(|edit| **edit == wanted).count();
    (count(Edit::Add), count(Edit::Remove))
}

fn lines(text: &str) -> Vec<&str> {
    text.split_inclusive('\n').collect()
}

fn hunk(
    edits: &[Edit],
    range: std::ops::Range<usize>,
    old: (&str, &[&str]),
    new: (&str, &[&str]),
) -> Value {
    let before = |wanted: Edit| {
        let passed = edits[..range.start].iter();
        passed.filter(|edit| **edit == Edit::Keep || **edit == wanted).count()
    };
    let (old_start, new_start) = (before(Edit::Remove), before(Edit::Add));
    let (mut old_at, mut new_at) = (old_start, new_start);
    let mut shown = Vec::new();
    for edit in &edits[range] {
        let (sign, line) = match edit {
            Edit::Keep => (' ', old.1[old_at]),
            Edit::Remove => ('-', old.1[old_at]),
            Edit::Add => ('+', new.1[new_at]),
        };
        old_at += usize::from(*edit != Edit::Add);
        new_at += usize::from(*edit != Edit::Remove);
        shown.push(format!("{sign}{}", line.trim_end_matches('\n')));
        if !line.ends_with('\n') {
            shown.push("\\ No newline at end of file".to_owned());
        }
    }
    json!({
        "oldStart": old_start + 1,
        "oldLines": old_at - old_start,
        "newStart": new_start + 1,
        "newLines": new_at - new_start,
        "lines": shown,
    })
}

/// The shortest way from one list of lines to the other, removals before additions.
fn edits(old: &[&str], new: &[&str]) -> Vec<Edit> {
    let prefix = old.iter().zip(new).take_while(|(a, b)| a == b).count();
    let (old_rest, new_rest) = (&old[prefix..], &new[prefix..]);
    let same_end = old_rest.iter().rev().zip(new_rest.iter().rev());
    let suffix = same_end.take_while(|(a, b)| a == b).count();
    let old_middle = &old_rest[..old_rest.len() - suffix];
    let new_middle = &new_rest[..new_rest.len() - suffix];
    let mut edits = vec![Edit::Keep; prefix];
    if old_middle.len().saturating_mul(new_middle.len()) > LARGEST_TABLE {
        edits.extend(old_middle.iter().map(|_| Edit::Remove));
        edits.extend(new_middle.iter().map(|_| Edit::Add));
    } else {
        edits.extend(shortest(old_middle, new_middle));
    }
    edits.extend(std::iter::repeat_n(Edit::Keep, suffix));
    edits
}

fn shortest(old: &[&str], new: &[&str]) -> Vec<Edit> {
    let width = new.len() + 1;
    // common[i * width + j]: length of the longest common subsequence of old[i..] and new[j..].
    let mut common = vec![0_u32; (old.len() + 1) * width];
    for i in (0..old.len()).rev() {
        for j in (0..new.len()).rev() {
            common[i * width + j] = if old[i] == new[j] {
                common[(i + 1) * width + j + 1] + 1
            } else {
                common[(i + 1) * width + j].max(common[i * width + j + 1])
            };
        }
    }
    let (mut i, mut j) = (0, 0);
    let mut edits = Vec::new();
    while i < old.len() || j < new.len() {
        if i < old.len() && j < new.len() && old[i] == new[j] {
            edits.push(Edit::Keep);
            (i, j) = (i + 1, j + 1);
        } else if i < old.len()
            && (j == new.len() || common[(i + 1) * width + j] >= common[i * width + j + 1])
        {
            edits.push(Edit::Remove);
            i += 1;
        } else {
            edits.push(Edit::Add);
            j += 1;
        }
    }
    edits
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_change_with_its_surroundings() {
        let old = "one\ntwo\nthree\nfour\nfive\nsix\nseven\n";
        assert_eq!(
            structured(old, &old.replace("two", "2")),
            json!([{
                "oldStart": 1, "oldLines": 5, "newStart": 1, "newLines": 5,
                "lines": [" one", "-two", "+2", " three", " four", " five"],
            }])
        );
    }

    #[test]
    fn distant_changes_are_apart() {
        let old: String = (0..30).map(|line| format!("{line}\n")).collect();
        let new = old.replace("3\n4\n", "3\nx\n4\n").replace("25\n", "");
        let hunks = structured(&old, &new);
        assert_eq!(hunks.as_array().map(Vec::len), Some(2), "{hunks}");
        assert_eq!(hunks[1]["oldStart"], 23);
        assert_eq!(hunks[1]["newStart"], 24);
        assert_eq!(counts(&old, &new), (1, 1));
    }

    #[test]
    fn a_missing_line_break_is_told() {
        assert_eq!(
            structured("one\n", "x")[0]["lines"],
            json!(["-one", "+x", "\\ No newline at end of file"])
        );
        assert_eq!(structured("same", "same"), json!([]));
    }
}
