//! A connection to the holder of a run.

use std::io;
use std::path::Path;
use std::time::Duration;

use bytes::{Buf, BytesMut};
use tokio::io::AsyncReadExt;
use tokio::net::UnixStream;

use crate::holder::protocol::{Command, GATHERS_SINCE, Greeting, NewlineInside};
use crate::holder::{LinkError, connect};
use crate::wirelog::{Decoder, Located};

/// A holder has nothing to wait for before it greets.
const GREETS_WITHIN: Duration = Duration::from_secs(15);

/// Whoever was there has ended.
pub(super) fn is_gone(error: &io::Error) -> bool {
    use io::ErrorKind::{BrokenPipe, ConnectionRefused, ConnectionReset, NotFound};
    matches!(error.kind(), NotFound | ConnectionRefused | ConnectionReset | BrokenPipe)
}

/// A connection to a holder that waits for neither side.
#[derive(Debug)]
pub(crate) struct Held {
    stream: UnixStream,
    /// Of the protocol that the holder speaks: it may be older than we are.
    version: u32,
    /// For how long it gathers lines.
    gather: Duration,
    decoder: Decoder,
    /// What was said and not taken yet. A holder does not take lines while its CLI does not read.
    unsaid: BytesMut,
}

impl Held {
    /// Attaches to the holder of the run in `dir`. One that says nothing at all was stopped, or its
    /// machine is overloaded: whoever wants it tries again.
    pub(super) async fn attach(dir: &Path, offset: u64) -> Result<Self, LinkError> {
        match tokio::time::timeout(GREETS_WITHIN, Self::greet(dir, offset)).await {
            Ok(greeted) => greeted,
            Err(_) => Err(io::Error::from(io::ErrorKind::TimedOut).into()),
        }
    }

    async fn greet(dir: &Path, offset: u64) -> Result<Self, LinkError> {
        let stream = connect(dir)?;
        stream.set_nonblocking(true)?;
        let mut held = Self {
            stream: UnixStream::from_std(stream)?,
            version: 0,
            gather: Duration::ZERO,
            decoder: Decoder::new(offset),
            unsaid: BytesMut::new(),
        };
        held.say(Command::Attach { offset })?;
        held.flush().await?;
        let mut heard = BytesMut::new();
        loop {
            if let Some((greeting, used)) = Greeting::take(&heard)? {
                held.version = greeting.version;
                held.decoder.feed(&heard[used..]);
                return Ok(held);
            }
            held.stream.readable().await?;
            match held.stream.try_read_buf(&mut heard) {
                Ok(0) => return Err(io::Error::from(io::ErrorKind::ConnectionReset).into()),
                Err(error) if error.kind() != io::ErrorKind::WouldBlock => return Err(error.into()),
                _ => {}
            }
        }
    }

    /// Waits for the next record; nothing when there is nobody any more.
    pub(super) async fn next(&mut self) -> Result<Option<Located>, LinkError> {
        loop {
            if let Some(found) = self.decoder.next_record() {
                return Ok(Some(found));
            }
            let (mut reader, writer) = self.stream.split();
            let is_writable = tokio::select! {
                // Unlike a read that is tried, this one need not be told that there is no more.
                read = reader.read_buf(self.decoder.room()) => match read {
                    Ok(0) => return Ok(None),
                    Ok(_) => false,
                    Err(error) if is_gone(&error) => return Ok(None),
                    Err(error) => return Err(error.into()),
                },
                writable = writer.writable(), if !self.unsaid.is_empty() => {
                    writable?;
                    true
                }
            };
            if is_writable {
                self.write_some()?;
            }
        }
    }

    /// The next record, if it is there already.
    pub(super) fn ready(&mut self) -> Option<Located> {
        self.decoder.next_record()
    }

    /// Lets it gather lines for this time, if it can.
    pub(super) fn gather(&mut self, time: Duration) {
        if self.version >= GATHERS_SINCE && self.gather != time {
            self.gather = time;
            // Has no newline in it.
            let _ = self.say(Command::Gather { time });
        }
    }

    fn write_some(&mut self) -> Result<(), LinkError> {
        while !self.unsaid.is_empty() {
            match self.stream.try_write(&self.unsaid) {
                Ok(written) => self.unsaid.advance(written),
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => return Ok(()),
                // Reading will tell what the holder has left behind.
                Err(error) if is_gone(&error) => self.unsaid.clear(),
                Err(error) => return Err(error.into()),
            }
        }
        Ok(())
    }

    pub(super) fn say(&mut self, command: Command<'_>) -> Result<(), NewlineInside> {
        let mut bytes = Vec::new();
        command.encode(&mut bytes)?;
        self.unsaid.extend_from_slice(&bytes);
        let _ = self.write_some();
        Ok(())
    }

    pub(super) async fn flush(&mut self) -> io::Result<()> {
        while !self.unsaid.is_empty() {
            self.stream.writable().await?;
            self.write_some().map_err(io::Error::other)?;
        }
        Ok(())
    }
}
