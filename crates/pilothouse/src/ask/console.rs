//! Lines from the terminal, also where stdin is something else.
//!
//! A thread reads; it lives until the process ends, because a read of a terminal cannot be taken
//! back. What is typed while nobody asks for lines is thrown away when somebody does.

use std::fs::File;
use std::io::{self, BufRead, BufReader, IsTerminal};

use tokio::sync::mpsc::{UnboundedReceiver, unbounded_channel};

/// The terminal, to be read from.
pub(crate) struct Console {
    lines: UnboundedReceiver<String>,
}

impl Console {
    /// The terminal of this process, if it has one and its output is seen there.
    pub(crate) fn open() -> Option<Self> {
        if !io::stderr().is_terminal() {
            return None;
        }
        let tty = File::open("/dev/tty").ok()?;
        let (sender, lines) = unbounded_channel();
        std::thread::Builder::new()
            .name("console".to_owned())
            .spawn(move || {
                let mut tty = BufReader::new(tty);
                loop {
                    let mut line = String::new();
                    match tty.read_line(&mut line) {
                        // The end of input comes as no line.
                        Ok(0) | Err(_) => return,
                        Ok(_) if sender.send(line).is_err() => return,
                        Ok(_) => {}
                    }
                }
            })
            .ok()?;
        Some(Self { lines })
    }

    /// Forgets what was typed before it was asked for.
    pub(crate) fn forget(&mut self) {
        while self.lines.try_recv().is_ok() {}
    }

    /// The next line; none when there are no more.
    pub(crate) async fn line(&mut self) -> Option<String> {
        self.lines.recv().await
    }
}
