//! Decides whether a repository is the one of the directory that it was found in.

use std::fs::{self, File};
use std::io::Read;
use std::path::{Path, PathBuf};

use super::GitError;
use super::look::Look;
use super::program::os_string;

/// The longest path that is read from a file.
const LONGEST_PATH: u64 = 16 << 10;

/// The nearest directory with a `.git`, from `directory` upwards.
pub(super) fn top(directory: &Path) -> Option<PathBuf> {
    let has_git = |directory: &&Path| directory.join(".git").symlink_metadata().is_ok();
    directory.ancestors().find(has_git).map(Path::to_owned)
}

/// Checks that the working tree is `top`, and that the git directory is one of `top`: below it, or
/// one that names `top` as its working tree.
///
/// Without this, a `.git` file, a link or a `commondir` file would show the text of whatever
/// repository it leads to.
pub(super) fn check(look: &Look, top: &Path) -> Result<(), GitError> {
    let arguments = [
        "rev-parse",
        "--path-format=absolute",
        "--show-toplevel",
        "--absolute-git-dir",
        "--git-common-dir",
    ];
    let output = look.run(arguments, 64 << 10)?;
    let text = output.text.strip_suffix(b"\n").unwrap_or(&output.text);
    let lines: Vec<&[u8]> = text.split(|byte| *byte == b'\n').collect();
    let real = |line: &[u8]| dunce::canonicalize(os_string(line)).ok();
    // A path with a line end makes more lines, which is refused.
    let &[shown, git_dir, common] = lines.as_slice() else {
        return Err(GitError::Failed("a path of the repository has a line end in it".into()));
    };
    if real(shown).as_deref() != Some(top) {
        let says = String::from_utf8_lossy(shown).into_owned();
        return Err(GitError::FilesElsewhere { top: top.to_owned(), says });
    }
    let is_own = match (real(git_dir), real(common)) {
        (Some(git_dir), Some(common)) => {
            git_dir.starts_with(top) && common.starts_with(top)
                || is_linked_worktree(&git_dir, &common, top)
                || git_dir == common && configured_worktree(look, &git_dir).as_deref() == Some(top)
        }
        _ => false,
    };
    match is_own {
        true => Ok(()),
        false => Err(GitError::ForeignRepository {
            top: top.to_owned(),
            git_dir: os_string(git_dir).into(),
        }),
    }
}

/// Whether the repository at `common` has a linked worktree at `top`: `git worktree add` writes the
/// path of the worktree's `.git` into `worktrees/NAME/gitdir`.
fn is_linked_worktree(git_dir: &Path, common: &Path, top: &Path) -> bool {
    if git_dir.parent() != Some(&common.join("worktrees")) {
        return false;
    }
    let Some(named) = read_path(&git_dir.join("gitdir")) else { return false };
    // A relative path is one from the git directory.
    let named = git_dir.join(named);
    let parent = named.parent().and_then(|parent| dunce::canonicalize(parent).ok());
    named.ends_with(".git") && parent.as_deref() == Some(top)
}

/// The working tree that the configuration names, as for submodules.
fn configured_worktree(look: &Look, git_dir: &Path) -> Option<PathBuf> {
    let output = look.run(["config", "-z", "--get", "core.worktree"], 64 << 10).ok()?;
    let value = output.text.strip_suffix(b"\0")?;
    dunce::canonicalize(git_dir.join(os_string(value))).ok()
}

fn read_path(file: &Path) -> Option<PathBuf> {
    // A pipe would never end.
    fs::symlink_metadata(file).ok().filter(fs::Metadata::is_file)?;
    let mut bytes = Vec::new();
    File::open(file).ok()?.take(LONGEST_PATH).read_to_end(&mut bytes).ok()?;
    Some(os_string(bytes.strip_suffix(b"\n").unwrap_or(&bytes)).into())
}
