//! What is different in the working directory from the last commit: staged, unstaged, untracked.

use std::path::{Path, PathBuf};
use std::time::Duration;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::diff::{FileDiff, Git, Said, Stage, parse, untracked};
use super::{FileError, Roots};

/// How long `git` may take altogether.
const PATIENCE: Duration = Duration::from_secs(20);

/// Bytes of diff that are read, each of staged and unstaged.
const MOST_DIFF: usize = 4 << 20;

/// The most new files that are shown.
const MOST_UNTRACKED: usize = 500;

/// Bytes of their text altogether.
const MOST_NEW_TEXT: usize = 4 << 20;

/// Nothing in the repository's configuration changes how this looks, and nothing is run for it.
const DIFF: [&str; 16] = [
    "diff",
    "--no-ext-diff",
    "--no-textconv",
    "--no-color",
    "--patch",
    "--unified=3",
    "--inter-hunk-context=0",
    "--find-renames",
    "--diff-algorithm=histogram",
    "--src-prefix=a/",
    "--dst-prefix=b/",
    // Looking into a submodule would run `git` under its configuration.
    "--ignore-submodules=dirty",
    "--submodule=short",
    "-O/dev/null",
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
        let Some(top) = repository(dir) else { return Ok(WorkingTree::NotARepository) };
        let mut git = Git::new(dir, PATIENCE);
        check_top(&git, &top)?;
        git.distrust_filters()?;
        let mut tree = TreeChanges { branch: branch(&git), ..TreeChanges::default() };
        for stage in [Stage::Staged, Stage::Unstaged] {
            let mut arguments = DIFF.to_vec();
            if stage == Stage::Staged {
                arguments.push("--cached");
            }
            let Said { text, is_cut } = git.say(&arguments, MOST_DIFF)?;
            tree.truncated |= is_cut;
            tree.files.extend(parse(&text, is_cut, stage));
        }
        self.add_untracked(&git, &mut tree)?;
        Ok(WorkingTree::Repository(tree))
    }

    fn add_untracked(&self, git: &Git<'_>, tree: &mut TreeChanges) -> Result<(), FileError> {
        let arguments = ["ls-files", "--others", "--exclude-standard", "-z"];
        let said = git.say(&arguments, 1 << 20)?;
        let mut names: Vec<&[u8]> = said.text.split(|byte| *byte == 0).collect();
        // After the last end there is nothing, or half a name.
        names.pop();
        tree.truncated |= said.is_cut || names.len() > MOST_UNTRACKED;
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

/// The top of the working tree that `dir` is in, by its `.git`.
fn repository(dir: &Path) -> Option<PathBuf> {
    let has_git = |dir: &&Path| dir.join(".git").symlink_metadata().is_ok();
    dir.ancestors().find(has_git).map(Path::to_owned)
}

/// A repository can say that its files are elsewhere: then none of them are the session's.
fn check_top(git: &Git<'_>, top: &Path) -> Result<(), FileError> {
    let said = git.say(&["rev-parse", "--show-toplevel"], 64 << 10)?;
    let says = String::from_utf8_lossy(said.text.trim_ascii_end()).into_owned();
    let real = dunce::canonicalize(&says);
    match real.is_ok_and(|real| real == top) {
        true => Ok(()),
        false => Err(FileError::Git(format!(
            "the repository in {} has its files elsewhere ({says}): see core.worktree in its \
             configuration",
            top.display()
        ))),
    }
}

fn branch(git: &Git<'_>) -> Option<String> {
    let said = git.say(&["symbolic-ref", "--quiet", "--short", "HEAD"], 4 << 10);
    let name = String::from_utf8_lossy(said.ok()?.text.trim_ascii()).into_owned();
    (!name.is_empty()).then_some(name)
}
