//! The server: connections, WebSockets, TLS, and stopping.

use std::sync::Arc;
use std::time::Duration;

use pilothouse_host::http::guard::{
    Exposure, GuardOptions, Limits, ListenError, Listener, Tls, TlsError,
};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio_rustls::TlsConnector;
use tokio_rustls::rustls::pki_types::{CertificateDer, ServerName, pem::PemObject};
use tokio_rustls::rustls::{ClientConfig, RootCertStore, crypto::ring};

use crate::bed::{Bed, HANGS, Reply, limits, options, read, read_head};
use crate::page::Page;

/// A request that leaves its connection open.
fn staying(bed: &Bed) -> Vec<u8> {
    format!("GET /api/v1/health HTTP/1.1\r\nHost: {}\r\n\r\n", bed.host()).into_bytes()
}

/// A connection that was certainly accepted.
async fn settled(bed: &Bed) -> TcpStream {
    let mut stream = bed.connect().await;
    stream.write_all(&staying(bed)).await.unwrap();
    let reply = read_head(&mut stream).await;
    assert_eq!(reply.status, 200, "{reply:?}");
    let mut body = vec![0; reply.header("content-length").unwrap().parse().unwrap()];
    stream.read_exact(&mut body).await.unwrap();
    stream
}

async fn web_socket(bed: &Bed) -> TcpStream {
    let mut stream = bed.connect().await;
    let request = format!(
        "GET /api/v1/ws HTTP/1.1\r\nHost: {}\r\n{}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\
         Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n",
        bed.host(),
        bed.bearer()
    );
    stream.write_all(request.as_bytes()).await.unwrap();
    let reply = read_head(&mut stream).await;
    assert_eq!(reply.status, 101, "{reply:?}");
    stream
}

/// A connection whose client has shown the token.
async fn known(bed: &Bed) -> TcpStream {
    let mut stream = bed.connect().await;
    let lines = format!("Host: {}\r\n{}\r\n", bed.host(), bed.bearer());
    let request = format!("GET /api/v1/who HTTP/1.1\r\n{lines}\r\n");
    stream.write_all(request.as_bytes()).await.unwrap();
    let reply = read_head(&mut stream).await;
    assert_eq!(reply.status, 200, "{reply:?}");
    let mut body = vec![0; reply.header("content-length").unwrap().parse().unwrap()];
    stream.read_exact(&mut body).await.unwrap();
    stream
}

/// Sends a masked text and gets it back.
async fn echo(stream: &mut TcpStream) {
    stream.write_all(&[0x81, 0x82, 0, 0, 0, 0, b'h', b'i']).await.unwrap();
    let mut back = [0; 4];
    tokio::time::timeout(HANGS, stream.read_exact(&mut back)).await.unwrap().unwrap();
    assert_eq!(&back, &[0x81, 2, b'h', b'i']);
}

fn few(connections: usize, connections_per_address: usize) -> GuardOptions {
    let limits = Limits { connections, connections_per_address, ..limits() };
    GuardOptions { limits, ..options() }
}

#[tokio::test]
async fn too_many_connections_are_told_so() {
    for options in [few(3, 100), few(100, 3)] {
        let bed = Bed::with(options).await;
        let mut open = vec![known(&bed).await, known(&bed).await];
        // A WebSocket counts for as long as it is open.
        let mut socket = web_socket(&bed).await;
        echo(&mut socket).await;
        let mut fourth = bed.connect().await;
        let reply = read(&mut fourth).await;
        assert_eq!((reply.status, &*reply.problem()), (503, "too-many-connections"));
        // Those inside notice nothing.
        echo(&mut socket).await;
        open.push(socket);
        drop(open);
        // A place is free as soon as the server has seen one of them go.
        let served = async {
            loop {
                let mut stream = bed.connect().await;
                let _ = stream.write_all(&staying(&bed)).await;
                if read_head(&mut stream).await.status == 200 {
                    break;
                }
            }
        };
        tokio::time::timeout(HANGS, served).await.expect("places are given back");
    }
}

