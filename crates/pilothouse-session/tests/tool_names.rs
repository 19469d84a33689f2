//! Every tool, by every name it ever had: which kind it is and what it is called.

use pilothouse_session::tool::NormalizedPayload;
use pilothouse_wire::Raw;
use pilothouse_wire::tool::{ToolName, canonical};
use serde_json::{Value, json};

/// Name, input, kind and title of a call.
fn table() -> Vec<(&'static str, Value, &'static str, &'static str)> {
    let edit = json!({"file_path": "/p/a.rs", "old_string": "a", "new_string": "b"});
    let agent = json!({"description": "find it", "prompt": "Find it.", "subagent_type": "Explore"});
    let todos = json!({"todos": [{"content": "c", "status": "pending", "activeForm": "doing c"}]});
    let ask = json!({"questions": [{"question": "Which?", "options": [{"label": "A"}]}]});
    let resource = json!({"server": "db", "uri": "db://a"});
    let stop = json!({"shell_id": "b1"});
    let words = json!({"query": "rust", "pattern": "rust"});
    vec![
        ("Read", json!({"file_path": "/p/a.rs", "offset": 3}), "read_file", "Read a.rs"),
        ("NotebookRead", json!({"notebook_path": "/p/n.ipynb"}), "read_file", "Read n.ipynb"),
        ("Edit", edit.clone(), "modify_file", "Edit a.rs"),
        ("MultiEdit", json!({"file_path": "/p/a", "edits": []}), "modify_file", "Edit a"),
        ("Write", json!({"file_path": "/p/a", "content": "x"}), "modify_file", "Write a"),
        (
            "NotebookEdit",
            json!({"notebook_path": "/p/n", "new_source": "1"}),
            "modify_file",
            "Edit n",
        ),
        ("Bash", json!({"command": "npm test"}), "shell_exec", "npm test"),
        ("PowerShell", json!({"command": "dir"}), "shell_exec", "dir"),
        ("REPL", json!({"code": "1 + 1"}), "shell_exec", "1 + 1"),
        ("Monitor", json!({"command": "tail -f x"}), "shell_exec", "Watch tail -f x"),
        ("BashOutput", json!({"bash_id": "b1"}), "shell_exec", "Output of b1"),
        ("TaskOutput", json!({"task_id": "b1"}), "shell_exec", "Output of b1"),
        ("TaskStop", json!({"task_id": "b1"}), "shell_exec", "Stop b1"),
        ("KillShell", stop.clone(), "shell_exec", "Stop b1"),
        ("KillBash", stop, "shell_exec", "Stop b1"),
        ("bash_code_execution", json!({"command": "ls"}), "shell_exec", "ls"),
        ("code_execution", json!({"code": "1"}), "shell_exec", "1"),
        ("Glob", json!({"pattern": "*.rs", "path": "/p/src"}), "code_search", "Find *.rs in src"),
        ("Grep", json!({"pattern": "fn main"}), "code_search", "Search for fn main"),
        ("LS", json!({"path": "/p/src"}), "code_search", "List src"),
        ("LSP", json!({"operation": "hover", "filePath": "/p/a"}), "code_search", "hover in a"),
        (
            "WebFetch",
            json!({"url": "https://x.example"}),
            "http_request",
            "Fetch https://x.example",
        ),
        ("WebSearch", words.clone(), "http_request", "Search the web for rust"),
        ("web_search", words.clone(), "http_request", "Search the web for rust"),
        (
            "web_fetch",
            json!({"url": "https://x.example"}),
            "http_request",
            "Fetch https://x.example",
        ),
        ("Agent", agent.clone(), "subagent_task", "Explore: find it"),
        ("Task", agent, "subagent_task", "Explore: find it"),
        ("TaskCreate", json!({"subject": "s"}), "create_task", "Add to-do: s"),
        ("TodoWrite", todos, "manage_todos", "Update to-dos"),
        ("TodoRead", json!({}), "manage_todos", "Read to-dos"),
        ("TaskList", json!({}), "manage_todos", "Read to-dos"),
        ("TaskGet", json!({"taskId": "1"}), "manage_todos", "Read to-do 1"),
        (
            "TaskUpdate",
            json!({"taskId": "1", "status": "deleted"}),
            "manage_todos",
            "Remove to-do 1",
        ),
        ("EnterPlanMode", json!({}), "plan", "Start planning"),
        ("ExitPlanMode", json!({"plan": "1. Do it"}), "plan", "Plan"),
        ("exit_plan_mode", json!({"plan": "1. Do it"}), "plan", "Plan"),
        ("AskUserQuestion", ask, "question", "Which?"),
        ("ListMcpResources", json!({}), "generic", "ListMcpResources"),
        ("ListMcpResourcesTool", json!({"server": "db"}), "generic", "ListMcpResourcesTool: db"),
        ("ReadMcpResource", resource.clone(), "generic", "ReadMcpResource: db"),
        ("ReadMcpResourceTool", resource.clone(), "generic", "ReadMcpResourceTool: db"),
        ("ReadMcpResourceDirTool", resource, "generic", "ReadMcpResourceDirTool: db"),
        ("RefreshMcpTools", json!({}), "generic", "RefreshMcpTools"),
        ("mcp__my_db__run__query", json!({"sql": "x"}), "generic", "my_db: run__query"),
        ("FromTheFuture", json!([1]), "generic", "FromTheFuture"),
        ("Skill", json!({"skill": "review"}), "misc", "Skill: review"),
        ("SlashCommand", json!({"command": "/review 7"}), "misc", "Slash command: /review 7"),
        ("StructuredOutput", json!({"count": 7}), "misc", "Structured output"),
        ("ToolSearch", words.clone(), "misc", "Find tools: rust"),
        ("MCPSearch", words, "misc", "Find tools: rust"),
        ("Workflow", json!({"name": "w"}), "misc", "Workflow: w"),
        ("SendMessage", json!({"to": "ann"}), "misc", "Message to agent: ann"),
        ("ListAgents", json!({}), "misc", "List agents"),
        ("ListPeers", json!({}), "misc", "List agents"),
        ("EnterWorktree", json!({"name": "side"}), "misc", "Enter worktree: side"),
        ("ExitWorktree", json!({"action": "keep"}), "misc", "Leave worktree: keep"),
        ("CronCreate", json!({"cron": "0 9 * * *"}), "misc", "Schedule: 0 9 * * *"),
        ("CronDelete", json!({"id": "c1"}), "misc", "Unschedule: c1"),
        ("CronList", json!({}), "misc", "List schedules"),
        ("ScheduleWakeup", json!({"reason": "wait"}), "misc", "Schedule wake-up: wait"),
        ("RemoteTrigger", json!({"action": "list"}), "misc", "Remote trigger: list"),
        ("ReadNotifications", json!({}), "misc", "Read notifications"),
        ("ReportFindings", json!({"findings": []}), "misc", "Report findings: 0"),
        ("SendUserMessage", json!({"message": "look"}), "misc", "Message to user: look"),
        ("Brief", json!({"message": "look"}), "misc", "Message to user: look"),
        ("PushNotification", json!({"message": "done"}), "misc", "Notify user: done"),
        ("SendFeedback", json!({"title": "t"}), "misc", "Send feedback: t"),
        ("ProposeGoal", json!({"condition": "green"}), "misc", "Propose goal: green"),
        ("propose_skills", json!({"proposals": [{"name": "s"}]}), "misc", "Propose skills: s"),
        ("OfferChromeSetup", json!({}), "misc", "Offer Chrome setup"),
        ("ShowOnboardingRolePicker", json!({}), "misc", "Choose role"),
        ("Artifact", json!({"title": "A"}), "misc", "Artifact: A"),
        ("ClaudeDesign", json!({"operation": "render"}), "misc", "Design: render"),
        ("Projects", json!({"method": "project_info"}), "misc", "Projects: project_info"),
        ("Config", json!({"setting": "theme"}), "misc", "Setting: theme"),
        ("EndConversation", json!({}), "misc", "End conversation"),
        ("SendUserFile", json!({}), "misc", "Send file"),
        ("ShareOnboardingGuide", json!({}), "misc", "Share onboarding guide"),
        ("SubagentHandback", json!({}), "misc", "Hand back"),
        ("WaitForMcpServers", json!({}), "misc", "Wait for MCP servers"),
    ]
}

