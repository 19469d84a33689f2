//! The records of a run that this daemon holds, and what is said to its CLI.

use bytes::Bytes;

use super::{Order, Run};
use crate::holder::protocol::{Command, NewlineInside};
use crate::wirelog::{ArchiveError, Located, Log, Reader};

/// Reads a log that grows.
#[derive(Debug)]
pub(crate) struct Feed {
    run: Run,
    reader: Reader,
}

impl Feed {
    /// From the byte `offset` of the log on.
    pub(crate) fn new(run: Run, log: Log, offset: u64) -> Self {
        Self { run, reader: log.records(offset) }
    }

    /// Waits for the next record; nothing when all is read. Nothing is lost when the waiting is
    /// given up.
    pub(crate) async fn next(&mut self) -> Result<Option<Located>, ArchiveError> {
        loop {
            // Looked at before the log is read: what is written after this is told again.
            let is_over = self.run.len.has_changed().is_err();
            self.run.len.mark_unchanged();
            if let Some(found) = self.reader.next_record()? {
                return Ok(Some(found));
            }
            if is_over {
                return Ok(None);
            }
            // Whoever tells may be gone: then this looks once more.
            let _ = self.run.len.changed().await;
        }
    }

    /// The next record, if it is there already.
    pub(crate) fn ready(&mut self) -> Option<Located> {
        // Whatever else there is to say, waiting for the next one says it.
        self.reader.next_record().ok().flatten()
    }

    /// Says something to who holds the CLI. A daemon that goes takes it along.
    pub(crate) fn say(&self, command: Command<'_>) -> Result<(), NewlineInside> {
        let order = match command {
            Command::Send { line, .. } if memchr::memchr(b'\n', line).is_some() => {
                return Err(NewlineInside);
            }
            Command::Send { number, line } => Order::Send(number, Bytes::copy_from_slice(line)),
            Command::Eof => Order::Eof,
            Command::Stop { grace } => Order::Stop(grace),
            Command::Detach => Order::Stop(self.run.grace),
            // Nobody is woken for a line who does not want it, and nobody stays when all is over.
            Command::Attach { .. } | Command::Gather { .. } | Command::Bye => return Ok(()),
        };
        // Where nobody hears it, the CLI has ended.
        let _ = self.run.orders.send(order);
        Ok(())
    }
}
