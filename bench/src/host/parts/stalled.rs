//! What one client costs the others that subscribes to everything and never reads.
//!
//! In one run, by turns: with it and without it. So whatever else the machine does falls on both.

use std::time::{Duration, Instant};

use serde_json::json;

use super::Terms;
use super::running::run;
use crate::host::bed::{Bed, Sending};
use crate::host::check::Latency;
use crate::host::client::Client;
use crate::host::report::Row;
use crate::host::script::Plan;
use crate::host::{Outcome, now, process};

const SESSIONS: usize = 100;
const RATE: u64 = 100;

pub(super) async fn measure(terms: &Terms) -> Outcome<Vec<Row>> {
    let bed = Bed::new(&terms.programs)?;
    let ids = bed.sessions(SESSIONS).await?;
    let daemon = bed.daemon_sending(Sending::Framed)?;
    let plan = Plan::lasting(terms.seconds.max(20), RATE);
    let window = Duration::from_secs(plan.lines() / RATE) / 9;
    let mut windows: Vec<(bool, u64, u64, f64)> = Vec::new();
    let seconds = || process::seconds(daemon.pid()).unwrap_or_default();
    let meanwhile = async {
        // The first one warms up.
        tokio::time::sleep(window).await;
        for number in 0..7 {
            let is_stalled = number % 2 == 1;
            let mut client = None;
            if is_stalled {
                let mut stalled =
                    Client::open(&daemon.address, "/api/v1/ws", Some(&daemon.token)).await?;
                for session in &ids {
                    let subscribe = json!({"op": "subscribe", "session": session, "after": 0});
                    stalled.say(&subscribe).await?;
                }
                client = Some(stalled);
            }
            let (from, cpu, since) = (now(), seconds(), Instant::now());
            tokio::time::sleep(window).await;
            let used = (seconds() - cpu) / since.elapsed().as_secs_f64();
            windows.push((is_stalled, from, now(), used));
            drop(client);
        }
        Ok(())
    };
    let ran = run(&bed, &daemon, &ids, (1, plan), meanwhile).await?;
    let of = |stalled: bool| {
        let chosen: Vec<_> = windows.iter().filter(|window| window.0 == stalled).collect();
        let within = |at| chosen.iter().any(|(_, from, to, _)| (*from..*to).contains(&at));
        let latency = Latency::of(&ran.lines, within);
        let cpu = chosen.iter().map(|window| window.3).sum::<f64>() / chosen.len() as f64;
        let seconds: f64 = chosen.iter().map(|(_, from, to, _)| (to - from) as f64 / 1e9).sum();
        (latency.added.at([0.5, 0.99]), latency.added.count() as f64 / seconds, cpu)
    };
    let ([p50, p99], rate, cpu) = of(false);
    let ([stalled_p50, stalled_p99], stalled_rate, stalled_cpu) = of(true);
    let more = |with: f64, without: f64| (with / without - 1.0) * 100.0;
    let name = "one stalled client";
    Ok(vec![
        Row::at_most(format!("{name}: lines lost by the others"), ran.lost as f64, 0.0, ""),
        Row::at_most(
            format!("{name}: lines the others get less"),
            more(rate, stalled_rate).max(0.0),
            5.0,
            " %",
        ),
        Row::at_most(
            format!("{name}: the others' latency more, p50"),
            more(stalled_p50, p50).max(0.0),
            5.0,
            " %",
        ),
        Row::told(
            format!("{name}: the others' latency with and without it, p50 and p99"),
            format!("{stalled_p50:.2} and {stalled_p99:.2}, {p50:.2} and {p99:.2} ms"),
        ),
        Row::told(
            format!("{name}: daemon's processors with and without it"),
            format!("{stalled_cpu:.3}, {cpu:.3}"),
        ),
    ])
}
