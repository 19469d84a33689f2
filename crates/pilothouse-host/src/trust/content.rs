//! Reads the files of a repository that Claude Code takes configuration from, and what they name.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::time::Duration;

use pilothouse_client::git::Quarantine;
use sha2::{Digest as _, Sha256};

use super::Place;
use super::brings::{Brings, BroughtHelper};
use super::names::commands_in_markdown;
use crate::private::open_regular;

mod named;

use named::MOST_NAMES;

/// The most files that can be looked through.
const MOST_FILES: usize = 4_000;
/// The most bytes of them.
const MOST_BYTES: u64 = 128 * 1024 * 1024;
/// The deepest directory below `.claude`.
const DEEPEST: usize = 16;
/// The longest text that is read for the list of what a repository brings.
const LONGEST_TEXT: usize = 1024 * 1024;

/// How long git may take to list the settings of a repository.
const GIT_PATIENCE: Duration = Duration::from_secs(10);

/// Files that Claude Code takes configuration from, in lower case: some file systems ignore case.
const CONFIGURATION: [&str; 6] = [
    "settings.json",
    "settings.local.json",
    ".mcp.json",
    "hooks.json",
    "plugin.json",
    "marketplace.json",
];

/// Texts for the model. They start nothing, so they are listed and not part of the digest.
const INSTRUCTIONS: [&str; 3] = ["CLAUDE.md", "CLAUDE.local.md", "AGENTS.md"];

/// What counts of a repository's content at one moment.
#[derive(Clone, Debug, Default)]
pub(crate) struct Content {
    /// Digests by path, relative to the top of the work tree.
    pub(crate) files: BTreeMap<String, String>,
    pub(crate) brings: Brings,
    /// Why not all of it could be looked at.
    pub(crate) problem: Option<String>,
    /// Keeps git of a run that is not trusted from starting the repository's programs.
    pub(crate) quarantine: Quarantine,
}

impl Content {
    /// Reads what a session in this place, with these other directories, would be given. Blocks.
    pub(crate) fn read(place: &Place, added: &[PathBuf]) -> Self {
        // First, so that it holds whatever cannot be read later.
        let quarantine = Quarantine::of(&place.cwd, GIT_PATIENCE);
        let mut reader = Reader::new(place);
        let read = reader.git(&quarantine).and_then(|()| reader.read(added));
        let mut content = reader.content;
        content.brings.bound();
        let problem = match read {
            Err(error) => Some(error),
            Ok(()) if content.brings.hidden > 0 => Some(ContentError::Hidden),
            Ok(()) => {
                let unclear = content.brings.unclear.first().cloned().map(ContentError::Unclear);
                unclear.or_else(|| quarantine.problem.clone().map(ContentError::Git))
            }
        };
        content.problem = problem.map(|problem| problem.to_string());
        content.quarantine = quarantine;
        content
    }

    /// Whether there is nothing that a session could be given.
    pub(crate) fn is_empty(&self) -> bool {
        self.files.is_empty() && self.brings.instructions.is_empty() && self.problem.is_none()
    }

    /// Names the content: any other content has another digest.
    pub(crate) fn digest(&self) -> String {
        let mut hash = Sha256::new();
        for (path, digest) in &self.files {
            for part in [path, digest] {
                hash.update((part.len() as u64).to_be_bytes());
                hash.update(part);
            }
        }
        hex(&hash.finalize())
    }

    /// Paths that are not what they were.
    pub(crate) fn changed_since(&self, before: &BTreeMap<String, String>) -> Vec<String> {
        let paths: BTreeSet<_> = self.files.keys().chain(before.keys()).collect();
        let changed = paths.into_iter().filter(|path| self.files.get(*path) != before.get(*path));
        // A link and the file behind it may both have changed.
        let mut changed: Vec<_> = changed.map(|label| shown(label)).collect();
        changed.dedup();
        changed
    }
}

/// What stands behind a NUL in a label, which no path has, is not part of a file's name.
fn shown(label: &str) -> String {
    match label.split_once('\0') {
        Some(("", setting)) => format!("git setting {setting}"),
        Some((path, _)) => path.to_owned(),
        None => label.to_owned(),
    }
}

