//! What putting files back would do to each of them.
//!
//! Which files those are, the CLI says; what they held, it has kept on disk. Both sides are read as
//! they are, and nothing is guessed: where one cannot be read, that is what is told.

use std::io::Read;
use std::path::{Path, PathBuf};
use std::time::Duration;

use pilothouse_client::history::{
    Before, Checkpoint, CopyError, History, HistoryError, Scope, SessionId as CliSession,
};
use pilothouse_session::id::SessionId;
use pilothouse_session::tool::Patch;
use schemars::JsonSchema;
use serde::Serialize;

use super::house::blocking;
use super::profile::Profile;
use super::{Host, HostError, House};
use crate::files::{FileError, Roots};
use crate::store::SessionRow;

/// The most that is read of a file, on each side.
const MOST_OF_FILE: u64 = 4 << 20;

/// The most that is read of all files together.
const MOST_OF_ALL: u64 = 64 << 20;

/// The CLI writes down what it knows of a file a little after it has changed it: it is looked for so
/// often, so far apart.
const LOOKS: u32 = 20;
const APART: Duration = Duration::from_millis(50);

const NONE: &str = "the CLI has written down no checkpoint for this prompt";
const TOO_MANY: &str = "so many files would change that this one was not compared";

/// A file that would be put back.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct PutBack {
    /// Its absolute name.
    pub path: String,
    /// What would become of it; none where that is not known.
    pub kind: Option<PutBackKind>,
    /// What would change in it, from what it holds now to what it would hold; none where no line
    /// changes, or it is not known.
    pub patch: Option<Patch>,
    /// Why what would change is not shown.
    pub unknown: Option<String>,
}

/// What would become of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum PutBackKind {
    /// It would have other content.
    Changed,
    /// It is not there, and would be again.
    Created,
    /// It is there, and was not: it would be removed.
    Deleted,
}

impl Host {
    /// What putting files back as they were before a prompt would do to these, which the CLI has
    /// named.
    pub async fn put_back(
        &self,
        session: SessionId,
        prompt: String,
        files: Vec<String>,
    ) -> Result<Vec<PutBack>, HostError> {
        let row = self.session(session).await?;
        let checkpoint = self.checkpoint(row, prompt, &files).await;
        Ok(blocking(move || {
            let mut left = MOST_OF_ALL;
            let look = |path| match &checkpoint {
                Ok(checkpoint) => look(path, checkpoint, &mut left),
                Err(why) => PutBack { path, kind: None, patch: None, unknown: Some(why.clone()) },
            };
            files.into_iter().map(look).collect()
        })
        .await)
    }

    /// What the CLI has kept of these files, or why that is not known.
    async fn checkpoint(
        &self,
        row: SessionRow,
        prompt: String,
        files: &[String],
    ) -> Result<Checkpoint, String> {
        let mut desk = Desk::of(&self.0, &row, prompt)?;
        let mut found = Err(NONE.to_owned());
        for look in 1..=LOOKS {
            if look > 1 {
                tokio::time::sleep(APART).await;
            }
            let looked = blocking(move || {
                let new = desk.look();
                (desk, new)
            });
            let (back, new) = looked.await;
            desk = back;
            let Some(new) = new else { continue };
            found = new;
            let mentions = |found: &Checkpoint| files.iter().all(|it| found.mentions(it.as_ref()));
            if found.as_ref().is_ok_and(mentions) {
                break;
            }
        }
        found
    }
}

/// Where it is looked up what the CLI has kept.
struct Desk {
    history: History,
    session: CliSession,
    cwd: PathBuf,
    prompt: String,
    /// How long the transcript was when it was read.
    read: Option<u64>,
}

impl Desk {
    fn of(house: &House, row: &SessionRow, prompt: String) -> Result<Self, String> {
        let profile: Profile = serde_json::from_value(row.settings.clone()).unwrap_or_default();
        let said = |error: HistoryError| error.to_string();
        let history = house.history(&profile).map_err(said)?;
        let session = CliSession::parse(row.cli_session.clone().unwrap_or_default());
        let (session, cwd) = (session.map_err(said)?, row.cwd.clone().into());
        Ok(Self { history, session, cwd, prompt, read: None })
    }

