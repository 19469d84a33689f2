//! Tools other than the shell: files, searches, MCP, modes, subagents, questions and plans.

use pilothouse_session::policy::{
    Call, Ground, Level, Otherwise, Place, Policy, PolicySet, Preset, Verdict,
};
use pilothouse_wire::Raw;
use pilothouse_wire::permission::PermissionMode;
use serde_json::{Value, json};

use super::{decide, place, policies, written};

#[derive(Debug, PartialEq)]
enum Is {
    Yes,
    No,
    Asked,
}

fn verdict(policies: &PolicySet, tool: &str, input: Value) -> Is {
    match decide(policies, tool, input).verdict {
        Verdict::Allow => Is::Yes,
        Verdict::Deny { .. } => Is::No,
        Verdict::Ask => Is::Asked,
    }
}

fn files() -> PolicySet {
    written(
        r#"
        [[rule]]
        tool = ["Read", "Edit", "Write", "NotebookEdit", "Grep", "Glob", "LS", "mcp__fs__*"]
        path = ["secrets/**", "~/.ssh/**", "**/.env"]
        deny = "Secrets stay."

        [[rule]]
        tool = ["Read", "Edit", "Write", "NotebookEdit", "Grep", "Glob", "LS"]
        path = ["src/**", "docs/*.md"]
        then = "allow"
        "#,
    )
}

#[test]
fn files_are_matched_wherever_the_path_says_they_are() {
    let files = files();
    let read = |path: &str| verdict(&files, "Read", json!({ "file_path": path }));
    assert_eq!(read("/srv/app/src/a.rs"), Is::Yes);
    assert_eq!(read("src/a.rs"), Is::Yes);
    assert_eq!(read("src/../src/./a.rs"), Is::Yes);
    assert_eq!(read("docs/a.md"), Is::Yes);
    assert_eq!(read("docs/a/b.md"), Is::Asked);
    assert_eq!(read("src/../../secret"), Is::Asked);
    assert_eq!(read("../app2/src/a.rs"), Is::Asked);
    assert_eq!(read("/etc/passwd"), Is::Asked);
    assert_eq!(read("/src/a.rs"), Is::Asked);
    assert_eq!(read("SRC/a.rs"), Is::Asked);
    assert_eq!(read("secrets/key"), Is::No);
    assert_eq!(read("SECRETS/key"), Is::No);
    assert_eq!(read("src/../secrets/key"), Is::No);
    assert_eq!(read("src/.env"), Is::No);
    assert_eq!(read("~/.ssh/id"), Is::No);
    assert_eq!(read("/home/me/.ssh/id"), Is::No);
    assert_eq!(read("~other/x"), Is::Asked);
    assert_eq!(read("src/a\0b"), Is::Asked);
    assert_eq!(read(""), Is::Asked);
}

