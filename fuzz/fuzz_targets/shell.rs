//! Any text is a shell command: whatever it is wrapped into, a denied command is not allowed; text
//! in single quotes is a word; and what a narrow rule allows can be read by a wide one.

#![no_main]

use std::sync::LazyLock;

use libfuzzer_sys::fuzz_target;
use pilothouse_fuzz::{decide_command, policies};
use pilothouse_session::policy::{PolicySet, Verdict};

static NARROW: LazyLock<PolicySet> = LazyLock::new(|| {
    policies(
        r#"
[[rule]]
tool = "Bash"
command = ["evil", "evil *", "rm *"]
deny = "No."

[[rule]]
tool = "Bash"
command = ["true", "ls *", "echo *", "cat *", "printf *", "git status", "test *"]
then = "allow"
"#,
    )
});

static WIDE: LazyLock<PolicySet> =
    LazyLock::new(|| policies("[[rule]]\ntool = \"Bash\"\ncommand = \"*\"\nthen = \"allow\"\n"));

/// Around a command that is complete in itself. Each stands on lines of its own, so that a comment
/// at its end does not swallow what follows.
const AROUND: [(&str, &str); 14] = [
    ("\n", "\n"),
    ("true\n", "\ntrue"),
    ("(\n", "\n)"),
    ("{\n", "\n}"),
    ("if true; then\n", "\nfi"),
    ("if\n", "\nthen true; fi"),
    ("while true; do\n", "\ndone"),
    ("for x in 1 2; do\n", "\ndone"),
    ("case x in x)\n", "\n;; esac"),
    ("echo $(\n", "\n)"),
    ("echo \"$(\n", "\n)\""),
    ("cat <(\n", "\n)"),
    ("true | (\n", "\n) | cat"),
    ("f() {\n", "\n}\nf"),
];

fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', r"'\''"))
}

fuzz_target!(|command: &str| {
    let verdict = decide_command(&NARROW, command);
    if let Verdict::Deny { .. } = verdict {
        for (before, after) in AROUND {
            let wrapped = format!("{before}{command}{after}");
            assert_ne!(decide_command(&NARROW, &wrapped), Verdict::Allow, "{wrapped:?}");
        }
        for shell in ["sh -c", "bash -c", "eval", "timeout 5 sh -c", "env sh -c", "nohup bash -c"] {
            let wrapped = format!("{shell} {}", quoted(command));
            assert_ne!(decide_command(&NARROW, &wrapped), Verdict::Allow, "{wrapped:?}");
        }
    }
    if verdict == Verdict::Allow {
        assert_eq!(decide_command(&WIDE, command), Verdict::Allow, "{command:?}");
        for behind in ["\nevil", "\nevil $(true)", "\nunknown x", "\nls > ~/.bashrc"] {
            let longer = format!("{command}{behind}");
            assert_ne!(decide_command(&NARROW, &longer), Verdict::Allow, "{longer:?}");
        }
    }
    // Data stays data, if it can be read: commands with invisible characters are asked about.
    if command.chars().all(|c| c.is_alphanumeric() || c.is_ascii_graphic() || c == ' ') {
        let echo = format!("echo {}", quoted(command));
        assert_eq!(decide_command(&NARROW, &echo), Verdict::Allow, "{echo:?}");
    }
    let remove = format!("rm {}", quoted(command));
    assert_ne!(decide_command(&NARROW, &remove), Verdict::Allow, "{remove:?}");
});
