//! Subagents: a conversation of their own, with the script in their prompt.

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use serde_json::{Value, json};
use tokio::sync::Notify;
use uuid::Uuid;

use super::Call;
use super::outcome::Outcome;
use crate::sim::abort::Abort;
use crate::sim::catalog::AGENTS;
use crate::sim::cli::Cli;
use crate::sim::hooks::{self, Event};
use crate::sim::result::Ending;
use crate::sim::scope::{Agent, Scope, Tally};
use crate::sim::tasks::{End, Kind, Notice, Task, fresh_id, fresh_run_id};
use crate::sim::thread::Thread;
use crate::sim::{clock, turn};

/// Starts a subagent, and waits for it unless it works in the background.
pub(super) async fn run(cli: &Rc<Cli>, scope: &Scope, call: &Call) -> Outcome {
    let kind = call.input["subagent_type"].as_str().unwrap_or("general-purpose");
    let custom = !cli.wishes.borrow()["agents"][kind].is_null();
    if !custom && !AGENTS.contains(&kind) {
        return Outcome::failed(&format!(
            "There is no agent of type '{kind}'. There are: {}",
            AGENTS.join(", ")
        ));
    }
    // Unless told otherwise, agents of the main conversation work in the background.
    let wanted = call.input["run_in_background"].as_bool();
    let is_background = wanted.unwrap_or(scope.is_main()) && !cli.launch.faults.old;
    let (task, inner) = prepare(cli, scope, call, kind, is_background);
    count(cli, &inner, wanted);
    cli.task_started(&task);
    let prompt = call.input["prompt"].as_str().unwrap_or_default().to_owned();
    if is_background {
        let outcome = launched(cli, &task, &prompt);
        let cli = Rc::clone(cli);
        tokio::task::spawn_local(async move {
            live(&cli, &inner, &task, &prompt).await;
            cli.notices.borrow_mut().push(Notice { run_id: task.run_id.clone() });
            cli.work();
        });
        return outcome;
    }
    // Dropped when the turn is interrupted: the task ends all the same.
    let mut guard = Alive { cli, task: &task, is_over: false };
    live(cli, &inner, &task, &prompt).await;
    guard.is_over = true;
    completed(cli, &inner, &prompt)
}

fn prepare(
    cli: &Rc<Cli>,
    scope: &Scope,
    call: &Call,
    kind: &str,
    is_background: bool,
) -> (Rc<Task>, Scope) {
    let id = fresh_id('a');
    let run_id = fresh_run_id();
    let description = call.input["description"].as_str().unwrap_or_default();
    let depth = scope.agent.as_ref().map_or(1, |agent| agent.depth + 1);
    let abort = if is_background { Rc::new(Abort::default()) } else { Rc::clone(&scope.abort) };
    let task = Rc::new(Task {
        id: id.clone(),
        run_id: run_id.clone(),
        tool_use_id: call.id.clone(),
        description: description.to_owned(),
        kind: Kind::Agent {
            subagent_type: kind.to_owned(),
            prompt: call.input["prompt"].as_str().unwrap_or_default().to_owned(),
            depth,
        },
        is_background: Cell::new(is_background),
        is_over: Cell::new(false),
        abort: Rc::clone(&abort),
        send_back: Notify::new(),
        output: cli.task_output(&id),
    });
    let inner = Scope {
        transcript: Rc::new(cli.session.transcript().of_agent(&id)),
        agent: Some(Agent {
            id,
            run_id,
            kind: kind.to_owned(),
            description: description.to_owned(),
            tool_use_id: call.id.clone(),
            depth,
            is_background,
        }),
        abort,
        prompt_id: scope.prompt_id.clone(),
        lead: None,
        prompts: RefCell::default(),
        tally: RefCell::new(Tally::new()),
        folded: RefCell::default(),
        denials: Rc::clone(&scope.denials),
    };
    (task, inner)
}

fn count(cli: &Cli, inner: &Scope, wanted: Option<bool>) {
    let Some(agent) = &inner.agent else { return };
    let mut stats = cli.agent_stats.borrow_mut();
    match wanted {
        Some(true) => stats.background += 1,
        Some(false) => stats.foreground += 1,
        None => stats.unset += 1,
    }
    stats.in_background += u64::from(agent.is_background);
    stats.nested += u64::from(agent.depth > 1);
    stats.deepest = stats.deepest.max(agent.depth);
    *stats.by_type.entry(agent.kind.clone()).or_default() += 1;
}

