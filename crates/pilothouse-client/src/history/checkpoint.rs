//! What files held before a prompt, as the CLI has kept it.
//!
//! With file checkpointing on, the CLI copies a file into `file-history/<session>/` before it first
//! changes it, and again when a later prompt finds it changed. Which copy belongs to which prompt
//! stands in the transcript: a `file-history-snapshot` line for each prompt, and, in later releases,
//! a `file-history-delta` line for each file that a prompt's turn is the first to change.
//!
//! A transcript may say anything, so a copy is only ever looked for by the kind of name that the CLI
//! gives, in the directory of the session, and not through a link.

use std::collections::BTreeMap;
use std::fs::OpenOptions;
use std::io::{self, Read};
use std::path::{Component, Path, PathBuf};

use super::files::{Lines, open_regular};
use super::json::Value;
use super::key::resolve;
use super::line::Line;
use super::{History, HistoryError, Scope, SessionId};

/// More files than any turn changes; further ones are left out.
const MOST_FILES: usize = 50_000;

/// The version of the copy that is made before a file is changed for the first time.
const FIRST: &str = "1";

/// The files that the CLI has kept, as they were before one prompt.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Checkpoint {
    copies: PathBuf,
    files: BTreeMap<PathBuf, Kept>,
}

/// What the CLI says it has kept of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Kept {
    /// There was no such file.
    NotThere,
    /// A copy.
    Copy(CopyName),
    /// Something else: a name that could lead anywhere.
    Unusable,
}

/// What a file held.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Before {
    /// There was none.
    NotThere,
    /// All of it.
    Bytes(Vec<u8>),
}

/// Why it is not known what a file held.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CopyError {
    /// The transcript does not mention the file for this prompt.
    #[error("the CLI has written down no copy of this file")]
    NotKept,
    /// The transcript names a copy that the CLI would not have named so.
    #[error("the CLI's transcript names its copy of this file in a way that is not followed")]
    BadName,
    /// It is too large to be read here.
    #[error("the CLI's copy of this file is larger than the {most} bytes that are read")]
    TooLarge {
        /// The limit.
        most: u64,
    },
    /// It cannot be read.
    #[error("the CLI's copy of this file cannot be read: {0}")]
    Io(#[from] io::Error),
}

impl History {
    /// What the CLI has kept of files as they were before a prompt.
    ///
    /// `cwd` is where the CLI was started: it writes names down relative to that. `None` where the
    /// CLI has made no checkpoint for the prompt.
    ///
    /// # Errors
    /// [`HistoryError::SessionNotFound`], and [`HistoryError::Io`] when the transcript cannot be
    /// read.
    pub fn checkpoint(
        &self,
        session: &SessionId,
        scope: &Scope,
        cwd: &Path,
        prompt: &str,
    ) -> Result<Option<Checkpoint>, HistoryError> {
        let transcript = self.find(session, scope)?;
        let failed = || HistoryError::io("read", &transcript.path);
        let mut lines = Lines::open(&transcript.path).map_err(failed())?;
        let mut ledger = Ledger::new(cwd, prompt);
        while let Some((_, bytes)) = lines.next_line().map_err(failed())? {
            // Most lines are messages, and long.
            if memchr::memmem::find(bytes, b"file-history-").is_some()
                && let Some(line) = Line::parse(&String::from_utf8_lossy(bytes))
            {
                ledger.note(&line);
            }
        }
        let copies = self.config_dir().join("file-history").join(session.as_str());
        Ok(ledger.files().map(|files| Checkpoint { copies, files }))
    }
}

impl Checkpoint {
    /// Whether the CLI has written down what it knows of a file. It does so a little after it has
    /// changed the file.
    pub fn mentions(&self, path: &Path) -> bool {
        self.files.contains_key(path)
    }

    /// The files, by their absolute names.
    pub fn files(&self) -> impl Iterator<Item = &Path> {
        self.files.keys().map(PathBuf::as_path)
    }

    /// What the file of this absolute name held; no more than `most` bytes are read.
    ///
    /// # Errors
    /// [`CopyError`] says why it is not known.
    pub fn before(&self, path: &Path, most: u64) -> Result<Before, CopyError> {
        let name = match self.files.get(path).ok_or(CopyError::NotKept)? {
            Kept::NotThere => return Ok(Before::NotThere),
            Kept::Unusable => return Err(CopyError::BadName),
            Kept::Copy(name) => name,
        };
        let path = self.copies.join(&name.0);
        let file = open_regular(&path, OpenOptions::new().read(true))?;
        let mut bytes = Vec::new();
        file.take(most.saturating_add(1)).read_to_end(&mut bytes)?;
        if bytes.len() as u64 > most {
            return Err(CopyError::TooLarge { most });
        }
        Ok(Before::Bytes(bytes))
    }
}

