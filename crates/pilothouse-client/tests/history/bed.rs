//! A throw-away configuration directory to put transcripts into.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use pilothouse_client::history::{History, SessionId, project_key};
use serde_json::{Value, json};

pub(crate) struct Bed {
    dir: tempfile::TempDir,
    pub(crate) history: History,
}

impl Bed {
    pub(crate) fn new() -> Self {
        let dir = tempfile::tempdir().unwrap();
        let history = History::at(dir.path().join("config"));
        fs::create_dir_all(history.projects_dir()).unwrap();
        Self { dir, history }
    }

    /// A directory beside the configuration, by its real path.
    pub(crate) fn directory(&self, name: &str) -> PathBuf {
        let path = self.dir.path().canonicalize().unwrap().join(name);
        fs::create_dir_all(&path).unwrap();
        path
    }

    pub(crate) fn project(&self, key: &str) -> PathBuf {
        let path = self.history.projects_dir().join(key);
        fs::create_dir_all(&path).unwrap();
        path
    }

    /// Writes a transcript, last changed `age` seconds ago.
    pub(crate) fn put(
        &self,
        key: &str,
        number: u32,
        content: impl AsRef<[u8]>,
        age: u64,
    ) -> SessionId {
        let session = session(number);
        let path = self.transcript(key, &session);
        fs::write(&path, content).unwrap();
        set_age(&path, age);
        session
    }

    /// A session of one prompt, in the project of `cwd`.
    pub(crate) fn prompt(&self, cwd: &Path, number: u32, prompt: &str) -> SessionId {
        self.put(&project_key(cwd), number, line(&user(cwd, prompt)), u64::from(number))
    }

    pub(crate) fn transcript(&self, key: &str, session: &SessionId) -> PathBuf {
        self.project(key).join(format!("{session}.jsonl"))
    }
}

pub(crate) fn session(number: u32) -> SessionId {
    SessionId::parse(format!("00000000-0000-4000-8000-{number:012}")).unwrap()
}

pub(crate) fn set_age(path: &Path, seconds: u64) {
    let then = SystemTime::UNIX_EPOCH + Duration::from_secs(1_770_000_000 - seconds);
    File::options().append(true).open(path).unwrap().set_modified(then).unwrap();
}

pub(crate) fn user(cwd: &Path, prompt: &str) -> Value {
    json!({"parentUuid": null, "cwd": cwd, "type": "user", "uuid": "u1",
           "message": {"role": "user", "content": prompt}, "timestamp": "2026-03-01T10:00:00Z"})
}

pub(crate) fn line(value: &Value) -> String {
    format!("{value}\n")
}

pub(crate) fn lines(values: &[Value]) -> String {
    values.iter().map(line).collect()
}

pub(crate) fn fixtures(kind: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/history/fixtures").join(kind)
}

/// The names of the cases of one kind. There are some, or the test would check nothing.
pub(crate) fn cases(kind: &str) -> Vec<String> {
    let mut names: Vec<String> = fs::read_dir(fixtures(kind))
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .filter_map(|name| name.strip_suffix(".jsonl").map(ToOwned::to_owned))
        .collect();
    names.sort();
    assert!(names.len() > 20, "fixtures of {kind} are missing");
    names
}