#[tokio::test]
async fn idle_connections_do_not_keep_the_owner_out() {
    for options in [few(20, 100), few(100, 20)] {
        let bed = Bed::with(options).await;
        let mut socket = web_socket(&bed).await;
        let mut staying = known(&bed).await;
        let mut idle = vec![settled(&bed).await];
        for number in 0..60 {
            let mut stream = bed.connect().await;
            // Some have begun a request that never ends.
            if number % 2 == 0 {
                let _ = stream.write_all(b"POST /api/v1/login HTTP/1.1\r\nHost: loc").await;
            }
            idle.push(stream);
        }
        for _ in 0..10 {
            let reply = bed.ask_known("GET /api/v1/who", &[], "").await;
            assert_eq!(reply.status, 200, "{reply:?}");
            idle.push(bed.connect().await);
        }
        // What was known before them has its place.
        echo(&mut socket).await;
        let again =
            format!("GET /api/v1/who HTTP/1.1\r\nHost: {}\r\n{}\r\n\r\n", bed.host(), bed.bearer());
        staying.write_all(again.as_bytes()).await.unwrap();
        assert_eq!(read_head(&mut staying).await.status, 200);
        // The oldest of the others has lost it.
        assert_eq!(read(&mut idle[0]).await.status, 0, "closed");
    }
}

/// Sends a request as a page, over a connection that stays open.
async fn ask_over(stream: &mut TcpStream, bed: &Bed, page: &Page) -> Reply {
    let start = "GET /api/v1/who";
    let mut text = format!("{start} HTTP/1.1\r\nHost: {}\r\n", bed.host());
    for line in page.lines(start) {
        text.push_str(&format!("{line}\r\n"));
    }
    stream.write_all(format!("{text}\r\n").as_bytes()).await.unwrap();
    let reply = read_head(stream).await;
    let length = reply.header("content-length").map_or(0, |length| length.parse().unwrap());
    stream.read_exact(&mut vec![0; length]).await.unwrap();
    reply
}

#[tokio::test]
async fn an_old_challenge_does_not_cost_a_page_its_connection() {
    let bed = Bed::with(few(3, 100)).await;
    let page = crate::bed::log_in(&bed).await;
    let old = Page { challenge: "old".to_owned(), ..page.clone() };
    let mut stream = bed.connect().await;
    assert_eq!(ask_over(&mut stream, &bed, &page).await.status, 200);
    assert_eq!(ask_over(&mut stream, &bed, &old).await.status, 401);
    let mut idle = Vec::new();
    for _ in 0..10 {
        idle.push(settled(&bed).await);
    }
    assert_eq!(ask_over(&mut stream, &bed, &page).await.status, 200);
}

#[tokio::test]
async fn a_program_and_our_page_get_a_web_socket() {
    let bed = Bed::start().await;
    echo(&mut web_socket(&bed).await).await;
    let page = crate::bed::log_in(&bed).await;
    let mut stream = bed.connect().await;
    let request = format!(
        "GET /api/v1/ws HTTP/1.1\r\nHost: {host}\r\nOrigin: http://{host}\r\n{cookie}\r\n\
         {offer}\r\n\
         User-Agent: Mozilla/5.0\r\nSec-Fetch-Site: same-origin\r\nSec-Fetch-Mode: websocket\r\n\
         Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n\
         Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n",
        host = bed.host(),
        cookie = page.cookie,
        offer = page.offer(),
    );
    stream.write_all(request.as_bytes()).await.unwrap();
    assert_eq!(read_head(&mut stream).await.status, 101);
    echo(&mut stream).await;
}

#[tokio::test]
async fn a_web_socket_outlives_every_timeout() {
    let short = Duration::from_millis(50);
    let times = Limits { header_read: short, body_read: short, request: short, ..limits() };
    let bed = Bed::with(GuardOptions { limits: times, ..options() }).await;
    let mut socket = web_socket(&bed).await;
    // An idle connection of the same age shows that the time is over.
    let mut idle = bed.connect().await;
    assert_eq!(read(&mut idle).await.status, 0);
    echo(&mut socket).await;
}

