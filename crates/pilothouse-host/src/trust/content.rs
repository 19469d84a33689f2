//! The files of a repository that Claude Code takes configuration from, and those that they name.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io::{self, Read};
use std::path::{Component, Path, PathBuf};
use std::time::Duration;

use pilothouse_client::git::Quarantine;
use serde_json::Value;
use sha2::{Digest as _, Sha256};

use super::Place;
use super::brings::{Brings, BroughtHelper};
use super::names::{commands_in_markdown, names};
use crate::private::open_regular;

/// The most files that can be looked through.
const MOST_FILES: usize = 4_000;
/// The most bytes of them.
const MOST_BYTES: u64 = 128 * 1024 * 1024;
/// The deepest directory below `.claude`.
const DEEPEST: usize = 16;
/// The most files of a directory that a command names.
const MOST_IN_DIRECTORY: usize = 256;
/// The longest text that is read for the list of what a repository brings.
const LONGEST_TEXT: usize = 1024 * 1024;

/// How long git may take to list the settings of a repository.
const GIT_PATIENCE: Duration = Duration::from_secs(10);

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
        let mut reader =
            Reader { place, content: Self::default(), seen: BTreeSet::new(), bytes: 0 };
        let read = reader.read(added);
        let mut content = reader.content;
        content.brings.bound();
        content.problem = match read {
            Err(error) => Some(error.to_string()),
            Ok(()) if content.brings.hidden > 0 => Some(ContentError::Hidden.to_string()),
            Ok(()) => None,
        };
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
            hash.update((path.len() as u64).to_be_bytes());
            hash.update(path);
            hash.update(digest);
        }
        hex(&hash.finalize())
    }

    /// Paths that are not what they were.
    pub(crate) fn changed_since(&self, before: &BTreeMap<String, String>) -> Vec<String> {
        let paths: BTreeSet<_> = self.files.keys().chain(before.keys()).collect();
        let changed = paths.into_iter().filter(|path| self.files.get(*path) != before.get(*path));
        changed.cloned().collect()
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
    #[error("{path} cannot be read ({reason}): make it readable, or remove it")]
    Unreadable { path: String, reason: io::Error },
}

struct Reader<'a> {
    place: &'a Place,
    content: Content,
    /// Directories that were walked, by real path: links may lead in circles.
    seen: BTreeSet<PathBuf>,
    bytes: u64,
}

