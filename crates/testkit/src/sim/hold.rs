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

#[cfg(target_os = "linux")]
struct Watch(Option<tokio::io::unix::AsyncFd<rustix::fd::OwnedFd>>);

#[cfg(target_os = "linux")]
impl Watch {
    fn new(directory: &Path) -> Self {
        use rustix::fs::inotify::{CreateFlags, WatchFlags, add_watch, init};
        let watched = || {
            let fd = init(CreateFlags::NONBLOCK | CreateFlags::CLOEXEC).ok()?;
            add_watch(&fd, directory, WatchFlags::CREATE | WatchFlags::MOVED_TO).ok()?;
            tokio::io::unix::AsyncFd::new(fd).ok()
        };
        Self(watched())
    }

    async fn changed(&mut self) {
        let Some(fd) = &self.0 else {
            return tokio::time::sleep(LOOK).await;
        };
        match fd.readable().await {
            Ok(mut ready) => {
                let mut events = [0_u8; 4096];
                // What changed does not matter, only that the queue is empty before the next look.
                while rustix::io::read(fd.get_ref(), &mut events).is_ok_and(|length| length > 0) {}
                ready.clear_ready();
            }
            Err(_) => tokio::time::sleep(LOOK).await,
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
