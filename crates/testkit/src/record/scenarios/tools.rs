//! The built-in tools, each with what it returns.

use serde_json::json;

use super::talk::PNG;
use crate::cli::CliVersion::{V2_1_62, V2_1_325};
use crate::record::scenario::{Run, Scenario, Step, script, tool};

const NOTEBOOK: &str = r##"{"cells":[{"cell_type":"code","execution_count":null,"id":"first","metadata":{},"outputs":[],"source":["print(1)"]}],"metadata":{"language_info":{"name":"python"}},"nbformat":4,"nbformat_minor":5}"##;

const COMMIT: &str = r#"tool Bash {"command":"git init -q -b main . && git -c user.name=t -c user.email=t@example.com commit -q --allow-empty -m first","description":"make a commit"}"#;

/// A server that asks the user before it answers.
const ASKER: &str = r#"const send = (message) => process.stdout.write(JSON.stringify({ jsonrpc: '2.0', ...message }) + '\n');
let call;
require('readline').createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method, params } = JSON.parse(line);
  if (method === 'initialize') {
    const serverInfo = { name: 'asker', version: '1.0.0' };
    send({ id, result: { protocolVersion: params.protocolVersion, capabilities: { tools: {} }, serverInfo } });
  } else if (method === 'tools/list') {
    send({ id, result: { tools: [{ name: 'ask', description: 'asks the user', inputSchema: { type: 'object' } }] } });
  } else if (method === 'tools/call') {
    call = id;
    const requestedSchema = { type: 'object', properties: { colour: { type: 'string' } }, required: ['colour'] };
    send({ id: 'question', method: 'elicitation/create', params: { message: 'Which colour?', requestedSchema } });
  } else if (id === 'question') {
    send({ id: call, result: { content: [{ type: 'text', text: 'asked the user' }] } });
  }
});
"#;

