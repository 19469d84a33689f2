//! Too much of everything over sockets: whoever does it harms only itself.

use std::time::Duration;

use pilothouse_host::http::ws::SocketTerms;
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

use super::bed::{Bed, PATIENCE, script};
use super::client::{Daemon, Gone, Socket, narrow};
use super::place::{JSON, Place, ask, bearer, counted, request, upgrade};

fn prompt(lines: &str) -> Value {
    json!({"do": "prompt", "content": script(lines)})
}

async fn session(bed: &Bed, place: &Place) -> String {
    bed.session(&place.host).await.to_string()
}

/// The events up to the first of this type, which must have no gap.
async fn until_event(socket: &mut Socket, mut seq: u64, kind: &str) -> u64 {
    loop {
        let message = socket.next().await.unwrap();
        let mut is_end = false;
        for event in message["events"].as_array().into_iter().flatten() {
            seq += 1;
            assert_eq!(event["seq"], seq, "no gap, nothing twice");
            is_end |= event["type"] == kind;
        }
        if is_end {
            return seq;
        }
    }
}

async fn is_well(socket: &mut Socket) {
    socket.say(json!({"op": "ping", "id": 7})).await.unwrap();
    assert_eq!(socket.until("reply").await.unwrap()["id"], 7);
}

#[tokio::test]
async fn a_message_that_is_too_long_ends_its_socket() {
    let bed = Bed::new();
    let terms = SocketTerms { message_bytes: 4096, ..SocketTerms::default() };
    let place = Place::open(&bed, terms).await;
    let session = session(&bed, &place).await;
    let before = counted(&bed);
    let mut other = place.socket().await;
    for length in [4097, 1 << 20] {
        let mut socket = place.socket().await;
        is_well(&mut socket).await;
        let long = json!({"do": "prompt", "content": "x".repeat(length)});
        let _ = socket.command(&session, long).await;
        while socket.next().await.is_ok() {}
    }
    is_well(&mut other).await;
    assert_eq!(counted(&bed), before);
    place.close().await;
}

#[tokio::test]
async fn more_subscriptions_than_allowed_are_refused() {
    let bed = Bed::new();
    let terms = SocketTerms { subscriptions: 3, ..SocketTerms::default() };
    let place = Place::open(&bed, terms).await;
    let mut sessions = Vec::new();
    for _ in 0..5 {
        sessions.push(session(&bed, &place).await);
    }
    let mut socket = place.socket().await;
    for session in &sessions {
        socket.subscribe(session, 0).await.unwrap();
    }
    for session in &sessions[3..] {
        let refused = socket.until("unsubscribed").await.unwrap();
        assert_eq!(refused["problem"]["type"], "/problems/rate-limited", "{refused}");
        assert_eq!(refused["session"], **session);
    }
    // Those that were there before go on, and one that is left makes room.
    socket.command(&sessions[0], prompt("say one")).await.unwrap();
    until_event(&mut socket, 0, "complete").await;
    socket.say(json!({"op": "unsubscribe", "session": sessions[1]})).await.unwrap();
    socket.until("unsubscribed").await.unwrap();
    socket.subscribe(&sessions[4], 0).await.unwrap();
    assert_eq!(socket.until("live").await.unwrap()["session"], *sessions[4]);
    place.close().await;
}

#[tokio::test]
async fn who_subscribes_again_and_again_holds_up_nobody() {
    let bed = Bed::new();
    let place = Place::open(&bed, SocketTerms::default()).await;
    let session = session(&bed, &place).await;
    let (mut wild, mut calm) = (place.socket().await, place.socket().await);
    calm.subscribe(&session, 0).await.unwrap();
    calm.until("live").await.unwrap();
    for _ in 0..2_000 {
        wild.subscribe(&session, 0).await.unwrap();
    }
    calm.command(&session, prompt("say one")).await.unwrap();
    until_event(&mut calm, 0, "complete").await;
    is_well(&mut wild).await;
    wild.subscribe(&session, 0).await.unwrap();
    place.close().await;
}

/// More than all buffers between a session and a client that does not read have room for: those of
/// the system, what waits for a socket, and what a session keeps for those who are late.
pub(crate) const TORRENTS: usize = 16;

/// Many small pieces and a long text, a megabyte of them.
pub(crate) fn torrent() -> String {
    format!("chunk 1\nsay {}\n---\nchunk 5000\nsay {}", "x".repeat(5_000), "y".repeat(900_000))
}

