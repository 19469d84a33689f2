//! Content and digests on real directories.

use std::fs;
use std::path::Path;

use serde_json::json;

use super::*;

struct Repository(tempfile::TempDir);

impl Repository {
    fn new() -> Self {
        let repository = Self(tempfile::tempdir().unwrap());
        fs::create_dir(repository.path(".git")).unwrap();
        repository
    }

    fn root(&self) -> PathBuf {
        dunce::canonicalize(self.0.path()).unwrap()
    }

    fn path(&self, name: &str) -> PathBuf {
        self.root().join(name)
    }

    fn write(&self, name: &str, text: &str) {
        let path = self.path(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    fn read(&self) -> Content {
        self.read_in("", None)
    }

    fn read_in(&self, below: &str, home: Option<&Path>) -> Content {
        let place = Place::of(&self.path(below), home).unwrap();
        Content::read(&place, &[])
    }
}

/// A repository whose hook runs a script, and whose server runs another.
fn hooked() -> Repository {
    let repository = Repository::new();
    let hook = json!({"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "sh ./tools/hook.sh"}]}]}});
    repository.write(".claude/settings.json", &hook.to_string());
    repository.write("tools/hook.sh", "true\n");
    let servers = json!({"mcpServers": {"s": {"command": "node", "args": ["srv/main.js"]}}});
    repository.write(".mcp.json", &servers.to_string());
    repository.write("srv/main.js", "1\n");
    repository
}

#[test]
fn any_changed_byte_changes_digest() {
    let repository = hooked();
    let before = repository.read();
    assert_eq!(before.digest(), repository.read().digest());
    for name in [".claude/settings.json", ".mcp.json", "tools/hook.sh", "srv/main.js"] {
        let text = fs::read_to_string(repository.path(name)).unwrap();
        repository.write(name, &format!("{text} "));
        let changed = repository.read();
        assert_ne!(changed.digest(), before.digest(), "{name}");
        assert_eq!(changed.changed_since(&before.files), [name]);
        repository.write(name, &text);
        assert_eq!(repository.read().digest(), before.digest(), "{name}");
    }
    for added in [".claude/agents/a.md", ".claude/settings.local.json", ".claude/x"] {
        repository.write(added, "{}");
        assert_ne!(repository.read().digest(), before.digest(), "{added}");
        fs::remove_file(repository.path(added)).unwrap();
    }
}

#[test]
fn file_that_is_named_and_absent_changes_digest_when_it_appears() {
    let repository = hooked();
    fs::remove_file(repository.path("tools/hook.sh")).unwrap();
    let before = repository.read().digest();
    repository.write("tools/hook.sh", "touch /tmp/x\n");
    assert_ne!(repository.read().digest(), before);
}

/// A hook of the project's settings that runs a command.
fn settings(command: &str) -> String {
    json!({"hooks": {"PreToolUse": [{"matcher": "*", "hooks": [{"command": command}]}]}})
        .to_string()
}

#[test]
fn configuration_that_other_files_name_is_still_read() {
    let repository = hooked();
    repository.write(".claude/settings.local.json", &settings("sh ./tools/late.sh"));
    repository.write("tools/late.sh", "");
    // The first in the order of names.
    let names = ".claude/settings.json .claude/settings.local.json .mcp.json";
    repository.write(".claude/0.json", &json!({"a": names}).to_string());
    let content = repository.read();
    assert!(content.brings.can_answer());
    assert_eq!((content.brings.hooks.len(), content.brings.servers.len()), (2, 1));
    assert!(content.files.contains_key("tools/late.sh"));
}

#[test]
fn configuration_that_cannot_be_understood_cannot_be_trusted() {
    let hook = settings("true");
    let deep = format!("{{\"a\": {}1{}}}", "[".repeat(200), "]".repeat(200));
    let long = format!("{hook}{}", " ".repeat(LONGEST_TEXT));
    for text in ["{", "[]", &deep, "{\"a\": 1e999}", "{\"a\": \"\\ud800\"}", &long] {
        let repository = Repository::new();
        repository.write(".claude/settings.json", text);
        let problem = repository.read().problem;
        assert!(problem.is_some_and(|problem| problem.contains("settings.json")), "{text:.40}");
    }
    // Claude Code reads it behind a mark of its encoding.
    let repository = Repository::new();
    repository.write(".claude/settings.json", &format!("\u{feff}{hook}"));
    let content = repository.read();
    assert_eq!((content.problem.as_deref(), content.brings.hooks.len()), (None, 1));
    // Other data of skills may be anything.
    repository.write(".claude/skills/s/data.json", "// a comment");
    assert_eq!(repository.read().problem, None);
}

#[test]
fn names_that_look_the_same_cannot_be_trusted() {
    use std::os::unix::ffi::OsStrExt;
    let repository = hooked();
    let dir = repository.path(".claude/skills").join(std::ffi::OsStr::from_bytes(b"\x80"));
    fs::create_dir_all(&dir).unwrap();
    assert!(repository.read().problem.is_some_and(|problem| problem.contains("rename")));
}

#[test]
fn git_settings_are_switched_off_whatever_cannot_be_read() {
    let repository = Repository::new();
    let git = |args: &[&str]| {
        let mut git = std::process::Command::new("git");
        assert!(git.args(args).current_dir(repository.root()).output().unwrap().status.success());
    };
    git(&["init", "--quiet"]);
    git(&["config", "filter.x.clean", "touch it-ran"]);
    repository.write(".claude/settings.json", "{");
    let content = repository.read();
    assert!(content.problem.is_some());
    let settings = format!("{:?}", content.quarantine.environment(0));
    assert!(settings.contains("filter.x.clean"), "{settings}");
}

#[test]
fn finds_files_however_commands_name_them() {
    for (command, file) in [
        ("cd tools && sh deep/b.sh", "tools/deep/b.sh"),
        ("node tools/hook", "tools/hook.js"),
        ("node tools/pack", "tools/pack/index.js"),
        ("python -m tools.hook", "tools/hook.py"),
        ("PATH=./bin:$PATH tool", "bin/tool"),
        ("$PWD/x.sh", "x.sh"),
        ("sh tools/*.sh", "tools/z.sh"),
        ("cat ./*.txt | sh", "list.txt"),
        ("cd many && ./999.sh", "many/999.sh"),
    ] {
        let repository = Repository::new();
        repository.write(".claude/settings.json", &settings(command));
        for number in 0..999 {
            repository.write(&format!("many/{number}.sh"), "");
        }
        repository.write(file, "one");
        let before = repository.read();
        assert_eq!(before.problem, None, "{command}");
        repository.write(file, "two");
        assert_ne!(repository.read().digest(), before.digest(), "{command}");
    }
}

#[test]
fn work_is_bounded_however_many_names_there_are() {
    let repository = Repository::new();
    let names: Vec<_> = (0..MOST_NAMES).map(|number| format!("n{number}")).collect();
    repository.write(".claude/skills/s/data.json", &json!(names).to_string());
    let problem = repository.read().problem.unwrap();
    assert!(problem.contains("words that could name files"), "{problem}");
}

#[test]
fn plugins_are_listed_and_their_marketplaces_are_content() {
    let market = |path: &str| {
        json!({"extraKnownMarketplaces": {"m": {"source": {"source": "x", "path": path}}}})
            .to_string()
    };
    let repository = hooked();
    repository.write("market/.claude-plugin/marketplace.json", "{}");
    repository.write("market/plugin/hooks/hooks.json", &settings("true"));
    for path in ["market", "./market/.claude-plugin/marketplace.json"] {
        repository.write(".claude/settings.local.json", &market(path));
        let content = repository.read();
        assert!(content.files.contains_key("market/plugin/hooks/hooks.json"), "{path}");
        assert!(content.brings.can_answer(), "{path}");
    }
    for path in [".", "./.", "..", "market/.."] {
        repository.write(".claude/settings.local.json", &market(path));
        assert!(repository.read().problem.is_some(), "{path}");
    }
    let repository = Repository::new();
    repository.write(".claude/skills/p/.claude-plugin/plugin.json", &settings("true"));
    let brings = repository.read().brings;
    assert_eq!((brings.plugins.len(), brings.hooks.len(), brings.can_answer()), (1, 1, true));
}

#[test]
fn other_files_do_not_change_digest() {
    let repository = hooked();
    let before = repository.read().digest();
    repository.write("src/main.rs", "fn main() {}");
    repository.write("CLAUDE.md", "Be kind.");
    repository.write(".claude/worktrees/a/src/main.rs", "fn main() {}");
    let after = repository.read();
    assert_eq!(after.digest(), before);
    assert_eq!(after.brings.instructions, ["CLAUDE.md"]);
}

#[test]
fn subdirectory_has_what_is_above_it() {
    let repository = hooked();
    repository.write("deep/er/x", "");
    assert_eq!(repository.read_in("deep/er", None).digest(), repository.read().digest());
    repository.write("deep/.claude/settings.json", "{}");
    assert_ne!(repository.read_in("deep/er", None).digest(), repository.read().digest());
}

#[test]
fn links_are_followed_and_where_they_lead_is_content() {
    let repository = Repository::new();
    let elsewhere = tempfile::tempdir().unwrap();
    fs::write(elsewhere.path().join("settings.json"), "{}").unwrap();
    std::os::unix::fs::symlink(elsewhere.path(), repository.path(".claude")).unwrap();
    let before = repository.read();
    assert!(before.files.contains_key(".claude/settings.json"), "{:?}", before.files);
    fs::write(elsewhere.path().join("settings.json"), "{ }").unwrap();
    assert_ne!(repository.read().digest(), before.digest());
    std::os::unix::fs::symlink(".", elsewhere.path().join("loop")).unwrap();
    assert_eq!(repository.read().problem, None, "a circle ends");
}

#[test]
fn pipe_is_not_opened() {
    let repository = Repository::new();
    repository.write(".claude/x", "");
    let pipe = repository.path(".claude/settings.json");
    assert!(std::process::Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    assert_eq!(repository.read().files[".claude/settings.json"], "not a file");
}

#[test]
fn too_much_cannot_be_trusted() {
    let repository = Repository::new();
    for number in 0..=MOST_FILES {
        repository.write(&format!(".claude/skills/s/{number}"), "");
    }
    let problem = repository.read().problem.unwrap();
    assert!(problem.contains("move what is not configuration"), "{problem}");

    let repository = Repository::new();
    let long = "true ".repeat(2_000);
    let hook = json!({"hooks": {"Stop": [{"hooks": [{"command": long}]}]}});
    repository.write(".claude/settings.json", &hook.to_string());
    let problem = repository.read().problem.unwrap();
    assert!(problem.contains("than can be shown"), "{problem}");
}

#[test]
fn home_is_the_user_s_own() {
    let repository = Repository::new();
    repository.write(".claude/settings.json", "{}");
    repository.write(".claude/projects/x.jsonl", "{}");
    repository.write("project/x", "");
    let home = repository.root();
    assert!(repository.read_in("project", Some(&home)).is_empty());
    assert!(!repository.read().is_empty());
}

#[test]
fn lists_everything_that_a_repository_brings() {
    let repository = hooked();
    repository.write(
        ".claude/settings.local.json",
        &json!({
            "permissions": {"allow": ["Bash"], "defaultMode": "plan"},
            "env": {"ANTHROPIC_BASE_URL": "http://127.0.0.1:9", "COLOUR": "red"},
            "apiKeyHelper": "sh key.sh",
            "enabledPlugins": {"a@b": true, "c@d": false},
            "hooks": {"PreToolUse": [{"matcher": "*", "hooks": [{"command": "yes"}]}]},
            "model": "opus",
        })
        .to_string(),
    );
    repository.write(".claude/commands/deploy.md", "Deploy. !`sh ./deploy.sh`");
    repository.write(".claude/skills/s/SKILL.md", "---\nname: s\n---\n");
    repository.write(".claude/agents/a.md", "---\nname: a\npermissionMode: acceptEdits\n---\n");
    let helper = json!({"mcpServers": {"h": {"url": "https://h", "headersHelper": "sh ./h.sh"}}});
    repository.write("deep/.mcp.json", &helper.to_string());
    let brings = repository.read_in("deep", None).brings;
    assert_eq!(brings.servers[0].target, r#"https://h {"headersHelper":"sh ./h.sh"}"#);
    let events: Vec<_> = brings.hooks.iter().map(|hook| (&*hook.event, hook.can_answer)).collect();
    assert_eq!(events, [("when used", false), ("Stop", false), ("PreToolUse", true)]);
    assert_eq!(brings.servers[1].target, "node srv/main.js");
    assert_eq!(brings.helpers[0].command, "sh key.sh");
    let redirecting = brings.variables.iter().filter(|variable| variable.redirects);
    assert_eq!(
        redirecting.map(|variable| &*variable.name).collect::<Vec<_>>(),
        ["ANTHROPIC_BASE_URL"]
    );
    assert_eq!(brings.rules.len(), 3);
    assert!(brings.settings[0].ends_with("model = opus"));
    assert_eq!(brings.plugins, ["a@b"]);
    assert!(brings.can_answer());
    assert_eq!(
        brings.summary(),
        "3 hooks, 2 MCP servers, 1 helper command, 2 environment variables, 3 permission rules, 1 \
         plugin, 1 skill, 1 slash command, 1 agent, 1 other setting"
    );
}
