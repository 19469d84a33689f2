//! What must hold for any text.

use pilothouse_session::policy::{Level, Policy, PolicySet, Verdict};
use proptest::prelude::*;

use super::{decide, decide_command, policies, written};

/// Pieces that shells care about.
const PIECES: &[&str] = &[
    "git status",
    "ls",
    "echo",
    "cat",
    "seq",
    "rm",
    "x",
    "-rf",
    "~",
    "a=1",
    "PATH=/x",
    "$x",
    "${x}",
    "$(",
    "`",
    ")",
    "(",
    "{",
    "}",
    "'",
    "\"",
    "\\",
    "\n",
    "\\\n",
    " ",
    "  ",
    "\t",
    ";",
    "&",
    "|",
    "&&",
    "||",
    "|&",
    ">",
    ">>",
    "<",
    "<<",
    "<<<",
    "<<EOF",
    "\nEOF\n",
    "EOF",
    "2>&1",
    ">/dev/null",
    "#",
    " #",
    "!",
    "if",
    "then",
    "fi",
    "for",
    "in",
    "do",
    "done",
    "case",
    "esac",
    ";;",
    "while",
    "function",
    "f()",
    "[[",
    "]]",
    "[",
    "]",
    "((",
    "))",
    "$((",
    "$[",
    "$'",
    "$\"",
    "*",
    "?",
    "{a,b}",
    "eval",
    "sh -c",
    "bash -c",
    "timeout 5",
    "env",
    "sudo",
    "xargs",
    "find . -exec",
    "\\;",
    "+",
    "{}",
    "é",
    "=",
    "<(",
    ">(",
    "coproc",
    "time",
    "exec",
    "\r",
    "\0",
    "%",
];

fn shellish() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        8 => prop::sample::select(PIECES).prop_map(str::to_owned),
        1 => any::<char>().prop_map(String::from),
    ];
    prop::collection::vec(piece, 0..24).prop_map(|pieces| pieces.concat())
}

/// Commands that `dev` is likely to allow, so that the laws below have something to hold for.
fn decent() -> impl Strategy<Value = String> {
    let simple = prop::sample::select(
        &[
            "git status",
            "ls -la",
            "echo 'a; b'",
            "cat <<EOF\nhi\nEOF\n",
            "seq $x",
            "(ls; git diff)",
            "NO_COLOR=1 ls",
            "timeout 5 ls",
            "bash -c 'ls; git status'",
            "if ls; then ls; fi",
            "ls # x",
            "ls > out/x",
            "find . -name x",
            "echo \"a b\"",
            "ls | xargs tr a",
            "{ ls; }",
            "! ls",
            "ls \\\n -a",
            "for f in a; do ls; done",
            "[ -f x ] && ls",
            "x=1; ls",
            "eval 'ls; ls'",
            "ls 2>&1",
        ][..],
    );
    let joint = prop::sample::select(&["; ", " && ", " | ", "\n", " || ", " & "][..]);
    prop::collection::vec((simple, joint), 1..4).prop_map(|pairs| {
        let mut text = String::new();
        for (at, (simple, joint)) in pairs.iter().enumerate() {
            // A here-document and a comment end with their line.
            let own_line = text.ends_with('\n') || text.contains('#');
            text.push_str(if at == 0 || text.ends_with('\n') {
                ""
            } else if own_line {
                "\n"
            } else {
                joint
            });
            text.push_str(simple);
        }
        text
    })
}

