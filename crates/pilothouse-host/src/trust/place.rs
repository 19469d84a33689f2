//! The repository that a directory belongs to.

use std::io;
use std::path::{Path, PathBuf};

/// The most directories between a working directory and the root of the file system.
const DEEPEST: usize = 128;

/// The longest `.git` file.
const LONGEST_LINK: u64 = 8 * 1024;

/// Where a working directory stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Place {
    /// The working directory, links resolved.
    pub(crate) cwd: PathBuf,
    /// The top of its work tree, or the directory itself: where paths are relative to.
    pub(crate) top: PathBuf,
    /// What a decision is about: the top, or for a git worktree the top of its main repository.
    pub(crate) root: PathBuf,
    /// The user's home, whose `.claude` is the user's own.
    pub(crate) home: Option<PathBuf>,
}

impl Place {
    /// Finds the repository of `cwd` without running git.
    pub(crate) fn of(cwd: &Path, home: Option<&Path>) -> io::Result<Self> {
        let cwd = dunce::canonicalize(cwd)?;
        let home = home.and_then(|home| dunce::canonicalize(home).ok());
        let is_home = |dir: &Path| home.as_deref() == Some(dir) || dir.parent().is_none();
        let mut above = cwd.ancestors().take(DEEPEST).take_while(|dir| !is_home(dir));
        let top = above.find(|dir| dir.join(".git").symlink_metadata().is_ok());
        let top = top.unwrap_or(&cwd).to_owned();
        let root = main_repository(&top).unwrap_or_else(|| top.clone());
        Ok(Self { cwd, top, root, home })
    }

    /// Whether the root is the home directory or the root of the file system, which are no
    /// repositories of anybody.
    pub(crate) fn is_everything(&self) -> bool {
        self.root.parent().is_none() || self.home.as_ref() == Some(&self.root)
    }

    /// The working directory and all directories above it, innermost first. Claude Code looks for
    /// its files in all of them.
    pub(crate) fn levels(&self) -> impl Iterator<Item = &Path> {
        self.cwd.ancestors().take(DEEPEST)
    }

    /// Whether `.claude` in this directory is the user's own.
    pub(crate) fn is_of_user(&self, dir: &Path) -> bool {
        self.home.as_deref() == Some(dir)
    }
}

/// The top of the main repository, if `top` is a git worktree that the repository knows. One that
/// only says so is none: its `.git` file was written by whoever wrote the directory.
fn main_repository(top: &Path) -> Option<PathBuf> {
    let link = top.join(".git");
    if !link.symlink_metadata().ok()?.is_file() {
        return None;
    }
    let git_dir = resolve(top, read_short(&link)?.strip_prefix("gitdir:")?)?;
    let back = resolve(&git_dir, &read_short(&git_dir.join("gitdir"))?)?;
    if back != dunce::canonicalize(&link).ok()? {
        return None;
    }
    let common = resolve(&git_dir, &read_short(&git_dir.join("commondir"))?)?;
    // Anybody can write the two files above; only the repository has a list of its worktrees.
    if git_dir.parent() != Some(&common.join("worktrees")) {
        return None;
    }
    // A worktree of a bare repository is decided by the repository's own path.
    match common.file_name().is_some_and(|name| name == ".git") {
        true => common.parent().map(Path::to_owned),
        false => Some(common),
    }
}

fn resolve(base: &Path, text: &str) -> Option<PathBuf> {
    dunce::canonicalize(base.join(text.trim())).ok()
}

fn read_short(path: &Path) -> Option<String> {
    use std::io::Read;
    let file = crate::private::open_regular(path).ok()?;
    let mut text = String::new();
    file.take(LONGEST_LINK).read_to_string(&mut text).ok()?;
    Some(text)
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::process::Command;

    use super::*;

    fn git(dir: &Path, args: &[&str]) {
        let mut command = Command::new("git");
        command.args(["-c", "user.name=t", "-c", "user.email=t@example.invalid"]).args(args);
        assert!(command.current_dir(dir).output().unwrap().status.success(), "{args:?}");
    }

    #[test]
    fn finds_repository_from_below_through_links_and_from_worktrees() {
        let dir = tempfile::tempdir().unwrap();
        let base = dunce::canonicalize(dir.path()).unwrap();
        let (main, tree) = (base.join("main"), base.join("tree"));
        fs::create_dir_all(main.join("deep/er")).unwrap();
        git(&main, &["init", "--quiet"]);
        git(&main, &["commit", "--quiet", "--allow-empty", "-m", "x"]);
        git(&main, &["worktree", "add", "--quiet", tree.to_str().unwrap()]);
        std::os::unix::fs::symlink(main.join("deep"), base.join("link")).unwrap();
        for cwd in [main.clone(), main.join("deep/er"), base.join("link"), tree.clone()] {
            assert_eq!(Place::of(&cwd, None).unwrap().root, main, "{}", cwd.display());
        }
        assert_eq!(Place::of(&tree, None).unwrap().top, tree);
        let alone = base.join("alone");
        fs::create_dir(&alone).unwrap();
        assert_eq!(Place::of(&alone, None).unwrap().root, alone);
    }

    #[test]
    fn rejects_worktree_that_its_repository_does_not_know() {
        let dir = tempfile::tempdir().unwrap();
        let base = dunce::canonicalize(dir.path()).unwrap();
        let (main, tree, fake) = (base.join("main"), base.join("tree"), base.join("fake"));
        fs::create_dir(&main).unwrap();
        git(&main, &["init", "--quiet"]);
        git(&main, &["commit", "--quiet", "--allow-empty", "-m", "x"]);
        git(&main, &["worktree", "add", "--quiet", tree.to_str().unwrap()]);
        fs::create_dir(&fake).unwrap();
        fs::copy(tree.join(".git"), fake.join(".git")).unwrap();
        assert_eq!(Place::of(&fake, None).unwrap().root, fake);
        // One that brings a git directory of its own, which names the repository of somebody else.
        let forged = base.join("forged");
        fs::create_dir_all(forged.join("gd")).unwrap();
        fs::write(forged.join(".git"), "gitdir: gd\n").unwrap();
        fs::write(forged.join("gd/gitdir"), "../.git\n").unwrap();
        fs::write(forged.join("gd/commondir"), "../../main/.git\n").unwrap();
        assert_eq!(Place::of(&forged, None).unwrap().root, forged);
    }

    #[test]
    fn home_is_no_repository_of_what_is_below_it() {
        let dir = tempfile::tempdir().unwrap();
        let home = dunce::canonicalize(dir.path()).unwrap();
        let project = home.join("project");
        fs::create_dir_all(home.join(".git")).unwrap();
        fs::create_dir(&project).unwrap();
        let place = Place::of(&project, Some(&home)).unwrap();
        assert_eq!(place.root, project);
        assert!(!place.is_everything());
        assert!(Place::of(&home, Some(&home)).unwrap().is_everything());
        assert!(Place::of(Path::new("/"), None).unwrap().is_everything());
    }
}
