//! Requests whose end can be read in two ways, with another request hidden where one of the readings
//! puts the end.
//!
//! The hidden request bears the right token and would create a session. Whatever the daemon answers
//! to the outer one, the hidden one must not be served.

use std::time::Duration;

use futures_util::StreamExt;
use pilothouse_host::http::guard::Limits;
use serde_json::json;

use super::raw::Target;

/// The time after which the daemon closes an idle connection here.
const IDLE: Duration = Duration::from_secs(2);

/// The number of rows that are played at once.
const AT_ONCE: usize = 32;

/// What the daemon must make of a row.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Expect {
    /// It cannot be read for sure: a 4xx, or no answer at all, and the connection is closed.
    Refused,
    /// The parser takes the head of the hidden request for trailers, and what is left is no request:
    /// nothing but 4xx.
    OnlyRefusals,
    /// It can be read: the hidden request is a part of the outer one, which gets the only answer.
    OneAnswer,
}
use Expect::{OneAnswer, OnlyRefusals, Refused};

type Row = (String, Vec<u8>, Expect);

/// Writes rows for one daemon.
struct Forge {
    head: String,
    hidden: String,
}

impl Forge {
    fn new(target: &Target) -> Self {
        let (address, bearer) = (&target.place.address, target.bearer());
        let body = json!({"cwd": target.bed.path("work"), "title": "smuggled"}).to_string();
        let hidden = format!(
            "POST /api/v1/sessions HTTP/1.1\r\nHost: {address}\r\n{bearer}\r\n\
             Content-Type: application/json\r\nContent-Length: {}\r\n\r\n{body}",
            body.len()
        );
        let head = format!("Host: {address}\r\n{bearer}\r\nContent-Type: application/json\r\n");
        Self { head, hidden }
    }

    /// A request with these lines beside the usual, and what follows its head.
    fn post(&self, lines: &str, after: &str) -> Vec<u8> {
        format!("POST /api/v1/policies/test HTTP/1.1\r\n{}{lines}\r\n\r\n{after}", self.head).into()
    }

    fn get(&self, lines: &str, after: &str) -> Vec<u8> {
        format!("GET /api/v1/version HTTP/1.1\r\n{}{lines}\r\n\r\n{after}", self.head).into()
    }

    /// With the hidden request behind the end of a chunked body that a reader of
    /// `Transfer-Encoding` would see.
    fn behind_chunks(&self, lines: &str) -> Vec<u8> {
        self.post(lines, &format!("0\r\n\r\n{}", self.hidden))
    }

    /// With the hidden request behind the first five bytes of the body.
    fn behind_five(&self, lines: &str) -> Vec<u8> {
        self.post(lines, &format!("\"five{}", self.hidden))
    }
}

fn row(name: impl Into<String>, bytes: impl Into<Vec<u8>>, expect: Expect) -> Row {
    (name.into(), bytes.into(), expect)
}

