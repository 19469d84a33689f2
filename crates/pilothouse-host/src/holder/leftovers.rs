//! What a run leaves behind when its CLI has ended: background shells and what they started.
//!
//! These are often in groups of their own. What they cannot leave is the mark that every process
//! of a run has in its environment.

/// The variable that marks every process of a run.
pub const MARK: &str = "PILOTHOUSE_RUN";

/// Kills every process of this run that is still there. They are not asked nicely: who would have
/// done that is gone.
///
/// A holder does this by itself; so does its guard if the holder was killed. It is for a daemon
/// that finds a run whose holder and guard are both gone.
#[cfg(target_os = "linux")]
pub fn end_leftovers(run: &str) {
    /// A process that forks while it is killed has a child with the same mark; the next look finds
    /// it.
    const LOOKS: usize = 20;
    let mark = format!("{MARK}={run}");
    for _ in 0..LOOKS {
        if !kill_marked(mark.as_bytes()) {
            return;
        }
    }
}

/// Without `/proc` nobody can be found by a mark.
#[cfg(not(target_os = "linux"))]
pub fn end_leftovers(_run: &str) {}

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
