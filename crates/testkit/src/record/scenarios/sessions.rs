//! Sessions that go on in another run, and commands that change them.

use serde_json::json;

use crate::cli::CliVersion::{V2_1_62, V2_1_325};
use crate::record::scenario::{Run, Scenario, Step, script, tool};

pub(super) fn all() -> Vec<Scenario> {
    let first = || Run::brief().turn(&script(&["say Remember this."]));
    let second = |flags: &[&str]| {
        let run = flags.iter().fold(Run::brief(), |run, flag| run.flag(*flag));
        run.turn(&script(&["say I remember."]))
    };
    vec![
        Scenario::new("resume").run(first()).run(second(&["--resume=$SESSION"])),
        Scenario::new("continue").run(first()).run(second(&["--continue"])),
        Scenario::new("fork").run(first()).run(second(&["--resume=$SESSION", "--fork-session"])),
        Scenario::new("resume-at")
            .run(first())
            .run(second(&["--resume=$SESSION", "--resume-session-at=$ANSWER"])),
        Scenario::new("resume-unknown")
            .run(Run::brief().flag("--resume=0f0f0f0f-0000-4000-8000-00000000000f")),
        Scenario::new("session-id")
            .run(second(&["--session-id=0f0f0f0f-0000-4000-8000-00000000000f"])),
        Scenario::new("mirror").since(V2_1_325).run(
            Run::brief()
                .flag("--session-mirror")
                .turn(&script(&[r#"tool Bash {"command":"echo words","description":"say it"}"#, "say Said."])),
        ),
        rewind(),
        Scenario::new("slash-commands").run(
            Run::brief()
                .flag("--replay-user-messages")
                .turn("/cost")
                .turn("/context")
                .turn("/no-such-command at all"),
        ),
        Scenario::new("slash-custom")
            .file(".claude/commands/greet.md", "---\ndescription: says hello\n---\nSay hello to $1.\n#script\nsay Hello to you.\n#end\n")
            .run(Run::brief().turn("/greet everybody")),
        Scenario::new("clear").run(
            Run::brief()
                .turn(&script(&["say Before."]))
                .turn("/clear")
                .turn(&script(&["say After."])),
        ),
        Scenario::new("compact").run(
            Run::new()
                .turn(&script(&["say Something long."]))
                .turn("/compact keep the essentials\n#script\nsay <summary>it was about something long</summary>\n#end")
                .turn(&script(&["say After that."])),
        ),
        Scenario::new("goal").since(V2_1_325).run(
            Run::brief().turn("/goal it is all done").turn("/goal clear"),
        ),
        Scenario::new("commands-changed").since(V2_1_325).run(
            Run::brief()
                .turn(&script(&[
                    r#"tool Bash {"command":"mkdir -p .claude/skills/greet && printf -- '---\nname: greet\ndescription: says hello\n---\nSay hello.\n' > .claude/skills/greet/SKILL.md","description":"teach it"}"#,
                    "say Taught.",
                ]))
                .ask(json!({"subtype": "reload_skills"})),
        ),
        Scenario::new("memory").since(V2_1_62).file("CLAUDE.md", "Be brief.\n").run(
            Run::brief().turn("/usage").turn("/model haiku").turn("/status"),
        ),
        Scenario::new("attachments").file("note.txt", "what the note says\n").run(
            Run::brief().flag("--replay-user-messages").turn(&format!("See @note.txt.\n{}", script(&["say Seen."]))),
        ),
    ]
}

fn rewind() -> Scenario {
    let write = |content: &str| {
        tool("Write", json!({"file_path": "$PROJECT/note.txt", "content": content}))
    };
    let ask = |prompt: &str, dry: bool| {
        Step::Ask(json!({"subtype": "rewind_files", "user_message_id": prompt, "dry_run": dry}))
    };
    Scenario::new("rewind").env("CLAUDE_CODE_ENABLE_SDK_FILE_CHECKPOINTING", "true").run(
        Run::brief()
            .flag("--replay-user-messages")
            .turn(&script(&[&write("first version\n"), "say Written."]))
            .turn(&script(&[&write("second version\n"), "say Rewritten."]))
            .since(V2_1_62, ask("$PROMPT2", true))
            .step(ask("$PROMPT2", false))
            .step(ask("0f0f0f0f-0000-4000-8000-00000000000f", false)),
    )
}
