//! All in-process servers of one run of the CLI.
//!
//! [`McpHost::deliver`] takes one JSON-RPC message from the CLI and gives its answer. It may be
//! called from many tasks at once; no lock is held while a handler works. Dropping its future
//! cancels the call in the server.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use pilothouse_wire::Raw;
use pilothouse_wire::control::initialize::SdkMcpConfig;
use rmcp::model::{ClientJsonRpcMessage, ClientRequest, ErrorData};
use tokio::sync::mpsc;

use super::calls::Calls;
use super::jsonrpc::{Incoming, received, reply};
use super::link::{Ends, Link, Opening};
use super::{McpError, McpServer, shown_name};

/// Where servers say things of their own accord (notifications, requests to the client): the name
/// of the server, and the JSON-RPC message.
pub(crate) type Outgoing = mpsc::UnboundedSender<(String, Raw)>;

/// The servers.
#[derive(Debug)]
pub(crate) struct McpHost(BTreeMap<String, Hosted>);

impl McpHost {
    /// Fails if the model could not tell the servers apart.
    pub(crate) fn new(servers: Vec<McpServer>, outgoing: Outgoing) -> Result<Self, McpError> {
        let mut shown = BTreeSet::new();
        let mut hosted = BTreeMap::new();
        for server in servers {
            let name = server.name().to_owned();
            if name.is_empty() {
                return Err(McpError::UnnamedServer);
            }
            if !shown.insert(shown_name(&name)) {
                return Err(McpError::DuplicateServer { name });
            }
            hosted.insert(name, Hosted::new(server, outgoing.clone()));
        }
        Ok(Self(hosted))
    }

    /// The names, for `sdkMcpServers`.
    pub(crate) fn names(&self) -> Vec<String> {
        self.0.keys().cloned().collect()
    }

    /// What has been configured, for `sdkMcpServerConfigs`; servers without any setting are left
    /// out.
    pub(crate) fn configs(&self) -> BTreeMap<String, SdkMcpConfig> {
        let configs = self.0.iter().map(|(name, hosted)| (name, hosted.server.config()));
        configs.filter_map(|(name, config)| Some((name.clone(), config?))).collect()
    }

    /// Hands `message` to `server` and waits for its answer, which is JSON-RPC too: also where the
    /// message is malformed or the handler fails. What wants no answer gets an empty one at once.
    pub(crate) async fn deliver(&self, server: &str, message: Raw) -> Result<Raw, McpError> {
        let Some(hosted) = self.0.get(server) else {
            return Err(McpError::UnknownServer { name: server.to_owned(), known: self.names() });
        };
        Ok(match Incoming::read(&message) {
            Incoming::Request { id, request } => hosted.request(id, *request).await,
            Incoming::Cancelled { id } => {
                hosted.calls.cancel(&id);
                received()
            }
            Incoming::Notification(notification) => {
                let message = ClientJsonRpcMessage::notification(*notification);
                // A session that ended this moment has nothing left to be told.
                let _ = hosted.current().input().send(message);
                received()
            }
            Incoming::Answer(answer) => {
                let link = hosted.slot().clone();
                if let Some(link) = link {
                    link.answer(*answer);
                }
                received()
            }
            Incoming::Invalid { id, error } => reply(&id, Err(&error)),
        })
    }
}

/// One server, and its sessions with the CLI.
#[derive(Debug)]
struct Hosted {
    server: McpServer,
    name: Arc<str>,
    outgoing: Outgoing,
    calls: Arc<Calls>,
    sessions: AtomicU32,
    current: Mutex<Option<Arc<Link>>>,
}

impl Hosted {
    fn new(server: McpServer, outgoing: Outgoing) -> Self {
        Self {
            name: server.name().into(),
            server,
            outgoing,
            calls: Arc::default(),
            sessions: AtomicU32::new(0),
            current: Mutex::default(),
        }
    }

    async fn request(&self, id: Raw, request: ClientRequest) -> Raw {
        let handshake = matches!(request, ClientRequest::InitializeRequest(_));
        let link = if handshake { Arc::new(self.open(Opening::Handshake)) } else { self.current() };
        let call = self.calls.enter(id.clone(), link.session(), link.input().clone());
        let message = ClientJsonRpcMessage::request(request, call.id());
        let answer = match link.input().send(message) {
            Ok(()) => call.answer().await,
            Err(_) => None,
        };
        // Only now: a handshake that is withdrawn or fails leaves the session before it in place.
        let succeeded = answer.as_ref().is_some_and(|answer| answer.member("error").is_none());
        if handshake && succeeded {
            let superseded = self.slot().replace(link);
            drop(superseded);
        }
        answer.unwrap_or_else(|| {
            let reason = format!("the MCP server `{}` stopped before it answered", self.name);
            reply(&id, Err(&ErrorData::internal_error(reason, None)))
        })
    }

    /// The session that serves what comes now.
    fn current(&self) -> Arc<Link> {
        let mut slot = self.slot();
        match &*slot {
            Some(link) if !link.is_over() => Arc::clone(link),
            _ => Arc::clone(slot.insert(Arc::new(self.open(Opening::None)))),
        }
    }

    fn open(&self, opening: Opening) -> Link {
        let ends = Ends {
            server: Arc::clone(&self.name),
            session: self.sessions.fetch_add(1, Ordering::Relaxed),
            calls: Arc::clone(&self.calls),
            outgoing: self.outgoing.clone(),
        };
        Link::open(self.server.handler(), ends, opening)
    }

    fn slot(&self) -> MutexGuard<'_, Option<Arc<Link>>> {
        self.current.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
