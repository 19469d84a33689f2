//! The daemon's API: one request on a connection of its own. On loopback that is quick, and there is
//! nothing to keep.
//!
//! Each connection carries a challenge first, and the token only after the daemon has proved on the
//! same connection that it knows it ([`Challenge`]). The address of a daemon that was killed may be
//! anybody's by now.

use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use http_body_util::{BodyExt, Full, Limited};
use hyper::body::Incoming;
use hyper::client::conn::http1::{self, SendRequest};
use hyper::header::{AUTHORIZATION, CONTENT_TYPE, HOST, HeaderValue};
use hyper::{Method, Request, Response, StatusCode};
use hyper_util::rt::TokioIo;
use pilothouse_host::http::guard::{Challenge, ChallengeReply, Token};
use pilothouse_host::http::problem::Document;
use pilothouse_session::Refusal;
use serde::Serialize;
use serde::de::DeserializeOwned;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpStream;
use tokio_rustls::TlsConnector;
use tokio_rustls::rustls::ClientConfig;
use tokio_rustls::rustls::pki_types::ServerName;

/// Why the daemon did not do what it was asked.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ApiError {
    /// It said no.
    #[error("{}", .0.detail)]
    Refused(Box<Document>),
    /// It cannot be reached, or went away.
    #[error("the daemon went away ({0}): see `pilothouse status`, then try again")]
    Gone(String),
    /// It takes what it is asked, and says nothing.
    #[error(
        "who listens at {0} says nothing: the daemon may be stopped, or have too much to do; \
         `pilothouse down` ends it, or tells how"
    )]
    Silent(SocketAddr),
    /// Something other than the daemon listens at its address.
    #[error(
        "something other than the daemon of this data directory listens at {0}, so it was not sent \
         the token: see what runs there; if it is a daemon of an older version, end it with \
         SIGTERM, then try again (sessions go on)"
    )]
    Stranger(SocketAddr),
    /// It has no room for another connection, or something in its place claims so: this comes before
    /// the proof.
    #[error(
        "what listens at {0} says that it has too many connections open: if it is the daemon, close \
         some, or raise `limits.connections` and `limits.connections_per_address`"
    )]
    Full(SocketAddr),
    /// It speaks otherwise than it should.
    #[error(
        "the daemon's answer cannot be understood ({0}): it may be of another version; \
         `pilothouse down`, then try again"
    )]
    Strange(String),
}

impl ApiError {
    /// Why a session said no.
    pub(crate) fn refusal(&self) -> Option<&Refusal> {
        match self {
            Self::Refused(document) => document.refusal.as_ref(),
            _ => None,
        }
    }

    fn gone(error: impl Into<Box<dyn std::error::Error>>) -> Self {
        Self::Gone(error.into().to_string())
    }

    /// Returns why the daemon that answered before is gone, or `None` for any other error. Something
    /// else may have its port by now.
    pub(crate) fn absence(&self) -> Option<String> {
        match self {
            Self::Gone(reason) => Some(reason.clone()),
            Self::Stranger(address) => {
                Some(format!("something other than the daemon listens at {address}"))
            }
            _ => None,
        }
    }
}

/// How long a daemon may take to begin an answer if nothing else is said. It gives up itself after a
/// minute (`limits.request`), and tells so: one that is silent for longer works no more.
const PATIENCE: Duration = Duration::from_secs(90);

/// The most bytes of the answer to a challenge.
const MOST_PROOF: usize = 1024;

/// A daemon that can be asked.
#[derive(Clone, Debug)]
pub(crate) struct Api {
    address: SocketAddr,
    token: Token,
    tls: Option<Arc<ClientConfig>>,
    patience: Duration,
}

/// A connection, whatever it is made of.
trait Wire: AsyncRead + AsyncWrite + Send + Unpin {}

impl<T: AsyncRead + AsyncWrite + Send + Unpin> Wire for T {}

/// What is asked.
#[derive(Clone, Debug)]
pub(crate) struct Ask {
    method: Method,
    path: String,
    body: Option<Bytes>,
    key: Option<String>,
}

impl Ask {
    pub(crate) fn new(method: Method, path: impl Into<String>) -> Self {
        Self { method, path: path.into(), body: None, key: None }
    }

    /// With a body.
    pub(crate) fn json(mut self, body: &impl Serialize) -> Result<Self, ApiError> {
        let text =
            serde_json::to_vec(body).map_err(|error| ApiError::Strange(error.to_string()))?;
        self.body = Some(text.into());
        Ok(self)
    }

    /// Done once, however often it is asked.
    pub(crate) fn once(mut self, key: impl Into<String>) -> Self {
        self.key = Some(key.into());
        self
    }
}

impl Api {
    pub(crate) fn new(address: SocketAddr, token: Token, tls: Option<Arc<ClientConfig>>) -> Self {
        Self { address, token, tls, patience: PATIENCE }
    }

    /// The same daemon, which may take so long for what it is asked to do.
    pub(crate) fn within(mut self, limit: Duration) -> Self {
        self.patience = self.patience.max(limit + PATIENCE);
        self
    }

    async fn connect(&self) -> Result<Box<dyn Wire>, ApiError> {
        let stream = TcpStream::connect(self.address).await.map_err(ApiError::gone)?;
        let _ = stream.set_nodelay(true);
        let Some(tls) = &self.tls else { return Ok(Box::new(stream)) };
        let name = ServerName::from(self.address.ip());
        match TlsConnector::from(Arc::clone(tls)).connect(name, stream).await {
            Ok(stream) => Ok(Box::new(stream)),
            // What came back is no TLS, or not from who has the certificate.
            Err(error) if error.kind() == io::ErrorKind::InvalidData => {
                Err(ApiError::Stranger(self.address))
            }
            Err(error) => Err(ApiError::gone(error)),
        }
    }