#[tokio::test]
async fn stopping_lets_requests_finish_and_closes_idle_connections() {
    let mut bed = Bed::start().await;
    let mut idle = settled(&bed).await;
    let mut busy = bed.connect().await;
    let lines = [&*bed.bearer(), "Content-Length: 2", "Expect: 100-continue"];
    busy.write_all(&bed.request("POST /api/v1/upload", &lines, "")).await.unwrap();
    // The handler has begun to read.
    assert_eq!(read_head(&mut busy).await.status, 100);
    bed.stop();
    assert_eq!(read(&mut idle).await.status, 0, "closed");
    busy.write_all(b"ab").await.unwrap();
    let reply = read(&mut busy).await;
    assert_eq!(reply.status, 200, "{reply:?}");
    tokio::time::timeout(HANGS, &mut bed.served).await.expect("it has stopped").unwrap();
    assert!(TcpStream::connect(bed.address).await.is_err(), "nobody listens any more");
}

#[tokio::test]
async fn stopping_does_not_wait_for_ever() {
    let short = Duration::from_millis(50);
    let times = Limits { shutdown: short, ..limits() };
    let mut bed = Bed::with(GuardOptions { limits: times, ..options() }).await;
    let mut stuck = bed.connect().await;
    let lines = [&*bed.bearer(), "Content-Length: 2", "Expect: 100-continue"];
    stuck.write_all(&bed.request("POST /api/v1/upload", &lines, "")).await.unwrap();
    assert_eq!(read_head(&mut stuck).await.status, 100);
    bed.stop();
    tokio::time::timeout(HANGS, &mut bed.served).await.expect("it has stopped").unwrap();
    assert_eq!(read(&mut stuck).await.status, 0, "cut off");
}

#[tokio::test]
async fn other_machines_need_tls_or_a_word() {
    let everywhere = "0.0.0.0:0".parse().unwrap();
    for exposure in [Exposure::Loopback, Exposure::Tls] {
        let error = Listener::bind(everywhere, None, exposure).await.unwrap_err();
        assert!(matches!(error, ListenError::Exposed(_)), "{error}");
        assert!(error.to_string().contains("insecure_expose"), "{error}");
    }
    Listener::bind(everywhere, None, Exposure::Insecure).await.unwrap();
}

#[tokio::test]
async fn tls_marks_the_cookie() {
    let made = rcgen::generate_simple_self_signed(vec!["localhost".to_owned()]).unwrap();
    let dir = tempfile::tempdir().unwrap();
    let (cert, key) = (dir.path().join("cert.pem"), dir.path().join("key.pem"));
    std::fs::write(&cert, made.cert.pem()).unwrap();
    std::fs::write(&key, made.signing_key.serialize_pem()).unwrap();
    let tls = Tls::from_files(&cert, &key).unwrap();
    let bed = Bed::secured(options(), Some(tls)).await;
    let mut roots = RootCertStore::empty();
    roots.add(CertificateDer::from_pem_file(&cert).unwrap()).unwrap();
    let config = ClientConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_root_certificates(roots)
        .with_no_client_auth();
    let connector = TlsConnector::from(Arc::new(config));
    let name = ServerName::try_from("localhost").unwrap();
    let mut stream = connector.connect(name, bed.connect().await).await.unwrap();
    let link = bed.guard.mint_link("").unwrap();
    let body = format!(r#"{{"code":"{}"}}"#, link.path.strip_prefix("/login#").unwrap());
    let origin = format!("Origin: https://{}", bed.host());
    let lines = ["Content-Type: application/json", &*origin];
    stream.write_all(&bed.request("POST /api/v1/login", &lines, &body)).await.unwrap();
    let reply = read(&mut stream).await;
    let cookie = reply.header("set-cookie").unwrap();
    assert!(cookie.starts_with("__Host-") && cookie.contains("; Secure"), "{cookie}");
    // Plain HTTP gets nothing there.
    assert_ne!(bed.ask("GET /api/v1/health", &[], "").await.status, 200);
    // A key that is none.
    assert!(matches!(Tls::from_files(&cert, &cert), Err(TlsError::File { .. })));
    assert!(matches!(Tls::from_files(&dir.path().join("no"), &key), Err(TlsError::File { .. })));
}