#[test]
fn every_name_has_its_kind_and_title() {
    for (name, input, kind, title) in table() {
        let payload = NormalizedPayload::of_call(name, &Raw::from(input));
        let json = serde_json::to_value(&payload).unwrap();
        assert_eq!(json["kind"], kind, "{name}: {json}");
        assert_eq!(payload.title_in(Some("/p")), title, "{name}");
        assert_eq!(payload.error(), None, "{name}");
    }
}

#[test]
fn no_tool_is_missing() {
    let table = table();
    for name in ToolName::ALL {
        let listed = table.iter().any(|(listed, ..)| canonical(listed) == name.as_str());
        assert!(listed, "{name} is not in the table");
    }
}

#[test]
fn paths_are_those_of_the_call() {
    let paths = |name: &str, input: Value| {
        let payload = NormalizedPayload::of_call(name, &Raw::from(input));
        payload.paths().into_iter().map(str::to_owned).collect::<Vec<_>>()
    };
    assert_eq!(paths("Read", json!({"file_path": "/p/a"})), ["/p/a"]);
    assert_eq!(paths("Grep", json!({"pattern": "x", "path": "src"})), ["src"]);
    assert_eq!(paths("ExitPlanMode", json!({"planFilePath": "/h/x.md"})), ["/h/x.md"]);
    assert_eq!(paths("Grep", json!({"pattern": "x"})), [""; 0]);
    assert_eq!(paths("Bash", json!({"command": "cat /p/a"})), [""; 0]);
}

#[test]
fn titles_are_short_and_on_one_line() {
    let title = |command: &str| {
        let input = Raw::from(json!({"command": command}));
        NormalizedPayload::of_call("Bash", &input).title_in(Some("/"))
    };
    assert_eq!(title("a \n\u{1b}[31m b\u{7}"), "a [31m b");
    assert_eq!(title(""), "");
    let long = title(&"ü ".repeat(100_000));
    assert_eq!((long.chars().count(), long.ends_with('…')), (80, true));
    let read = NormalizedPayload::of_call("Read", &Raw::from(json!({"file_path": "/project2/a"})));
    assert_eq!(read.title_in(Some("/project")), "Read /project2/a");
    assert_eq!(read.title_in(Some("/project2/")), "Read a");
    assert_eq!(read.title(), "Read /project2/a");
}
