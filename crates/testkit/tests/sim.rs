//! The simulated CLI: beside the real one, and alone with its faults.
//!
//! `SIM_ONLY=NAME` plays only the scenarios whose name contains NAME; `SIM_DUMP=DIRECTORY` keeps
//! what was said.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test says what went wrong by panicking")]

#[path = "sim/alone.rs"]
mod alone;
#[path = "sim/bed.rs"]
mod bed;
#[path = "sim/compare.rs"]
mod compare;
#[path = "sim/scenario.rs"]
mod scenario;
#[path = "sim/scenarios/mod.rs"]
mod scenarios;
#[path = "sim/shape.rs"]
mod shape;

use bed::{Side, play};
use scenario::Scenario;
use scenarios::{control, conversation, endings, hooks, old, permissions, sessions, tasks, tools};

/// Plays scenarios with both and compares what they say.
async fn same(scenarios: Vec<Scenario>) {
    let only = std::env::var("SIM_ONLY").unwrap_or_default();
    let mut wrong = Vec::new();
    for scenario in scenarios.into_iter().filter(|scenario| scenario.name.contains(&only)) {
        let real = play(Side::Real, &scenario).await;
        let sim = play(Side::Sim, &scenario).await;
        let found = compare::differences(&scenario, &real, &sim);
        if !found.is_empty() {
            wrong.push(format!("== {}\n  {}", scenario.name, found.join("\n  ")));
        }
    }
    assert!(wrong.is_empty(), "{} scenarios differ:\n{}", wrong.len(), wrong.join("\n"));
}

macro_rules! same {
    ($($name:ident: $scenarios:expr;)*) => {
        mod the_same_frames {
            use super::*;

            $(#[tokio::test]
            async fn $name() {
                same($scenarios).await;
            })*
        }
    };
}

same! {
    for_words: conversation::words();
    for_queues: conversation::queues();
    for_interrupts: conversation::interrupts();
    for_failures: conversation::failures();
    for_commands: conversation::commands();
    for_files: tools::files();
    for_shells: tools::commands();
    for_people: tools::people();
    for_servers: tools::servers();
    for_answers: permissions::answers();
    for_rules: permissions::rules();
    for_modes: permissions::modes();
    for_open_questions: permissions::open_questions();
    for_hooks_before: hooks::before();
    for_hooks_after: hooks::after();
    for_hooks_around: hooks::around();
    for_control: control::all();
    for_sessions: sessions::all();
    for_agents: tasks::agents();
    for_background_commands: tasks::commands();
    for_endings: endings::all();
    for_the_old_dialect: old::all();
}
