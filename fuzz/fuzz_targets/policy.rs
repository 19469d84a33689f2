//! Any text is a command: deciding it ends, and nothing that is put behind an allowed command rides
//! along with it.

#![no_main]

use std::sync::LazyLock;

use libfuzzer_sys::fuzz_target;
use pilothouse_fuzz::{decide_command, policies};
use pilothouse_session::policy::{PolicySet, Verdict};

static RULES: LazyLock<PolicySet> = LazyLock::new(|| {
    policies(
        r#"
[[rule]]
tool = "Bash"
command = ["git status", "git diff *", "ls *", "echo *", "cat *"]
then = "allow"
"#,
    )
});

fuzz_target!(|command: &str| {
    if decide_command(&RULES, command) == Verdict::Allow {
        for behind in ["\nrm -rf ~", "\n$(rm -rf ~)", "\nls > ~/.bashrc"] {
            let longer = format!("{command}{behind}");
            assert_ne!(decide_command(&RULES, &longer), Verdict::Allow, "{longer:?}");
        }
    }
});
