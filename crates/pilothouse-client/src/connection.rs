//! Between the pipes and the program: one reader that never waits for anybody, requests both ways.
//!
//! The reader looks at each line just long enough to tell control traffic from messages. Control
//! traffic it handles; messages it queues as they are, to be decoded by whoever takes them.

use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use bytes::Bytes;
use memchr::memmem;
use pilothouse_wire::codec::{self, Inbound, Outbound};
use pilothouse_wire::control::{
    Answer, ControlCancel, ControlRequest, ControlResponse, HostControlRequest, HostRequest,
    Success,
};
use pilothouse_wire::lines::Lines;
use pilothouse_wire::peer::{Arrival, Match, Peer};
use tokio::io::{AsyncRead, AsyncReadExt};
use tokio::sync::oneshot;
use tokio::task::AbortHandle;

use crate::answering::Answering;
use crate::error::RequestError;
use crate::mcp::McpHost;
use crate::process::ExitWatch;
use crate::queue::Queue;
use crate::writer::Writer;

/// How long after the CLI's end its stdout may be silent before it counts as closed.
const GRACE: Duration = Duration::from_millis(200);

/// The open requests of both sides.
type Requests = Peer<oneshot::Sender<Result<Success, RequestError>>>;

/// One conversation's traffic.
pub(crate) struct Connection {
    writer: Writer,
    requests: Mutex<Requests>,
    /// The tasks that work on requests of the CLI's, by request; `None` when no more may begin.
    working: Mutex<Option<HashMap<String, AbortHandle>>>,
    answering: Answering,
    pub(crate) queue: Arc<Queue>,
}

impl Connection {
    pub(crate) fn new(writer: Writer, answering: Answering) -> Arc<Self> {
        Arc::new(Self {
            writer,
            requests: Mutex::new(Peer::new()),
            working: Mutex::new(Some(HashMap::new())),
            answering,
            queue: Arc::new(Queue::default()),
        })
    }

    fn requests(&self) -> MutexGuard<'_, Requests> {
        self.requests.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn working(&self) -> MutexGuard<'_, Option<HashMap<String, AbortHandle>>> {
        self.working.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes a request's task off the table.
    fn work_on(&self, id: &str) -> Option<AbortHandle> {
        self.working().as_mut()?.remove(id)
    }

    /// The program's MCP servers.
    pub(crate) fn mcp(&self) -> &McpHost {
        &self.answering.mcp
    }

    /// Writes a message to the CLI.
    pub(crate) async fn send(&self, message: &Outbound) -> Result<(), RequestError> {
        let line = codec::encode(message);
        let line = line.map_err(|error| RequestError::Unwritable(error.to_string()))?;
        self.writer.send(line).await.map_err(|_| RequestError::Ended)
    }

    /// Closes the CLI's stdin after what has been sent.
    pub(crate) async fn close(&self) {
        self.writer.close().await;
    }

    /// Makes a request and waits for its answer. If the caller gives up, the answer is ignored.
    pub(crate) async fn request(
        &self,
        request: HostRequest,
        timeout: Option<Duration>,
    ) -> Result<Success, RequestError> {
        let name = request.tag().unwrap_or_default().to_owned();
        let (sender, answer) = oneshot::channel();
        let id = self.requests().open(sender).map_err(|_| RequestError::Ended)?;
        let _forget = Forget { connection: self, id: &id };
        let request =
            HostControlRequest { request_id: id.clone(), request, extra: Default::default() };
        let exchange = async {
            self.send(&Outbound::ControlRequest(Box::new(request))).await?;
            answer.await.unwrap_or(Err(RequestError::Ended))
        };
        let outcome = match timeout {
            None => exchange.await,
            Some(after) => match tokio::time::timeout(after, exchange).await {
                Ok(outcome) => outcome,
                Err(_) => Err(RequestError::Unanswered { request: name.clone(), after }),
            },
        };
        outcome.map_err(|error| error.of_request(name))
    }

    /// Makes a request and does not wait for its answer.
    pub(crate) async fn tell(&self, request: HostRequest) -> Result<(), RequestError> {
        let (sender, _) = oneshot::channel();
        let request_id = self.requests().open(sender).map_err(|_| RequestError::Ended)?;
        self.requests().forget(&request_id);
        let request = HostControlRequest { request_id, request, extra: Default::default() };
        self.send(&Outbound::ControlRequest(Box::new(request))).await
    }

    /// Reads until there is no more: to the end of the stream, or, where a process that outlives
    /// the CLI holds it open, until the CLI has ended and nothing has come for a moment.
    pub(crate) async fn read(
        self: Arc<Self>,
        mut stdout: impl AsyncRead + Unpin,
        mut exit: ExitWatch,
    ) {
        let mut lines = Lines::new();
        let mut messages = VecDeque::new();
        loop {
            let read = tokio::select! {
                biased;
                read = stdout.read_buf(lines.room()) => read,
                () = exit.ended_for(GRACE) => Ok(0),
            };
            match read {
                Ok(0) => break,
                Ok(_) => {}
                Err(error) => {
                    tracing::warn!(%error, "could not read from the CLI");
                    break;
                }
            }
            while let Some(line) = lines.next_line() {
                self.take(line, &mut messages);
            }
            self.queue.push(&mut messages);
            // Whoever waits for an answer may be the one who takes the messages.
            if !self.requests().is_waiting() {
                self.queue.room().await;
            }
        }
        // A last line without its newline was cut off: kept, like everything else.
        messages.extend(lines.remainder());
        self.queue.push(&mut messages);
        self.end();
    }