    /// What the CLI has kept, as far as it is written down by now. A transcript may be long: where
    /// nothing was added to it, it is not read again.
    fn look(&mut self) -> Option<Result<Checkpoint, String>> {
        match self.size() {
            Ok(size) if self.read == Some(size) => None,
            Ok(size) => {
                self.read = Some(size);
                Some(self.checkpoint())
            }
            // It may not be there yet.
            Err(why) => Some(Err(why)),
        }
    }

    fn size(&self) -> Result<u64, String> {
        let path = self.history.transcript(&self.session, &Scope::AllProjects);
        let path = path.map_err(|error| error.to_string())?;
        let meta = path.symlink_metadata().map_err(|error| error.to_string())?;
        Ok(meta.len())
    }

    fn checkpoint(&self) -> Result<Checkpoint, String> {
        let Self { history, session, cwd, prompt, .. } = self;
        match history.checkpoint(session, &Scope::AllProjects, cwd, prompt) {
            Ok(Some(checkpoint)) => Ok(checkpoint),
            Ok(None) => Err(NONE.to_owned()),
            Err(error) => Err(error.to_string()),
        }
    }
}

/// What becomes of one file. No more than `left` is read, and what was is taken off it.
fn look(path: String, checkpoint: &Checkpoint, left: &mut u64) -> PutBack {
    let now = present(&path, *left);
    *left -= read(now.as_ref().ok().and_then(Option::as_ref)).min(*left);
    // Where there is nothing to compare it with, it is only asked whether there is a copy.
    let most = if now.is_ok() { MOST_OF_FILE.min(*left) } else { 0 };
    let before = match checkpoint.before(path.as_ref(), most) {
        Ok(Before::NotThere) => Ok(None),
        Ok(Before::Bytes(bytes)) => Ok(Some(bytes)),
        Err(error) => Err(error),
    };
    *left -= read(before.as_ref().ok().and_then(Option::as_ref)).min(*left);
    let kind = match (&now, &before) {
        (Ok(None), Ok(None)) => None,
        (_, Ok(None)) => Some(PutBackKind::Deleted),
        (Ok(None), _) => Some(PutBackKind::Created),
        (_, Ok(Some(_)) | Err(CopyError::TooLarge { .. })) => Some(PutBackKind::Changed),
        (_, Err(_)) => None,
    };
    let (patch, unknown) = match (now, before) {
        (Ok(now), Ok(before)) => match (text(now), text(before)) {
            (Some(now), Some(before)) => {
                (Patch::whole(&path, now.as_deref(), before.as_deref()), None)
            }
            _ => (None, Some("it is no text".to_owned())),
        },
        (Err(why), _) => (None, Some(why)),
        (_, Err(CopyError::TooLarge { most })) if most < MOST_OF_FILE => {
            (None, Some(TOO_MANY.to_owned()))
        }
        (_, Err(why)) => (None, Some(why.to_string())),
    };
    PutBack { path, kind, patch, unknown }
}

fn read(bytes: Option<&Vec<u8>>) -> u64 {
    bytes.map_or(0, |bytes| bytes.len() as u64)
}

/// What a file holds now: `None` where there is none.
///
/// A link is not followed: the CLI's releases differ in whether they write through one, and what it
/// leads to need not be theirs to name.
fn present(path: &str, left: u64) -> Result<Option<Vec<u8>>, String> {
    let path = Path::new(path);
    let meta = match path.symlink_metadata() {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(format!("it cannot be read: {error}")),
        Ok(meta) => meta,
    };
    if meta.is_symlink() || is_linked_twice(&meta) {
        return Err("it is a link; recent CLIs leave links as they are, older ones write to what \
                    they lead to"
            .to_owned());
    }
    if meta.len() > MOST_OF_FILE {
        return Err(format!("it is larger than the {MOST_OF_FILE} bytes that are compared"));
    }
    if meta.len() > left {
        return Err(TOO_MANY.to_owned());
    }
    let read = || -> Result<Vec<u8>, FileError> {
        let roots = Roots::new(path.parent().unwrap_or(path), Vec::<&Path>::new())?;
        let file = roots.resolve(path)?.into_file()?;
        let mut bytes = Vec::new();
        file.take(MOST_OF_FILE.min(left))
            .read_to_end(&mut bytes)
            .map_err(|error| FileError::unreadable(path, error))?;
        Ok(bytes)
    };
    read().map(Some).map_err(|error| error.to_string())
}

