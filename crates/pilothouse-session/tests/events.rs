//! Every conversation that was recorded with a real CLI, through the machine: what its clients see.
//!
//! One snapshot for each scenario. It has the events of the newest CLI in full, and for each older
//! one the lines that are different.

#![allow(clippy::expect_used, clippy::panic, reason = "a test says what went wrong by panicking")]

#[path = "events/client_logs.rs"]
mod client_logs;
#[path = "events/laws.rs"]
mod laws;
#[path = "events/recording.rs"]
mod recording;
#[path = "events/schema.rs"]
mod schema;
#[path = "events/scripted.rs"]
mod scripted;
#[path = "events/text.rs"]
mod text;
#[path = "events/versions.rs"]
mod versions;

use std::fmt::Write;

use recording::scenarios;

#[test]
fn what_clients_see() {
    let mut settings = insta::Settings::clone_current();
    settings.set_prepend_module_to_snapshot(false);
    settings.set_omit_expression(true);
    for (scenario, versions) in scenarios() {
        let mut shown = String::new();
        let mut newest: Option<Vec<String>> = None;
        for (version, recording) in versions.iter().rev() {
            let played = recording.play();
            let _ = match &newest {
                None => writeln!(shown, "== {version}\n{}", text::whole(&played)),
                Some(newest) => {
                    let diff = versions::diff(newest, &text::bare(&played));
                    writeln!(shown, "== {version}{diff}")
                }
            };
            newest.get_or_insert_with(|| text::bare(&played));
        }
        settings.bind(|| insta::assert_snapshot!(format!("events__{scenario}"), shown));
    }
}
