//! Pieces of an open item are gathered for a frame, and events do not wait for it.

use std::time::Duration;

use pilothouse_host::http::ws::SocketTerms;
use tokio::io::AsyncReadExt;

use super::bed::{Bed, PATIENCE, Watcher, prompt};
use super::place::{Place, bearer, listen};

/// Longer than any test: nothing comes because the frame is over.
const FRAME: Duration = Duration::from_secs(3600);

/// Says three pieces, one after the other, each when the host has shown the one before.
async fn in_pieces(bed: &Bed, place: &Place, session: pilothouse_session::id::SessionId) {
    let mut watcher = Watcher::new(&place.host, session, 0).await;
    watcher.until_live().await;
    prompt(&place.host, session, "say one\nhold a\nmore two\nhold b\nmore three").await;
    for (piece, hold) in [("one", "a"), ("two", "b")] {
        while !watcher.pieces.contains(piece) {
            watcher.next().await;
        }
        bed.held(hold).await;
        bed.release(hold);
    }
}

#[tokio::test]
async fn pieces_within_a_frame_are_one_message_of_a_socket_and_events_bring_them_along() {
    let bed = Bed::new();
    let terms = SocketTerms { frame: FRAME, ..SocketTerms::default() };
    let place = Place::open(&bed, terms).await;
    let session = bed.session(&place.host).await;
    let mut socket = place.socket().await;
    socket.subscribe(&session.to_string(), 0).await.unwrap();
    socket.until("live").await.unwrap();
    in_pieces(&bed, &place, session).await;
    let mut pieces = Vec::new();
    'turn: loop {
        let message = socket.next().await.unwrap();
        for delta in message["deltas"].as_array().into_iter().flatten() {
            pieces.push(delta["text"].as_str().unwrap().to_owned());
        }
        for event in message["events"].as_array().into_iter().flatten() {
            if event["type"] == "message" {
                break 'turn;
            }
        }
    }
    let [first, rest] = &*pieces else { panic!("{pieces:?}") };
    assert!(first.starts_with('o') && !first.contains("two"), "{pieces:?}");
    assert!(rest.contains("two") && rest.contains("three"), "{pieces:?}");
    place.close().await;
}

#[tokio::test]
async fn pieces_within_a_frame_are_one_event_of_a_stream() {
    let bed = Bed::new();
    let terms = SocketTerms { frame: FRAME, ..SocketTerms::default() };
    let place = Place::open(&bed, terms).await;
    let session = bed.session(&place.host).await;
    let start = format!("GET /api/v1/sessions/{session}/stream");
    let live = "event: live";
    let (answer, mut stream) = listen(&place.address, &start, &[bearer(&place.token)], live).await;
    assert_eq!(answer.status, 200);
    in_pieces(&bed, &place, session).await;
    let mut bytes = Vec::new();
    let reading = async {
        while !String::from_utf8_lossy(&bytes).contains(r#""type":"message""#) {
            assert!(stream.read_buf(&mut bytes).await.unwrap() > 0, "it goes on");
        }
    };
    tokio::time::timeout(PATIENCE, reading).await.expect("events do not wait for the frame");
    let text = String::from_utf8(bytes).unwrap();
    let pieces: Vec<_> = text.split("event: delta").skip(1).collect();
    let [first, rest] = &*pieces else { panic!("{text}") };
    assert!(!first.contains("two") && rest.contains("two"), "{text}");
    let one = rest.lines().find(|line| line.starts_with("data:")).unwrap();
    assert!(one.contains("two") && one.contains("three"), "{text}");
    place.close().await;
}
