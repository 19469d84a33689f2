//! A blocking connection to a holder: for tests and tools. A daemon has its own sockets and uses
//! [`connect`], [`protocol`](super::protocol) and [`Decoder`].

use std::io::{self, Read, Write};
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::time::Duration;

use super::SOCKET;
use super::protocol::{Command, Greeting, NewlineInside, Refused};
use crate::wirelog::{Decoder, Located, Record};

/// How long a socket's path may be; the end of it is marked by a zero.
const LONGEST_PATH: usize = if cfg!(target_os = "linux") { 107 } else { 103 };

/// From a stop to the end of a run, beyond the time that its CLI is given.
const ENDS_WITHIN: Duration = Duration::from_secs(30);

/// The daemon's end of a connection.
#[derive(Debug)]
pub struct Link {
    stream: UnixStream,
    decoder: Decoder,
    greeting: Greeting,
}

/// A holder cannot be talked to.
#[derive(Debug, thiserror::Error)]
pub enum LinkError {
    /// Nobody is there, or has gone. The log says what became of the run.
    #[error("the holder cannot be reached ({0}): look at the state of the run again")]
    Io(#[from] io::Error),
    /// It does not want us.
    #[error(transparent)]
    Refused(#[from] Refused),
    /// What was to be sent is not one line.
    #[error(transparent)]
    NewlineInside(#[from] NewlineInside),
}

impl Link {
    /// Attaches to the holder of the run in `dir`, from the byte `offset` of its log on.
    pub fn attach(dir: &Path, offset: u64) -> Result<Self, LinkError> {
        let mut stream = connect(dir)?;
        stream.set_read_timeout(Some(ENDS_WITHIN))?;
        let mut bytes = Vec::new();
        Command::Attach { offset }.encode(&mut bytes)?;
        stream.write_all(&bytes)?;
        let mut heard = Vec::new();
        let (greeting, used) = loop {
            if let Some(found) = Greeting::take(&heard)? {
                break found;
            }
            let mut room = [0; 4096];
            match stream.read(&mut room)? {
                0 => return Err(io::Error::from(io::ErrorKind::ConnectionReset).into()),
                read => heard.extend_from_slice(&room[..read]),
            }
        };
        stream.set_read_timeout(None)?;
        let mut decoder = Decoder::new(offset);
        decoder.feed(&heard[used..]);
        Ok(Self { stream, decoder, greeting })
    }

    /// What the holder said first.
    pub fn greeting(&self) -> Greeting {
        self.greeting
    }

    /// Where the next record begins.
    pub fn offset(&self) -> u64 {
        self.decoder.offset()
    }

    /// Waits for the next record; nothing when the holder has closed the connection.
    pub fn next_record(&mut self) -> Result<Option<Located>, LinkError> {
        loop {
            if let Some(found) = self.decoder.next_record() {
                return Ok(Some(found));
            }
            let mut room = [0; 16 * 1024];
            match self.stream.read(&mut room) {
                Ok(0) => return Ok(None),
                Ok(read) => self.decoder.feed(&room[..read]),
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) if error.kind() == io::ErrorKind::ConnectionReset => return Ok(None),
                Err(error) => return Err(error.into()),
            }
        }
    }

    /// Says something.
    pub fn say(&mut self, command: Command<'_>) -> Result<(), LinkError> {
        let mut bytes = Vec::new();
        command.encode(&mut bytes)?;
        Ok(self.stream.write_all(&bytes)?)
    }

    /// The same connection, to write on from elsewhere: a write waits while the CLI does not read.
    pub fn raw(&self) -> io::Result<UnixStream> {
        self.stream.try_clone()
    }

    /// Sends a line to the CLI.
    pub fn send(&mut self, number: u64, line: &[u8]) -> Result<(), LinkError> {
        self.say(Command::Send { number, line })
    }

    /// How long [`Link::next_record`] waits before it fails.
    pub fn set_patience(&self, patience: Duration) -> Result<(), LinkError> {
        Ok(self.stream.set_read_timeout(Some(patience))?)
    }
}

/// Ends the CLI of the run in `dir` without attaching. Works even while the attached daemon is held
/// up by a CLI that does not read.
pub fn stop(dir: &Path, grace: Duration) -> Result<(), LinkError> {
    let mut bytes = Vec::new();
    Command::Stop { grace }.encode(&mut bytes)?;
    Ok(connect(dir)?.write_all(&bytes)?)
}

/// Ends the run in `dir`, its holder too, and waits for that; not for ever, where nothing happens.
/// Whoever is attached is cut off.
pub fn end(dir: &Path, grace: Duration) -> Result<(), LinkError> {
    stop(dir, grace)?;
    let mut link = Link::attach(dir, 0)?;
    link.set_patience(grace + ENDS_WITHIN)?;
    while let Some(found) = link.next_record()? {
        if matches!(found.record, Record::Exited { .. }) {
            link.say(Command::Bye)?;
        }
    }
    Ok(())
}

/// Connects to the holder of the run in `dir`.
pub fn connect(dir: &Path) -> io::Result<UnixStream> {
    let path = dir.join(SOCKET);
    if path.as_os_str().len() <= LONGEST_PATH {
        return UnixStream::connect(path);
    }
    connect_far(dir)
}

/// Through the open directory: that path is short.
#[cfg(target_os = "linux")]
fn connect_far(dir: &Path) -> io::Result<UnixStream> {
    use std::os::fd::AsRawFd;
    let open = std::fs::File::open(dir)?;
    UnixStream::connect(format!("/proc/self/fd/{}/{SOCKET}", open.as_raw_fd()))
}

#[cfg(not(target_os = "linux"))]
fn connect_far(dir: &Path) -> io::Result<UnixStream> {
    let text = format!(
        "the path {} is too long for a socket (at most {LONGEST_PATH} bytes): \
         choose a shorter data directory",
        dir.join(SOCKET).display()
    );
    Err(io::Error::new(io::ErrorKind::InvalidInput, text))
}
