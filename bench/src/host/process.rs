//! What processes cost, as the kernel knows it.

use std::fs;
use std::path::Path;

/// Resident memory of a process, in KiB: now (`VmRSS`) or at most (`VmHWM`).
#[must_use]
pub fn memory_kib(pid: u32, field: &str) -> Option<u64> {
    let status = fs::read_to_string(format!("/proc/{pid}/status")).ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix(field)?.strip_prefix(':'))?;
    line.split_ascii_whitespace().next()?.parse().ok()
}

/// What a process has for itself, in KiB: pages of its own, and its share of those that others use
/// as well.
#[must_use]
pub fn proportional_kib(pid: u32) -> Option<u64> {
    let rollup = fs::read_to_string(format!("/proc/{pid}/smaps_rollup")).ok()?;
    let line = rollup.lines().find_map(|line| line.strip_prefix("Pss:"))?;
    line.split_ascii_whitespace().next()?.parse().ok()
}

/// Seconds of processor time of a process with many threads, those that have ended included.
#[must_use]
pub fn seconds(pid: u32) -> Option<f64> {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    let (_, rest) = stat.rsplit_once(')')?;
    let mut fields = rest.split_ascii_whitespace().skip(11);
    let mut ticks = || fields.next()?.parse::<f64>().ok();
    // The unit is a hundredth of a second on every Linux.
    Some((ticks()? + ticks()?) / 100.0)
}

/// The same for one with a single thread, to the nanosecond.
#[must_use]
pub fn exact_seconds(pid: u32) -> Option<f64> {
    let stat = fs::read_to_string(format!("/proc/{pid}/schedstat")).ok()?;
    let nanos: f64 = stat.split_ascii_whitespace().next()?.parse().ok()?;
    Some(nanos / 1e9)
}

/// The holders and CLIs of all runs below a daemon's data directory.
#[must_use]
pub fn runs(data_dir: &Path) -> Vec<(u32, u32)> {
    let dirs = |dir: &Path| fs::read_dir(dir).into_iter().flatten().flatten();
    dirs(&data_dir.join("runs"))
        .flat_map(|session| dirs(&session.path()).collect::<Vec<_>>())
        .filter_map(|run| {
            let text = fs::read_to_string(run.path().join("pid")).ok()?;
            let (holder, cli) = text.trim().split_once(' ')?;
            Some((holder.parse().ok()?, cli.parse().ok()?))
        })
        .collect()
}

/// The other children of a holder: its guard.
#[must_use]
pub fn guards(runs: &[(u32, u32)]) -> Vec<u32> {
    let children = |holder: u32| {
        fs::read_to_string(format!("/proc/{holder}/task/{holder}/children")).unwrap_or_default()
    };
    let others = |(holder, cli): &(u32, u32)| {
        let pids = children(*holder);
        let pids = pids.split_ascii_whitespace().filter_map(|pid| pid.parse().ok());
        pids.filter(|pid: &u32| pid != cli).collect::<Vec<_>>()
    };
    runs.iter().flat_map(others).collect()
}
