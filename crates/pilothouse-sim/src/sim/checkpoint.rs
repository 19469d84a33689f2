//! File checkpoints: what files held before a prompt changed them, so that they can be put back.
//!
//! They are kept as the CLI keeps them, for whoever reads them there: copies in `file-history/`, and
//! lines of the transcript that say which copy belongs to which prompt.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::fs;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::clock;
use super::launch::Launch;
use super::patch;
use super::transcript::{Transcript, read};

/// Files, by their names as the transcript has them, and what was kept of each.
type Kept = BTreeMap<String, Copy>;

/// A copy of a file.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Copy {
    /// `None`: there was no such file.
    backup_file_name: Option<String>,
    version: u64,
    backup_time: String,
}

/// Checkpoints of a session, one for each prompt.
#[derive(Debug, Default)]
pub(super) struct Checkpoints {
    /// `None`: checkpointing is off.
    place: Option<Place>,
    prompts: RefCell<Vec<(String, Kept)>>,
}

#[derive(Debug)]
struct Place {
    /// Where the copies of all sessions are.
    copies: PathBuf,
    /// What names are relative to.
    cwd: PathBuf,
}

impl Checkpoints {
    pub(super) fn load(launch: &Launch, transcript: &Transcript) -> Self {
        if !launch.checkpointing {
            return Self::default();
        }
        let place = Place { copies: launch.config.join("file-history"), cwd: launch.cwd.clone() };
        let checkpoints = Self { place: Some(place), ..Self::default() };
        for line in read(transcript.path()).unwrap_or_default() {
            checkpoints.recall(&line);
        }
        checkpoints
    }

    /// Takes up what a line of the transcript says.
    fn recall(&self, line: &Value) {
        let mut prompts = self.prompts.borrow_mut();
        if line["type"] == "file-history-snapshot" {
            let snapshot = &line["snapshot"];
            let kept = serde_json::from_value(snapshot["trackedFileBackups"].clone());
            let prompt = snapshot["messageId"].as_str().unwrap_or_default().to_owned();
            prompts.push((prompt, kept.unwrap_or_default()));
        } else if line["type"] == "file-history-delta"
            && let (Some((_, kept)), Ok(copy)) =
                (prompts.last_mut(), serde_json::from_value(line["backup"].clone()))
        {
            kept.insert(line["trackingPath"].as_str().unwrap_or_default().to_owned(), copy);
        }
    }

    /// A prompt begins: files that have changed since the last one are copied again.
    pub(super) fn begin(&self, transcript: &Transcript, prompt: &str) {
        let Some(place) = &self.place else { return };
        let last = self.prompts.borrow().last().cloned().unwrap_or_default().1;
        let again = |(name, copy): (String, Copy)| {
            let is_same = place.now(&name) == place.before(transcript, &copy);
            let copy = if is_same { copy } else { place.copy(transcript, &name, copy.version + 1) };
            (name, copy)
        };
        let kept: Kept = last.into_iter().map(again).collect();
        transcript.append(&json!({
            "type": "file-history-snapshot",
            "messageId": prompt,
            "snapshot": {
                "messageId": prompt,
                "trackedFileBackups": kept,
                "timestamp": clock::iso(),
            },
            "isSnapshotUpdate": false,
        }));
        self.prompts.borrow_mut().push((prompt.to_owned(), kept));
    }

    /// `path` is about to change.
    pub(super) fn before_change(&self, transcript: &Transcript, path: &Path) {
        let Some(place) = &self.place else { return };
        let name = place.name(path);
        let mut prompts = self.prompts.borrow_mut();
        let Some((prompt, kept)) = prompts.last_mut() else { return };
        if kept.contains_key(&name) {
            return;
        }
        let copy = place.copy(transcript, &name, 1);
        transcript.append(&json!({
            "type": "file-history-delta",
            "messageId": prompt,
            "snapshotMessageId": prompt,
            "trackingPath": name,
            "backup": copy,
            "timestamp": clock::iso(),
        }));
        kept.insert(name, copy);
    }

