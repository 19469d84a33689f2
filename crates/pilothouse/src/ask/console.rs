//! Lines from the terminal, also where stdin is something else.
//!
//! It is read only while a line is wanted: what is typed besides is for the shell, and who reads from
//! the background is stopped by the system. A thread reads, because a read of a terminal cannot be
//! taken back; it lives until the process ends.

use std::fs::File;
use std::io::{self, BufRead, BufReader, IsTerminal};
use std::sync::mpsc;

use tokio::sync::mpsc::{UnboundedReceiver, unbounded_channel};

use crate::system::{TERMINAL, forget_typed, is_foreground};

/// The terminal, to be read from.
pub(crate) struct Console {
    tty: File,
    wants: mpsc::Sender<()>,
    /// A line is wanted and has not come.
    is_wanted: bool,
    lines: UnboundedReceiver<String>,
}

impl Console {
    /// The terminal of this process, if it has one in which it is the one that is talked to, and
    /// somebody would see there what is asked.
    pub(crate) fn open() -> Option<Self> {
        if !io::stderr().is_terminal() {
            return None;
        }
        let tty = File::open(TERMINAL).ok().filter(is_foreground)?;
        let (wants, wanted) = mpsc::channel();
        let (sender, lines) = unbounded_channel();
        let mut reader = BufReader::new(tty.try_clone().ok()?);
        std::thread::Builder::new()
            .name("console".to_owned())
            .spawn(move || {
                while wanted.recv().is_ok() {
                    let mut line = String::new();
                    match reader.read_line(&mut line) {
                        // The end of input comes as no line.
                        Ok(0) | Err(_) => return,
                        Ok(_) if sender.send(line).is_err() => return,
                        Ok(_) => {}
                    }
                }
            })
            .ok()?;
        Some(Self { tty, wants, is_wanted: false, lines })
    }

    /// What is typed is for this process.
    pub(crate) fn is_ours(&self) -> bool {
        is_foreground(&self.tty)
    }

    /// Forgets what was typed before it was asked for.
    pub(crate) fn forget(&mut self) {
        forget_typed(&self.tty);
        while self.lines.try_recv().is_ok() {
            self.is_wanted = false;
        }
    }

    /// The next line; none when there are no more. May be given up and asked again.
    pub(crate) async fn line(&mut self) -> Option<String> {
        if !self.is_wanted {
            self.wants.send(()).ok()?;
            self.is_wanted = true;
        }
        let line = self.lines.recv().await;
        self.is_wanted = false;
        line
    }
}