/// Why the content cannot be read.
#[derive(Debug, thiserror::Error)]
enum ContentError {
    #[error(
        "the configuration has more than {MOST_FILES} files: it cannot be trusted as it is; move \
         what is not configuration out of `.claude`"
    )]
    TooMany,
    #[error(
        "the configuration and what it names have more than {} MiB: it cannot be trusted as it is; \
         let its commands name smaller files", MOST_BYTES >> 20
    )]
    TooLarge,
    #[error(
        "the configuration has more entries, or longer ones, than can be shown: it cannot be \
         trusted as it is; shorten it"
    )]
    Hidden,
    #[error(
        "the commands of the configuration have more than {MOST_NAMES} words that could name files: \
         it cannot be trusted as it is; shorten it"
    )]
    TooManyNames,
    #[error("{0}: it cannot be trusted as it is; correct it, or remove it")]
    Unclear(String),
    #[error(
        "{0} makes the repository itself a plugin marketplace, and what plugins would take from it \
         cannot be told: it cannot be trusted as it is; move the marketplace into a directory"
    )]
    Marketplace(String),
    #[error("the repository's git settings cannot be read, so git finds no repository here: {0}")]
    Git(String),
    #[error("{path} cannot be read ({reason}): make it readable, or remove it")]
    Unreadable { path: String, reason: io::Error },
    #[error("{0} has a name that is no text: rename it, or remove it")]
    NoText(String),
}

struct Reader<'a> {
    place: &'a Place,
    content: Content,
    /// Directories that were walked, by real path: links may lead in circles.
    seen: BTreeSet<PathBuf>,
    /// Files that were taken in as configuration. Others are only hashed.
    parsed: BTreeSet<PathBuf>,
    /// Paths that commands may name, and that were looked at.
    looked: BTreeSet<PathBuf>,
    bytes: u64,
}

/// A regular file: its digest and its beginning.
struct Hashed {
    digest: String,
    text: Vec<u8>,
    is_cut: bool,
}

impl<'a> Reader<'a> {
    fn new(place: &'a Place) -> Self {
        Self {
            place,
            content: Content::default(),
            seen: BTreeSet::new(),
            parsed: BTreeSet::new(),
            looked: BTreeSet::new(),
            bytes: 0,
        }
    }

    fn read(&mut self, added: &[PathBuf]) -> Result<(), ContentError> {
        let place = self.place;
        for dir in place.levels() {
            self.level(dir)?;
        }
        for dir in added.iter().filter(|dir| !place.cwd.starts_with(dir)) {
            self.level(dir)?;
        }
        Ok(())
    }

    /// Git settings of the repository that start programs.
    fn git(&mut self, quarantine: &Quarantine) -> Result<(), ContentError> {
        for (setting, command) in &quarantine.programs {
            let label = format!("\0{setting}");
            self.content.files.insert(label, hex(&Sha256::digest(command)));
            self.content.brings.git.push(BroughtHelper {
                file: "git configuration".to_owned(),
                setting: setting.clone(),
                command: command.clone(),
            });
            self.named(command)?;
        }
        Ok(())
    }

    /// What Claude Code takes from one directory.
    fn level(&mut self, dir: &Path) -> Result<(), ContentError> {
        let claude = dir.join(".claude");
        match self.place.is_of_user(dir) {
            // The rest of it is the user's own configuration.
            true if dir == self.place.cwd => self.file(&claude.join("settings.local.json"))?,
            true => {}
            false => self.tree(&claude, 0)?,
        }
        self.file(&dir.join(".mcp.json"))?;
        for name in INSTRUCTIONS {
            let path = dir.join(name);
            if path.is_file() {
                let label = self.label(&path);
                self.content.brings.instructions.push(label);
            }
        }
        Ok(())
    }

    /// All files of a directory, links followed: Claude Code follows them too.
    fn tree(&mut self, dir: &Path, depth: usize) -> Result<(), ContentError> {
        let real = match dunce::canonicalize(dir) {
            Ok(real) => real,
            Err(_) => {
                // A link to nothing may be one to something later.
                self.note_link(dir);
                return Ok(());
            }
        };
        if !real.is_dir() {
            return self.file(dir);
        }
        if depth > DEEPEST {
            return Err(ContentError::TooMany);
        }
        if !self.seen.insert(real) {
            return Ok(());
        }
        for path in self.entries(dir)? {
            // Claude Code keeps whole work trees of its own there.
            if depth == 0 && path.file_name().is_some_and(|name| name == "worktrees") {
                continue;
            }
            self.note_link(&path);
            match fs::metadata(&path) {
                Ok(meta) if meta.is_dir() => self.tree(&path, depth + 1)?,
                _ => self.file(&path)?,
            }
        }
        Ok(())
    }

