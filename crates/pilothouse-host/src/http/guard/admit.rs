//! What every request must pass, in this order: size, path, host, address, origin. Then it is
//! handled within a time, and its answer is dressed.

use std::panic::AssertUnwindSafe;
use std::time::Duration;

use axum::body::{Body, HttpBody};
use axum::extract::{Request, State};
use axum::http::request::Parts;
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use futures_util::FutureExt;
use tokio::time::Instant;

use super::body::{BodyTerms, Bounded};
use super::connection::Connection;
use super::dress::dress;
use super::{Guard, host, is_api, origin};
use crate::http::problem::{Kind, Problem, no_plain_text};
use crate::telemetry::metrics::AuthFailure;

/// Parameters in which people put secrets.
const SECRET_PARAMETERS: [&str; 6] =
    ["token", "access_token", "auth_token", "bearer", "authorization", "api_key"];

pub(super) async fn admit(State(guard): State<Guard>, request: Request, next: Next) -> Response {
    let (mut parts, body) = request.into_parts();
    let api = is_api(parts.uri.path());
    let answer = match guard.check(&parts) {
        Ok(()) => {
            let limits = guard.limits();
            let terms = BodyTerms::new(limits.body, limits.body_read);
            let awaited = (!body.is_end_stream()).then(|| terms.clone());
            parts.extensions.insert(terms.clone());
            let body = Body::new(Bounded::new(body, terms));
            let request = Request::from_parts(parts, body);
            in_time(next.run(request), limits.request, awaited).await
        }
        Err(problem) => problem.into_response(),
    };
    let mut answer = no_plain_text(answer).await;
    dress(answer.headers_mut(), api);
    answer
}

/// For requests that did not come through our server.
pub(super) fn unknown_connection() -> Problem {
    let detail = "the daemon does not know where this comes from: serve it with `guard::serve`";
    Problem::new(Kind::Internal, detail)
}

impl Guard {
    fn check(&self, parts: &Parts) -> Result<(), Problem> {
        let connection = parts.extensions.get::<Connection>().ok_or_else(unknown_connection)?;
        self.check_size(parts)?;
        no_dots(parts.uri.path())?;
        let host = host::check(parts, connection, self.allowed_hosts())
            .inspect_err(|_| self.refused(AuthFailure::BadHost))?;
        no_secret(parts.uri.query().unwrap_or_default())?;
        origin::check(parts, &host, connection)
            .inspect_err(|_| self.refused(AuthFailure::BadOrigin))
    }

    fn check_size(&self, parts: &Parts) -> Result<(), Problem> {
        let limits = self.limits();
        let uri = parts.uri.path_and_query().map_or(0, |text| text.as_str().len());
        if uri > limits.uri {
            let detail = format!(
                "the address has {uri} bytes, {} are taken: put what is long into the body",
                limits.uri
            );
            return Err(Problem::new(Kind::UriTooLong, detail));
        }
        let (count, most) = (parts.headers.len(), limits.headers);
        let bytes: usize =
            parts.headers.iter().map(|(name, value)| name.as_str().len() + value.len() + 4).sum();
        if count > most || bytes > limits.header_bytes {
            let detail = format!(
                "there are {count} headers with {bytes} bytes, {most} with {} are taken: send \
                 fewer; in a browser, delete the cookies of this host",
                limits.header_bytes
            );
            return Err(Problem::new(Kind::HeadersTooLarge, detail));
        }
        Ok(())
    }
}

