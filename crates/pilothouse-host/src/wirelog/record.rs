//! One record, and how it looks in the file.

use std::fmt;

use bytes::Bytes;
use memchr::memchr;

/// One record of a wire log. Times are Unix time in milliseconds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Record {
    /// The CLI was started.
    Started {
        /// When.
        at: u64,
        /// Its process.
        pid: u32,
        /// What was started, as JSON, without secrets.
        what: Bytes,
    },
    /// A line of the CLI's stdout.
    Out {
        /// When its newline was read.
        at: u64,
        /// The line without its newline. May be anything.
        line: Bytes,
    },
    /// A line of the CLI's stderr.
    Err {
        /// When its newline was read.
        at: u64,
        /// The line without its newline. May be anything.
        line: Bytes,
    },
    /// A line that was written to the CLI's stdin.
    In {
        /// When its newline was written.
        at: u64,
        /// Its number: 1, 2, 3…
        number: u64,
        /// The line without its newline.
        line: Bytes,
    },
    /// The CLI's stdin was closed.
    InClosed {
        /// When.
        at: u64,
        /// Why.
        why: Closed,
    },
    /// A remark of the holder.
    Note {
        /// When.
        at: u64,
        /// What it says.
        text: Bytes,
    },
    /// The CLI has ended. The last record.
    Exited {
        /// When.
        at: u64,
        /// How.
        exit: Exit,
    },
    /// A record of a later version, or damage: the whole of it.
    Unknown {
        /// Without its newline.
        raw: Bytes,
    },
}

/// Why nothing more can be written to the CLI.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Closed {
    /// Asked for.
    Eof,
    /// The run is being stopped.
    Stop,
    /// The CLI no longer reads it. What it was sent last may not have been written.
    Broken,
}

/// How a CLI ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Exit {
    /// Its exit code.
    pub code: Option<i32>,
    /// The signal that ended it.
    pub signal: Option<i32>,
}

impl Closed {
    pub(super) fn word(self) -> &'static str {
        match self {
            Self::Eof => "eof",
            Self::Stop => "stop",
            Self::Broken => "broken",
        }
    }
}

impl fmt::Display for Exit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let one = |value: Option<i32>| value.map_or("-".to_owned(), |value| value.to_string());
        write!(f, "{} {}", one(self.code), one(self.signal))
    }
}

impl Record {
    /// Reads one line of a log, without its newline. Total: what is not understood is `Unknown`.
    pub fn parse(raw: Bytes) -> Self {
        parse(&raw).unwrap_or(Self::Unknown { raw })
    }

    /// When, unless it is `Unknown`.
    pub fn at(&self) -> Option<u64> {
        match self {
            Self::Started { at, .. }
            | Self::Out { at, .. }
            | Self::Err { at, .. }
            | Self::In { at, .. }
            | Self::InClosed { at, .. }
            | Self::Note { at, .. }
            | Self::Exited { at, .. } => Some(*at),
            Self::Unknown { .. } => None,
        }
    }
}

fn parse(raw: &Bytes) -> Option<Record> {
    let mut rest = raw.clone();
    let kind = word(&mut rest)?;
    let at = number(&mut rest)?;
    Some(match &*kind {
        b"o" => Record::Out { at, line: rest },
        b"e" => Record::Err { at, line: rest },
        b"n" => Record::Note { at, text: rest },
        b"i" => Record::In { at, number: number(&mut rest)?, line: rest },
        b"s" => Record::Started { at, pid: number(&mut rest)?, what: rest },
        b"c" => {
            let known = [Closed::Eof, Closed::Stop, Closed::Broken];
            let why = known.into_iter().find(|why| why.word().as_bytes() == &*rest)?;
            Record::InClosed { at, why }
        }
        b"x" => {
            let code = word(&mut rest)?;
            let exit = Exit { code: status(&code)?, signal: status(&rest)? };
            Record::Exited { at, exit }
        }
        _ => return None,
    })
}

/// Takes what stands before the next space, and the space.
fn word(rest: &mut Bytes) -> Option<Bytes> {
    let space = memchr(b' ', rest)?;
    let mut word = rest.split_to(space + 1);
    word.truncate(space);
    Some(word)
}

fn number<N: std::str::FromStr>(rest: &mut Bytes) -> Option<N> {
    std::str::from_utf8(&word(rest)?).ok()?.parse().ok()
}

fn status(word: &[u8]) -> Option<Option<i32>> {
    match word {
        b"-" => Some(None),
        digits => Some(Some(std::str::from_utf8(digits).ok()?.parse().ok()?)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(raw: &'static [u8]) -> Record {
        Record::parse(Bytes::from_static(raw))
    }

    #[test]
    fn every_kind_is_read() {
        let line = Bytes::from_static;
        assert_eq!(read(b"o 12 {\"a\": 1} "), Record::Out { at: 12, line: line(b"{\"a\": 1} ") });
        assert_eq!(read(b"e 12 "), Record::Err { at: 12, line: line(b"") });
        assert_eq!(read(b"i 3 7  x"), Record::In { at: 3, number: 7, line: line(b" x") });
        assert_eq!(read(b"s 3 99 {}"), Record::Started { at: 3, pid: 99, what: line(b"{}") });
        assert_eq!(read(b"n 3 \xff"), Record::Note { at: 3, text: line(b"\xff") });
        assert_eq!(read(b"c 3 stop"), Record::InClosed { at: 3, why: Closed::Stop });
        let exit = |code, signal| Record::Exited { at: 3, exit: Exit { code, signal } };
        assert_eq!(read(b"x 3 0 -"), exit(Some(0), None));
        assert_eq!(read(b"x 3 - 9"), exit(None, Some(9)));
    }

    #[test]
    fn what_is_not_a_record_is_kept() {
        for raw in [&b""[..], b"o", b"o 1", b"o x y", b"z 1 y", b"x 1 0", b"c 1 why", b"\xff \xff"]
        {
            let raw = Bytes::copy_from_slice(raw);
            assert_eq!(Record::parse(raw.clone()), Record::Unknown { raw });
        }
    }
}
