//! Locked by default: who may ask, from where, how much and for how long.
//!
//! # What it promises
//!
//! - Every route but those in [`Routes::pages`], `GET /api/v1/health` and logging in and out needs
//!   the token (`Authorization: Bearer`) or the cookie of a browser that has logged in. So does
//!   everything under `/api/` that is not there.
//! - A request that is for another host, comes from a page of another site, or carries a secret in
//!   its address is refused before any handler sees it; so is one that is too large, or too slow.
//! - Every refusal is a [`Problem`]; every answer wears strict headers.
//! - Secrets are compared in constant time and are never logged.
//! - A connection that outlives its request is cut when its login ends ([`Stay`]).
//!
//! # What to know
//!
//! - Cookies do not know ports. A browser that has logged in on `localhost` sends its cookie to
//!   every other server on `localhost` that its owner visits; such a server could use it. Whoever
//!   runs servers they do not trust on the same name uses `127.0.0.1` for one of them.
//! - On loopback all clients have one address, and share its limit of connections and of failed
//!   attempts. The latter never stands in the way of who is right.
//! - Behind a proxy all clients have the proxy's address, and its TLS is not ours: the cookie is
//!   not marked `Secure`.

mod access;
mod admit;
mod body;
mod connection;
mod dress;
mod exposure;
mod failures;
mod gate;
mod host;
mod identity;
mod limits;
mod links;
mod origin;
mod passed;
pub mod redact;
mod revoked;
mod routes;
mod seal;
mod serve;
mod stay;
mod tls;
mod token;

use std::path::PathBuf;
use std::sync::{Arc, PoisonError, RwLock};
use std::time::Duration;

use axum::Router;
use axum::extract::{DefaultBodyLimit, Request, State};
use axum::http::{HeaderValue, Method, header};
use axum::middleware::{Next, from_fn, from_fn_with_state};
use axum::response::{IntoResponse, Response};
use jiff::Timestamp;

pub use body::BodyTerms;
pub(crate) use body::{BodyError, Bounded};
pub use connection::Connection;
pub use exposure::{Exposed, Exposure};
pub use host::{BadHostName, HostName};
pub use identity::Identity;
pub use limits::{FailureTerms, Limits, LoginTerms};
pub use links::LoginLink;
pub use routes::{Health, LinkRequest, LoginReply, LoginRequest, WhoAmI};
pub use serve::{ListenError, Listener, serve};
pub use stay::Stay;
pub(crate) use stay::is_over;
pub use tls::{Tls, TlsError};
pub use token::{TOKEN_FILE, Token, TokenError};

use super::problem::{Kind, Problem};
use crate::telemetry;
use crate::telemetry::metrics::{AuthFailure, Metrics};
use access::Known;
use failures::Failures;
use links::Links;
use revoked::Revoked;
use seal::Seal;
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
    secrets: RwLock<Arc<Secrets>>,
    links: Links,
    failures: Failures,
    revoked: Revoked,
    stays: Stays,
}

struct Secrets {
    token: Token,
    seal: Seal,
}

impl Secrets {
    /// The token is kept out of logs from now on; also when it is none any more.
    fn new(token: Token, unspoken: &telemetry::Secrets) -> Arc<Self> {
        let _long_enough = unspoken.register(token.reveal());
        Arc::new(Self { seal: Seal::new(&token), token })
    }
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
        let revoked = Revoked::load(&options.data_dir, Timestamp::now())
            .map_err(|source| TokenError::File { path: options.data_dir.clone(), source })?;
        Ok(Self(Arc::new(Inner {
            secrets: RwLock::new(Secrets::new(token, &options.unspoken)),
            links: Links::new(options.login.clone()),
            failures: Failures::new(options.failures.clone()),
            revoked,
            stays: Stays::default(),
            options,
        })))
    }

    /// The token, for programs that are started by us.
    pub fn token(&self) -> Token {
        self.secrets().token.clone()
    }

    /// Replaces the token: all programs and all browsers are out. Blocks for a file.
    pub fn replace_token(&self) -> Result<Token, TokenError> {
        let mut secrets = self.0.secrets.write().unwrap_or_else(PoisonError::into_inner);
        let token = Token::replace(&self.0.options.data_dir)?;
        *secrets = Secrets::new(token.clone(), &self.0.options.unspoken);
        self.0.stays.end_all();
        self.0.links.clear();
        if let Err(error) = self.0.revoked.clear() {
            // No harm: they are of the old token.
            tracing::warn!(%error, "the list of ended logins could not be emptied");
        }
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

    fn login_life(&self) -> Duration {
        self.0.options.login.login_life
    }

    fn secrets(&self) -> Arc<Secrets> {
        Arc::clone(&self.0.secrets.read().unwrap_or_else(PoisonError::into_inner))
    }

    fn links(&self) -> &Links {
        &self.0.links
    }

    fn failures(&self) -> &Failures {
        &self.0.failures
    }

    fn revoked(&self) -> &Revoked {
        &self.0.revoked
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
    let known = match parts.extensions.get::<Connection>() {
        Some(connection) => guard.authenticate(&parts, connection),
        None => Err(admit::unknown_connection()),
    };
    match known {
        Ok(known) => {
            let stay = guard.stays().of(&known, &all);
            if let Known::ByCookie(login) = &known
                && guard.revoked().has(login)
            {
                // It was ended while we looked.
                stay.end();
            }
            parts.extensions.insert(stay);
            parts.extensions.insert(known.identity());
            next.run(Request::from_parts(parts, body)).await
        }
        Err(problem) => problem.into_response(),
    }
}

/// Pages are for everybody, but only to read; what else is asked for is not there, which is told
/// to those who are known.
async fn show_page(State(guard): State<Guard>, request: Request, next: Next) -> Response {
    if is_api(request.uri().path()) {
        let (parts, _) = request.into_parts();
        let known = match parts.extensions.get::<Connection>() {
            Some(connection) => guard.authenticate(&parts, connection),
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
