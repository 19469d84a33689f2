//! The simulated CLI against the real one: the same scenarios, the same frames.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test says what went wrong by panicking")]

#[path = "sim/bed.rs"]
mod bed;
#[path = "sim/scenario.rs"]
mod scenario;
#[path = "sim/scenarios.rs"]
mod scenarios;

use bed::{Side, play};

#[tokio::test]
async fn record() {
    let only = std::env::var("ONLY").ok();
    let side = if std::env::var_os("REAL").is_some() { Side::Real } else { Side::Sim };
    for scenario in scenarios::all() {
        if only.as_deref().is_none_or(|only| only.split(',').any(|name| name == scenario.name)) {
            let t = std::time::Instant::now();
            let name = scenario.name;
            let played = tokio::spawn(async move { play(side, &scenario).await }).await;
            match played {
                Ok(played) => println!(
                    "{name} {:?} {:?}",
                    t.elapsed(),
                    played.runs.iter().map(|r| (r.frames.len(), r.code)).collect::<Vec<_>>()
                ),
                Err(_) => println!("{name} FAILED"),
            }
        }
    }
}
