//! Whether who asks may ask.

use std::time::Instant;

use axum::http::header;
use axum::http::request::Parts;
use jiff::Timestamp;

use super::Guard;
use super::connection::Connection;
use super::identity::Identity;
use super::origin;
use super::seal::{Login, Unsealed};
use crate::http::extract::one_header;
use crate::http::problem::{Kind, Problem};
use crate::telemetry::metrics::AuthFailure;

/// More cookies of our name than this are not ours.
const COOKIES: usize = 4;

/// Who asks, and how that is known.
pub(super) enum Known {
    ByToken,
    ByCookie(Login),
}

impl Known {
    pub(super) fn identity(&self) -> Identity {
        match self {
            Self::ByToken => Identity::Token,
            Self::ByCookie(login) => Identity::of(login),
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
    ) -> Result<Known, Problem> {
        if let Some(told) = one_header(&parts.headers, &header::AUTHORIZATION)? {
            let (scheme, token) = told.split_once(' ').unwrap_or((told, ""));
            let right = self.secrets().token.is(token.trim());
            return match scheme.eq_ignore_ascii_case("bearer") && right {
                true => Ok(Known::ByToken),
                false => Err(self.failed(connection, wrong_token())),
            };
        }
        let cookies = self.cookies(parts, connection);
        if cookies.is_empty() {
            self.refused(AuthFailure::NoToken);
            return Err(nobody());
        }
        let login = self.login_of(&cookies, connection)?;
        origin::check_cookie(parts)?;
        Ok(Known::ByCookie(login))
    }

    /// Several cookies may have our name: other ports of this machine can set it too. One that is
    /// genuine will do.
    fn login_of(&self, cookies: &[&str], connection: &Connection) -> Result<Login, Problem> {
        let (now, secrets) = (Timestamp::now(), self.secrets());
        let mut expired = false;
        for cookie in cookies {
            match secrets.seal.open(cookie, now) {
                Ok(login) if !self.revoked().has(&login) => return Ok(login),
                // No guess: it was right once.
                Ok(_) | Err(Unsealed::Expired) => expired = true,
                Err(Unsealed::Forged) => {}
            }
        }
        if expired {
            self.refused(AuthFailure::BadToken);
            let detail = "the login has ended: open a new login link";
            return Err(Problem::new(Kind::NotAuthenticated, detail));
        }
        let detail = "the cookie is not one of this daemon, or the token was replaced since: open \
                      a new login link";
        Err(self.failed(connection, Problem::new(Kind::NotAuthenticated, detail)))
    }

    fn cookies<'p>(&self, parts: &'p Parts, connection: &Connection) -> Vec<&'p str> {
        let name = self.cookie_name(connection);
        let all = parts.headers.get_all(header::COOKIE).iter();
        all.filter_map(|value| value.to_str().ok())
            .flat_map(|value| value.split(';'))
            .filter_map(|pair| pair.trim().split_once('='))
            .filter_map(|(key, value)| (key == name).then_some(value))
            .take(COOKIES)
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

fn wrong_token() -> Problem {
    let detail = "the token is wrong: it is in the file `token` in the data directory, and is sent \
                  as `Authorization: Bearer TOKEN`";
    Problem::new(Kind::NotAuthenticated, detail)
}
