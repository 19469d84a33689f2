//! A daemon's outer shell on a port of its own, and a client without manners.

use std::net::SocketAddr;
use std::time::Duration;

use axum::extract::ws::{WebSocket, WebSocketUpgrade};
use axum::response::Response;
use axum::routing::{get, post};
use axum::{Json, Router};
use pilothouse_host::http::extract::ApiBytes;
use pilothouse_host::http::guard::{
    Exposure, Guard, GuardOptions, Identity, Limits, ListenError, Listener, Routes, Tls, protect,
    serve,
};
use pilothouse_host::http::problem::Document;
use pilothouse_host::http::{ApiJson, ApiPath, ApiQuery};
use serde::{Deserialize, Serialize};
use tempfile::TempDir;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::sync::oneshot;
use tokio::task::JoinHandle;

use crate::page::Page;

/// Nothing here takes so long; only a test that hangs does.
pub(crate) const HANGS: Duration = Duration::from_secs(20);

pub(crate) struct Bed {
    pub(crate) address: SocketAddr,
    pub(crate) guard: Guard,
    pub(crate) dir: TempDir,
    stop: Option<oneshot::Sender<()>>,
    pub(crate) served: JoinHandle<()>,
}

#[derive(Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Wish {
    pub(crate) text: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Listing {
    #[serde(default)]
    limit: u16,
}

/// Limits that tests reach quickly. Times that are not under test are long.
pub(crate) fn limits() -> Limits {
    Limits {
        body: 1024,
        upload: 64 << 10,
        uri: 512,
        headers: 20,
        header_bytes: 4096,
        header_read: HANGS,
        body_read: HANGS,
        upload_read: HANGS,
        request: HANGS,
        ..Limits::default()
    }
}

pub(crate) fn options() -> GuardOptions {
    GuardOptions {
        limits: limits(),
        allowed_hosts: vec!["pilot.example".parse().unwrap(), "localhost:5173".parse().unwrap()],
        ..GuardOptions::default()
    }
}

async fn socket(upgrade: WebSocketUpgrade) -> Response {
    upgrade.on_upgrade(|mut socket: WebSocket| async move {
        while let Some(Ok(message)) = socket.recv().await {
            if socket.send(message).await.is_err() {
                break;
            }
        }
    })
}

fn routes(guard: &Guard) -> Routes {
    let upload = Router::new()
        .route("/api/v1/upload", post(async |ApiBytes(body): ApiBytes| body.len().to_string()));
    let private = Router::new()
        .route("/api/v1/who", get(async |who: Identity| who.to_string()))
        .route("/api/v1/wish", post(async |ApiJson(wish): ApiJson<Wish>| Json(wish)))
        .route("/api/v1/things", get(async |ApiQuery(l): ApiQuery<Listing>| l.limit.to_string()))
        .route("/api/v1/things/{id}", get(async |ApiPath(id): ApiPath<u64>| id.to_string()))
        .route("/api/v1/framework", post(async |Json(wish): Json<Wish>| wish.text))
        .route("/api/v1/never", get(async || std::future::pending::<()>().await))
        .route("/api/v1/panic", get(async || -> () { panic!("on purpose") }))
        .route("/api/v1/html", get(async || axum::response::Html("<script>alert(1)</script>")))
        .route("/api/v1/ws", get(socket))
        .merge(guard.uploads(upload));
    let pages = Router::new()
        .route("/", get(async || axum::response::Html("<!doctype html>")))
        .route("/login", get(async || axum::response::Html("<!doctype html>")))
        .route("/assets/{*path}", get(async |ApiPath(path): ApiPath<String>| path));
    Routes { private, pages }
}

impl Bed {
    pub(crate) async fn start() -> Self {
        Self::with(options()).await
    }

    pub(crate) async fn with(options: GuardOptions) -> Self {
        Self::secured(options, None).await
    }

    pub(crate) async fn secured(options: GuardOptions, tls: Option<Tls>) -> Self {
        let dir = tempfile::tempdir().unwrap();
        Self::again(options, tls, dir).await
    }

    /// In a data directory that was used before.
    pub(crate) async fn again(options: GuardOptions, tls: Option<Tls>, dir: TempDir) -> Self {
        Self::open(options, tls, dir, routes, loopback()).await
    }

    /// The same at an address that was used before.
    pub(crate) async fn at(options: GuardOptions, dir: TempDir, address: SocketAddr) -> Self {
        Self::open(options, None, dir, routes, address).await
    }

    /// With these pages and nothing else.
    pub(crate) async fn paged(pages: Router) -> Self {
        let dir = tempfile::tempdir().unwrap();
        let routes = |_: &Guard| Routes { private: Router::new(), pages };
        Self::open(options(), None, dir, routes, loopback()).await
    }

    async fn open(
        mut options: GuardOptions,
        tls: Option<Tls>,
        dir: TempDir,
        routes: impl FnOnce(&Guard) -> Routes,
        address: SocketAddr,
    ) -> Self {
        options.data_dir = dir.path().join("data");
        let guard = Guard::open(options).unwrap();
        let listener = bind(address, tls).await;
        let address = listener.local_addr();
        let router = protect(routes(&guard), &guard);
        let (stop, stopped) = oneshot::channel::<()>();
        let limits = guard.limits().clone();
        let served = tokio::spawn(async move {
            serve(vec![listener], router, limits, async { drop(stopped.await) }).await;
        });
        Self { address, guard, dir, stop: Some(stop), served }
    }

    pub(crate) fn stop(&mut self) {
        self.stop.take().unwrap().send(()).unwrap();
    }

    pub(crate) fn host(&self) -> String {
        format!("localhost:{}", self.address.port())
    }

    pub(crate) fn bearer(&self) -> String {
        format!("Authorization: Bearer {}", self.guard.token().reveal())
    }