#[tokio::test]
async fn who_does_not_read_holds_up_nobody() {
    let bed = Bed::new();
    let place = Place::open(&bed, SocketTerms::default()).await;
    let session = session(&bed, &place).await;
    let lines = [bearer(&place.token)];
    let stalled = Socket::over(narrow(&place.address).await, &place.address, &lines).await;
    let (mut stalled, mut other) = (stalled.unwrap(), place.socket().await);
    for socket in [&mut stalled, &mut other] {
        socket.subscribe(&session, 0).await.unwrap();
        socket.until("live").await.unwrap();
    }
    let mut last = 0;
    for _ in 0..TORRENTS {
        other.command(&session, prompt(&torrent())).await.unwrap();
        last = until_event(&mut other, last, "complete").await;
    }
    // And now it reads: it is told that it has missed something, and given all events.
    let (mut seen, mut told) = (0, Vec::new());
    while seen < last || told.last() != Some(&"live") {
        let message = stalled.next().await.unwrap();
        for event in message["events"].as_array().into_iter().flatten() {
            seen += 1;
            assert_eq!(event["seq"], seen, "no gap, nothing twice");
        }
        told.extend(["lagged", "live"].into_iter().find(|kind| message["type"] == **kind));
    }
    assert!(!told.is_empty() && told.chunks(2).all(|two| two == ["lagged", "live"]), "{told:?}");
    is_well(&mut other).await;
    place.close().await;
}

#[tokio::test]
async fn who_never_answers_is_cut_off() {
    let bed = Bed::new();
    let moment = Duration::from_millis(50);
    let terms = SocketTerms { ping: moment, patience: moment * 4, ..SocketTerms::default() };
    let place = Place::open(&bed, terms).await;
    let mut other = place.socket().await;
    let mut stream = TcpStream::connect(&place.address).await.unwrap();
    let mut lines = upgrade();
    lines.push(bearer(&place.token));
    let bytes = request(&place.address, "GET /api/v1/ws", &lines, "");
    stream.write_all(bytes.as_bytes()).await.unwrap();
    let mut heard = Vec::new();
    let mut closed = Box::pin(tokio::time::timeout(PATIENCE, stream.read_to_end(&mut heard)));
    // Meanwhile the other one says that it is there.
    let closed = loop {
        tokio::select! {
            closed = &mut closed => break closed,
            () = is_well(&mut other) => {}
        }
    };
    closed.expect("it is cut off").unwrap();
    let text = String::from_utf8_lossy(&heard);
    assert!(text.starts_with("HTTP/1.1 101"), "{text}");
    is_well(&mut other).await;
    place.close().await;
}

#[tokio::test]
async fn half_a_frame_holds_up_nobody() {
    let bed = Bed::new();
    let place = Place::open(&bed, SocketTerms::default()).await;
    let session = session(&bed, &place).await;
    let mut halves = Vec::new();
    for _ in 0..50 {
        let mut stream = TcpStream::connect(&place.address).await.unwrap();
        let mut lines = upgrade();
        lines.push(bearer(&place.token));
        let bytes = request(&place.address, "GET /api/v1/ws", &lines, "");
        stream.write_all(bytes.as_bytes()).await.unwrap();
        let mut start = [0; 12];
        stream.read_exact(&mut start).await.unwrap();
        assert_eq!(&start, b"HTTP/1.1 101");
        // A text frame that claims 16 MiB, and a few bytes of it.
        let head = [0x81, 0xff, 0, 0, 0, 0, 1, 0, 0, 0, 1, 2, 3, 4, 5, 6];
        stream.write_all(&head).await.unwrap();
        halves.push(stream);
    }
    let mut socket = place.socket().await;
    socket.subscribe(&session, 0).await.unwrap();
    socket.command(&session, prompt("say one")).await.unwrap();
    until_event(&mut socket, 0, "complete").await;
    drop(halves);
    is_well(&mut socket).await;
    place.close().await;
}

#[tokio::test]
async fn few_open_files_do_not_keep_the_owner_from_files() {
    let bed = Bed::new();
    let daemon = Daemon::start_with_files(&bed, 256).await;
    std::fs::write(bed.path("work/note.txt"), "read me").unwrap();
    let known = [bearer(&daemon.token), JSON.to_owned()];
    let body = json!({"cwd": bed.path("work")}).to_string();
    let made = ask(&daemon.address, "POST /api/v1/sessions", &known, &body).await;
    assert_eq!(made.status, 201, "{made:?}");
    let made: Value = serde_json::from_str(&made.body).unwrap();
    let session = made["id"].as_str().unwrap();
    // More than it could have open.
    let mut idle = Vec::new();
    for _ in 0..400 {
        idle.push(TcpStream::connect(&daemon.address).await.unwrap());
    }
    // Its owner's are turned away before it has no file left.
    let mut sockets = Vec::new();
    loop {
        let opening = Socket::open(&daemon.address, Some(&daemon.token));
        match tokio::time::timeout(PATIENCE, opening).await.expect("an answer") {
            Ok(socket) => sockets.push(socket),
            Err(Gone) => break,
        }
    }
    assert!((64..256).contains(&sockets.len()), "{}", sockets.len());
    let read = format!("GET /api/v1/sessions/{session}/files/read?path=note.txt");
    for _ in 0..20 {
        // A place is free as soon as the daemon has seen one of them go.
        drop(sockets.pop());
        let answered = async {
            loop {
                let answer = ask(&daemon.address, &read, &known, "").await;
                if answer.status != 503 || answer.problem() != "too-many-connections" {
                    break answer;
                }
            }
        };
        let answer = tokio::time::timeout(PATIENCE, answered).await.expect("a free place");
        assert_eq!(answer.status, 200, "{answer:?}");
        assert!(answer.body.contains("read me"), "{answer:?}");
    }
}
