//! Clients that take their time: each is hung up on, and the owner is served meanwhile.

use std::time::Duration;

use pilothouse_host::http::guard::Limits;
use tokio::io::AsyncWriteExt;
use tokio::net::TcpStream;

use super::bed::PATIENCE;
use super::raw::{Replies, Target, read};

/// The time for a head and for a body. What is slower than this is hung up on.
const LIMIT: Duration = Duration::from_millis(400);

/// What a client does after it has sent the beginning.
#[derive(Clone, Copy, Debug)]
enum Then {
    /// Sends these bytes again and again, each well within the time that a request may take.
    Drips(&'static [u8]),
    /// Sends nothing more.
    Waits,
    /// Ends its sending side, and waits for an answer.
    HalfCloses,
}
use Then::{Drips, HalfCloses, Waits};

/// A slow client: its name, how it begins, what it does then, and the statuses that it may get
/// before it is hung up on. No answer at all is right as well: on a busy machine even the head of a
/// request may come too late. Only rows of [`ANSWERED`] must get one.
type Row = (&'static str, String, Then, &'static [u16]);

/// Rows whose first request is complete: it is answered. On a busy machine they may need another
/// attempt.
const ANSWERED: [&str; 2] = [IDLE, HALF_CLOSED];
const IDLE: &str = "idle after an answer";
const HALF_CLOSED: &str = "closes its side after a request";

const NOTHING: &[u16] = &[];
const BAD: &[u16] = &[400, 408];

fn rows(target: &Target) -> Vec<Row> {
    let host = format!("Host: {}\r\n", target.place.address);
    let known = format!("{host}{}\r\nContent-Type: application/json\r\n", target.bearer());
    let post = |more: &str| format!("POST /api/v1/policies/test HTTP/1.1\r\n{known}{more}\r\n");
    let upload = |more: &str| {
        format!(
            "POST /api/v1/sessions/{}/attachments HTTP/1.1\r\n{known}{more}\r\n",
            uuid::Uuid::nil()
        )
    };
    let stranger = |more: &str| {
        format!("POST /api/v1/login HTTP/1.1\r\n{host}Content-Type: application/json\r\n{more}\r\n")
    };
    let get = format!("GET /api/v1/version HTTP/1.1\r\n{known}\r\n");
    let ws = format!(
        "GET /api/v1/ws HTTP/1.1\r\n{known}Connection: Upgrade\r\nUpgrade: websocket\r\n\
         Sec-WebSocket-Version: 13\r\n"
    );
    vec![
        ("silent", String::new(), Waits, NOTHING),
        ("closes its side at once", String::new(), HalfCloses, NOTHING),
        ("one byte", "G".into(), Waits, NOTHING),
        ("one byte, closes its side", "G".into(), HalfCloses, BAD),
        ("line breaks before a request", String::new(), Drips(b"\r\n"), BAD),
        ("a method that drips", String::new(), Drips(b"G"), BAD),
        ("an address that drips", "GET /".into(), Drips(b"a"), NOTHING),
        ("a query that drips", "GET /?".into(), Drips(b"a=1&"), NOTHING),
        ("a request line without an end", "GET / HTTP/1.1".into(), Waits, NOTHING),
        ("headers that drip", format!("GET / HTTP/1.1\r\n{host}"), Drips(b"X-A: 1\r\n"), &[431]),
        ("a header's name that drips", format!("GET / HTTP/1.1\r\n{host}"), Drips(b"x"), NOTHING),
        (
            "a header's value that drips",
            format!("GET / HTTP/1.1\r\n{host}X-A: "),
            Drips(b"x"),
            NOTHING,
        ),
        ("a head without its last line", format!("GET / HTTP/1.1\r\n{known}"), Waits, NOTHING),
        ("half a head, closes its side", format!("GET / HTTP/1.1\r\n{host}"), HalfCloses, BAD),
        (
            "a head with a token that drips",
            format!("GET / HTTP/1.1\r\n{known}X-A: "),
            Drips(b"x"),
            NOTHING,
        ),
        ("an upgrade that drips", ws, Drips(b"X-A: 1\r\n"), &[431]),
        ("TLS on a plain port", "\x16\x03\x01\x02\x00\x01\x00".into(), Drips(b"\x00"), BAD),
        ("a body that drips", post("Content-Length: 9000\r\n"), Drips(b" "), &[408]),
        ("a body that never comes", post("Content-Length: 10\r\n"), Waits, &[408]),
        ("half a body", post("Content-Length: 10\r\n") + "{", Waits, &[408]),
        ("half a body, closes its side", post("Content-Length: 10\r\n") + "{", HalfCloses, BAD),
        (
            "a body that waits to be asked for",
            post("Content-Length: 10\r\nExpect: 100-continue\r\n"),
            Waits,
            &[100, 408],
        ),
        ("chunks that drip", post("Transfer-Encoding: chunked\r\n"), Drips(b"1\r\n \r\n"), &[408]),
        ("a chunk's size that drips", post("Transfer-Encoding: chunked\r\n"), Drips(b"0"), BAD),
        (
            "a chunk's extension that drips",
            post("Transfer-Encoding: chunked\r\n") + "1;",
            Drips(b"a"),
            BAD,
        ),
        (
            "a chunk that drips",
            post("Transfer-Encoding: chunked\r\n") + "fff\r\n",
            Drips(b" "),
            &[408],
        ),
        (
            "trailers that drip",
            post("Transfer-Encoding: chunked\r\n") + "0\r\n",
            Drips(b"X-A: 1\r\n"),
            BAD,
        ),
        ("an upload that drips", upload("Content-Length: 9000\r\n"), Drips(b"a"), &[404, 408]),
        ("an upload that never comes", upload("Content-Length: 9000\r\n"), Waits, &[404, 408]),
        ("a stranger's body that drips", stranger("Content-Length: 1000\r\n"), Drips(b" "), &[408]),
        ("a stranger's body that never comes", stranger("Content-Length: 1000\r\n"), Waits, &[408]),
        (
            "a stranger's chunks that drip",
            stranger("Transfer-Encoding: chunked\r\n"),
            Drips(b"1\r\n \r\n"),
            &[408],
        ),
        (IDLE, get.clone(), Waits, &[200]),
        ("idle after two answers", get.repeat(2), Waits, &[200]),
        ("a second request that drips", get.clone() + "GET /", Drips(b"a"), &[200]),
        ("a second request without an end", get.clone() + "GET / HTTP/1.1\r\n", Waits, &[200]),
        ("line breaks after an answer", get.clone(), Drips(b"\r\n"), &[200]),
        (HALF_CLOSED, get, HalfCloses, &[200]),
    ]
}

/// Plays a row, and returns what came back until the daemon closed the connection.
async fn play(address: String, begins: String, then: Then) -> Replies {
    let stream = TcpStream::connect(address).await.unwrap();
    let (mut reading, mut writing) = stream.into_split();
    let drip = tokio::spawn(async move {
        let _ = writing.write_all(begins.as_bytes()).await;
        match then {
            Waits => {}
            HalfCloses => {
                let _ = writing.shutdown().await;
            }
            Drips(bytes) => {
                let mut tick = tokio::time::interval(LIMIT / 20);
                // Ends by itself when the daemon has hung up.
                while writing.write_all(bytes).await.is_ok() {
                    tick.tick().await;
                }
            }
        }
        // Kept open until the daemon closes.
        writing
    });
    let replies = read(&mut reading).await;
    drop(reading);
    drip.await.unwrap();
    replies
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn slow_clients_are_hung_up_on_and_the_owner_is_served() {
    let target = Target::with(|options| {
        let limits = Limits {
            header_read: LIMIT,
            body_read: LIMIT,
            upload_read: LIMIT,
            ..Limits::default()
        };
        options.guard.limits = limits;
    })
    .await;
    let before = target.stored();
    let rows = rows(&target);
    let playing: Vec<_> = rows
        .iter()
        .map(|(_, begins, then, _)| {
            tokio::spawn(play(target.place.address.clone(), begins.clone(), *then))
        })
        .collect();
    serves_its_owner(&target).await;
    for ((name, begins, then, statuses), playing) in rows.iter().zip(playing) {
        let mut replies = playing.await.unwrap();
        if ANSWERED.contains(name) {
            let again = async {
                while replies.statuses().is_empty() {
                    replies = play(target.place.address.clone(), begins.clone(), *then).await;
                }
            };
            tokio::time::timeout(PATIENCE, again).await.expect(name);
        }
        let told = replies.statuses();
        assert!(told.iter().all(|it| statuses.contains(it)), "{name} ({then:?}): {replies:?}");
    }
    assert_eq!(target.stored(), before, "no handler had an effect");
    serves_its_owner(&target).await;
    target.close().await;
}

/// Fails unless the owner is served. The owner has the same short time for a head as everybody, and
/// may miss it on a busy machine: a connection that is closed without an answer is tried again.
async fn serves_its_owner(target: &Target) {
    let served = async {
        let lines = [format!("Host: {}", target.place.address), target.bearer()];
        loop {
            let reply = target.ask("GET /api/v1/version", &lines, "").await;
            match reply.status() {
                0 => {}
                status => break assert_eq!(status, 200, "{reply:?}"),
            }
        }
    };
    tokio::time::timeout(PATIENCE, served).await.expect("the owner is not served");
}
