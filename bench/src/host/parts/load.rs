//! Many sessions that speak at once, a client for each.

use std::time::Duration;

use super::Terms;
use super::running::{Ran, run};
use crate::host::Outcome;
use crate::host::bed::{Bed, Sending};
use crate::host::check::Latency;
use crate::host::report::Row;
use crate::host::script::Plan;

/// Lines per second of each session.
const RATE: u64 = 100;

pub(super) async fn measure(terms: &Terms, sessions: usize) -> Outcome<Vec<Row>> {
    let bed = Bed::new(&terms.programs)?;
    let ids = bed.sessions(sessions).await?;
    let _speaker = bed.speaker()?;
    let daemon = bed.daemon_sending(Sending::Framed)?;
    let plan = Plan::lasting(terms.seconds, RATE);
    let ran = run(&bed, &daemon, &ids, (1, plan), async { Ok(()) }).await?;
    Ok(rows(&ran))
}

fn nanos(time: Duration) -> u64 {
    u64::try_from(time.as_nanos()).unwrap_or(u64::MAX)
}

fn rows(ran: &Ran) -> Vec<Row> {
    let name = format!("{} × {RATE} lines/s", ran.sessions);
    // Until all speak, and a second more, belongs to the start.
    let start = ran.plan.turn() + Duration::from_secs(1);
    let begun = ran.since + nanos(start);
    let latency = Latency::of(&ran.lines, |at| at >= begun);
    let [p50, p99, most] = latency.added.at([0.5, 0.99, 1.0]);
    let lost = Row::at_most(format!("{name}: lines lost"), ran.lost as f64, 0.0, "");
    let median = format!("{name}: added latency, p50");
    let late = format!("{name}: added latency, p99");
    let mut rows = vec![lost];
    match ran.sessions {
        100 => {
            rows.push(Row::at_most(median, p50, 0.5, " ms"));
            rows.push(Row::at_most(late, p99, 5.0, " ms"));
        }
        _ => {
            rows.push(Row::told(median, format!("{p50:.2} ms")));
            rows.push(Row::at_most(late, p99, 25.0, " ms"));
        }
    }
    let [event_p50, event_p99] = latency.events.at([0.5, 0.99]);
    rows.push(Row::told(
        format!("{name}: the same of what is stored first, p50 / p99; of all, at most"),
        format!("{event_p50:.2} / {event_p99:.2} ms; {most:.1} ms"),
    ));
    let [held_p50, held_p99] = latency.gathered.at([0.5, 0.99]);
    rows.push(Row::told(
        format!("{name}: held back on purpose, p50 / p99"),
        format!("{held_p50:.1} / {held_p99:.1} ms"),
    ));
    let (daemon, holders) = ran.micros_per_line();
    rows.push(Row::told(
        format!("{name}: {:.0} s; delivered; daemon and holders per line", ran.took.as_secs_f64()),
        format!("{:.0} lines/s; {daemon:.1} + {holders:.1} µs", ran.delivered(begun)),
    ));
    rows.push(Row::told(
        format!("{name}: daemon resident"),
        format!("{:.1} MiB", ran.daemon_kib as f64 / 1024.0),
    ));
    if ran.lagged > 0 || !ran.faults.is_empty() {
        let first = ran.faults.first().map_or("", String::as_str);
        rows.push(Row::failed(
            format!("{name}: faults"),
            &format!("{} times lagged, {} faults: {first}", ran.lagged, ran.faults.len()),
        ));
    }
    rows
}
