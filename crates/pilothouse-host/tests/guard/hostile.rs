//! The table of hostile requests: from whom they are, and for whom. The other parts of it are in
//! `foreign` (from where) and `misshapen` (what, how much, where to).

use crate::bed::{Bed, Reply};

/// What a row sends.
pub(crate) enum Sends {
    /// Start line, lines, body; with a proper `Host`.
    Plain(&'static str, Vec<String>, String),
    /// Everything, byte for byte.
    Raw(String),
}
pub(crate) use Sends::{Plain, Raw};

pub(crate) fn lines(lines: &[&str]) -> Vec<String> {
    lines.iter().map(|line| (*line).to_owned()).collect()
}

/// A row of the table: its name, what is sent, and the status and problem that come back.
pub(crate) type Row<'a> = (&'a str, Sends, u16, &'a str);

/// Those who are known, with more to say.
pub(crate) fn known(bed: &Bed, more: &[&str]) -> Vec<String> {
    [vec![bed.bearer()], lines(more)].concat()
}

pub(crate) async fn check_all(bed: &Bed, table: Vec<Row<'_>>) {
    for (name, sends, status, problem) in table {
        check(bed, name, sends, status, problem).await;
    }
}

async fn check(bed: &Bed, name: &str, sends: Sends, status: u16, problem: &str) {
    let reply: Reply = match sends {
        Plain(start, lines, body) => {
            let lines: Vec<_> = lines.iter().map(String::as_str).collect();
            bed.ask(start, &lines, &body).await
        }
        Raw(text) => bed.send(text.as_bytes()).await,
    };
    assert_eq!(reply.status, status, "{name}: {reply:?}");
    match problem {
        // Below the guard: a bare status, nothing to read.
        "" => assert_eq!(reply.body, "", "{name}: {reply:?}"),
        problem => {
            assert_eq!(reply.problem(), problem, "{name}");
            assert_eq!(reply.header("x-content-type-options"), Some("nosniff"), "{name}");
            assert!(reply.header("content-security-policy").is_some(), "{name}");
        }
    }
}

#[tokio::test]
async fn who_is_not_known_is_refused() {
    let bed = Bed::start().await;
    let host = bed.host();
    let token = bed.guard.token().reveal().to_owned();
    let known = |more: &[&str]| known(&bed, more);
    let get = "GET /api/v1/who";
    let table = vec![
        ("no token", Plain(get, vec![], String::new()), 401, "not-authenticated"),
        (
            "wrong token",
            Plain(get, vec![format!("Authorization: Bearer {}x", &token[1..])], String::new()),
            401,
            "not-authenticated",
        ),
        (
            "token of another scheme",
            Plain(get, vec![format!("Authorization: Basic {token}")], String::new()),
            401,
            "not-authenticated",
        ),
        (
            "two tokens",
            Plain(get, [known(&[]), known(&[])].concat(), String::new()),
            400,
            "bad-request",
        ),
        (
            "token in the query",
            Raw(format!(
                "GET /api/v1/who?token={token} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n"
            )),
            400,
            "token-in-query",
        ),
        (
            "token in the query, disguised",
            Raw(format!(
                "GET /?%54oken={token} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n"
            )),
            400,
            "token-in-query",
        ),
        (
            "no token, no such endpoint",
            Plain("GET /api/v1/x", vec![], String::new()),
            401,
            "not-authenticated",
        ),
        (
            "no token, wrong method",
            Plain("PUT /api/v1/who", vec![], String::new()),
            401,
            "not-authenticated",
        ),
        ("no such endpoint", Plain("GET /api/v1/x", known(&[]), String::new()), 404, "not-found"),
        (
            "wrong method",
            Plain("PUT /api/v1/who", known(&[]), String::new()),
            405,
            "method-not-allowed",
        ),
        (
            "writing to a page",
            Plain("POST /", known(&[]), String::new()),
            405,
            "method-not-allowed",
        ),
        ("no such page", Plain("GET /nothing", vec![], String::new()), 404, "not-found"),
    ];
    check_all(&bed, table).await;
}

#[tokio::test]
async fn what_is_not_for_us_is_refused() {
    let bed = Bed::start().await;
    let host = bed.host();
    let bearer = bed.bearer();
    let get = "GET /api/v1/who";
    let port = bed.address.port();
    let table = vec![
        (
            "wrong host",
            Raw(format!(
                "GET / HTTP/1.1\r\nHost: evil.example:{port}\r\nConnection: close\r\n\r\n"
            )),
            421,
            "wrong-host",
        ),
        (
            "wrong host with the token",
            Raw(format!(
                "{get} HTTP/1.1\r\nHost: evil.example\r\n{bearer}\r\nConnection: close\r\n\r\n"
            )),
            421,
            "wrong-host",
        ),
        (
            "right name, wrong port",
            Raw("GET / HTTP/1.1\r\nHost: localhost:1\r\nConnection: close\r\n\r\n".into()),
            421,
            "wrong-host",
        ),
        (
            "a name that begins like ours",
            Raw(format!(
                "GET / HTTP/1.1\r\nHost: localhost.evil.example:{port}\r\nConnection: close\r\n\r\n"
            )),
            421,
            "wrong-host",
        ),
        ("no host", Raw("GET / HTTP/1.1\r\nConnection: close\r\n\r\n".into()), 400, "bad-host"),
        ("no host, old HTTP", Raw("GET / HTTP/1.0\r\n\r\n".into()), 400, "bad-host"),
        (
            "empty host",
            Raw("GET / HTTP/1.1\r\nHost:\r\nConnection: close\r\n\r\n".into()),
            400,
            "bad-host",
        ),
        (
            "two hosts",
            Raw(format!(
                "GET / HTTP/1.1\r\nHost: {host}\r\nHost: {host}\r\nConnection: close\r\n\r\n"
            )),
            400,
            "bad-host",
        ),
        (
            "host with a user",
            Raw(format!("GET / HTTP/1.1\r\nHost: a@{host}\r\nConnection: close\r\n\r\n")),
            400,
            "bad-host",
        ),
        (
            "another host in the start line",
            Raw(format!(
                "GET http://evil.example/ HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n"
            )),
            400,
            "bad-host",
        ),
    ];
    check_all(&bed, table).await;
}

#[tokio::test]
async fn answers_wear_strict_headers() {
    let bed = Bed::start().await;
    let page = bed.ask("GET /", &[], "").await;
    let policy = page.header("content-security-policy").unwrap();
    assert!(policy.contains("script-src 'self'") && policy.contains("frame-ancestors 'none'"));
    assert!(!policy.contains("unsafe") && !policy.contains("http"), "{policy}");
    let html = bed.ask_known("GET /api/v1/html", &[], "").await;
    let policy = html.header("content-security-policy").unwrap();
    assert!(policy.contains("sandbox") && !policy.contains("script"), "{policy}");
    assert_eq!(html.header("cache-control"), Some("no-store"));
    for reply in [page, html] {
        assert_eq!(reply.header("x-content-type-options"), Some("nosniff"));
        assert_eq!(reply.header("referrer-policy"), Some("no-referrer"));
        assert_eq!(reply.header("cross-origin-opener-policy"), Some("same-origin"));
        assert_eq!(reply.header("cross-origin-resource-policy"), Some("same-origin"));
        assert_eq!(reply.header("access-control-allow-origin"), None);
    }
    let stranger = bed.ask("GET /api/v1/who", &[], "").await;
    assert!(stranger.header("www-authenticate").unwrap().starts_with("Bearer"));
    let method = bed.ask_known("PUT /api/v1/who", &[], "").await;
    assert_eq!(method.header("allow"), Some("GET,HEAD"));
}
