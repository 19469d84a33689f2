//! Bodies that are too large, however they say so.

use std::fmt::Write;

use tokio::io::AsyncWriteExt;

use crate::bed::{Bed, read, read_head};

const JSON: &str = "Content-Type: application/json";

/// A body in chunks.
fn chunked(parts: &[&str]) -> String {
    let mut text = String::new();
    for part in parts {
        write!(text, "{:x}\r\n{part}\r\n", part.len()).unwrap();
    }
    text + "0\r\n\r\n"
}

/// A request with a body in chunks.
fn in_chunks(bed: &Bed, start: &str, parts: &[&str]) -> Vec<u8> {
    let mut request = bed.request(start, &[JSON, &bed.bearer(), "Transfer-Encoding: chunked"], "");
    request.extend_from_slice(chunked(parts).as_bytes());
    request
}

#[tokio::test]
async fn a_large_body_is_refused_however_it_comes() {
    let bed = Bed::start().await;
    let large = format!(r#"{{"text":"{}"}}"#, "a".repeat(2000));
    for start in ["POST /api/v1/wish", "POST /api/v1/login"] {
        let reply = bed.ask_known(start, &[JSON], &large).await;
        assert_eq!((reply.status, &*reply.problem()), (413, "body-too-large"), "{start}");
        assert!(reply.document().detail.contains("1024"), "{reply:?}");
        let reply = bed.send(&in_chunks(&bed, start, &[&large])).await;
        assert_eq!((reply.status, &*reply.problem()), (413, "body-too-large"), "{start}");
        let parts: Vec<_> = (0..large.len()).map(|at| &large[at..=at]).collect();
        let reply = bed.send(&in_chunks(&bed, start, &parts)).await;
        assert_eq!((reply.status, &*reply.problem()), (413, "body-too-large"), "{start}");
    }
}

#[tokio::test]
async fn what_claims_to_be_large_is_not_waited_for() {
    let bed = Bed::start().await;
    let mut stream = bed.connect().await;
    let lines = [JSON, &bed.bearer(), "Content-Length: 99999999999"];
    stream.write_all(&bed.request("POST /api/v1/wish", &lines, "")).await.unwrap();
    let reply = read(&mut stream).await;
    assert_eq!((reply.status, &*reply.problem()), (413, "body-too-large"));
    // Nor is it asked for.
    let mut stream = bed.connect().await;
    let lines = [JSON, &bed.bearer(), "Content-Length: 99999999999", "Expect: 100-continue"];
    stream.write_all(&bed.request("POST /api/v1/wish", &lines, "")).await.unwrap();
    assert_eq!(read_head(&mut stream).await.status, 413);
}

#[tokio::test]
async fn small_bodies_and_uploads_get_through() {
    let bed = Bed::start().await;
    let reply = bed.send(&in_chunks(&bed, "POST /api/v1/wish", &[r#"{"te"#, r#"xt":"a"}"#])).await;
    assert_eq!((reply.status, &*reply.body), (200, r#"{"text":"a"}"#));
    let reply = bed.ask_known("POST /api/v1/upload", &[], &"a".repeat(60 << 10)).await;
    assert_eq!((reply.status, &*reply.body), (200, "61440"));
    let reply = bed.ask_known("POST /api/v1/upload", &[], &"a".repeat(70 << 10)).await;
    assert_eq!((reply.status, &*reply.problem()), (413, "body-too-large"));
}

#[tokio::test]
async fn who_is_not_known_is_refused_before_the_body() {
    let bed = Bed::start().await;
    let mut stream = bed.connect().await;
    let lines = [JSON, "Content-Length: 1000"];
    stream.write_all(&bed.request("POST /api/v1/wish", &lines, "")).await.unwrap();
    assert_eq!(read_head(&mut stream).await.status, 401);
}