/// The name of a copy, of the one kind that the CLI gives: `0123456789abcdef@v2`.
#[derive(Clone, Debug, PartialEq, Eq)]
struct CopyName(String);

impl CopyName {
    fn parse(text: &str) -> Option<Self> {
        let (hash, version) = text.split_once("@v")?;
        let is_hash = hash.len() == 16 && hash.bytes().all(|byte| byte.is_ascii_hexdigit());
        let is_version =
            (1..=16).contains(&version.len()) && version.bytes().all(|byte| byte.is_ascii_digit());
        (is_hash && is_version).then(|| Self(text.to_owned()))
    }
}

/// What the lines of a transcript say, as far as it concerns one prompt.
struct Ledger<'a> {
    cwd: PathBuf,
    prompt: &'a str,
    /// The files that were known when the prompt came, and those its turn was the first to change.
    at_prompt: Option<BTreeMap<PathBuf, Kept>>,
    /// Each file as it was before it was first changed. That is also how it was before the prompt,
    /// where it became known later. A conversation that went back may have forgotten a file and
    /// have made a first copy of it again: the last one is the one that is there.
    at_first: BTreeMap<PathBuf, Kept>,
}

impl<'a> Ledger<'a> {
    fn new(cwd: &Path, prompt: &'a str) -> Self {
        Self { cwd: resolve(cwd), prompt, at_prompt: None, at_first: BTreeMap::new() }
    }

    fn note(&mut self, line: &Line<'_>) {
        if line.is_type("file-history-snapshot") {
            let Some(snapshot) = line.get("snapshot").map(Line::of) else { return };
            let is_ours = snapshot.text("messageId").is_some_and(|id| id == self.prompt);
            if is_ours {
                // One that comes again has everything that the one before had.
                self.at_prompt = Some(BTreeMap::new());
            }
            let backups = snapshot.get("trackedFileBackups").into_iter().flat_map(Value::members);
            for backup in backups {
                self.keep(&backup.key(), backup.value, is_ours);
            }
        } else if line.is_type("file-history-delta") {
            let is_ours = line.text("snapshotMessageId").is_some_and(|id| id == self.prompt);
            if is_ours {
                self.at_prompt.get_or_insert_default();
            }
            if let (Some(name), Some(backup)) = (line.text("trackingPath"), line.get("backup")) {
                self.keep(&name, backup, is_ours);
            }
        }
    }

    fn keep(&mut self, name: &str, backup: Value<'_>, is_ours: bool) {
        let is_first = backup.get("version").is_some_and(|version| version.raw() == FIRST);
        if !is_ours && !is_first {
            return;
        }
        let kept = match backup.get("backupFileName") {
            Some(none) if none.raw() == "null" => Kept::NotThere,
            Some(name) => name
                .whole_text()
                .and_then(|name| CopyName::parse(&name))
                .map_or(Kept::Unusable, Kept::Copy),
            None => Kept::Unusable,
        };
        let path = plain(&self.cwd.join(name));
        if is_first {
            put(&mut self.at_first, &path, &kept);
        }
        if let Some(files) = self.at_prompt.as_mut().filter(|_| is_ours) {
            put(files, &path, &kept);
        }
    }

    fn files(self) -> Option<BTreeMap<PathBuf, Kept>> {
        let mut files = self.at_first;
        files.extend(self.at_prompt?);
        Some(files)
    }
}

fn put(files: &mut BTreeMap<PathBuf, Kept>, path: &Path, kept: &Kept) {
    if files.len() < MOST_FILES || files.contains_key(path) {
        files.insert(path.to_owned(), kept.clone());
    }
}

/// Without `.` and `..`, as the CLI joins names.
fn plain(path: &Path) -> PathBuf {
    let mut plain = PathBuf::new();
    for component in path.components() {
        match component {
            Component::CurDir => {}
            Component::ParentDir => {
                plain.pop();
            }
            other => plain.push(other),
        }
    }
    plain
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_names_that_the_cli_gives_are_followed() {
        for good in ["0123456789abcdef@v1", "0123456789abcdef@v42"] {
            assert!(CopyName::parse(good).is_some(), "{good}");
        }
        for bad in [
            "",
            "../../../etc/passwd",
            "/etc/passwd",
            "0123456789abcdef",
            "0123456789abcdef@v",
            "0123456789abcdef@v1/../x",
            "0123456789abcde/@v1",
            "0123456789abcdef@v12345678901234567",
            "é123456789abcde@v1",
        ] {
            assert!(CopyName::parse(bad).is_none(), "{bad}");
        }
    }
}
