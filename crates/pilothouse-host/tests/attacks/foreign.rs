//! Requests for other hosts and from other pages, each with the right token.

use serde_json::json;

use super::raw::{Target, owned, upgrade};

/// What a foreign request is tried on.
struct Surface {
    name: &'static str,
    start: &'static str,
    lines: Vec<String>,
    body: String,
}

fn surfaces(target: &Target) -> Vec<Surface> {
    let json = || owned(&["Content-Type: application/json"]);
    let session = json!({"cwd": target.bed.path("work"), "title": "foreign"}).to_string();
    let code = json!({"code": "a".repeat(43)}).to_string();
    let surface =
        |name, start, lines, body: &str| Surface { name, start, lines, body: body.into() };
    vec![
        surface("read", "GET /api/v1/sessions", Vec::new(), ""),
        surface("write", "POST /api/v1/sessions", json(), &session),
        surface("WebSocket", "GET /api/v1/ws", upgrade(), ""),
        surface("login", "POST /api/v1/login", json(), &code),
        surface("login link", "POST /api/v1/login/links", json(), "{}"),
        surface("logout", "POST /api/v1/logout", Vec::new(), ""),
        surface("health", "GET /api/v1/health", Vec::new(), ""),
        surface("metrics", "GET /metrics", Vec::new(), ""),
        surface("page", "GET /", Vec::new(), ""),
    ]
}

/// A foreign request: its name and the lines that make it one, the `Host` line among them.
struct Row {
    name: String,
    lines: Vec<String>,
}

