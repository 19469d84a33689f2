//! What the simulated CLI asks of its system, on Unix and elsewhere.

use std::process::ExitStatus;

use tokio::process::{Child, Command};

#[cfg(not(unix))]
pub(super) use elsewhere::{Group, Told, is_root, signal_of, user};
#[cfg(unix)]
pub(super) use unix::{Group, Told, is_root, signal_of, user};

#[cfg(unix)]
mod unix {
    use std::io;
    use std::os::unix::process::ExitStatusExt;

    use rustix::process::{Pid, Signal, geteuid, getuid, kill_process_group};
    use tokio::signal::unix::{SignalKind, signal};

    use super::{Child, Command, ExitStatus};

    pub(in crate::sim) fn user() -> u32 {
        getuid().as_raw()
    }

    pub(in crate::sim) fn is_root() -> bool {
        geteuid().is_root()
    }

    pub(in crate::sim) fn signal_of(status: ExitStatus) -> Option<i32> {
        status.signal()
    }

    /// A process and those that it has started.
    #[derive(Debug)]
    pub(in crate::sim) struct Group(Option<Pid>);

    impl Group {
        pub(in crate::sim) fn start(command: &mut Command) -> io::Result<(Self, Child)> {
            let child = command.process_group(0).spawn()?;
            let group = child.id().and_then(|id| Pid::from_raw(i32::try_from(id).ok()?));
            Ok((Self(group), child))
        }

        /// The first of them has ended; its number may soon belong to somebody else.
        pub(in crate::sim) fn forget(&mut self) {
            self.0 = None;
        }

        pub(in crate::sim) fn kill(&self) {
            if let Some(group) = self.0 {
                let _ = kill_process_group(group, Signal::KILL);
            }
        }
    }

    /// Waits to be told to end.
    #[derive(Debug)]
    pub(in crate::sim) struct Told(Option<tokio::signal::unix::Signal>);

    impl Told {
        pub(in crate::sim) fn new() -> Self {
            Self(signal(SignalKind::terminate()).ok())
        }

        pub(in crate::sim) async fn wait(&mut self) {
            match &mut self.0 {
                Some(signal) => _ = signal.recv().await,
                None => std::future::pending().await,
            }
        }
    }
}

/// Without users, groups and signals.
#[cfg(not(unix))]
mod elsewhere {
    use std::io;

    use super::{Child, Command, ExitStatus};

    pub(in crate::sim) fn user() -> u32 {
        0
    }

    pub(in crate::sim) fn is_root() -> bool {
        false
    }

    pub(in crate::sim) fn signal_of(_status: ExitStatus) -> Option<i32> {
        None
    }

    /// A process. It is ended when it is let go of.
    #[derive(Debug)]
    pub(in crate::sim) struct Group;

    impl Group {
        pub(in crate::sim) fn start(command: &mut Command) -> io::Result<(Self, Child)> {
            Ok((Self, command.kill_on_drop(true).spawn()?))
        }

        pub(in crate::sim) fn forget(&mut self) {}

        pub(in crate::sim) fn kill(&self) {}
    }

    /// Waits to be told to end, which nobody can be there.
    #[derive(Debug)]
    pub(in crate::sim) struct Told;

    impl Told {
        pub(in crate::sim) fn new() -> Self {
            Self
        }

        pub(in crate::sim) async fn wait(&mut self) {
            std::future::pending::<()>().await;
        }
    }
}
