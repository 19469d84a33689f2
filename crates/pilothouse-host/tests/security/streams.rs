//! Streams of events that are broken off and taken up again, or not read.

use memchr::memmem;
use pilothouse_host::http::ws::SocketTerms;
use serde_json::Value;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

use super::bed::{Bed, PATIENCE, Watcher, prompt};
use super::client::narrow;
use super::content::parse;
use super::floods::{TORRENTS, torrent};
use super::place::{Place, bearer, request, unchunked};
use pilothouse_session::event::Body;

/// A stream, and all that was read of it.
pub(crate) struct Stream {
    tcp: TcpStream,
    bytes: Vec<u8>,
    searched: usize,
}

impl Stream {
    /// Listens to a session.
    pub(crate) async fn open(place: &Place, session: &str, query: &str, more: &[String]) -> Self {
        let start = format!("GET /api/v1/sessions/{session}/stream{query}");
        let mut lines = vec![bearer(&place.token)];
        lines.extend_from_slice(more);
        let mut tcp = narrow(&place.address).await;
        tcp.write_all(request(&place.address, &start, &lines, "").as_bytes()).await.unwrap();
        Self { tcp, bytes: Vec::new(), searched: 0 }
    }

    /// Reads on until this has come, which must be of one event.
    pub(crate) async fn until(&mut self, end: &str) {
        let reading = async {
            loop {
                if let Some(at) = memmem::find(&self.bytes[self.searched..], end.as_bytes()) {
                    self.searched += at + end.len();
                    break;
                }
                // It may have come in part.
                self.searched = self.bytes.len().saturating_sub(end.len()).max(self.searched);
                assert!(self.tcp.read_buf(&mut self.bytes).await.unwrap() > 0, "it ends early");
            }
            // Up to the end of that event.
            while !self.bytes[self.searched..].windows(4).any(|four| four == b"\n\n\r\n") {
                assert!(self.tcp.read_buf(&mut self.bytes).await.unwrap() > 0, "it ends early");
            }
        };
        tokio::time::timeout(PATIENCE, reading).await.expect("it comes");
    }

    /// All that was told, as a browser would take it apart.
    pub(crate) fn told(&self) -> Vec<(String, Option<String>, Value)> {
        let at = memmem::find(&self.bytes, b"\r\n\r\n").unwrap();
        parse(&String::from_utf8(unchunked(&self.bytes[at + 4..])).unwrap())
    }

    /// The numbers of the events, by which browsers take a stream up again.
    pub(crate) fn ids(&self) -> Vec<u64> {
        let ids = self.told().into_iter().map(|(name, id, data)| {
            let id = id.map(|id| id.parse().unwrap());
            assert_eq!((name == "event").then(|| data["seq"].as_u64().unwrap()), id, "{data}");
            id
        });
        ids.flatten().collect()
    }
}

/// It has every event after the one up to the other, or more, once.
fn goes_on(stream: &Stream, after: u64, to: u64) {
    let ids = stream.ids();
    let expected: Vec<_> = (after + 1..=after + ids.len() as u64).collect();
    assert_eq!(ids, expected, "no gap, nothing twice");
    assert!(after + ids.len() as u64 >= to, "{ids:?} {to}");
}

#[tokio::test]
async fn a_stream_goes_on_after_the_last_event_that_came() {
    let bed = Bed::new();
    let place = Place::open(&bed, SocketTerms::default()).await;
    let session = bed.session(&place.host).await;
    let mut watcher = Watcher::new(&place.host, session, 0).await;
    prompt(&place.host, session, "say one").await;
    watcher.until(|body| matches!(body, Body::Complete { .. })).await;
    let last = watcher.events.last().unwrap().seq;
    assert!(last > 6, "{last}");
    let id = session.to_string();
    let header = |number: u64| vec![format!("Last-Event-ID: {number}")];
    // The header comes from a browser that connects again, to the address it began with.
    let table = [
        (String::new(), Vec::new(), 0),
        ("?after=4".to_owned(), Vec::new(), 4),
        (String::new(), header(5), 5),
        ("?after=2".to_owned(), header(5), 5),
        ("?after=5".to_owned(), header(2), 2),
        ("?after=3".to_owned(), header(last), last),
    ];
    let mut streams = Vec::new();
    for (query, lines, after) in table {
        let mut stream = Stream::open(&place, &id, &query, &lines).await;
        stream.until("event: live").await;
        goes_on(&stream, after, last);
        streams.push((stream, after));
    }
    prompt(&place.host, session, "say two").await;
    watcher.until(|body| matches!(body, Body::Complete { .. })).await;
    let now = watcher.events.last().unwrap().seq;
    for (mut stream, after) in streams {
        stream.until(&format!("id: {now}\n")).await;
        // Also from the stored to the live.
        goes_on(&stream, after, now);
    }
    place.close().await;
}

#[tokio::test]
async fn who_does_not_read_a_stream_is_told_what_it_has_missed() {
    let bed = Bed::new();
    let place = Place::open(&bed, SocketTerms::default()).await;
    let session = bed.session(&place.host).await;
    let mut stalled = Stream::open(&place, &session.to_string(), "", &[]).await;
    stalled.until("event: live").await;
    let mut watcher = Watcher::new(&place.host, session, 0).await;
    for _ in 0..TORRENTS {
        prompt(&place.host, session, &torrent()).await;
        watcher.until(|body| matches!(body, Body::Complete { .. })).await;
    }
    let last = watcher.events.last().unwrap().seq;
    stalled.until(&format!("id: {last}\n")).await;
    let marks = |stalled: &Stream| -> Vec<String> {
        let names = stalled.told().into_iter().map(|(name, ..)| name);
        names.filter(|name| ["lagged", "live"].contains(&name.as_str())).collect()
    };
    if marks(&stalled).last().is_some_and(|mark| mark == "lagged") {
        stalled.until("event: live").await;
    }
    let marks = marks(&stalled);
    assert_eq!(marks[0], "live");
    assert!(marks.len() > 1 && marks[1..].chunks(2).all(|two| two == ["lagged", "live"]));
    goes_on(&stalled, 0, last);
    place.close().await;
}
