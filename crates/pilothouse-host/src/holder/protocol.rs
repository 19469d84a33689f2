//! What a daemon and a holder say to each other, without the socket.
//!
//! Daemon to holder, each a line:
//!
//! | | |
//! |---|---|
//! | `attach <offset>` | from now on stream the log from this byte on, for ever; who was attached before is cut off |
//! | `send <number> <length>`, then that many bytes | write these and a newline to the CLI |
//! | `eof` | close the CLI's stdin, when everything that was sent has been written |
//! | `stop <ms>` | the same, and if the CLI has not ended after that time, SIGTERM, then SIGKILL |
//! | `gather <ms>` | after each read of the CLI's output leave it alone for so long; 0: read at once |
//! | `detach` | the daemon goes; the run goes on |
//! | `bye` | the same, and the holder is not needed any more once the CLI has ended |
//!
//! `eof` and `stop` are heard on any connection, so a daemon whose sends are held up by a CLI that
//! does not read can stop it over a second one. The rest needs `attach` first.
//!
//! Holder to daemon: one line, `hold <version> <end> <accepted>` ([`Greeting`]) or `refused <why>`,
//! and then nothing but the bytes of the log. A send has been written when its `i` record comes.
//!
//! **Numbers** are 1, 2, 3… in a run, and a number means one line for ever. A number that was
//! accepted before is ignored: a daemon that does not know whether its predecessor's line arrived
//! sends it again. A gap ends the connection.

use std::time::Duration;

/// The version of this protocol. A holder may be older than the daemon that finds it.
pub const VERSION: u32 = 2;

/// Since which version a holder understands [`Command::Gather`].
pub const GATHERS_SINCE: u32 = 2;

/// No line but those of the greeting and the commands is read; they are shorter than this.
const LONGEST: usize = 128;

/// No line that is sent is longer: memory does not limit it, the disk does.
const MOST: u64 = 1 << 30;

/// What a daemon says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Command<'a> {
    /// Stream the log from this byte on.
    Attach {
        /// Where a record begins.
        offset: u64,
    },
    /// Write a line to the CLI.
    Send {
        /// Its number.
        number: u64,
        /// Without a newline.
        line: &'a [u8],
    },
    /// Close the CLI's stdin.
    Eof,
    /// End the CLI.
    Stop {
        /// From the end of its stdin to SIGTERM.
        grace: Duration,
    },
    /// Wake less often.
    Gather {
        /// How long the CLI's output may wait after a read.
        time: Duration,
    },
    /// The daemon goes.
    Detach,
    /// The daemon goes and has read everything.
    Bye,
}

/// A line with a newline in it would be two lines.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a line for the CLI must not contain a newline: send one line at a time")]
pub struct NewlineInside;

impl Command<'_> {
    /// Adds the bytes that say this.
    pub fn encode(&self, bytes: &mut Vec<u8>) -> Result<(), NewlineInside> {
        let head = match self {
            Self::Attach { offset } => format!("attach {offset}\n"),
            Self::Send { line, .. } if memchr::memchr(b'\n', line).is_some() => {
                return Err(NewlineInside);
            }
            Self::Send { number, line } => format!("send {number} {}\n", line.len()),
            Self::Eof => "eof\n".to_owned(),
            Self::Stop { grace } => format!("stop {}\n", grace.as_millis()),
            Self::Gather { time } => format!("gather {}\n", time.as_millis()),
            Self::Detach => "detach\n".to_owned(),
            Self::Bye => "bye\n".to_owned(),
        };
        bytes.extend_from_slice(head.as_bytes());
        if let Self::Send { line, .. } = self {
            bytes.extend_from_slice(line);
        }
        Ok(())
    }
}

/// The holder's first line to a daemon that attaches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Greeting {
    /// Of the protocol.
    pub version: u32,
    /// How long the log was when the daemon attached: what comes after is live.
    pub end: u64,
    /// The highest number of a send that was accepted. It may not be in the log yet.
    pub accepted: u64,
}

/// A holder does not want this daemon.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the holder refused: {0}")]
pub struct Refused(pub String);

impl Greeting {
    /// Takes the greeting from the front of `bytes`; nothing if it is not all there yet. Says how
    /// many bytes it was: the log begins after them.
    pub fn take(bytes: &[u8]) -> Result<Option<(Self, usize)>, Refused> {
        let Some(end) = memchr::memchr(b'\n', bytes) else {
            return match bytes.len() {
                0..LONGEST => Ok(None),
                _ => Err(Refused("it does not speak this protocol".to_owned())),
            };
        };
        let line = String::from_utf8_lossy(&bytes[..end]);
        if let Some(why) = line.strip_prefix("refused ") {
            return Err(Refused(why.to_owned()));
        }
        let greeting = Self::parse(&line).ok_or_else(|| Refused(format!("it said `{line}`")))?;
        Ok(Some((greeting, end + 1)))
    }

    fn parse(line: &str) -> Option<Self> {
        let mut words = line.strip_prefix("hold ")?.split(' ');
        let version = words.next()?.parse().ok()?;
        let end = words.next()?.parse().ok()?;
        Some(Self { version, end, accepted: words.next()?.parse().ok()? })
    }

    pub(super) fn line(&self) -> String {
        format!("hold {} {} {}\n", self.version, self.end, self.accepted)
    }
}

/// What a holder hears. A sent line comes in pieces: it may be long.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Heard<'a> {
    Attach(u64),
    Send(u64),
    Piece(&'a [u8]),
    Sent,
    Eof,
    Stop(Duration),
    Gather(Duration),
    Detach,
    Bye,
}

/// The daemon said something that is not in the protocol.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("not a command: {0}")]
pub(super) struct Garbled(String);

