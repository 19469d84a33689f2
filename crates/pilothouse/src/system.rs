//! What differs from system to system: signals, terminals, processes.

#[cfg(unix)]
pub(crate) use unix::{
    Interrupts, Stops, TERMINAL, WindowClosed, columns, detach, forget_typed, is_foreground,
    leave_terminal,
};
#[cfg(windows)]
pub(crate) use windows::{
    Interrupts, Stops, TERMINAL, columns, detach, forget_typed, is_foreground, leave_terminal,
};

impl Interrupts {
    /// What comes of some work; nothing if Ctrl-C comes first. Whoever has interrupts has taken the
    /// usual effect of Ctrl-C away, so nothing that may take long is to be awaited beside them.
    pub(crate) async fn or<T>(&mut self, work: impl Future<Output = T>) -> Option<T> {
        tokio::select! {
            done = work => Some(done),
            () = self.next() => None,
        }
    }
}

#[cfg(unix)]
mod unix {
    use std::fs::File;
    use std::io;
    use std::process::Command;

    use rustix::process::getpgrp;
    use rustix::termios::{QueueSelector, tcflush, tcgetpgrp, tcgetwinsize};
    use tokio::signal::unix::{Signal, SignalKind, signal};

    /// Where a person is read from, also where stdin is something else.
    pub(crate) const TERMINAL: &str = "/dev/tty";

    /// Ctrl-C.
    pub(crate) struct Interrupts(Signal);

    impl Interrupts {
        pub(crate) fn new() -> io::Result<Self> {
            signal(SignalKind::interrupt()).map(Self)
        }

        pub(crate) async fn next(&mut self) {
            self.0.recv().await;
        }
    }

    /// Ctrl-C, or being told to end by somebody else.
    pub(crate) struct Stops {
        interrupt: Signal,
        terminate: Signal,
    }

    impl Stops {
        pub(crate) fn new() -> io::Result<Self> {
            let interrupt = signal(SignalKind::interrupt())?;
            Ok(Self { interrupt, terminate: signal(SignalKind::terminate())? })
        }

        pub(crate) async fn next(&mut self) {
            tokio::select! {
                _ = self.interrupt.recv() => {}
                _ = self.terminate.recv() => {}
            }
        }
    }

    /// The end of the terminal.
    pub(crate) struct WindowClosed(Signal);

    impl WindowClosed {
        pub(crate) fn new() -> io::Result<Self> {
            signal(SignalKind::hangup()).map(Self)
        }

        pub(crate) async fn next(&mut self) {
            self.0.recv().await;
        }
    }

    /// The terminal's end is not ours from here on. Fails only where that is so already.
    pub(crate) fn leave_terminal() {
        let _ = rustix::process::setsid();
    }

    /// A process that is started so leaves the terminal by itself.
    pub(crate) fn detach(_command: &mut Command) {}

    /// How many columns the terminal has.
    pub(crate) fn columns() -> Option<usize> {
        let size = tcgetwinsize(rustix::stdio::stdout()).ok()?;
        Some(usize::from(size.ws_col)).filter(|columns| *columns > 0)
    }

    /// Whether what is typed there is for this process.
    pub(crate) fn is_foreground(terminal: &File) -> bool {
        tcgetpgrp(terminal).is_ok_and(|group| group == getpgrp())
    }

    /// Forgets what was typed and not read.
    pub(crate) fn forget_typed(terminal: &File) {
        let _ = tcflush(terminal, QueueSelector::IFlush);
    }
}

#[cfg(windows)]
mod windows {
    use std::fs::File;
    use std::io;
    use std::os::windows::process::CommandExt;
    use std::process::Command;

    use tokio::signal::windows::{CtrlC, CtrlShutdown, ctrl_c, ctrl_shutdown};

    /// Where a person is read from, also where stdin is something else.
    pub(crate) const TERMINAL: &str = "CONIN$";

    /// Without a console, and not within reach of the Ctrl-C of this one.
    const DETACHED: u32 = 0x0000_0008 | 0x0000_0200;

    /// Ctrl-C.
    pub(crate) struct Interrupts(CtrlC);

    impl Interrupts {
        pub(crate) fn new() -> io::Result<Self> {
            ctrl_c().map(Self)
        }

        pub(crate) async fn next(&mut self) {
            self.0.recv().await;
        }
    }

    /// Ctrl-C, or the end of the machine.
    pub(crate) struct Stops {
        interrupt: CtrlC,
        shutdown: CtrlShutdown,
    }

    impl Stops {
        pub(crate) fn new() -> io::Result<Self> {
            Ok(Self { interrupt: ctrl_c()?, shutdown: ctrl_shutdown()? })
        }

        pub(crate) async fn next(&mut self) {
            tokio::select! {
                _ = self.interrupt.recv() => {}
                _ = self.shutdown.recv() => {}
            }
        }
    }

    /// Who starts this has seen to it.
    pub(crate) fn leave_terminal() {}

    /// A process that is started so is not in this console.
    pub(crate) fn detach(command: &mut Command) {
        command.creation_flags(DETACHED);
    }

    /// Told only by who sets `COLUMNS`.
    pub(crate) fn columns() -> Option<usize> {
        None
    }

    /// Nobody is in the background of a console.
    pub(crate) fn is_foreground(_terminal: &File) -> bool {
        true
    }

    /// What was typed before stays there.
    pub(crate) fn forget_typed(_terminal: &File) {}
}
