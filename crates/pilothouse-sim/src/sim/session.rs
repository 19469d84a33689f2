//! Which session this is, and what was said in it before.

use std::cell::RefCell;
use std::fs;
use std::path::{Path, PathBuf};
use std::rc::Rc;

use serde_json::{Value, json};
use uuid::Uuid;

use super::launch::Launch;
use super::thread::Thread;
use super::transcript::{Stamp, Transcript, branch, read};

/// The session at the moment; `/clear` begins another one.
pub(super) struct Session {
    transcript: RefCell<Rc<Transcript>>,
}

/// What was there when a session was resumed.
#[derive(Debug, Default)]
pub(super) struct Past {
    pub(super) thread: Thread,
    pub(super) costs: Option<Value>,
    pub(super) title: Option<String>,
}

/// Why a session cannot be opened. The texts are the CLI's: hosts look for them.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(super) enum OpenError {
    #[error("No conversation found with session ID: {id}")]
    Unknown { id: String },
    #[error("No message found with message.uuid of: {uuid}")]
    NoSuchMessage { id: String, uuid: String },
    #[error("Error: Session ID {id} is already in use.")]
    InUse { id: String },
}

impl Session {
    /// Opens the session that the flags ask for.
    pub(super) fn open(launch: &Launch) -> Result<(Self, Past), OpenError> {
        let root = launch.config.join("projects").join(key(&launch.cwd));
        let file = |id: &str| root.join(format!("{id}.jsonl"));
        let flags = &launch.flags;
        let fresh = || flags.session_id.clone().unwrap_or_else(|| Uuid::new_v4().to_string());
        let transcript = |id: &str| {
            let stamp = Stamp {
                cwd: launch.cwd.clone(),
                version: launch.version(),
                entrypoint: launch.entrypoint.clone(),
            };
            Transcript::new(file(id), stamp, id, !flags.persists_not)
        };
        let resumed = match &flags.resume {
            Some(id) => Some(id.clone()),
            None if flags.continues => latest(&root),
            None => None,
        };
        let Some(resumed) = resumed else {
            let id = fresh();
            if file(&id).exists() {
                return Err(OpenError::InUse { id });
            }
            let past = Past { thread: Thread::by(launch.author), ..Past::default() };
            return Ok((Self::with(transcript(&id)), past));
        };
        let lines = read(&file(&resumed)).ok_or(OpenError::Unknown { id: resumed.clone() })?;
        let told = branch(&lines, flags.resume_at.as_deref()).ok_or_else(|| {
            let uuid = flags.resume_at.clone().unwrap_or_default();
            OpenError::NoSuchMessage { id: resumed.clone(), uuid }
        })?;
        let past = Past {
            thread: Thread::replay(&told, launch.author),
            costs: last_note(&lines, "cost-state").cloned(),
            title: last_note(&lines, "custom-title")
                .and_then(|line| line["customTitle"].as_str())
                .map(str::to_owned),
        };
        let id = if flags.fork { fresh() } else { resumed.clone() };
        let session = transcript(&id);
        if flags.fork {
            copy(&told, &resumed, &session);
        } else {
            let last = told.last().and_then(|entry| entry["uuid"].as_str());
            session.set_last(last.map(str::to_owned));
        }
        Ok((Self::with(session), past))
    }

    fn with(transcript: Transcript) -> Self {
        Self { transcript: RefCell::new(Rc::new(transcript)) }
    }

    pub(super) fn id(&self) -> String {
        self.transcript.borrow().session().to_owned()
    }

    pub(super) fn transcript(&self) -> Rc<Transcript> {
        Rc::clone(&self.transcript.borrow())
    }

    /// Begins a new session beside this one, and returns its id.
    pub(super) fn renew(&self) -> String {
        let id = Uuid::new_v4().to_string();
        let old = self.transcript();
        let path = old.path().with_file_name(format!("{id}.jsonl"));
        let new = Transcript::new(path, old.stamp().clone(), &id, true);
        *self.transcript.borrow_mut() = Rc::new(new);
        id
    }
}

fn last_note<'a>(lines: &'a [Value], kind: &str) -> Option<&'a Value> {
    lines.iter().rev().find(|line| line["type"] == kind)
}

/// A fork begins with what was said so far, under new ids.
fn copy(told: &[Value], from: &str, to: &Transcript) {
    for entry in told {
        let mut fields = entry.clone();
        let uuid = Uuid::new_v4().to_string();
        if let Value::Object(fields) = &mut fields {
            for key in ["uuid", "parentUuid", "sessionId"] {
                fields.remove(key);
            }
        }
        fields["forkedFrom"] = json!({"sessionId": from, "messageUuid": entry["uuid"]});
        to.chain(entry["type"].as_str().unwrap_or("user"), &uuid, fields);
    }
}

/// The session of this directory that was last written to.
fn latest(root: &Path) -> Option<String> {
    let files = fs::read_dir(root).ok()?.flatten().map(|entry| entry.path());
    let sessions = files.filter(|path| path.extension().is_some_and(|kind| kind == "jsonl"));
    let newest =
        sessions.max_by_key(|path| fs::metadata(path).and_then(|meta| meta.modified()).ok())?;
    Some(newest.file_stem()?.to_string_lossy().into_owned())
}

/// The directory name for the sessions of a working directory.
pub(super) fn key(cwd: &Path) -> PathBuf {
    let path = cwd.to_string_lossy();
    let name: String = path
        .chars()
        .map(|character| if character.is_ascii_alphanumeric() { character } else { '-' })
        .collect();
    if name.len() <= 200 {
        return PathBuf::from(name);
    }
    let hash = path.encode_utf16().fold(0_i32, |hash, unit| {
        hash.wrapping_shl(5).wrapping_sub(hash).wrapping_add(i32::from(unit.cast_signed()))
    });
    PathBuf::from(format!("{}-{}", &name[..200], base36(hash.unsigned_abs())))
}

fn base36(mut number: u32) -> String {
    let mut digits = Vec::new();
    loop {
        digits.push(char::from_digit(number % 36, 36).unwrap_or('0'));
        number /= 36;
        if number == 0 {
            return digits.iter().rev().collect();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys() {
        assert_eq!(key(Path::new("/tmp/a_b.c/é")), PathBuf::from("-tmp-a-b-c--"));
        let long = format!("/{}", "x".repeat(300));
        let name = key(Path::new(&long));
        assert!(name.to_string_lossy().starts_with(&format!("-{}-", "x".repeat(199))));
        assert_eq!(base36(35 + 36), "1z");
    }
}