/// Takes commands from what a daemon sends.
#[derive(Debug, Default)]
pub(super) struct Hearing {
    /// The beginning of a command.
    line: Vec<u8>,
    /// How much of a sent line is to come.
    awaited: Option<u64>,
}

impl Hearing {
    /// The next thing in `bytes`, which are consumed as far as they were used.
    pub(super) fn next<'a>(&mut self, bytes: &mut &'a [u8]) -> Result<Option<Heard<'a>>, Garbled> {
        if let Some(awaited) = self.awaited {
            if awaited == 0 {
                self.awaited = None;
                return Ok(Some(Heard::Sent));
            }
            if bytes.is_empty() {
                return Ok(None);
            }
            let count = usize::try_from(awaited).unwrap_or(usize::MAX).min(bytes.len());
            let (piece, rest) = bytes.split_at(count);
            *bytes = rest;
            self.awaited = Some(awaited - count as u64);
            return Ok(Some(Heard::Piece(piece)));
        }
        let newline = memchr::memchr(b'\n', bytes);
        let (part, rest) = bytes.split_at(newline.unwrap_or(bytes.len()));
        self.line.extend_from_slice(&part[..part.len().min(LONGEST)]);
        *bytes = rest.get(1..).unwrap_or_default();
        if newline.is_none() && self.line.len() < LONGEST {
            return Ok(None);
        }
        let line = std::mem::take(&mut self.line);
        let line = String::from_utf8_lossy(&line);
        self.command(&line).map(Some).ok_or_else(|| Garbled(line.chars().take(40).collect()))
    }

    fn command<'a>(&mut self, line: &str) -> Option<Heard<'a>> {
        let mut words = line.split(' ');
        let verb = words.next()?;
        let mut number = || words.next()?.parse::<u64>().ok();
        let heard = match verb {
            "attach" => Heard::Attach(number()?),
            "send" => {
                let heard = Heard::Send(number()?);
                self.awaited = Some(number().filter(|length| *length <= MOST)?);
                heard
            }
            "eof" => Heard::Eof,
            "stop" => Heard::Stop(Duration::from_millis(number()?)),
            "gather" => Heard::Gather(Duration::from_millis(number()?)),
            "detach" => Heard::Detach,
            "bye" => Heard::Bye,
            _ => return None,
        };
        words.next().is_none().then_some(heard)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// What is heard when the bytes arrive in pieces of this size; pieces of a line are joined.
    fn hear(bytes: &[u8], cut: usize) -> Result<Vec<String>, Garbled> {
        let (mut hearing, mut all, mut line) = (Hearing::default(), Vec::new(), Vec::new());
        for mut chunk in bytes.chunks(cut) {
            while let Some(heard) = hearing.next(&mut chunk)? {
                match heard {
                    Heard::Piece(piece) => line.extend_from_slice(piece),
                    Heard::Sent => all.push(format!("{:?}", std::mem::take(&mut line))),
                    heard => all.push(format!("{heard:?}")),
                }
            }
        }
        // The end of a line that is empty is heard with the next look.
        while let Some(heard) = hearing.next(&mut &b""[..])? {
            all.push(format!("{heard:?}"));
        }
        Ok(all)
    }

    #[test]
    fn what_is_said_is_heard_however_it_is_torn() {
        let said = [
            Command::Attach { offset: 12 },
            Command::Send { number: 1, line: b"stop 5" },
            Command::Send { number: 2, line: b"" },
            Command::Eof,
            Command::Stop { grace: Duration::from_millis(1500) },
            Command::Detach,
            Command::Bye,
        ];
        let mut bytes = Vec::new();
        for command in said {
            command.encode(&mut bytes).unwrap();
        }
        let expected = hear(&bytes, bytes.len()).unwrap();
        let sent = format!("{:?}", b"stop 5");
        assert_eq!(expected[..3], ["Attach(12)".to_owned(), "Send(1)".to_owned(), sent]);
        assert_eq!(expected[3..5], ["Send(2)", "[]"]);
        assert_eq!(expected[5..], ["Eof", "Stop(1.5s)", "Detach", "Bye"]);
        for cut in 1..bytes.len() {
            assert_eq!(hear(&bytes, cut).unwrap(), expected, "{cut}");
        }
    }

    #[test]
    fn a_newline_in_a_line_is_refused() {
        let command = Command::Send { number: 1, line: b"a\nb" };
        assert_eq!(command.encode(&mut Vec::new()), Err(NewlineInside));
    }

    #[test]
    fn other_words_are_not_commands() {
        for line in [
            "\n",
            "attach\n",
            "attach x\n",
            "attach 1 2\n",
            "send 1\n",
            "stop\n",
            "halt\n",
            "send 1 2000000000\n",
        ] {
            assert!(hear(line.as_bytes(), 3).is_err(), "{line:?}");
        }
        assert!(hear(&[b'a'; 1000], 1000).is_err(), "no end of the line");
    }

    #[test]
    fn a_greeting_or_a_reason() {
        let greeting = Greeting { version: 1, end: 77, accepted: 3 };
        let bytes = [greeting.line().as_bytes(), b"o 1 x"].concat();
        assert_eq!(Greeting::take(&bytes), Ok(Some((greeting, bytes.len() - 5))));
        assert_eq!(Greeting::take(b"hold 1 7"), Ok(None));
        assert_eq!(Greeting::take(b"refused no\n"), Err(Refused("no".to_owned())));
        assert!(Greeting::take(b"HTTP/1.1 400\n").is_err());
        assert!(Greeting::take(&[b'x'; 500]).is_err());
    }

    proptest! {
        #[test]
        fn nothing_that_is_said_makes_a_holder_panic(
            bytes in proptest::collection::vec(any::<u8>(), 0..300), cut in 1usize..50)
        {
            let _ = hear(&bytes, cut);
        }
    }
}
