//! Resolves links in the paths that a policy looks at.
//!
//! A path need not exist: a tool may be about to create it. Then the longest part that exists is
//! resolved, and a link that leads nowhere is followed to where it would create something.

use std::io::ErrorKind;
use std::path::{Component, Path, PathBuf};
use std::time::Duration;

use pilothouse_session::policy::RealPaths;
use tokio::sync::Semaphore;

use super::house::blocking;

/// How many links that lead nowhere are followed.
const MOST_LINKS: usize = 40;

/// How long a file system may take. After that the paths count as not resolvable, and a person is
/// asked.
const PATIENCE: Duration = Duration::from_secs(2);

/// How many calls may wait for a file system at a time. One that hangs keeps its thread for as long
/// as it hangs, while the CLI goes on calling.
static SLOTS: Semaphore = Semaphore::const_new(8);

/// Resolves the paths of a call where it holds nobody up.
pub(crate) async fn resolve(paths: Vec<String>) -> RealPaths {
    if paths.is_empty() {
        return RealPaths::default();
    }
    let resolved = within(&SLOTS, PATIENCE, move || resolve_all(&paths)).await;
    resolved.unwrap_or_else(|| {
        tracing::warn!("a file system does not answer: links in paths are not resolved");
        RealPaths::default()
    })
}

/// Returns the result of `work`, or `None` if there is no slot or no result in time.
async fn within<T: Send + 'static>(
    slots: &'static Semaphore,
    patience: Duration,
    work: impl FnOnce() -> T + Send + 'static,
) -> Option<T> {
    let done = async {
        let slot = slots.acquire().await.ok()?;
        // The slot is free when the work has ended, not when its caller has given up.
        Some(blocking(move || (work(), slot).0).await)
    };
    tokio::time::timeout(patience, done).await.ok().flatten()
}

/// Resolves absolute paths. Blocks.
pub(crate) fn resolve_all(paths: &[String]) -> RealPaths {
    let mut real = RealPaths::default();
    for path in paths {
        real.insert(path, real_paths(Path::new(path)));
    }
    real
}

/// Returns the real paths of `path`, or none if unresolvable.
fn real_paths(path: &Path) -> Vec<String> {
    // The kernel follows links before `..`; programs often remove `..` first.
    let plain = without_parents(path);
    let mut found = Vec::new();
    for path in [path, &plain] {
        match real_path(path) {
            Some(real) if found.contains(&real) => {}
            Some(real) => found.push(real),
            None => return Vec::new(),
        }
    }
    found
}

/// The path without links, as text.
pub(super) fn real_path(path: &Path) -> Option<String> {
    follow(path, MOST_LINKS)?.into_os_string().into_string().ok()
}

fn follow(path: &Path, links: usize) -> Option<PathBuf> {
    let mut rest = Vec::new();
    let mut known = path.to_path_buf();
    loop {
        let error = match dunce::canonicalize(&known) {
            Ok(real) => {
                // Below something that is not there nothing can be a link.
                let whole = rest.iter().rev().fold(real, |path, part| path.join(part));
                return Some(without_parents(&whole));
            }
            Err(error) => error,
        };
        // A name that is too long for the file system is a word of a command, not a file.
        let is_missing = matches!(
            error.kind(),
            ErrorKind::NotFound | ErrorKind::NotADirectory | ErrorKind::InvalidFilename
        );
        if !is_missing {
            return None;
        }
        if let Ok(target) = std::fs::read_link(&known) {
            let from = known.parent()?.join(target);
            let whole = rest.iter().rev().fold(from, |path, part| path.join(part));
            return follow(&whole, links.checked_sub(1)?);
        }
        rest.push(known.components().next_back()?.as_os_str().to_owned());
        if !known.pop() {
            return None;
        }
    }
}

fn without_parents(path: &Path) -> PathBuf {
    let mut plain = PathBuf::new();
    for part in path.components() {
        match part {
            Component::ParentDir => {
                plain.pop();
            }
            Component::CurDir => {}
            part => plain.push(part),
        }
    }
    plain
}

#[cfg(all(test, unix))]
mod tests {
    use std::fs;
    use std::os::unix::fs::symlink;
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::sync::{Arc, Mutex};

    use super::*;

    #[test]
    fn resolves_what_exists_and_what_would_be_created() {
        let root = tempfile::tempdir().unwrap();
        let root = fs::canonicalize(root.path()).unwrap();
        fs::create_dir_all(root.join("a/b")).unwrap();
        fs::write(root.join("a/file"), "").unwrap();
        symlink("a/b", root.join("dir")).unwrap();
        symlink("a/file", root.join("link")).unwrap();
        symlink("a/missing", root.join("dangling")).unwrap();
        symlink("loop", root.join("loop")).unwrap();
        let real = |path: &str| real_paths(&root.join(path));
        let expected = |paths: &[&str]| -> Vec<String> {
            paths.iter().map(|path| root.join(path).to_str().unwrap().to_owned()).collect()
        };
        assert_eq!(real("a/file"), expected(&["a/file"]));
        assert_eq!(real("link"), expected(&["a/file"]));
        assert_eq!(real("dir/new"), expected(&["a/b/new"]));
        assert_eq!(real("dangling"), expected(&["a/missing"]));
        assert_eq!(real("nowhere/at/all"), expected(&["nowhere/at/all"]));
        assert_eq!(real("link/below"), expected(&["a/file/below"]));
        // The kernel goes to `a/file`, a program that removes `..` first to `file`.
        assert_eq!(real("dir/../file"), expected(&["a/file", "file"]));
        // A name that no file can have is missing, also below a link.
        let long = "x".repeat(300);
        assert_eq!(real(&long), expected(&[&long]));
        assert_eq!(real(&format!("dir/{long}/y")), expected(&[&format!("a/b/{long}/y")]));
        assert_eq!(real("loop"), Vec::<String>::new());
        assert_eq!(real("loop/x"), Vec::<String>::new());
    }

    #[tokio::test(flavor = "multi_thread")]
    async fn a_file_system_that_hangs_takes_no_more_threads_than_it_may() {
        static SLOTS: Semaphore = Semaphore::const_new(2);
        static STARTED: AtomicUsize = AtomicUsize::new(0);
        let (release, hung) = std::sync::mpsc::channel::<()>();
        let hung = Arc::new(Mutex::new(hung));
        let wait = Duration::from_millis(50);
        for _ in 0..5 {
            let hung = Arc::clone(&hung);
            let work = move || {
                STARTED.fetch_add(1, Ordering::SeqCst);
                let _ = hung.lock().unwrap().recv();
                RealPaths::default()
            };
            assert!(within(&SLOTS, wait, work).await.is_none());
        }
        assert_eq!(STARTED.load(Ordering::SeqCst), 2);
        drop(release);
        let done = within(&SLOTS, PATIENCE * 10, RealPaths::default).await;
        assert!(done.is_some(), "slots come back when the file system answers");
    }
}
