//! Locked by default: who may ask, from where, how much and for how long.
//!
//! # What it promises
//!
//! - Every route but those in [`Routes::pages`], `GET /api/v1/health`, `POST /api/v1/challenge` and
//!   logging in and out needs the token (`Authorization: Bearer`), or the cookie of a browser that
//!   has logged in together with a proof of the page's key. So does everything under `/api/` that is
//!   not there.
//! - A request that is for another host, comes from a page of another site, or carries a secret in
//!   its address is refused before any handler sees it; so is one that is too large, or too slow.
//! - Every refusal is a [`Problem`]; every answer wears strict headers.
//! - Secrets are compared in constant time and are never logged.
//! - A connection that outlives its request is cut when its login ends ([`Stay`]).
//!
//! # What to know
//!
//! - Cookies do not know ports: browsers send ours to every other server on the same host, and an
//!   open page sends it to whoever takes the port while the daemon is down. So the cookie alone
//!   opens nothing (see `proof`).
//! - Without TLS, a server that takes the port can serve its own script at our origin, and the
//!   script can use the key that the page keeps there. On machines with other users, use TLS.
//! - On loopback all clients count as one address, and share its limit of connections and of failed
//!   attempts. Neither stands in the way of the owner: a right token is never slowed down, and when
//!   all places are taken, the oldest connection that was never authenticated loses its own.
//! - Behind a proxy all clients have the proxy's address, and its TLS is not ours: the cookie is
//!   not marked `Secure`.

mod access;
mod admit;
mod body;
mod challenge;
mod connection;
#[doc(hidden)]
pub mod cookie;
mod dress;
mod exposure;
mod failures;
mod gate;
mod host;
mod identity;
mod limits;
mod links;
mod logins;
mod manage;
mod origin;
mod passed;
mod proof;
pub mod redact;
mod routes;
mod serve;
mod stay;
mod tls;
mod token;

use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError, RwLock};
use std::time::Instant;

use axum::Router;
use axum::extract::{DefaultBodyLimit, Request, State};
use axum::http::{HeaderValue, Method, header};
use axum::middleware::{Next, from_fn, from_fn_with_state};
use axum::response::{IntoResponse, Response};
use jiff::Timestamp;

pub use body::BodyTerms;
pub(crate) use body::{BodyError, Bounded};
pub use challenge::{BadChallenge, Challenge, ChallengeReply, ChallengeRequest};
pub use connection::Connection;
pub use exposure::{Exposed, Exposure};
pub use host::{BadHostName, HostName};
pub use identity::Identity;
pub use limits::{FailureTerms, Limits, LoginTerms};
pub use links::LoginLink;
pub use manage::{ChangeLogin, LoginRow, OfLogin};
pub(crate) use proof::SUBPROTOCOL;
pub use routes::{Health, LinkRequest, LoginReply, LoginRequest, WhoAmI};
pub use serve::{ListenError, Listener, serve};
pub use stay::Stay;
pub(crate) use stay::is_over;
pub use tls::{Tls, TlsError};
pub use token::{TOKEN_FILE, Token, TokenError};

use super::problem::{Kind, Problem};
use crate::telemetry;
use crate::telemetry::metrics::{AuthFailure, Metrics};
use access::{Known, Rejection};
use failures::Failures;
use gate::Place;
use links::Links;
use logins::{LoginId, Logins};
use proof::Challenges;
use stay::Stays;

/// What a guard goes by.
#[derive(Clone, Debug, Default)]
pub struct GuardOptions {
    /// Where the token is kept.
    pub data_dir: PathBuf,
    /// Names beside `localhost` and this machine's addresses by which we may be called.
    pub allowed_hosts: Vec<HostName>,
    /// How much of anything.
    pub limits: Limits,
    /// How failed attempts are slowed down.
    pub failures: FailureTerms,
    /// How people log in.
    pub login: LoginTerms,
    /// Where those are counted who are not let in.
    pub metrics: Arc<Metrics>,
    /// What is never shown: the token is added to it, and every one that replaces it.
    pub unspoken: telemetry::Secrets,
}

/// Keeps the door. Clones are the same guard.
#[derive(Clone)]
pub struct Guard(Arc<Inner>);