/// Both lengths, and encodings that one of two readers may not know.
fn lengths_and_encodings(forge: &Forge) -> Vec<Row> {
    let hidden = forge.hidden.len();
    let length = format!("Content-Length: {}", hidden + 5);
    let both = [
        "Transfer-Encoding: chunked",
        "transfer-encoding: chunked",
        "TRANSFER-ENCODING: CHUNKED",
        "Transfer-Encoding:chunked",
        "Transfer-Encoding:\tchunked",
        "Transfer-Encoding: chunked ",
        "Transfer-Encoding: ,chunked",
        "Transfer-Encoding: chunked,",
        "Transfer-Encoding: identity, chunked",
        "Transfer-Encoding: gzip, chunked",
        "Transfer-Encoding: chunked, chunked",
        "Transfer-Encoding: identity\r\nTransfer-Encoding: chunked",
        "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked",
    ];
    let never = [
        "Transfer-Encoding: xchunked",
        "Transfer-Encoding: chunkedx",
        "Transfer-Encoding: chunked, identity",
        "Transfer-Encoding: chunked, gzip",
        "Transfer-Encoding: chunked;q=1",
        "Transfer-Encoding: \"chunked\"",
        "Transfer-Encoding: [chunked]",
        "Transfer-Encoding: chunked\r\nTransfer-Encoding: identity",
        "Transfer-Encoding: identity",
        "Transfer-Encoding: gzip",
        "Transfer-Encoding: cow",
        "Transfer-Encoding:",
        "Transfer-Encoding : chunked",
        "Transfer-Encoding\t: chunked",
        " Transfer-Encoding: chunked",
        "X: x\r\n Transfer-Encoding: chunked",
        "Transfer-Encoding:\r\n chunked",
        "Transfer-Encoding: chun\r\n ked",
        "Transfer-Encoding: \u{b}chunked",
        "Transfer-Encoding: chunked\u{0}",
        "Transfer-Encoding: \u{0}chunked",
        "Transfer\u{0}-Encoding: chunked",
        "Transfer-Encoding: chunked\rX: y",
        "\rTransfer-Encoding: chunked",
    ];
    let mut rows = Vec::new();
    for line in both {
        for lines in [format!("{length}\r\n{line}"), format!("{line}\r\n{length}")] {
            rows.push(row(format!("both: {lines:?}"), forge.behind_chunks(&lines), Refused));
        }
    }
    for line in never {
        rows.push(row(format!("{line:?}"), forge.behind_chunks(line), Refused));
        let lines = format!("{length}\r\n{line}");
        rows.push(row(format!("{lines:?}"), forge.behind_chunks(&lines), Refused));
    }
    // Names that are others to us: the length alone counts, and covers the hidden request.
    for line in ["Transfer_Encoding: chunked", "X-Transfer-Encoding: chunked", "TE: chunked"] {
        let lines = format!("{length}\r\n{line}");
        rows.push(row(format!("{lines:?}"), forge.behind_chunks(&lines), OneAnswer));
    }
    rows
}

fn lengths(forge: &Forge) -> Vec<Row> {
    let long = forge.hidden.len() + 5;
    let bad = [
        "5\r\nContent-Length: LONG",
        "LONG\r\nContent-Length: 5",
        "5\r\nX: y\r\ncontent-length: 6",
        "5, LONG",
        "5,LONG",
        "LONG, 5",
        "+5",
        "-5",
        "-0",
        "0x5",
        "5x",
        "5.0",
        "5e0",
        "5 5",
        "5;5",
        "5,",
        ",5",
        "\"5\"",
        "five",
        "５",
        "",
        "5\u{0}",
        "5\u{b}",
        "\u{b}5",
        "18446744073709551621",
        "99999999999999999999999999",
        "5\r\n 0",
        "\r\n 5",
        "5\rX: y",
    ];
    let mut rows: Vec<_> = bad
        .iter()
        .map(|value| {
            let lines = format!("Content-Length: {}", value.replace("LONG", &long.to_string()));
            row(format!("{lines:?}"), forge.behind_five(&lines), Refused)
        })
        .collect();
    for line in [
        "Content-Length : 5",
        "Content-Length\t: 5",
        " Content-Length: 5",
        "Content\u{0}-Length: 5",
    ] {
        rows.push(row(format!("{line:?}"), forge.behind_five(line), Refused));
    }
    let whole = format!("Content-Length: {long}");
    rows.push(row("a length that covers all", forge.behind_five(&whole), OneAnswer));
    let padded = format!("Content-Length:   {long}  ");
    rows.push(row("spaces around a length", forge.behind_five(&padded), OneAnswer));
    let get = forge.get(&format!("Content-Length: {}", forge.hidden.len()), &forge.hidden);
    rows.push(row("a GET with a body", get, OneAnswer));
    let waits = format!("Content-Length: {}\r\nExpect: 100-continue", forge.hidden.len());
    rows.push(row("a body before it is asked for", forge.post(&waits, &forge.hidden), OneAnswer));
    rows
}

