//! "Do not ask again": what the CLI suggests comes back to it, and is kept where the host says.

use std::path::PathBuf;

use pilothouse_client::Options;
use pilothouse_client::wire::permission::{Destination, PermissionUpdate};
use serde_json::{Value, json};

use crate::bed::{Bed, Told};

on_every_version!(kept_where_the_host_says, taken_as_suggested);

/// Where a rule can be kept, and by which command the test tells them apart.
const PLACES: [(&str, Destination); 4] = [
    ("user", Destination::UserSettings),
    ("project", Destination::ProjectSettings),
    ("local", Destination::LocalSettings),
    ("session", Destination::Session),
];

/// Calls the same command twice for each place.
const SCRIPT: &str = r#"
tool Bash {"command":"sh work.sh user"}
---
tool Bash {"command":"sh work.sh user"}
---
tool Bash {"command":"sh work.sh project"}
---
tool Bash {"command":"sh work.sh project"}
---
tool Bash {"command":"sh work.sh local"}
---
tool Bash {"command":"sh work.sh local"}
---
tool Bash {"command":"sh work.sh session"}
---
tool Bash {"command":"sh work.sh session"}
---
say Done.
"#;

/// Allows everything for good; tells which commands were asked about.
fn allowing_for_good(bed: &Bed, asked: &Told<String>) -> Options {
    let asked = asked.clone();
    bed.options(bed.invocation()).on_permission(move |ask| {
        let command = ask.input.to_value()["command"].as_str().unwrap().to_owned();
        let place = command.rsplit(' ').next().unwrap().to_owned();
        let (_, destination) = PLACES.iter().find(|(name, _)| *name == place).unwrap();
        let suggested = ask.permission_suggestions.iter();
        let updates = suggested.map(|update| update.clone().to(destination.clone())).collect();
        asked.add(place);
        async move { ask.allow().updating(updates) }
    })
}

async fn kept_where_the_host_says(bed: &Bed) {
    bed.write("work.sh", "echo worked: $1\n");
    let asked = Told::new();
    let mut session = bed.start(allowing_for_good(bed, &asked)).await;
    session.say(SCRIPT).await;
    session.answer("Done.").await;
    let outcomes = bed.last_asked().tool_results();
    assert_eq!(outcomes.len(), 8);
    assert!(outcomes.iter().all(|outcome| outcome.text.contains("worked:")), "{outcomes:?}");
    let mut about = asked.take();
    if !bed.expected.project_rule_counts {
        // Whether it is asked once or twice is up to its reading the file anew in between.
        about.dedup();
    }
    assert_eq!(about, ["user", "project", "local", "session"]);
    assert!(session.end().await.success());

    let home = bed.harness.home().join(".claude/settings.json");
    let project = bed.harness.cwd().join(".claude/settings.json");
    let local = bed.harness.cwd().join(".claude/settings.local.json");
    assert_eq!(allowed_in(home), json!(["Bash(sh work.sh user)"]));
    assert_eq!(allowed_in(project), json!(["Bash(sh work.sh project)"]));
    assert_eq!(allowed_in(local), json!(["Bash(sh work.sh local)"]));

    // The next session knows what was written, and only that.
    let mut session = bed.start(allowing_for_good(bed, &asked)).await;
    session.say(SCRIPT).await;
    session.answer("Done.").await;
    let mut about = asked.take();
    about.dedup();
    if bed.expected.project_rule_counts {
        assert_eq!(about, ["session"]);
    } else {
        assert_eq!(about, ["project", "session"]);
    }
    assert!(session.end().await.success());
}

fn allowed_in(file: PathBuf) -> Value {
    let text = std::fs::read_to_string(&file).unwrap_or_else(|error| panic!("{file:?}: {error}"));
    let settings: Value = serde_json::from_str(&text).unwrap();
    settings["permissions"]["allow"].clone()
}

async fn taken_as_suggested(bed: &Bed) {
    let asked = Told::new();
    let asks = asked.clone();
    let options = bed.options(bed.invocation()).on_permission(move |ask| {
        asks.add(ask.permission_suggestions.clone());
        async move { ask.allow_always() }
    });
    let mut session = bed.start(options).await;
    let [one, two] = ["one.txt", "two.txt"]
        .map(|name| json!({"file_path": bed.path(name), "content": "written\n"}));
    session.say(&format!("tool Write {one}\n---\ntool Write {two}\n---\nsay Done.")).await;
    session.answer("Done.").await;
    assert_eq!(bed.read("two.txt").as_deref(), Some("written\n"));
    let suggested = asked.take();
    let [suggested] = &suggested[..] else { panic!("asked again: {suggested:?}") };
    let [PermissionUpdate::SetMode(update)] = &suggested[..] else { panic!("{suggested:?}") };
    assert_eq!(update.mode.as_str(), "acceptEdits");
    assert!(session.end().await.success());
}
