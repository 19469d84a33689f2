//! Our requests to the host: each has an id, and is answered, withdrawn, or lost with stdin.

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use serde_json::{Value, json};
use tokio::sync::oneshot;
use uuid::Uuid;

use super::out::Out;

/// Why a question got no useful answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Unanswered {
    /// The host answered with an error.
    Error(String),
    /// Stdin was closed.
    Closed,
    /// We took the question back.
    Withdrawn,
}

type Answer = Result<Value, Unanswered>;

struct Open {
    id: String,
    request: Value,
    answer: oneshot::Sender<Answer>,
}

/// The questions that are open.
pub(super) struct Asks {
    out: Rc<Out>,
    open: RefCell<Vec<Open>>,
    is_closed: Cell<bool>,
}

/// A question that was sent. Nobody waits for the answer any more when it is dropped; a person who
/// is being asked is told so.
pub(super) struct Question<'a> {
    asks: &'a Asks,
    id: String,
    is_for_person: bool,
    answer: oneshot::Receiver<Answer>,
}

impl Asks {
    pub(super) fn new(out: Rc<Out>) -> Self {
        Self { out, open: RefCell::default(), is_closed: Cell::new(false) }
    }

    /// Sends `request`; the answer is waited for apart, so that several can be open.
    pub(super) fn ask(&self, request: Value) -> Question<'_> {
        let (sender, answer) = oneshot::channel();
        let id = Uuid::new_v4().to_string();
        let is_for_person = request["subtype"] == "can_use_tool";
        if self.is_closed.get() {
            let _ = sender.send(Err(Unanswered::Closed));
        } else {
            self.out.send(envelope(&id, &request));
            let open = Open { id: id.clone(), request, answer: sender };
            self.open.borrow_mut().push(open);
        }
        Question { asks: self, id, is_for_person, answer }
    }

    /// Takes the `response` object of a `control_response`. Answers to nothing are ignored.
    pub(super) fn answer(&self, response: &Value) {
        let id = response["request_id"].as_str().unwrap_or_default();
        let Some(open) = self.take(id) else { return };
        let answer = match response["subtype"].as_str() {
            Some("success") => Ok(response["response"].clone()),
            _ => {
                let text = response["error"].as_str().unwrap_or("no reason given");
                Err(Unanswered::Error(text.to_owned()))
            }
        };
        let _ = open.answer.send(answer);
    }

    /// Takes back every open question of this subtype.
    pub(super) fn withdraw(&self, subtype: &str) {
        for id in self.ids(subtype) {
            self.withdraw_one(&id);
        }
    }

    fn withdraw_one(&self, id: &str) {
        if let Some(open) = self.take(id) {
            self.out.send(json!({"type": "control_cancel_request", "request_id": id}));
            let _ = open.answer.send(Err(Unanswered::Withdrawn));
        }
    }

    /// Nobody will answer any more.
    pub(super) fn close(&self) {
        self.is_closed.set(true);
        let open = std::mem::take(&mut *self.open.borrow_mut());
        for question in open {
            let _ = question.answer.send(Err(Unanswered::Closed));
        }
    }

    /// The open questions of this subtype, as they were sent.
    pub(super) fn pending(&self, subtype: &str) -> Vec<Value> {
        let open = self.open.borrow();
        let of_subtype = open.iter().filter(|open| open.request["subtype"] == subtype);
        of_subtype.map(|open| envelope(&open.id, &open.request)).collect()
    }

    fn ids(&self, subtype: &str) -> Vec<String> {
        let open = self.open.borrow();
        let of_subtype = open.iter().filter(|open| open.request["subtype"] == subtype);
        of_subtype.map(|open| open.id.clone()).collect()
    }

    fn take(&self, id: &str) -> Option<Open> {
        let mut open = self.open.borrow_mut();
        let at = open.iter().position(|open| open.id == id)?;
        Some(open.remove(at))
    }
}

impl Question<'_> {
    pub(super) async fn answer(mut self) -> Answer {
        match (&mut self.answer).await {
            Ok(answer) => answer,
            Err(_) => Err(Unanswered::Closed),
        }
    }
}

impl Drop for Question<'_> {
    fn drop(&mut self) {
        if self.is_for_person {
            self.asks.withdraw_one(&self.id);
        } else {
            self.asks.take(&self.id);
        }
    }
}

fn envelope(id: &str, request: &Value) -> Value {
    json!({"type": "control_request", "request_id": id, "request": request})
}
