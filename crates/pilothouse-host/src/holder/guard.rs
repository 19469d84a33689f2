//! Ends a run whose holder was killed.
//!
//! A shell waits on a pipe that the holder has the other end of; a kernel closes the pipes of the
//! dead. It costs no thread, no signal handler and less memory than a second holder, and it reaches
//! what left the CLI's group.

use std::io::{self, Write};
use std::os::unix::process::CommandExt;
use std::process::{Child, ChildStdin, Command, Stdio};

use super::leftovers::MARK;

/// Reads the group's id, then waits for `done` or the end of the pipe. `$1` is the mark of the run.
///
/// By then the CLI has seen the end of its stdin and may be writing its transcript: it gets two
/// seconds, then SIGTERM, then five more. `sleep` here is the ladder, not an ordering.
const SCRIPT: &str = r#"
read -r group
read -r word && [ "$word" = done ] && exit 0
marked() {
  for at in /proc/[0-9]*; do
    grep -qsF "$1" "$at/environ" && echo "${at#/proc/}"
  done
}
alive() { [ -n "$group" ] && kill -0 "-$group" 2>/dev/null || [ -n "$(marked "$1")" ]; }
await() {
  left=$2
  while [ "$left" -gt 0 ]; do
    alive "$1" || exit 0
    sleep 0.2
    left=$((left - 1))
  done
}
send() {
  [ -n "$group" ] && kill "-$2" "-$group" 2>/dev/null
  for pid in $(marked "$1"); do kill "-$2" "$pid" 2>/dev/null; done
}
await "$1" 10
send "$1" TERM
await "$1" 25
send "$1" KILL
"#;

/// The guard of a run. When it goes without being dismissed, it ends the run.
pub(super) struct Guard {
    shell: Child,
    words: ChildStdin,
}

impl Guard {
    /// Starts the guard; before the CLI, so that there is no moment without one.
    #[expect(clippy::disallowed_methods, reason = "this is not the CLI")]
    pub(super) fn start(run: &str) -> io::Result<Self> {
        let mut command = Command::new("/bin/sh");
        command.args(["-c", SCRIPT, "pilothouse-guard"]).arg(format!("{MARK}={run}"));
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
    pub(super) fn watch(&mut self, group: u32) -> io::Result<()> {
        writeln!(self.words, "{group}")
    }

    /// The run is over.
    pub(super) fn dismiss(mut self) {
        let _ = self.words.write_all(b"done\n");
        drop(self.words);
        let _ = self.shell.wait();
    }
}
