//! The open calls of one server.
//!
//! Every call gets an id of our own before `rmcp` sees it. The client's ids will not do: 2.1.62 and
//! older run two clients of a server that is named both in `--mcp-config` and in `initialize`; both
//! count from zero, and their messages interleave. An entry leaves exactly once: answered,
//! cancelled, or abandoned with its session.

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use pilothouse_wire::Raw;
use rmcp::model::{
    CancelledNotification, CancelledNotificationParam, ClientJsonRpcMessage, ErrorCode, ErrorData,
    RequestId, ServerResult,
};
use tokio::sync::{mpsc, oneshot};

use super::jsonrpc::reply;

/// The way into one session of a server.
pub(super) type Input = mpsc::UnboundedSender<ClientJsonRpcMessage>;

/// The code that language servers use for a request withdrawn by the client.
const CANCELLED: ErrorCode = ErrorCode(-32800);

#[derive(Debug)]
struct Call {
    client_id: Raw,
    session: u32,
    input: Input,
    answer: oneshot::Sender<Raw>,
}

impl Call {
    /// Stops the work on it.
    fn stop(&self, id: i64) {
        let id = Some(RequestId::Number(id));
        let params = CancelledNotificationParam::new(id, Some("cancelled by the client".into()));
        let notice = CancelledNotification::new(params).into();
        // A session that is over has stopped already.
        let _ = self.input.send(ClientJsonRpcMessage::notification(notice));
    }
}

#[derive(Debug, Default)]
struct Book {
    last: i64,
    open: BTreeMap<i64, Call>,
}

/// All open calls, whichever session serves them.
#[derive(Debug, Default)]
pub(super) struct Calls(Mutex<Book>);

impl Calls {
    /// Enters a call. Dropping the returned [`Waiting`] withdraws it.
    pub(super) fn enter(&self, client_id: Raw, session: u32, input: Input) -> Waiting<'_> {
        let (answer, reply) = oneshot::channel();
        let mut book = self.book();
        book.last += 1;
        let id = book.last;
        book.open.insert(id, Call { client_id, session, input, answer });
        Waiting { calls: self, id, reply }
    }

    /// The server's answer. Too late for a call that has gone.
    pub(super) fn settle(&self, id: i64, outcome: Result<&ServerResult, &ErrorData>) {
        if let Some(call) = self.take(id) {
            let _ = call.answer.send(reply(&call.client_id, outcome));
        }
    }

    /// The client's `notifications/cancelled`, which is how the CLI passes an interrupt on. MCP wants
    /// no answer then, but the control request around the call is still open (the CLI does not
    /// withdraw it), and only an answer closes it.
    pub(super) fn cancel(&self, client_id: &Raw) {
        let newest = {
            let book = self.book();
            book.open.iter().rev().find(|(_, call)| call.client_id == *client_id).map(|(id, _)| *id)
        };
        let Some((id, call)) = newest.and_then(|id| Some((id, self.take(id)?))) else {
            return;
        };
        call.stop(id);
        let error = ErrorData::new(CANCELLED, "the request was cancelled", None);
        let _ = call.answer.send(reply(&call.client_id, Err(&error)));
    }

    /// The session is over: its calls end unanswered.
    pub(super) fn abandon(&self, session: u32) {
        self.book().open.retain(|_, call| call.session != session);
    }

    fn take(&self, id: i64) -> Option<Call> {
        self.book().open.remove(&id)
    }

    fn book(&self) -> MutexGuard<'_, Book> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Somebody waits for the answer.
pub(super) struct Waiting<'a> {
    calls: &'a Calls,
    id: i64,
    reply: oneshot::Receiver<Raw>,
}

impl Waiting<'_> {
    /// The id that the server knows the call by.
    pub(super) fn id(&self) -> RequestId {
        RequestId::Number(self.id)
    }

    /// The answer; `None` where the session ended without one.
    pub(super) async fn answer(mut self) -> Option<Raw> {
        (&mut self.reply).await.ok()
    }
}

impl Drop for Waiting<'_> {
    fn drop(&mut self) {
        if let Some(call) = self.calls.take(self.id) {
            call.stop(self.id);
        }
    }
}
