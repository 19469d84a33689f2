//! The scripted model: an Anthropic Messages API on loopback that answers what the prompt tells it
//! to.
//!
//! It keeps no conversation. For each request it takes the last user message that carries a script,
//! counts the assistant messages after it, and sends the reply with that number; so resuming,
//! forking and subagents need nothing of their own. Past the end of a script, and without one, it
//! says one short sentence.
//!
//! Every request is kept, for the test to look at. The server has a thread and a runtime to itself:
//! it answers while the test blocks, and dropping it closes every connection.

use std::io;
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::Duration;

use tokio::sync::oneshot;
use tokio::time::timeout;

use crate::script::Script;

mod board;
mod position;
mod recorded;
mod server;

pub use recorded::{Recorded, ToolResult};

use board::Board;

/// How long a test waits for the CLI to do what it expects before it gives up and says so.
const PATIENCE: Duration = Duration::from_secs(60);

/// A running scripted model.
#[derive(Debug)]
pub struct ScriptedModel {
    address: SocketAddr,
    board: Arc<Board>,
    stop: Option<oneshot::Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

/// What keeps a test from going on with the scripted model.
#[derive(Debug, thiserror::Error)]
pub enum ModelError {
    /// The server could not be started.
    #[error(
        "the scripted model cannot listen on 127.0.0.1 (in a new network namespace run `ip link set lo up`): {0}"
    )]
    Listen(#[from] io::Error),
    /// No stream came to the hold.
    #[error("no answer reached `hold {name}` within {PATIENCE:?}; requests so far: {seen}")]
    NotHeld {
        /// The hold's name.
        name: String,
        /// What was asked instead.
        seen: String,
    },
    /// The client did not hang up.
    #[error(
        "no client left an answer at `hold {name}` within {PATIENCE:?}; requests so far: {seen}"
    )]
    NotAbandoned {
        /// The hold's name.
        name: String,
        /// What was asked.
        seen: String,
    },
    /// The expected request did not come.
    #[error("the expected request did not come within {PATIENCE:?}; requests so far: {seen}")]
    NotAsked {
        /// What was asked instead.
        seen: String,
    },
}

impl ScriptedModel {
    /// Starts on a free port of 127.0.0.1.
    pub async fn start() -> Result<Self, ModelError> {
        Self::listen(None)
    }

    /// Starts with a script for the conversations that do not bring one. Requests that offer no
    /// tools are not part of a conversation and do not get it.
    pub async fn start_with(script: Script) -> Result<Self, ModelError> {
        Self::listen(Some(script))
    }

    fn listen(fallback: Option<Script>) -> Result<Self, ModelError> {
        let listener = std::net::TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?;
        listener.set_nonblocking(true)?;
        let address = listener.local_addr()?;
        let board = Arc::new(Board::new(fallback));
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        let (stop, stopped) = oneshot::channel();
        let shared = Arc::clone(&board);
        let thread = std::thread::Builder::new()
            .name("scripted-model".to_owned())
            .spawn(move || runtime.block_on(server::serve(listener, shared, stopped)))?;
        Ok(Self { address, board, stop: Some(stop), thread: Some(thread) })
    }

    /// What to put in `ANTHROPIC_BASE_URL`.
    pub fn base_url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// The requests to `/v1/messages` so far, oldest first.
    pub fn requests(&self) -> Vec<Recorded> {
        self.board
            .requests
            .borrow()
            .iter()
            .filter(|request| request.path == "/v1/messages")
            .cloned()
            .collect()
    }

    /// All other requests so far: token counts, and whatever the CLI asked that no Messages API
    /// answers.
    pub fn other_requests(&self) -> Vec<Recorded> {
        self.board
            .requests
            .borrow()
            .iter()
            .filter(|request| request.path != "/v1/messages")
            .cloned()
            .collect()
    }

    /// Lets every answer pass that waits, or will wait, at `hold name`.
    pub fn release(&self, name: &str) {
        self.board.holds.send_modify(|holds| {
            holds.released.insert(name.to_owned());
        });
    }

    /// Resolves when an answer has come to `hold name`: everything before it has been sent.
    pub async fn wait_held(&self, name: &str) -> Result<(), ModelError> {
        let mut holds = self.board.holds.subscribe();
        let reached = holds.wait_for(|holds| holds.reached.contains(name));
        match timeout(PATIENCE, reached).await {
            Ok(Ok(_)) => Ok(()),
            _ => Err(ModelError::NotHeld { name: name.to_owned(), seen: self.seen() }),
        }
    }

    /// Resolves when the client of an answer that waits at `hold name` has hung up.
    pub async fn wait_abandoned(&self, name: &str) -> Result<(), ModelError> {
        let mut holds = self.board.holds.subscribe();
        let left = holds.wait_for(|holds| holds.abandoned.contains(name));
        match timeout(PATIENCE, left).await {
            Ok(Ok(_)) => Ok(()),
            _ => Err(ModelError::NotAbandoned { name: name.to_owned(), seen: self.seen() }),
        }
    }

    /// The first request to `/v1/messages`, past or to come, that `wanted` says yes to.
    pub async fn wait_for_request(
        &self,
        mut wanted: impl FnMut(&Recorded) -> bool,
    ) -> Result<Recorded, ModelError> {
        let mut requests = self.board.requests.subscribe();
        let mut looked_at = 0;
        let search = async {
            loop {
                let found = {
                    let known = requests.borrow_and_update();
                    let found = known[looked_at..]
                        .iter()
                        .find(|request| request.path == "/v1/messages" && wanted(request))
                        .cloned();
                    looked_at = known.len();
                    found
                };
                match found {
                    Some(request) => return Some(request),
                    None => requests.changed().await.ok()?,
                }
            }
        };
        match timeout(PATIENCE, search).await {
            Ok(Some(request)) => Ok(request),
            _ => Err(ModelError::NotAsked { seen: self.seen() }),
        }
    }

    fn seen(&self) -> String {
        let requests = self.board.requests.borrow();
        let lines: Vec<_> = requests.iter().map(Recorded::outline).collect();
        format!("[{}]", lines.join("; "))
    }
}

impl Drop for ScriptedModel {
    fn drop(&mut self) {
        if let Some(stop) = self.stop.take() {
            let _ = stop.send(());
        }
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}
