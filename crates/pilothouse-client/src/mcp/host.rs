//! All in-process servers of one run of the CLI.
//!
//! [`McpHost::deliver`] takes one JSON-RPC message from the CLI and gives its answer. It may be
//! called from many tasks at once; no lock is held while a handler works. Dropping its future
//! cancels the call in the server.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

use pilothouse_wire::Raw;
use pilothouse_wire::control::initialize::SdkMcpConfig;
use rmcp::model::{ClientJsonRpcMessage, ClientRequest, ErrorData};
use serde::Serialize;
use tokio::sync::{mpsc, oneshot};

use super::calls::Calls;
use super::jsonrpc::{Incoming, received, reply};
use super::link::{Ends, Link, Opening};
use super::{McpError, McpServer, shown_name};

/// Where servers say things of their own accord.
pub(crate) type Outgoing = mpsc::UnboundedSender<Said>;

/// What a server says of its own accord: a notification, or a request to the client.
#[derive(Debug)]
pub(crate) struct Said {
    /// The server.
    pub(crate) server: String,
    /// JSON-RPC.
    pub(crate) message: Raw,
    /// Who said it goes on when this is told, or dropped.
    pub(crate) sent: oneshot::Sender<()>,
}

/// The servers.
#[derive(Debug)]
pub(crate) struct McpHost {
    servers: Mutex<BTreeMap<String, Arc<Hosted>>>,
    outgoing: Outgoing,
}

impl McpHost {
    /// Fails if the model could not tell the servers apart.
    pub(crate) fn new(servers: Vec<McpServer>, outgoing: Outgoing) -> Result<Self, McpError> {
        let host = Self { servers: Mutex::default(), outgoing };
        servers.into_iter().try_for_each(|server| host.add(server))?;
        Ok(host)
    }

    /// Adds a server. Fails if the model could not tell it from another.
    pub(crate) fn add(&self, server: McpServer) -> Result<(), McpError> {
        let name = server.name().to_owned();
        if name.is_empty() {
            return Err(McpError::UnnamedServer);
        }
        let mut servers = self.servers();
        if servers.keys().any(|known| shown_name(known) == shown_name(&name)) {
            return Err(McpError::DuplicateServer { name });
        }
        servers.insert(name, Arc::new(Hosted::new(server, self.outgoing.clone())));
        Ok(())
    }

    /// Takes a server away. Calls that it works on are finished.
    pub(crate) fn remove(&self, name: &str) {
        self.servers().remove(name);
    }

    /// The names, for `sdkMcpServers`.
    pub(crate) fn names(&self) -> Vec<String> {
        self.servers().keys().cloned().collect()
    }

    /// What has been configured, for `sdkMcpServerConfigs`; servers without any setting are left
    /// out.
    pub(crate) fn configs(&self) -> BTreeMap<String, SdkMcpConfig> {
        let servers = self.servers();
        let configs = servers.iter().map(|(name, hosted)| (name, hosted.server.config()));
        configs.filter_map(|(name, config)| Some((name.clone(), config?))).collect()
    }

    /// Every server as an entry of `mcp_set_servers`.
    pub(crate) fn entries(&self) -> BTreeMap<String, Raw> {
        #[derive(Serialize)]
        struct Entry<'a> {
            r#type: &'static str,
            name: &'a str,
            #[serde(flatten)]
            config: SdkMcpConfig,
        }
        let servers = self.servers();
        let entries = servers.iter().filter_map(|(name, hosted)| {
            let config = hosted.server.config().unwrap_or_default();
            Some((name.clone(), Raw::of(&Entry { r#type: "sdk", name, config }).ok()?))
        });
        entries.collect()
    }

    fn servers(&self) -> MutexGuard<'_, BTreeMap<String, Arc<Hosted>>> {
        self.servers.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Hands `message` to `server` and waits for its answer, which is JSON-RPC too: also where the
    /// message is malformed or the handler fails. What wants no answer gets an empty one at once.
    pub(crate) async fn deliver(&self, server: &str, message: Raw) -> Result<Raw, McpError> {
        let hosted = self.servers().get(server).cloned();
        let Some(hosted) = hosted else {
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
                hosted.answer(&answer);
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
    /// Every session that still runs: the current one, and those that calls of theirs keep.
    running: Mutex<Vec<Weak<Link>>>,
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
            running: Mutex::default(),
        }
    }

    async fn request(&self, id: Raw, request: ClientRequest) -> Raw {
        let handshake = matches!(request, ClientRequest::InitializeRequest(_));
        let link = if handshake { self.open(Opening::Handshake) } else { self.current() };
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
            _ => Arc::clone(slot.insert(self.open(Opening::None))),
        }
    }

    fn open(&self, opening: Opening) -> Arc<Link> {
        let ends = Ends {
            server: Arc::clone(&self.name),
            session: self.sessions.fetch_add(1, Ordering::Relaxed),
            calls: Arc::clone(&self.calls),
            outgoing: self.outgoing.clone(),
        };
        let link = Arc::new(Link::open(self.server.handler(), ends, opening));
        let mut running = self.running();
        running.retain(|link| link.strong_count() > 0);
        running.push(Arc::downgrade(&link));
        drop(running);
        link
    }

    /// Hands the client's answer to the session that asked.
    fn answer(&self, answer: &ClientJsonRpcMessage) {
        let running: Vec<_> = self.running().iter().filter_map(Weak::upgrade).collect();
        running.iter().for_each(|link| link.answer(answer.clone()));
    }

    fn running(&self) -> MutexGuard<'_, Vec<Weak<Link>>> {
        self.running.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn slot(&self) -> MutexGuard<'_, Option<Arc<Link>>> {
        self.current.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