fn chunks(forge: &Forge) -> Vec<Row> {
    let hidden = &forge.hidden;
    let size = hidden.len();
    let te = "Transfer-Encoding: chunked";
    let bad = [
        ("no size", "\r\n\r\n"),
        ("a size that is no number", "x\r\n\r\n"),
        ("a size with 0x", "0x5\r\n\"five\r\n0\r\n\r\n"),
        ("a size with a sign", "+5\r\n\"five\r\n0\r\n\r\n"),
        ("a negative size", "-5\r\n\"five\r\n0\r\n\r\n"),
        ("a size with a space before", " 5\r\n\"five\r\n0\r\n\r\n"),
        ("a size with an underscore", "0_5\r\n\"five\r\n0\r\n\r\n"),
        ("a size beyond 64 bits", "10000000000000005\r\n\"five\r\n0\r\n\r\n"),
        ("a huge size", "FFFFFFFFFFFFFFFFFFFFFFFF\r\n\"five\r\n0\r\n\r\n"),
        ("a size with NUL", "5\0\r\n\"five\r\n0\r\n\r\n"),
        ("a size with a comma", "5,5\r\n\"five\r\n0\r\n\r\n"),
        ("a bare LF behind the size", "5\n\"five\r\n0\r\n\r\n"),
        ("a bare CR behind the size", "5\r\"five\r\n0\r\n\r\n"),
        ("a bare LF behind the chunk", "5\r\n\"five\n0\r\n\r\n"),
        ("nothing behind the chunk", "5\r\n\"five0\r\n\r\n"),
        ("two bytes too many", "5\r\n\"fivexx\r\n0\r\n\r\n"),
        ("a bare LF in an extension", "5;a\nb\r\n\"five\r\n0\r\n\r\n"),
        ("a bare LF behind the last size", "0\n\n"),
        ("a space instead of the end", "0\r\n \r\n"),
    ];
    let mut rows: Vec<_> = bad
        .iter()
        .map(|(name, body)| row(*name, forge.post(te, &format!("{body}{hidden}")), Refused))
        .collect();
    let good = [
        ("in a chunk", format!("{size:x}\r\n{hidden}\r\n0\r\n\r\n")),
        ("in a chunk, size in upper case", format!("{size:X}\r\n{hidden}\r\n0\r\n\r\n")),
        ("in a chunk, size with zeros", format!("000{size:x}\r\n{hidden}\r\n0\r\n\r\n")),
        ("in a chunk with an extension", format!("{size:x};a=b\r\n{hidden}\r\n0\r\n\r\n")),
        ("a trailer with a length", "5\r\n\"five\r\n0\r\nContent-Length: 99\r\n\r\n".to_owned()),
        (
            "a trailer with an encoding",
            "5\r\n\"five\r\n0\r\nTransfer-Encoding: x\r\n\r\n".to_owned(),
        ),
    ];
    for (name, body) in good {
        rows.push(row(name, forge.post(te, &body), OneAnswer));
    }
    let lf = forge.post(te, &format!("0\r\n\n{hidden}"));
    rows.push(row("a bare LF at the end", lf, OnlyRefusals));
    let long = format!("5;{}\r\n\"five\r\n0\r\n\r\n{hidden}", "a".repeat(64 << 10));
    rows.push(row("an extension of 64 kB", forge.post(te, &long), Refused));
    let trailers = format!("0\r\n{}\r\n{hidden}", "X-A: 1\r\n".repeat(5000));
    rows.push(row("5,000 trailers", forge.post(te, &trailers), Refused));
    rows
}

