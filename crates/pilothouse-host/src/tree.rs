//! A process and all that it has started, to be ended together: a group of processes, or a job; and
//! how the end of the first is learned of while the others are still known.

use std::io;

#[cfg(unix)]
pub(crate) use group::{End, Tree};
#[cfg(windows)]
pub(crate) use job::{End, Tree};

/// What belongs to it is known by the group.
#[cfg(unix)]
mod group {
    use std::os::unix::process::CommandExt;
    use std::process::{Child, Command};

    use rustix::process::{Pid, Signal, WaitId, WaitIdOptions, kill_process_group, waitid};
    use tokio::signal::unix::{Signal as Signals, SignalKind, signal};

    use super::io;

    /// None when it has ended, or was never begun.
    #[derive(Debug)]
    pub(crate) struct Tree(Option<Pid>);

    impl Tree {
        /// The process of this command is to be the first.
        pub(crate) fn plant(command: &mut Command) -> io::Result<Self> {
            command.process_group(0);
            Ok(Self(None))
        }

        /// It was started.
        pub(crate) fn grow(&mut self, child: &Child) -> io::Result<()> {
            self.grow_from(Some(child.id()));
            Ok(())
        }

        /// The same.
        pub(crate) fn grow_async(&mut self, child: &tokio::process::Child) -> io::Result<()> {
            self.grow_from(child.id());
            Ok(())
        }

        fn grow_from(&mut self, id: Option<u32>) {
            self.0 = id.and_then(pid);
        }

        /// Asks all of them to end.
        pub(crate) fn shake(&self) {
            self.signal(Signal::TERM);
        }

        /// Ends all of them. They are not known any more after that: the first may be waited for
        /// and its number become another's.
        pub(crate) fn fell(&mut self) {
            self.signal(Signal::KILL);
            self.0 = None;
        }

        fn signal(&self, signal: Signal) {
            if let Some(group) = self.0 {
                // No such group: everyone in it has ended.
                let _ = kill_process_group(group, signal);
            }
        }
    }

    /// The end of a child. The child is not waited for here: until that is done its number, and so
    /// that of its group, cannot become another's.
    #[derive(Debug)]
    pub(crate) struct End(Signals);

    impl End {
        /// To be called before the child is started, so that its end is not missed.
        pub(crate) fn foresee() -> io::Result<Self> {
            signal(SignalKind::child()).map(Self)
        }

        /// Waits for it. The waiting may be given up and begun again.
        pub(crate) async fn of(&mut self, child: &mut tokio::process::Child) {
            while !has_ended(child) {
                self.0.recv().await;
            }
        }
    }

    fn has_ended(child: &tokio::process::Child) -> bool {
        let Some(pid) = child.id().and_then(pid) else { return true };
        let look = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
        // Where it cannot be looked for, somebody has waited for it.
        !matches!(waitid(WaitId::Pid(pid), look), Ok(None))
    }

    fn pid(id: u32) -> Option<Pid> {
        i32::try_from(id).ok().and_then(Pid::from_raw)
    }
}

/// What belongs to it is in the job, which ends with the last handle of it; so with this process,
/// however that ends.
#[cfg(windows)]
mod job {
    use std::os::windows::io::{AsRawHandle, RawHandle};
    use std::os::windows::process::CommandExt;
    use std::process::{Child, Command};

    use win32job::{ExtendedLimitInfo, Job};

    use super::io;

    /// No console is opened for it.
    const CREATE_NO_WINDOW: u32 = 0x0800_0000;

    /// None when it has ended.
    #[derive(Debug)]
    pub(crate) struct Tree(Option<Job>);

    impl Tree {
        /// The process of this command is to be the first.
        pub(crate) fn plant(command: &mut Command) -> io::Result<Self> {
            command.creation_flags(CREATE_NO_WINDOW);
            let mut limits = ExtendedLimitInfo::new();
            limits.limit_kill_on_job_close();
            Job::create_with_limit_info(&limits)
                .map(|job| Self(Some(job)))
                .map_err(io::Error::other)
        }

        /// It was started.
        pub(crate) fn grow(&mut self, child: &Child) -> io::Result<()> {
            self.grow_from(Some(child.as_raw_handle()))
        }

        /// The same.
        pub(crate) fn grow_async(&mut self, child: &tokio::process::Child) -> io::Result<()> {
            self.grow_from(child.raw_handle())
        }

        fn grow_from(&mut self, handle: Option<RawHandle>) -> io::Result<()> {
            match (&self.0, handle) {
                (Some(job), Some(handle)) => {
                    job.assign_process(handle as isize).map_err(io::Error::other)
                }
                _ => Err(io::ErrorKind::NotFound.into()),
            }
        }

        /// Asks all of them to end. Here nobody can be asked.
        pub(crate) fn shake(&self) {}

        /// Ends all of them.
        pub(crate) fn fell(&mut self) {
            self.0 = None;
        }
    }

    /// The end of a child. The others are known by their job, whatever becomes of it.
    #[derive(Debug)]
    pub(crate) struct End;

    impl End {
        pub(crate) fn foresee() -> io::Result<Self> {
            Ok(Self)
        }

        /// Waits for it. The waiting may be given up and begun again.
        pub(crate) async fn of(&mut self, child: &mut tokio::process::Child) {
            // How it ended is told again to who waits again.
            let _ = child.wait().await;
        }
    }
}
