//! A daemon on a port of its own, and requests written byte by byte.

use std::time::Duration;

use pilothouse_host::daemon::DaemonOptions;
use pilothouse_host::http::guard::FailureTerms;
use pilothouse_session::id::SessionId;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

use super::bed::{Bed, PATIENCE};
use super::place::{Place, bearer, counted};

/// A daemon that does not slow down failed attempts, so that every row gets an answer of its own.
pub(crate) struct Target {
    pub(crate) bed: Bed,
    pub(crate) place: Place,
}

impl Target {
    pub(crate) async fn open() -> Self {
        Self::with(|_| {}).await
    }

    pub(crate) async fn with(change: impl FnOnce(&mut DaemonOptions)) -> Self {
        let bed = Bed::new();
        let mut options = DaemonOptions::new(bed.options(""));
        options.guard.failures = FailureTerms {
            burst: 1_000_000,
            each: Duration::from_millis(1),
            ..FailureTerms::default()
        };
        change(&mut options);
        let place = Place::with(options).await;
        Self { bed, place }
    }

    pub(crate) fn port(&self) -> &str {
        self.place.address.rsplit(':').next().unwrap()
    }

    pub(crate) fn bearer(&self) -> String {
        bearer(&self.place.token)
    }

    pub(crate) async fn session(&self) -> SessionId {
        self.bed.session(&self.place.host).await
    }

    /// The number of sessions, events, audit lines and prompts in the store.
    pub(crate) fn stored(&self) -> Vec<i64> {
        counted(&self.bed)
    }

    /// Sends bytes, and reads until the daemon closes.
    pub(crate) async fn send(&self, bytes: &[u8]) -> Replies {
        read(&mut self.begin(bytes).await).await
    }

    async fn begin(&self, bytes: &[u8]) -> TcpStream {
        let mut stream = TcpStream::connect(&self.place.address).await.unwrap();
        // A daemon that refuses early may close while the request is being written.
        let _ = stream.write_all(bytes).await;
        stream
    }

    /// Sends a request, and reads its answer.
    pub(crate) async fn ask(&self, start: &str, lines: &[String], body: &str) -> Replies {
        let mut text = format!("{start} HTTP/1.1\r\n");
        for line in lines {
            text.push_str(line);
            text.push_str("\r\n");
        }
        if !lines.iter().any(|line| line.starts_with("Connection:")) {
            text.push_str("Connection: close\r\n");
        }
        if !body.is_empty() {
            text.push_str(&format!("Content-Length: {}\r\n", body.len()));
        }
        let mut stream = self.begin(format!("{text}\r\n{body}").as_bytes()).await;
        let mut bytes = Vec::new();
        let reading = async {
            // A client that asks for an upgrade cannot ask for the end of the connection as well.
            while !is_whole(&bytes) && stream.read_buf(&mut bytes).await.is_ok_and(|n| n > 0) {}
        };
        tokio::time::timeout(PATIENCE, reading).await.expect("the daemon does not answer");
        Replies(String::from_utf8_lossy(&bytes).into_owned())
    }

    /// Fails unless the owner is still served.
    pub(crate) async fn serves_its_owner(&self) {
        let host = format!("Host: {}", self.place.address);
        let reply = self.ask("GET /api/v1/version", &[host, self.bearer()], "").await;
        assert_eq!(reply.status(), 200, "{reply:?}");
    }

    pub(crate) async fn close(self) {
        self.place.close().await;
    }
}

/// Everything that came back over one connection.
#[derive(Debug)]
pub(crate) struct Replies(pub(crate) String);

impl Replies {
    /// The status of the first answer; 0 where there was none.
    pub(crate) fn status(&self) -> u16 {
        self.statuses().first().copied().unwrap_or(0)
    }

    /// The statuses of all answers.
    pub(crate) fn statuses(&self) -> Vec<u16> {
        let marks = self.0.match_indices("HTTP/1.");
        marks.filter_map(|(at, _)| self.0.get(at + 9..at + 12)?.parse().ok()).collect()
    }

    /// The name of the problem in the first answer; empty where there is none.
    pub(crate) fn problem(&self) -> &str {
        let name = self.0.split_once("\"/problems/").map_or("", |(_, rest)| rest);
        name.split('"').next().unwrap_or_default()
    }

    pub(crate) fn has_header(&self, name: &str) -> bool {
        let head = self.0.split("\r\n\r\n").next().unwrap_or_default();
        head.lines()
            .filter_map(|line| line.split_once(':'))
            .any(|(key, _)| key.eq_ignore_ascii_case(name))
    }
}

/// Reads until the daemon closes. An abrupt end is an end.
pub(crate) async fn read(stream: &mut (impl AsyncReadExt + Unpin)) -> Replies {
    let mut bytes = Vec::new();
    let reading = stream.read_to_end(&mut bytes);
    let _ = tokio::time::timeout(PATIENCE, reading).await.expect("the daemon never closes");
    Replies(String::from_utf8_lossy(&bytes).into_owned())
}

/// Whether an answer that states its length is complete.
fn is_whole(bytes: &[u8]) -> bool {
    let text = String::from_utf8_lossy(bytes);
    let Some((head, body)) = text.split_once("\r\n\r\n") else { return false };
    let length = head.lines().find_map(|line| {
        let (name, value) = line.split_once(':')?;
        name.eq_ignore_ascii_case("content-length").then(|| value.trim().parse::<usize>().ok())?
    });
    length.is_some_and(|length| body.len() >= length)
}

/// The lines of a WebSocket upgrade.
pub(crate) fn upgrade() -> Vec<String> {
    super::place::upgrade()
}

pub(crate) fn owned(lines: &[&str]) -> Vec<String> {
    lines.iter().map(|line| (*line).to_owned()).collect()
}
