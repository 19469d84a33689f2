//! Whether the page that a request comes from is ours.
//!
//! A browser says where a request comes from, in `Origin` and `Sec-Fetch-Site`; pages cannot
//! change either. Programs say nothing, and need not.
//!
//! - `Origin`, where it is there, must be the host that the request is for.
//! - `Sec-Fetch-Site` must not tell of another site, but where a person follows a link to a page.
//!   Other ports of the same machine are "the same site" to a browser and share its cookies; they
//!   are not us, and are refused as well.
//! - A WebSocket from a browser must have an `Origin`. A browser is what sends a cookie of ours,
//!   any `Sec-Fetch-…` header, or a `User-Agent` that begins with `Mozilla/`, as all of them do.
//! - What changes something and is authenticated by a cookie must have an `Origin`, or say
//!   `Sec-Fetch-Site: same-origin`.

use axum::http::request::Parts;
use axum::http::{HeaderMap, HeaderName, Method, header};

use super::connection::Connection;
use super::host::HostName;
use crate::http::extract::one_header;
use crate::http::problem::{Kind, Problem};

const SITE: HeaderName = HeaderName::from_static("sec-fetch-site");
const MODE: HeaderName = HeaderName::from_static("sec-fetch-mode");
const DEST: HeaderName = HeaderName::from_static("sec-fetch-dest");
const USER: HeaderName = HeaderName::from_static("sec-fetch-user");

/// Whether a request wants to become a WebSocket (or anything else).
pub(super) fn is_upgrade(headers: &HeaderMap) -> bool {
    headers.contains_key(header::UPGRADE)
        || headers.contains_key(header::SEC_WEBSOCKET_KEY)
        || headers.contains_key(header::SEC_WEBSOCKET_VERSION)
}

/// Checks what can be checked before anybody is known. `host` is the host that it is for.
pub(super) fn check(
    parts: &Parts,
    host: &HostName,
    connection: &Connection,
) -> Result<(), Problem> {
    let origin = one_header(&parts.headers, &header::ORIGIN)?;
    if let Some(origin) = origin {
        check_origin(origin, host, connection)?;
    }
    match one_header(&parts.headers, &SITE)? {
        None | Some("same-origin" | "none") => {}
        Some(_) if is_followed_link(parts) => {}
        Some(_) => {
            let detail = "a page of another site, or of another port, asked for this: open \
                          Pilothouse itself and do it there";
            return Err(Problem::new(Kind::ForeignOrigin, detail));
        }
    }
    if origin.is_none() && is_upgrade(&parts.headers) && is_browser(&parts.headers) {
        return Err(missing());
    }
    Ok(())
}

/// Checks what only holds for those who are known by a cookie: their browser sends it whoever asks.
pub(super) fn check_cookie(parts: &Parts) -> Result<(), Problem> {
    if parts.headers.contains_key(header::ORIGIN) {
        // It was checked already.
        return Ok(());
    }
    let same = one_header(&parts.headers, &SITE)? == Some("same-origin");
    let safe = matches!(parts.method, Method::GET | Method::HEAD | Method::OPTIONS);
    if is_upgrade(&parts.headers) || !(safe || same) {
        return Err(missing());
    }
    Ok(())
}

fn check_origin(origin: &str, host: &HostName, connection: &Connection) -> Result<(), Problem> {
    let ours = origin.split_once("://").is_some_and(|(scheme, rest)| {
        let port = match scheme {
            "http" => 80,
            "https" => 443,
            _ => return false,
        };
        // A proxy before us may speak TLS where we do not; nobody has our own port but us.
        let scheme_fits = scheme == connection.scheme() || !host.is_here(connection);
        scheme_fits && rest.parse::<HostName>().is_ok_and(|told| told.is(host, port))
    });
    if ours {
        return Ok(());
    }
    let detail = format!(
        "the request comes from `{}`, not from {}://{host}: open Pilothouse itself and do it there",
        origin.chars().take(80).collect::<String>(),
        connection.scheme(),
    );
    Err(Problem::new(Kind::ForeignOrigin, detail))
}

/// A person went from another site to one of our pages: harmless, since pages do nothing by
/// themselves and no cookie comes along.
fn is_followed_link(parts: &Parts) -> bool {
    let says = |name: &HeaderName, wanted: &str| {
        parts.headers.get(name).is_some_and(|value| value.as_bytes() == wanted.as_bytes())
    };
    parts.method == Method::GET
        && says(&MODE, "navigate")
        && says(&DEST, "document")
        && !super::is_api(parts.uri.path())
        && !is_upgrade(&parts.headers)
}

fn is_browser(headers: &HeaderMap) -> bool {
    let named = headers
        .get(header::USER_AGENT)
        .is_some_and(|agent| agent.as_bytes().starts_with(b"Mozilla/"));
    named || [SITE, MODE, DEST, USER].iter().any(|name| headers.contains_key(name))
}

fn missing() -> Problem {
    let detail = "a browser must say which page this comes from, and there is no `Origin` header: \
                  programs authenticate with `Authorization: Bearer`, not with a cookie";
    Problem::new(Kind::OriginMissing, detail)
}
