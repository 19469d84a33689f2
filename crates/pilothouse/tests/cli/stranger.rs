//! Commands prove whom they talk to: a port that a killed daemon has left may be anybody's.

use std::fs::File;
use std::io::{Read, Write};
use std::net::{Shutdown, SocketAddr, TcpListener, TcpStream};
use std::path::PathBuf;
use std::sync::{Arc, Mutex};

use rustix::fs::{FlockOperation, flock};
use rustix::process::Signal;
use serde_json::{Value, json};

use super::bed::{Bed, Ran, signal, until};

/// Everything that clients have sent to a port.
#[derive(Clone, Default)]
struct Record(Arc<Mutex<Vec<u8>>>);

impl Record {
    fn add(&self, bytes: &[u8]) {
        self.0.lock().unwrap().extend_from_slice(bytes);
    }

    fn text(&self) -> String {
        String::from_utf8_lossy(&self.0.lock().unwrap()).into_owned()
    }

    /// Fails if the token, or any bearer token, is among it.
    fn lacks_token(&self, bed: &Bed) {
        let token = std::fs::read_to_string(bed.data().join("token")).unwrap();
        let text = self.text();
        assert!(!text.contains(token.trim()) && !text.contains("Bearer"), "{text}");
    }
}

/// Grants every request.
const YES: &str =
    "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 2\r\n\r\n{}";

/// Turns every connection away, as a daemon does that has no room.
const FULL: &str = "HTTP/1.1 503 Service Unavailable\r\ncontent-length: 0\r\n\r\n";

/// Listens at a port, answers every request with `answer`, and records what it is sent.
fn squat(listener: TcpListener, answer: &'static str) -> Record {
    let record = Record::default();
    let kept = record.clone();
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let (mut stream, record) = (stream.unwrap(), kept.clone());
            std::thread::spawn(move || {
                let mut bytes = [0; 16 * 1024];
                while let Ok(read @ 1..) = stream.read(&mut bytes) {
                    record.add(&bytes[..read]);
                    let _ = stream.write_all(answer.as_bytes());
                }
            });
        }
    });
    record
}

/// How a relay changes what it passes on: text, address of the relay, address of the daemon.
type Change = fn(&str, &str, &str) -> String;

/// Passes everything on to a daemon and back, and records what clients have sent.
fn relay(listener: TcpListener, daemon: SocketAddr, change: Change) -> Record {
    let record = Record::default();
    let kept = record.clone();
    let own = listener.local_addr().unwrap().to_string();
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let (stream, record, own) = (stream.unwrap(), kept.clone(), own.clone());
            std::thread::spawn(move || {
                let mut there = TcpStream::connect(daemon).unwrap();
                let (mut back, mut answers) =
                    (stream.try_clone().unwrap(), there.try_clone().unwrap());
                std::thread::spawn(move || {
                    let _ = std::io::copy(&mut answers, &mut back);
                    let _ = back.shutdown(Shutdown::Both);
                });
                let mut bytes = [0; 16 * 1024];
                while let Ok(read @ 1..) = (&stream).read(&mut bytes) {
                    record.add(&bytes[..read]);
                    let text = String::from_utf8_lossy(&bytes[..read]);
                    let _ = there.write_all(change(&text, &own, &daemon.to_string()).as_bytes());
                }
                let _ = there.shutdown(Shutdown::Write);
            });
        }
    });
    record
}

/// A beacon whose address was replaced. The right one comes back when this goes.
struct Misled {
    file: PathBuf,
    right: Vec<u8>,
}

impl Misled {
    fn to(bed: &Bed, address: SocketAddr) -> Self {
        let file = bed.data().join("daemon.json");
        let right = std::fs::read(&file).unwrap();
        let mut beacon: Value = serde_json::from_slice(&right).unwrap();
        beacon["addresses"] = json!([address]);
        std::fs::write(&file, beacon.to_string()).unwrap();
        Self { file, right }
    }
}

impl Drop for Misled {
    fn drop(&mut self) {
        std::fs::write(&self.file, &self.right).unwrap();
    }
}

fn address(bed: &Bed) -> SocketAddr {
    let status: Value = serde_json::from_str(&bed.ok(["status", "--json"])).unwrap();
    status["addresses"][0].as_str().unwrap().parse().unwrap()
}

const COMMANDS: [&[&str]; 6] =
    [&["ls"], &["status"], &["down"], &["login"], &["up", "--no-open"], &["run", "hello"]];

