//! New files that `git` was not told of, as if they had been added.

use std::io::Read;

use pilothouse_session::tool::{DIFF_LIMIT, PatchHunk};

use super::super::Roots;
use super::{ChangeKind, FileDiff, Stage};

/// How much of a new file is read, to count its lines.
const COUNTED: u64 = 1 << 20;

/// A new file. It is read the way every file is: not through a link that leads out, not from a
/// pipe, and not without end.
pub(in super::super) fn untracked(roots: &Roots, dir: &std::path::Path, name: &[u8]) -> FileDiff {
    let path = String::from_utf8_lossy(name).into_owned();
    let mut diff = FileDiff {
        path: path.clone(),
        old_path: None,
        stage: Stage::Untracked,
        change: ChangeKind::Added,
        binary: false,
        lines_added: 0,
        lines_removed: 0,
        hunks: Vec::new(),
        diff: String::new(),
        truncated: false,
    };
    let Ok(name) = std::str::from_utf8(name) else {
        diff.truncated = true;
        return diff;
    };
    let file = roots.resolve(dir.join(name)).and_then(|inside| inside.into_file());
    let mut bytes = Vec::new();
    let read = file.ok().and_then(|file| file.take(COUNTED + 1).read_to_end(&mut bytes).ok());
    if read.is_none() {
        // A repository of its own, a link, a pipe.
        diff.truncated = true;
        return diff;
    }
    diff.truncated = bytes.len() as u64 > COUNTED;
    if bytes.contains(&0) {
        diff.binary = true;
        return diff;
    }
    let text = String::from_utf8_lossy(&bytes);
    diff.lines_added = text.lines().count() as u64;
    let mut room = DIFF_LIMIT;
    let mut lines = Vec::new();
    for line in text.lines() {
        let Some(left) = room.checked_sub(line.len() + 2) else {
            diff.truncated = true;
            break;
        };
        room = left;
        lines.push(format!("+{line}"));
    }
    let count = lines.len();
    if !text.is_empty() && !text.ends_with('\n') && !diff.truncated {
        lines.push("\\ No newline at end of file".to_owned());
    }
    let visible = |letter: char| if letter.is_control() { '?' } else { letter };
    let shown: String = path.chars().map(visible).collect();
    diff.diff = format!("--- /dev/null\n+++ b/{shown}\n");
    if count > 0 {
        let new_lines = if count == 1 { String::new() } else { format!(",{count}") };
        diff.diff.push_str(&format!("@@ -0,0 +1{new_lines} @@\n{}\n", lines.join("\n")));
        let (old_start, old_lines, new_start, new_lines) = (0, 0, 1, count as u64);
        diff.hunks = vec![PatchHunk { old_start, old_lines, new_start, new_lines, lines }];
    }
    diff
}
