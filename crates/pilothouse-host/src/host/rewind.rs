//! What putting files back would do to each of them.
//!
//! Which files those are, the CLI says; what they held, it has kept on disk. Both sides are read as
//! they are, and nothing is guessed: where one cannot be read, that is what is told.

use std::io::Read;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use pilothouse_client::history::{Before, Checkpoint, Scope, SessionId as CliSession};
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
        let checkpoint = self.checkpoint(session, prompt, &files).await?;
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
        session: SessionId,
        prompt: String,
        files: &[String],
    ) -> Result<Result<Checkpoint, String>, HostError> {
        let row = Arc::new(self.session(session).await?);
        let prompt: Arc<str> = prompt.into();
        let mut looks = 1;
        loop {
            let (house, row, prompt) = (Arc::clone(&self.0), Arc::clone(&row), Arc::clone(&prompt));
            let found = blocking(move || checkpoint(&house, &row, &prompt)).await;
            let is_whole = found
                .as_ref()
                .is_ok_and(|found| files.iter().all(|file| found.mentions(file.as_ref())));
            if is_whole || looks == LOOKS {
                return Ok(found);
            }
            looks += 1;
            tokio::time::sleep(APART).await;
        }
    }
}

/// What the CLI has kept, or why that is not known.
fn checkpoint(house: &House, row: &SessionRow, prompt: &str) -> Result<Checkpoint, String> {
    let profile: Profile = serde_json::from_value(row.settings.clone()).unwrap_or_default();
    let name = row.cli_session.clone().unwrap_or_default();
    let found = house.history(&profile).and_then(|history| {
        let session = CliSession::parse(name)?;
        history.checkpoint(&session, &Scope::AllProjects, Path::new(&row.cwd), prompt)
    });
    match found {
        Ok(Some(checkpoint)) => Ok(checkpoint),
        Ok(None) => Err("the CLI has written down no checkpoint for this prompt".to_owned()),
        Err(error) => Err(error.to_string()),
    }
}

fn look(path: String, checkpoint: &Checkpoint, left: &mut u64) -> PutBack {
    let (now, before) = (present(&path, *left), checkpoint.before(path.as_ref(), MOST_OF_FILE));
    let kind = match (&now, &before) {
        (Ok(None), Ok(Before::NotThere)) => None,
        (_, Ok(Before::NotThere)) => Some(PutBackKind::Deleted),
        (Ok(None), _) => Some(PutBackKind::Created),
        (_, Ok(Before::Bytes(_))) => Some(PutBackKind::Changed),
        (_, Err(_)) => None,
    };
    let (patch, unknown) = match (now, before) {
        (Ok(now), Ok(before)) => {
            let before = match before {
                Before::NotThere => None,
                Before::Bytes(bytes) => Some(bytes),
            };
            let read = [&now, &before].map(|side| side.as_ref().map_or(0, Vec::len) as u64);
            *left = left.saturating_sub(read.iter().sum());
            match (text(now), text(before)) {
                (Some(now), Some(before)) => {
                    (Patch::whole(&path, now.as_deref(), before.as_deref()), None)
                }
                _ => (None, Some("it is no text".to_owned())),
            }
        }
        (Err(why), _) => (None, Some(why)),
        (_, Err(why)) => (None, Some(why.to_string())),
    };
    PutBack { path, kind, patch, unknown }
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
        return Err("so many files would change that this one was not compared".to_owned());
    }
    let read = || -> Result<Vec<u8>, FileError> {
        let roots = Roots::new(path.parent().unwrap_or(path), Vec::<&Path>::new())?;
        let file = roots.resolve(path)?.into_file()?;
        let mut bytes = Vec::new();
        file.take(MOST_OF_FILE)
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
