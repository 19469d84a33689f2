//! Ends a run whose holder was killed.
//!
//! A shell waits on a pipe that the holder has the other end of; a kernel closes the pipes of the
//! dead. It costs no thread, no signal handler and less memory than a second holder, and it reaches
//! what left the CLI's group.

use std::io::{self, Write};
use std::os::unix::process::CommandExt;
use std::process::{Child, Command, Stdio};

use pilothouse_client::mark::{GUARD, MARK};

/// The guard of a run. When it goes without being dismissed, it ends what it was told to watch.
pub(crate) struct Guard {
    /// Nothing when it was waited for.
    shell: Option<Child>,
    watches: bool,
}

impl Guard {
    /// Starts the guard; before the CLI, so that there is no moment without one.
    #[expect(clippy::disallowed_methods, reason = "this is not the CLI")]
    pub(crate) fn start(run: &str) -> io::Result<Self> {
        let mut command = Command::new("/bin/sh");
        command.args(["-c", GUARD, "pilothouse-guard"]).arg(format!("{MARK}={run}"));
        command.env_remove(MARK).current_dir("/").process_group(0);
        command.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null());
        let shell = command.spawn()?;
        // Two words go through it. A user's pipes may hold 64 MiB together; beyond that every new
        // one is tiny.
        #[cfg(target_os = "linux")]
        if let Some(words) = &shell.stdin {
            let _ = rustix::pipe::fcntl_setpipe_size(words, 4096);
        }
        Ok(Self { shell: Some(shell), watches: false })
    }

    /// Says which group to end.
    pub(crate) fn watch(&mut self, group: u32) -> io::Result<()> {
        let words = self.shell.as_mut().and_then(|shell| shell.stdin.as_mut());
        writeln!(words.ok_or(io::ErrorKind::BrokenPipe)?, "{group}")?;
        self.watches = true;
        Ok(())
    }

    /// The run is over.
    pub(crate) fn dismiss(mut self) {
        self.send_away(b"done\n");
    }

    /// It ends at once after these words. Blocks until it has.
    fn send_away(&mut self, words: &[u8]) {
        let Some(mut shell) = self.shell.take() else { return };
        if let Some(stdin) = &mut shell.stdin {
            let _ = stdin.write_all(words);
        }
        let _ = shell.wait();
    }
}

impl Drop for Guard {
    fn drop(&mut self) {
        if !self.watches {
            // There is no group: nothing was started.
            return self.send_away(b"\ndone\n");
        }
        if let Some(mut shell) = self.shell.take() {
            drop(shell.stdin.take());
            // It takes seconds to end a run, and is to be waited for.
            let name = "guard".to_owned();
            let _ = std::thread::Builder::new().name(name).spawn(move || shell.wait());
        }
    }
}

#[cfg(test)]
#[cfg(target_os = "linux")]
mod tests {
    use std::path::PathBuf;
    use std::time::{Duration, Instant};

    use super::*;

    fn process(guard: &Guard) -> PathBuf {
        format!("/proc/{}", guard.shell.as_ref().unwrap().id()).into()
    }

    #[test]
    fn one_that_watches_nothing_is_gone_when_it_is_dropped() {
        let guard = Guard::start("nothing").unwrap();
        let process = process(&guard);
        assert!(process.exists());
        drop(guard);
        assert!(!process.exists());
    }

    #[test]
    #[expect(clippy::disallowed_methods, reason = "this is not the CLI")]
    fn one_that_is_dropped_ends_what_it_watches_and_is_waited_for() {
        let mut watched = Command::new("sleep").arg("1000").process_group(0).spawn().unwrap();
        let mut guard = Guard::start("watched").unwrap();
        guard.watch(watched.id()).unwrap();
        let process = process(&guard);
        drop(guard);
        assert!(!watched.wait().unwrap().success());
        let late = Instant::now() + Duration::from_secs(60);
        while process.exists() {
            assert!(Instant::now() < late, "nobody has waited for it");
            std::thread::yield_now();
        }
    }
}
