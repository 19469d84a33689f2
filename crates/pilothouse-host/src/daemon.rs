//! The daemon: a host, its guard and its routes behind one listener.

use std::net::SocketAddr;

use axum::Router;

use crate::host::{Host, HostError, Options};
use crate::http::guard::{
    Exposure, Guard, GuardOptions, ListenError, Listener, Routes, Tls, Token, TokenError, protect,
    serve,
};
use crate::http::ws::SocketTerms;
use crate::http::{sse, ws};

/// How a daemon works.
#[derive(Debug)]
pub struct DaemonOptions {
    /// How its sessions do.
    pub host: Options,
    /// Who is let in. Its data directory is the host's.
    pub guard: GuardOptions,
    /// Where it listens.
    pub listen: SocketAddr,
    /// How it is kept from being reached by everybody.
    pub exposure: Exposure,
    /// With what it encrypts.
    pub tls: Option<Tls>,
    /// How much of anything a socket may take.
    pub sockets: SocketTerms,
    /// The pages and what belongs to them.
    pub pages: Router,
}

impl DaemonOptions {
    /// On a free port of this machine alone, without pages.
    pub fn new(host: Options) -> Self {
        Self {
            guard: GuardOptions { data_dir: host.data_dir.clone(), ..GuardOptions::default() },
            host,
            listen: SocketAddr::from(([127, 0, 0, 1], 0)),
            exposure: Exposure::Loopback,
            tls: None,
            sockets: SocketTerms::default(),
            pages: Router::new(),
        }
    }
}

/// The daemon cannot start.
#[derive(Debug, thiserror::Error)]
pub enum DaemonError {
    /// The host cannot be opened.
    #[error(transparent)]
    Host(#[from] HostError),
    /// There is no token.
    #[error(transparent)]
    Token(#[from] TokenError),
    /// Nothing can listen there.
    #[error(transparent)]
    Listen(#[from] ListenError),
}

/// A daemon that listens.
#[derive(Debug)]
pub struct Daemon {
    host: Host,
    guard: Guard,
    listener: Listener,
    router: Router,
}

impl Daemon {
    /// Opens everything. Clients can connect from now on; they are answered when it [runs](Self::run).
    pub async fn open(options: DaemonOptions) -> Result<Self, DaemonError> {
        // First, so that a second daemon fails before it has touched anything.
        let listener = Listener::bind(options.listen, options.tls, options.exposure).await?;
        let host = Host::open(options.host).await?;
        let guard = Guard::open(options.guard)?;
        let private = Router::new()
            .merge(ws::routes(host.clone(), options.sockets))
            .merge(sse::routes(host.clone()));
        let router = protect(Routes { private, pages: options.pages }, &guard);
        Ok(Self { host, guard, listener, router })
    }

    /// Where it listens.
    pub fn address(&self) -> SocketAddr {
        self.listener.local_addr()
    }

    /// What programs that we start need.
    pub fn token(&self) -> Token {
        self.guard.token()
    }

    /// Its guard, for login links.
    pub fn guard(&self) -> &Guard {
        &self.guard
    }

    /// Its host.
    pub fn host(&self) -> &Host {
        &self.host
    }

    /// Answers until `stop`, then lets go of the sessions. Their runs go on.
    pub async fn run(self, stop: impl Future<Output = ()>) {
        let limits = self.guard.limits().clone();
        serve(vec![self.listener], self.router, limits, stop).await;
        self.host.close().await;
    }
}
