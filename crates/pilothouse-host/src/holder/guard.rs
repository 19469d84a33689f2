//! Ends a run whose holder was killed.
//!
//! A shell waits on a pipe that the holder has the other end of; a kernel closes the pipes of the
//! dead. It costs no thread, no signal handler and less memory than a second holder, and it reaches
//! what left the CLI's group.

use std::io::{self, Write};
use std::os::unix::process::CommandExt;
use std::process::{Child, ChildStdin, Command, Stdio};

use pilothouse_client::mark::{GUARD, MARK};

/// The guard of a run. When it goes without being dismissed, it ends the run.
pub(crate) struct Guard {
    shell: Child,
    words: ChildStdin,
}

impl Guard {
    /// Starts the guard; before the CLI, so that there is no moment without one.
    #[expect(clippy::disallowed_methods, reason = "this is not the CLI")]
    pub(crate) fn start(run: &str) -> io::Result<Self> {
        let mut command = Command::new("/bin/sh");
        command.args(["-c", GUARD, "pilothouse-guard"]).arg(format!("{MARK}={run}"));
        command.env_remove(MARK).current_dir("/").process_group(0);
        command.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null());
        let mut shell = command.spawn()?;
        let words = shell.stdin.take().ok_or(io::ErrorKind::BrokenPipe)?;
        // Two words go through it. A user's pipes may hold 64 MiB together; beyond that every new
        // one is tiny.
        #[cfg(target_os = "linux")]
        let _ = rustix::pipe::fcntl_setpipe_size(&words, 4096);
        Ok(Self { shell, words })
    }

    /// Says which group to end.
    pub(crate) fn watch(&mut self, group: u32) -> io::Result<()> {
        writeln!(self.words, "{group}")
    }

    /// The run is over.
    pub(crate) fn dismiss(mut self) {
        let _ = self.words.write_all(b"done\n");
        drop(self.words);
        let _ = self.shell.wait();
    }
}
