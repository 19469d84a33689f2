//! Authenticates requests: by the token, or by the cookie and the page key of a login.

use std::time::Instant;

use axum::http::header;
use axum::http::request::Parts;
use jiff::Timestamp;

use super::connection::Connection;
use super::host::HostName;
use super::identity::Identity;
use super::logins::Login;
use super::proof::{CHALLENGE, Proof, Unproven};
use super::{Guard, cookie, host, origin};
use crate::http::extract::one_header;
use crate::http::problem::{Kind, Problem};
use crate::telemetry::metrics::AuthFailure;

/// The length of a cookie's value: 32 bytes in base64.
const COOKIE: usize = 43;

/// Who asks, and how that is known.
pub(super) enum Known {
    ByToken,
    ByLogin(Login),
}

impl Known {
    pub(super) fn identity(&self) -> Identity {
        match self {
            Self::ByToken => Identity::Token,
            Self::ByLogin(login) => Identity::of(login),
        }
    }
}

/// Why a request was not authenticated.
pub(super) enum Rejection {
    /// The page has its key, but answers an old challenge. It asks again with the new one.
    Stale(Problem),
    Refused(Problem),
}

impl From<Problem> for Rejection {
    fn from(problem: Problem) -> Self {
        Self::Refused(problem)
    }
}

impl From<Rejection> for Problem {
    fn from(rejection: Rejection) -> Self {
        match rejection {
            Rejection::Stale(problem) | Rejection::Refused(problem) => problem,
        }
    }
}

/// Nobody is logged in.
pub(super) fn nobody() -> Problem {
    let detail = "nobody is logged in: send `Authorization: Bearer` with the token from the \
                  file `token` in the data directory, or open a login link in the browser";
    Problem::new(Kind::NotAuthenticated, detail)
}

impl Guard {
    /// Finds out who asks. What is wrong counts against the address; what is missing does not.
    pub(super) fn authenticate(
        &self,
        parts: &Parts,
        connection: &Connection,
    ) -> Result<Known, Rejection> {
        if let Some(told) = one_header(&parts.headers, &header::AUTHORIZATION)? {
            let (scheme, token) = told.split_once(' ').unwrap_or((told, ""));
            let right = self.token().is(token.trim());
            return match scheme.eq_ignore_ascii_case("bearer") && right {
                true => Ok(Known::ByToken),
                false => Err(self.failed(connection, wrong_token()).into()),
            };
        }
        let cookies = self.cookies(parts, connection);
        if cookies.is_empty() {
            self.refused(AuthFailure::NoToken);
            return Err(nobody().into());
        }
        let login = self.login_of(&cookies, connection)?;
        origin::check_cookie(parts)?;
        self.check_page(&login, parts, connection)?;
        Ok(Known::ByLogin(login))
    }

    /// Several cookies may have our name: other ports of this machine can set it too. One that is
    /// genuine will do.
    fn login_of(&self, cookies: &[&str], connection: &Connection) -> Result<Login, Problem> {
        if let Some(login) = self.known_login(cookies) {
            return Ok(login);
        }
        let ended = |detail: &str| {
            // No guess: it may have been right once.
            self.refused(AuthFailure::BadToken);
            Problem::new(Kind::NotAuthenticated, detail)
        };
        if cookies.iter().any(|cookie| cookie.contains('.')) {
            return Err(ended(
                "this login was made by an earlier version of Pilothouse: open a new login link \
                 (`pilothouse login`)",
            ));
        }
        let detail = "the login has ended: open a new login link (`pilothouse login`)";
        match cookies.iter().any(|cookie| cookie.len() == COOKIE) {
            true => Err(ended(detail)),
            false => Err(self.failed(connection, Problem::new(Kind::NotAuthenticated, detail))),
        }
    }

    fn known_login(&self, cookies: &[&str]) -> Option<Login> {
        let now = Timestamp::now();
        cookies.iter().find_map(|cookie| self.logins().find(cookie, now))
    }