    fn entries(&self, dir: &Path) -> Result<Vec<PathBuf>, ContentError> {
        let unreadable =
            |reason| ContentError::Unreadable { path: dir.display().to_string(), reason };
        let mut paths = Vec::new();
        for entry in fs::read_dir(dir).map_err(unreadable)? {
            let path = entry.map_err(unreadable)?.path();
            // Two such names can look the same.
            if path.to_str().is_none() {
                return Err(ContentError::NoText(path.display().to_string()));
            }
            paths.push(path);
            if paths.len() > MOST_FILES {
                return Err(ContentError::TooMany);
            }
        }
        paths.sort();
        Ok(paths)
    }

    /// Where a link leads is content too.
    fn note_link(&mut self, path: &Path) {
        if let Ok(target) = fs::read_link(path) {
            let label = format!("{}\0link", self.label(path));
            self.content.files.insert(label, target.to_string_lossy().into_owned());
        }
    }

    /// Takes in a file, if there is one, and what it names.
    fn file(&mut self, path: &Path) -> Result<(), ContentError> {
        if !self.parsed.insert(path.to_owned()) {
            return Ok(());
        }
        let Some(hashed) = self.hash(path)? else { return Ok(()) };
        let label = self.label(path);
        self.content.files.insert(label.clone(), hashed.digest);
        let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        let name = name.to_lowercase();
        let (is_configuration, is_markdown) =
            (CONFIGURATION.contains(&&*name), name.ends_with(".md"));
        if hashed.is_cut && (is_configuration || is_markdown) {
            self.content.brings.unclear.push(format!("{label} is longer than what is read of it"));
            return Ok(());
        }
        let text = String::from_utf8_lossy(&hashed.text);
        let text = text.strip_prefix('\u{feff}').unwrap_or(&text);
        if is_markdown {
            self.content.brings.add_markdown(&label, text);
            let commands = commands_in_markdown(text);
            return commands.into_iter().try_for_each(|command| self.named(command));
        }
        if !name.ends_with(".json") {
            return Ok(());
        }
        let json = serde_json::from_str(text).ok();
        if is_configuration {
            self.content.brings.add_json(&label, &name, json.as_ref());
        }
        json.iter().try_for_each(|json| self.named_in_json(&label, json, false))
    }

    /// The digest of a regular file, and its beginning. Pipes and devices are not opened.
    fn hash(&mut self, path: &Path) -> Result<Option<Hashed>, ContentError> {
        let unreadable =
            |reason| ContentError::Unreadable { path: path.display().to_string(), reason };
        let real = match dunce::canonicalize(path) {
            Ok(real) => real,
            Err(error) if is_absent(&error) => return Ok(None),
            Err(error) => return Err(unreadable(error)),
        };
        if !real.is_file() {
            let digest = "not a file".to_owned();
            return Ok(Some(Hashed { digest, text: Vec::new(), is_cut: false }));
        }
        if self.content.files.len() >= MOST_FILES {
            return Err(ContentError::TooMany);
        }
        let mut file = open_regular(&real).map_err(unreadable)?;
        let (mut hash, mut text, mut is_cut) = (Sha256::new(), Vec::new(), false);
        let mut buffer = vec![0; 64 * 1024];
        loop {
            let read = file.read(&mut buffer).map_err(unreadable)?;
            let Some(bytes) = buffer.get(..read).filter(|bytes| !bytes.is_empty()) else { break };
            self.bytes += read as u64;
            if self.bytes > MOST_BYTES {
                return Err(ContentError::TooLarge);
            }
            hash.update(bytes);
            let room = LONGEST_TEXT.saturating_sub(text.len());
            text.extend(bytes.iter().take(room));
            is_cut |= room < bytes.len();
        }
        Ok(Some(Hashed { digest: hex(&hash.finalize()), text, is_cut }))
    }

    /// A path relative to the top of the work tree, so that worktrees of one repository agree.
    fn label(&self, path: &Path) -> String {
        let top = &self.place.top;
        if let Ok(below) = path.strip_prefix(top) {
            return below.display().to_string();
        }
        let above = top.ancestors().enumerate().skip(1);
        let label = above.filter(|(_, dir)| dir.parent().is_some()).find_map(|(up, dir)| {
            let rest = path.strip_prefix(dir).ok()?;
            Some(format!("{}{}", "../".repeat(up), rest.display()))
        });
        label.unwrap_or_else(|| path.display().to_string())
    }
}

fn is_absent(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory)
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests;