/// Heads that are no HTTP/1.1.
fn heads(forge: &Forge) -> Vec<Row> {
    let Forge { head, hidden } = forge;
    let start = |line: &str| format!("{line}\r\n{head}\r\n{hidden}");
    let line = |line: &str| format!("GET /api/v1/version HTTP/1.1\r\n{head}{line}\r\n\r\n{hidden}");
    let mut rows = Vec::new();
    let starts = [
        "GET /api/v1/version",
        "GET /api/v1/version ",
        "GET /api/v1/version HTTP/0.9",
        "GET /api/v1/version HTTP/1.2",
        "GET /api/v1/version HTTP/1.11",
        "GET /api/v1/version HTTP/2.0",
        "GET /api/v1/version HTTP/3",
        "GET /api/v1/version http/1.1",
        "GET /api/v1/version HTTP/1,1",
        "GET /api/v1/version HTTPS/1.1",
        "GET /api/v1/version XHTTP/1.1",
        "GET /api/v1/version HTTP/1.1 x",
        "GET /api/v1/version HTTP/ 1.1",
        "GET /api/v1/version\tHTTP/1.1",
        "GET\t/api/v1/version HTTP/1.1",
        "GET /api/v1/version\0 HTTP/1.1",
        "GET /api/v1/ver sion HTTP/1.1",
        "GET /api/v1/version\u{b}HTTP/1.1",
        "GET /api/v1/version HTTP/1.1\rX: y",
        "GE\0T /api/v1/version HTTP/1.1",
        "G(T /api/v1/version HTTP/1.1",
        " GET /api/v1/version HTTP/1.1",
        "/api/v1/version HTTP/1.1",
        "HTTP/1.1 200 OK",
        "PRI * HTTP/2.0",
    ];
    for text in starts {
        rows.push(row(format!("{text:?}"), start(text), Refused));
    }
    let lines = [
        "X",
        ": x",
        "X : y",
        "X Y: z",
        "X\tY: z",
        "X\0: y",
        "X: y\0z",
        "X: y\u{7f}",
        "X: y\u{1}",
        "X: y\rZ: z",
        "X: y\r\r",
        "X(: y",
        "X\"Y\": z",
        "X@: y",
        "X: y\r\n folded: z",
        "X: y\r\n\tfolded: z",
        " X: y",
        "\tX: y",
        "\u{feff}X: y",
        "ä: y",
    ];
    for text in lines {
        rows.push(row(format!("{text:?}"), line(text), Refused));
    }
    let large = format!("X-A: {}", "a".repeat(200 << 10));
    rows.push(row("a head of 200 kB", line(&large), Refused));
    rows.push(row("5,000 headers", line(&"X-A: 1\r\n".repeat(5000)), Refused));
    rows.push(row(
        "an address of 200 kB",
        start(&format!("GET /{} HTTP/1.1", "a".repeat(200 << 10))),
        Refused,
    ));
    let h2c =
        "Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABkAAQAAP__";
    let body = format!("{h2c}\r\nContent-Length: {}", hidden.len());
    rows.push(row("an upgrade to HTTP/2", forge.get(&body, hidden), OneAnswer));
    let old = format!(
        "POST /api/v1/policies/test HTTP/1.0\r\n{head}Connection: keep-alive\r\n\
         Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n{hidden}"
    );
    rows.push(row("chunks in HTTP/1.0", old, Refused));
    let closed = format!("GET /api/v1/version HTTP/1.1\r\n{head}Connection: close\r\n\r\n{hidden}");
    rows.push(row("behind the last request", closed, OneAnswer));
    let old = format!("GET /api/v1/version HTTP/1.0\r\n{head}\r\n{hidden}");
    rows.push(row("behind a request of HTTP/1.0", old, OneAnswer));
    rows
}

