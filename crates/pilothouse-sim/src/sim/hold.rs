//! `hold NAME` for the simulated CLI: go on when the file `$SIM_HOLD_DIR/NAME` is there.
//!
//! Standing at the hold is announced by a file `NAME.held`, so that a test can wait for it.

use std::path::Path;
use std::time::Duration;

/// How often to look where the system does not tell us.
const LOOK: Duration = Duration::from_millis(5);

/// Waits for `name` to be released. Without a directory nobody can, so it does not wait.
pub(super) async fn wait(directory: Option<&Path>, name: &str) {
    let Some(directory) = directory else { return };
    let _ = std::fs::write(directory.join(format!("{name}.held")), "");
    let release = directory.join(name);
    let mut watch = Watch::new(directory);
    while !release.exists() {
        watch.changed().await;
    }
}

/// The kernel tells of new files through a descriptor that reads like a pipe.
#[cfg(target_os = "linux")]
struct Watch(Option<tokio::net::unix::pipe::Receiver>);

#[cfg(target_os = "linux")]
impl Watch {
    fn new(directory: &Path) -> Self {
        use rustix::fs::inotify::{CreateFlags, WatchFlags, add_watch, init};
        let watched = || {
            let fd = init(CreateFlags::NONBLOCK | CreateFlags::CLOEXEC).ok()?;
            add_watch(&fd, directory, WatchFlags::CREATE | WatchFlags::MOVED_TO).ok()?;
            tokio::net::unix::pipe::Receiver::from_owned_fd_unchecked(fd).ok()
        };
        Self(watched())
    }

    async fn changed(&mut self) {
        let Some(news) = &mut self.0 else {
            return tokio::time::sleep(LOOK).await;
        };
        // What changed does not matter, only that something did.
        if news.readable().await.is_err() || news.try_read(&mut [0; 4096]).is_err() {
            tokio::task::yield_now().await;
        }
    }
}

#[cfg(not(target_os = "linux"))]
struct Watch;

#[cfg(not(target_os = "linux"))]
impl Watch {
    fn new(_directory: &Path) -> Self {
        Self
    }

    async fn changed(&mut self) {
        tokio::time::sleep(LOOK).await;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_hold_ends_with_its_file() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().to_owned();
        let held = tokio::spawn(async move { wait(Some(&path), "x").await });
        let mark = directory.path().join("x.held");
        while !mark.exists() {
            tokio::task::yield_now().await;
        }
        assert!(!held.is_finished());
        std::fs::write(directory.path().join("x"), "").unwrap();
        tokio::time::timeout(Duration::from_secs(10), held).await.unwrap().unwrap();
    }
}
