//! What the targets share: when two JSON texts are equal, and how a call is decided.

use pilothouse_session::policy::{
    Call, Level, Place, Policy, PolicySet, RealPaths, Verdict, paths,
};
use pilothouse_wire::permission::PermissionMode;
use pilothouse_wire::{Raw, codec};
use serde::Serialize;
use serde_json::Value;

/// The value of a JSON text, also where `serde_json` alone would refuse; `None` for other text.
///
/// The judge of what is JSON is `serde_json`'s scanner, not ours.
pub fn value(text: &str) -> Option<Value> {
    Raw::from_text(text).ok().map(|raw| raw.to_value())
}

/// What was read from `text` is written with every field it had, and as one line.
pub fn assert_written_whole(read: &(impl Serialize + std::fmt::Debug), text: &str) {
    let written = match codec::encode_line(read) {
        Ok(line) => line,
        Err(error) => panic!("{error} on writing {read:?}"),
    };
    let written = String::from_utf8(written).expect("JSON is UTF-8");
    let body = written.strip_suffix('\n').expect("a line ends with a line break");
    assert!(!body.contains(['\n', '\r']), "a line is one line: {body:?}");
    assert_eq!(value(body), value(text), "left: written, right: read; through {read:?}");
}

/// A set of one policy of the user's, from its text.
pub fn policies(text: &str) -> PolicySet {
    let policy = Policy::parse("policy.toml", text, Level::User).expect("the rules are right");
    PolicySet::new([policy])
}

/// Decides a call in the main thread and the default mode. Every path that it names leads to what
/// `leads` returns for it.
pub fn decide(
    policies: &PolicySet,
    place: &Place,
    tool: &str,
    input: &Value,
    leads: impl Fn(&str) -> Vec<String>,
) -> Verdict {
    let input = Raw::from(input.clone());
    let mode = PermissionMode::Default;
    let mut real = RealPaths::default();
    for path in paths(tool, &input, place) {
        let found = leads(&path);
        real.insert(path, found);
    }
    let call = Call { real: Some(&real), ..Call::new(tool, &input, &mode) };
    policies.decide(&call, place).verdict
}

/// Decides a shell command.
pub fn decide_command(policies: &PolicySet, command: &str) -> Verdict {
    let input = serde_json::json!({ "command": command });
    // Without links, every path is what it says.
    decide(policies, &Place::at("/project"), "Bash", &input, |path| vec![path.to_owned()])
}