/// The prompt of a subagent, as a frame.
fn announce(cli: &Cli, inner: &Scope, prompt: &str) {
    let mut frame = json!({
        "type": "user",
        "message": {"role": "user", "content": [{"type": "text", "text": prompt}]},
        "timestamp": clock::iso(),
    });
    inner.sign(&mut frame);
    cli.emit(frame);
}

/// The life of a subagent, with what it leaves on disk and in frames.
async fn live(cli: &Rc<Cli>, inner: &Scope, task: &Task, prompt: &str) {
    let fields = json!({});
    let event = Event { name: "SubagentStart", key: "", fields, tool_use_id: None };
    hooks::fire(cli, inner, event).await;
    if !task.is_background.get() {
        announce(cli, inner, prompt);
    }
    let message = json!({"role": "user", "content": prompt});
    inner.transcript.chain("user", &Uuid::new_v4().to_string(), json!({"message": message}));
    let mut thread = Thread::by(cli.launch.author).after(prompt);
    let ending = turn::converse(cli, inner, &mut thread, &[]).await;
    let tally = inner.tally.borrow();
    if let Some(directory) = task.output.parent() {
        let _ = std::fs::create_dir_all(directory);
        let _ = std::fs::write(&task.output, &tally.text);
    }
    match ending {
        Ending::AbortedStreaming | Ending::AbortedTools | Ending::Steered => {
            cli.agent_stats.borrow_mut().killed += 1;
            cli.task_ended(task, End::Stopped, &task.description, None);
            drop(tally);
            turn::tell_interrupted(cli, inner, "[Request interrupted by user]");
        }
        _ => {
            cli.agent_stats.borrow_mut().completed += 1;
            let usage = json!({
                "total_tokens": tally.last_tokens.total(),
                "tool_uses": tally.tool_calls,
                "duration_ms": clock::whole(tally.started.elapsed()),
            });
            cli.task_ended(task, End::Completed, &tally.text, Some(usage));
        }
    }
}

/// Tells of the end of a subagent whose turn was cut off.
struct Alive<'a> {
    cli: &'a Rc<Cli>,
    task: &'a Rc<Task>,
    is_over: bool,
}

impl Drop for Alive<'_> {
    fn drop(&mut self) {
        if !self.is_over {
            self.cli.agent_stats.borrow_mut().killed += 1;
            self.cli.task_ended(self.task, End::Stopped, &self.task.description, None);
        }
    }
}

fn launched(cli: &Cli, task: &Task, prompt: &str) -> Outcome {
    let text = format!("The agent works in the background as {}.", task.id);
    let structured = json!({
        "isAsync": true,
        "status": "async_launched",
        "agentId": task.id,
        "description": task.description,
        "resolvedModel": *cli.model.borrow(),
        "prompt": prompt,
        "outputFile": task.output,
        "canReadOutputFile": true,
        "canContinueAgent": true,
    });
    Outcome { content: texts(&[&text]), ..Outcome::text("", structured) }
}

fn texts(texts: &[&str]) -> Value {
    texts.iter().map(|text| json!({"type": "text", "text": text})).collect()
}

fn completed(cli: &Cli, inner: &Scope, prompt: &str) -> Outcome {
    let Some(agent) = &inner.agent else {
        return Outcome::failed("no agent");
    };
    let tally = inner.tally.borrow();
    let mut structured = json!({
        "status": "completed",
        "prompt": prompt,
        "agentId": agent.id,
        "agentType": agent.kind,
        "content": texts(&[&tally.text]),
        "resolvedModel": *cli.model.borrow(),
        "totalDurationMs": clock::whole(tally.started.elapsed()),
        "totalTokens": tally.last_tokens.total(),
        "totalToolUseCount": tally.tool_calls,
        "usage": tally.last_tokens.usage(),
        "canContinueAgent": true,
    });
    if !tally.tools_used.is_empty() {
        structured["toolsUsed"] = json!(tally.tools_used);
        structured["toolStats"] = json!({
            "readCount": 0, "searchCount": 0, "bashCount": 0, "editFileCount": 0,
            "linesAdded": 0, "linesRemoved": 0, "otherToolCount": tally.tool_calls,
        });
    }
    let report = format!("The subagent reports:\n{}", tally.text);
    Outcome { content: texts(&[&report]), ..Outcome::text("", structured) }
}
