//! The one writer of the CLI's stdin: whole lines, in the order they were given.

use bytes::Bytes;
use tokio::io::{AsyncWrite, AsyncWriteExt};
use tokio::sync::{mpsc, oneshot};
use tokio::task::AbortHandle;

/// Lines that may wait. Senders beyond that wait themselves; the reader never sends.
const WAITING: usize = 64;

enum Order {
    Line(Bytes, oneshot::Sender<()>),
    Close,
}

/// Writes lines to the CLI.
#[derive(Debug)]
pub(crate) struct Writer {
    orders: mpsc::Sender<Order>,
    task: AbortHandle,
}

impl std::fmt::Debug for Order {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Line(line, _) => write!(f, "Line({} bytes)", line.len()),
            Self::Close => f.write_str("Close"),
        }
    }
}

/// The CLI does not read any more: it has ended, or its stdin was closed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Closed;

impl Writer {
    pub(crate) fn start(stdin: impl AsyncWrite + Send + Unpin + 'static) -> Self {
        let (orders, queue) = mpsc::channel(WAITING);
        let task = tokio::spawn(write_all(stdin, queue)).abort_handle();
        Self { orders, task }
    }

    /// Writes a line; returns when the CLI's pipe has taken it.
    pub(crate) async fn send(&self, line: Vec<u8>) -> Result<(), Closed> {
        let (written, confirmation) = oneshot::channel();
        let order = Order::Line(line.into(), written);
        self.orders.send(order).await.map_err(|_| Closed)?;
        confirmation.await.map_err(|_| Closed)
    }

    /// Closes stdin after the lines that wait.
    pub(crate) async fn close(&self) {
        // Already closed is closed.
        let _ = self.orders.send(Order::Close).await;
    }

    /// Closes stdin now. What waits is not written: nobody would hear the answer.
    pub(crate) fn abort(&self) {
        self.task.abort();
    }
}

async fn write_all(mut stdin: impl AsyncWrite + Unpin, mut orders: mpsc::Receiver<Order>) {
    while let Some(Order::Line(line, written)) = orders.recv().await {
        if let Err(error) = stdin.write_all(&line).await {
            tracing::debug!(%error, "the CLI has closed its stdin");
            break;
        }
        let _ = written.send(());
    }
    // Dropping the receiver tells every sender; dropping stdin is the CLI's end of file.
}
