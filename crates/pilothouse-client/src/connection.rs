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
use crate::queue::Queue;
use crate::writer::Writer;

/// The open requests of both sides.
type Requests = Peer<oneshot::Sender<Result<Success, RequestError>>>;

/// One conversation's traffic.
pub(crate) struct Connection {
    writer: Writer,
    requests: Mutex<Requests>,
    /// The tasks that work on requests of the CLI's, by request.
    working: Mutex<HashMap<String, AbortHandle>>,
    answering: Answering,
    pub(crate) queue: Arc<Queue>,
}

impl Connection {
    pub(crate) fn new(writer: Writer, answering: Answering) -> Arc<Self> {
        Arc::new(Self {
            writer,
            requests: Mutex::new(Peer::new()),
            working: Mutex::new(HashMap::new()),
            answering,
            queue: Arc::new(Queue::default()),
        })
    }

    fn requests(&self) -> MutexGuard<'_, Requests> {
        self.requests.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn working(&self) -> MutexGuard<'_, HashMap<String, AbortHandle>> {
        self.working.lock().unwrap_or_else(PoisonError::into_inner)
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
        outcome.map_err(|error| match error {
            RequestError::Refused { message, code, .. } => {
                RequestError::Refused { request: name, message, code }
            }
            other => other,
        })
    }

    /// Reads until there is no more.
    pub(crate) async fn read(self: Arc<Self>, mut stdout: impl AsyncRead + Unpin) {
        let mut lines = Lines::new();
        let mut messages = VecDeque::new();
        loop {
            match stdout.read_buf(lines.room()).await {
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
        for (_, task) in self.working().drain() {
            task.abort();
        }
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
        let found = self.requests().answered(response);
        match found {
            Match::Request(waiting, answer) => {
                // Nobody listens: the caller has given up.
                let _ = waiting.send(self.outcome(answer));
            }
            Match::Nothing(answer) => {
                tracing::debug!(id = answer.request_id(), "an answer to no open request");
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
            connection.working().remove(&task_id);
            let open = connection.requests().close(&task_id);
            if let (Some(answer), true) = (answer, open) {
                // The CLI has ended: nobody wants the answer.
                let _ = connection.send(&Outbound::ControlResponse(Box::new(answer))).await;
            }
        });
        self.working().insert(id, task.abort_handle());
        let _ = noted.send(());
    }

    fn withdrawn(&self, cancel: &ControlCancel) {
        self.requests().close(&cancel.request_id);
        if let Some(task) = self.working().remove(&cancel.request_id) {
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
