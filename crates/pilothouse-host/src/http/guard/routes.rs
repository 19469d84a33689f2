//! The routes of the guard itself: health, the proof for clients, and logging in and out.

use std::fmt;
use std::time::Instant;

use axum::extract::{Request, State};
use axum::http::request::Parts;
use axum::http::{HeaderValue, StatusCode, header};
use axum::middleware::{Next, from_fn, from_fn_with_state};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, patch, post};
use axum::{Extension, Json, Router};
use jiff::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::access::Known;
use super::body::BodyTerms;
use super::challenge::{self, ChallengeReply, ChallengeRequest, Prover};
use super::connection::Connection;
use super::identity::Identity;
use super::links::LoginLink;
use super::logins::{Added, Generation, Login, LoginId, NewLogin};
use super::{Guard, enter, host, manage, proof};
use crate::http::extract::{ApiJson, one_header};
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
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct LoginReply {
    /// Who this is from now on.
    pub identity: Identity,
    /// Until when.
    pub expires_at: Timestamp,
    /// The page's key, sent only here: 32 bytes in base64url. The page keeps it, never
    /// sends it, and proves with `X-Pilothouse-Proof` that it has it.
    pub page_key: String,
}

/// Without the key.
impl fmt::Debug for LoginReply {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { identity, expires_at, page_key: _ } = self;
        let mut shown = f.debug_struct("LoginReply");
        shown.field("identity", identity).field("expires_at", expires_at).finish_non_exhaustive()
    }
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
        .route("/api/v1/logins", get(manage::list))
        .route("/api/v1/logins/{login}", patch(manage::change).delete(manage::end))
        .route("/api/v1/logout/everywhere", post(logout_everywhere))
        .route_layer(from_fn_with_state(guard.clone(), enter));
    let public = Router::new()
        .route("/api/v1/health", get(health))
        .route("/api/v1/login", post(login))
        .route("/api/v1/logout", post(logout));
    let challenges =
        Router::new().route("/api/v1/challenge", post(challenge)).layer(from_fn(small_body));
    private.merge(public).merge(challenges).with_state(guard.clone())
}

async fn health() -> Json<Health> {
    Json(Health { status: "ok".to_owned() })
}

/// Proves that this daemon has the token of its data directory, to a client that dialled it.
async fn challenge(
    State(guard): State<Guard>,
    Extension(connection): Extension<Connection>,
    ApiJson(request): ApiJson<ChallengeRequest>,
) -> Result<Json<ChallengeReply>, Problem> {
    let challenge = request.read().map_err(Problem::invalid)?;
    if !challenge.is_for(&connection) {
        let detail = "this daemon does not listen at the address that was dialled: something else \
                      has passed this challenge on, do not send it the token";
        return Err(Problem::new(Kind::WrongHost, detail));
    }
    Ok(Json(Prover::new(&guard.token()).reply(&challenge)))
}

/// Anybody may send a challenge: no more of it is read than one needs.
async fn small_body(request: Request, next: Next) -> Response {
    if let Some(terms) = request.extensions().get::<BodyTerms>() {
        terms.set(challenge::MOST_BYTES, terms.patience());
    }
    next.run(request).await
}

async fn who_am_i(identity: Identity) -> Json<WhoAmI> {
    Json(WhoAmI { name: identity.display_name().to_owned(), identity })
}

async fn link(
    State(guard): State<Guard>,
    Extension(generation): Extension<Generation>,
    ApiJson(request): ApiJson<LinkRequest>,
) -> Result<(StatusCode, Json<LoginLink>), Problem> {
    let link = guard.mint_in(generation, request.name.as_deref().unwrap_or_default())?;
    Ok((StatusCode::CREATED, Json(link)))
}

async fn login(
    State(guard): State<Guard>,
    Extension(connection): Extension<Connection>,
    parts: Parts,
    ApiJson(request): ApiJson<LoginRequest>,
) -> Result<Response, Problem> {
    let origin = match one_header(&parts.headers, &header::ORIGIN)? {
        // It was checked already: it is the host of the request.
        Some(origin) => origin.to_owned(),
        None => format!("{}://{}", connection.scheme(), host::told(&parts)?),
    };
    let Some(admission) = guard.links().redeem(&request.code, Instant::now()) else {
        let detail = "the link was used already, is too old, or never was one: make a new one \
                      with `pilothouse login`";
        return Err(guard.failed(&connection, Problem::new(Kind::LoginRefused, detail)));
    };
    let (life, now) = (guard.login_terms().login_life, Timestamp::now());
    let NewLogin { login, cookie } =
        Login::begin(admission.name().to_owned(), origin, life, now).map_err(|_| no_random())?;
    let reply = LoginReply {
        identity: Identity::of(&login),
        expires_at: login.expires_at,
        page_key: login.key.reveal(),
    };
    // The same browser again: its new cookie replaces the old one.
    let before = guard.login_named(&parts, &connection).filter(|it| it.origin == login.origin);
    let begun = guard.begin(login, admission.generation(), before.map(|login| login.id)).await;
    if let Err(problem) = begun {
        // No login came of it, so it may be tried again.
        guard.links().give_back(admission);
        return Err(problem);
    }
    tracing::info!(who = %reply.identity, peer = %connection.peer.ip(), "logged in");
    let mut response = Json(reply).into_response();
    response.headers_mut().insert(proof::CHALLENGE, guard.challenge());
    set_cookie(&mut response, &guard.cookie(&connection, &cookie, life.as_secs()));
    Ok(response)
}

