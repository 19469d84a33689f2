//! What the simulated CLI says it has: tools, models, commands, agents, capabilities.

use serde_json::{Value, json};

use super::launch::{Flags, Launch, StateEvents};

/// The model when none is chosen.
const DEFAULT_MODEL: &str = "claude-opus-5-5";

/// Tools that every session has.
const TOOLS: [&str; 22] = [
    "Task",
    "Bash",
    "CronCreate",
    "CronDelete",
    "CronList",
    "Edit",
    "EnterWorktree",
    "ExitWorktree",
    "ListAgents",
    "Monitor",
    "NotebookEdit",
    "Read",
    "ReportFindings",
    "ScheduleWakeup",
    "SendMessage",
    "Skill",
    "TaskStop",
    "ToolSearch",
    "WebFetch",
    "WebSearch",
    "Workflow",
    "Write",
];

/// Tools that make sense only where someone can be asked.
const ASKING_TOOLS: [&str; 3] = ["AskUserQuestion", "EnterPlanMode", "ExitPlanMode"];

/// Tools that a session has when `--tools` names them.
const OPTIONAL_TOOLS: [&str; 7] =
    ["Glob", "Grep", "TodoWrite", "TaskCreate", "TaskGet", "TaskList", "TaskUpdate"];

pub(super) const AGENTS: [&str; 5] =
    ["claude", "Explore", "general-purpose", "Plan", "statusline-setup"];

const CAPABILITIES: [&str; 12] = [
    "interrupt_receipt_v1",
    "interrupt_cancel_queued_v1",
    "msg_lifecycle_v1",
    "request_marker_lists_v1",
    "ask_user_question_unanswered_v1",
    "lifecycle_wakeup_source_v1",
    "sdk_mcp_tools_list_changed",
    "mcp_read_resource_v1",
    "mcp_tool_ui_meta_v1",
    "mcp_call_result_not_for_model_v1",
    "mcp_call_check_permissions_v1",
    "reload_plugins_refuse_if_busy_v1",
];

const OUTPUT_STYLES: [&str; 3] = ["default", "Explanatory", "Learning"];

/// Slash commands: name, other names, what it does, what it takes.
const COMMANDS: [(&str, &[&str], &str, &str); 8] = [
    ("clear", &["reset", "new"], "Forget the conversation and begin another", ""),
    ("compact", &[], "Replace the conversation by a summary of it", "[what to keep]"),
    ("context", &[], "Tell what fills the context window", ""),
    ("usage", &["cost", "stats"], "Tell what this session has cost", ""),
    ("init", &[], "Write a first CLAUDE.md for this project", ""),
    ("model", &[], "Choose the model", "[model]"),
    ("rename", &["name"], "Give this session a name", "[name]"),
    ("code-review", &["review"], "Look for mistakes in a change", "[target]"),
];

/// Models: alias, id, name, what it is good for.
const MODELS: [(&str, &str, &str, &str); 5] = [
    ("default", DEFAULT_MODEL, "Default", "The model for those who do not choose"),
    ("opus", DEFAULT_MODEL, "Opus", "For everyday and for complex work"),
    ("fable", "claude-fable-5-2", "Fable", "For the hardest work"),
    ("sonnet", "claude-sonnet-5-5", "Sonnet", "For routine work"),
    ("haiku", "claude-haiku-5-5", "Haiku", "For quick answers"),
];

/// The id that an alias stands for; anything else stands for itself.
pub(super) fn model_id(name: Option<&str>) -> String {
    let name = name.filter(|name| !name.is_empty()).unwrap_or("default");
    let known = MODELS.iter().find(|(alias, ..)| *alias == name);
    known.map_or(name, |(_, id, ..)| id).to_owned()
}

/// The built-in tools of a session, as `system/init` lists them.
pub(super) fn tools(flags: &Flags) -> Vec<String> {
    let mut tools: Vec<&str> = TOOLS.to_vec();
    if flags.can_ask() {
        tools.extend(ASKING_TOOLS);
    }
    // One name leads the list; the others are sorted.
    tools[1..].sort_unstable();
    let mut tools: Vec<String> = tools.into_iter().map(str::to_owned).collect();
    if let Some(chosen) = &flags.tools
        && chosen.as_slice() != ["default"]
    {
        let name = |tool: &String| if tool == "Agent" { "Task".to_owned() } else { tool.clone() };
        let known = |tool: &String| tools.contains(tool) || OPTIONAL_TOOLS.contains(&tool.as_str());
        tools = chosen.iter().map(name).filter(known).collect();
    }
    if flags.json_schema.is_some() {
        tools.push("StructuredOutput".to_owned());
    }
    tools.retain(|tool| {
        let tool = if tool == "Task" { "Agent" } else { tool };
        !flags.disallowed.iter().any(|rule| rule == tool)
    });
    tools
}

/// Whether the tool exists at all. Those of the to-do list are always there: scripts are written
/// for many versions.
pub(super) fn has_tool(flags: &Flags, name: &str) -> bool {
    let name = if name == "Agent" { "Task" } else { name };
    tools(flags).iter().any(|tool| tool == name)
        || (flags.tools.is_none() && OPTIONAL_TOOLS.contains(&name))
}

fn models() -> Value {
    let model = |&(value, id, name, description): &(&str, &str, &str, &str)| {
        json!({
            "value": value,
            "resolvedModel": id,
            "displayName": name,
            "description": description,
            "supportsEffort": true,
            "supportedEffortLevels": ["low", "medium", "high", "xhigh", "max"],
            "supportsAdaptiveThinking": true,
            "supportsFastMode": true,
            "supportsAutoMode": true,
            "supportsThinkingOff": false,
        })
    };
    MODELS.iter().map(model).collect()
}

