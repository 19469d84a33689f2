//! A client that never gives up: it sends prompts, answers what it is asked, and comes back after
//! every death of the daemon.

use std::collections::{BTreeSet, HashMap};

use pilothouse_session::id::SessionId;
use serde_json::{Value, json};
use tokio::sync::watch;

use super::bed::{PATIENCE, script};
use super::client::{Daemon, Gone, Socket};

/// How the daemon of the moment is reached.
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct Door {
    address: String,
    token: String,
}

impl Door {
    pub(crate) fn to(daemon: &Daemon) -> Self {
        Self { address: daemon.address.clone(), token: daemon.token.clone() }
    }
}

/// What a worker has asked for and seen.
pub(crate) struct Asked {
    pub(crate) number: usize,
    pub(crate) session: SessionId,
    /// The prompts that it has seen the end of: their ids, and how they ended.
    pub(crate) rounds: Vec<(String, String)>,
    /// How many requests it has answered that an earlier daemon had told it of.
    pub(crate) answered_later: usize,
    /// The number of the last event it has seen; all before it were seen, once and in order.
    pub(crate) seq: u64,
}

pub(crate) struct Worker {
    asked: Asked,
    doors: watch::Receiver<Door>,
    stopped: watch::Receiver<bool>,
    open: BTreeSet<u64>,
    /// The session has no run and nothing goes on by itself.
    is_at_rest: bool,
    ends: HashMap<String, String>,
    /// What was seen, in a few words, for when something goes wrong.
    recent: Vec<String>,
}

impl Worker {
    pub(crate) fn new(
        number: usize,
        session: SessionId,
        doors: watch::Receiver<Door>,
        stopped: watch::Receiver<bool>,
    ) -> Self {
        let asked = Asked { number, session, rounds: Vec::new(), answered_later: 0, seq: 0 };
        Self {
            asked,
            doors,
            stopped,
            open: BTreeSet::new(),
            is_at_rest: false,
            ends: HashMap::new(),
            recent: Vec::new(),
        }
    }

    /// Works until it is stopped and its last prompt has come to its end.
    pub(crate) async fn run(mut self) -> Asked {
        let mut socket = self.connect().await;
        while !*self.stopped.borrow() {
            while self.round(&mut socket).await.is_err() {
                socket = self.connect().await;
            }
        }
        self.asked
    }

    /// Comes in through the door of the moment, whichever that is.
    async fn connect(&mut self) -> Socket {
        loop {
            let door = self.doors.borrow_and_update().clone();
            if let Ok(mut socket) = Socket::open(&door.address, Some(&door.token)).await {
                let session = self.asked.session.to_string();
                if socket.subscribe(&session, self.asked.seq).await.is_ok() {
                    return socket;
                }
            }
            // The next daemon has another door.
            let _ = self.doors.changed().await;
        }
    }

    /// One prompt, from its first word to its end. Again from the start if the socket breaks: it is
    /// the same prompt.
    async fn round(&mut self, socket: &mut Socket) -> Result<(), Gone> {
        let session = self.asked.session.to_string();
        let round = self.asked.rounds.len();
        let command = format!("echo {round} >> done-{}", self.asked.number);
        let call = json!({ "command": command });
        let content = script(&format!("say looking\ntool Bash {call}\n---\nsay done {round}"));
        let key = format!("{}-{round}", self.asked.number);
        let prompt = json!({"do": "prompt", "content": content, "key": key});
        let reply = socket.ask(&session, prompt).await?;
        let Some(prompt) = reply["result"]["prompt"].as_str() else {
            panic!("a prompt was refused: {reply}");
        };
        for approval in self.open.clone() {
            self.asked.answered_later += usize::from(self.allow(socket, approval).await?);
        }
        loop {
            if let Some(end) = self.ends.remove(prompt) {
                self.asked.rounds.push((prompt.to_owned(), end));
                return Ok(());
            }
            if self.is_at_rest {
                // One click: the prompt waits. It may have been started already.
                socket.ask(&session, json!({"do": "start"})).await?;
                self.is_at_rest = false;
            }
            let message = tokio::time::timeout(PATIENCE, socket.hear()).await;
            let message = message.unwrap_or_else(|_| {
                let last: Vec<_> = self.recent.iter().rev().take(20).rev().collect();
                panic!("prompt {prompt} came to no end: {last:#?}");
            })?;
            for event in message["events"].as_array().into_iter().flatten() {
                self.see(event);
                if event["type"] == "approval_requested" {
                    let approval = event["approval"].as_u64().unwrap();
                    if round % 3 == 2 {
                        self.let_a_daemon_die().await?;
                    }
                    self.allow(socket, approval).await?;
                }
            }
        }
    }

    /// Leaves what it was asked to the next daemon, unless there will be none.
    async fn let_a_daemon_die(&mut self) -> Result<(), Gone> {
        tokio::select! {
            _ = self.doors.changed() => Err(Gone),
            _ = self.stopped.wait_for(|is_stopped| *is_stopped) => Ok(()),
        }
    }

    /// Says whether that was the answer.
    async fn allow(&mut self, socket: &mut Socket, approval: u64) -> Result<bool, Gone> {
        let decide = json!({"do": "decide", "approval": approval, "decision": {"kind": "allow"}});
        let session = self.asked.session.to_string();
        let reply = socket.ask(&session, decide).await?;
        let problem = &reply["problem"]["type"];
        let late = ["/problems/conflict", "/problems/gone"];
        assert!(problem.is_null() || late.iter().any(|late| problem == late), "{reply}");
        Ok(problem.is_null())
    }

    fn see(&mut self, event: &Value) {
        let seq = event["seq"].as_u64().unwrap();
        assert_eq!(seq, self.asked.seq + 1, "session {}: {event}", self.asked.number);
        self.asked.seq = seq;
        let (kind, text) = (event["type"].as_str().unwrap(), event.to_string());
        let gist: String = text.chars().take(300).collect();
        self.recent.push(format!("{seq} {kind} {gist}"));
        let approval = event["approval"].as_u64();
        match (event["type"].as_str().unwrap(), approval) {
            ("approval_requested", Some(approval)) => {
                self.open.insert(approval);
            }
            ("approval_resolved" | "permission_cancelled", Some(approval)) => {
                assert!(self.open.remove(&approval), "answered twice: {event}");
            }
            ("session_status", _) => {
                self.is_at_rest = event["status"] == "ended" || event["status"] == "interrupted";
            }
            ("prompt_updated", _) => {
                let state = event["state"]["kind"].as_str();
                let state = state.unwrap_or_else(|| panic!("{event}"));
                if ["answered", "failed", "cancelled"].contains(&state) {
                    let prompt = event["prompt"].as_str().unwrap().to_owned();
                    let before = self.ends.insert(prompt, state.to_owned());
                    assert_eq!(before, None, "ended twice: {event}");
                }
            }
            _ => {}
        }
    }
}