/// Ends the login of this browser. Without a login, or without a proof, removes the cookie only. A
/// proof that is rejected is an error: the page answers the new challenge and asks again.
async fn logout(
    State(guard): State<Guard>,
    Extension(connection): Extension<Connection>,
    request: Request,
) -> Result<Response, Problem> {
    let parts: Parts = request.into_parts().0;
    match guard.authenticate(&parts, &connection) {
        Ok(Known::ByLogin(login)) => drop(guard.end(login.id).await?),
        Err(rejection) if proof::Proof::of(&parts)?.is_some() => return Err(rejection.into()),
        Ok(Known::ByToken) | Err(_) => {}
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

pub(super) async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> std::io::Result<T> + Send + 'static,
) -> Result<T, Problem> {
    let failed = |error: &dyn fmt::Display| {
        tracing::error!(%error, "the file of logins could not be written");
        let detail = "a file in the data directory could not be written, so logins would not be \
                      the same after a restart: see the log, then try again";
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

/// Checks the name of a login.
pub(super) fn check_name(name: &str) -> Result<(), Problem> {
    if name.chars().count() > NAME || name.chars().any(char::is_control) {
        let detail = format!("a name has at most {NAME} characters and no control characters");
        return Err(Problem::invalid(Fault::body("/name", detail)));
    }
    Ok(())
}

impl Guard {
    /// A link with which a browser logs in once; `name` is what to call it, or empty.
    pub fn mint_link(&self, name: &str) -> Result<LoginLink, Problem> {
        self.mint_in(self.logins().generation(), name)
    }

    fn mint_in(&self, generation: Generation, name: &str) -> Result<LoginLink, Problem> {
        check_name(name)?;
        let minted = self.links().mint(name.to_owned(), generation, Instant::now());
        minted.map_err(|_| no_random())
    }

    /// Adds a login; ends the one that it replaces, and what makes room for it.
    async fn begin(
        &self,
        login: Login,
        generation: Generation,
        replaced: Option<LoginId>,
    ) -> Result<(), Problem> {
        let adding = self.clone();
        let add = move || adding.logins().add(login, replaced, generation, Timestamp::now());
        let evicted = match blocking(add).await? {
            Added::Begun { evicted } => evicted,
            Added::Outdated => {
                let detail = "everybody was logged out after this link was made: make a new one \
                              with `pilothouse login`";
                return Err(Problem::new(Kind::LoginRefused, detail));
            }
        };
        if let Some(id) = replaced {
            self.stays().end(id);
        }
        for login in evicted {
            self.stays().end(login.id);
            let who = Identity::of(&login);
            tracing::warn!(%who, "too many logins: the one that was not used for longest has ended");
        }
        Ok(())
    }

    /// Ends a login and what was opened with it. Returns whether there was one.
    pub(super) async fn end(&self, id: LoginId) -> Result<bool, Problem> {
        let ending = self.clone();
        let ended = blocking(move || ending.logins().end(id)).await;
        self.stays().end(id);
        ended
    }

    fn cookie(&self, connection: &Connection, value: &str, seconds: u64) -> String {
        let name = self.cookie_name(connection);
        let secure = if connection.secure { "; Secure" } else { "" };
        format!("{name}={value}; Path=/; Max-Age={seconds}; HttpOnly; SameSite=Strict{secure}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::http::guard::GuardOptions;

    const ORIGIN: &str = "http://127.0.0.1:7717";

    fn guard() -> (tempfile::TempDir, Guard) {
        let dir = tempfile::tempdir().unwrap();
        let data_dir = dir.path().to_owned();
        let guard = Guard::open(GuardOptions { data_dir, ..GuardOptions::default() }).unwrap();
        (dir, guard)
    }

    fn redeem(guard: &Guard, link: &LoginLink) -> Generation {
        let code = link.path.strip_prefix("/login#").unwrap();
        guard.links().redeem(code, Instant::now()).unwrap().generation()
    }

    fn login(guard: &Guard) -> Login {
        let life = guard.login_terms().login_life;
        Login::begin(String::new(), ORIGIN.to_owned(), life, Timestamp::now()).unwrap().login
    }

    async fn is_refused(guard: &Guard, generation: Generation) {
        let begun = guard.begin(login(guard), generation, None).await;
        assert_eq!(begun.unwrap_err().document().kind, "/problems/login-refused");
        assert_eq!(guard.logins().list(Timestamp::now()), []);
    }

    #[tokio::test]
    async fn rejects_login_in_progress_after_logout_everywhere() {
        let (_dir, guard) = guard();
        let generation = redeem(&guard, &guard.mint_link("").unwrap());
        guard.replace_token().unwrap();
        is_refused(&guard, generation).await;
        let generation = redeem(&guard, &guard.mint_link("").unwrap());
        guard.begin(login(&guard), generation, None).await.unwrap();
    }

    #[tokio::test]
    async fn rejects_link_of_a_request_from_before_logout_everywhere() {
        let (_dir, guard) = guard();
        // As `enter` does it: the generation is read before the token is compared.
        let generation = guard.logins().generation();
        guard.replace_token().unwrap();
        let link = guard.mint_in(generation, "").unwrap();
        let generation = redeem(&guard, &link);
        is_refused(&guard, generation).await;
    }
}