struct Inner {
    options: GuardOptions,
    token: RwLock<Token>,
    /// Held while the token is replaced, so that the file and the memory end up with the same one.
    /// Every request reads the token: its own lock is never held for a file.
    replacing: Mutex<()>,
    links: Links,
    failures: Failures,
    /// Warnings about cookies without a proof. Counted apart from failed attempts: on loopback, any
    /// program could use those up to silence the warnings.
    warnings: Failures,
    logins: Logins,
    challenges: Challenges,
    stays: Stays,
}

/// What is to be guarded.
#[derive(Debug, Default)]
pub struct Routes {
    /// For those who are known. Without a fallback of its own.
    pub private: Router,
    /// For everybody: the pages and what belongs to them. Gets what no other route takes, only to
    /// read, and never anything under `/api/`. May have a fallback.
    pub pages: Router,
}

impl Guard {
    /// With the token of the data directory; makes one if there is none.
    pub fn open(options: GuardOptions) -> Result<Self, TokenError> {
        let token = Token::load_or_create(&options.data_dir)?;
        let login = options.login.clone();
        let logins = Logins::open(&options.data_dir, &token, login, Timestamp::now());
        // Kept out of logs from now on.
        let _long_enough = options.unspoken.register(token.reveal());
        Ok(Self(Arc::new(Inner {
            token: RwLock::new(token),
            replacing: Mutex::default(),
            links: Links::new(options.login.clone()),
            failures: Failures::new(options.failures.clone()),
            warnings: Failures::new(options.failures.clone()),
            logins,
            challenges: Challenges::new(Instant::now()).map_err(TokenError::Random)?,
            stays: Stays::default(),
            options,
        })))
    }

    /// The token, for programs that are started by us.
    pub fn token(&self) -> Token {
        self.0.token.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Replaces the token: all programs and all browsers are out. Blocks for a file. If the new
    /// token is in place but may not survive a power loss, this is an error and the token is valid.
    pub fn replace_token(&self) -> Result<Token, TokenError> {
        let _one_at_a_time = self.0.replacing.lock().unwrap_or_else(PoisonError::into_inner);
        let token = Token::put_in_place(&self.0.options.data_dir)?;
        // Also the old one stays out of logs.
        let _long_enough = self.0.options.unspoken.register(token.reveal());
        *self.0.token.write().unwrap_or_else(PoisonError::into_inner) = token.clone();
        // Links and logins that are being made at this moment are of the generation that ends here.
        self.0.links.clear();
        if let Err(error) = self.0.logins.clear(&token) {
            // No harm: the file is of the old token, which makes it void.
            tracing::warn!(%error, "the file of logins could not be emptied");
        }
        self.0.stays.end_all();
        Token::sync(&self.0.options.data_dir)?;
        Ok(token)
    }

    /// These routes take bodies up to [`Limits::upload`], for as long as
    /// [`Limits::upload_read`].
    pub fn uploads(&self, router: Router) -> Router {
        let Limits { upload, upload_read, .. } = *self.limits();
        router.layer(from_fn(move |request: Request, next: Next| {
            if let Some(terms) = request.extensions().get::<BodyTerms>() {
                terms.set(upload, upload_read);
            }
            next.run(request)
        }))
    }

    /// The limits.
    pub fn limits(&self) -> &Limits {
        &self.0.options.limits
    }

    fn allowed_hosts(&self) -> &[HostName] {
        &self.0.options.allowed_hosts
    }

    fn login_terms(&self) -> &LoginTerms {
        &self.0.options.login
    }

    /// The challenge that pages should answer.
    fn challenge(&self) -> HeaderValue {
        let challenge = self.0.challenges.current(Instant::now());
        HeaderValue::try_from(challenge).unwrap_or_else(|_| HeaderValue::from_static(""))
    }

    /// Records that a login is used.
    fn used(&self, login: LoginId) {
        if self.logins().touch(login, Timestamp::now()) {
            let guard = self.clone();
            tokio::task::spawn_blocking(move || {
                if let Err(error) = guard.logins().save() {
                    tracing::warn!(%error, "the file of logins could not be written");
                }
            });
        }
    }

    fn links(&self) -> &Links {
        &self.0.links
    }

    fn failures(&self) -> &Failures {
        &self.0.failures
    }

    fn warnings(&self) -> &Failures {
        &self.0.warnings
    }

    fn challenges(&self) -> &Challenges {
        &self.0.challenges
    }

    fn logins(&self) -> &Logins {
        &self.0.logins
    }

    fn stays(&self) -> &Stays {
        &self.0.stays
    }

    /// Counts one that was not let in.
    fn refused(&self, why: AuthFailure) {
        self.0.options.metrics.auth_failures.of(why).add(1);
    }
}

impl std::fmt::Debug for Guard {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Guard").field("options", &self.0.options).finish_non_exhaustive()
    }
}

