//! A daemon in this process, requests byte by byte, and what can be seen of the store from outside.

use std::time::Duration;

use pilothouse_host::Host;
use pilothouse_host::daemon::{Daemon, DaemonOptions};
use pilothouse_host::http::ws::SocketTerms;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::sync::oneshot;
use tokio::task::JoinHandle;

use super::bed::{Bed, PATIENCE};
use super::client::Socket;
use super::page::Page;

/// A daemon that runs as long as this is there.
pub(crate) struct Place {
    pub(crate) host: Host,
    pub(crate) address: String,
    pub(crate) token: String,
    stop: Option<oneshot::Sender<()>>,
    served: JoinHandle<()>,
}

impl Place {
    pub(crate) async fn open(bed: &Bed, sockets: SocketTerms) -> Self {
        Self::with(DaemonOptions { sockets, ..DaemonOptions::new(bed.options("")) }).await
    }

    pub(crate) async fn with(options: DaemonOptions) -> Self {
        let daemon = Daemon::open(options).await.unwrap();
        let (stop, stopped) = oneshot::channel::<()>();
        Self {
            host: daemon.host().clone(),
            address: daemon.addresses()[0].to_string(),
            token: daemon.token().reveal().to_owned(),
            stop: Some(stop),
            served: tokio::spawn(daemon.run(async { drop(stopped.await) })),
        }
    }

    pub(crate) async fn socket(&self) -> Socket {
        Socket::open(&self.address, Some(&self.token)).await.unwrap()
    }

    pub(crate) async fn close(mut self) {
        drop(self.stop.take());
        tokio::time::timeout(PATIENCE, self.served).await.expect("it ends").unwrap();
    }
}

/// An answer, taken apart.
#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) head: String,
    pub(crate) body: String,
}

impl Answer {
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.head.lines().skip(1).find_map(|line| {
            let (key, value) = line.split_once(':')?;
            key.eq_ignore_ascii_case(name).then_some(value.trim())
        })
    }

    /// The name of the problem; it must be one.
    pub(crate) fn problem(&self) -> String {
        assert_eq!(self.header("content-type"), Some("application/problem+json"), "{self:?}");
        let document: serde_json::Value = serde_json::from_str(&self.body).unwrap();
        assert_eq!(document["status"], self.status, "{self:?}");
        document["type"].as_str().unwrap().strip_prefix("/problems/").unwrap().to_owned()
    }

    /// What every answer of the API wears.
    pub(crate) fn is_dressed(&self) {
        assert_eq!(self.header("x-content-type-options"), Some("nosniff"), "{self:?}");
        let policy = self.header("content-security-policy").unwrap_or_default();
        assert!(policy.contains("default-src 'none'") && policy.contains("sandbox"), "{self:?}");
        assert!(!policy.contains("unsafe"), "{self:?}");
    }
}

/// The bytes of a request.
pub(crate) fn request(address: &str, start: &str, lines: &[String], body: &str) -> String {
    let mut text = format!("{start} HTTP/1.1\r\n");
    if !lines.iter().any(|line| line.starts_with("Host:")) {
        text.push_str(&format!("Host: {address}\r\n"));
    }
    if !lines.iter().any(|line| line.starts_with("Connection:")) {
        text.push_str("Connection: close\r\n");
    }
    lines.iter().for_each(|line| text.push_str(&format!("{line}\r\n")));
    if !body.is_empty() {
        text.push_str(&format!("Content-Length: {}\r\n", body.len()));
    }
    format!("{text}\r\n{body}")
}

/// Asks, and reads to the end of the answer.
pub(crate) async fn ask(address: &str, start: &str, lines: &[String], body: &str) -> Answer {
    let mut stream = TcpStream::connect(address).await.unwrap();
    let bytes = request(address, start, lines, body);
    // Who is refused early may be hung up on while still writing.
    let _ = stream.write_all(bytes.as_bytes()).await;
    let mut bytes = Vec::new();
    let reading = async {
        while !is_whole(&bytes) && stream.read_buf(&mut bytes).await.is_ok_and(|read| read > 0) {}
    };
    tokio::time::timeout(PATIENCE, reading).await.expect("it hangs");
    let text = String::from_utf8_lossy(&bytes);
    let (head, body) = text.split_once("\r\n\r\n").unwrap_or((&text, ""));
    let status = head.split(' ').nth(1).and_then(|status| status.parse().ok()).unwrap_or(0);
    Answer { status, head: head.to_owned(), body: body.to_owned() }
}