    /// Puts files back as they were before `prompt`, or tells what that would change.
    pub(super) fn rewind(
        &self,
        transcript: &Transcript,
        prompt: &str,
        dry_run: bool,
    ) -> Result<Value, &'static str> {
        let Some(place) = &self.place else {
            return Err("Files are not checkpointed here, so there is nothing to rewind to");
        };
        let targets = self.targets(prompt).ok_or("There is no checkpoint for this message")?;
        let changes: Vec<_> = targets
            .into_iter()
            .map(|(name, copy)| (place.cwd.join(&name), place.before(transcript, &copy)))
            .filter(|(path, before)| fs::read_to_string(path).ok() != *before)
            .collect();
        if dry_run {
            let (mut insertions, mut deletions) = (0, 0);
            for (path, before) in &changes {
                let now = fs::read_to_string(path).unwrap_or_default();
                let (added, removed) = patch::counts(&now, before.as_deref().unwrap_or_default());
                insertions += added;
                deletions += removed;
            }
            let files: Vec<_> = changes.iter().map(|(path, _)| path).collect();
            return Ok(json!({
                "canRewind": true,
                "filesChanged": files,
                "insertions": insertions,
                "deletions": deletions,
            }));
        }
        for (path, before) in changes {
            // What cannot be put back stays as it is: the same call tells again what is left.
            let _ = match before {
                Some(content) => fs::write(path, content),
                None => fs::remove_file(path),
            };
        }
        Ok(json!({"canRewind": true, "skippedLinks": 0}))
    }

    /// What every file that is known by now held before `prompt`: what was kept then, or before its
    /// first change, where that came later.
    fn targets(&self, prompt: &str) -> Option<Kept> {
        let prompts = self.prompts.borrow();
        let from = prompts.iter().rposition(|(known, _)| known == prompt)?;
        let mut targets = prompts[from].1.clone();
        for (name, copy) in prompts.iter().flat_map(|(_, kept)| kept) {
            if copy.version == 1 && !targets.contains_key(name) {
                targets.insert(name.clone(), copy.clone());
            }
        }
        Some(targets)
    }
}

impl Place {
    fn name(&self, path: &Path) -> String {
        path.strip_prefix(&self.cwd).unwrap_or(path).display().to_string()
    }

    fn now(&self, name: &str) -> Option<String> {
        fs::read_to_string(self.cwd.join(name)).ok()
    }

    fn before(&self, transcript: &Transcript, copy: &Copy) -> Option<String> {
        let name = copy.backup_file_name.as_ref()?;
        fs::read_to_string(self.copies.join(transcript.session()).join(name)).ok()
    }

    /// Copies a file as it is now. One that cannot be copied counts as not there.
    fn copy(&self, transcript: &Transcript, name: &str, version: u64) -> Copy {
        let mut hasher = DefaultHasher::new();
        name.hash(&mut hasher);
        let file = format!("{:016x}@v{version}", hasher.finish());
        let directory = self.copies.join(transcript.session());
        let copied = fs::create_dir_all(&directory)
            .and_then(|()| fs::copy(self.cwd.join(name), directory.join(&file)));
        let backup_file_name = copied.is_ok().then_some(file);
        Copy { backup_file_name, version, backup_time: clock::iso() }
    }
}

#[cfg(test)]
mod tests {
    use super::super::transcript::Stamp;
    use super::*;

    #[test]
    fn files_go_back_to_where_they_were() {
        let directory = tempfile::tempdir().unwrap();
        let cwd = directory.path().to_owned();
        let at = |name: &str| cwd.join(name);
        let stamp = Stamp { cwd: cwd.clone(), version: "0", entrypoint: String::new() };
        let transcript = Transcript::new(at("t.jsonl"), stamp, "s", true);
        let place = || Place { copies: at("file-history"), cwd: cwd.clone() };
        fs::write(at("old"), "one\ntwo\n").unwrap();
        let checkpoints = Checkpoints { place: Some(place()), ..Checkpoints::default() };
        checkpoints.begin(&transcript, "p1");
        checkpoints.before_change(&transcript, &at("new"));
        fs::write(at("new"), "x\n").unwrap();
        checkpoints.begin(&transcript, "p2");
        checkpoints.before_change(&transcript, &at("old"));
        fs::write(at("old"), "one\n2\n").unwrap();
        checkpoints.before_change(&transcript, &at("old"));

        let again = Checkpoints { place: Some(place()), ..Checkpoints::default() };
        read(transcript.path()).unwrap().iter().for_each(|line| again.recall(line));
        assert_eq!(*again.prompts.borrow(), *checkpoints.prompts.borrow());
        let dry = |prompt: &str| again.rewind(&transcript, prompt, true).unwrap();
        assert_eq!(
            dry("p2"),
            json!({"canRewind": true, "filesChanged": [at("old")], "insertions": 1, "deletions": 1})
        );
        assert_eq!(dry("p1")["filesChanged"], json!([at("new"), at("old")]));
        assert_eq!(dry("p1")["deletions"], 2);
        again.rewind(&transcript, "p1", false).unwrap();
        assert!(!at("new").exists());
        assert_eq!(fs::read_to_string(at("old")).unwrap(), "one\ntwo\n");
        assert!(again.rewind(&transcript, "p3", true).is_err());
        assert!(Checkpoints::default().rewind(&transcript, "p1", true).is_err());
    }
}
