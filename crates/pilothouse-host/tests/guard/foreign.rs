//! The table of hostile requests, second part: from where they come. And those who are welcome.

use crate::bed::Bed;
use crate::hostile::{Plain, check_all, known, lines};

const WS: [&str; 4] = [
    "Connection: Upgrade",
    "Upgrade: websocket",
    "Sec-WebSocket-Version: 13",
    "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==",
];

#[tokio::test]
async fn what_comes_from_elsewhere_is_refused() {
    let bed = Bed::start().await;
    let host = bed.host();
    let known = |more: &[&str]| known(&bed, more);
    let ws = |more: &[String]| [lines(&WS), more.to_vec()].concat();
    let page = crate::bed::log_in(&bed).await;
    let cookie = page.cookie.clone();
    let get = "GET /api/v1/who";
    let post = "POST /api/v1/wish";
    let wish = || r#"{"text":"a"}"#.to_owned();
    let json = "Content-Type: application/json";
    let port = bed.address.port();
    let table = vec![
        (
            "foreign origin",
            Plain(get, known(&["Origin: http://evil.example"]), String::new()),
            403,
            "foreign-origin",
        ),
        (
            "no origin worth the name",
            Plain(get, known(&["Origin: null"]), String::new()),
            403,
            "foreign-origin",
        ),
        (
            "origin of another port",
            Plain(get, known(&["Origin: http://localhost:1"]), String::new()),
            403,
            "foreign-origin",
        ),
        (
            "origin of another scheme",
            Plain(get, known(&[&format!("Origin: https://{host}")]), String::new()),
            403,
            "foreign-origin",
        ),
        (
            "origin is another name of ours",
            Plain(get, known(&[&format!("Origin: http://127.0.0.1:{port}")]), String::new()),
            403,
            "foreign-origin",
        ),
        (
            "two origins",
            Plain(get, known(&[&format!("Origin: http://{host}"), "Origin: null"]), String::new()),
            400,
            "bad-request",
        ),
        (
            "cross-site fetch",
            Plain(get, known(&["Sec-Fetch-Site: cross-site"]), String::new()),
            403,
            "foreign-origin",
        ),
        (
            "same-site fetch",
            Plain(get, known(&["Sec-Fetch-Site: same-site"]), String::new()),
            403,
            "foreign-origin",
        ),
        (
            "cross-site navigation to the API",
            Plain(
                get,
                known(&[
                    "Sec-Fetch-Site: cross-site",
                    "Sec-Fetch-Mode: navigate",
                    "Sec-Fetch-Dest: document",
                ]),
                String::new(),
            ),
            403,
            "foreign-origin",
        ),
        (
            "cross-site frame of a page",
            Plain(
                "GET /",
                lines(&[
                    "Sec-Fetch-Site: cross-site",
                    "Sec-Fetch-Mode: navigate",
                    "Sec-Fetch-Dest: iframe",
                ]),
                String::new(),
            ),
            403,
            "foreign-origin",
        ),
        (
            "cookie upgrade without origin",
            Plain("GET /api/v1/ws", ws(&[cookie.clone(), page.offer()]), String::new()),
            403,
            "origin-missing",
        ),
        (
            "cookie upgrade without origin that claims the same origin",
            Plain(
                "GET /api/v1/ws",
                ws(&[cookie.clone(), page.offer(), "Sec-Fetch-Site: same-origin".into()]),
                String::new(),
            ),
            403,
            "origin-missing",
        ),
        (
            "cookie upgrade with a foreign origin",
            Plain(
                "GET /api/v1/ws",
                ws(&[cookie.clone(), page.offer(), "Origin: http://evil.example".into()]),
                String::new(),
            ),
            403,
            "foreign-origin",
        ),
        (
            "browser upgrade without origin",
            Plain("GET /api/v1/ws", ws(&known(&["User-Agent: Mozilla/5.0 (X11)"])), String::new()),
            403,
            "origin-missing",
        ),
        (
            "upgrade that fetches without origin",
            Plain("GET /api/v1/ws", ws(&known(&["Sec-Fetch-Mode: websocket"])), String::new()),
            403,
            "origin-missing",
        ),
        (
            "upgrade of a stranger",
            Plain("GET /api/v1/ws", ws(&[]), String::new()),
            401,
            "not-authenticated",
        ),
        (
            "no upgrade at all",
            Plain("GET /api/v1/ws", known(&[]), String::new()),
            400,
            "bad-request",
        ),
        (
            "cookie changes something without origin",
            Plain(post, vec![cookie.clone(), page.proof(post), json.into()], wish()),
            403,
            "origin-missing",
        ),
        (
            "cookie upgrade without a proof",
            Plain(
                "GET /api/v1/ws",
                ws(&[cookie.clone(), format!("Origin: http://{host}")]),
                String::new(),
            ),
            401,
            "not-authenticated",
        ),
        (
            "preflight of another site",
            Plain(
                "OPTIONS /api/v1/wish",
                lines(&["Origin: http://evil.example", "Access-Control-Request-Method: POST"]),
                String::new(),
            ),
            403,
            "foreign-origin",
        ),
    ];
    check_all(&bed, table).await;
}