impl Reader<'_> {
    fn read(&mut self, added: &[PathBuf]) -> Result<(), ContentError> {
        let place = self.place;
        for dir in place.levels() {
            self.level(dir)?;
        }
        self.git()?;
        for dir in added.iter().filter(|dir| !place.cwd.starts_with(dir)) {
            self.level(dir)?;
        }
        Ok(())
    }

    /// Git settings of the repository that start programs.
    fn git(&mut self) -> Result<(), ContentError> {
        let quarantine = Quarantine::of(&self.place.cwd, GIT_PATIENCE);
        for (setting, command) in &quarantine.programs {
            let label = format!("git {setting}");
            self.content.files.insert(label, hex(&Sha256::digest(command)));
            self.content.brings.git.push(BroughtHelper {
                file: "git configuration".to_owned(),
                setting: setting.clone(),
                command: command.clone(),
            });
            self.named(command)?;
        }
        self.content.quarantine = quarantine;
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
            paths.push(entry.map_err(unreadable)?.path());
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
            let label = format!("{} (link)", self.label(path));
            self.content.files.insert(label, target.to_string_lossy().into_owned());
        }
    }

    /// Takes in a file, if there is one, and what it names.
    fn file(&mut self, path: &Path) -> Result<(), ContentError> {
        let label = self.label(path);
        if self.content.files.contains_key(&label) {
            return Ok(());
        }
        let Some((digest, text)) = self.hash(path)? else { return Ok(()) };
        self.content.files.insert(label.clone(), digest);
        let text = String::from_utf8_lossy(&text);
        match path.extension().and_then(|extension| extension.to_str()) {
            Some("json") => {
                let json = serde_json::from_str(&text).ok();
                self.content.brings.add_json(&label, json.as_ref());
                json.iter().try_for_each(|json| self.named_in_json(json, false))
            }
            Some("md") => {
                self.content.brings.add_markdown(&label, &text);
                let commands = commands_in_markdown(&text);
                commands.into_iter().try_for_each(|command| self.named(command))
            }
            _ => Ok(()),
        }
    }

    /// The digest of a regular file, and its beginning. Pipes and devices are not opened.
    fn hash(&mut self, path: &Path) -> Result<Option<(String, Vec<u8>)>, ContentError> {
        let unreadable =
            |reason| ContentError::Unreadable { path: path.display().to_string(), reason };
        let real = match dunce::canonicalize(path) {
            Ok(real) => real,
            Err(error) if is_absent(&error) => return Ok(None),
            Err(error) => return Err(unreadable(error)),
        };
        if !real.is_file() {
            return Ok(Some(("not a file".to_owned(), Vec::new())));
        }
        if self.content.files.len() >= MOST_FILES {
            return Err(ContentError::TooMany);
        }
        let mut file = open_regular(&real).map_err(unreadable)?;
        let (mut hash, mut text) = (Sha256::new(), Vec::new());
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
        }
        Ok(Some((hex(&hash.finalize()), text)))
    }

    /// Every text of a settings file may be a command, or an argument of one. Rules of permissions
    /// name files too, and run none.
    fn named_in_json(&mut self, value: &Value, is_market: bool) -> Result<(), ContentError> {
        match value {
            Value::String(text) if is_market => self.named_tree(text),
            Value::String(text) => self.named(text),
            Value::Array(values) => {
                values.iter().try_for_each(|value| self.named_in_json(value, is_market))
            }
            Value::Object(map) => {
                let used = map.iter().filter(|(key, _)| *key != "permissions");
                let mut used =
                    used.map(|(key, value)| (is_market || key == "extraKnownMarketplaces", value));
                used.try_for_each(|(is_market, value)| self.named_in_json(value, is_market))
            }
            _ => Ok(()),
        }
    }

    /// The files that a command names.
    fn named(&mut self, command: &str) -> Result<(), ContentError> {
        for name in names(command) {
            for path in self.candidates(&name) {
                self.note_link(&path);
                match fs::metadata(&path) {
                    Ok(meta) if meta.is_dir() => self.direct_files(&path)?,
                    Ok(_) => self.named_file(&path)?,
                    // Whoever adds it later changes the digest.
                    Err(_) => {}
                }
            }
        }
        Ok(())
    }

    fn named_file(&mut self, path: &Path) -> Result<(), ContentError> {
        let label = self.label(path);
        if !self.content.files.contains_key(&label)
            && let Some((digest, _)) = self.hash(path)?
        {
            self.content.files.insert(label, digest);
        }
        Ok(())
    }

    /// A directory that is named stands for the program in it, not for all that is below.
    fn direct_files(&mut self, dir: &Path) -> Result<(), ContentError> {
        if self.place.cwd.starts_with(dir) {
            return Ok(());
        }
        let files = self.entries(dir)?.into_iter().filter(|path| path.is_file());
        files.take(MOST_IN_DIRECTORY).try_for_each(|path| self.named_file(&path))
    }

    /// A marketplace of plugins in the repository: all of it can be loaded.
    fn named_tree(&mut self, name: &str) -> Result<(), ContentError> {
        for path in self.candidates(name) {
            if path.is_dir() && !self.place.cwd.starts_with(&path) {
                self.tree(&path, 1)?;
            }
        }
        Ok(())
    }

    /// The paths of the repository that a name can mean.
    fn candidates(&self, name: &str) -> Vec<PathBuf> {
        let (top, cwd) = (&self.place.top, &self.place.cwd);
        let inside = name.trim_start_matches('/');
        let mut paths: Vec<_> =
            [cwd.join(name), top.join(name), cwd.join(inside), top.join(inside)]
                .iter()
                .map(|path| normal(path))
                .filter(|path| path.starts_with(top) && path != top)
                .collect();
        paths.sort();
        paths.dedup();
        paths
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

/// Without `.` and `..`, by the letter.
fn normal(path: &Path) -> PathBuf {
    let mut normal = PathBuf::new();
    for component in path.components() {
        match component {
            Component::CurDir => {}
            Component::ParentDir => {
                normal.pop();
            }
            other => normal.push(other),
        }
    }
    normal
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests;