fn allowed(set: &PolicySet, command: &str) -> bool {
    decide_command(set, command).verdict == Verdict::Allow
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1_000, ..ProptestConfig::default() })]

    #[test]
    fn no_text_makes_it_panic(text in any::<String>(), shellish in shellish()) {
        let set = policies("dev");
        for command in [&text, &shellish] {
            let because = decide_command(&set, command).because;
            prop_assert!(!because.to_string().is_empty());
        }
    }

    #[test]
    fn more_commands_never_make_it_allowed(text in shellish()) {
        let set = policies("dev");
        for tail in ["; rm -rf ~", "\nrm -rf ~", " && rm -rf ~", " | rm -rf ~", " $(rm x)", " `rm x`"] {
            let whole = format!("{text}{tail}");
            // In a comment, in quotes or in a here-document it is no command.
            let hidden = text.contains(['#', '\'', '"', '\\', '<']);
            prop_assert!(hidden || !allowed(&set, &whole), "{whole:?}");
        }
    }

    #[test]
    fn what_is_allowed_is_not_with_something_else_after_it(text in decent()) {
        let set = policies("dev");
        // The grammar misreads some combinations, and then they are asked; if it were many, this
        // would fail for want of cases.
        prop_assume!(allowed(&set, &text));
        let line = if text.contains('#') || text.ends_with('\n') { "\n" } else { "; " };
        let worse = [
            format!("{text}{line}rm -rf ~"),
            format!("{text}\nrm -rf ~"),
            format!("rm -rf ~; {text}"),
            format!("({text}\n) > ~/.bashrc"),
            format!("echo $({text}\nrm x)"),
            format!("f() {{ {text}\n}}"),
            format!("PATH=/x; {text}"),
        ];
        for worse in worse {
            prop_assert!(!allowed(&set, &worse), "{worse:?}");
        }
    }

    #[test]
    fn what_is_denied_stays_denied_in_company(text in decent()) {
        let set = written(
            "[[rule]]\ntool = 'Bash'\ncommand = 'rm *'\ndeny = 'no'\n\
             [[rule]]\ntool = 'Bash'\nthen = 'allow'",
        );
        for whole in [format!("rm x; {text}"), format!("{text}\nrm x"), format!("echo $(rm x; {text}\n)")] {
            let denied = matches!(decide_command(&set, &whole).verdict, Verdict::Deny { .. });
            prop_assert!(denied, "{whole:?}");
        }
    }

    #[test]
    fn no_path_leads_out(parts in prop::collection::vec("[a-c]|\\.|\\.\\.|src|/|~|", 0..8)) {
        let set = written("[[rule]]\ntool = 'Read'\npath = 'src/**'\nthen = 'allow'");
        let path = parts.join("/");
        let mut at: Vec<&str> = if path.starts_with('/') { vec![] } else { vec!["work", "app"] };
        for segment in path.split('/') {
            match segment {
                "" | "." => {}
                ".." => drop(at.pop()),
                segment => at.push(segment),
            }
        }
        let inside = at.starts_with(&["work", "app", "src"]) && !path.starts_with('~');
        let verdict = decide(&set, "Read", serde_json::json!({ "file_path": path })).verdict;
        prop_assert_eq!(verdict == Verdict::Allow, inside && !path.is_empty(), "{}", path);
    }

    #[test]
    fn no_policy_text_makes_it_panic(text in any::<String>(), lines in prop::collection::vec(
        "(tool|command|path|mode|then|deny|subagent|x) = ('[a-z*/.~ ;]{0,6}'|true|\\[\\]|1)", 0..5)) {
        let _ = Policy::parse("p", &text, Level::User);
        let _ = Policy::parse("p", &format!("[[rule]]\n{}", lines.join("\n")), Level::User);
    }
}

#[test]
fn deep_and_long_texts_are_asked_about_and_not_choked_on() {
    let set = policies("dev");
    let deep =
        |open: &str, close: &str, n: usize| format!("{}ls{}", open.repeat(n), close.repeat(n));
    let texts = [
        deep("(", ")", 5_000),
        deep("$(", ")", 5_000),
        deep("`", "`", 5_000),
        deep("{ ", "; }", 5_000),
        deep("if ", "; then ls; fi", 1_000),
        deep("\"$(", ")\"", 3_000),
        deep("echo $((", "))", 2_000),
        deep("${x:-", "}", 3_000),
        deep("eval ", "", 5_000),
        deep("timeout 5 ", "", 5_000),
        "<<E$[\t\t".to_owned(),
        "<<A ".repeat(3_000),
        "<<A\n".repeat(16_000),
        "((".repeat(30),
        "a||".repeat(5_000),
        "case x in a) ".repeat(1_000),
        "ls;".repeat(20_000),
        "x".repeat(1 << 20),
    ];
    for text in texts {
        assert!(!allowed(&set, &text), "{}…", &text[..20.min(text.len())]);
    }
    assert!(allowed(&set, &"ls;".repeat(300)));
    assert!(allowed(&set, &deep("( ", ")", 20)));
    assert!(allowed(&set, &format!("cat <<'EOF'\n{}\nEOF", "line\n".repeat(5_000))));
}
