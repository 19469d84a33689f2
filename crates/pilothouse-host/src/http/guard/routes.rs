//! The routes of the guard itself: health, and logging in and out.

use std::time::Instant;

use axum::extract::{Request, State};
use axum::http::request::Parts;
use axum::http::{HeaderValue, StatusCode, header};
use axum::middleware::from_fn_with_state;
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use axum::{Extension, Json, Router};
use jiff::{SignedDuration, Timestamp};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::access::Known;
use super::connection::Connection;
use super::identity::Identity;
use super::links::LoginLink;
use super::seal::{Login, LoginId};
use super::{Guard, enter};
use crate::http::extract::ApiJson;
use crate::http::problem::{Fault, Kind, Problem};

/// The longest name of a login, in characters.
const NAME: usize = 64;

/// That the daemon answers. Tells strangers nothing else.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Health {
    /// Always `ok`.
    pub status: String,
}

/// Redeems a login link.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct LoginRequest {
    /// What stands behind `#` in the link.
    pub code: String,
}

/// A login that has begun. The cookie comes beside it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct LoginReply {
    /// Who this is from now on.
    pub identity: Identity,
    /// Until when.
    pub expires_at: Timestamp,
}

/// Who asks.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct WhoAmI {
    /// Who.
    pub identity: Identity,
    /// The name to show.
    pub name: String,
}

/// Asks for a login link.
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct LinkRequest {
    /// What to call the browser that uses it: `phone`. At most 64 characters.
    #[serde(default)]
    pub name: Option<String>,
}

pub(super) fn routes(guard: &Guard) -> Router {
    let private = Router::new()
        .route("/api/v1/login", get(who_am_i))
        .route("/api/v1/login/links", post(link))
        .route("/api/v1/logout/everywhere", post(logout_everywhere))
        .route_layer(from_fn_with_state(guard.clone(), enter));
    let public = Router::new()
        .route("/api/v1/health", get(health))
        .route("/api/v1/login", post(login))
        .route("/api/v1/logout", post(logout));
    private.merge(public).with_state(guard.clone())
}

async fn health() -> Json<Health> {
    Json(Health { status: "ok".to_owned() })
}

async fn who_am_i(identity: Identity) -> Json<WhoAmI> {
    Json(WhoAmI { name: identity.display_name().to_owned(), identity })
}

async fn link(
    State(guard): State<Guard>,
    ApiJson(request): ApiJson<LinkRequest>,
) -> Result<(StatusCode, Json<LoginLink>), Problem> {
    let link = guard.mint_link(request.name.as_deref().unwrap_or_default())?;
    Ok((StatusCode::CREATED, Json(link)))
}

async fn login(
    State(guard): State<Guard>,
    Extension(connection): Extension<Connection>,
    ApiJson(request): ApiJson<LoginRequest>,
) -> Result<Response, Problem> {
    let Some(admission) = guard.links().redeem(&request.code, Instant::now()) else {
        let detail = "the link was used already, is too old, or never was one: make a new one \
                      with `pilothouse login`";
        return Err(guard.failed(&connection, Problem::new(Kind::LoginRefused, detail)));
    };
    let life = guard.login_life();
    let expires = SignedDuration::try_from(life)
        .ok()
        .and_then(|life| Timestamp::now().checked_add(life).ok())
        .unwrap_or(Timestamp::MAX);
    let id = LoginId::random().map_err(|_| no_random())?;
    let login = Login { id, name: admission.name, expires };
    let sealed = guard.secrets().seal.seal(&login);
    let reply = LoginReply { identity: Identity::of(&login), expires_at: expires };
    tracing::info!(who = %reply.identity, peer = %connection.peer.ip(), "logged in");
    let mut response = Json(reply).into_response();
    set_cookie(&mut response, &guard.cookie(&connection, &sealed, life.as_secs()));
    Ok(response)
}

/// Ends the login of this browser. Works without one: what is left of it is taken away.
async fn logout(
    State(guard): State<Guard>,
    Extension(connection): Extension<Connection>,
    request: Request,
) -> Result<Response, Problem> {
    let parts: Parts = request.into_parts().0;
    if let Ok(Known::ByCookie(login)) = guard.authenticate(&parts, &connection) {
        let (ending, id) = (guard.clone(), login.id);
        let ended = blocking(move || ending.revoked().add(&login, Timestamp::now())).await;
        guard.stays().end(id);
        ended?;
    }
    Ok(without_cookie(&guard, &connection))
}

/// Replaces the token: all browsers and all programs are out.
async fn logout_everywhere(
    State(guard): State<Guard>,
    Extension(connection): Extension<Connection>,
) -> Result<Response, Problem> {
    let replacing = guard.clone();
    blocking(move || replacing.replace_token().map_err(std::io::Error::other)).await?;
    Ok(without_cookie(&guard, &connection))
}

fn without_cookie(guard: &Guard, connection: &Connection) -> Response {
    let mut response = StatusCode::NO_CONTENT.into_response();
    set_cookie(&mut response, &guard.cookie(connection, "", 0));
    response
}

async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> std::io::Result<T> + Send + 'static,
) -> Result<T, Problem> {
    let failed = |error: &dyn std::fmt::Display| {
        tracing::error!(%error, "a login could not be ended");
        let detail = "a file in the data directory could not be written, so the login was not \
                      ended for good: see the log, then try again";
        Problem::new(Kind::StoreFailed, detail)
    };
    match tokio::task::spawn_blocking(work).await {
        Ok(Ok(value)) => Ok(value),
        Ok(Err(error)) => Err(failed(&error)),
        Err(error) => Err(failed(&error)),
    }
}

fn set_cookie(response: &mut Response, cookie: &str) {
    if let Ok(mut value) = HeaderValue::from_str(cookie) {
        value.set_sensitive(true);
        response.headers_mut().insert(header::SET_COOKIE, value);
    }
}

fn no_random() -> Problem {
    Problem::new(Kind::Unavailable, "the system gives no random bytes right now: try again")
}

impl Guard {
    /// A link with which a browser logs in once; `name` is what to call it, or empty.
    pub fn mint_link(&self, name: &str) -> Result<LoginLink, Problem> {
        if name.chars().count() > NAME || name.chars().any(char::is_control) {
            let detail = format!("a name has at most {NAME} characters and no control characters");
            return Err(Problem::invalid(Fault::body("/name", detail)));
        }
        self.links().mint(name.to_owned(), Instant::now()).map_err(|_| no_random())
    }

    fn cookie(&self, connection: &Connection, value: &str, seconds: u64) -> String {
        let name = self.cookie_name(connection);
        let secure = if connection.secure { "; Secure" } else { "" };
        format!("{name}={value}; Path=/; Max-Age={seconds}; HttpOnly; SameSite=Strict{secure}")
    }
}
