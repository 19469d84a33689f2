//! From the text of `git diff` to files and hunks.
//!
//! Within a hunk each line begins with a space, `+`, `-` or `\`, so that nothing in a file can be
//! taken for the beginning of another one.

use pilothouse_session::tool::{DIFF_LIMIT, PatchHunk};

use super::quoted::name;
use super::{ChangeKind, FileDiff, Stage};

/// The files in a diff. Where the text was cut, the last file is marked.
pub(in super::super) fn parse(text: &[u8], is_cut: bool, stage: Stage) -> Vec<FileDiff> {
    let mut files: Vec<FileDiff> = Vec::new();
    let mut open: Option<Section> = None;
    for line in text.split_inclusive(|byte| *byte == b'\n') {
        let line = line.strip_suffix(b"\n").unwrap_or(line);
        if line.starts_with(b"diff --") {
            files.extend(open.take().map(Section::finish));
            open = Some(Section::begin(line, stage));
        } else if let Some(section) = &mut open {
            section.line(line);
        }
    }
    if let Some(mut section) = open {
        // Its last line may be half a line.
        section.file.truncated |= is_cut;
        files.push(section.finish());
    }
    files
}

/// A file in a diff that is being read.
struct Section {
    file: FileDiff,
    is_in_hunks: bool,
    old_mode: bool,
}

impl Section {
    fn begin(line: &[u8], stage: Stage) -> Self {
        let mut file = FileDiff {
            path: String::new(),
            old_path: None,
            stage,
            change: ChangeKind::Modified,
            binary: false,
            lines_added: 0,
            lines_removed: 0,
            hunks: Vec::new(),
            diff: String::new(),
            truncated: false,
        };
        let combined = [&b"diff --cc "[..], b"diff --combined "];
        if let Some(rest) = combined.iter().find_map(|start| line.strip_prefix(*start)) {
            file.change = ChangeKind::Conflicted;
            file.path = shown(&name(rest).0);
        } else if let Some(rest) = line.strip_prefix(b"diff --git ") {
            file.path = shown(&same_name(rest));
        }
        let mut section = Self { file, is_in_hunks: false, old_mode: false };
        section.keep(line);
        section
    }

    fn line(&mut self, line: &[u8]) {
        if !self.is_in_hunks && !line.starts_with(b"@@") {
            self.header(line);
            self.keep(line);
            return;
        }
        self.is_in_hunks = true;
        let is_combined = self.file.change == ChangeKind::Conflicted;
        match line.first() {
            Some(b'+') if !is_combined => self.file.lines_added += 1,
            Some(b'-') if !is_combined => self.file.lines_removed += 1,
            _ => {}
        }
        if !self.keep(line) || is_combined {
            return;
        }
        match hunk(line) {
            Some(hunk) => self.file.hunks.push(hunk),
            None => {
                if let Some(hunk) = self.file.hunks.last_mut() {
                    hunk.lines.push(shown(line));
                }
            }
        }
    }

    fn header(&mut self, line: &[u8]) {
        let file = &mut self.file;
        let after = |start: &str| line.strip_prefix(start.as_bytes());
        if after("new file mode ").is_some() {
            file.change = ChangeKind::Added;
        } else if after("deleted file mode ").is_some() {
            file.change = ChangeKind::Deleted;
        } else if let Some(rest) = after("rename from ").or_else(|| after("copy from ")) {
            let is_copy = line.starts_with(b"copy");
            file.change = if is_copy { ChangeKind::Copied } else { ChangeKind::Renamed };
            file.old_path = Some(shown(&name(rest).0));
        } else if let Some(rest) = after("rename to ").or_else(|| after("copy to ")) {
            file.path = shown(&name(rest).0);
        } else if after("old mode ").is_some() {
            self.old_mode = true;
        } else if after("Binary files ").is_some() || after("GIT binary patch").is_some() {
            file.binary = true;
        } else if let Some(rest) = after("+++ ").or_else(|| after("--- ")) {
            let (name, _) = name(rest);
            let own = name.strip_prefix(b"a/").or_else(|| name.strip_prefix(b"b/"));
            // The other of both is `/dev/null`.
            if let (Some(own), None) = (own, &file.old_path) {
                file.path = shown(own);
            }
        }
    }

    /// Adds a line to the text of the diff, if there is room.
    fn keep(&mut self, line: &[u8]) -> bool {
        if self.file.truncated || self.file.diff.len() + line.len() + 1 > DIFF_LIMIT {
            self.file.truncated = true;
            return false;
        }
        self.file.diff.push_str(&shown(line));
        self.file.diff.push('\n');
        true
    }

    fn finish(mut self) -> FileDiff {
        let is_only_mode = self.old_mode && !self.is_in_hunks && !self.file.binary;
        if is_only_mode && self.file.change == ChangeKind::Modified {
            self.file.change = ChangeKind::Mode;
        }
        self.file
    }
}

/// The name in `a/NAME b/NAME`, where both are the same: without hunks it stands nowhere else.
fn same_name(both: &[u8]) -> Vec<u8> {
    if both.starts_with(b"\"") {
        let (first, _) = name(both);
        return first.strip_prefix(b"a/").map_or(first.clone(), <[u8]>::to_vec);
    }
    let (a, b) = both.split_at(both.len() / 2);
    match (a.strip_prefix(b"a/"), b.strip_prefix(b" b/")) {
        (Some(a), Some(b)) if a == b => a.to_vec(),
        _ => both.to_vec(),
    }
}

/// `@@ -1,2 +3,4 @@ heading`
fn hunk(line: &[u8]) -> Option<PatchHunk> {
    let line = shown(line.strip_prefix(b"@@ -")?);
    let (old, rest) = line.split_once(" +")?;
    let (new, _) = rest.split_once(" @@")?;
    let range = |text: &str| -> Option<(u64, u64)> {
        match text.split_once(',') {
            Some((start, lines)) => Some((start.parse().ok()?, lines.parse().ok()?)),
            None => Some((text.parse().ok()?, 1)),
        }
    };
    let ((old_start, old_lines), (new_start, new_lines)) = (range(old)?, range(new)?);
    Some(PatchHunk { old_start, old_lines, new_start, new_lines, lines: Vec::new() })
}

fn shown(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}