fn hosts(port: &str) -> Vec<Row> {
    let names = [
        "evil.example",
        "evil.example:PORT",
        "localhost",
        "localhost:1",
        "localhost:80",
        "localhost:443",
        "localhost:PORT0",
        "localhost:PORT:80",
        "localhost:+PORT",
        "localhost:-PORT",
        "localhost:",
        "localhost:PORT.",
        "localhost:0xPORT",
        "localhost.evil.example:PORT",
        "evil.localhost:PORT",
        "evil-localhost:PORT",
        "localhost-evil:PORT",
        "notlocalhost:PORT",
        "localhost.localdomain:PORT",
        "localhost..:PORT",
        ".localhost:PORT",
        "local-host:PORT",
        "127.0.0.1",
        "127.0.0.1:1",
        "127.0.0.1.evil.example:PORT",
        "evil.127.0.0.1:PORT",
        "127.0.0.1.:PORT",
        "127.0.0.256:PORT",
        "127.0.0.1.1:PORT",
        "127.1:PORT",
        "127.0.1:PORT",
        "127.000.000.001:PORT",
        "0177.0.0.1:PORT",
        "0177.1:PORT",
        "0x7f.0.0.1:PORT",
        "0x7f.1:PORT",
        "0x7f000001:PORT",
        "0X7F000001:PORT",
        "017700000001:PORT",
        "2130706433:PORT",
        "0:PORT",
        "0.0.0.0:PORT",
        "10.0.0.1:PORT",
        "192.168.0.1:PORT",
        "172.17.0.1:PORT",
        "169.254.169.254:PORT",
        "255.255.255.255:PORT",
        "128.0.0.1:PORT",
        "[::]:PORT",
        "[::1]",
        "[::1]:1",
        "[::2]:PORT",
        "[::1%25lo]:PORT",
        "[::1%lo]:PORT",
        "[fe80::1]:PORT",
        "[::ffff:10.0.0.1]:PORT",
        "[::127.0.0.1]:PORT",
        "[64:ff9b::7f00:1]:PORT",
        "[::1:PORT",
        "::1:PORT",
        "[::1]evil.example:PORT",
        "[localhost]:PORT",
        "[127.0.0.1]:PORT",
        "[v1.localhost]:PORT",
        "user@localhost:PORT",
        "user:password@localhost:PORT",
        "localhost:PORT@evil.example",
        "localhost:PORT/evil",
        "localhost:PORT?evil",
        "localhost:PORT#evil",
        "localhost:PORT\\evil",
        "localhost:PORT,evil.example",
        "localhost:PORT, localhost:PORT",
        "localhost:PORT evil.example",
        "local host:PORT",
        "http://localhost:PORT",
        "//localhost:PORT",
        "\"localhost\":PORT",
        "'localhost:PORT'",
        "*:PORT",
        "*.localhost:PORT",
        "%6cocalhost:PORT",
        "localhost%00.evil.example:PORT",
        "lоcalhost:PORT",
        "ⓛocalhost:PORT",
        "localhost。:PORT",
        "xn--lcalhost-23a:PORT",
        "xn--80ak6aa92e.com:PORT",
        "pilothouse:PORT",
        "pilothouse.local:PORT",
        "",
        ":PORT",
        "PORT",
    ];
    let host = |name: &str| Row {
        name: format!("Host: {name}"),
        lines: vec![format!("Host: {}", name.replace("PORT", port))],
    };
    let good = format!("Host: localhost:{port}");
    let evil = || "Host: evil.example".to_owned();
    let claim =
        |line: String| Row { name: format!("evil host with {line}"), lines: vec![evil(), line] };
    let mut rows: Vec<_> = names.iter().map(|name| host(name)).collect();
    rows.push(Row { name: "no host".into(), lines: Vec::new() });
    rows.push(Row {
        name: "two hosts, both right".into(),
        lines: vec![good.clone(), good.clone()],
    });
    rows.push(Row { name: "two hosts, the first right".into(), lines: vec![good.clone(), evil()] });
    rows.push(Row {
        name: "two hosts, the second right".into(),
        lines: vec![evil(), good.clone()],
    });
    rows.extend(
        [
            format!("X-Forwarded-Host: localhost:{port}"),
            format!("X-Host: localhost:{port}"),
            format!("X-Original-Host: localhost:{port}"),
            format!("X-Forwarded-Server: localhost:{port}"),
            format!("Forwarded: host=localhost:{port};proto=http;for=127.0.0.1"),
            "X-Forwarded-For: 127.0.0.1".to_owned(),
            "X-Real-IP: 127.0.0.1".to_owned(),
            format!("Origin: http://localhost:{port}"),
            "Sec-Fetch-Site: same-origin".to_owned(),
            format!("Referer: http://localhost:{port}/"),
        ]
        .map(claim),
    );
    rows
}

