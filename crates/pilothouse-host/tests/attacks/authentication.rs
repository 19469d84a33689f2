//! Every operation of the API with every kind of wrong credential.
//!
//! The operations are read from the API's own description, so a new one is covered as soon as it is
//! there.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use pilothouse_host::http::rest;
use serde_json::{Value, json};

use super::raw::{Target, upgrade};

/// Operations that work without a credential. Whoever adds one here explains why a stranger may
/// call it.
const PUBLIC: [&str; 4] = ["getHealth", "proveDaemon", "logIn", "logOut"];

/// An operation with its parameters filled in and a body that it would accept.
struct Operation {
    id: String,
    method: String,
    path: String,
    body: String,
}

fn operations(session: &str) -> Vec<Operation> {
    let document = rest::document();
    let mut found = Vec::new();
    for (path, methods) in document["paths"].as_object().unwrap() {
        for (method, operation) in methods.as_object().unwrap() {
            let id = operation["operationId"].as_str().unwrap().to_owned();
            let parts = path.split('/').map(|part| match part {
                "{approval}" => "1".to_owned(),
                "{digest}" => "0".repeat(64),
                "{policy}" => "supervised".to_owned(),
                _ if part.starts_with('{') => session.to_owned(),
                _ => part.to_owned(),
            });
            let path = parts.collect::<Vec<_>>().join("/");
            let content = &operation["requestBody"]["content"]["application/json"];
            let body = match (method.as_str(), &content["example"]) {
                ("get" | "delete", _) => String::new(),
                (_, Value::Null) => "{}".to_owned(),
                (_, example) => example.to_string(),
            };
            found.push(Operation { id, method: method.to_uppercase(), path, body });
        }
    }
    found
}

/// A wrong credential: its name, header lines, a query, and the status that it is refused with.
struct Credential {
    name: &'static str,
    lines: Vec<String>,
    query: String,
    status: u16,
}

fn header(name: &'static str, line: impl Into<String>) -> Credential {
    Credential { name, lines: vec![line.into()], query: String::new(), status: 401 }
}

fn bearer(name: &'static str, value: impl std::fmt::Display) -> Credential {
    header(name, format!("Authorization: Bearer {value}"))
}

fn twice(name: &'static str, first: &str, second: &str) -> Credential {
    let lines = [first, second].map(|value| format!("Authorization: {value}")).into();
    Credential { name, lines, query: String::new(), status: 400 }
}

fn query(name: &'static str, query: String, status: u16) -> Credential {
    Credential { name, lines: Vec::new(), query, status }
}

/// Another byte of the alphabet of tokens.
fn other(byte: char) -> char {
    if byte == 'a' { 'b' } else { 'a' }
}

fn changed_at(token: &str, at: usize) -> String {
    token.chars().enumerate().map(|(n, c)| if n == at { other(c) } else { c }).collect()
}

fn swapped_case(token: &str) -> String {
    let swap = |c: char| match c.is_ascii_lowercase() {
        true => c.to_ascii_uppercase(),
        false => c.to_ascii_lowercase(),
    };
    token.chars().map(swap).collect()
}

