//! The server: accepts, counts, and gives every connection its limits.
//!
//! HTTP/1.1 only. Everything that streams goes over one WebSocket, so there is little to gain from
//! HTTP/2, and its own kinds of floods stay out.

use std::convert::Infallible;
use std::io;
use std::net::SocketAddr;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::body::Body;
use axum::extract::ConnectInfo;
use axum::http::{Request, Response};
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;
use tokio::task::JoinSet;
use tower_service::Service;

use super::connection::{Connection, household};
use super::exposure::{Exposed, Exposure};
use super::gate::{Gate, Pass};
use super::limits::Limits;
use super::passed::Passed;
use super::tls::Tls;
use crate::http::problem::{Kind, Problem};
use crate::open_files::is_exhausted;

/// After an error of the system (no more files, say) it is left alone for so long.
const RECOVER: Duration = Duration::from_millis(100);

/// The most headers that hyper takes if nothing else is said.
const HEADERS: usize = 100;

/// A socket that listens, and how it speaks.
#[derive(Debug)]
pub struct Listener {
    socket: TcpListener,
    local: SocketAddr,
    tls: Option<Tls>,
}

/// Why nothing can listen there.
#[derive(Debug, thiserror::Error)]
pub enum ListenError {
    /// It would not be safe.
    #[error(transparent)]
    Exposed(#[from] Exposed),
    /// The system refuses.
    #[error("cannot listen on {address}: {source}: choose another port, or end what uses it")]
    Bind {
        /// The address.
        address: SocketAddr,
        /// What it says.
        source: io::Error,
    },
}

impl Listener {
    /// Listens on an address if that is safe: on loopback, with TLS, or because somebody insists.
    pub async fn bind(
        address: SocketAddr,
        tls: Option<Tls>,
        exposure: Exposure,
    ) -> Result<Self, ListenError> {
        // What is said of TLS must be true.
        let exposure = match (exposure, &tls) {
            (Exposure::Tls, None) => Exposure::Loopback,
            (_, Some(_)) => Exposure::Tls,
            (exposure, None) => exposure,
        };
        exposure.check(address)?;
        let bind = async {
            let socket = TcpListener::bind(address).await?;
            let local = socket.local_addr()?;
            Ok((socket, local))
        };
        let (socket, local) = bind.await.map_err(|source| ListenError::Bind { address, source })?;
        Ok(Self { socket, local, tls })
    }