    /// The login whose cookie a request has, proven or not.
    pub(super) fn login_named(&self, parts: &Parts, connection: &Connection) -> Option<Login> {
        self.known_login(&self.cookies(parts, connection))
    }

    /// Checks that a request comes from the page that has logged in: it is for the origin of that
    /// page, and has a proof of the page's key.
    fn check_page(
        &self,
        login: &Login,
        parts: &Parts,
        connection: &Connection,
    ) -> Result<(), Rejection> {
        let refusal = |detail: String| {
            Problem::new(Kind::NotAuthenticated, detail).header(CHALLENGE, self.challenge())
        };
        if !is_for(&login.origin, &host::told(parts)?) {
            self.refused(AuthFailure::BadHost);
            return Err(refusal(format!(
                "this login was made at {}: open a login link for this address",
                login.origin
            ))
            .into());
        }
        let proof = Proof::of(parts)?;
        let unproven = match self.challenges().verify(proof, parts, &login.key, Instant::now()) {
            Ok(()) => return Ok(()),
            Err(unproven) => unproven,
        };
        match unproven {
            Unproven::Stale => {
                let detail = "the proof answers an old challenge: answer the one in the header \
                              `X-Pilothouse-Challenge`";
                Err(Rejection::Stale(refusal(detail.to_owned())))
            }
            Unproven::Missing | Unproven::Wrong => {
                self.refused(AuthFailure::BadToken);
                // A cookie in the wrong hands is worth a line, not a flood of them.
                if self.warnings().count(connection.household(), Instant::now()).is_ok() {
                    let (peer, login) = (connection.peer.ip(), login.id);
                    tracing::warn!(%peer, %login, ?unproven, "a cookie came without its page key");
                }
                let detail = "the cookie alone is not enough: the page that logged in proves its \
                              key with the header `X-Pilothouse-Proof`; open a new login link \
                              (`pilothouse login`) if this browser has lost the key; programs send \
                              `Authorization: Bearer`";
                Err(refusal(detail.to_owned()).into())
            }
        }
    }

    fn cookies<'p>(&self, parts: &'p Parts, connection: &Connection) -> Vec<&'p str> {
        let name = self.cookie_name(connection);
        let all = parts.headers.get_all(header::COOKIE).iter();
        all.filter_map(|value| value.to_str().ok())
            .flat_map(|value| cookie::values(value, &name))
            .collect()
    }

    /// Counts a failure; from too many, another answer.
    pub(super) fn failed(&self, connection: &Connection, problem: Problem) -> Problem {
        match self.failures().count(connection.household(), Instant::now()) {
            Ok(()) => {
                self.refused(AuthFailure::BadToken);
                tracing::warn!(peer = %connection.peer.ip(), "authentication failed");
                problem
            }
            Err(wait) => {
                self.refused(AuthFailure::RateLimited);
                let detail = "there were too many failed attempts from this address: wait, or use \
                              what is right; that works at once";
                Problem::new(Kind::RateLimited, detail).retry_after(wait)
            }
        }
    }

    /// Cookies do not know ports: two daemons on one machine must not take each other's.
    /// `__Host-` keeps other hosts of the same domain from setting it.
    pub(super) fn cookie_name(&self, connection: &Connection) -> String {
        let prefix = if connection.secure { "__Host-" } else { "" };
        format!("{prefix}pilothouse_{}", connection.local.port())
    }
}

/// Whether a request for `host` is for the origin of a login.
fn is_for(origin: &str, host: &HostName) -> bool {
    origin.split_once("://").is_some_and(|(scheme, name)| {
        let port = if scheme == "https" { 443 } else { 80 };
        name.parse::<HostName>().is_ok_and(|name| name.is(host, port))
    })
}

fn wrong_token() -> Problem {
    let detail = "the token is wrong: it is in the file `token` in the data directory, and is sent \
                  as `Authorization: Bearer TOKEN`";
    Problem::new(Kind::NotAuthenticated, detail)
}