pub(super) fn model_list() -> Value {
    json!({"models": models()})
}

pub(super) fn commands() -> Value {
    let command = |&(name, aliases, description, hint): &(&str, &[&str], &str, &str)| {
        let mut command = json!({
            "name": name, "description": description, "argumentHint": hint, "builtin": true,
        });
        if !aliases.is_empty() {
            command["aliases"] = json!(aliases);
        }
        command
    };
    COMMANDS.iter().map(command).collect()
}

pub(super) fn agents() -> Value {
    let agent = |name: &&str| {
        let description = format!("Simulated agent `{name}`");
        json!({"name": name, "description": description, "model": "inherit"})
    };
    AGENTS.iter().map(agent).collect()
}

pub(super) fn output_styles() -> Value {
    json!({"available_output_styles": OUTPUT_STYLES})
}

/// The payload of the `initialize` reply.
pub(super) fn greeting(launch: &Launch, mode: &str, state: &str) -> Value {
    let logged_in = !launch.faults.not_logged_in;
    json!({
        "commands": commands(),
        "agents": agents(),
        "output_style": "default",
        "available_output_styles": OUTPUT_STYLES,
        "user_output_styles_dir": launch.config.join("output-styles"),
        "models": models(),
        "account": {
            "tokenSource": "none",
            "apiKeySource": if logged_in { "ANTHROPIC_API_KEY" } else { "none" },
            "apiProvider": "firstParty",
        },
        "pid": std::process::id(),
        "claude_code_version": launch.version(),
        "current_permission_mode": mode,
        "hook_on_failure_supported": true,
        "other_hook_ask_outranks_host": true,
        "feedback_mode": {"kind": "disabled"},
        "analytics_disabled": true,
        "remote_control_auto_enable": false,
        "remote_control_auto_connect_default": false,
        "remote_control_available": false,
        "remote_control_auto_on_by_default": false,
        "ide_rc_auto_enable_gate": false,
        "fast_mode_state": "off",
        "fast_mode_disabled_reason": "sdk_opt_in_required",
        "session_state": state,
        "capabilities": ["mcp_call_result_not_for_model_v1", "mcp_call_check_permissions_v1"],
    })
}

/// What changes from one turn to the next in `system/init`.
pub(super) struct Opening<'a> {
    pub(super) launch: &'a Launch,
    pub(super) model: &'a str,
    pub(super) mode: &'a str,
    pub(super) mcp_servers: Value,
    pub(super) mcp_tools: Vec<String>,
    pub(super) prompts: &'a [String],
    pub(super) project: String,
}

/// `system/init`, the start of every turn.
pub(super) fn init(opening: &Opening<'_>) -> Value {
    let launch = opening.launch;
    let mut tools = tools(&launch.flags);
    tools.extend(opening.mcp_tools.iter().cloned());
    let names: Vec<_> = COMMANDS.iter().map(|(name, ..)| *name).collect();
    let logged_in = !launch.faults.not_logged_in;
    let mut frame = json!({
        "type": "system",
        "subtype": "init",
        "cwd": launch.cwd,
        "tools": tools,
        "mcp_servers": opening.mcp_servers,
        "model": opening.model,
        "permissionMode": opening.mode,
        "slash_commands": names,
        "terminal_slash_commands": [],
        "apiKeySource": if logged_in { "ANTHROPIC_API_KEY" } else { "none" },
        "claude_code_version": launch.version(),
        "output_style": "default",
        "agents": AGENTS,
        "skills": [],
        "plugins": [],
        "capabilities": CAPABILITIES,
        "analytics_disabled": true,
        "product_feedback_disabled": true,
        "memory_paths": {"auto": format!("{}/memory/", opening.project)},
        "original_cwd": launch.cwd,
        "additional_directories": launch.flags.add_dirs,
        "messaging_socket_path": launch.temp.join(format!("cc-socks/{}.sock", std::process::id())),
        "fast_mode_state": "off",
        "fast_mode_disabled_reason": "sdk_opt_in_required",
        "per_turn_effort_active": true,
        "ultrathink_available": false,
        "ultrathink_typed_raises": false,
        "view_mode": "default",
    });
    if !opening.prompts.is_empty() {
        frame["user_message_uuids"] = json!(opening.prompts);
    }
    frame
}

/// `session_state_changed`, if anyone wants to know.
pub(super) fn state_frame(events: StateEvents, state: &str) -> Option<Value> {
    let mut frame = json!({"type": "system", "subtype": "session_state_changed", "state": state});
    match events {
        StateEvents::Off => return None,
        StateEvents::Visible => {}
        StateEvents::HostOnly => frame["sdk_host_only"] = json!(true),
    }
    Some(frame)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tools_with(args: &[&str]) -> Vec<String> {
        tools(&Flags::parse(args.iter().map(|arg| (*arg).to_owned())))
    }

    #[test]
    fn tools_depend_on_flags() {
        assert_eq!(tools_with(&[]).len(), 22);
        let asking = tools_with(&["--permission-prompt-tool=stdio"]);
        assert_eq!((asking.len(), asking[0].as_str()), (25, "Task"));
        assert_eq!(tools_with(&["--tools=Glob,Read,Nonsense"]), ["Glob", "Read"]);
        assert_eq!(tools_with(&["--tools="]), Vec::<String>::new());
        let without = tools_with(&["--disallowedTools=WebFetch,Agent,Bash(rm:*)"]);
        assert_eq!(without.len(), 20);
        assert!(without.contains(&"Bash".to_owned()));
    }

    #[test]
    fn models_have_aliases() {
        assert_eq!(model_id(None), DEFAULT_MODEL);
        assert_eq!(model_id(Some("sonnet")), "claude-sonnet-5-5");
        assert_eq!(model_id(Some("my-model")), "my-model");
    }
}
