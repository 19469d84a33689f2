//! One session of `rmcp` with the CLI.
//!
//! A [`Link`] lives as long as somebody holds it: the host holds the newest one, and each call holds
//! the one that serves it, so that a repeated handshake does not cut calls off. Letting go of the
//! last one cancels what the server still does.

use std::sync::Arc;

use pilothouse_wire::Raw;
use rmcp::model::{
    ClientJsonRpcMessage, JsonRpcMessage, RequestId, ServerJsonRpcMessage, ServerNotification,
};
use rmcp::service::{RoleServer, serve_directly, serve_server};
use rmcp::transport::Transport;
use tokio::sync::{mpsc, oneshot};
use tokio::task::AbortHandle;

use super::calls::{Calls, Input};
use super::host::{Outgoing, Said};
use super::server::Handler;

/// How a session begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Opening {
    /// With `initialize`, which comes next.
    Handshake,
    /// With any other message: the CLI may know the server already and skip the handshake.
    None,
}

/// What a session needs to reach the CLI.
pub(super) struct Ends {
    pub(super) server: Arc<str>,
    pub(super) session: u32,
    pub(super) calls: Arc<Calls>,
    pub(super) outgoing: Outgoing,
}

#[derive(Debug)]
pub(super) struct Link {
    session: u32,
    input: Input,
    task: AbortHandle,
}

impl Link {
    pub(super) fn open(handler: Handler, ends: Ends, opening: Opening) -> Self {
        let (input, messages) = mpsc::unbounded_channel();
        let session = ends.session;
        let server = Arc::clone(&ends.server);
        let channel = Channel { ends, messages };
        let task = tokio::spawn(async move {
            let running = match opening {
                Opening::Handshake => serve_server(handler, channel).await,
                Opening::None => Ok(serve_directly(handler, channel, None)),
            };
            let end = match running {
                Ok(running) => running.waiting().await.map_err(|error| error.to_string()),
                Err(error) => Err(error.to_string()),
            };
            tracing::debug!(%server, session, ?end, "MCP session ended");
        });
        Self { session, input, task: task.abort_handle() }
    }

    pub(super) fn session(&self) -> u32 {
        self.session
    }

    pub(super) fn input(&self) -> &Input {
        &self.input
    }

    pub(super) fn is_over(&self) -> bool {
        self.input.is_closed()
    }

    /// Hands in the client's answer to a request of the server's, unless another session asked.
    pub(super) fn answer(&self, mut message: ClientJsonRpcMessage) {
        let id = match &mut message {
            JsonRpcMessage::Response(response) => Some(&mut response.id),
            JsonRpcMessage::Error(error) => error.id.as_mut(),
            JsonRpcMessage::Request(_) | JsonRpcMessage::Notification(_) => None,
        };
        if let Some(id) = id
            && let Some(local) = local_id(self.session, id)
        {
            *id = local;
            let _ = self.input.send(message);
        }
    }
}

impl Drop for Link {
    fn drop(&mut self) {
        // Ending the task drops the running service, which cancels its handlers.
        self.task.abort();
    }
}

/// Each session of `rmcp` counts its requests from zero, and all of them reach the same client: the
/// number of the session goes into the upper half, so that an answer finds the one who asked.
fn global_id(session: u32, id: &RequestId) -> RequestId {
    match id {
        RequestId::Number(id) => RequestId::Number((i64::from(session) << 32) | id),
        RequestId::String(id) => RequestId::String(Arc::clone(id)),
    }
}

fn local_id(session: u32, id: &RequestId) -> Option<RequestId> {
    match id {
        RequestId::Number(id) if id >> 32 == i64::from(session) => {
            Some(RequestId::Number(id & i64::from(u32::MAX)))
        }
        _ => None,
    }
}

/// The CLI went away.
#[derive(Debug, thiserror::Error)]
#[error("the connection to the CLI is closed")]
struct Closed;

/// The transport that `rmcp` sees.
struct Channel {
    ends: Ends,
    messages: mpsc::UnboundedReceiver<ClientJsonRpcMessage>,
}

impl Channel {
    /// Takes a message of the server's. What it says of its own accord is underway then, and
    /// written when the receiver hears of it.
    fn forward(
        &self,
        message: ServerJsonRpcMessage,
    ) -> Result<Option<oneshot::Receiver<()>>, Closed> {
        let Ends { session, calls, .. } = &self.ends;
        match message {
            JsonRpcMessage::Response(response) => {
                if let RequestId::Number(id) = response.id {
                    calls.settle(id, Ok(&response.result));
                }
                Ok(None)
            }
            JsonRpcMessage::Error(failure) => {
                if let Some(RequestId::Number(id)) = failure.id {
                    calls.settle(id, Err(&failure.error));
                }
                Ok(None)
            }
            JsonRpcMessage::Request(mut request) => {
                request.id = global_id(*session, &request.id);
                self.emit(&JsonRpcMessage::Request(request)).map(Some)
            }
            JsonRpcMessage::Notification(mut notification) => {
                if let ServerNotification::CancelledNotification(cancelled) =
                    &mut notification.notification
                    && let Some(id) = &mut cancelled.params.request_id
                {
                    *id = global_id(*session, id);
                }
                self.emit(&JsonRpcMessage::Notification(notification)).map(Some)
            }
        }
    }

    /// Sends what the server says of its own accord. The way has no bound of its own, so that the
    /// order is that of saying; but whoever says something waits until it is written, and so what is
    /// underway is bounded by how many speak at once.
    fn emit(&self, message: &ServerJsonRpcMessage) -> Result<oneshot::Receiver<()>, Closed> {
        let message = Raw::of(message).map_err(|_| Closed)?;
        let (sent, written) = oneshot::channel();
        let said = Said { server: self.ends.server.to_string(), message, sent };
        self.ends.outgoing.send(said).map_err(|_| Closed)?;
        Ok(written)
    }
}

impl Transport<RoleServer> for Channel {
    type Error = Closed;

    fn send(
        &mut self,
        message: ServerJsonRpcMessage,
    ) -> impl Future<Output = Result<(), Closed>> + Send + 'static {
        // Underway before the future is polled: this keeps the server's messages in their order.
        let forwarded = self.forward(message);
        async move {
            match forwarded? {
                Some(written) => written.await.map_err(|_| Closed),
                None => Ok(()),
            }
        }
    }

    async fn receive(&mut self) -> Option<ClientJsonRpcMessage> {
        self.messages.recv().await
    }

    async fn close(&mut self) -> Result<(), Closed> {
        self.messages.close();
        Ok(())
    }
}

impl Drop for Channel {
    fn drop(&mut self) {
        // In this order: a call entered after the close cannot be sent and says so itself, one sent
        // before it has been entered and is abandoned here. None can wait for ever.
        self.messages.close();
        self.ends.calls.abandon(self.ends.session);
    }
}
