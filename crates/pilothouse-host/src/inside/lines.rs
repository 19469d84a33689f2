//! One of the CLI's output pipes: bytes in, records out.

use std::io;

use bytes::{Buf, BytesMut};
use futures_util::FutureExt;
use tokio::io::{AsyncRead, AsyncReadExt};
use tokio::task::unconstrained;

use crate::wirelog::{Head, Writer};

/// How much is read at once.
const ROOM: usize = 64 * 1024;

/// Stdout or stderr of the CLI.
pub(super) struct Lines<P> {
    pipe: Option<P>,
    head: Head,
    /// The line that is not at its end yet, and what was read after it.
    bytes: BytesMut,
}

impl<P: AsyncRead + Unpin> Lines<P> {
    pub(super) fn new(pipe: P, head: Head) -> Self {
        Self { pipe: Some(pipe), head, bytes: BytesMut::new() }
    }

    pub(super) fn is_closed(&self) -> bool {
        self.pipe.is_none()
    }

    /// Waits for more; for ever when the pipe is closed. Says how many bytes came: none at its end.
    /// Nothing is lost when the waiting is given up.
    pub(super) async fn more(&mut self) -> io::Result<usize> {
        match &mut self.pipe {
            Some(pipe) => {
                self.bytes.reserve(ROOM);
                pipe.read_buf(&mut self.bytes).await
            }
            None => std::future::pending().await,
        }
    }

    /// The same without waiting: nothing when there is nothing.
    pub(super) fn ready(&mut self) -> Option<io::Result<usize>> {
        // What is there is there, also for a task that has done much already.
        unconstrained(self.more()).now_or_never()
    }

    /// Writes down the lines in what came last.
    pub(super) fn split(&mut self, came: io::Result<usize>, at: u64, log: &mut Writer) {
        let Ok(count @ 1..) = came else { return self.close(at, log) };
        let mut new = self.bytes.len() - count;
        while let Some(found) = memchr::memchr(b'\n', &self.bytes[new..]) {
            let end = new + found;
            log.line(at, self.head, &self.bytes[..end]);
            self.bytes.advance(end + 1);
            new = 0;
        }
    }

    /// Reads no more. What came after the last newline is a line, too.
    pub(super) fn close(&mut self, at: u64, log: &mut Writer) {
        self.pipe = None;
        if !self.bytes.is_empty() {
            log.line(at, self.head, &self.bytes);
            self.bytes.clear();
        }
    }
}
