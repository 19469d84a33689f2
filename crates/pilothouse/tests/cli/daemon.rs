//! The daemon from outside.

use std::io::{BufRead, BufReader, Read, Write};

use rustix::process::Signal;
use serde_json::Value;

use super::bed::{Bed, Ran, free_port, script, signal, until};

#[test]
fn it_comes_and_goes() {
    let bed = Bed::new();
    let before = bed.run(["status"]);
    assert_eq!(before.code, Some(1), "{before:?}");
    let up = bed.ok(["up", "--no-open"]);
    assert!(up.contains("runs now at http://127.0.0.1:") && up.contains("/login#"), "{up}");
    assert!(bed.ok(["up", "--no-open"]).contains("runs already"));
    let told: Value = serde_json::from_str(&bed.ok(["status", "--json"])).unwrap();
    assert_eq!((&told["running"], &told["keeper"]), (&true.into(), &"daemon".into()));
    assert!(bed.ok(["login", "--name", "phone"]).contains("/login#"));
    assert!(bed.ok(["down"]).contains("has stopped"));
    assert!(bed.ok(["down"]).contains("No daemon runs"));
    let login = bed.run(["login"]);
    assert_eq!(login.code, Some(1), "{login:?}");
}

#[test]
fn a_second_one_is_told_of_the_first() {
    // On a port of its own, and on the one that the first has taken.
    for port in [0, free_port()] {
        let bed = Bed::listening(port);
        bed.ok(["up", "--no-open"]);
        let second = bed.run(["serve"]);
        assert_eq!(second.code, Some(1), "{second:?}");
        assert!(second.err.contains("pilothouse down"), "{second:?}");
    }
}

#[test]
fn why_it_does_not_start_is_told() {
    let bed = Bed::new();
    let taken = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let listen = format!("server.listen={}", taken.local_addr().unwrap());
    let up = bed.run(["--set", &listen, "up", "--no-open"]);
    assert_eq!(up.code, Some(1), "{up:?}");
    assert!(up.err.contains("cannot listen on") && up.err.contains("daemon.log"), "{up:?}");
}

#[test]
fn a_turn_outlives_the_daemon_that_it_began_with() {
    let bed = Bed::new();
    bed.ok(["up", "--no-open"]);
    let child = bed.start(["run", "--json", &script("say first\nhold here\nmore , then the rest")]);
    bed.held("here");
    bed.ok(["down"]);
    bed.release("here");
    let ran = Ran::wait(child);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    check_numbers(&ran);
}

#[test]
fn without_holders_nothing_outlives_the_daemon() {
    let bed = Bed::new();
    let mut serving = bed.start(["serve", "--no-hold"]);
    let mut first = String::new();
    let mut stdout = BufReader::new(serving.stdout.take().unwrap());
    stdout.read_line(&mut first).unwrap();
    assert!(first.starts_with("listening on "), "{first}");
    let turn = bed.start(["run", "--json", &script("hold here\nsay never")]);
    bed.held("here");
    assert_eq!(bed.live_runs(), 1);
    signal(turn.id(), Signal::KILL);
    signal(serving.id(), Signal::KILL);
    for mut child in [turn, serving] {
        child.wait().unwrap();
    }
    until(|| bed.live_runs() == 0);
}

#[test]
fn a_turn_that_began_without_a_daemon_goes_on_with_one() {
    let bed = Bed::new();
    let child = bed.start(["run", "--json", &script("say first\nhold here\nmore , then the rest")]);
    bed.held("here");
    assert!(bed.ok(["up", "--no-open"]).contains("runs now"));
    bed.release("here");
    let ran = Ran::wait(child);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    check_numbers(&ran);
    assert!(bed.ok(["status"]).contains("1 session:"));
}

