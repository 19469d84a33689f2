//! What people see of a session, from recordings of Claude Code.

use super::bed::{Bed, fed, transcript};

/// A recording as it is told in a terminal so wide. Times of day are none: recordings have no clock.
fn told(name: &str, columns: &str) -> String {
    let bed = Bed::new();
    let mut command = bed.command(["replay".as_ref(), transcript(name).as_os_str()]);
    let output = command.env("COLUMNS", columns).output().unwrap();
    assert!(output.status.success(), "{output:?}");
    String::from_utf8(output.stdout).unwrap()
}

#[test]
fn turns_as_they_are_told() {
    for name in [
        "permission-allow",
        "permission-deny",
        "plan-file",
        "question",
        "api-retry",
        "interrupt-bash",
        "subagent",
        "compact",
    ] {
        insta::assert_snapshot!(format!("told-{name}"), told(name, "80"));
    }
}

#[test]
fn turns_in_a_narrow_terminal() {
    let text = told("subagent", "24");
    insta::assert_snapshot!(text);
    let headings = text.lines().filter(|line| line.trim_start().starts_with(['●', '?']));
    for line in headings {
        assert!(line.chars().count() <= 24, "{line}");
    }
}

#[test]
fn events_are_numbered_and_the_same_from_stdin() {
    let bed = Bed::new();
    let file = transcript("permission-allow");
    let from_file = bed.ok(["replay".as_ref(), "--json".as_ref(), file.as_os_str()]);
    for (number, line) in from_file.lines().enumerate() {
        let event: serde_json::Value = serde_json::from_str(line).unwrap();
        assert_eq!(event["seq"], number + 1);
    }
    let bytes = std::fs::read(&file).unwrap();
    let from_stdin = fed(bed.command(["replay", "--json", "-"]), &bytes);
    assert_eq!((from_stdin.code, from_stdin.out), (Some(0), from_file));
}

#[test]
fn what_cannot_be_replayed_is_told() {
    let bed = Bed::new();
    std::fs::write(bed.path("work/junk"), "{\"not\":\"a transcript\"}\n").unwrap();
    let ran = bed.run(["replay", "junk"]);
    assert_eq!(ran.code, Some(2), "{ran:?}");
    assert!(ran.err.contains("line 1"), "{ran:?}");
    assert_eq!(bed.run(["replay", "nowhere"]).code, Some(2));
}

#[test]
fn colours_are_for_those_who_want_them() {
    let bed = Bed::new();
    let file = transcript("permission-allow");
    let args = ["replay".as_ref(), file.as_os_str()];
    let is_coloured = |variables: &[(&str, &str)], more: &[&str]| {
        let mut command = bed.command(args);
        command.args(more).envs(variables.iter().copied());
        String::from_utf8(command.output().unwrap().stdout).unwrap().contains('\x1b')
    };
    assert!(!is_coloured(&[], &[]), "a pipe");
    assert!(is_coloured(&[], &["--color", "always"]));
    assert!(is_coloured(&[("CLICOLOR_FORCE", "1")], &[]));
    assert!(!is_coloured(&[("CLICOLOR_FORCE", "1"), ("NO_COLOR", "1")], &[]));
    assert!(!is_coloured(&[("CLICOLOR_FORCE", "1")], &["--color", "never"]));
}

#[test]
fn nothing_a_tool_says_reaches_the_terminal() {
    let bed = Bed::new();
    let ran = bed.say(
        // Coloured, as in a terminal: in a pipe escapes are taken out of everything.
        &["--policy", "autonomous", "--color", "always"],
        r#"say "before \u001b]0;title\u0007 after"
tool Bash {"command":"printf '\\033[2J\\033]52;c;aGk=\\007visible'"}
---
say "done \u009b2J""#,
    );
    assert_eq!(ran.code, Some(0), "{ran:?}");
    assert!(ran.out.contains("visible") && ran.out.contains("before"), "{ran:?}");
    // Ours change colours, and do nothing else.
    let mut parts = ran.out.split('\x1b');
    let mut rest = parts.next().unwrap().to_owned();
    for part in parts {
        let (style, text) = part.split_once('m').unwrap_or((part, ""));
        let is_style = |c: char| c.is_ascii_digit() || matches!(c, '[' | ';');
        assert!(style.starts_with('[') && style.chars().all(is_style), "{:?}", ran.out);
        rest.push_str(text);
    }
    let bad = |character: char| character.is_control() && character != '\n';
    assert!(!rest.contains(bad), "{rest:?}");
}
