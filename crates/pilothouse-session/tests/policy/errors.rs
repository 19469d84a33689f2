//! Mistakes in policy files: where they are and what to do.

use pilothouse_session::policy::{Level, Policy};

fn error(text: &str) -> String {
    Policy::parse("policy.toml", text, Level::User).unwrap_err().to_string()
}

/// A rule with these lines, which start at line 2.
fn rule(lines: &str) -> String {
    error(&format!("[[rule]]\n{lines}\n"))
}

#[test]
fn every_mistake_has_a_place_and_a_way_out() {
    let cases = [
        (rule("tol = 'Bash'"), "2:1: there is no key `tol` here; did you mean `tool`?"),
        (
            rule("colour = 'red'"),
            "2:1: there is no key `colour` here; use one of `tool`, `command`, `variables`, `path`, \
             `server`, `source`, `mode`, `subagent`, `isolation`, `then`, `deny`",
        ),
        (error("\n[[rules]]\n"), "2:3: there is no key `rules` here; did you mean `rule`?"),
        (
            error("[rule]\ntool = '*'\n"),
            "1:1: `rule` is a table; write each rule under its own `[[rule]]`, in double brackets",
        ),
        (rule("tool = 'bash'\nthen = 'ask'"), "2:8: there is no tool `bash`; did you mean `Bash`?"),
        (
            rule("tool = ['Read',\n 'Edti']\nthen = 'ask'"),
            "3:2: there is no tool `Edti`; did you mean `Edit`?",
        ),
        (
            rule("tool = 1\nthen = 'ask'"),
            "2:8: `tool` is a number; write a text in quotes, or a list of them",
        ),
        (
            rule("tool = []\nthen = 'ask'"),
            "2:8: `tool` is empty and would never match; name something or leave the key out",
        ),
        (rule("tool = '*'\nthen = 'alow'"), "3:8: `alow` is no outcome; did you mean `allow`?"),
        (
            rule("tool = '*'\nthen = 'deny'"),
            "3:8: a denial is read by the model and needs a reason; \
             write `deny = \"why, and what to do instead\"`",
        ),
        (
            rule("tool = '*'\ndeny = ' '"),
            "3:8: a denial is read by the model and needs a reason; \
             write `deny = \"why, and what to do instead\"`",
        ),
        (
            rule("tool = '*'\ndeny = true"),
            "3:8: `deny` is true or false; write the reason, in quotes",
        ),
        (
            rule("tool = '*'"),
            "1:1: this rule decides nothing; \
             add `then = \"allow\"`, `then = \"ask\"` or `deny = \"why\"`",
        ),
        (
            rule("tool = '*'\nthen = 'ask'\ndeny = 'no'"),
            "1:1: this rule has both `then` and `deny`; keep one of them",
        ),
        (
            rule("then = 'allow'"),
            "1:1: this rule matches everything; if that is meant, write `tool = \"*\"`",
        ),
        (
            rule("tool = 'Bash'\ncommand = 'ls'\npath = 'x'\nthen = 'ask'"),
            "1:1: a rule is about commands or about files; \
             make two rules, one with `command`, one with `path`",
        ),
        (
            rule("tool = 'Edit'\ncommand = 'ls'\nthen = 'ask'"),
            "1:1: `command` is for tools that run shell commands, and this rule is for other tools; \
             set `tool = \"Bash\"`",
        ),
        (
            rule("tool = 'Bash'\nvariables = true\nthen = 'allow'"),
            "1:1: `variables` says what `*` stands for in `command`; add `command`, \
             and use `variables` only in rules that allow",
        ),
        (
            rule("mode = 'acceptedits'\nthen = 'ask'"),
            "2:8: `acceptedits` is no permission mode; did you mean `acceptEdits`?",
        ),
        (
            rule("subagent = 3\nthen = 'ask'"),
            "2:12: `subagent` is a number; \
             write true, false, a type such as \"Explore\", or a list of types",
        ),
        (
            rule("path = '../x'\nthen = 'ask'"),
            "2:8: the path `../x` leads out of its directory; write it from `/` or `~/` instead",
        ),
        (
            rule("path = ['a', 'b/**.rs']\nthen = 'ask'"),
            "2:14: the path `b/**.rs` has `**` inside a name; \
             let it stand alone, as in `src/**/*.rs`",
        ),
        (
            rule("command = ['ls', 'ls; rm x']\nthen = 'ask'"),
            "2:18: the command `ls; rm x` holds `;`; a pattern is one simple command, \
             so give each command its own pattern, or put quotes around the sign",
        ),
        (
            rule("command = \"ls 'x\"\nthen = 'ask'"),
            "2:11: the command `ls 'x` has a quote that is not closed; close it",
        ),
    ];
    for (found, expected) in cases {
        assert_eq!(found, format!("policy.toml:{expected}"));
    }
}

#[test]
fn broken_toml_has_a_place_too() {
    let error = Policy::parse("p", "[[rule]]\ntool = \n", Level::User).unwrap_err();
    assert_eq!((error.line, error.column), (2, 8));
    assert!(error.to_string().starts_with("p:2:8: this is not TOML: "), "{error}");
    let twice = Policy::parse("p", "[[rule]]\nthen = 'ask'\nthen = 'ask'\n", Level::User);
    assert_eq!(twice.unwrap_err().line, 3);
}

#[test]
fn an_empty_policy_has_no_rules_and_new_tools_can_be_named() {
    assert!(Policy::parse("p", "# nothing yet\n", Level::User).unwrap().is_empty());
    for tool in ["BrandNewThing", "mcp__server__bash", "Web*", "Task", "LS", "KillShell"] {
        let text = format!("[[rule]]\ntool = '{tool}'\nthen = 'ask'");
        assert_eq!(Policy::parse("p", &text, Level::User).unwrap().len(), 1, "{tool}");
    }
}
