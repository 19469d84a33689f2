//! Any text is a path in a call, and leads anywhere: a rule for the working directories never allows
//! one that is or leads outside of them, and one that a rule denies is never allowed, however it is
//! spelled.

#![no_main]

use std::sync::LazyLock;

use libfuzzer_sys::fuzz_target;
use pilothouse_fuzz::{decide, policies};
use pilothouse_session::policy::{Place, PolicySet, Verdict};
use serde_json::json;

static RULES: LazyLock<PolicySet> = LazyLock::new(|| {
    policies(
        r#"
[[rule]]
tool = ["Read", "Edit", "Write"]
path = ["**/.env", "~/.ssh/**", "/w/app/secret/**"]
deny = "No."

[[rule]]
tool = ["Read", "Edit", "Write"]
path = "**"
then = "allow"
"#,
    )
});

static PLACE: LazyLock<Place> = LazyLock::new(|| Place {
    home: Some("/home/u".to_owned()),
    additional_dirs: vec!["/w/lib".to_owned()],
    ..Place::at("/w/app")
});

/// The path that a Unix kernel would open if there were no links, in the plainest way.
fn plainly(path: &str) -> Vec<&str> {
    let mut names: Vec<&str> = match path {
        _ if path.starts_with('/') => Vec::new(),
        "~" => vec!["home", "u"],
        _ if path.starts_with("~/") => vec!["home", "u"],
        _ => vec!["w", "app"],
    };
    let rest = path.strip_prefix("~/").or((path == "~").then_some("")).unwrap_or(path);
    for name in rest.split('/') {
        match name {
            "" | "." => {}
            ".." => drop(names.pop()),
            name => names.push(name),
        }
    }
    names
}

/// Whether a path is below a working directory, and whether a rule denies it.
fn judged(names: &[&str]) -> (bool, bool) {
    let inside = names.starts_with(&["w", "app"]) || names.starts_with(&["w", "lib"]);
    let denied = inside && names.last() == Some(&".env")
        || names.starts_with(&["home", "u", ".ssh"])
        || names.starts_with(&["w", "app", "secret"]);
    (inside, denied)
}

// After a line break, where the path leads.
fuzz_target!(|text: &str| {
    let (path, target) = match text.split_once('\n') {
        Some((path, target)) => (path, Some(target)),
        None => (text, None),
    };
    // The CLI trims a path as JavaScript does.
    let trimmed =
        path.trim_matches(|c: char| (c.is_whitespace() && c != '\u{85}') || c == '\u{feff}');
    let names = plainly(trimmed);
    let real = target.map(|target| format!("/{target}"));
    let real_names = real.as_deref().map(plainly);
    for tool in ["Read", "Write", "Edit"] {
        let input = json!({
            "file_path": path, "content": "", "old_string": "a", "new_string": "b",
        });
        let leads = |path: &str| vec![real.clone().unwrap_or_else(|| path.to_owned())];
        let verdict = decide(&RULES, &PLACE, tool, &input, leads);
        if verdict == Verdict::Allow {
            for names in std::iter::once(&names).chain(&real_names) {
                let (inside, denied) = judged(names);
                assert!(inside, "{tool} {path:?} to {real:?} is {names:?}");
                assert!(!denied, "{tool} {path:?} to {real:?} is {names:?}");
            }
        }
        // A path that nobody could resolve is not allowed.
        let unknown = decide(&RULES, &PLACE, tool, &input, |_| Vec::new());
        assert_ne!(unknown, Verdict::Allow, "{tool} {path:?}");
    }
});
