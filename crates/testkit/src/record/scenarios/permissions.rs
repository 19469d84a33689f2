//! Permission requests and every way to answer them; plans and questions, which come the same way.

use serde_json::json;

use crate::cli::CliVersion::{V2_1_62, V2_1_325};
use crate::record::scenario::{Permission, Run, Scenario, Step, script, tool};

const TOUCH: &str = r#"tool Bash {"command":"touch made","description":"make it"}"#;

pub(super) fn all() -> Vec<Scenario> {
    let touch = script(&[TOUCH, "say So be it."]);
    vec![
        Scenario::new("permission-allow").run(Run::new().turn(&touch)),
        Scenario::new("permission-deny").run(
            Run::brief().permission("Bash", Permission::Deny("not on a Sunday")).turn(&touch),
        ),
        Scenario::new("permission-deny-interrupt").run(
            Run::brief()
                .permission("Bash", Permission::DenyAndStop("stop right there"))
                .turn(&touch)
                .turn(&script(&["say Something else."])),
        ),
        Scenario::new("permission-edited").run(
            Run::brief()
                .permission(
                    "Bash",
                    Permission::Edited(json!({"command": "touch another", "description": "make another"})),
                )
                .turn(&touch),
        ),
        Scenario::new("permission-failed").run(
            Run::brief().permission("Bash", Permission::Fail("nobody is here")).turn(&touch),
        ),
        Scenario::new("permission-parallel").run(Run::brief().turn(&script(&[
            "tool Bash {\"command\":\"touch one\",\"description\":\"make one\"}\ntool Bash {\"command\":\"touch two\",\"description\":\"make two\"}",
            "say Both.",
        ]))),
        Scenario::new("suggest-rules").run(
            Run::brief()
                .permission("Bash", Permission::Always)
                .turn(&script(&[
                    r#"tool Bash {"command":"npm run build","description":"build it"}"#,
                    r#"tool Bash {"command":"npm run build","description":"build it again"}"#,
                    "say Built twice.",
                ])),
        ),
        Scenario::new("suggest-mode").run(
            Run::brief().permission("Write", Permission::Always).turn(&script(&[
                &tool("Write", json!({"file_path": "$PROJECT/one.txt", "content": "one\n"})),
                &tool("Write", json!({"file_path": "$PROJECT/two.txt", "content": "two\n"})),
                "say Written.",
            ])),
        ),
        Scenario::new("suggest-directories").run(
            Run::brief().permission("Read", Permission::Always).turn(&script(&[
                &tool("Read", json!({"file_path": "$HOME/elsewhere/note.txt"})),
                &tool("Read", json!({"file_path": "$HOME/elsewhere/note.txt"})),
                "say Looked.",
            ])),
        ),
        Scenario::new("updated-permissions").run(
            Run::brief()
                .permission(
                    "Bash",
                    Permission::With(json!([
                        {"type": "addRules", "behavior": "allow", "destination": "localSettings",
                         "rules": [{"toolName": "Bash", "ruleContent": "touch made"}]},
                        {"type": "addRules", "behavior": "deny", "destination": "projectSettings",
                         "rules": [{"toolName": "Bash", "ruleContent": "touch never"}]},
                        {"type": "addDirectories", "directories": ["$HOME"], "destination": "session"},
                        {"type": "setMode", "mode": "acceptEdits", "destination": "session"},
                    ])),
                )
                .turn(&script(&[
                    TOUCH,
                    r#"tool Bash {"command":"touch never","description":"do not"}"#,
                    "say So be it.",
                ])),
        ),
        Scenario::new("dont-ask").since(V2_1_62).run(
            Run::with_flags(&["--permission-mode", "dontAsk"]).turn(&touch),
        ),
        Scenario::new("auto-mode").since(V2_1_325).run(
            Run::with_flags(&["--permission-prompt-tool", "stdio", "--permission-mode", "auto"])
                .listen(&["PermissionDenied"])
                .turn(&touch),
        ),
        Scenario::new("prompts-none").since(V2_1_325).run(
            Run::brief().flag("--permission-prompts=none").turn(&touch),
        ),
        Scenario::new("nobody-to-ask").run(
            Run::with_flags(&["--permission-mode", "default"]).turn(&touch),
        ),
        plan(),
        plan_file(),
        Scenario::new("plan-refused").run(
            Run::with_flags(&["--permission-prompt-tool", "stdio", "--permission-mode", "plan"])
                .permission("ExitPlanMode", Permission::DenyAndStop("think again"))
                .turn(&script(&[r#"tool ExitPlanMode {"plan":"a plan to refuse"}"#, "say Not reached."])),
        ),
        Scenario::new("question").run(
            Run::brief()
                .permission(
                    "AskUserQuestion",
                    Permission::Completed(json!({"answers": {"Which colour?": "red", "Which sizes?": "small, large"}})),
                )
                .turn(&question()),
        ),
        Scenario::new("question-refused").run(
            Run::brief()
                .permission("AskUserQuestion", Permission::Deny("ask me tomorrow"))
                .turn(&question()),
        ),
    ]
}

fn question() -> String {
    let options = |one: &str, two: &str| json!([{"label": one, "description": format!("it is {one}")}, {"label": two, "description": format!("it is {two}")}]);
    let input = json!({"questions": [
        {"question": "Which colour?", "header": "Colour", "options": options("red", "blue"), "multiSelect": false},
        {"question": "Which sizes?", "header": "Sizes", "options": options("small", "large"), "multiSelect": true},
    ]});
    script(&[&tool("AskUserQuestion", input), "say Thank you."])
}

/// Plan mode, entered by the model and left with a yes that changes the mode.
fn plan() -> Scenario {
    let plan = json!([{"type": "setMode", "mode": "acceptEdits", "destination": "session"}]);
    Scenario::new("plan").run(
        Run::brief()
            .permission("ExitPlanMode", Permission::With(plan))
            .turn(&script(&["tool EnterPlanMode {}", "say Planning."]))
            .since(V2_1_325, Step::Ask(json!({"subtype": "get_plan"})))
            .turn(&script(&[
                r#"tool ExitPlanMode {"plan":"one, two, three"}"#,
                &tool("Write", json!({"file_path": "$PROJECT/one.txt", "content": "one\n"})),
                "say As planned.",
            ])),
    )
}

/// Newer versions take the plan from a file, whose name only the model is told.
fn plan_file() -> Scenario {
    let write = tool("Write", json!({"file_path": "$PLAN", "content": "one, two, three\n"}));
    Scenario::new("plan-file").since(V2_1_325).run(
        Run::with_flags(&["--permission-prompt-tool", "stdio", "--permission-mode", "plan"])
            .permission(
                "ExitPlanMode",
                Permission::With(
                    json!([{"type": "setMode", "mode": "default", "destination": "session"}]),
                ),
            )
            .turn(&script(&["say Let me think."]))
            .turn(&script(&[&write, "tool ExitPlanMode {}", "say As planned."]))
            .ask(json!({"subtype": "get_plan"})),
    )
}