#[test]
fn a_daemon_takes_over_from_any_number_of_commands() {
    let bed = Bed::new();
    // The first serves itself, the others come to it; any of them may be the next when it leaves.
    let runs: Vec<_> = ["one", "two", "three", "four"]
        .map(|name| {
            let child = bed.start(["run", "--quiet", &script(&format!("hold {name}\nsay {name}"))]);
            bed.held(name);
            (name, child)
        })
        .into();
    let down = bed.ok(["down"]);
    assert!(down.contains("serves itself until it is done"), "{down}");
    let up = bed.ok(["up", "--no-open"]);
    assert!(up.contains("runs now"), "{up}");
    let told: Value = serde_json::from_str(&bed.ok(["status", "--json"])).unwrap();
    assert_eq!(told["keeper"], "daemon", "{told}");
    for (name, child) in runs {
        bed.release(name);
        let ran = Ran::wait(child);
        assert_eq!((ran.code, &*ran.out), (Some(0), &*format!("{name}\n")), "{ran:?}");
    }
}

#[test]
fn of_two_that_are_started_at_once_one_serves() {
    for port in [0, free_port()] {
        let bed = Bed::listening(port);
        let both = [(); 2].map(|()| bed.start(["up", "--no-open"])).map(Ran::wait);
        for ran in &both {
            assert_eq!(ran.code, Some(0), "{both:?}");
        }
        let count = |what: &str| both.iter().filter(|ran| ran.out.contains(what)).count();
        assert_eq!((count("runs now"), count("runs already")), (1, 1), "{both:?}");
    }
}

#[test]
fn a_command_that_serves_itself_is_no_daemon() {
    let bed = Bed::new();
    let child = bed.start(["run", "--quiet", &script("hold here\nsay done")]);
    bed.held("here");
    let status = bed.run(["status"]);
    assert_eq!(status.code, Some(1), "{status:?}");
    assert!(status.out.contains("No daemon runs") && status.out.contains("serves itself"));
    let told: Value = serde_json::from_str(&bed.run(["status", "--json"]).out).unwrap();
    assert_eq!((&told["running"], &told["keeper"]), (&false.into(), &"command".into()));
    let report: Value = serde_json::from_str(&bed.run(["doctor", "--json"]).out).unwrap();
    assert!(!report.to_string().contains("the daemon listens"), "{report}");
    bed.release("here");
    assert_eq!(Ran::wait(child).code, Some(0));
}

#[test]
fn a_phone_gets_a_link_that_it_can_open() {
    let bed = Bed::new();
    let hosts = "server.allowed_hosts=machine.example.org";
    bed.ok(["--set", hosts, "up", "--no-open"]);
    let login = bed.ok(["--set", hosts, "login"]);
    let links: Vec<_> = login.lines().collect();
    assert!(links[0].starts_with("http://127.0.0.1:"), "{login}");
    assert!(links[1].contains(" https://machine.example.org/login#"), "{login}");
    let login = bed.ok(["--set", hosts, "login", "--host", "http://machine.example.org:80"]);
    assert!(login.starts_with("http://machine.example.org:80/login#"), "{login}");
    let other = bed.run(["login", "--host", "other.example.org"]);
    assert!(other.err.contains("server.allowed_hosts"), "{other:?}");
    assert_eq!(bed.run(["login", "--host", "a b"]).code, Some(2));
}

#[test]
fn what_is_asked_to_end_is_who_answers_not_a_number_in_a_file() {
    let bed = Bed::new();
    bed.ok(["up", "--no-open"]);
    // As a daemon that was killed leaves it behind, and somebody has its number since.
    let file = bed.data().join("daemon.json");
    let right = std::fs::read(&file).unwrap();
    let mut stale: Value = serde_json::from_slice(&right).unwrap();
    let bystander = Bystander(std::process::Command::new("sleep").arg("600").spawn().unwrap());
    stale["pid"] = bystander.0.id().into();
    std::fs::write(&file, stale.to_string()).unwrap();
    let down = bed.run(["down"]);
    assert_eq!(down.code, Some(1), "{down:?}");
    assert!(down.err.contains("not "), "{down:?}");
    assert!(bystander.is_there(), "it was ended");
    // As it is while the next one is starting: nobody answers yet.
    // On this port nobody is given a socket who does not ask for it.
    stale["addresses"] = serde_json::json!(["127.0.0.1:1"]);
    std::fs::write(&file, stale.to_string()).unwrap();
    let waiting = bed.start(["down"]);
    std::fs::write(&file, right).unwrap();
    let down = Ran::wait(waiting);
    assert!(down.out.contains("has stopped"), "{down:?}");
    assert!(bystander.is_there(), "it was ended");
}