/// Whether an answer that says how long it is has come to its end. Who asks for a WebSocket cannot
/// ask for the end of the connection as well.
fn is_whole(bytes: &[u8]) -> bool {
    let text = String::from_utf8_lossy(bytes);
    let Some((head, body)) = text.split_once("\r\n\r\n") else { return false };
    let length = head.lines().find_map(|line| {
        let (name, value) = line.split_once(':')?;
        name.eq_ignore_ascii_case("content-length").then(|| value.trim().parse::<usize>().ok())?
    });
    length.is_some_and(|length| body.len() >= length)
}

/// Asks for something that goes on, and reads until `end` was in it. Gives the head and the body
/// without its chunks.
pub(crate) async fn listen(
    address: &str,
    start: &str,
    lines: &[String],
    end: &str,
) -> (Answer, TcpStream) {
    let mut stream = TcpStream::connect(address).await.unwrap();
    stream.write_all(request(address, start, lines, "").as_bytes()).await.unwrap();
    let mut bytes = Vec::new();
    let reading = async {
        while !String::from_utf8_lossy(&bytes).contains(end) {
            assert!(stream.read_buf(&mut bytes).await.unwrap() > 0, "it ends early");
        }
    };
    tokio::time::timeout(PATIENCE, reading).await.expect("it comes to its end");
    let at = bytes.windows(4).position(|four| four == b"\r\n\r\n").unwrap();
    let head = String::from_utf8(bytes[..at].to_vec()).unwrap();
    let status = head.split(' ').nth(1).unwrap().parse().unwrap();
    let body = String::from_utf8(unchunked(&bytes[at + 4..])).unwrap();
    (Answer { status, head, body }, stream)
}

/// The whole chunks of a body.
pub(crate) fn unchunked(mut bytes: &[u8]) -> Vec<u8> {
    let mut body = Vec::new();
    while let Some(end) = bytes.windows(2).position(|two| two == b"\r\n") {
        let size = std::str::from_utf8(&bytes[..end]).unwrap();
        let size = usize::from_str_radix(size, 16).unwrap();
        let Some(chunk) = bytes.get(end + 2..end + 2 + size) else { break };
        body.extend_from_slice(chunk);
        bytes = bytes.get(end + 4 + size..).unwrap_or_default();
    }
    body
}

/// How much of everything is in the store.
pub(crate) fn counted(bed: &Bed) -> Vec<i64> {
    let flags = rusqlite::OpenFlags::SQLITE_OPEN_READ_ONLY;
    let file = bed.path("data/pilothouse.db");
    let conn = rusqlite::Connection::open_with_flags(file, flags).unwrap();
    conn.busy_timeout(Duration::from_secs(5)).unwrap();
    let count = |what: &str| conn.query_row(what, [], |row| row.get(0)).unwrap();
    vec![
        count("SELECT count(*) FROM sessions"),
        count("SELECT coalesce(sum(count), 0) FROM events"),
        count("SELECT count(*) FROM audit"),
        count("SELECT count(*) FROM prompts"),
    ]
}

/// The lines of somebody who has the token.
pub(crate) fn bearer(token: &str) -> String {
    format!("Authorization: Bearer {token}")
}

pub(crate) const JSON: &str = "Content-Type: application/json";

/// A page that has logged in with a link of this name.
pub(crate) async fn log_in(address: &str, token: &str, name: Option<&str>) -> Page {
    let lines = [bearer(token), JSON.to_owned()];
    let body = serde_json::json!({ "name": name }).to_string();
    let link = ask(address, "POST /api/v1/login/links", &lines, &body).await;
    let link: serde_json::Value = serde_json::from_str(&link.body).unwrap();
    let code = link["path"].as_str().unwrap().split_once('#').unwrap().1;
    let lines = [JSON.to_owned(), format!("Origin: http://{address}")];
    let body = serde_json::json!({ "code": code }).to_string();
    let reply = ask(address, "POST /api/v1/login", &lines, &body).await;
    assert_eq!(reply.status, 200, "{reply:?}");
    Page::of(|name| reply.header(name), &reply.body)
}

/// The lines with which a page asks for a WebSocket, beside those of every client.
pub(crate) fn socket_lines(page: &Page, address: &str) -> Vec<String> {
    vec![page.cookie.clone(), page.offer(), format!("Origin: http://{address}")]
}

/// The lines that ask for a WebSocket.
pub(crate) fn upgrade() -> Vec<String> {
    [
        "Connection: Upgrade",
        "Upgrade: websocket",
        "Sec-WebSocket-Version: 13",
        "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==",
    ]
    .map(str::to_owned)
    .into()
}
