//! Where a run's records come from: who holds it while it lives, its log when that has ended.

use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

#[cfg(unix)]
use super::held::{Held, is_gone};
#[cfg(unix)]
use crate::holder::LinkError;
use crate::holder::protocol::{Command, NewlineInside};
use crate::holder::{RunState, look};
use crate::inside;
use crate::wirelog::{Located, Log, Reader};

/// How often one who is about to end is looked at. It takes microseconds.
const MOST_TRIES: u32 = 10_000;

/// A run's records, from some byte of its log on.
#[derive(Debug)]
pub(crate) enum Feed {
    /// From its holder, which also takes lines for the CLI.
    #[cfg(unix)]
    Held(Box<Held>),
    /// The same, where this daemon holds it.
    Inside(inside::Feed),
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
    #[cfg(unix)]
    #[error(transparent)]
    Link(#[from] LinkError),
    #[cfg(not(unix))]
    #[error("the run in {0} is held by somebody else: end that program")]
    Foreign(PathBuf),
    #[error("the run's log cannot be read: {0}")]
    Log(#[from] crate::wirelog::ArchiveError),
    #[error("the run's directory cannot be read: {0}")]
    Io(#[from] io::Error),
}

impl Feed {
    /// The records of the run in `dir` from the byte `offset` on.
    pub(crate) async fn open(
        runs: &inside::Runs,
        dir: &Path,
        offset: u64,
    ) -> Result<Self, FeedError> {
        let mut tries = 0;
        loop {
            tries += 1;
            match look(dir)? {
                None => return Err(FeedError::Gone(dir.to_owned())),
                Some(RunState::Ended(_) | RunState::Dead) => {
                    return Ok(Self::Left(Log::open(dir)?.records(offset)));
                }
                Some(RunState::Live) => {}
            }
            if let Some(run) = runs.get(dir) {
                return Ok(Self::Inside(inside::Feed::new(run, Log::open(dir)?, offset)));
            }
            match Self::attach(dir, offset).await {
                Ok(feed) => return Ok(feed),
                // It may just have ended: then it is not live when looked at again.
                Err(error) if error.is_gone() && tries < MOST_TRIES => {
                    tokio::task::yield_now().await;
                }
                Err(error) => return Err(error),
            }
        }
    }

    #[cfg(unix)]
    async fn attach(dir: &Path, offset: u64) -> Result<Self, FeedError> {
        Ok(Self::Held(Box::new(Held::attach(dir, offset).await?)))
    }

    #[cfg(not(unix))]
    async fn attach(dir: &Path, _offset: u64) -> Result<Self, FeedError> {
        Err(FeedError::Foreign(dir.to_owned()))
    }

    /// Whether somebody holds the run; the log may have more than was read here.
    pub(crate) fn is_live(&self) -> bool {
        !matches!(self, Self::Left(_))
    }

    /// Waits for the next record. Nothing is lost when the waiting is given up.
    pub(crate) async fn next(&mut self) -> Result<Fed, FeedError> {
        let record = match self {
            #[cfg(unix)]
            Self::Held(held) => held.next().await?,
            Self::Inside(inside) => inside.next().await?,
            Self::Left(reader) => reader.next_record()?,
        };
        Ok(record.map_or(Fed::Over, Fed::Record))
    }

    /// The next record, if it is there already.
    pub(crate) fn ready(&mut self) -> Option<Located> {
        match self {
            #[cfg(unix)]
            Self::Held(held) => held.ready(),
            Self::Inside(inside) => inside.ready(),
            // Whatever else there is to say, waiting for the next one says it.
            Self::Left(reader) => reader.next_record().ok().flatten(),
        }
    }

    /// Says something to who holds the run, as soon as it listens; to nobody if there is none.
    pub(crate) fn say(&mut self, command: Command<'_>) -> Result<(), NewlineInside> {
        match self {
            #[cfg(unix)]
            Self::Held(held) => held.say(command),
            Self::Inside(inside) => inside.say(command),
            Self::Left(_) => Ok(()),
        }
    }

    /// Lets a holder gather lines for this time: each line wakes two processes.
    pub(crate) fn gather(&mut self, time: Duration) {
        match self {
            #[cfg(unix)]
            Self::Held(held) => held.gather(time),
            Self::Inside(_) | Self::Left(_) => _ = time,
        }
    }

    /// Waits until nobody holds the run any more. Whoever does was told to go.
    pub(crate) async fn end(mut self) {
        // Who cannot be told any more has gone.
        let _ = self.flush().await;
        while let Ok(Fed::Record(_)) = self.next().await {}
    }

    /// Gives the holder everything that was said.
    pub(crate) async fn flush(&mut self) -> io::Result<()> {
        match self {
            #[cfg(unix)]
            Self::Held(held) => held.flush().await,
            Self::Inside(_) | Self::Left(_) => Ok(()),
        }
    }
}

impl FeedError {
    /// Whoever held the run has ended.
    fn is_gone(&self) -> bool {
        match self {
            #[cfg(unix)]
            Self::Link(LinkError::Io(error)) => is_gone(error),
            #[cfg(not(unix))]
            Self::Foreign(_) => true,
            _ => false,
        }
    }
}