/// Runs a handler for as long as it may take, the time for its body added where there is one.
async fn in_time(
    handler: impl Future<Output = Response>,
    limit: Duration,
    awaited: Option<BodyTerms>,
) -> Response {
    let start = Instant::now();
    let mut handler = std::pin::pin!(AssertUnwindSafe(handler).catch_unwind());
    loop {
        // A route that takes uploads has more patience, which shows only once it was reached.
        let patience = awaited.as_ref().map_or(Duration::ZERO, BodyTerms::patience);
        let until = start + limit + patience;
        match tokio::time::timeout_at(until, handler.as_mut()).await {
            Ok(Ok(response)) => return response,
            Ok(Err(_)) => {
                tracing::error!("a handler panicked");
                let detail = "the daemon failed at this: look into its log, and report it";
                return Problem::new(Kind::Internal, detail).into_response();
            }
            Err(_) => {
                let now = awaited.as_ref().map_or(Duration::ZERO, BodyTerms::patience);
                if now <= patience {
                    return Problem::timed_out().into_response();
                }
            }
        }
    }
}

/// No `.` and `..`, however they are written: nothing of ours has such a path.
fn no_dots(path: &str) -> Result<(), Problem> {
    let lower = path.to_ascii_lowercase();
    let is_dots = |segment: &str| {
        let plain = segment.replace("%2e", ".");
        plain == "." || plain == ".."
    };
    // A slash or a backslash may be hidden from us, and not from who comes after.
    let shown = lower.replace("%2f", "/").replace("%5c", "/").replace('\\', "/");
    let control = lower.match_indices('%').any(|(at, _)| {
        matches!(lower.as_bytes().get(at + 1), Some(b'0' | b'1')) || lower[at..].starts_with("%7f")
    });
    if control || shown.split('/').any(is_dots) {
        let detail = "the path has `.`, `..` or control characters: write it without";
        return Err(Problem::new(Kind::BadRequest, detail));
    }
    Ok(())
}

/// A path of a page has nothing hidden in it.
pub(super) fn plain_path(path: &str) -> Result<(), Problem> {
    let lower = path.to_ascii_lowercase();
    if ["%2f", "%5c", "%25", "\\", "//"].iter().any(|hidden| lower.contains(hidden)) {
        let detail = "there is no page with such a path: write it without encoded slashes";
        return Err(Problem::not_found(detail));
    }
    Ok(())
}

/// Addresses are logged, bookmarked and shown: no secret may be in one.
fn no_secret(query: &str) -> Result<(), Problem> {
    let pairs: Vec<(String, String)> = serde_html_form::from_str(query).unwrap_or_default();
    let secret = pairs
        .iter()
        .any(|(name, _)| SECRET_PARAMETERS.iter().any(|bad| name.eq_ignore_ascii_case(bad)));
    if !secret {
        return Ok(());
    }
    let detail = "a secret in an address ends up in logs and histories: send it as \
                  `Authorization: Bearer`; and if that was the real one, replace it";
    Err(Problem::new(Kind::TokenInQuery, detail))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_that_lead_elsewhere() {
        for path in [
            "/..",
            "/../x",
            "/a/../b",
            "/.",
            "/%2e%2e/x",
            "/%2E./x",
            "/..%2f..%2fetc",
            "/a%5c..%5cb",
            "/a\\..\\b",
            "/a%00",
            "/a%0d%0a",
            "/a%7F",
            "/a%1b",
        ] {
            assert!(no_dots(path).is_err(), "{path}");
        }
        for path in ["/", "/a..b", "/...", "/a/.well-known/x", "/a%20b", "/a%2fb", "/a%e2%80%a6"] {
            assert!(no_dots(path).is_ok(), "{path}");
        }
        for path in ["/a%2fb", "/a%5Cb", "/%252e%252e/", "//evil.example/", "/a\\b"] {
            assert!(plain_path(path).is_err(), "{path}");
        }
        assert!(plain_path("/assets/app-1.js").is_ok());
    }

    #[test]
    fn secrets_in_addresses() {
        for query in ["token=x", "a=1&TOKEN=x", "%74oken=x", "access_token=", "a&api_key=1"] {
            assert!(no_secret(query).is_err(), "{query}");
        }
        for query in ["", "a=token", "tokens=5", "after=3&limit=4"] {
            assert!(no_secret(query).is_ok(), "{query}");
        }
    }
}
