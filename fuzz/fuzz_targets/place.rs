//! Any text is a path in a call: a rule for the working directories never allows one that leads out
//! of them, and one that a rule denies is never allowed, however it is spelled.

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

fuzz_target!(|path: &str| {
    let names = plainly(path);
    let inside = names.starts_with(&["w", "app"]) || names.starts_with(&["w", "lib"]);
    let denied = inside && names.last() == Some(&".env")
        || names.starts_with(&["home", "u", ".ssh"])
        || names.starts_with(&["w", "app", "secret"]);
    // Real paths of a call, where a host gives them, belong beside the path here.
    for tool in ["Read", "Write", "Edit"] {
        let input = json!({
            "file_path": path, "content": "", "old_string": "a", "new_string": "b",
        });
        let verdict = decide(&RULES, &PLACE, tool, &input);
        if verdict == Verdict::Allow {
            assert!(inside, "{tool} {path:?} is {names:?}");
            assert!(!denied, "{tool} {path:?} is {names:?}");
        }
    }
});
