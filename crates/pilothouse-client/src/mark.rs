//! The mark by which every process of a run is known, and what ends those who bear it.
//!
//! The CLI starts shells, and those start what they like, often in groups of their own. What none
//! of them can leave is a variable in its environment. For programs that start the CLI themselves;
//! [`crate::Client`] does all of this by itself.

/// The variable that marks every process of a run.
pub const MARK: &str = "PILOTHOUSE_RUN";

/// A shell script that guards a run: it waits on its stdin, and ends the run when whoever holds the
/// other end has died. A kernel closes the pipes of the dead.
///
/// Its first line of input is the id of the CLI's process group; then it waits for `done`, or for
/// the end. `$1` is the mark, `NAME=value`. The CLI has seen the end of its stdin by then and may be
/// writing its transcript: it gets two seconds, then SIGTERM, then five more. `sleep` here is the
/// ladder, not an ordering.
pub const GUARD: &str = r#"
read -r group
read -r word && [ "$word" = done ] && exit 0
marked() {
  for at in /proc/[0-9]*; do
    grep -qsF "$1" "$at/environ" && echo "${at#/proc/}"
  done
}
alive() { [ -n "$group" ] && kill -0 "-$group" 2>/dev/null || [ -n "$(marked "$1")" ]; }
wait_for_end() {
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
wait_for_end "$1" 10
send "$1" TERM
wait_for_end "$1" 25
send "$1" KILL
"#;

/// Kills every process that bears the mark of `run`. They are not asked nicely: who would have done
/// that is gone. Blocks while it looks.
#[cfg(target_os = "linux")]
pub fn end_marked(run: &str) {
    /// A process that forks while it is killed has a child with the same mark; the next look finds
    /// it.
    const LOOKS: usize = 20;
    let mark = format!("{MARK}={run}");
    for _ in 0..LOOKS {
        if !kill_marked(mark.as_bytes()) {
            return;
        }
    }
    tracing::warn!("processes of the run are still starting others");
}

/// Without `/proc` nobody can be found by a mark.
#[cfg(not(target_os = "linux"))]
pub fn end_marked(_run: &str) {}

#[cfg(target_os = "linux")]
fn kill_marked(mark: &[u8]) -> bool {
    use rustix::process::{Pid, PidfdFlags, Signal, pidfd_open, pidfd_send_signal};
    let Ok(processes) = std::fs::read_dir("/proc") else { return false };
    let pids = processes.flatten().filter_map(|entry| entry.file_name().to_str()?.parse().ok());
    let mut found = false;
    for pid in pids {
        let Some(handle) = Pid::from_raw(pid) else { continue };
        // Open first, look after: the number cannot come to mean another process in between.
        let Ok(handle) = pidfd_open(handle, PidfdFlags::empty()) else { continue };
        if is_marked(pid, mark) {
            found |= pidfd_send_signal(&handle, Signal::KILL).is_ok();
        }
    }
    found
}

/// A process that has ended but is not yet reaped has an empty environment: not marked.
#[cfg(target_os = "linux")]
fn is_marked(pid: i32, mark: &[u8]) -> bool {
    let environment = std::fs::read(format!("/proc/{pid}/environ")).unwrap_or_default();
    environment.split(|byte| *byte == 0).any(|variable| variable == mark)
}