fn origins(port: &str) -> Vec<Row> {
    let origins = [
        "null",
        "NULL",
        "",
        "undefined",
        "*",
        "http://evil.example",
        "http://evil.example:PORT",
        "https://evil.example",
        "https://localhost:PORT",
        "http://localhost",
        "http://localhost:1",
        "http://localhost:PORT0",
        "http://localhost:PORT.evil.example",
        "http://localhost.evil.example:PORT",
        "http://evil.localhost:PORT",
        "http://evil-localhost:PORT",
        "http://127.0.0.1:PORT",
        "http://127.0.0.1:1",
        "http://[::1]:PORT",
        "http://127.1:PORT",
        "http://2130706433:PORT",
        "http://0x7f000001:PORT",
        "http://0177.0.0.1:PORT",
        "http://0.0.0.0:PORT",
        "http://[::ffff:127.0.0.1]:PORT",
        "http://[::]:PORT",
        "http://user@localhost:PORT",
        "http://localhost:PORT@evil.example",
        "http://localhost:PORT/",
        "http://localhost:PORT/evil",
        "http://localhost:PORT?evil",
        "http://localhost:PORT#evil",
        "http://localhost:PORT\\evil",
        "http://localhost:PORT:80",
        "http://localhost:PORT http://evil.example",
        "http://evil.example http://localhost:PORT",
        "http://localhost:PORT, http://evil.example",
        "http://localhost:PORT,",
        "HTTP://localhost:PORT",
        "http:localhost:PORT",
        "http:/localhost:PORT",
        "http:///localhost:PORT",
        "//localhost:PORT",
        "localhost:PORT",
        "://localhost:PORT",
        "ws://localhost:PORT",
        "wss://localhost:PORT",
        "ftp://localhost:PORT",
        "app://localhost:PORT",
        "tauri://localhost:PORT",
        "capacitor://localhost",
        "vscode-webview://localhost:PORT",
        "file://",
        "file://localhost:PORT",
        "chrome-extension://localhost:PORT",
        "moz-extension://abcdef",
        "data:text/html,x",
        "about:blank",
        "about://localhost:PORT",
        "blob:http://localhost:PORT/0b1c",
        "view-source:http://localhost:PORT",
        "javascript://localhost:PORT",
        "http://lоcalhost:PORT",
        "http://xn--lcalhost-23a:PORT",
        "http://%6cocalhost:PORT",
        "http://localhost:+PORT",
        "http://localhost:",
    ];
    let host = format!("Host: localhost:{port}");
    let own = format!("Origin: http://localhost:{port}");
    let row = |name: String, lines: Vec<String>| Row {
        name,
        lines: [vec![host.clone()], lines].concat(),
    };
    let site = |value: &str| format!("Sec-Fetch-Site: {value}");
    let mut rows: Vec<_> = origins
        .iter()
        .map(|origin| {
            row(
                format!("Origin: {origin}"),
                vec![format!("Origin: {}", origin.replace("PORT", port))],
            )
        })
        .collect();
    rows.push(row("two origins, both right".into(), vec![own.clone(), own.clone()]));
    rows.push(row(
        "two origins, the second foreign".into(),
        vec![own.clone(), "Origin: null".into()],
    ));
    rows.push(row(
        "two origins, the first foreign".into(),
        vec!["Origin: null".into(), own.clone()],
    ));
    for value in ["cross-site", "same-site", "", "Same-Origin", "same-origin, cross-site", "x"] {
        rows.push(row(format!("Sec-Fetch-Site: {value}"), vec![site(value)]));
        rows.push(row(
            format!("own origin, Sec-Fetch-Site: {value}"),
            vec![own.clone(), site(value)],
        ));
    }
    rows.push(row("two sites".into(), vec![site("same-origin"), site("cross-site")]));
    for (mode, dest) in [
        ("navigate", "iframe"),
        ("navigate", "frame"),
        ("navigate", "embed"),
        ("navigate", "object"),
        ("no-cors", "image"),
        ("no-cors", "script"),
        ("no-cors", "style"),
        ("cors", "empty"),
        ("websocket", "websocket"),
    ] {
        let lines = vec![
            site("cross-site"),
            format!("Sec-Fetch-Mode: {mode}"),
            format!("Sec-Fetch-Dest: {dest}"),
        ];
        rows.push(row(format!("cross-site {mode} of {dest}"), lines));
    }
    let referer =
        |line: &str| vec![format!("Origin: {line}"), format!("Referer: http://localhost:{port}/")];
    rows.push(row("a foreign origin with our referer".into(), referer("http://evil.example")));
    let claims = vec![
        "Origin: http://evil.example".into(),
        "X-Forwarded-Proto: http".into(),
        "X-Forwarded-Host: evil.example".into(),
    ];
    rows.push(row("a foreign origin that a proxy vouches for".into(), claims));
    rows
}