#[cfg(unix)]
fn is_linked_twice(meta: &std::fs::Metadata) -> bool {
    use std::os::unix::fs::MetadataExt;
    meta.is_file() && meta.nlink() > 1
}

#[cfg(not(unix))]
fn is_linked_twice(_: &std::fs::Metadata) -> bool {
    false
}

/// The text of a file that may not be there; none where it is no text.
fn text(bytes: Option<Vec<u8>>) -> Option<Option<String>> {
    match bytes {
        None => Some(None),
        Some(bytes) if bytes.contains(&0) => None,
        Some(bytes) => Some(Some(match String::from_utf8(bytes) {
            Ok(text) => text,
            Err(error) => String::from_utf8_lossy(error.as_bytes()).into_owned(),
        })),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    const ID: &str = "00000000-0000-4000-8000-000000000001";
    const COPY: &str = "aaaaaaaaaaaaaaaa@v1";

    /// A conversation that has a copy of 100 bytes of each of these files.
    fn desk(dir: &Path, files: &[&str]) -> Desk {
        let (project, copies) = (dir.join("projects/-p"), dir.join("file-history").join(ID));
        for dir in [&project, &copies] {
            std::fs::create_dir_all(dir).unwrap();
        }
        std::fs::write(copies.join(COPY), "a".repeat(100)).unwrap();
        let copy = json!({"backupFileName": COPY, "version": 1});
        let kept: serde_json::Map<_, _> =
            files.iter().map(|file| ((*file).to_owned(), copy.clone())).collect();
        let snapshot = json!({"messageId": "p", "trackedFileBackups": kept});
        let line = json!({"type": "file-history-snapshot", "snapshot": snapshot});
        std::fs::write(project.join(format!("{ID}.jsonl")), format!("{line}\n")).unwrap();
        Desk {
            history: History::at(dir),
            session: CliSession::parse(ID).unwrap(),
            cwd: dir.to_owned(),
            prompt: "p".to_owned(),
            read: None,
        }
    }

    #[test]
    fn no_more_is_read_than_there_is_left_also_of_files_that_are_gone() {
        let dir = tempfile::tempdir().unwrap();
        let dir = dir.path().canonicalize().unwrap();
        let checkpoint = desk(&dir, &["one", "two", "three"]).checkpoint().unwrap();
        let mut left = 150;
        let mut see = |name: &str| {
            let seen = look(dir.join(name).display().to_string(), &checkpoint, &mut left);
            (seen.kind, seen.patch.is_some(), seen.unknown)
        };
        let created = Some(PutBackKind::Created);
        assert_eq!(see("one"), (created, true, None));
        assert_eq!(see("two"), (created, false, Some(TOO_MANY.to_owned())));
        std::fs::write(dir.join("three"), "b".repeat(60)).unwrap();
        let changed = Some(PutBackKind::Changed);
        assert_eq!(see("three"), (changed, false, Some(TOO_MANY.to_owned())));
        assert_eq!(left, 50, "what was not compared was not read");
    }

    #[test]
    fn a_transcript_is_read_again_only_when_something_was_added_to_it() {
        let dir = tempfile::tempdir().unwrap();
        let mut desk = desk(dir.path(), &["one"]);
        assert!(desk.look().unwrap().is_ok());
        assert!(desk.look().is_none(), "nothing was added");
        let path = dir.path().join(format!("projects/-p/{ID}.jsonl"));
        let mut file = std::fs::File::options().append(true).open(&path).unwrap();
        std::io::Write::write_all(&mut file, b"{}\n").unwrap();
        assert!(desk.look().unwrap().is_ok());
        std::fs::remove_file(&path).unwrap();
        assert!(desk.look().unwrap().is_err());
    }
}
