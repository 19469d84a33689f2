//! Any rules and any call: deciding ends, is repeatable, and no rule that is stricter makes a call
//! more allowed.

#![no_main]

use std::fmt::Write;

use libfuzzer_sys::fuzz_target;
use pilothouse_session::policy::{
    Call, Level, Place, Policy, PolicySet, Preset, RealPaths, Verdict, paths,
};
use pilothouse_wire::Raw;
use pilothouse_wire::permission::{McpServerRef, PermissionMode};
use serde_json::json;

#[derive(Debug, arbitrary::Arbitrary)]
struct Input {
    rules: Vec<Rule>,
    /// A rule that denies, and before which of the others it is put.
    denies: (Rule, u8),
    /// A policy of the project's.
    project: Vec<Rule>,
    preset: Option<u8>,
    calls: Vec<Wish>,
    /// Read as a policy as it is.
    toml: String,
}

#[derive(Debug, arbitrary::Arbitrary)]
struct Rule {
    tool: Option<Word>,
    about: About,
    server: Option<Word>,
    mode: Option<u8>,
    subagent: Option<bool>,
    then: Then,
}

#[derive(Debug, arbitrary::Arbitrary)]
enum About {
    Anything,
    Commands(Vec<Word>, bool),
    Paths(Vec<Word>),
}

#[derive(Debug, arbitrary::Arbitrary)]
enum Then {
    Allow,
    Ask,
    Deny,
}

/// A word that occurs in rules, or any text.
#[derive(Debug, arbitrary::Arbitrary)]
enum Word {
    Known(u8),
    Any(String),
}

#[derive(Debug, arbitrary::Arbitrary)]
struct Wish {
    tool: Word,
    text: Word,
    mode: u8,
    subagent: Option<Word>,
    /// The MCP servers that are configured, and the one that the CLI names.
    servers: Option<Vec<Word>>,
    server: Option<Word>,
    /// Whether the paths of the call can be resolved.
    is_resolved: bool,
}

fn server(name: &Word) -> McpServerRef {
    McpServerRef {
        name: Some(name.text().to_owned()),
        source: Some("user".to_owned()),
        ..McpServerRef::default()
    }
}

const WORDS: [&str; 40] = [
    "Bash",
    "Read",
    "Write",
    "Edit",
    "Grep",
    "Glob",
    "WebFetch",
    "AskUserQuestion",
    "ExitPlanMode",
    "Task",
    "Agent",
    "KillShell",
    "mcp__git__run",
    "mcp__git__evil__run",
    "mcp__*",
    "git",
    "*",
    "git *",
    "git status",
    "git diff *",
    "rm *",
    "rm -rf /",
    "sudo *",
    "FOO=* make *",
    "npm * test",
    "src/**",
    "**",
    "**/.env",
    ".env",
    "~/.ssh/**",
    "/etc/passwd",
    "/**",
    "src/../.env",
    "git status; rm -rf /",
    "cat .env",
    "echo x > src/a",
    "bash -c 'rm x'",
    "find . -exec rm {} +",
    "x=1 git status",
    "$(rm x)",
];
const MODES: [&str; 6] = ["default", "acceptEdits", "bypassPermissions", "plan", "dontAsk", "auto"];

impl Word {
    fn text(&self) -> &str {
        match self {
            Self::Known(at) => WORDS[usize::from(*at) % WORDS.len()],
            Self::Any(text) => text,
        }
    }
}

fn list(words: &[Word]) -> String {
    json!(words.iter().map(Word::text).collect::<Vec<_>>()).to_string()
}

impl Rule {
    /// As TOML. A JSON string is one of TOML's but for `\/` and surrogates, which are not written.
    fn write(&self, then: &Then, text: &mut String) {
        text.push_str("[[rule]]\n");
        let mut put = |key: &str, value: String| writeln!(text, "{key} = {value}").expect("text");
        if let Some(tool) = &self.tool {
            put("tool", json!(tool.text()).to_string());
        }
        match &self.about {
            About::Anything => {}
            About::Commands(words, variables) => {
                put("command", list(words));
                if *variables {
                    put("variables", "true".to_owned());
                }
            }
            About::Paths(words) => put("path", list(words)),
        }
        if let Some(server) = &self.server {
            put("server", json!(server.text()).to_string());
        }
        if let Some(mode) = self.mode {
            put("mode", json!(MODES[usize::from(mode) % MODES.len()]).to_string());
        }
        if let Some(subagent) = self.subagent {
            put("subagent", subagent.to_string());
        }
        match then {
            Then::Allow => put("then", "\"allow\"".to_owned()),
            Then::Ask => put("then", "\"ask\"".to_owned()),
            Then::Deny => put("deny", "\"No.\"".to_owned()),
        }
    }