/// Puts a guard before everything. The result is for [`serve`].
pub fn protect(routes: Routes, guard: &Guard) -> Router {
    let Routes { mut private, pages } = routes;
    if private.has_routes() {
        private = private.route_layer(from_fn_with_state(guard.clone(), enter));
    }
    private
        .merge(routes::routes(guard))
        .fallback_service(pages.layer(from_fn_with_state(guard.clone(), show_page)))
        // Bodies are bounded already, for every way of reading them.
        .layer(DefaultBodyLimit::disable())
        .layer(from_fn_with_state(guard.clone(), admit::admit))
}

/// Whether a path is of the API, and not of a page. Prometheus looks for its page at the root.
fn is_api(path: &str) -> bool {
    path == "/api" || path.starts_with("/api/") || path == "/metrics"
}

/// Lets those in who are known.
async fn enter(State(guard): State<Guard>, request: Request, next: Next) -> Response {
    let (mut parts, body) = request.into_parts();
    let all = guard.stays().end_of_all();
    let generation = guard.logins().generation();
    let known = match parts.extensions.get::<Connection>() {
        Some(connection) => guard.authenticate(&parts, connection),
        None => Err(admit::unknown_connection().into()),
    };
    if let Some(place) = parts.extensions.get::<Place>() {
        match &known {
            Ok(_) => place.set_known(true),
            // Still the owner's page: its connection keeps the place that it has.
            Err(Rejection::Stale(_)) => {}
            Err(Rejection::Refused(_)) => place.set_known(false),
        }
    }
    match known {
        Ok(known) => {
            let stay = guard.stays().of(&known, &all, &guard);
            let by_login = match &known {
                Known::ByToken => None,
                Known::ByLogin(login) => Some(login.id),
            };
            if let Some(login) = by_login {
                if !guard.logins().has(login) {
                    // It was ended meanwhile.
                    guard.stays().end(login);
                }
                guard.used(login);
            }
            parts.extensions.insert(stay);
            parts.extensions.insert(generation);
            parts.extensions.insert(known.identity());
            let mut response = next.run(Request::from_parts(parts, body)).await;
            if by_login.is_some() {
                response.headers_mut().insert(proof::CHALLENGE, guard.challenge());
            }
            response
        }
        Err(rejection) => Problem::from(rejection).into_response(),
    }
}

/// Pages are for everybody, but only to read; what else is asked for is not there, which is told
/// to those who are known.
async fn show_page(State(guard): State<Guard>, request: Request, next: Next) -> Response {
    if is_api(request.uri().path()) {
        let (parts, _) = request.into_parts();
        let known = match parts.extensions.get::<Connection>() {
            Some(connection) => guard.authenticate(&parts, connection).map_err(Problem::from),
            None => Err(admit::unknown_connection()),
        };
        let detail = "there is no such endpoint: compare the path with /api/openapi.json";
        return known.err().unwrap_or_else(|| Problem::not_found(detail)).into_response();
    }
    if !matches!(*request.method(), Method::GET | Method::HEAD) {
        let detail = "pages can only be read: use GET";
        let allow = HeaderValue::from_static("GET, HEAD");
        let problem = Problem::new(Kind::MethodNotAllowed, detail).header(header::ALLOW, allow);
        return problem.into_response();
    }
    if let Err(problem) = admit::plain_path(request.uri().path()) {
        return problem.into_response();
    }
    next.run(request).await
}
