//! Raises the limit of open files, and caps the number of connections below it.
//!
//! Without files nothing works: no session can be started, no policy read, and a connection that
//! cannot be accepted makes the listener wait. So the soft limit is raised as far as the configured
//! number of connections needs (the hard limit allowing), and connections are capped below it.
//!
//! It is raised no further: programs that sessions start inherit it, and some of those close every
//! file up to the limit when they begin. What they get is a few thousand; Node.js and Bun, which the
//! CLI runs on, raise theirs to the hard limit anyway.

/// Files kept at least for everything else: the database, holders, files that are being read.
const LEAST_RESERVE: u64 = 128;

/// Raises the limit for this many connections, and returns how many it has room for.
pub(crate) fn for_connections(wanted: usize) -> usize {
    let limit = raise(needed(wanted as u64));
    let room = limit.map_or(u64::MAX, room);
    let fitting = usize::try_from(room).unwrap_or(usize::MAX).min(wanted);
    if fitting < wanted {
        tracing::warn!(
            "only {fitting} of {wanted} connections (`limits.connections`) fit into the limit of \
             open files: raise it with `ulimit -n`, or LimitNOFILE= in the service"
        );
    }
    fitting
}

/// A limit with room for this many connections.
fn needed(connections: u64) -> u64 {
    connections.saturating_mul(2).max(connections.saturating_add(2 * LEAST_RESERVE))
}

/// Returns the number of connections that a limit has room for. A quarter of it is kept for
/// everything else, at least [`LEAST_RESERVE`], but never more than half.
fn room(limit: u64) -> u64 {
    let reserve = (limit / 4).max(LEAST_RESERVE).min(limit / 2);
    (limit - reserve).max(1)
}

/// Raises the soft limit to `needed`, or to the hard one. Returns the limit in effect, or `None` if
/// there is none.
#[cfg(unix)]
fn raise(needed: u64) -> Option<u64> {
    use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
    let limit = getrlimit(Resource::Nofile);
    let current = limit.current?;
    let wanted = limit.maximum.unwrap_or(u64::MAX).min(needed);
    if wanted <= current {
        return Some(current);
    }
    let raised = Rlimit { current: Some(wanted), maximum: limit.maximum };
    match setrlimit(Resource::Nofile, raised) {
        Ok(()) => Some(wanted),
        Err(error) => {
            tracing::debug!(%error, "the limit of open files cannot be raised");
            Some(current)
        }
    }
}

#[cfg(not(unix))]
fn raise(_: u64) -> Option<u64> {
    None
}

/// Returns whether a call failed because this process or the system has too many files open.
pub(crate) fn is_exhausted(error: &std::io::Error) -> bool {
    #[cfg(unix)]
    {
        use rustix::io::Errno;
        let exhausted = [Errno::MFILE, Errno::NFILE].map(Errno::raw_os_error);
        error.raw_os_error().is_some_and(|code| exhausted.contains(&code))
    }
    #[cfg(not(unix))]
    {
        let _ = error;
        false
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn connections_leave_files_for_everything_else() {
        for (limit, connections) in
            [(8_192, 6_144), (1_024, 768), (256, 128), (64, 32), (1, 1), (0, 1)]
        {
            assert_eq!(room(limit), connections, "{limit}");
        }
    }

    #[test]
    fn a_raised_limit_has_room_for_all() {
        for connections in [1, 100, 4_096, 100_000] {
            assert!(room(needed(connections)) >= connections, "{connections}");
        }
    }
}
