//! From nothing to the first answer, with many sessions in the store.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::time::{Duration, Instant};

use pilothouse_host::store::{Ack, NewSession, Store};
use pilothouse_session::id::SessionId;
use uuid::Uuid;

use super::Terms;
use super::append::fill;
use crate::host::Outcome;
use crate::host::bed::{Bed, Daemon};
use crate::host::report::Row;

const SESSIONS: usize = 10_000;
const STARTS: usize = 7;

pub(super) fn measure(terms: &Terms) -> Outcome<Vec<Row>> {
    let bed = Bed::new(&terms.programs)?;
    // Makes the directory, the token and the tables.
    drop(bed.daemon()?);
    let store = Store::open(bed.data().join("pilothouse.db"))?;
    let ids: Vec<SessionId> = (0..SESSIONS).map(|_| SessionId(Uuid::now_v7())).collect();
    let new = |id: &SessionId| store.create(NewSession::new(*id, "/home/ann/boat"));
    let acks: Vec<Ack<()>> = ids.iter().map(new).collect();
    for ack in acks {
        ack.wait()?;
    }
    for id in ids.iter().step_by(10) {
        fill(&store, *id, 20)?;
    }
    drop(store);
    let (mut healthy, mut listed) = (Vec::new(), Vec::new());
    for _ in 0..STARTS {
        let daemon = bed.daemon()?;
        get(&daemon, "/api/v1/health")?;
        healthy.push(daemon.started_at.elapsed().as_secs_f64() * 1000.0);
        if get(&daemon, "/api/v1/sessions?limit=50").is_ok() {
            listed.push(daemon.started_at.elapsed().as_secs_f64() * 1000.0);
        }
    }
    let name = format!("cold start with {SESSIONS} sessions");
    let mut rows = vec![
        Row::at_most(
            format!("{name}: first answer, median of {STARTS}"),
            median(&mut healthy),
            150.0,
            " ms",
        ),
        Row::told(
            format!("{name}: slowest"),
            format!("{:.0} ms", healthy.last().copied().unwrap_or(f64::NAN)),
        ),
    ];
    let list = format!("{name}: first page of the list");
    rows.push(match listed.is_empty() {
        true => Row::failed(list, "the daemon has no such route yet"),
        false => Row::at_most(list, median(&mut listed), 150.0, " ms"),
    });
    Ok(rows)
}

fn median(times: &mut [f64]) -> f64 {
    times.sort_by(f64::total_cmp);
    times.get(times.len() / 2).copied().unwrap_or(f64::NAN)
}

fn get(daemon: &Daemon, path: &str) -> Outcome<String> {
    let since = Instant::now();
    let mut stream = loop {
        match TcpStream::connect(&daemon.address) {
            Ok(stream) => break stream,
            Err(_) if since.elapsed() < Duration::from_secs(5) => {}
            Err(error) => return Err(error.into()),
        }
    };
    let (address, token) = (&daemon.address, &daemon.token);
    let request = format!(
        "GET {path} HTTP/1.1\r\nHost: {address}\r\nAuthorization: Bearer {token}\r\nConnection: close\r\n\r\n"
    );
    stream.write_all(request.as_bytes())?;
    let mut answer = String::new();
    stream.read_to_string(&mut answer)?;
    match answer.starts_with("HTTP/1.1 200") {
        true => Ok(answer),
        false => Err(answer.lines().next().unwrap_or("no answer").to_owned().into()),
    }
}