    fn parse(&self, then: &Then, level: Level) -> Option<(String, Policy)> {
        let mut text = String::new();
        self.write(then, &mut text);
        let policy = Policy::parse("one.toml", &text, level).ok()?;
        Some((text, policy))
    }
}

/// The texts of the rules that are right, each by itself.
fn right(rules: &[Rule], level: Level) -> Vec<String> {
    let rules = rules.iter().take(8);
    rules.filter_map(|rule| rule.parse(&rule.then, level).map(|(text, _)| text)).collect()
}

fn rank(verdict: &Verdict) -> u8 {
    match verdict {
        Verdict::Deny { .. } => 0,
        Verdict::Ask => 1,
        Verdict::Allow => 2,
    }
}

fuzz_target!(|input: Input| {
    let _ = Policy::parse("any.toml", &input.toml, Level::User);
    let user = right(&input.rules, Level::User);
    let parse = |text: &[String], level| {
        Policy::parse("policy.toml", &text.join("\n"), level).expect("each rule alone is right")
    };
    let preset = input.preset.map(|preset| match preset % 3 {
        0 => Preset::Supervised.policy(),
        1 => Preset::Autonomous.policy(),
        _ => Preset::Plan.policy(),
    });
    let set = |more: Vec<Policy>| PolicySet::new(more.into_iter().chain(preset.clone()));
    let plain = set(vec![parse(&user, Level::User)]);
    let (denies, at) = &input.denies;
    let stricter = denies.parse(&Then::Deny, Level::User).map(|(text, _)| {
        let mut rules = user.clone();
        rules.insert(usize::from(*at) % (rules.len() + 1), text);
        set(vec![parse(&rules, Level::User)])
    });
    let project = parse(&right(&input.project, Level::Project), Level::Project);
    let with_project = set(vec![parse(&user, Level::User), project.clone()]);
    let project_first = set(vec![project, parse(&user, Level::User)]);
    let place = Place { home: Some("/home/u".to_owned()), ..Place::at("/home/u/app") };

    for wish in input.calls.iter().take(4) {
        let text = wish.text.text();
        let value = json!({
            "command": text, "file_path": text, "path": text, "pattern": text, "url": text,
        });
        let raw = Raw::from(value);
        let mode = PermissionMode::from(MODES[usize::from(wish.mode) % MODES.len()]);
        let subagent = wish.subagent.as_ref().map(Word::text);
        let tool = wish.tool.text();
        let mut real = RealPaths::default();
        for path in paths(tool, &raw, &place) {
            let leads = if wish.is_resolved { vec![path.clone()] } else { Vec::new() };
            real.insert(path, leads);
        }
        let named = wish.server.as_ref().map(server);
        let servers = wish.servers.as_ref();
        let servers = servers.map(|all| all.iter().map(server).collect::<Vec<_>>());
        let call = Call {
            subagent,
            server: named.as_ref(),
            servers: servers.as_deref(),
            real: Some(&real),
            ..Call::new(tool, &raw, &mode)
        };
        let decide = |policies: &PolicySet| policies.decide(&call, &place);
        let first = decide(&plain);
        assert_eq!(decide(&plain), first, "the same call is decided the same");
        if let Some(stricter) = &stricter
            && first.verdict != Verdict::Allow
        {
            let now = decide(stricter).verdict;
            assert_ne!(now, Verdict::Allow, "a rule that denies made it allowed: {call:?}");
        }
        for set in [&with_project, &project_first] {
            let now = decide(set).verdict;
            assert!(rank(&now) <= rank(&first.verdict), "the project loosened it: {call:?}");
        }
        if call.tool == "AskUserQuestion" {
            assert_ne!(first.verdict, Verdict::Allow, "questions are for people");
        }
    }
});