    /// Nothing more will come: everything that waits is told.
    pub(crate) fn end(&self) {
        for waiting in self.requests().end() {
            let _ = waiting.send(Err(RequestError::Ended));
        }
        for (_, task) in self.working().take().into_iter().flatten() {
            task.abort();
        }
        self.writer.abort();
        self.queue.end();
    }

    fn take(self: &Arc<Self>, line: Bytes, messages: &mut VecDeque<Bytes>) {
        if !may_be_control(&line) {
            messages.push_back(line);
            return;
        }
        match codec::decode(&line) {
            Inbound::ControlResponse(response) => self.answered(*response),
            Inbound::ControlRequest(request) => self.asked(request),
            Inbound::ControlCancel(cancel) => self.withdrawn(&cancel),
            _ => messages.push_back(line),
        }
    }

    fn answered(self: &Arc<Self>, response: ControlResponse) {
        // Not in the `match`: what follows needs the lock again.
        let found = self.requests().answered(response);
        match found {
            // Nobody listens: the caller has given up.
            Match::Request(waiting, answer) => drop(waiting.send(self.outcome(answer))),
            Match::Nothing(answer) => {
                tracing::debug!(id = ?answer.request_id(), "an answer to no open request");
            }
        }
    }

    fn outcome(self: &Arc<Self>, answer: Answer) -> Result<Success, RequestError> {
        match answer {
            Answer::Success(mut success) => {
                let pending = [
                    success.pending_permission_requests.take(),
                    success.pending_user_dialog_requests.take(),
                    success.pending_elicitation_requests.take(),
                ];
                for request in pending.into_iter().flatten().flatten() {
                    self.asked(request);
                }
                Ok(success)
            }
            Answer::Error(failure) => Err(RequestError::Refused {
                request: String::new(),
                message: failure.error,
                code: failure.error_code,
            }),
            Answer::Unknown(unknown) => Err(RequestError::Unreadable {
                request: String::new(),
                payload: unknown.raw.get().to_owned(),
            }),
        }
    }

    fn asked(self: &Arc<Self>, request: ControlRequest) {
        let id = request.request_id;
        if request.request.is_for_another_machine()
            || self.requests().arrived(&id) == Arrival::Duplicate
        {
            return;
        }
        let connection = Arc::clone(self);
        // The task waits for its entry in the table, so that it cannot end before it is there.
        let (noted, start) = oneshot::channel::<()>();
        let task_id = id.clone();
        let task = tokio::spawn(async move {
            let _ = start.await;
            let answer = connection.answering.answer(&task_id, request.request).await;
            connection.work_on(&task_id);
            let open = connection.requests().close(&task_id);
            if let (Some(answer), true) = (answer, open) {
                // The CLI has ended: nobody wants the answer.
                let _ = connection.send(&Outbound::ControlResponse(Box::new(answer))).await;
            }
        });
        match &mut *self.working() {
            Some(working) => drop(working.insert(id, task.abort_handle())),
            // The client was dropped while this line was being read.
            None => task.abort(),
        }
        let _ = noted.send(());
    }

    fn withdrawn(&self, cancel: &ControlCancel) {
        self.requests().close(&cancel.request_id);
        if let Some(task) = self.work_on(&cancel.request_id) {
            task.abort();
        }
    }
}

/// Gives a request up when its caller does.
struct Forget<'a> {
    connection: &'a Connection,
    id: &'a str,
}

impl Drop for Forget<'_> {
    fn drop(&mut self) {
        self.connection.requests().forget(self.id);
    }
}

/// Whether a line is worth decoding here. Control lines begin with their type as far as any CLI has
/// been seen to write them; where the type comes later the word is looked for.
fn may_be_control(line: &[u8]) -> bool {
    match line.strip_prefix(br#"{"type":""#) {
        Some(rest) => rest.starts_with(b"control_"),
        None => memmem::find(line, br#""control_"#).is_some(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::handler::Handlers;

    fn connection(handlers: Handlers) -> Arc<Connection> {
        let (outgoing, _) = tokio::sync::mpsc::unbounded_channel();
        let mcp = McpHost::new(Vec::new(), outgoing).unwrap();
        Connection::new(Writer::start(tokio::io::sink()), Answering { handlers, mcp })
    }

    const PATIENCE: Option<Duration> = Some(Duration::from_secs(10));

    const ASK: &[u8] = br#"{"type":"control_request","request_id":"a","request":
        {"subtype":"can_use_tool","tool_name":"Bash","input":{}}}"#;

    /// The reader may be in the middle of a line, on another thread, when the last client is
    /// dropped.
    #[tokio::test]
    async fn no_handler_begins_after_the_end() {
        let mut handlers = Handlers::default();
        handlers.on_permission(|_| std::future::pending());
        let connection = connection(handlers);
        connection.end();
        connection.take(Bytes::from_static(ASK), &mut VecDeque::new());
        let left = Arc::downgrade(&connection);
        drop(connection);
        let gone = async {
            while left.strong_count() > 0 {
                tokio::task::yield_now().await;
            }
        };
        let gone = tokio::time::timeout(PATIENCE.unwrap(), gone).await;
        assert!(gone.is_ok(), "a handler holds the connection");
    }

    #[tokio::test]
    async fn an_answer_of_an_unknown_kind_is_an_error_that_names_the_request() {
        let connection = connection(Handlers::default());
        let answer = br#"{"type":"control_response","response":
            {"subtype":"perhaps","request_id":"ph-1"}}"#;
        let interrupt = pilothouse_wire::control::session::Interrupt::default();
        let (outcome, ()) = tokio::join!(connection.request(interrupt.into(), PATIENCE), async {
            connection.take(Bytes::from_static(answer), &mut VecDeque::new());
        });
        let error = outcome.unwrap_err();
        assert!(error.to_string().contains("`interrupt`"), "{error}");
    }
}
