//! Slash commands that need no model, and compaction.

use std::rc::Rc;

use serde_json::{Value, json};

use super::cli::Cli;
use super::hooks::{self, Event};
use super::ledger::{Ledger, Tokens};
use super::prompt::Prompt;
use super::result::Ending;
use super::scope::Scope;
use super::speak::synthetic;
use super::thread::Thread;

/// Runs the command that the prompt is, if it is one of ours.
pub(super) async fn command(
    cli: &Rc<Cli>,
    scope: &Scope,
    thread: &mut Thread,
    prompts: &[Prompt],
) -> Option<Ending> {
    let [prompt] = prompts else { return None };
    let (name, args) = prompt.command()?;
    let text = match name.as_str() {
        "cost" | "usage" | "stats" => {
            cli.announce_turn(&scope.prompts.borrow());
            let text = cost(cli);
            say(cli, &text, "usage", &args, None);
            text
        }
        "context" => {
            cli.announce_turn(&scope.prompts.borrow());
            let usage = context_usage(cli);
            let text = format!("Model: {}\nTokens: {}", usage["model"], usage["total_tokens"]);
            say(cli, &text, "context", &args, Some(usage));
            text
        }
        "clear" | "reset" | "new" => {
            *thread = Thread::by(cli.launch.author).or(cli.launch.script.clone());
            *cli.ledger.borrow_mut() = Ledger::default();
            let id = cli.session.renew();
            cli.emit(json!({
                "type": "conversation_reset",
                "new_conversation_id": id,
                "trigger": "clear",
                "user_message_uuid": scope.lead,
                "timestamp": super::clock::iso(),
            }));
            cli.background_changed();
            cli.announce_turn(&scope.prompts.borrow());
            String::new()
        }
        "compact" => {
            compact(cli, scope, &args).await;
            String::new()
        }
        _ => return None,
    };
    Some(Ending::Local { text, command: Some(name) })
}

fn say(cli: &Cli, text: &str, command: &str, args: &str, usage: Option<Value>) {
    let mut frame = synthetic(text, "end_turn");
    frame["local_command_source"] =
        json!(format!("<local-command-stdout>{text}</local-command-stdout>"));
    frame["local_command_run"] = json!({"command": command, "args": args});
    if let Some(usage) = usage {
        frame["context_usage"] = usage;
    }
    cli.emit(frame);
}

/// What the session has cost, for people.
pub(super) fn cost(cli: &Cli) -> String {
    let ledger = cli.ledger.borrow();
    let tokens = ledger.tokens();
    format!(
        "Cost: ${:.4}\nTokens: {} in, {} out, {} read from cache, {} written to it",
        ledger.total_cost(),
        tokens.input,
        tokens.output,
        tokens.cache_read,
        tokens.cache_creation
    )
}

const WINDOW: u64 = 1_000_000;

fn context_usage(cli: &Cli) -> Value {
    let used = cli.ledger.borrow().tokens().total();
    json!({
        "model": *cli.model.borrow(),
        "total_tokens": used,
        "raw_max_tokens": WINDOW,
        "percentage": used * 100 / WINDOW,
        "categories": [
            {"name": "Messages", "tokens": used, "kind": "used"},
            {"name": "Free space", "tokens": WINDOW.saturating_sub(used), "kind": "free"},
        ],
        "mcp_tools": [],
        "memory_files": [],
        "agents": [],
        "skills": [],
    })
}

/// The reply to `get_context_usage`.
pub(super) fn full_context_usage(cli: &Cli) -> Value {
    let used = cli.ledger.borrow().tokens().total();
    let free = WINDOW.saturating_sub(used);
    let square = |name: &str, color: &str, tokens: u64| {
        json!({
            "color": color, "isFilled": name != "Free space", "categoryName": name,
            "tokens": tokens, "percentage": tokens * 100 / WINDOW, "squareFullness": 1,
        })
    };
    json!({
        "categories": [
            {"id": "messages", "name": "Messages", "tokens": used, "color": "promptBorder", "kind": "used"},
            {"id": "free_space", "name": "Free space", "tokens": free, "color": "inactive", "kind": "free"},
        ],
        "totalTokens": used,
        "maxTokens": WINDOW,
        "rawMaxTokens": WINDOW,
        "autocompactSource": "model-default",
        "percentage": used * 100 / WINDOW,
        "gridRows": [[square("Messages", "promptBorder", used), square("Free space", "inactive", free)]],
        "model": *cli.model.borrow(),
        "memoryFiles": [],
        "mcpTools": [],
        "agents": [],
        "isAutoCompactEnabled": true,
        "apiUsage": null,
    })
}

async fn compact(cli: &Rc<Cli>, scope: &Scope, args: &str) {
    let status = |fields: Value| {
        let mut frame = json!({"type": "system", "subtype": "status"});
        if let (Value::Object(frame), Value::Object(fields)) = (&mut frame, fields) {
            frame.extend(fields);
        }
        cli.emit(frame);
    };
    let instructions = if args.is_empty() { Value::Null } else { json!(args) };
    let fields = json!({"trigger": "manual", "custom_instructions": instructions});
    hooks::fire(cli, scope, Event { name: "PreCompact", key: "manual", fields, tool_use_id: None })
        .await;
    status(json!({"status": "compacting"}));
    status(json!({"status": null, "compact_result": "success"}));
    cli.announce_turn(&scope.prompts.borrow());
    let before = cli.ledger.borrow().tokens().total();
    // A summary is written by the model too.
    let tokens = Tokens { input: 100, output: 20, ..Tokens::default() };
    cli.ledger.borrow_mut().book(&cli.model.borrow(), tokens);
    let summary =
        "The conversation so far was replaced by this summary. Nothing is lost: it was scripted.";
    cli.emit(json!({
        "type": "system",
        "subtype": "compact_boundary",
        "compact_metadata": {
            "trigger": "manual", "pre_tokens": before, "post_tokens": 20,
            "cumulative_dropped_tokens": 0, "duration_ms": 0,
        },
        "logical_parent_uuid": uuid::Uuid::new_v4().to_string(),
    }));
    let user = |content: &str, replay: bool| {
        json!({
            "type": "user",
            "message": {"role": "user", "content": content},
            "parent_tool_use_id": null,
            "timestamp": super::clock::iso(),
            "isReplay": replay,
        })
    };
    let mut told = user(summary, false);
    told["isSynthetic"] = json!(true);
    cli.emit(told);
    cli.emit(user("<local-command-stdout>Compacted</local-command-stdout>", true));
    let fields = json!({"trigger": "manual", "compact_summary": summary});
    hooks::fire(
        cli,
        scope,
        Event { name: "PostCompact", key: "manual", fields, tool_use_id: None },
    )
    .await;
}
