//! The daemon: a host, its guard and its routes behind one listener.

mod configured;

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::extract::{MatchedPath, Request};
use axum::middleware::{Next, from_fn};
use tokio_util::sync::CancellationToken;

use crate::host::{Host, HostError, Options};
use crate::http::guard::{
    Exposure, Guard, GuardOptions, ListenError, Listener, Routes, Tls, TlsError, Token, TokenError,
    protect, serve,
};
use crate::http::rest::{Api, Patience};
use crate::http::ws::SocketTerms;
use crate::http::{sse, ws};
use crate::open_files;
use crate::telemetry::{Telemetry, TelemetryError};

/// How long telemetry may take to send the last of it.
const PARTING: Duration = Duration::from_secs(2);

/// How a daemon works.
#[derive(Debug)]
pub struct DaemonOptions {
    /// How its sessions do.
    pub host: Options,
    /// Who is let in. Its data directory is the host's.
    pub guard: GuardOptions,
    /// Where it listens.
    pub listen: Vec<SocketAddr>,
    /// How it is kept from being reached by everybody.
    pub exposure: Exposure,
    /// With what it encrypts.
    pub tls: Option<Tls>,
    /// How much of anything a socket may take.
    pub sockets: SocketTerms,
    /// How long is waited for what.
    pub patience: Patience,
    /// The pages and what belongs to them: [`crate::http::assets::Assets::pages`].
    pub pages: Router,
}

impl DaemonOptions {
    /// On a free port of this machine alone, without pages.
    pub fn new(host: Options) -> Self {
        Self {
            guard: GuardOptions { data_dir: host.data_dir.clone(), ..GuardOptions::default() },
            host,
            listen: vec![SocketAddr::from(([127, 0, 0, 1], 0))],
            exposure: Exposure::Loopback,
            tls: None,
            sockets: SocketTerms::default(),
            patience: Patience::default(),
            pages: Router::new(),
        }
    }
}

async fn listen(
    addresses: &[SocketAddr],
    tls: Option<Tls>,
    exposure: Exposure,
) -> Result<Vec<Listener>, ListenError> {
    let mut listeners = Vec::new();
    for address in addresses {
        listeners.push(Listener::bind(*address, tls.clone(), exposure).await?);
    }
    Ok(listeners)
}

/// Counts what is answered, by route.
fn counted(router: Router, telemetry: &Telemetry) -> Router {
    let metrics = Arc::clone(telemetry.metrics());
    router.layer(from_fn(move |request: Request, next: Next| {
        let metrics = Arc::clone(&metrics);
        async move {
            let route = request.extensions().get::<MatchedPath>().cloned();
            let response = next.run(request).await;
            let route = route.as_ref().map_or("none", MatchedPath::as_str);
            metrics.http_answered(route, response.status().as_u16());
            response
        }
    }))
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
    /// The files for TLS cannot be used.
    #[error(transparent)]
    Tls(#[from] TlsError),
    /// There is no telemetry.
    #[error(transparent)]
    Telemetry(#[from] TelemetryError),
}

/// A daemon that listens.
#[derive(Debug)]
pub struct Daemon {
    host: Host,
    guard: Guard,
    listeners: Vec<Listener>,
    router: Router,
    stop_asked: CancellationToken,
    /// Ends streams and sockets, which would not end by themselves.
    leaving: CancellationToken,
}

impl Daemon {
    /// Opens everything. Clients can connect from now on; they are answered when it [runs](Self::run).
    ///
    /// Raises this process's limit of open files as far as the configured connections need, and
    /// takes fewer connections where that is not possible.
    pub async fn open(mut options: DaemonOptions) -> Result<Self, DaemonError> {
        let limits = &mut options.guard.limits;
        limits.connections = open_files::for_connections(limits.connections);
        // First, because it takes the directory's lock: a second daemon of the same directory, which
        // mostly has the same port as well, is to be told of the first, not of a port in use.
        let host = Host::open(options.host).await?;
        let listeners = match listen(&options.listen, options.tls, options.exposure).await {
            Ok(listeners) => listeners,
            Err(error) => {
                host.close().await;
                return Err(error.into());
            }
        };
        let metrics = Arc::clone(host.telemetry().metrics());
        let guard = Guard::open(GuardOptions {
            metrics: Arc::clone(&metrics),
            unspoken: host.telemetry().secrets().clone(),
            ..options.guard
        })?;
        let api = Api::new(host.clone(), options.patience).metrics(metrics);
        let (stop_asked, leaving) = (api.stop_asked().clone(), CancellationToken::new());
        let frame = options.sockets.frame;
        let private = Router::new()
            .merge(api.routes())
            .merge(guard.uploads(api.uploads()))
            .merge(ws::routes(host.clone(), options.sockets, leaving.clone()))
            .merge(sse::routes(host.clone(), frame, leaving.clone()));
        let router = protect(Routes { private, pages: options.pages }, &guard);
        let router = counted(router, host.telemetry());
        Ok(Self { host, guard, listeners, router, stop_asked, leaving })
    }

    /// Where it listens.
    pub fn addresses(&self) -> Vec<SocketAddr> {
        self.listeners.iter().map(Listener::local_addr).collect()
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

    /// Answers until `stop`, or until a client asks for the end; then lets go of the sessions. Their
    /// runs go on. `stop` is dropped before the first client is sent away.
    pub async fn run(self, stop: impl Future<Output = ()>) {
        let limits = self.guard.limits().clone();
        let (asked, leaving) = (self.stop_asked, self.leaving);
        let stop = async move {
            tokio::select! {
                () = stop => {}
                () = asked.cancelled() => {}
            }
            leaving.cancel();
        };
        serve(self.listeners, self.router, limits, stop).await;
        self.host.close().await;
        let telemetry = self.host.telemetry().clone();
        // What is left of the spans gets a moment.
        let _ = tokio::task::spawn_blocking(move || telemetry.shut_down(PARTING)).await;
    }
}
