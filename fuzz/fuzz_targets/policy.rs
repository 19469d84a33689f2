//! Any text is a command: deciding it ends, and nothing that is put behind an allowed command rides
//! along with it.

#![no_main]

use libfuzzer_sys::fuzz_target;
use pilothouse_session::policy::{Call, Level, Place, Policy, PolicySet, Verdict};
use pilothouse_wire::Raw;
use pilothouse_wire::permission::PermissionMode;

const RULES: &str = r#"
[[rule]]
tool = "Bash"
command = ["git status", "git diff *", "ls *", "echo *", "cat *"]
then = "allow"
"#;

fuzz_target!(|command: &str| {
    let policy = Policy::parse("policy.toml", RULES, Level::User).expect("the rules are right");
    let policies = PolicySet::new([policy]);
    let decide = |command: &str| {
        let input = Raw::from(serde_json::json!({ "command": command }));
        let mode = PermissionMode::Default;
        let call = Call { tool: "Bash", input: &input, mode: &mode, subagent: None };
        policies.decide(&call, &Place::at("/project")).verdict
    };
    if decide(command) == Verdict::Allow {
        for behind in ["\nrm -rf ~", "\n$(rm -rf ~)", "\nls > ~/.bashrc"] {
            let longer = format!("{command}{behind}");
            assert_ne!(decide(&longer), Verdict::Allow, "{longer:?}");
        }
    }
});