    /// The answer, if it is one that was hoped for.
    pub(crate) async fn send(&self, ask: Ask) -> Result<Response<Incoming>, ApiError> {
        self.send_within(self.patience, ask).await
    }

    /// The same, with another patience.
    pub(crate) async fn send_within(
        &self,
        patience: Duration,
        ask: Ask,
    ) -> Result<Response<Incoming>, ApiError> {
        let answered = tokio::time::timeout(patience, self.exchange(ask)).await;
        answered.unwrap_or(Err(ApiError::Silent(self.address)))
    }

    async fn exchange(&self, ask: Ask) -> Result<Response<Incoming>, ApiError> {
        let stream = self.connect().await?;
        let (mut sender, connection) =
            http1::handshake(TokioIo::new(stream)).await.map_err(ApiError::gone)?;
        tokio::spawn(connection);
        self.challenge(&mut sender).await?;
        sender.ready().await.map_err(ApiError::gone)?;
        let mut bearer = HeaderValue::try_from(format!("Bearer {}", self.token.reveal()))
            .map_err(ApiError::gone)?;
        bearer.set_sensitive(true);
        let mut request = Request::builder()
            .method(ask.method)
            .uri(ask.path)
            .header(HOST, self.address.to_string())
            .header(AUTHORIZATION, bearer);
        if ask.body.is_some() {
            request = request.header(CONTENT_TYPE, "application/json");
        }
        if let Some(key) = ask.key {
            request = request.header("idempotency-key", key);
        }
        let request = request
            .body(Full::new(ask.body.unwrap_or_default()))
            .map_err(|error| ApiError::Strange(error.to_string()))?;
        let response = sender.send_request(request).await.map_err(ApiError::gone)?;
        if response.status().is_success() {
            return Ok(response);
        }
        let status = response.status();
        let body = whole(response).await?;
        match serde_json::from_slice(&body) {
            Ok(document) => Err(ApiError::Refused(document)),
            Err(_) => Err(ApiError::Strange(format!("status {status}"))),
        }
    }
}

impl Api {
    /// Has the daemon prove that it knows the token and is the one that was dialled. Nothing of
    /// what a peer says before that is shown or believed.
    async fn challenge(&self, sender: &mut SendRequest<Full<Bytes>>) -> Result<(), ApiError> {
        let stranger = || ApiError::Stranger(self.address);
        let challenge = Challenge::random(self.address)
            .map_err(|error| ApiError::Strange(error.to_string()))?;
        let body = serde_json::to_vec(&challenge.request())
            .map_err(|error| ApiError::Strange(error.to_string()))?;
        let request = Request::post("/api/v1/challenge")
            .header(HOST, self.address.to_string())
            .header(CONTENT_TYPE, "application/json")
            .body(Full::new(body.into()))
            .map_err(|error| ApiError::Strange(error.to_string()))?;
        let response = match sender.send_request(request).await {
            Err(error) if error.is_parse() => return Err(stranger()),
            answered => answered.map_err(ApiError::gone)?,
        };
        match response.status() {
            StatusCode::OK => {}
            StatusCode::SERVICE_UNAVAILABLE => return Err(ApiError::Full(self.address)),
            _ => return Err(stranger()),
        }
        let body = Limited::new(response.into_body(), MOST_PROOF).collect().await;
        let body = body.map_err(|_| stranger())?.to_bytes();
        let reply: ChallengeReply = serde_json::from_slice(&body).map_err(|_| stranger())?;
        match challenge.is_met_by(&reply, &self.token) {
            true => Ok(()),
            false => Err(stranger()),
        }
    }
}

/// The whole body of an answer.
pub(crate) async fn whole(response: Response<Incoming>) -> Result<Bytes, ApiError> {
    Ok(response.into_body().collect().await.map_err(ApiError::gone)?.to_bytes())
}

/// The body of an answer, read.
pub(crate) async fn read<T: DeserializeOwned>(response: Response<Incoming>) -> Result<T, ApiError> {
    let body = whole(response).await?;
    // What answers without a body answers with nothing.
    let body: &[u8] = if body.is_empty() { b"null" } else { &body };
    serde_json::from_slice(body).map_err(|error| ApiError::Strange(error.to_string()))
}

/// The next piece of a body; none at its end.
pub(crate) async fn piece(body: &mut Incoming) -> Result<Option<Bytes>, ApiError> {
    while let Some(frame) = body.frame().await {
        if let Ok(data) = frame.map_err(ApiError::gone)?.into_data() {
            return Ok(Some(data));
        }
    }
    Ok(None)
}

/// Copies a body to where it is wanted.
pub(crate) async fn pour(
    response: Response<Incoming>,
    out: &mut dyn io::Write,
) -> Result<(), PourError> {
    let mut body = response.into_body();
    while let Some(data) = piece(&mut body).await? {
        out.write_all(&data)?;
    }
    Ok(out.flush()?)
}

/// A body was not copied to its end.
#[derive(Debug, thiserror::Error)]
pub(crate) enum PourError {
    /// There is no more of it.
    #[error(transparent)]
    Api(#[from] ApiError),
    /// It cannot be written.
    #[error("it cannot be written")]
    Write(#[from] io::Error),
}

/// A text as a part of a path or a query.
pub(crate) fn quoted(text: &str) -> String {
    let mut quoted = String::with_capacity(text.len());
    for byte in text.bytes() {
        match byte {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'-' | b'_' | b'.' | b'~' => {
                quoted.push(char::from(byte));
            }
            _ => quoted.push_str(&format!("%{byte:02X}")),
        }
    }
    quoted
}