pub(super) fn all() -> Vec<Scenario> {
    vec![
        files(),
        Scenario::new("tools-read-kinds").file("page.ipynb", NOTEBOOK).run(Run::brief().turn(&script(&[
            &tool(
                "Bash",
                json!({"command": format!("echo {PNG} | base64 -d > dot.png"), "description": "make an image"}),
            ),
            &tool("Read", json!({"file_path": "$PROJECT/dot.png"})),
            &tool("Read", json!({"file_path": "$PROJECT/page.ipynb"})),
            &tool("Read", json!({"file_path": "$PROJECT/absent.txt"})),
            "say Read them all.",
        ]))),
        Scenario::new("tools-notebook").file("page.ipynb", NOTEBOOK).run(Run::brief().turn(&script(&[
            &tool("Read", json!({"file_path": "$PROJECT/page.ipynb"})),
            &tool(
                "NotebookEdit",
                json!({"notebook_path": "$PROJECT/page.ipynb", "cell_id": "first", "new_source": "print(2)"}),
            ),
            &tool(
                "NotebookEdit",
                json!({
                    "notebook_path": "$PROJECT/page.ipynb",
                    "cell_id": "first",
                    "new_source": "a second cell",
                    "cell_type": "markdown",
                    "edit_mode": "insert",
                }),
            ),
            "say Noted.",
        ]))),
        Scenario::new("tools-bash").run(Run::brief().turn(&script(&[
            r#"tool Bash {"command":"echo plain words","description":"say something"}"#,
            r#"tool Bash {"command":"echo to both; echo second >&2; touch made","description":"say something"}"#,
            r#"tool Bash {"command":"echo before; exit 3","description":"fail"}"#,
            r#"tool Bash {"command":"mkdir -p sub && cd sub && pwd","description":"go there"}"#,
            "say Done.",
        ]))),
        Scenario::new("tools-timeout").run(
            Run::brief()
                .prompt(&script(&[
                    r#"tool Bash {"command":"mkfifo gate && echo it waits && cat gate","timeout":1000,"description":"take too long"}"#,
                    "say Too long.",
                ]))
                .until(json!({"type": "result"}))
                .since(V2_1_62, Step::Ask(json!({"subtype": "stop_task", "task_id": "$TASK"}))),
        ),
        Scenario::new("tools-git").run(Run::brief().turn(&script(&[COMMIT, "say Committed."]))),
        Scenario::new("tools-search")
            .file("src/one.txt", "alpha\nbeta\n")
            .file("src/two.txt", "beta\ngamma\n")
            .run(Run::brief().flag("--tools=Glob,Grep,Read").turn(&script(&[
                r#"tool Glob {"pattern":"src/*.txt"}"#,
                r#"tool Grep {"pattern":"beta"}"#,
                r#"tool Grep {"pattern":"beta","output_mode":"content","-n":true,"path":"src"}"#,
                r#"tool Grep {"pattern":"beta","output_mode":"count"}"#,
                r#"tool Glob {"pattern":"*.absent"}"#,
                "say Found.",
            ]))),
        Scenario::new("tools-parallel").file("one.txt", "first file\n").file("two.txt", "second file\n").run(
            Run::new().turn(&script(&[
                &[
                    "say Both at once.".to_owned(),
                    tool("Read", json!({"file_path": "$PROJECT/one.txt"})),
                    tool("Read", json!({"file_path": "$PROJECT/two.txt"})),
                ]
                .join("\n"),
                "say Both were read.",
            ])),
        ),
        Scenario::new("tools-todo").env("CLAUDE_CODE_ENABLE_TASKS", "0").run(Run::brief().flag("--tools=TodoWrite").turn(&script(&[
            r#"tool TodoWrite {"todos":[{"content":"first step","status":"in_progress","activeForm":"doing the first step"},{"content":"second step","status":"pending","activeForm":"doing the second step"}]}"#,
            r#"tool TodoWrite {"todos":[{"content":"first step","status":"completed","activeForm":"doing the first step"}]}"#,
            "say Listed.",
        ]))),
        Scenario::new("tools-tasks").since(V2_1_62).env("CLAUDE_CODE_ENABLE_TASKS", "1").run(
            Run::brief().flag("--tools=TaskCreate,TaskGet,TaskUpdate,TaskList").listen(&["TaskCreated", "TaskCompleted"]).turn(&script(&[
            r#"tool TaskCreate {"subject":"first step","description":"what to do first","activeForm":"doing the first step"}"#,
            r#"tool TaskCreate {"subject":"second step","description":"what to do next"}"#,
            r#"tool TaskUpdate {"taskId":"1","status":"in_progress","addBlocks":["2"]}"#,
            r#"tool TaskGet {"taskId":"1"}"#,
            r#"tool TaskList {}"#,
            r#"tool TaskUpdate {"taskId":"1","status":"completed"}"#,
            r#"tool TaskUpdate {"taskId":"9","status":"completed"}"#,
            "say Listed.",
        ]))),
        Scenario::new("tools-web").run(Run::brief().turn(&script(&[
            r#"tool WebFetch {"url":"https://unreachable.invalid/page","prompt":"what is there"}"#,
            r#"tool WebSearch {"query":"a search without results"}"#,
            "say Nothing there.",
        ]))),
        Scenario::new("tools-unknown").run(Run::brief().turn(&script(&[
            r#"tool NoSuchTool {"any":"thing"}"#,
            r#"tool Read {"wrong":"input"}"#,
            "say Neither worked.",
        ]))),
        Scenario::new("tools-cron").since(V2_1_325).run(Run::brief().turn(&script(&[
            r#"tool CronCreate {"cron":"7 3 1 1 *","prompt":"look once more","recurring":true}"#,
            r#"tool CronList {}"#,
            r#"tool CronDelete {"id":"none"}"#,
            r#"tool ReportFindings {"findings":[{"file":"one.txt","line":1,"summary":"a small slip","failure_scenario":"it may trip"}]}"#,
            r#"tool ScheduleWakeup {"delaySeconds":3600,"reason":"wait for it","prompt":"look once more"}"#,
            r#"tool ScheduleWakeup {"stop":true}"#,
            r#"tool ListAgents {}"#,
            r#"tool SendMessage {"to":"nobody","message":"hello there","summary":"greet"}"#,
            r#"tool ToolSearch {"query":"select:Read","max_results":2}"#,
            "say Scheduled.",
        ]))),
        Scenario::new("tools-worktree")
            .since(V2_1_325)
            .run(Run::brief().turn(&script(&[COMMIT, "say Committed."])))
            .run(Run::brief().listen(&["CwdChanged"]).turn(&script(&[
                r#"tool EnterWorktree {"name":"side"}"#,
                r#"tool Bash {"command":"pwd","description":"where is this"}"#,
                r#"tool ExitWorktree {"action":"remove"}"#,
                "say Back again.",
            ]))),
        Scenario::new("tools-skill")
            .file(
                ".claude/skills/greet/SKILL.md",
                "---\nname: greet\ndescription: says hello\n---\nSay hello to $ARGUMENTS.\n",
            )
            .run(Run::brief().turn(&script(&[
                r#"tool Skill {"skill":"greet","args":"everybody"}"#,
                "say Greeted.",
            ]))),
        Scenario::new("tool-summaries").since(V2_1_62).env("CLAUDE_CODE_EMIT_TOOL_USE_SUMMARIES", "1").run(
            Run::brief().turn(&script(&[
                r#"tool Bash {"command":"echo words","description":"say it"}"#,
                r#"tool Bash {"command":"echo more words","description":"say more"}"#,
                "say Said.",
            ])),
        ),
        Scenario::new("tools-large").env("BASH_MAX_OUTPUT_LENGTH", "2000").run(Run::brief().turn(&script(&[
            r#"tool Bash {"command":"seq 1 1000","description":"count"}"#,
            "say Counted.",
        ]))),
        Scenario::new("mcp-tool").run(
            Run::new()
                .initialize("sdkMcpServers", json!(["greeter"]))
                .turn(&script(&[
                    r#"tool mcp__greeter__greet {"name":"you"}"#,
                    r#"tool mcp__greeter__measure {"name":"you"}"#,
                    r#"tool mcp__greeter__fail {"name":"you"}"#,
                    r#"tool ListMcpResourcesTool {"server":"greeter"}"#,
                    r#"tool ReadMcpResourceTool {"server":"greeter","uri":"note://one"}"#,
                    "say Greeted.",
                ])),
        ),
        Scenario::new("mcp-elicitation").file("asker.js", ASKER).run(
            Run::brief()
                .flag(r#"--mcp-config={"mcpServers":{"asker":{"command":"node","args":["$PROJECT/asker.js"]}}}"#)
                .listen(&["Elicitation", "ElicitationResult"])
                .turn(&script(&["tool mcp__asker__ask {}", "say Asked."])),
        ),
    ]
}

fn files() -> Scenario {
    Scenario::new("tools-files").file("old.txt", "first line\nsecond line\nthird line\n").run(
        Run::brief().turn(&script(&[
            &tool("Read", json!({"file_path": "$PROJECT/old.txt"})),
            &tool("Read", json!({"file_path": "$PROJECT/old.txt", "offset": 2, "limit": 1})),
            &tool(
                "Edit",
                json!({"file_path": "$PROJECT/old.txt", "old_string": "second line", "new_string": "changed line"}),
            ),
            &tool("Write", json!({"file_path": "$PROJECT/new.txt", "content": "a new file\n"})),
            &tool("Write", json!({"file_path": "$PROJECT/new.txt", "content": "a newer file\n"})),
            &tool(
                "Edit",
                json!({"file_path": "$PROJECT/new.txt", "old_string": "not in it", "new_string": "whatever"}),
            ),
            "say Filed.",
        ])),
    )
}