    /// The address, with the port that was given.
    pub fn local_addr(&self) -> SocketAddr {
        self.local
    }
}

/// What all connections share.
struct Serving {
    router: Router,
    limits: Limits,
    gate: Gate,
    stopping: watch::Receiver<bool>,
}

/// Serves until `shutdown` comes to its end, then lets requests under way finish for a while.
///
/// A connection that has become a WebSocket counts as a connection until it is closed, but is not
/// waited for: whoever serves it ends it.
pub async fn serve(
    listeners: Vec<Listener>,
    router: Router,
    limits: Limits,
    shutdown: impl Future<Output = ()>,
) {
    let (stop, stopping) = watch::channel(false);
    let gate = Gate::new(&limits);
    let grace = limits.shutdown;
    let serving = Arc::new(Serving { router, limits, gate, stopping });
    let mut accepting = JoinSet::new();
    for listener in listeners {
        accepting.spawn(accept(listener, Arc::clone(&serving)));
    }
    shutdown.await;
    stop.send_replace(true);
    let finish = async { while accepting.join_next().await.is_some() {} };
    if tokio::time::timeout(grace, finish).await.is_err() {
        tracing::warn!("requests were still under way after {grace:?}: they are cut off");
    }
}

async fn accept(listener: Listener, serving: Arc<Serving>) {
    let mut connections = JoinSet::new();
    let mut stopping = serving.stopping.clone();
    loop {
        let accepted = tokio::select! {
            accepted = listener.socket.accept() => accepted,
            // Those that have ended are forgotten as we go.
            Some(_) = connections.join_next() => continue,
            _ = stopping.wait_for(|stop| *stop) => break,
        };
        match accepted {
            Ok((stream, peer)) => {
                let connection = connect(&stream, peer, &listener);
                match serving.gate.enter(household(peer.ip())) {
                    Some(pass) => {
                        let (tls, serving) = (listener.tls.clone(), Arc::clone(&serving));
                        let leave = pass.leave().clone();
                        let talk = converse(stream, pass, connection, tls, serving);
                        connections.spawn(async move {
                            tokio::select! {
                                () = talk => {}
                                () = leave.cancelled() => {}
                            }
                        });
                    }
                    None => {
                        let times = serving.gate.turned_away();
                        // Not a line each: a flood must not become one of the log.
                        if times.is_power_of_two() {
                            tracing::warn!(times, peer = %peer.ip(), "too many connections");
                        }
                        turn_away(&stream, &connection);
                    }
                }
            }
            // The client has gone already.
            Err(error) if is_of_one_client(&error) => {}
            Err(error) => {
                tracing::error!(%error, "no connection can be accepted");
                if is_exhausted(&error) {
                    serving.gate.make_room();
                }
                tokio::time::sleep(RECOVER).await;
            }
        }
    }
    drop(listener);
    while connections.join_next().await.is_some() {}
}

fn connect(stream: &TcpStream, peer: SocketAddr, listener: &Listener) -> Connection {
    // Many small events: none may wait for the next.
    let _ = stream.set_nodelay(true);
    let local = stream.local_addr().unwrap_or(listener.local);
    Connection { peer, local, secure: listener.tls.is_some() }
}

/// Says why, as far as that can be said without waiting.
fn turn_away(stream: &TcpStream, connection: &Connection) {
    if connection.secure {
        return;
    }
    let detail = "too many connections are open: close some, or raise `limits.connections` and \
                  `limits.connections_per_address`";
    let problem = Problem::new(Kind::TooManyConnections, detail);
    let body = serde_json::to_string(problem.document()).unwrap_or_default();
    let answer = format!(
        "HTTP/1.1 503 Service Unavailable\r\ncontent-type: {}\r\ncontent-length: {}\r\n\
         connection: close\r\ncache-control: no-store\r\n\r\n{body}",
        crate::http::problem::MEDIA_TYPE,
        body.len(),
    );
    // What was read is not asked for again: a socket closed with unread bytes takes back what it
    // has sent.
    let _ = stream.try_read(&mut [0; 4096]);
    let _ = stream.try_write(answer.as_bytes());
}

fn is_of_one_client(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::ConnectionAborted
            | io::ErrorKind::ConnectionRefused
            | io::ErrorKind::ConnectionReset
    )
}

async fn converse(
    stream: TcpStream,
    pass: Pass,
    connection: Connection,
    tls: Option<Tls>,
    serving: Arc<Serving>,
) {
    let result = match tls {
        None => requests(Passed::new(stream, pass), connection, &serving).await,
        Some(tls) => {
            let shake = tls.acceptor.accept(stream);
            match tokio::time::timeout(serving.limits.header_read, shake).await {
                Ok(Ok(stream)) => requests(Passed::new(stream, pass), connection, &serving).await,
                Ok(Err(error)) => return tracing::debug!(%error, "no TLS"),
                Err(_) => return tracing::debug!("no TLS in time"),
            }
        }
    };
    if let Err(error) = result {
        tracing::debug!(%error, peer = %connection.peer.ip(), "a connection broke off");
    }
}

async fn requests<S>(
    stream: Passed<S>,
    connection: Connection,
    serving: &Serving,
) -> hyper::Result<()>
where
    S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
{
    let limits = &serving.limits;
    let router = serving.router.clone();
    let place = stream.place().clone();
    let service = service_fn(move |mut request: Request<Incoming>| {
        request.extensions_mut().insert(place.clone());
        request.extensions_mut().insert(connection);
        request.extensions_mut().insert(ConnectInfo(connection.peer));
        let mut router = router.clone();
        async move {
            let response: Result<Response<Body>, Infallible> =
                router.call(request.map(Body::new)).await;
            response
        }
    });
    // Beyond what the guard allows: up to there it answers with a problem, from here on hyper
    // hangs up with a bare status.
    let mut server = http1::Builder::new();
    server
        .timer(TokioTimer::new())
        .header_read_timeout(limits.header_read)
        .max_buf_size(limits.header_bytes.saturating_mul(2).max(16 << 10));
    // Any number but its own costs an allocation for every request.
    if limits.headers >= HEADERS {
        server.max_headers(limits.headers.saturating_mul(2));
    }
    let talk = server.serve_connection(TokioIo::new(stream), service).with_upgrades();
    let mut talk = pin!(talk);
    let mut stopping = serving.stopping.clone();
    tokio::select! {
        result = talk.as_mut() => return result,
        _ = stopping.wait_for(|stop| *stop) => talk.as_mut().graceful_shutdown(),
    }
    talk.await
}
