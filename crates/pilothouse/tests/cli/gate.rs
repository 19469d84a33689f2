//! A daemon that does not answer everything.

use std::io::{Read, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::path::PathBuf;
use std::sync::mpsc::{Receiver, Sender, channel};

use pilothouse_host::http::guard::{Challenge, ChallengeRequest, Token};
use serde_json::{Value, json};

use super::bed::{Bed, PATIENCE};

/// Stands before a daemon, and keeps from it what is asked for in such words, as `GET /path`.
pub(crate) struct Gate {
    kept: Receiver<()>,
    beacon: PathBuf,
    text: Vec<u8>,
}

impl Gate {
    pub(crate) fn before(bed: &Bed, keeps: fn(&str) -> bool) -> Self {
        let beacon = bed.data().join("daemon.json");
        let text = std::fs::read(&beacon).unwrap();
        let mut said: Value = serde_json::from_slice(&text).unwrap();
        let daemon = said["addresses"][0].as_str().unwrap().to_owned();
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        said["addresses"] = json!([listener.local_addr().unwrap()]);
        std::fs::write(&beacon, said.to_string()).unwrap();
        let token = Token::load_or_create(&bed.data()).unwrap();
        let (keep, kept) = channel();
        std::thread::spawn(move || {
            for asked in listener.incoming() {
                let (daemon, token, keep) = (daemon.clone(), token.clone(), keep.clone());
                std::thread::spawn(move || pass(&asked.unwrap(), &daemon, &token, keeps, &keep));
            }
        });
        Self { kept, beacon, text }
    }

    /// Waits until something was kept.
    pub(crate) fn keeps(&self) {
        self.kept.recv_timeout(PATIENCE).unwrap();
    }
}

/// Others find the daemon again.
impl Drop for Gate {
    fn drop(&mut self) {
        std::fs::write(&self.beacon, &self.text).unwrap();
    }
}

/// Answers the challenge of a command, as only a holder of the token can.
fn prove(asked: &TcpStream, token: &Token) {
    let (mut bytes, mut room) = (Vec::new(), [0; 16 * 1024]);
    let request: ChallengeRequest = loop {
        let read = (&*asked).read(&mut room).unwrap();
        bytes.extend_from_slice(&room[..read]);
        let text = String::from_utf8_lossy(&bytes);
        let body = text.split_once("\r\n\r\n").map(|(_, body)| serde_json::from_str(body));
        match body {
            Some(Ok(request)) => break request,
            _ => assert!(read > 0, "no challenge: {text}"),
        }
    };
    let challenge = Challenge::parse(&request.nonce, &request.address).unwrap();
    let body = serde_json::to_string(&challenge.reply(token)).unwrap();
    let head = format!("HTTP/1.1 200 OK\r\ncontent-length: {}\r\n\r\n", body.len());
    (&*asked).write_all((head + &body).as_bytes()).unwrap();
}

fn pass(
    asked: &TcpStream,
    daemon: &str,
    token: &Token,
    keeps: fn(&str) -> bool,
    keep: &Sender<()>,
) {
    prove(asked, token);
    let mut beginning = [0; 16 * 1024];
    let read = (&*asked).read(&mut beginning).unwrap();
    let beginning = String::from_utf8_lossy(&beginning[..read]);
    if beginning.split(" HTTP/").next().is_some_and(keeps) {
        keep.send(()).unwrap();
        // Until who asks has had enough of it.
        let _ = std::io::copy(&mut &*asked, &mut std::io::sink());
        return;
    }
    // It listens to its own name only.
    let beginning = beginning.replace(&asked.local_addr().unwrap().to_string(), daemon);
    let mut daemon = TcpStream::connect(daemon).unwrap();
    daemon.write_all(beginning.as_bytes()).unwrap();
    std::thread::scope(|scope| {
        scope.spawn(|| {
            let _ = std::io::copy(&mut &*asked, &mut &daemon);
            let _ = daemon.shutdown(Shutdown::Write);
        });
        let _ = std::io::copy(&mut &daemon, &mut &*asked);
        let _ = asked.shutdown(Shutdown::Both);
    });
}
