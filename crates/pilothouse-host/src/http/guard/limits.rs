//! How much of anything a request, a client or all of them may take.

use std::time::Duration;

/// The limits of the server. None can be switched off; all can be raised.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Limits {
    /// The most bytes of a body.
    pub body: u64,
    /// The most bytes of a body on routes that take uploads.
    pub upload: u64,
    /// The most bytes of an address (path and query).
    pub uri: usize,
    /// The most headers of a request.
    pub headers: usize,
    /// The most bytes of a request before its body.
    pub header_bytes: usize,
    /// How long the start of a request may take to arrive. An idle connection is closed after it
    /// as well.
    pub header_read: Duration,
    /// How long a body may take to arrive.
    pub body_read: Duration,
    /// The same on routes that take uploads.
    pub upload_read: Duration,
    /// How long a handler may take to begin its answer, once the body is there. What follows
    /// (events, a WebSocket) may take as long as it likes.
    pub request: Duration,
    /// The most connections at once, WebSockets included.
    pub connections: usize,
    /// The most from one address. On loopback everybody has the same one.
    pub connections_per_address: usize,
    /// How long requests under way are given when the server stops.
    pub shutdown: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            body: 1 << 20,
            upload: 32 << 20,
            uri: 8 << 10,
            headers: 64,
            header_bytes: 32 << 10,
            header_read: Duration::from_secs(15),
            body_read: Duration::from_secs(30),
            upload_read: Duration::from_secs(300),
            request: Duration::from_secs(60),
            connections: 4096,
            connections_per_address: 2048,
            shutdown: Duration::from_secs(10),
        }
    }
}

/// How failed attempts to authenticate are slowed down.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FailureTerms {
    /// How many are free.
    pub burst: u32,
    /// How long one counts.
    pub each: Duration,
    /// How many addresses are remembered.
    pub addresses: usize,
}

impl Default for FailureTerms {
    fn default() -> Self {
        Self { burst: 10, each: Duration::from_secs(6), addresses: 1024 }
    }
}

/// How people log in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LoginTerms {
    /// How long a link works.
    pub link_life: Duration,
    /// How many links may be open; a new one replaces the oldest.
    pub links: usize,
    /// How long a login lasts.
    pub login_life: Duration,
    /// Ends a login that was not used for this long.
    pub login_idle: Duration,
    /// The most logins; a new one ends the one that was not used for longest.
    pub logins: usize,
}

impl Default for LoginTerms {
    fn default() -> Self {
        Self {
            link_life: Duration::from_secs(5 * 60),
            links: 16,
            login_life: Duration::from_secs(30 * 24 * 60 * 60),
            login_idle: Duration::from_secs(7 * 24 * 60 * 60),
            logins: 256,
        }
    }
}
