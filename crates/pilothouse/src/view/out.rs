//! Writes to stdout and stderr. Only this file and [`Screen`](super::Screen) do, so that no command
//! can pass on a character that a terminal obeys.

use std::io::{self, IsTerminal, Write};

use anstyle::Style;
use pilothouse_host::visible;

use super::text::harmless;

/// Writes text for people to stdout.
pub(crate) fn print(text: &str) -> io::Result<()> {
    let mut out = anstream::stdout();
    out.write_all(visible::name(text).as_bytes())?;
    out.flush()
}

/// Writes JSON to stdout, and a line end. The value stays the same.
pub(crate) fn print_json(text: &str) -> io::Result<()> {
    let mut out = io::stdout();
    writeln!(out, "{}", visible::json(text))?;
    out.flush()
}

/// Writes text to stdout as it is, unless that is a terminal; and a line end.
pub(crate) fn print_exact(text: &str) -> io::Result<()> {
    let mut out = Exact::stdout();
    writeln!(out, "{text}")?;
    out.flush()
}

/// Writes a line to stderr.
pub(crate) fn report(style: Style, text: &str) -> io::Result<()> {
    writeln!(anstream::stderr(), "{style}{}{style:#}", harmless(text))
}

/// Writes a line to stderr, with the name of this program before it.
pub(crate) fn warn(text: &str) -> io::Result<()> {
    writeln!(anstream::stderr(), "pilothouse: {}", harmless(text))
}

/// Writes to stderr what somebody is to answer, in the same line.
pub(crate) fn prompt(text: &str) -> io::Result<()> {
    let mut err = io::stderr();
    write!(err, "{}", visible::name(text))?;
    err.flush()
}

/// Bytes for stdout: as they are in a file or a pipe, made visible on a terminal.
pub(crate) struct Exact<W = io::Stdout> {
    out: W,
    is_terminal: bool,
    /// The beginning of a character whose end has not come.
    cut: Vec<u8>,
}

impl Exact {
    pub(crate) fn stdout() -> Self {
        let out = io::stdout();
        Self { is_terminal: out.is_terminal(), out, cut: Vec::new() }
    }
}

impl<W: Write> Exact<W> {
    fn write_visible(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.cut.extend_from_slice(bytes);
        let bytes = std::mem::take(&mut self.cut);
        let mut rest = bytes.as_slice();
        loop {
            match std::str::from_utf8(rest) {
                Ok(text) => return self.out.write_all(visible::name(text).as_bytes()),
                Err(error) => {
                    let (good, bad) = rest.split_at(error.valid_up_to());
                    let good = String::from_utf8_lossy(good);
                    self.out.write_all(visible::name(&good).as_bytes())?;
                    let Some(length) = error.error_len() else {
                        self.cut = bad.to_vec();
                        return Ok(());
                    };
                    self.out.write_all("\u{fffd}".as_bytes())?;
                    rest = &bad[length..];
                }
            }
        }
    }
}

impl<W: Write> Write for Exact<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self.is_terminal {
            true => self.write_visible(bytes).map(|()| bytes.len()),
            false => self.out.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_terminal_gets_visible_text_however_it_is_cut() {
        let text = "a\x1b]0;é\u{9b}漢\u{202e}b\n".as_bytes();
        for at in 0..text.len() {
            for (is_terminal, expected) in
                [(true, "a<U+001B>]0;é<U+009B>漢<U+202E>b\n".as_bytes()), (false, text)]
            {
                let mut exact = Exact { out: Vec::new(), is_terminal, cut: Vec::new() };
                exact.write_all(&text[..at]).unwrap();
                exact.write_all(&text[at..]).unwrap();
                assert_eq!(exact.out, expected, "{at}");
            }
        }
        let mut exact = Exact { out: Vec::new(), is_terminal: true, cut: Vec::new() };
        exact.write_all(b"a\xff\x9bb").unwrap();
        assert_eq!(exact.out, "a\u{fffd}\u{fffd}b".as_bytes());
    }
}