/// A process that has nothing to do with it.
struct Bystander(std::process::Child);

impl Bystander {
    fn is_there(&self) -> bool {
        std::fs::read_to_string(format!("/proc/{}/cmdline", self.0.id()))
            .is_ok_and(|line| line.starts_with("sleep"))
    }
}

impl Drop for Bystander {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

#[test]
fn commands_reach_a_daemon_that_speaks_tls() {
    let bed = Bed::new();
    // For a name that browsers use, by nobody whom this machine trusts.
    let made = rcgen::generate_simple_self_signed(["machine.example.org".to_owned()]).unwrap();
    let (cert, key) = (bed.path("cert.pem"), bed.path("key.pem"));
    std::fs::write(&cert, made.cert.pem()).unwrap();
    std::fs::write(&key, made.signing_key.serialize_pem()).unwrap();
    let set = |name: &str, path: &std::path::Path| format!("tls.{name}={}", path.display());
    let (cert, key) = (set("cert", &cert), set("key", &key));
    let up = bed.ok(["--set", &cert, "--set", &key, "up", "--no-open"]);
    assert!(up.contains("runs now at https://127.0.0.1:"), "{up}");
    // They need not know of it.
    let ran = bed.say(&["--quiet"], "say in secret");
    assert_eq!((ran.code, &*ran.out), (Some(0), "in secret\n"), "{ran:?}");
    assert_eq!(bed.sessions().len(), 1);
    assert!(bed.ok(["login"]).contains("https://127.0.0.1:"));

    // Somebody else at that address is not taken for it.
    let file = bed.data().join("daemon.json");
    let right = std::fs::read(&file).unwrap();
    let other = rcgen::generate_simple_self_signed(["machine.example.org".to_owned()]).unwrap();
    let mut beacon: Value = serde_json::from_slice(&right).unwrap();
    let wrong = base64::Engine::encode(&base64::prelude::BASE64_STANDARD, other.cert.der());
    beacon["certificate"] = wrong.into();
    std::fs::write(&file, beacon.to_string()).unwrap();
    let ran = bed.run(["status"]);
    assert_eq!(ran.code, Some(1), "{ran:?}");
    assert!(ran.err.contains("something other than the daemon"), "{ran:?}");
    std::fs::write(&file, right).unwrap();
    assert!(bed.ok(["down"]).contains("has stopped"));
}

fn check_numbers(ran: &Ran) {
    assert!(ran.out.contains("first, then the rest"), "{ran:?}");
    let numbers = ran.out.lines().map(|line| {
        let event: Value = serde_json::from_str(line).unwrap();
        event["seq"].as_u64().unwrap()
    });
    let numbers: Vec<_> = numbers.collect();
    let expected: Vec<_> = (1..=numbers.len() as u64).collect();
    assert_eq!(numbers, expected, "no gap, nothing twice");
}

#[test]
fn two_without_a_daemon_share_one() {
    let bed = Bed::new();
    let first = bed.start(["run", "--quiet", &script("hold one\nsay first")]);
    bed.held("one");
    let second = bed.start(["run", "--quiet", &script("hold two\nsay second")]);
    bed.held("two");
    // The one that serves both ends first; the other goes on by itself.
    bed.release("one");
    assert_eq!(Ran::wait(first).out, "first\n");
    bed.release("two");
    let second = Ran::wait(second);
    assert_eq!((second.code, &*second.out), (Some(0), "second\n"), "{second:?}");
}

#[test]
fn the_configuration_says_where_it_comes_from() {
    let bed = Bed::new();
    let config = bed.ok(["--set", "log.filter=debug", "config"]);
    assert!(config.contains("filter = \"debug\" # --set log.filter"), "{config}");
    assert!(config.contains("# PILOTHOUSE_CLAUDE"), "{config}");
    assert_eq!(bed.ok(["config", "holder.enabled"]), "true\n");
}

#[test]
fn its_log_has_neither_the_token_nor_the_values_of_variables() {
    let bed = Bed::new();
    let key = "correct-horse-battery";
    let env = format!("session.env={{ KEY = \"{key}\" }}");
    let mut serving = bed.start(["--set", &env, "serve"]);
    let mut first = String::new();
    BufReader::new(serving.stdout.take().unwrap()).read_line(&mut first).unwrap();
    assert!(first.starts_with("listening on "), "{first}");
    let token = std::fs::read_to_string(bed.data().join("token")).unwrap();
    // What is wrong with it is logged when a session is opened.
    std::fs::create_dir(bed.path("work/.pilothouse")).unwrap();
    let secrets = [token.trim(), key];
    for secret in secrets {
        let text = format!("{secret} = 1\n");
        std::fs::write(bed.path("work/.pilothouse/policy.toml"), text).unwrap();
        let said = bed.say(&[], "say hello");
        assert_eq!(said.code, Some(0), "{said:?}");
    }
    bed.ok(["down"]);
    let log = Ran::wait(serving).err;
    let lines: Vec<_> = log.lines().filter(|line| line.contains("policy cannot be read")).collect();
    assert!(lines.len() >= secrets.len(), "{log}");
    assert!(lines.iter().all(|line| line.contains("[redacted]")), "{log}");
    for secret in secrets {
        assert!(!log.contains(secret), "{log}");
    }
}

#[test]
fn logins_are_listed_renamed_and_ended() {
    let bed = Bed::new();
    assert!(bed.ok(["login", "ls"]).contains("No browser is logged in"));
    bed.ok(["up", "--no-open"]);
    let link = bed.ok(["login", "--name", "phone"]);
    let (origin, code) = link.trim().split_once("/login#").unwrap();
    let body = serde_json::json!({ "code": code }).to_string();
    let host = origin.strip_prefix("http://").unwrap();
    let request = format!(
        "POST /api/v1/login HTTP/1.1\r\nHost: {host}\r\nOrigin: {origin}\r\nConnection: close\r\n\
         Content-Type: application/json\r\nContent-Length: {}\r\n\r\n{body}",
        body.len()
    );
    let mut stream = std::net::TcpStream::connect(host).unwrap();
    stream.write_all(request.as_bytes()).unwrap();
    let mut reply = String::new();
    stream.read_to_string(&mut reply).unwrap();
    assert!(reply.starts_with("HTTP/1.1 200"), "{reply}");

    let listed = bed.ok(["login", "ls"]);
    assert!(listed.contains("phone") && listed.contains(origin), "{listed}");
    let row: Value = serde_json::from_str(&bed.ok(["login", "ls", "--json"])).unwrap();
    assert!(row.get("page_key").is_none() && row.get("key").is_none(), "{row}");
    bed.ok(["login", "rename", "phone", "tablet"]);
    assert!(bed.ok(["login", "ls"]).contains("tablet"));
    assert_eq!(bed.run(["login", "rm", "phone"]).code, Some(1));
    assert_eq!(bed.run(["login", "rm"]).code, Some(2));
    assert!(bed.ok(["login", "rm", "tablet"]).contains(row["id"].as_str().unwrap()));
    assert!(bed.ok(["login", "ls"]).contains("No browser is logged in"));
}