/// Requests that are refused before their body is read; the body is the hidden request.
fn refused_early(target: &Target, forge: &Forge) -> Vec<Row> {
    let (address, bearer, hidden) = (&target.place.address, target.bearer(), &forge.hidden);
    let size = hidden.len();
    let cases = [
        ("a stranger", "POST /api/v1/sessions", format!("Host: {address}")),
        (
            "a wrong token",
            "POST /api/v1/sessions",
            format!("Host: {address}\r\nAuthorization: Bearer x"),
        ),
        ("another host", "POST /api/v1/sessions", format!("Host: evil.example\r\n{bearer}")),
        (
            "another page",
            "POST /api/v1/sessions",
            format!("Host: {address}\r\n{bearer}\r\nOrigin: null"),
        ),
        ("no such path", "POST /api/v1/nothing", format!("Host: {address}\r\n{bearer}")),
        ("another method", "DELETE /api/v1/version", format!("Host: {address}\r\n{bearer}")),
        (
            "another type",
            "POST /api/v1/sessions",
            format!("Host: {address}\r\n{bearer}\r\nContent-Type: text/plain"),
        ),
        (
            "a token in the address",
            "POST /api/v1/sessions?token=x",
            format!("Host: {address}\r\n{bearer}"),
        ),
        ("dots in the path", "POST /api/v1/../sessions", format!("Host: {address}\r\n{bearer}")),
        ("a page", "POST /", format!("Host: {address}\r\n{bearer}")),
        (
            "a failed login",
            "POST /api/v1/login",
            format!("Host: {address}\r\nContent-Type: application/json"),
        ),
        (
            "a failed upgrade",
            "GET /api/v1/ws",
            format!(
                "Host: {address}\r\n{bearer}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 777\r\nSec-WebSocket-Key: x"
            ),
        ),
    ];
    let mut rows = Vec::new();
    for (name, start, head) in cases {
        let with = |lines: &str, after: &str| {
            format!("{start} HTTP/1.1\r\n{head}\r\n{lines}\r\n\r\n{after}")
        };
        let plain = with(&format!("Content-Length: {size}"), hidden);
        rows.push(row(format!("{name}, body by length"), plain, OneAnswer));
        let chunked =
            with("Transfer-Encoding: chunked", &format!("{size:x}\r\n{hidden}\r\n0\r\n\r\n"));
        rows.push(row(format!("{name}, body in chunks"), chunked, OneAnswer));
        let waits = with(&format!("Content-Length: {size}\r\nExpect: 100-continue"), hidden);
        rows.push(row(format!("{name}, body unasked"), waits, OneAnswer));
    }
    rows
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn hidden_requests_are_not_served() {
    // A connection that is kept open is closed soon.
    let target = Target::with(|options| {
        options.guard.limits = Limits { header_read: IDLE, body_read: IDLE, ..Limits::default() };
    })
    .await;
    let forge = Forge::new(&target);
    // The control: in the open, the hidden request is served.
    let open = target.send(forge.hidden.as_bytes()).await;
    assert_eq!(open.status(), 201, "{open:?}");
    let before = target.stored();
    let table = [
        lengths_and_encodings(&forge),
        lengths(&forge),
        chunks(&forge),
        heads(&forge),
        refused_early(&target, &forge),
    ];
    let mut wrong = Vec::new();
    let rows = table.into_iter().flatten();
    let play = async |(name, bytes, expect): Row| (name, target.send(&bytes).await, expect);
    let mut played = futures_util::stream::iter(rows).map(play).buffer_unordered(AT_ONCE);
    while let Some((name, reply, expect)) = played.next().await {
        let mut statuses = reply.statuses();
        statuses.retain(|status| *status != 100);
        let is_refusal = |status: &u16| (400..500).contains(status);
        let fits = match expect {
            Refused => statuses.len() <= 1 && statuses.iter().all(is_refusal),
            OnlyRefusals => statuses.iter().all(is_refusal),
            OneAnswer => statuses.len() == 1,
        };
        if !fits {
            wrong.push(format!("{name} ({expect:?}): {statuses:?}"));
        }
    }
    drop(played);
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert_eq!(target.stored(), before, "a hidden request was served");
    target.serves_its_owner().await;
    target.close().await;
}

/// Requests one after the other over one connection: each is judged by itself.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_connection_has_no_credential_of_its_own() {
    let target = Target::open().await;
    let (address, bearer) = (&target.place.address, target.bearer());
    let get = |lines: &str| format!("GET /api/v1/version HTTP/1.1\r\n{lines}\r\n\r\n");
    let (ours, evil) = (format!("Host: {address}"), "Host: evil.example".to_owned());
    let last = get(&format!("{ours}\r\nConnection: close"));
    let known = get(&format!("{ours}\r\n{bearer}"));
    let stranger = get(&ours);
    let foreign = get(&format!("{evil}\r\n{bearer}"));
    let page = get(&format!("{ours}\r\n{bearer}\r\nOrigin: http://evil.example"));
    let wrong = get(&format!("{ours}\r\nAuthorization: Bearer x"));
    // Each ends with a stranger who asks for the end of the connection.
    let table: [(&str, Vec<&str>, &[u16]); 7] = [
        ("known, then a stranger", vec![&known, &stranger], &[200, 401]),
        ("a stranger, then known", vec![&stranger, &known], &[401, 200]),
        ("known, then another host", vec![&known, &foreign], &[200, 421]),
        ("known, then another page", vec![&known, &page], &[200, 403]),
        ("known, then a wrong token", vec![&known, &wrong], &[200, 401]),
        ("wrong, known, wrong", vec![&wrong, &known, &wrong], &[401, 200, 401]),
        ("known, stranger, known", vec![&known, &stranger, &known], &[200, 401, 200]),
    ];
    for (name, requests, statuses) in table {
        let reply = target.send((requests.concat() + &last).as_bytes()).await;
        assert_eq!(reply.statuses(), [statuses, &[401]].concat(), "{name}: {reply:?}");
    }
    target.close().await;
}
