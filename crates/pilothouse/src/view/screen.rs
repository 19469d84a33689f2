//! Where text goes: stdout, and in a terminal a last line that tells what goes on.
//!
//! The last line stands below everything else and is taken away before anything is written; it is
//! shown only where a line begins.

use std::io::{self, IsTerminal, Write};

use anstream::AutoStream;
use anstyle::Style;

use super::style::DIM;
use super::text::{cut, harmless, one_line};
use crate::args::Color;
use crate::system::columns;

/// The width where none is known.
const USUAL_WIDTH: usize = 80;

/// How many columns the terminal has.
pub(super) fn width() -> usize {
    let asked = std::env::var("COLUMNS").ok().and_then(|columns| columns.parse().ok());
    columns().or(asked).unwrap_or(USUAL_WIDTH)
}

/// Whether somebody looks at both outputs.
fn interactive() -> bool {
    io::stdout().is_terminal() && io::stderr().is_terminal()
}

/// Chooses whether colours are used, for everything.
pub(crate) fn set_color(color: Color) {
    match color {
        Color::Auto => {}
        Color::Always => anstream::ColorChoice::Always.write_global(),
        Color::Never => anstream::ColorChoice::Never.write_global(),
    }
}

/// Where text goes.
pub(crate) struct Screen {
    out: Box<dyn Write + Send>,
    /// There is a last line.
    live: bool,
    /// A line has begun and not ended.
    open: bool,
    shown: bool,
}

impl Screen {
    /// The terminal, or whatever stdout is.
    pub(crate) fn new() -> Self {
        let out = Box::new(AutoStream::auto(io::stdout()));
        Self { out, live: interactive(), open: false, shown: false }
    }

    /// Stderr, for what has to be seen where stdout goes elsewhere.
    pub(crate) fn aside() -> Self {
        let out = Box::new(AutoStream::auto(io::stderr()));
        Self { out, live: false, open: false, shown: false }
    }

    /// Somebody watches.
    pub(crate) fn is_live(&self) -> bool {
        self.live
    }

    /// A line.
    pub(crate) fn line(&mut self, style: Style, text: &str) -> io::Result<()> {
        self.end_line()?;
        writeln!(self.out, "{style}{}{style:#}", harmless(text))
    }

    /// A line of several looks.
    pub(crate) fn spans(&mut self, spans: &[(Style, &str)]) -> io::Result<()> {
        let spans = spans.iter();
        let line: String =
            spans.map(|(style, text)| format!("{style}{}{style:#}", harmless(text))).collect();
        self.painted(&line)
    }

    /// A line that is painted and harmless already.
    pub(super) fn painted(&mut self, text: &str) -> io::Result<()> {
        self.end_line()?;
        writeln!(self.out, "{text}")
    }

    /// A piece of text that may go on.
    pub(crate) fn text(&mut self, style: Style, text: &str) -> io::Result<()> {
        if text.is_empty() {
            return Ok(());
        }
        self.hide()?;
        write!(self.out, "{style}{}{style:#}", harmless(text))?;
        self.open = !text.ends_with('\n');
        self.out.flush()
    }

    /// Ends a line that has begun.
    pub(crate) fn end_line(&mut self) -> io::Result<()> {
        self.hide()?;
        if std::mem::take(&mut self.open) {
            writeln!(self.out)?;
        }
        Ok(())
    }

    /// Shows what goes on, if there is a place for it.
    pub(crate) fn status(&mut self, text: &str) -> io::Result<()> {
        if !self.live || self.open {
            return Ok(());
        }
        let text = cut(&one_line(text), width().saturating_sub(1));
        // Past what strips colours: a line is also taken away where nobody wants them.
        self.hide()?;
        let mut err = AutoStream::auto(io::stderr());
        write!(err, "{DIM}{text}{DIM:#}")?;
        self.shown = true;
        err.flush()
    }

    /// Takes the last line away.
    pub(crate) fn hide(&mut self) -> io::Result<()> {
        if std::mem::take(&mut self.shown) {
            let mut err = io::stderr();
            write!(err, "\r\x1b[2K")?;
            err.flush()?;
        }
        Ok(())
    }

    /// What was written is to be seen.
    pub(crate) fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

impl Drop for Screen {
    fn drop(&mut self) {
        let _ = self.hide();
        let _ = self.out.flush();
    }
}