/// Each refuses to talk to what listens at an address.
fn are_refused(bed: &Bed, address: SocketAddr) {
    let started = COMMANDS.map(|args| (args, bed.start(args)));
    for (args, child) in started {
        let ran = Ran::wait(child);
        assert_eq!(ran.code, Some(1), "{args:?}: {ran:?}");
        assert!(ran.err.contains(&format!("listens at {address}")), "{args:?}: {ran:?}");
    }
}

#[test]
fn sends_no_token_to_the_address_of_a_stale_beacon() {
    let bed = Bed::new();
    // So that there is a token to be sent.
    bed.ok(["ls"]);
    let lock = File::create(bed.data().join("lock")).unwrap();
    flock(&lock, FlockOperation::NonBlockingLockExclusive).unwrap();
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    let beacon = json!({
        "keeper": "daemon", "pid": 1, "tls": false, "version": "0.1.0", "addresses": [address],
    });
    std::fs::write(bed.data().join("daemon.json"), beacon.to_string()).unwrap();
    let record = squat(listener, YES);
    are_refused(&bed, address);
    record.lacks_token(&bed);
    assert!(record.text().contains("POST /api/v1/challenge"));
}

#[test]
fn sends_no_token_to_a_relay_on_the_stale_port() {
    let bed = Bed::new();
    bed.ok(["up", "--no-open"]);
    let daemon = address(&bed);
    let changes: [Change; 3] = [
        |text, _, _| text.to_owned(),
        |text, own, daemon| text.replace(own, daemon),
        // The daemon takes it for a request to itself; the challenge is as the client made it.
        |text, own, daemon| text.replacen(own, daemon, 1),
    ];
    for change in changes {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let record = relay(listener, daemon, change);
        let misled = Misled::to(&bed, address);
        are_refused(&bed, address);
        drop(misled);
        record.lacks_token(&bed);
        assert!(record.text().contains("POST /api/v1/challenge"));
    }
    assert!(bed.ok(["down"]).contains("has stopped"), "the daemon itself is found");
}

#[test]
fn commands_at_once_after_a_kill_send_no_token_to_the_old_port() {
    let bed = Bed::new();
    bed.ok(["up", "--no-open"]);
    let old = address(&bed);
    let status: Value = serde_json::from_str(&bed.ok(["status", "--json"])).unwrap();
    let pid = u32::try_from(status["pid"].as_u64().unwrap()).unwrap();
    signal(pid, Signal::KILL);
    let mut squatter = None;
    until(|| {
        squatter = TcpListener::bind(old).ok();
        squatter.is_some()
    });
    let record = squat(squatter.unwrap(), YES);
    assert!(bed.data().join("daemon.json").exists(), "a killed daemon leaves it");
    for ran in [(); 4].map(|()| bed.start(["ls"])).map(Ran::wait) {
        assert_eq!(ran.code, Some(0), "{ran:?}");
    }
    record.lacks_token(&bed);
}

/// Whoever takes the directory over has its lock for a moment before it replaces a stale beacon.
#[test]
fn a_503_from_the_port_of_a_stale_beacon_is_not_believed() {
    let bed = Bed::new();
    bed.ok(["up", "--no-open"]);
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    let misled = Misled::to(&bed, address);
    let record = squat(listener, FULL);
    let ran = bed.start(["ls"]);
    until(|| record.text().contains("POST /api/v1/challenge"));
    drop(misled);
    let ran = Ran::wait(ran);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    record.lacks_token(&bed);
    bed.ok(["down"]);
}

#[test]
fn refuses_a_data_directory_that_others_can_write() {
    use std::os::unix::fs::PermissionsExt;
    let bed = Bed::new();
    bed.ok(["ls"]);
    std::fs::set_permissions(bed.data(), std::fs::Permissions::from_mode(0o777)).unwrap();
    let commands =
        COMMANDS.into_iter().chain([&["serve"][..], &["policy", "explain", "own", "Read", "x"]]);
    for args in commands {
        let ran = bed.run(args);
        assert_ne!(ran.code, Some(0), "{args:?}: {ran:?}");
        assert!(ran.err.contains("can be written by other users"), "{args:?}: {ran:?}");
        assert!(ran.err.contains("chmod go-w"), "{args:?}: {ran:?}");
    }
    let report: Value = serde_json::from_str(&bed.run(["doctor", "--json"]).out).unwrap();
    let checks = report["checks"].as_array().unwrap();
    let check = checks.iter().find(|check| check["id"] == "data_dir.private").unwrap();
    assert_eq!(check["state"], "fail", "{check}");
    std::fs::set_permissions(bed.data(), std::fs::Permissions::from_mode(0o700)).unwrap();
    bed.ok(["ls"]);
}