async fn refused(target: &Target, rows: &[Row], statuses: &[u16], problems: &[&str]) {
    let before = target.stored();
    for row in rows {
        for surface in surfaces(target) {
            let lines = [row.lines.clone(), vec![target.bearer()], surface.lines.clone()].concat();
            let reply = target.ask(surface.start, &lines, &surface.body).await;
            let name = format!("{} ({})", row.name, surface.name);
            assert!(statuses.contains(&reply.status()), "{name}: {reply:?}");
            // A bare status comes from the parser below the guard.
            let problem = reply.problem();
            assert!(problem.is_empty() || problems.contains(&problem), "{name}: {reply:?}");
            assert!(!reply.has_header("set-cookie"), "{name}: {reply:?}");
            assert!(!reply.has_header("access-control-allow-origin"), "{name}: {reply:?}");
        }
    }
    assert_eq!(target.stored(), before, "no handler had an effect");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn requests_for_other_hosts_are_rejected() {
    let target = Target::open().await;
    let rows = hosts(target.port());
    refused(&target, &rows, &[400, 421], &["wrong-host", "bad-host"]).await;
    target.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn requests_from_other_pages_are_rejected() {
    let target = Target::open().await;
    let rows = origins(target.port());
    refused(&target, &rows, &[400, 403], &["foreign-origin", "bad-request"]).await;
    target.close().await;
}

/// Request targets that name a host: the line and the `Host` header must agree.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn addresses_in_the_request_line_cannot_name_another_host() {
    let target = Target::open().await;
    let (port, before) = (target.port().to_owned(), target.stored());
    let host = format!("Host: localhost:{port}");
    let table = [
        "http://evil.example/api/v1/sessions",
        "http://evil.example:PORT/api/v1/sessions",
        "http://localhost/api/v1/sessions",
        "http://localhost:1/api/v1/sessions",
        "http://127.0.0.1:PORT/api/v1/sessions",
        "http://user@localhost:PORT/api/v1/sessions",
        "http://localhost:PORT@evil.example/api/v1/sessions",
        "http://localhost.evil.example:PORT/api/v1/sessions",
        "https://evil.example/api/v1/sessions",
        "ws://evil.example/api/v1/sessions",
        "evil://evil.example/api/v1/sessions",
        "file:///api/v1/sessions",
        "//evil.example/api/v1/sessions",
        "evil.example:80",
        "*",
        "api/v1/sessions",
        "",
    ];
    let body = json!({"cwd": target.bed.path("work"), "title": "foreign"}).to_string();
    for address in table {
        let address = address.replace("PORT", &port);
        for method in ["GET", "POST", "OPTIONS", "CONNECT"] {
            let lines = [host.clone(), target.bearer(), "Content-Type: application/json".into()];
            let body = if method == "POST" { &*body } else { "" };
            let reply = target.ask(&format!("{method} {address}"), &lines, body).await;
            assert!((400..500).contains(&reply.status()), "{method} {address}: {reply:?}");
        }
    }
    assert_eq!(target.stored(), before, "no handler had an effect");
    target.close().await;
}

/// The controls of the tables above: what differs from a row by its foreign part alone is served.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn requests_for_this_host_and_from_its_pages_are_served() {
    let target = Target::open().await;
    let port = target.port();
    let hosts = ["localhost", "LOCALHOST", "localhost.", "127.0.0.1", "127.8.8.8", "[::1]"];
    for name in hosts {
        let host = format!("Host: {name}:{port}");
        let origin = format!("Origin: http://{}:{port}", name.to_lowercase());
        for more in
            [vec![], vec![origin.clone()], vec![origin, "Sec-Fetch-Site: same-origin".into()]]
        {
            let lines = [vec![host.clone(), target.bearer()], more].concat();
            let reply = target.ask("GET /api/v1/sessions", &lines, "").await;
            assert_eq!(reply.status(), 200, "{lines:?}: {reply:?}");
        }
    }
    // What a proxy claims is not believed, and does not get in the way.
    let claims = owned(&["X-Forwarded-Host: evil.example", "X-Forwarded-Proto: https"]);
    let lines = [vec![format!("Host: localhost:{port}"), target.bearer()], claims].concat();
    assert_eq!(target.ask("GET /api/v1/sessions", &lines, "").await.status(), 200);
    target.close().await;
}
