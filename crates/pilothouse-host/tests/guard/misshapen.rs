//! The table of hostile requests, third part: what is sent, how much of it, and where to.

use crate::bed::Bed;
use crate::hostile::{Plain, Raw, check_all, known};

#[tokio::test]
async fn what_does_not_fit_is_refused() {
    let bed = Bed::start().await;
    let known = |more: &[&str]| known(&bed, more);
    let post = "POST /api/v1/wish";
    let wish = || r#"{"text":"a"}"#.to_owned();
    let json = "Content-Type: application/json";
    let table = vec![
        (
            "JSON as text",
            Plain(post, known(&["Content-Type: text/plain"]), wish()),
            415,
            "unsupported-media-type",
        ),
        (
            "a form",
            Plain(
                post,
                known(&["Content-Type: application/x-www-form-urlencoded"]),
                "text=a".into(),
            ),
            415,
            "unsupported-media-type",
        ),
        ("no type", Plain(post, known(&[]), wish()), 415, "unsupported-media-type"),
        (
            "two types",
            Plain(post, known(&[json, "Content-Type: text/plain"]), wish()),
            400,
            "bad-request",
        ),
        ("not JSON", Plain(post, known(&[json]), "{text:1}".into()), 400, "malformed-json"),
        (
            "wrong type of a field",
            Plain(post, known(&[json]), r#"{"text":1}"#.into()),
            422,
            "invalid-input",
        ),
        (
            "unknown field",
            Plain(post, known(&[json]), r#"{"text":"a","x":1}"#.into()),
            422,
            "invalid-input",
        ),
        (
            "unknown parameter",
            Plain("GET /api/v1/things?x=1", known(&[]), String::new()),
            422,
            "invalid-input",
        ),
        (
            "bad parameter",
            Plain("GET /api/v1/things?limit=-1", known(&[]), String::new()),
            422,
            "invalid-input",
        ),
        (
            "bad id",
            Plain("GET /api/v1/things/abc", known(&[]), String::new()),
            422,
            "invalid-input",
        ),
        (
            "the framework's own refusal",
            Plain("POST /api/v1/framework", known(&[]), wish()),
            415,
            "unsupported-media-type",
        ),
        (
            "the framework's own refusal of JSON",
            Plain("POST /api/v1/framework", known(&[json]), "{".into()),
            400,
            "bad-request",
        ),
        (
            "a handler that panics",
            Plain("GET /api/v1/panic", known(&[]), String::new()),
            500,
            "internal",
        ),
    ];
    check_all(&bed, table).await;
}

#[tokio::test]
async fn what_is_too_much_is_refused() {
    let bed = Bed::start().await;
    let host = bed.host();
    let get = "GET /api/v1/who";
    let table = vec![
        (
            "a long address",
            Raw(format!(
                "GET /{} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n",
                "a".repeat(600)
            )),
            414,
            "uri-too-long",
        ),
        (
            "a huge address",
            Raw(format!("GET /{} HTTP/1.1\r\nHost: {host}\r\n\r\n", "a".repeat(70_000))),
            431,
            "",
        ),
        (
            "many headers",
            Plain(get, (0..30).map(|n| format!("X-{n}: 1")).collect(), String::new()),
            431,
            "headers-too-large",
        ),
        (
            "very many headers",
            Plain(get, (0..300).map(|n| format!("X-{n}: 1")).collect(), String::new()),
            431,
            "",
        ),
        (
            "a large header",
            Plain(get, vec![format!("X-A: {}", "a".repeat(6000))], String::new()),
            431,
            "headers-too-large",
        ),
        (
            "a huge header",
            Plain(get, vec![format!("X-A: {}", "a".repeat(60_000))], String::new()),
            431,
            "",
        ),
    ];
    check_all(&bed, table).await;
}

#[tokio::test]
async fn what_leads_elsewhere_is_refused() {
    let bed = Bed::start().await;
    let table = vec![
        ("dots", Plain("GET /../etc/passwd", vec![], String::new()), 400, "bad-request"),
        (
            "dots in assets",
            Plain("GET /assets/..%2f..%2fetc/passwd", vec![], String::new()),
            400,
            "bad-request",
        ),
        ("encoded dots", Plain("GET /assets/%2e%2e/x", vec![], String::new()), 400, "bad-request"),
        (
            "dots and backslashes",
            Plain("GET /assets/..%5cx", vec![], String::new()),
            400,
            "bad-request",
        ),
        (
            "dots, encoded twice",
            Plain("GET /assets/%252e%252e/x", vec![], String::new()),
            404,
            "not-found",
        ),
        ("an encoded slash", Plain("GET /assets/a%2fb", vec![], String::new()), 404, "not-found"),
        ("two slashes", Plain("GET //evil.example/", vec![], String::new()), 404, "not-found"),
        ("a zero byte", Plain("GET /assets/a%00.js", vec![], String::new()), 400, "bad-request"),
    ];
    check_all(&bed, table).await;
}

#[tokio::test]
async fn what_is_no_http_is_refused() {
    let bed = Bed::start().await;
    let host = bed.host();
    let known = |more: &[&str]| known(&bed, more);
    let post = "POST /api/v1/wish";
    let json = "Content-Type: application/json";
    let table = vec![
        ("noise", Raw("\x16\x03\x01 hello\r\n\r\n".into()), 400, ""),
        (
            "a space in a header's name",
            Raw(format!("GET / HTTP/1.1\r\nHost : {host}\r\n\r\n")),
            400,
            "",
        ),
        (
            "two lengths",
            Plain(post, known(&[json, "Content-Length: 5", "Content-Length: 6"]), String::new()),
            400,
            "",
        ),
    ];
    check_all(&bed, table).await;
}

#[tokio::test]
async fn a_fault_in_the_input_is_named_and_placed() {
    let bed = Bed::start().await;
    let json = ["Content-Type: application/json"];
    let reply = bed.ask_known("POST /api/v1/wish", &json, "{\n\"text\": 1}").await;
    let errors = serde_json::to_value(&reply.document().errors).unwrap();
    assert_eq!(errors[0]["in"], "body");
    assert_eq!(errors[0]["pointer"], "/text");
    assert_eq!(errors[0]["line"], 2);
    let reply = bed.ask_known("GET /api/v1/things?limit=a", &[], "").await;
    let errors = serde_json::to_value(&reply.document().errors).unwrap();
    assert_eq!((&errors[0]["in"], &errors[0]["name"]), (&"query".into(), &"limit".into()));
}