#[test]
fn a_missing_path_is_never_allowed_by_a_rule_about_paths() {
    let files = files();
    for input in [json!({}), json!({ "file_path": 1 }), json!({ "file_path": null }), json!([])] {
        let decision = decide(&files, "Read", input);
        assert_eq!(decision.verdict, Verdict::Ask);
        assert!(matches!(decision.because.ground, Ground::Uncertain { .. }));
    }
    assert_eq!(verdict(&files, "Edit", json!({ "path": "src/a.rs" })), Is::Asked);
    let notebook = json!({ "notebook_path": "src/a.ipynb", "new_source": "" });
    assert_eq!(verdict(&files, "NotebookEdit", notebook), Is::Yes);
    // The last of two members is the one that counts.
    let twice = Raw::from_text(r#"{"file_path":"src/a","file_path":"/etc/passwd"}"#).unwrap();
    let mode = PermissionMode::Default;
    let call = Call::new("Read", &twice, &mode);
    assert_eq!(files.decide(&call, &place()).verdict, Verdict::Ask);
}

#[test]
fn searches_are_allowed_where_all_below_is() {
    let allowing = written("[[rule]]\ntool = ['Grep', 'Glob']\npath = 'src/**'\nthen = 'allow'");
    let grep = |input: Value| verdict(&allowing, "Grep", input);
    assert_eq!(grep(json!({ "pattern": "x", "path": "src" })), Is::Yes);
    assert_eq!(grep(json!({ "pattern": "x", "path": "src/a" })), Is::Yes);
    assert_eq!(grep(json!({ "pattern": "x" })), Is::Asked);
    assert_eq!(grep(json!({ "pattern": "x", "path": "." })), Is::Asked);
    assert_eq!(grep(json!({ "pattern": "x", "path": 1 })), Is::Asked);
    let glob =
        |pattern: &str| verdict(&allowing, "Glob", json!({ "pattern": pattern, "path": "src" }));
    assert_eq!(glob("**/*.rs"), Is::Yes);
    assert_eq!(glob("../**"), Is::Asked);
    assert_eq!(glob("/etc/*"), Is::Asked);
    assert_eq!(glob("~/*"), Is::Asked);

    let denying = written(
        "[[rule]]\npath = 'src/keys/**'\ndeny = 'no'\n[[rule]]\ntool = '*'\nthen = 'allow'",
    );
    let grep = |path: &str| verdict(&denying, "Grep", json!({ "pattern": "x", "path": path }));
    assert_eq!(grep("docs"), Is::Yes);
    assert_eq!(grep("src/keys/a"), Is::No);
    assert_eq!(grep("src"), Is::Asked);
    assert_eq!(grep("/"), Is::Asked);
    assert_eq!(verdict(&denying, "WebSearch", json!({ "query": "src/keys/a" })), Is::Yes);
}

#[test]
fn denying_to_read_a_file_denies_to_search_it() {
    let rules = written(
        "[[rule]]\ntool = 'Read'\npath = '**/.env'\ndeny = 'no'\n\
         [[rule]]\ntool = '*'\nthen = 'allow'",
    );
    let grep = |path: &str| verdict(&rules, "Grep", json!({ "pattern": "x", "path": path }));
    assert_eq!(grep("src/.env"), Is::No);
    assert_eq!(grep("src"), Is::Asked, "it may be below");
    assert_eq!(verdict(&rules, "NotebookRead", json!({ "notebook_path": ".env" })), Is::No);
    assert_eq!(verdict(&rules, "Glob", json!({ "pattern": "*" })), Is::Yes, "names only");
    assert_eq!(verdict(&rules, "Edit", json!({ "file_path": ".env" })), Is::Yes);
    let allowing = written("[[rule]]\ntool = 'Read'\npath = 'src/**'\nthen = 'allow'");
    assert_eq!(verdict(&allowing, "Grep", json!({ "path": "src" })), Is::Asked);
}

#[test]
fn working_directories_count_as_the_first_one() {
    let files = files();
    let place = Place { additional_dirs: vec!["/srv/lib".into()], ..place() };
    let input = Raw::from(json!({ "file_path": "/srv/lib/src/a.rs" }));
    let mode = PermissionMode::Default;
    let call = Call::new("Read", &input, &mode);
    assert_eq!(files.decide(&call, &place).verdict, Verdict::Allow);
    assert_eq!(files.decide(&call, &super::place()).verdict, Verdict::Ask);
}

#[test]
fn mcp_tools_are_known_by_server_and_asked_about_denied_files() {
    let rules = written(
        "[[rule]]\nserver = 'git.hub'\ntool = 'mcp__*__get_*'\nthen = 'allow'\n\
         [[rule]]\nserver = 'shop'\ndeny = 'Not today.'",
    );
    assert_eq!(verdict(&rules, "mcp__git_hub__get_issue", json!({})), Is::Yes);
    assert_eq!(verdict(&rules, "mcp__git_hub__close_issue", json!({})), Is::Asked);
    assert_eq!(verdict(&rules, "mcp__other__get_issue", json!({})), Is::Asked);
    assert_eq!(verdict(&rules, "mcp__shop__buy", json!({})), Is::No);
    assert_eq!(verdict(&rules, "Bash", json!({ "command": "ls" })), Is::Asked);

    let files = files();
    let read = |path: &str| decide(&files, "mcp__fs__read", json!({ "a": [{ "b": path }] }));
    assert!(matches!(read("file:///home/me/.ssh/id").because.ground, Ground::Uncertain { .. }));
    assert_eq!(read("src/a.rs").because.ground, Ground::Default);
}

#[test]
fn old_and_new_names_of_a_tool_are_one() {
    let rules = written("[[rule]]\ntool = 'Task'\nthen = 'allow'");
    assert_eq!(verdict(&rules, "Agent", json!({})), Is::Yes);
    assert_eq!(verdict(&rules, "Task", json!({})), Is::Yes);
    assert_eq!(verdict(&rules, "TaskStop", json!({})), Is::Asked);
}

#[test]
fn modes_and_subagents_restrict() {
    let rules = written(
        "[[rule]]\ntool = 'Edit'\nmode = ['acceptEdits', 'auto']\nsubagent = false\nthen = 'allow'\n\
         [[rule]]\ntool = 'Read'\nsubagent = 'Explore*'\nthen = 'allow'\n\
         [[rule]]\ntool = 'Write'\nsubagent = true\ndeny = 'Subagents do not write.'",
    );
    let decide = |tool: &str, mode: PermissionMode, subagent: Option<&str>| {
        let input = Raw::empty_object();
        rules.decide(&Call { subagent, ..Call::new(tool, &input, &mode) }, &place()).verdict
    };
    assert_eq!(decide("Edit", PermissionMode::AcceptEdits, None), Verdict::Allow);
    assert_eq!(decide("Edit", PermissionMode::Default, None), Verdict::Ask);
    assert_eq!(decide("Edit", PermissionMode::AcceptEdits, Some("Explore")), Verdict::Ask);
    assert_eq!(decide("Read", PermissionMode::Default, Some("Explorer")), Verdict::Allow);
    assert_eq!(decide("Read", PermissionMode::Default, None), Verdict::Ask);
    assert!(matches!(decide("Write", PermissionMode::Default, Some("x")), Verdict::Deny { .. }));
    assert_eq!(decide("Write", PermissionMode::Default, None), Verdict::Ask);
}

#[test]
fn questions_and_plans_are_for_people() {
    for preset in Preset::ALL {
        let set = PolicySet::new([preset.policy()]);
        assert_eq!(verdict(&set, "AskUserQuestion", json!({})), Is::Asked, "{preset:?}");
    }
    let named = written("[[rule]]\ntool = 'AskUserQuestion'\nthen = 'allow'");
    let decision = decide(&named, "AskUserQuestion", json!({}));
    assert!(matches!(decision.because.ground, Ground::ForPeople { .. }));
    let denied = written("[[rule]]\ntool = 'AskUserQuestion'\ndeny = 'Nobody is there.'");
    assert_eq!(verdict(&denied, "AskUserQuestion", json!({})), Is::No);

    let all = written("[[rule]]\ntool = ['*', 'Exit*']\nthen = 'allow'");
    assert_eq!(verdict(&all, "ExitPlanMode", json!({})), Is::Asked);
    assert_eq!(verdict(&all, "exit_plan_mode", json!({})), Is::Asked);
    let named = written("[[rule]]\ntool = 'ExitPlanMode'\nthen = 'allow'");
    assert_eq!(verdict(&named, "ExitPlanMode", json!({})), Is::Yes);
    assert_eq!(verdict(&policies("autonomous"), "ExitPlanMode", json!({})), Is::Yes);
    assert_eq!(verdict(&policies("plan"), "ExitPlanMode", json!({})), Is::Asked);
    // A rule that allows all does not stand in the way of one that names it.
    let both = PolicySet::new([
        Policy::parse("a", "[[rule]]\ntool = '*'\nthen = 'allow'", Level::User).unwrap(),
        Preset::Autonomous.policy(),
    ]);
    assert_eq!(verdict(&both, "ExitPlanMode", json!({})), Is::Yes);
}

#[test]
fn presets_do_what_they_are_named_after() {
    let edit = json!({ "file_path": "src/a", "old_string": "", "new_string": "" });
    let (autonomous, supervised) = (policies("autonomous"), policies("supervised"));
    for preset in [supervised, policies("plan")] {
        for tool in ["Task", "Agent", "TodoWrite"] {
            assert_eq!(verdict(&preset, tool, json!({})), Is::Yes, "{tool}");
        }
        for tool in ["Bash", "Edit", "Write", "WebFetch", "mcp__a__b", "EnterPlanMode", "New"] {
            assert_eq!(verdict(&preset, tool, edit.clone()), Is::Asked, "{tool}");
            assert_eq!(verdict(&autonomous, tool, edit.clone()), Is::Yes, "{tool}");
        }
        let read = |path: &str| verdict(&preset, "Read", json!({ "file_path": path }));
        assert_eq!(read("src/a"), Is::Yes);
        assert_eq!(read("/srv/app/src/a"), Is::Yes);
        assert_eq!(read("/etc/passwd"), Is::Asked, "outside of the session's directories");
        assert_eq!(read("../other"), Is::Asked);
        let grep = |input: Value| verdict(&preset, "Grep", input);
        assert_eq!(grep(json!({ "pattern": "x" })), Is::Yes);
        assert_eq!(grep(json!({ "pattern": "x", "path": "/etc" })), Is::Asked);
        assert_eq!(verdict(&preset, "Glob", json!({ "pattern": "/etc/*" })), Is::Asked);
        let notebook = json!({ "notebook_path": "/home/me/x.ipynb" });
        assert_eq!(verdict(&preset, "NotebookRead", notebook), Is::Asked);
    }
}

#[test]
fn no_preset_allows_paths_with_credentials() {
    for preset in Preset::ALL {
        let set = PolicySet::new([preset.policy()]);
        for path in [
            "~/.ssh/id_rsa",
            "~/.ssh",
            "/home/me/.gnupg/x",
            "~/.aws/credentials",
            "~/.config/gcloud/a/b",
            "~/.kube/config",
            "~/.netrc",
            "~/.git-credentials",
            "~/.docker/config.json",
            "~/.claude/.credentials.json",
        ] {
            for tool in ["Read", "Edit", "Write"] {
                let is = verdict(&set, tool, json!({ "file_path": path }));
                assert_eq!(is, Is::No, "{preset:?} {tool} {path}");
            }
            let is = verdict(&set, "Bash", json!({ "command": format!("cat {path}") }));
            assert_eq!(is, Is::No, "{preset:?} cat {path}");
        }
        let grep = |path: &str| verdict(&set, "Grep", json!({ "pattern": "x", "path": path }));
        assert_eq!(grep("~/.ssh"), Is::No, "{preset:?}");
        assert_eq!(grep("~"), Is::Asked, "{preset:?}");
        let mcp = verdict(&set, "mcp__fs__read", json!({ "path": "~/.ssh/id" }));
        assert_eq!(mcp, Is::Asked, "{preset:?}");
    }
    let more = Preset::Autonomous.protecting(["~/.config/gh/**"]).unwrap();
    let set = PolicySet::new([more, Policy::off_limits(["/home/me/.pilothouse"]).unwrap()]);
    assert_eq!(verdict(&set, "Read", json!({ "file_path": "~/.config/gh/hosts.yml" })), Is::No);
    let own = PolicySet::new([Policy::off_limits(["/data"]).unwrap(), Preset::Autonomous.policy()]);
    assert_eq!(verdict(&own, "Bash", json!({ "command": "cat /data/token" })), Is::No);
    assert!(Policy::protecting(["../x"]).is_err());
}

#[test]
fn plan_allows_the_plan_file_while_planning_and_no_other_change() {
    let plan = policies("plan");
    let decide = |tool: &str, mode: PermissionMode, path: &str| {
        let input = Raw::from(json!({ "file_path": path, "command": "touch x" }));
        plan.decide(&Call::new(tool, &input, &mode), &place()).verdict
    };
    use PermissionMode::{AcceptEdits, Auto, Default, DontAsk, Plan};
    assert_eq!(decide("Write", Plan, "~/.claude/plans/dig.md"), Verdict::Allow);
    for mode in [Default, AcceptEdits, Plan, DontAsk, Auto] {
        for tool in ["Write", "Edit", "MultiEdit", "NotebookEdit", "Bash", "WebFetch", "mcp__a__b"]
        {
            assert_eq!(decide(tool, mode.clone(), "src/a"), Verdict::Ask, "{tool} {mode:?}");
        }
        let settings = decide("Write", mode.clone(), "~/.claude/settings.json");
        assert_eq!(settings, Verdict::Ask, "{mode:?}");
        if mode != Plan {
            let file = decide("Write", mode.clone(), "~/.claude/plans/dig.md");
            assert_eq!(file, Verdict::Ask, "{mode:?}");
        }
    }
}

#[test]
fn earlier_policies_have_the_first_word() {
    let policy = |text: &str, level| Policy::parse("p", text, level).unwrap();
    let one = "[[rule]]\ntool = 'Bash'\ncommand = 'rm *'\ndeny = 'no'";
    let other = "[[rule]]\ntool = 'Bash'\nthen = 'allow'";
    let set = PolicySet::new([policy(one, Level::User), policy(other, Level::User)]);
    assert_eq!(verdict(&set, "Bash", json!({ "command": "rm x" })), Is::No);
    assert_eq!(verdict(&set, "Bash", json!({ "command": "ls" })), Is::Yes);
    let set = PolicySet::new([policy(other, Level::User), policy(one, Level::User)]);
    assert_eq!(verdict(&set, "Bash", json!({ "command": "rm x" })), Is::Yes);
}

#[test]
fn a_project_can_only_make_things_stricter() {
    let policy = |text: &str, level| Policy::parse("p", text, level).unwrap();
    let user = "[[rule]]\ntool = 'Bash'\ncommand = 'rm *'\ndeny = 'no'\n\
                [[rule]]\ntool = ['Bash', 'Read']\nthen = 'allow'";
    let project = "[[rule]]\ntool = 'Bash'\ncommand = 'git status'\nthen = 'allow'\n\
                   [[rule]]\ntool = 'Bash'\ncommand = 'git *'\ndeny = 'not here'\n\
                   [[rule]]\ntool = 'Bash'\ncommand = ['rm *', 'make *']\nthen = 'ask'\n\
                   [[rule]]\ntool = 'Read'\npath = '**/.env'\ndeny = 'secret'\n\
                   [[rule]]\ntool = '*'\nthen = 'allow'";
    for sets in [
        [policy(user, Level::User), policy(project, Level::Project)],
        [policy(project, Level::Project), policy(user, Level::User)],
    ] {
        let set = PolicySet::new(sets);
        let bash = |command: &str| verdict(&set, "Bash", json!({ "command": command }));
        assert_eq!(bash("ls"), Is::Yes);
        assert_eq!(bash("git status"), Is::Yes, "an exception of the project's own");
        assert_eq!(bash("git push"), Is::No);
        assert_eq!(bash("make all"), Is::Asked);
        assert_eq!(bash("ls && make all"), Is::Asked);
        assert_eq!(bash("rm x"), Is::No, "its question does not soften a no");
        let read = |path: &str| verdict(&set, "Read", json!({ "file_path": path }));
        assert_eq!((read("src/a"), read("src/.env")), (Is::Yes, Is::No));
        assert_eq!(verdict(&set, "Write", json!({ "file_path": "src/a" })), Is::Asked);
    }
    let alone = PolicySet::new([policy(project, Level::Project)]);
    let bash = |command: &str| verdict(&alone, "Bash", json!({ "command": command }));
    assert_eq!((bash("ls"), bash("git push")), (Is::Asked, Is::No));
}

#[test]
fn where_nobody_watches_the_rest_is_denied() {
    let set = policies("dev").otherwise(Otherwise::Deny("Nobody is there to ask.".into()));
    let bash = |command: &str| verdict(&set, "Bash", json!({ "command": command }));
    assert_eq!(bash("git status"), Is::Yes);
    assert_eq!(bash("timeout 5 git status"), Is::Yes);
    assert_eq!(bash("rm x"), Is::No);
    assert_eq!(verdict(&PolicySet::default(), "Read", json!({})), Is::Asked);
}

#[test]
fn other_shells_and_open_sandboxes_are_not_allowed_by_commands() {
    let set = policies("any");
    let run = |tool: &str, input: Value| verdict(&set, tool, input);
    assert_eq!(run("Bash", json!({ "command": "ls" })), Is::Yes);
    assert_eq!(run("Bash", json!({ "cmd": "ls" })), Is::Asked);
    assert_eq!(run("Bash", json!({ "command": ["ls"] })), Is::Asked);
    let open = json!({ "command": "ls", "dangerouslyDisableSandbox": true });
    assert_eq!(run("Bash", open), Is::Asked);
    let shells = written("[[rule]]\ncommand = '*'\nthen = 'allow'");
    assert_eq!(verdict(&shells, "Monitor", json!({ "command": "ls" })), Is::Yes);
    assert_eq!(verdict(&shells, "PowerShell", json!({ "command": "ls" })), Is::Asked);
    assert_eq!(verdict(&shells, "Read", json!({ "file_path": "x" })), Is::Asked);
}

#[test]
fn statements_past_the_limit_are_not_dropped() {
    let rules = written("[[rule]]\ntool = 'Bash'\ncommand = ['ls', 'timeout *']\nthen = 'allow'");
    for head in [998, 999, 1_000, 1_001] {
        let command = format!("{}timeout 5 ls; rm -rf ~", "ls;".repeat(head));
        assert_eq!(verdict(&rules, "Bash", json!({ "command": command })), Is::Asked, "{head}");
        let command = format!("{}timeout 5 ls; cat ~/.ssh/id_rsa", "ls;".repeat(head));
        let is = verdict(&policies("autonomous"), "Bash", json!({ "command": command }));
        assert_eq!(is, Is::No, "{head}");
    }
}

#[test]
fn white_space_around_a_path_does_not_count() {
    let files = files();
    for blank in [" ", "\t", "\n", "\u{a0}", "\u{2003}", "\u{feff}", " \u{feff} "] {
        let read = |path: &str| verdict(&files, "Read", json!({ "file_path": path }));
        assert_eq!(read(&format!("{blank}~/.ssh/id_rsa")), Is::No, "{blank:?}");
        assert_eq!(read(&format!("/home/me/.ssh{blank}")), Is::No, "{blank:?}");
        assert_eq!(read(&format!("{blank}/etc/passwd")), Is::Asked, "{blank:?}");
        assert_eq!(read(&format!("src/a{blank}")), Is::Yes, "{blank:?}");
        let grep = json!({ "pattern": "x", "path": format!("{blank}~/.ssh") });
        assert_eq!(verdict(&files, "Grep", grep), Is::No, "{blank:?}");
        let glob = json!({ "pattern": format!("{blank}/etc/*"), "path": "src" });
        assert_eq!(verdict(&files, "Glob", glob), Is::Asked, "{blank:?}");
        let uri = json!({ "server": "a", "uri": format!("{blank}file:///home/me/.ssh/id") });
        assert_eq!(verdict(&files, "ReadMcpResourceTool", uri), Is::No, "{blank:?}");
        let mcp = json!({ "path": format!("{blank}~/.ssh/id") });
        let ground = decide(&files, "mcp__fs__read", mcp).because.ground;
        assert!(matches!(ground, Ground::Uncertain { .. }), "{blank:?}");
    }
    // Only what JavaScript trims: this is a letter of the name.
    assert_eq!(verdict(&files, "Read", json!({ "file_path": "src/a\u{85}" })), Is::Asked);
}

#[test]
fn globs_of_a_shell_are_compared_with_those_of_a_rule() {
    let rules = written(
        "[[rule]]\ntool = 'Read'\npath = ['config/prod.key', 'config/*.pem', 'secrets/**']\n\
         deny = 'no'\n[[rule]]\ntool = '*'\nthen = 'allow'",
    );
    let bash = |command: &str| verdict(&rules, "Bash", json!({ "command": command }));
    for asked in [
        "cat config/*",
        "cat config/p*",
        "cat config/s*",
        "cat */prod.key",
        "cat conf[hi]g/prod.???",
        "cat {config,src}/prod.key",
        "cat /srv/*/secrets/a",
        "cd src && cat ../secrets/x",
        "cd src && cat ../config/p*",
    ] {
        assert_eq!(bash(asked), Is::Asked, "{asked}");
    }
    for allowed in ["cat config/*.rs", "cat src/*", "cat 'config/*'", "ls ../*"] {
        assert_eq!(bash(allowed), Is::Yes, "{allowed}");
    }
}

#[test]
fn every_tool_that_takes_a_path_is_looked_at() {
    let rules = written(
        "[[rule]]\ntool = 'Read'\npath = '**/.env'\ndeny = 'no'\n\
         [[rule]]\ntool = '*'\nthen = 'allow'",
    );
    for (tool, input, is) in [
        ("Artifact", json!({ "file_path": "/srv/app/.env" }), Is::No),
        ("Artifact", json!({ "file_paths": ["a", " .env"] }), Is::No),
        ("Artifact", json!({ "file_paths": ["a", 1] }), Is::Asked),
        ("Artifact", json!({ "action": "list", "title": ".env" }), Is::Yes),
        ("Projects", json!({ "method": "project_write", "local_path": ".env" }), Is::No),
        ("Projects", json!({ "method": "project_list", "path": ".env" }), Is::Yes),
        ("SendUserFile", json!({ "files": [".env"] }), Is::Asked),
        ("SendUserFile", json!({ "files": ["a.png"] }), Is::Yes),
        ("ReadMcpResourceTool", json!({ "uri": "/srv/app/.env" }), Is::No),
        ("ReadMcpResourceDirTool", json!({ "uri": "file:///srv/app/%2eenv" }), Is::No),
        ("ReadMcpResourceDirTool", json!({ "uri": "db://.env" }), Is::Yes),
    ] {
        assert_eq!(verdict(&rules, tool, input.clone()), is, "{tool} {input}");
    }
    for preset in Preset::ALL {
        let set = PolicySet::new([preset.policy()]);
        let artifact = json!({ "file_path": "~/.ssh/id_rsa" });
        assert_eq!(verdict(&set, "Artifact", artifact), Is::No, "{preset:?}");
        let dir = json!({ "server": "a", "uri": "file:///home/me/.ssh" });
        assert_eq!(verdict(&set, "ReadMcpResourceDirTool", dir), Is::No, "{preset:?}");
        let mcp = json!({ "uri": "file:///home/me/%2essh/id" });
        let ground = decide(&set, "mcp__fs__read", mcp).because.ground;
        assert!(matches!(ground, Ground::Uncertain { .. }), "{preset:?}");
    }
}

#[test]
fn texts_past_the_limit_may_be_paths() {
    let set = policies("autonomous");
    let read = |count: usize| {
        let names: Vec<_> = (0..count).map(|at| at.to_string()).collect();
        verdict(&set, "mcp__fs__read", json!({ "names": names }))
    };
    assert_eq!(read(1_000), Is::Yes);
    assert_eq!(read(5_000), Is::Asked);
}

#[test]
fn a_search_without_a_path_is_where_the_cli_is() {
    let allowing = written("[[rule]]\ntool = ['Grep', 'Glob']\npath = 'src/**'\nthen = 'allow'");
    let input = Raw::from(json!({ "pattern": "x" }));
    let mode = PermissionMode::Default;
    for (dir, expected) in
        [("/srv/app/src/a", Verdict::Allow), ("/srv/app", Verdict::Ask), ("/etc", Verdict::Ask)]
    {
        let place = Place { current_dir: Some(dir.into()), ..place() };
        for tool in ["Grep", "Glob"] {
            let decided = allowing.decide(&Call::new(tool, &input, &mode), &place);
            assert_eq!(decided.verdict, expected, "{tool} in {dir}");
        }
    }
}

#[test]
fn plan_asks_about_subagents_that_are_set_apart() {
    let plan = policies("plan");
    let agent =
        |isolation: Value| verdict(&plan, "Task", json!({ "prompt": "x", "isolation": isolation }));
    assert_eq!(agent(Value::Null), Is::Yes);
    for isolation in [json!("worktree"), json!("remote"), json!("new"), json!(["remote"])] {
        assert_eq!(agent(isolation.clone()), Is::Asked, "{isolation}");
        let input = Raw::from(json!({ "isolation": isolation }));
        let mode = PermissionMode::Plan;
        let unasked = plan.decide_unasked(&Call::new("Agent", &input, &mode), &place());
        assert_eq!(unasked.map(|decided| decided.verdict), Some(Verdict::Ask), "{isolation}");
    }
    let input = json!({ "isolation": "remote" });
    assert_eq!(verdict(&policies("autonomous"), "Agent", input), Is::Yes);
}