fn credentials(token: &str, port: &str) -> Vec<Credential> {
    let last = token.len() - 1;
    let right = format!("Bearer {token}");
    let reversed: String = token.chars().rev().collect();
    let wide: String =
        token.chars().filter_map(|c| char::from_u32(u32::from(c) + 0xfee0)).collect();
    let percent: String = token.bytes().map(|byte| format!("%{byte:02x}")).collect();
    let basic = |text: String| format!("Authorization: Basic {}", STANDARD.encode(text));
    vec![
        Credential { name: "none", lines: Vec::new(), query: String::new(), status: 401 },
        header("empty header", "Authorization:"),
        header("scheme alone", "Authorization: Bearer"),
        header("scheme and a space", "Authorization: Bearer "),
        bearer("another token", format!("ph_{}", "0".repeat(43))),
        bearer("without its prefix", &token["ph_".len()..]),
        bearer("first byte changed", changed_at(token, 0)),
        bearer("middle byte changed", changed_at(token, token.len() / 2)),
        bearer("last byte changed", changed_at(token, last)),
        bearer("first byte missing", &token[1..]),
        bearer("last byte missing", &token[..last]),
        bearer("first half", &token[..token.len() / 2]),
        bearer("one byte more", format!("{token}a")),
        bearer("one byte before", format!("a{token}")),
        bearer("padding", format!("{token}=")),
        bearer("twice in one", format!("{token}{token}")),
        bearer("upper case", token.to_uppercase()),
        bearer("lower case", token.to_lowercase()),
        bearer("case swapped", swapped_case(token)),
        bearer("reversed", reversed),
        // A header with other than ASCII letters is malformed.
        Credential { status: 400, ..bearer("full-width letters", wide) },
        bearer("percent-encoded", percent),
        bearer("base64 of it", STANDARD.encode(token)),
        bearer("in quotes", format!("\"{token}\"")),
        bearer("in angle brackets", format!("<{token}>")),
        bearer("a space inside", format!("{} {}", &token[..5], &token[5..])),
        bearer("a parameter behind", format!("{token}; realm=x")),
        bearer("a comma behind", format!("{token},")),
        bearer("two in one header", format!("{token}, Bearer {token}")),
        bearer("wrong and right in one header", format!("x, Bearer {token}")),
        bearer("the scheme twice", format!("Bearer {token}")),
        bearer("null", "null"),
        bearer("undefined", "undefined"),
        bearer("a star", "*"),
        bearer("SQL", "' OR '1'='1"),
        bearer("a format", "%s%n"),
        bearer("a path to it", "@/data/token"),
        bearer("8 kB", "a".repeat(8 << 10)),
        header("no scheme", format!("Authorization: {token}")),
        header("no space", format!("Authorization: Bearer{token}")),
        header("a colon", format!("Authorization: Bearer: {token}")),
        header("an equals sign", format!("Authorization: Bearer={token}")),
        header("a tab", format!("Authorization: Bearer\t{token}")),
        header("Basic with the token", format!("Authorization: Basic {token}")),
        header("Basic with the token as the user", basic(format!("{token}:"))),
        header("Basic with the token as the password", basic(format!(":{token}"))),
        header("Basic admin", basic("admin:admin".into())),
        header("Digest", format!("Authorization: Digest {token}")),
        header("Token", format!("Authorization: Token {token}")),
        header("Negotiate", format!("Authorization: Negotiate {token}")),
        header("for a proxy", format!("Proxy-Authorization: {right}")),
        header("X-Authorization", format!("X-Authorization: {right}")),
        header("X-Api-Key", format!("X-Api-Key: {token}")),
        header("X-Auth-Token", format!("X-Auth-Token: {token}")),
        header("X-Forwarded-Authorization", format!("X-Forwarded-Authorization: {right}")),
        header("X-Forwarded-User", "X-Forwarded-User: owner"),
        header("X-Forwarded-For", "X-Forwarded-For: 127.0.0.1"),
        header("X-Original-URL", "X-Original-URL: /api/v1/health"),
        header("X-Rewrite-URL", "X-Rewrite-URL: /api/v1/health"),
        header("X-HTTP-Method-Override", "X-HTTP-Method-Override: GET"),
        header("WebSocket protocol", format!("Sec-WebSocket-Protocol: bearer, {token}")),
        header("From", "From: owner@localhost"),
        header("a cookie with the token", format!("Cookie: token={token}")),
        header("a cookie with the header", format!("Cookie: Authorization={right}")),
        header("our cookie with the token", format!("Cookie: pilothouse_{port}={token}")),
        header("our cookie, empty", format!("Cookie: pilothouse_{port}=")),
        twice("two headers, both right", &right, &right),
        twice("two headers, the first right", &right, "Bearer x"),
        twice("two headers, the second right", "Bearer x", &right),
        twice("two headers, the second empty", &right, ""),
        query("query: token", format!("token={token}"), 400),
        query("query: access_token", format!("access_token={token}"), 400),
        query("query: api_key", format!("api_key={token}"), 400),
        query("query: authorization", format!("authorization=Bearer+{token}"), 400),
        query("query: disguised", format!("%74oken={token}"), 400),
        query("query: key", format!("key={token}"), 401),
        query("query: code", format!("code={token}"), 401),
    ]
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_operation_rejects_every_wrong_credential() {
    let target = Target::open().await;
    let session = target.session().await.to_string();
    let token = target.place.token.clone();
    let before = target.stored();
    let host = format!("Host: {}", target.place.address);
    let all = operations(&session);
    let public = all.iter().map(|operation| &*operation.id).filter(|id| PUBLIC.contains(id));
    assert_eq!(public.count(), PUBLIC.len());
    let private: Vec<_> = all.iter().filter(|it| !PUBLIC.contains(&&*it.id)).collect();
    assert!(private.len() >= 64, "{}", private.len());
    let credentials = credentials(&token, target.port());
    for operation in &private {
        for credential in &credentials {
            let mut lines = vec![host.clone(), "Content-Type: application/json".to_owned()];
            if operation.path.ends_with("/ws") {
                lines.extend(upgrade());
            }
            lines.extend(credential.lines.iter().cloned());
            let mark = if credential.query.is_empty() { "" } else { "?" };
            let start =
                format!("{} {}{mark}{}", operation.method, operation.path, credential.query);
            let reply = target.ask(&start, &lines, &operation.body).await;
            let row = format!("{} with {}", operation.id, credential.name);
            assert_eq!(reply.status(), credential.status, "{row}: {reply:?}");
            assert!(!reply.has_header("set-cookie"), "{row}: {reply:?}");
            assert!(!reply.0.contains(&token), "{row}: {reply:?}");
        }
    }
    assert_eq!(target.stored(), before, "no handler had an effect");
    assert!(!target.bed.path("data/runs").exists(), "nothing was started");
    assert!(!target.bed.path("data/policies").join("supervised.toml").exists());
    let now = std::fs::read_to_string(target.bed.path("data/token")).unwrap();
    assert_eq!(now.trim(), token, "the token was not replaced");
    // The same requests have an effect with the right credential.
    let known = [host, "Content-Type: application/json".to_owned(), target.bearer()];
    let body = json!({"title": "changed"}).to_string();
    let path = format!("/api/v1/sessions/{session}");
    assert_eq!(target.ask(&format!("PATCH {path}"), &known, &body).await.status(), 200);
    assert_eq!(target.ask(&format!("DELETE {path}"), &known, "").await.status(), 204);
    target.close().await;
}

/// Another spelling of a path that a router might take for the same.
fn disguises(path: &str) -> Vec<(&'static str, String)> {
    let (start, last) = path.rsplit_once('/').unwrap();
    let first = last.chars().next().unwrap();
    let mut upper = last.to_uppercase();
    if upper == last {
        upper = last.to_lowercase();
    }
    vec![
        ("a slash behind", format!("{path}/")),
        ("two slashes behind", format!("{path}//")),
        ("two slashes before", format!("/{path}")),
        ("two slashes inside", format!("{start}//{last}")),
        ("other case", format!("{start}/{upper}")),
        ("upper case of the prefix", path.replacen("/api", "/API", 1)),
        ("an encoded letter", format!("{start}/%{:02x}{}", u32::from(first), &last[1..])),
        ("an encoded slash", format!("{start}%2f{last}")),
        ("an encoded prefix", path.replacen("/api", "/%61pi", 1)),
        ("a dot", format!("{start}/./{last}")),
        ("two dots", format!("{start}/x/../{last}")),
        ("encoded dots", format!("{start}/x/%2e%2e/{last}")),
        ("from a public path", format!("/api/v1/health/..{path}")),
        ("from an asset", format!("/assets/..{path}")),
        ("a backslash", format!("{start}\\{last}")),
        ("an encoded backslash", format!("{start}%5c{last}")),
        ("a path parameter", format!("{path};jsessionid=1")),
        ("a path parameter inside", format!("{start};x/{last}")),
        ("an ending", format!("{path}.json")),
        ("a page's ending", format!("{path}/app.js")),
        ("NUL", format!("{path}%00")),
        ("a space", format!("{path}%20")),
        ("a line break", format!("{path}%0d%0a")),
        ("a question mark", format!("{path}?")),
        ("an encoded question mark", format!("{path}%3f")),
        ("a fragment", format!("{path}#/api/v1/health")),
        ("an address", format!("http://localhost{path}")),
    ]
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn no_spelling_of_a_path_gets_around_the_credential() {
    let target = Target::open().await;
    let session = target.session().await.to_string();
    let before = target.stored();
    let host = format!("Host: {}", target.place.address);
    let lines = [host, "Content-Type: application/json".to_owned()];
    for operation in operations(&session) {
        if PUBLIC.contains(&&*operation.id) {
            continue;
        }
        for (name, path) in disguises(&operation.path) {
            for method in [&*operation.method, "HEAD", "OPTIONS"] {
                let start = format!("{method} {path}");
                let reply = target.ask(&start, &lines, &operation.body).await;
                let row = format!("{} with {name}: {start}", operation.id);
                assert!((400..500).contains(&reply.status()), "{row}: {reply:?}");
            }
        }
    }
    assert_eq!(target.stored(), before, "no handler had an effect");
    assert!(!target.bed.path("data/runs").exists(), "nothing was started");
    target.serves_its_owner().await;
    target.close().await;
}
