//! The headers that every answer wears.

use axum::http::{HeaderMap, HeaderName, HeaderValue, header};

/// For pages: only what we serve ourselves, no script or style inside of pages, no frames around
/// them. Pictures may also be made by our own script.
const PAGES: &str = "default-src 'none'; script-src 'self'; style-src 'self'; \
                     img-src 'self' data: blob:; font-src 'self'; connect-src 'self'; \
                     manifest-src 'self'; worker-src 'self'; base-uri 'none'; form-action 'none'; \
                     frame-ancestors 'none'";

/// For everything else: should a browser ever show it as a page, it can do nothing.
const API: &str = "default-src 'none'; base-uri 'none'; form-action 'none'; \
                   frame-ancestors 'none'; sandbox";

const EVERYWHERE: [(HeaderName, &str); 5] = [
    (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
    (header::REFERRER_POLICY, "no-referrer"),
    (header::X_FRAME_OPTIONS, "DENY"),
    (HeaderName::from_static("cross-origin-opener-policy"), "same-origin"),
    (HeaderName::from_static("cross-origin-resource-policy"), "same-origin"),
];

/// Puts them on. No handler can loosen them.
pub(super) fn dress(headers: &mut HeaderMap, api: bool) {
    for (name, value) in EVERYWHERE {
        headers.insert(name, HeaderValue::from_static(value));
    }
    let policy = if api { API } else { PAGES };
    headers.insert(header::CONTENT_SECURITY_POLICY, HeaderValue::from_static(policy));
    if api {
        headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    } else if !headers.contains_key(header::CACHE_CONTROL) {
        headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-cache"));
    }
}
