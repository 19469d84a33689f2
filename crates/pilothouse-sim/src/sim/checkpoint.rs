//! File checkpoints: what files held before a prompt changed them, so that they can be put back.
//!
//! Kept beside the CLI's own file history, in a form of our own, so that a resumed session can be
//! rewound too.

use std::cell::RefCell;
use std::fs;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use super::launch::Launch;
use super::patch;

/// The files that a prompt's turn was the first to change since, as they were before. `None`: not
/// there.
type Before = Vec<(PathBuf, Option<String>)>;

/// Checkpoints of a session, one for each prompt.
#[derive(Debug, Default)]
pub(super) struct Checkpoints {
    /// `None`: checkpointing is off.
    file: Option<PathBuf>,
    prompts: RefCell<Vec<(String, Before)>>,
}

impl Checkpoints {
    pub(super) fn load(launch: &Launch, session: &str) -> Self {
        if !launch.checkpointing {
            return Self::default();
        }
        let file = launch.config.join("file-history").join(session).join("sim-checkpoints.json");
        let text = fs::read_to_string(&file).unwrap_or_default();
        let prompts = serde_json::from_str(&text).unwrap_or_default();
        Self { file: Some(file), prompts: RefCell::new(prompts) }
    }

    /// A prompt begins.
    pub(super) fn begin(&self, prompt: &str) {
        if self.file.is_some() {
            self.prompts.borrow_mut().push((prompt.to_owned(), Vec::new()));
            self.save();
        }
    }

    /// `path` is about to change.
    pub(super) fn before_change(&self, path: &Path) {
        if self.file.is_none() {
            return;
        }
        if let Some((_, before)) = self.prompts.borrow_mut().last_mut()
            && !before.iter().any(|(known, _)| known == path)
        {
            before.push((path.to_owned(), fs::read_to_string(path).ok()));
        }
        self.save();
    }

    /// Puts files back as they were before `prompt`, or tells what that would change.
    pub(super) fn rewind(&self, prompt: &str, dry_run: bool) -> Result<Value, &'static str> {
        if self.file.is_none() {
            return Err("Files are not checkpointed here, so there is nothing to rewind to");
        }
        let targets = self.targets(prompt).ok_or("There is no checkpoint for this message")?;
        let changes: Vec<_> = targets
            .into_iter()
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

    /// For each file changed since `prompt`, what it held before the first change.
    fn targets(&self, prompt: &str) -> Option<Before> {
        let prompts = self.prompts.borrow();
        let from = prompts.iter().position(|(known, _)| known == prompt)?;
        let mut targets: Before = Vec::new();
        for (path, before) in prompts[from..].iter().flat_map(|(_, before)| before) {
            if !targets.iter().any(|(known, _)| known == path) {
                targets.push((path.clone(), before.clone()));
            }
        }
        Some(targets)
    }

    fn save(&self) {
        if let Some(file) = &self.file
            && let Some(directory) = file.parent()
            && let Ok(text) = serde_json::to_string(&*self.prompts.borrow())
        {
            let _ = fs::create_dir_all(directory).and_then(|()| fs::write(file, text));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_go_back_to_where_they_were() {
        let directory = tempfile::tempdir().unwrap();
        let at = |name: &str| directory.path().join(name);
        fs::write(at("old"), "one\ntwo\n").unwrap();
        let checkpoints = Checkpoints { file: Some(at("checkpoints")), ..Checkpoints::default() };
        checkpoints.begin("p1");
        checkpoints.before_change(&at("new"));
        fs::write(at("new"), "x\n").unwrap();
        checkpoints.begin("p2");
        checkpoints.before_change(&at("old"));
        fs::write(at("old"), "one\n2\n").unwrap();
        checkpoints.before_change(&at("old"));

        let dry = |prompt: &str| checkpoints.rewind(prompt, true).unwrap();
        assert_eq!(
            dry("p2"),
            json!({"canRewind": true, "filesChanged": [at("old")], "insertions": 1, "deletions": 1})
        );
        assert_eq!(dry("p1")["filesChanged"], json!([at("new"), at("old")]));
        assert_eq!(dry("p1")["deletions"], 2);
        checkpoints.rewind("p1", false).unwrap();
        assert!(!at("new").exists());
        assert_eq!(fs::read_to_string(at("old")).unwrap(), "one\ntwo\n");
        assert!(checkpoints.rewind("p3", true).is_err());
        assert!(Checkpoints::default().rewind("p1", true).is_err());
    }
}
