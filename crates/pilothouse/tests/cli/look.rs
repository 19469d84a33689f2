//! How sessions and the daemon look to people. Ids, times and places are put aside.

use serde_json::Value;

use super::bed::{Bed, Ran, script, until};

/// Sessions as they come up: done, titled and copied, and one that asks.
fn with_sessions(bed: &Bed) -> std::process::Child {
    bed.ok(["up", "--no-open"]);
    bed.say(&["--quiet", "--policy", "autonomous"], "say A first answer.");
    until(|| bed.ok(["show", "last"]).contains("ended"));
    bed.ok(["fork", "last", "--title", "Another way"]);
    let lines = "tool Bash {\"command\":\"touch made\"}\n---\nsay Done.";
    let child = bed.start(["run", "--wait", "--quiet", &script(lines)]);
    until(|| bed.ok(["ls", "--waiting"]).contains("waiting"));
    child
}

/// Without what differs from time to time.
fn plain(bed: &Bed, mut text: String) -> String {
    for row in bed.sessions() {
        for (name, long) in [("id", "<id>"), ("cli_session", "<claude's id>")] {
            let Some(id) = row[name].as_str() else { continue };
            text = text.replace(id, long).replace(&id[28..], "<part-id>");
        }
    }
    let daemon: Value = serde_json::from_str(&bed.ok(["status", "--json"])).unwrap();
    let address = daemon["addresses"][0].as_str().unwrap();
    text = text
        .replace(address, "<address>")
        .replace(daemon["version"].as_str().unwrap(), "<version>");
    text = text.replace(&format!("pid {}", daemon["pid"]), "pid <pid>");
    text = text.replace(bed.path("").to_str().unwrap().trim_end_matches('/'), "<home>");
    let line = |line: &str| match line.split_once(char::is_whitespace) {
        Some((name @ ("begun" | "events"), rest)) => {
            let gap = rest.len() - rest.trim_start().len() + 1;
            format!("{name}{}<{name}>\n", " ".repeat(gap))
        }
        _ => format!("{line}\n"),
    };
    text.lines().map(line).collect()
}

#[test]
fn sessions_as_they_are_listed_and_shown() {
    let bed = Bed::new();
    let waiting = with_sessions(&bed);
    let mut all = String::new();
    for args in [&["ls"][..], &["ls", "--waiting"], &["show", "last"], &["status"]] {
        all.push_str(&format!("══ {}\n{}", args.join(" "), bed.ok(args)));
    }
    insta::assert_snapshot!(plain(&bed, all));
    bed.ok(["deny"]);
    Ran::wait(waiting);
}

#[test]
fn an_empty_house() {
    let bed = Bed::new();
    let all = [&["ls"][..], &["status"], &["down"], &["search", "nothing"]].map(|args| {
        let ran = bed.run(args);
        let out = ran.out.replace(bed.path("").to_str().unwrap().trim_end_matches('/'), "<home>");
        format!("══ {} ({})\n{out}", args.join(" "), ran.code.unwrap())
    });
    insta::assert_snapshot!(all.concat());
}
