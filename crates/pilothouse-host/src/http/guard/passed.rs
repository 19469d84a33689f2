//! A connection that was let in: it has its place as long as it is open, even as a WebSocket, and
//! loses it when its client does not read.

use std::io;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::time::Sleep;

use super::gate::{Pass, Place};

/// How long a client may read nothing of what is there for it. Places are few, and pages need no
/// login.
const PATIENCE: Duration = Duration::from_secs(90);

/// A stream that gives its place back when it is closed.
pub(super) struct Passed<S> {
    stream: S,
    patience: Duration,
    /// Runs while the client does not read.
    stuck: Option<Pin<Box<Sleep>>>,
    pass: Pass,
}

impl<S> Passed<S> {
    pub(super) fn new(stream: S, pass: Pass) -> Self {
        Self { stream, patience: PATIENCE, stuck: None, pass }
    }

    pub(super) fn place(&self) -> &Place {
        self.pass.place()
    }

    /// What has become of a write, and whether it has waited too long.
    fn written<T>(
        &mut self,
        write: Poll<io::Result<T>>,
        cx: &mut Context<'_>,
    ) -> Poll<io::Result<T>> {
        if write.is_ready() {
            self.stuck = None;
            return write;
        }
        let patience = self.patience;
        let stuck = self.stuck.get_or_insert_with(|| Box::pin(tokio::time::sleep(patience)));
        match stuck.as_mut().poll(cx) {
            Poll::Ready(()) => Poll::Ready(Err(io::ErrorKind::TimedOut.into())),
            Poll::Pending => Poll::Pending,
        }
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for Passed<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buf: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_read(cx, buf)
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for Passed<S> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buf: &[u8],
    ) -> Poll<io::Result<usize>> {
        let write = Pin::new(&mut self.stream).poll_write(cx, buf);
        self.written(write, cx)
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        let flush = Pin::new(&mut self.stream).poll_flush(cx);
        self.written(flush, cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        let shutdown = Pin::new(&mut self.stream).poll_shutdown(cx);
        self.written(shutdown, cx)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bufs: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let write = Pin::new(&mut self.stream).poll_write_vectored(cx, bufs);
        self.written(write, cx)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }
}

#[cfg(test)]
mod tests {
    use tokio::io::{AsyncReadExt, AsyncWriteExt};

    use super::super::gate::Gate;
    use super::super::limits::Limits;
    use super::*;

    #[tokio::test]
    async fn who_does_not_read_loses_the_place() {
        let (ours, mut theirs) = tokio::io::duplex(4);
        let pass = Gate::new(&Limits::default()).enter([127, 0, 0, 1].into()).unwrap();
        let mut passed = Passed::new(ours, pass);
        passed.patience = Duration::from_millis(20);
        passed.write_all(b"four").await.unwrap();
        let stuck = passed.write_all(b"more").await.unwrap_err();
        assert_eq!(stuck.kind(), io::ErrorKind::TimedOut);
        passed.stuck = None;
        let mut all = [0; 8];
        let (written, read) = tokio::join!(passed.write_all(b"more"), theirs.read_exact(&mut all));
        written.unwrap();
        read.unwrap();
        assert_eq!(&all, b"fourmore", "who reads in time is served");
    }
}
