//! Where a run's records come from: its holder while it lives, its log when that has ended.

use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use bytes::{Buf, BytesMut};
use tokio::io::AsyncReadExt;
use tokio::net::UnixStream;

use crate::holder::protocol::{Command, GATHERS_SINCE, Greeting, NewlineInside};
use crate::holder::{LinkError, RunState, connect, look};
use crate::wirelog::{Decoder, Located, Log, Reader};

/// How often a holder that is about to end is looked at. It takes microseconds.
const MOST_TRIES: u32 = 10_000;

/// A run's records, from some byte of its log on.
#[derive(Debug)]
pub(crate) enum Feed {
    /// From its holder, which also takes lines for the CLI.
    Held(Box<Held>),
    /// From its file: nobody is there any more.
    Left(Reader),
}

/// What a feed gives.
#[derive(Debug)]
pub(crate) enum Fed {
    Record(Located),
    /// Nothing more comes from here.
    Over,
}

/// A run cannot be read.
#[derive(Debug, thiserror::Error)]
pub(crate) enum FeedError {
    #[error("the files of the run in {0} are gone")]
    Gone(PathBuf),
    #[error(transparent)]
    Link(#[from] LinkError),
    #[error("the run's log cannot be read: {0}")]
    Log(#[from] crate::wirelog::ArchiveError),
}

impl From<io::Error> for FeedError {
    fn from(error: io::Error) -> Self {
        Self::Link(error.into())
    }
}

impl Feed {
    /// The records of the run in `dir` from the byte `offset` on.
    pub(crate) async fn open(dir: &Path, offset: u64) -> Result<Self, FeedError> {
        let mut tries = 0;
        loop {
            tries += 1;
            match look(dir)? {
                None => return Err(FeedError::Gone(dir.to_owned())),
                Some(RunState::Ended(_) | RunState::Dead) => {
                    return Ok(Self::Left(Log::open(dir)?.records(offset)));
                }
                Some(RunState::Live) => match Held::attach(dir, offset).await {
                    Ok(held) => return Ok(Self::Held(Box::new(held))),
                    // It may just have ended: then it is not live when looked at again.
                    Err(LinkError::Io(error)) if is_gone(&error) && tries < MOST_TRIES => {
                        tokio::task::yield_now().await;
                    }
                    Err(error) => return Err(error.into()),
                },
            }
        }
    }

    /// Waits for the next record. Nothing is lost when the waiting is given up.
    pub(crate) async fn next(&mut self) -> Result<Fed, FeedError> {
        match self {
            Self::Held(held) => Ok(held.next().await?),
            Self::Left(reader) => Ok(reader.next_record()?.map_or(Fed::Over, Fed::Record)),
        }
    }

    /// The next record, if it is there already.
    pub(crate) fn ready(&mut self) -> Option<Located> {
        match self {
            Self::Held(held) => held.decoder.next_record(),
            // Whatever else there is to say, waiting for the next one says it.
            Self::Left(reader) => reader.next_record().ok().flatten(),
        }
    }

    /// Says something to the holder, as soon as it listens; to nobody if there is none.
    pub(crate) fn say(&mut self, command: Command<'_>) -> Result<(), NewlineInside> {
        match self {
            Self::Held(held) => held.say(command),
            Self::Left(_) => Ok(()),
        }
    }

    /// Lets the holder gather lines for this time, if it can.
    pub(crate) fn gather(&mut self, time: Duration) {
        if let Self::Held(held) = self
            && held.version >= GATHERS_SINCE
            && held.gather != time
        {
            held.gather = time;
            // Has no newline in it.
            let _ = held.say(Command::Gather { time });
        }
    }

    /// Gives the holder everything that was said.
    pub(crate) async fn flush(&mut self) -> io::Result<()> {
        match self {
            Self::Held(held) => held.flush().await,
            Self::Left(_) => Ok(()),
        }
    }
}

fn is_gone(error: &io::Error) -> bool {
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
    async fn attach(dir: &Path, offset: u64) -> Result<Self, LinkError> {
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

    async fn next(&mut self) -> Result<Fed, LinkError> {
        loop {
            if let Some(found) = self.decoder.next_record() {
                return Ok(Fed::Record(found));
            }
            let (mut reader, writer) = self.stream.split();
            let is_writable = tokio::select! {
                // Unlike a read that is tried, this one need not be told that there is no more.
                read = reader.read_buf(self.decoder.room()) => match read {
                    Ok(0) => return Ok(Fed::Over),
                    Ok(_) => false,
                    Err(error) if is_gone(&error) => return Ok(Fed::Over),
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

    fn say(&mut self, command: Command<'_>) -> Result<(), NewlineInside> {
        let mut bytes = Vec::new();
        command.encode(&mut bytes)?;
        self.unsaid.extend_from_slice(&bytes);
        let _ = self.write_some();
        Ok(())
    }

    async fn flush(&mut self) -> io::Result<()> {
        while !self.unsaid.is_empty() {
            self.stream.writable().await?;
            self.write_some().map_err(io::Error::other)?;
        }
        Ok(())
    }
}