    /// A request with a `Host`, the lines that are given, and a body.
    pub(crate) fn request(&self, start: &str, lines: &[&str], body: &str) -> Vec<u8> {
        let mut text =
            format!("{start} HTTP/1.1\r\nHost: {}\r\nConnection: close\r\n", self.host());
        for line in lines {
            text.push_str(line);
            text.push_str("\r\n");
        }
        if !body.is_empty() {
            text.push_str(&format!("Content-Length: {}\r\n", body.len()));
        }
        format!("{text}\r\n{body}").into_bytes()
    }

    /// Sends a request of that kind and reads to the end.
    pub(crate) async fn ask(&self, start: &str, lines: &[&str], body: &str) -> Reply {
        self.send(&self.request(start, lines, body)).await
    }

    /// The same with the token.
    pub(crate) async fn ask_known(&self, start: &str, lines: &[&str], body: &str) -> Reply {
        let bearer = self.bearer();
        let lines: Vec<_> = lines.iter().copied().chain([&*bearer]).collect();
        self.ask(start, &lines, body).await
    }

    /// The same as a page that has logged in, from our own origin.
    pub(crate) async fn ask_from(&self, page: &Page, start: &str, body: &str) -> Reply {
        let origin = format!("Origin: http://{}", self.host());
        let mut lines = page.lines(start);
        lines.extend([origin, "Content-Type: application/json".to_owned()]);
        let lines: Vec<_> = lines.iter().map(String::as_str).collect();
        self.ask(start, &lines, body).await
    }

    /// Sends bytes and reads to the end.
    pub(crate) async fn send(&self, bytes: &[u8]) -> Reply {
        let mut stream = self.connect().await;
        // Who is refused early may be hung up on while still writing.
        let _ = stream.write_all(bytes).await;
        read(&mut stream).await
    }

    pub(crate) async fn connect(&self) -> TcpStream {
        TcpStream::connect(self.address).await.unwrap()
    }
}

/// Binds an address. A port that was used before may for a moment be the local port of somebody
/// else's connection: then it is tried again.
async fn bind(address: SocketAddr, tls: Option<Tls>) -> Listener {
    let bound = async {
        loop {
            match Listener::bind(address, tls.clone(), Exposure::Loopback).await {
                Ok(listener) => break listener,
                Err(ListenError::Bind { source, .. })
                    if source.kind() == std::io::ErrorKind::AddrInUse =>
                {
                    tokio::time::sleep(Duration::from_millis(10)).await;
                }
                Err(error) => panic!("{error}"),
            }
        }
    };
    tokio::time::timeout(HANGS, bound).await.expect("the port is taken")
}

/// Any free port.
fn loopback() -> SocketAddr {
    SocketAddr::from(([127, 0, 0, 1], 0))
}

/// An answer, taken apart.
#[derive(Debug)]
pub(crate) struct Reply {
    pub(crate) status: u16,
    pub(crate) head: String,
    pub(crate) body: String,
}

impl Reply {
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.head.lines().skip(1).find_map(|line| {
            let (key, value) = line.split_once(':')?;
            key.eq_ignore_ascii_case(name).then_some(value.trim())
        })
    }

    /// The name of the problem; it must be one.
    pub(crate) fn problem(&self) -> String {
        let document = self.document();
        assert_eq!(document.status, self.status, "{self:?}");
        assert!(!document.detail.is_empty(), "{self:?}");
        document.kind.strip_prefix("/problems/").unwrap().to_owned()
    }

    pub(crate) fn document(&self) -> Document {
        assert_eq!(self.header("content-type"), Some("application/problem+json"), "{self:?}");
        serde_json::from_str(&self.body).unwrap()
    }
}

/// Reads what comes until the other side closes.
pub(crate) async fn read<S: tokio::io::AsyncRead + Unpin>(stream: &mut S) -> Reply {
    let mut bytes = Vec::new();
    // An abrupt end is an end: what was read before counts.
    let _ = tokio::time::timeout(HANGS, stream.read_to_end(&mut bytes)).await.expect("it hangs");
    parse(&bytes)
}

pub(crate) fn parse(bytes: &[u8]) -> Reply {
    let text = String::from_utf8_lossy(bytes);
    let (head, body) = text.split_once("\r\n\r\n").unwrap_or((&text, ""));
    let status = head.split(' ').nth(1).and_then(|status| status.parse().ok()).unwrap_or(0);
    Reply { status, head: head.to_owned(), body: body.to_owned() }
}

/// Reads the head of an answer from a connection that stays open.
pub(crate) async fn read_head(stream: &mut TcpStream) -> Reply {
    let mut bytes = Vec::new();
    while !bytes.ends_with(b"\r\n\r\n") {
        let byte = tokio::time::timeout(HANGS, stream.read_u8()).await.expect("it hangs");
        let Ok(byte) = byte else { break };
        bytes.push(byte);
    }
    parse(&bytes)
}

/// Redeems the code of a login link, as our page does.
pub(crate) async fn redeem(bed: &Bed, code: &str) -> Reply {
    let body = serde_json::json!({ "code": code }).to_string();
    let origin = format!("Origin: http://{}", bed.host());
    bed.ask("POST /api/v1/login", &["Content-Type: application/json", &origin], &body).await
}

/// A page that has logged in.
pub(crate) async fn log_in(bed: &Bed) -> Page {
    let link = bed.guard.mint_link("phone").unwrap();
    let reply = redeem(bed, link.path.strip_prefix("/login#").unwrap()).await;
    assert_eq!(reply.status, 200, "{reply:?}");
    page_of(&reply)
}

/// The page that gets this answer.
pub(crate) fn page_of(reply: &Reply) -> Page {
    Page::of(|name| reply.header(name), &reply.body)
}
