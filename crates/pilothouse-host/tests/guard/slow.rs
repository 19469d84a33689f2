//! Those who take their time.

use std::time::Duration;

use pilothouse_host::http::guard::{GuardOptions, Limits};
use tokio::io::AsyncWriteExt;

use crate::bed::{Bed, limits, options, read, read_head};

const SHORT: Duration = Duration::from_millis(150);

fn with(limits: Limits) -> GuardOptions {
    GuardOptions { limits, ..options() }
}

#[tokio::test]
async fn headers_that_drip_are_hung_up_on() {
    let bed = Bed::with(with(Limits { header_read: SHORT, ..limits() })).await;
    let (reading, mut writing) = bed.connect().await.into_split();
    let drip = tokio::spawn(async move {
        let mut tick = tokio::time::interval(SHORT / 10);
        let _ = writing.write_all(b"GET / HTTP/1.1\r\n").await;
        // Ends by itself when the other side has hung up.
        while writing.write_all(b"X-A: 1\r\n").await.is_ok() {
            tick.tick().await;
        }
    });
    let mut reading = reading;
    assert_eq!(read(&mut reading).await.status, 0, "there is nothing to answer");
    drop(reading);
    drip.await.unwrap();
}

#[tokio::test]
async fn a_connection_that_says_nothing_is_closed() {
    let bed = Bed::with(with(Limits { header_read: SHORT, ..limits() })).await;
    let mut stream = bed.connect().await;
    assert_eq!(read(&mut stream).await.status, 0);
}

#[tokio::test]
async fn a_body_that_drips_is_given_up() {
    let bed = Bed::with(with(Limits { body_read: SHORT, ..limits() })).await;
    let (mut reading, mut writing) = bed.connect().await.into_split();
    let json = "Content-Type: application/json";
    let lines = [json, &bed.bearer(), "Content-Length: 1000"];
    let request = bed.request("POST /api/v1/wish", &lines, "");
    let drip = tokio::spawn(async move {
        let mut tick = tokio::time::interval(SHORT / 10);
        let _ = writing.write_all(&request).await;
        while writing.write_all(b" ").await.is_ok() {
            tick.tick().await;
        }
    });
    let reply = read(&mut reading).await;
    assert_eq!((reply.status, &*reply.problem()), (408, "request-timeout"));
    assert_eq!(reply.header("connection"), Some("close"));
    drop(reading);
    drip.await.unwrap();
}

#[tokio::test]
async fn a_handler_that_never_answers_is_given_up() {
    let bed = Bed::with(with(Limits { request: SHORT, ..limits() })).await;
    let reply = bed.ask_known("GET /api/v1/never", &[], "").await;
    assert_eq!((reply.status, &*reply.problem()), (504, "timed-out"));
}

#[tokio::test]
async fn an_upload_has_its_own_time() {
    let times = Limits { request: SHORT, body_read: SHORT, header_read: SHORT * 3, ..limits() };
    let bed = Bed::with(with(times)).await;
    let mut stream = bed.connect().await;
    let lines = [&*bed.bearer(), "Content-Length: 2"];
    stream.write_all(&bed.request("POST /api/v1/upload", &lines, "")).await.unwrap();
    stream.write_all(b"a").await.unwrap();
    // An idle connection that was hung up on tells that more time has passed than any other body
    // or handler is given.
    assert_eq!(read(&mut bed.connect().await).await.status, 0);
    stream.write_all(b"b").await.unwrap();
    let reply = read_head(&mut stream).await;
    assert_eq!(reply.status, 200, "{reply:?}");
}
