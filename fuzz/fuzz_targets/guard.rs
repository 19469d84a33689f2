//! Any request: without the token nothing private is served, and with it only what is for this host
//! and from its own pages.

#![no_main]

use std::cell::Cell;
use std::sync::LazyLock;
use std::sync::atomic::{AtomicU64, Ordering};

use axum::Router;
use axum::body::Body;
use axum::http::{HeaderName, HeaderValue, Method, Request, Uri};
use axum::routing::any;
use libfuzzer_sys::fuzz_target;
use pilothouse_host::http::guard::{
    Connection, FailureTerms, Guard, GuardOptions, Routes, protect,
};
use tokio::runtime::{Builder, Runtime};
use tower_service::Service;

const PORT: u16 = 7717;

/// Names of headers that the guard reads.
const HEADERS: [&str; 14] = [
    "x-pilothouse-proof",
    "sec-websocket-protocol",
    "host",
    "origin",
    "cookie",
    "authorization",
    "sec-fetch-site",
    "sec-fetch-mode",
    "sec-fetch-dest",
    "upgrade",
    "connection",
    "user-agent",
    "content-type",
    "x-forwarded-host",
];
const PATHS: [&str; 8] = [
    "/api/v1/private",
    "/api/v1/login",
    "/api/v1/login/links",
    "/api/v1/logout",
    "/api/v1/logout/everywhere",
    "/api/v1/health",
    "/",
    "/metrics",
];

#[derive(Debug, arbitrary::Arbitrary)]
struct Input<'a> {
    method: u8,
    path: Option<u8>,
    target: &'a str,
    with_token: bool,
    with_host: bool,
    headers: Vec<(u8, &'a [u8])>,
    body: &'a [u8],
}

static SERVED: AtomicU64 = AtomicU64::new(0);

struct Bed {
    guard: Guard,
    router: Router,
    runtime: Runtime,
    _dir: tempfile::TempDir,
}

thread_local! {
    static BED: LazyLock<Bed> = LazyLock::new(|| {
        let dir = tempfile::tempdir().expect("a directory");
        let failures = FailureTerms { burst: 1 << 30, ..FailureTerms::default() };
        let options =
            GuardOptions { data_dir: dir.path().join("data"), failures, ..GuardOptions::default() };
        let guard = Guard::open(options).expect("a guard");
        let handler = any(async || {
            SERVED.fetch_add(1, Ordering::Relaxed);
            "private"
        });
        let private = Router::new().route("/api/v1/private", handler);
        let router = protect(Routes { private, pages: Router::new() }, &guard);
        let runtime = Builder::new_current_thread().enable_time().build().expect("a runtime");
        Bed { guard, router, runtime, _dir: dir }
    });
    static LAST: Cell<u64> = const { Cell::new(0) };
}

/// Whether a `Host` is this machine's own on the port, in the plainest way.
fn is_ours(host: &str) -> bool {
    let Some((name, port)) = host.rsplit_once(':') else { return false };
    let name = name.to_ascii_lowercase();
    let address = name.trim_start_matches('[').trim_end_matches(']').parse::<std::net::IpAddr>();
    let is_loopback = address.is_ok_and(|address| address.to_canonical().is_loopback());
    port.parse() == Ok(PORT) && (is_loopback || name == "localhost" || name == "localhost.")
}

fn check(bed: &Bed, input: &Input<'_>) {
    let path = match input.path {
        Some(at) => PATHS[usize::from(at) % PATHS.len()],
        None => input.target,
    };
    let Ok(uri) = path.parse::<Uri>() else { return };
    let method = [Method::GET, Method::POST, Method::PUT, Method::DELETE, Method::OPTIONS];
    let mut request = Request::new(Body::from(input.body.to_vec()));
    *request.method_mut() = method[usize::from(input.method) % method.len()].clone();
    *request.uri_mut() = uri;
    request.extensions_mut().insert(Connection {
        peer: ([127, 0, 0, 1], 50_000).into(),
        local: ([127, 0, 0, 1], PORT).into(),
        secure: false,
    });
    let headers = request.headers_mut();
    for (name, value) in input.headers.iter().take(20) {
        let name = HeaderName::from_static(HEADERS[usize::from(*name) % HEADERS.len()]);
        if let Ok(value) = HeaderValue::from_bytes(value) {
            headers.append(name, value);
        }
    }
    if input.with_token {
        let value = format!("Bearer {}", bed.guard.token().reveal());
        headers.insert("authorization", value.try_into().expect("a header"));
    }
    if input.with_host {
        headers.insert("host", HeaderValue::from_static("localhost:7717"));
    }
    let headers = headers.clone();
    let mut router = bed.router.clone();
    let answer = bed.runtime.block_on(router.call(request)).expect("an answer");
    let served = SERVED.load(Ordering::Relaxed);
    if served != LAST.replace(served) {
        assert!(input.with_token, "served without the token: {input:?}");
        let one = |name: &str| {
            let mut all = headers.get_all(name).iter();
            let first = all.next().map(|value| value.to_str().expect("a text").to_owned());
            assert!(all.next().is_none(), "two of {name}: {input:?}");
            first
        };
        let host = one("host").expect("a host");
        assert!(is_ours(&host), "served for {host:?}");
        if let Some(origin) = one("origin") {
            let of = origin.strip_prefix("http://").expect("our scheme");
            assert!(is_ours(of), "served from {origin:?}");
        }
        let site = one("sec-fetch-site");
        assert!(matches!(site.as_deref(), None | Some("same-origin" | "none")), "{site:?}");
    }
    let cookie = answer.headers().get("set-cookie").map(|value| value.as_bytes());
    let is_login = cookie.is_some_and(|it| !it.windows(9).any(|part| part == b"Max-Age=0"));
    assert!(!is_login, "logged in: {input:?}");
}

fuzz_target!(|input: Input<'_>| BED.with(|bed| check(bed, &input)));
