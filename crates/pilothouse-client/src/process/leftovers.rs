//! What a run leaves behind when its CLI has ended: background shells and their children.

/// Ends every process that carries the mark of `run`.
///
/// Killed at once: their parent, which would have asked them nicely, is gone.
#[cfg(target_os = "linux")]
pub(super) async fn end(run: &str, _group: Option<u32>) {
    let mark = format!("{}={run}", super::MARK);
    let swept = tokio::task::spawn_blocking(move || sweep(mark.as_bytes())).await;
    if let Err(error) = swept {
        tracing::warn!(%error, "could not look for left-over processes");
    }
}

/// Without `/proc` the group is all there is to go by.
#[cfg(not(target_os = "linux"))]
pub(super) async fn end(_run: &str, group: Option<u32>) {
    super::signal_group(group, super::Signal::Kill);
}

/// Kills until a look finds nobody: a process that forks while it is killed has a child with the
/// same mark, and the next look finds it.
#[cfg(target_os = "linux")]
fn sweep(mark: &[u8]) {
    const LOOKS: usize = 20;
    for _ in 0..LOOKS {
        if !kill_marked(mark) {
            return;
        }
    }
    tracing::warn!("processes of the run are still starting others");
}

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
