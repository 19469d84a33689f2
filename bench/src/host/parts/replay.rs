//! A client comes back to a long session.

use std::time::Instant;

use serde_json::json;

use super::Terms;
use super::append::fill;
use super::running::until;
use crate::host::Outcome;
use crate::host::bed::Bed;
use crate::host::check::Heard;
use crate::host::client::Client;
use crate::host::report::Row;
use pilothouse_host::store::Store;

const EVENTS: u64 = 100_000;

pub(super) async fn measure(terms: &Terms) -> Outcome<Vec<Row>> {
    let bed = Bed::new(&terms.programs)?;
    let ids = bed.sessions(1).await?;
    let session = *ids.first().ok_or("no session")?;
    let store = Store::open(bed.data().join("pilothouse.db"))?;
    fill(&store, session, EVENTS)?;
    drop(store);
    let daemon = bed.daemon()?;
    let mut times = Vec::new();
    let mut bytes = 0;
    for _ in 0..5 {
        let mut client = Client::open(&daemon.address, "/api/v1/ws", Some(&daemon.token)).await?;
        let began = Instant::now();
        client.say(&json!({"op": "subscribe", "session": session, "after": 0})).await?;
        // As little as can be done with it: the daemon is measured.
        bytes = 0;
        loop {
            let message = client.hear().await?;
            bytes += message.text.len();
            if ends_live(message.text) {
                break;
            }
        }
        times.push(began.elapsed().as_secs_f64());
    }
    // Once more, looking at every event.
    let mut client = Client::open(&daemon.address, "/api/v1/ws", Some(&daemon.token)).await?;
    client.say(&json!({"op": "subscribe", "session": session, "after": 0})).await?;
    let mut heard = Heard::default();
    until(&mut client, &mut heard, |heard| heard.is_live).await?;
    if let Some(fault) = heard.faults.first() {
        return Err(fault.clone().into());
    }
    if heard.seq() != EVENTS {
        return Err(format!("{} events came", heard.seq()).into());
    }
    times.sort_by(f64::total_cmp);
    let (median, worst) = (times.get(2).copied(), times.last().copied());
    let name = format!("replay of {EVENTS} events ({:.0} MB)", bytes as f64 / 1e6);
    Ok(vec![
        Row::at_most(format!("{name}: median of 5"), median.unwrap_or(f64::NAN), 0.5, " s"),
        Row::told(format!("{name}: slowest"), format!("{:.2} s", worst.unwrap_or(f64::NAN))),
    ])
}

fn ends_live(text: &[u8]) -> bool {
    let end = text.get(text.len().saturating_sub(200)..).unwrap_or_default();
    end.windows(13).any(|window| window == b"\"type\":\"live\"")
}
