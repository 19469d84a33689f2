//! The policy engine from outside: commands by the table, files and tools, errors, explanations,
//! and what must hold for any text.

// Helpers of tests, which clippy does not count as tests.
#![allow(clippy::unwrap_used)]

#[path = "policy/calls.rs"]
mod calls;
#[path = "policy/errors.rs"]
mod errors;
#[path = "policy/explanations.rs"]
mod explanations;
#[path = "policy/laws.rs"]
mod laws;
#[path = "policy/links.rs"]
mod links;
#[path = "policy/remembered.rs"]
mod remembered;
#[path = "policy/servers.rs"]
mod servers;
#[path = "policy/table.rs"]
mod table;
#[cfg(unix)]
#[path = "policy/truth.rs"]
mod truth;
#[path = "policy/unasked.rs"]
mod unasked;

use pilothouse_session::policy::{Call, Decision, Level, Place, Policy, PolicySet, Preset};
use pilothouse_wire::Raw;
use pilothouse_wire::permission::PermissionMode;
use serde_json::{Value, json};

fn place() -> Place {
    Place { home: Some("/home/me".into()), ..Place::at("/srv/app") }
}

/// The policies of the tests, by name.
fn policies(name: &str) -> PolicySet {
    let text = match name {
        "dev" => include_str!("policy/dev.toml"),
        "open" => include_str!("policy/open.toml"),
        "any" => include_str!("policy/any.toml"),
        _ => return PolicySet::new([Preset::named(name).unwrap().policy()]),
    };
    written(text)
}

fn written(text: &str) -> PolicySet {
    PolicySet::new([Policy::parse("policy.toml", text, Level::User).unwrap()])
}

fn decide(policies: &PolicySet, tool: &str, input: Value) -> Decision {
    let (input, mode) = (Raw::from(input), PermissionMode::Default);
    policies.decide(&Call::new(tool, &input, &mode), &place())
}

fn decide_command(policies: &PolicySet, command: &str) -> Decision {
    decide(policies, "Bash", json!({ "command": command }))
}
