//! What is different in the working directory from the last commit: staged, unstaged, untracked.

use std::time::Duration;

use pilothouse_client::git::{Look, Output, SearchPath};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::diff::{FileDiff, Stage, parse, untracked};
use super::{FileError, Roots};

/// How long `git` may take altogether.
const PATIENCE: Duration = Duration::from_secs(20);

/// Bytes of diff that are read, each of staged and unstaged.
const MOST_DIFF: usize = 4 << 20;

/// The most new files that are shown.
const MOST_UNTRACKED: usize = 500;

/// Bytes of their text altogether.
const MOST_NEW_TEXT: usize = 4 << 20;

/// The form that `parse` reads, whatever the configuration says.
const FORM: [&str; 10] = [
    "--no-color",
    "--patch",
    "--unified=3",
    "--inter-hunk-context=0",
    "--find-renames",
    "--diff-algorithm=histogram",
    "--src-prefix=a/",
    "--dst-prefix=b/",
    "--indent-heuristic",
    "--relative",
];

/// The working directory, as `git` sees it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum WorkingTree {
    /// It is in no repository.
    NotARepository,
    /// It is in one.
    Repository(TreeChanges),
}

/// What is different from the last commit.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct TreeChanges {
    /// The branch that is checked out; none where it is no branch.
    pub branch: Option<String>,
    /// Staged, then unstaged, then untracked files. A file with changes of two kinds is there twice.
    pub files: Vec<FileDiff>,
    /// There are more changes than these.
    pub truncated: bool,
}

impl Roots {
    /// What is different in the working directory from the last commit.
    pub fn changes(&self) -> Result<WorkingTree, FileError> {
        let dir = self.cwd();
        let search = SearchPath::of_process().without(self.dirs());
        let Some(git) = Look::open_with(search, dir, PATIENCE)? else {
            return Ok(WorkingTree::NotARepository);
        };
        let mut tree = TreeChanges { branch: git.branch(), ..TreeChanges::default() };
        for stage in [Stage::Staged, Stage::Unstaged] {
            let mut arguments = FORM.to_vec();
            if stage == Stage::Staged {
                arguments.push("--cached");
            }
            let Output { text, is_cut } = git.diff(&arguments, MOST_DIFF)?;
            tree.truncated |= is_cut;
            tree.files.extend(parse(&text, is_cut, stage));
        }
        self.add_untracked(&git, &mut tree)?;
        Ok(WorkingTree::Repository(tree))
    }

    fn add_untracked(&self, git: &Look, tree: &mut TreeChanges) -> Result<(), FileError> {
        let output = git.untracked(1 << 20)?;
        let mut names: Vec<&[u8]> = output.text.split(|byte| *byte == 0).collect();
        // After the last end there is nothing, or half a name.
        names.pop();
        tree.truncated |= output.is_cut || names.len() > MOST_UNTRACKED;
        let mut room = MOST_NEW_TEXT;
        for name in names.into_iter().take(MOST_UNTRACKED) {
            let mut file = untracked(self, self.cwd(), name);
            match room.checked_sub(file.diff.len()) {
                Some(left) => room = left,
                None => {
                    file.truncated = true;
                    file.hunks.clear();
                    file.diff.clear();
                }
            }
            tree.files.push(file);
        }
        Ok(())
    }
}