#[tokio::test]
async fn who_is_welcome_gets_in() {
    let bed = Bed::start().await;
    let (host, bearer) = (bed.host(), bed.bearer());
    let origin = format!("Origin: http://{host}");
    let page = crate::bed::log_in(&bed).await;
    let cookie = &*page.cookie;
    let (read, write) = (page.proof("GET /api/v1/who"), page.proof("POST /api/v1/wish"));
    let json = "Content-Type: application/json";
    let wish = r#"{"text":"a"}"#;
    let link =
        ["Sec-Fetch-Site: cross-site", "Sec-Fetch-Mode: navigate", "Sec-Fetch-Dest: document"];
    let table: Vec<(&str, &str, Vec<&str>, &str)> = vec![
        ("a program", "GET /api/v1/who", vec![&bearer], ""),
        ("a program, scheme in lower case", "GET /api/v1/who", vec![&bearer], ""),
        ("a program that says", "POST /api/v1/wish", vec![&bearer, json], wish),
        ("our page with the token", "GET /api/v1/who", vec![&bearer, &origin], ""),
        ("our page", "GET /api/v1/who", vec![cookie, &read, "Sec-Fetch-Site: same-origin"], ""),
        ("our page, an old browser", "GET /api/v1/who", vec![cookie, &read], ""),
        (
            "our page changes something",
            "POST /api/v1/wish",
            vec![cookie, &write, json, &origin],
            wish,
        ),
        (
            "our page changes something, says so otherwise",
            "POST /api/v1/wish",
            vec![cookie, &write, json, "Sec-Fetch-Site: same-origin"],
            wish,
        ),
        ("typed into the address bar", "GET /", vec!["Sec-Fetch-Site: none"], ""),
        ("a link on another site", "GET /", link.to_vec(), ""),
        ("a page", "GET /login", vec![], ""),
        ("an asset", "GET /assets/js/app.js", vec![], ""),
        ("health", "GET /api/v1/health", vec![], ""),
        ("head", "HEAD /", vec![], ""),
    ];
    for (name, start, lines, body) in table {
        let reply = bed.ask(start, &lines, body).await;
        assert_eq!(reply.status, 200, "{name}: {reply:?}");
    }
    for name in ["pilot.example", "localhost:5173", &format!("127.0.0.1:{}", bed.address.port())] {
        let request = format!(
            "GET /api/v1/who HTTP/1.1\r\nHost: {name}\r\nOrigin: http://{name}\r\n{bearer}\r\n\
             Connection: close\r\n\r\n"
        );
        assert_eq!(bed.send(request.as_bytes()).await.status, 200, "{name}");
    }
    // A proxy that speaks TLS before us.
    let request = format!(
        "GET /api/v1/who HTTP/1.1\r\nHost: pilot.example\r\nOrigin: https://pilot.example\r\n\
         {bearer}\r\nConnection: close\r\n\r\n"
    );
    assert_eq!(bed.send(request.as_bytes()).await.status, 200);
}
