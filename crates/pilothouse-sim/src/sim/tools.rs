//! The calls of one answer: from the wish to the result that the model reads.
//!
//! Calls run one after the other, in the order in which they were made; subagents run side by side.

mod agent;
mod dialog;
mod file;
mod gate;
mod outcome;
mod search;
mod shell;
pub(super) mod todo;

use std::rc::Rc;
use std::time::Instant;

use futures_util::future::{LocalBoxFuture, join_all};
use serde_json::{Value, json};

use super::abort::Cause;
use super::cli::Cli;
use super::hooks::{self, Event};
use super::scope::Scope;
use super::speak::Message;
use super::{catalog, clock};
use gate::Gate;
use outcome::Outcome;

/// A call of the model.
#[derive(Debug, Clone)]
pub(super) struct Call {
    id: String,
    name: String,
    input: Value,
    /// The frame in which the call was made.
    frame: String,
}

/// What became of all calls of an answer.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Round {
    /// The model hears the results.
    Done,
    /// A hook forbids going on.
    Stopped,
    /// The output that was asked for is there.
    Structured(Value),
    /// The turn was interrupted.
    Aborted,
}

/// What became of one call.
struct Finished {
    outcome: Outcome,
    meta: Option<Value>,
    stops: bool,
    is_aborted: bool,
    notes: Vec<String>,
}

/// The calls in a message.
pub(super) fn calls(message: &Message) -> Vec<Call> {
    let uses = message.blocks.iter().filter(|(block, _)| block["type"] == "tool_use");
    uses.map(|(block, frame)| Call {
        id: block["id"].as_str().unwrap_or_default().to_owned(),
        name: block["name"].as_str().unwrap_or_default().to_owned(),
        input: block["input"].clone(),
        frame: frame.clone(),
    })
    .collect()
}

/// Runs the calls of one answer.
pub(super) async fn run(cli: &Rc<Cli>, scope: &Scope, calls: Vec<Call>) -> Round {
    let mut round = Round::Done;
    let mut results = Vec::new();
    let mut rest = calls.as_slice();
    while let Some(first) = rest.first() {
        let side_by_side = rest.iter().take_while(|call| is_agent(&call.name)).count().max(1);
        let group = &rest[..side_by_side];
        rest = &rest[side_by_side..];
        let finished = match group {
            [_] => vec![report(cli, scope, first).await],
            group => join_all(group.iter().map(|call| report(cli, scope, call))).await,
        };
        for (call, (finished, shown)) in group.iter().zip(finished) {
            if finished.is_aborted {
                for call in rest {
                    tell(cli, scope, call, &rejected(false));
                }
                return Round::Aborted;
            }
            if finished.stops {
                round = Round::Stopped;
            }
            if let Some(output) = finished.outcome.output {
                round = Round::Structured(output);
            }
            results.push(json!({
                "tool_name": call.name,
                "tool_input": call.input,
                "tool_use_id": call.id,
                "tool_response": shown,
            }));
        }
    }
    let event = Event {
        name: "PostToolBatch",
        key: "",
        fields: json!({"tool_calls": results}),
        tool_use_id: None,
    };
    if hooks::fire(cli, scope, event).await.stop().is_some() && round == Round::Done {
        round = Round::Stopped;
    }
    round
}

fn is_agent(name: &str) -> bool {
    matches!(name, "Agent" | "Task")
}

/// Runs one call and tells what came of it; also returns what the model reads.
async fn report(cli: &Rc<Cli>, scope: &Scope, call: &Call) -> (Finished, Value) {
    {
        let mut tally = scope.tally.borrow_mut();
        tally.tool_calls += 1;
        if !tally.tools_used.contains(&call.name) {
            tally.tools_used.push(call.name.clone());
        }
    }
    let finished = one(cli, scope, call).await;
    cli.catch_up();
    for note in &finished.notes {
        cli.emit(json!({
            "type": "system",
            "subtype": "informational",
            "content": format!("PreToolUse:{}: {note}", call.name),
            "level": "notice",
        }));
    }
    tell(cli, scope, call, &finished);
    let shown = finished.outcome.content.clone();
    (finished, shown)
}

/// The frame with the result, and its entry in the transcript.
fn tell(cli: &Cli, scope: &Scope, call: &Call, finished: &Finished) {
    let outcome = &finished.outcome;
    let mut block = json!({
        "type": "tool_result", "tool_use_id": call.id, "content": outcome.content,
    });
    if outcome.is_error || outcome.says_success {
        block["is_error"] = json!(outcome.is_error);
    }
    let mut frame = json!({
        "type": "user",
        "message": {"role": "user", "content": [block]},
        "uuid": uuid::Uuid::new_v4().to_string(),
        "timestamp": clock::iso(),
    });
    scope.sign(&mut frame);
    if let Some(meta) = &finished.meta {
        let mut meta = meta.clone();
        meta["id"] = json!(call.id);
        frame["tool_result_meta"] = json!([meta]);
    }
    if scope.is_main() {
        frame["tool_use_result"] = outcome.structured.clone();
    }
    scope.tally.borrow_mut().rounds += 1;
    scope.transcript.chain(
        "user",
        frame["uuid"].as_str().unwrap_or_default(),
        json!({
            "message": frame["message"],
            "toolUseResult": outcome.structured,
            "sourceToolAssistantUUID": call.frame,
        }),
    );
    cli.emit(frame);
}

async fn one(cli: &Rc<Cli>, scope: &Scope, call: &Call) -> Finished {
    let refused = |text: &str| Finished::plain(Outcome::invalid(text), None);
    if !catalog::has_tool(&cli.launch.flags, &call.name) && cli.mcp.find(&call.name).is_none() {
        return refused(&format!("Error: No such tool available: {}", call.name));
    }
    if let Err(fault) = validate(cli, call) {
        return refused(&fault);
    }
    let event = Event {
        name: "PreToolUse",
        key: &call.name,
        fields: json!({"tool_name": call.name, "tool_input": call.input, "tool_use_id": call.id}),
        tool_use_id: Some(&call.id),
    };
    let Ok(opinion) = scope.abort.unless(hooks::fire(cli, scope, event)).await else {
        return rejected(false);
    };
    let mut stops = opinion.stop().is_some();
    let notes = opinion.messages().map(str::to_owned).collect();
    let (input, meta) = match gate::pass(cli, scope, call, &opinion).await {
        Gate::Run { input, meta } => (input, meta),
        Gate::Refused { message, meta } => {
            deny(scope, call);
            return Finished {
                stops,
                notes,
                ..Finished::plain(Outcome::failed(&message), Some(meta))
            };
        }
        Gate::Interrupted => {
            deny(scope, call);
            return rejected(false);
        }
    };
    let call = &Call { input, ..call.clone() };
    let began = Instant::now();
    let outcome = match scope.abort.unless(execute(cli, scope, call)).await {
        Ok(outcome) => outcome,
        Err(Cause::Steer) => Outcome::failed("Stopped: another prompt came first"),
        Err(_) => return rejected(true),
    };
    let mut outcome = swell(cli, outcome);
    stops |= after(cli, scope, call, &mut outcome, clock::whole(began.elapsed())).await;
    Finished { stops, notes, ..Finished::plain(outcome, Some(meta)) }
}

/// The hooks that hear of a result. Returns whether they forbid going on.
async fn after(cli: &Rc<Cli>, scope: &Scope, call: &Call, outcome: &mut Outcome, ms: u64) -> bool {
    let mut fields = json!({
        "tool_name": call.name,
        "tool_input": call.input,
        "tool_use_id": call.id,
        "duration_ms": ms,
    });
    let name = if outcome.is_error {
        fields["error"] = outcome.content.clone();
        fields["is_interrupt"] = json!(false);
        "PostToolUseFailure"
    } else {
        fields["tool_response"] = outcome.structured.clone();
        "PostToolUse"
    };
    let event = Event { name, key: &call.name, fields, tool_use_id: Some(&call.id) };
    let opinion = hooks::fire(cli, scope, event).await;
    let changed =
        opinion.specific("updatedToolOutput").or(opinion.specific("updatedMCPToolOutput"));
    if let Some(changed) = changed {
        outcome.replace(changed.clone());
    }
    opinion.stop().is_some()
}

fn deny(scope: &Scope, call: &Call) {
    scope.denials.borrow_mut().push(json!({
        "tool_name": call.name, "tool_use_id": call.id, "tool_input": call.input,
    }));
}

/// What the model reads of a call that was not to be, or not to go on.
fn rejected(was_running: bool) -> Finished {
    let text = if was_running {
        "The user stopped this call while it was running. Wait for what they say."
    } else {
        "The user does not want this call; it was not run. Wait for what they say."
    };
    let outcome = Outcome { structured: json!("User rejected tool use"), ..Outcome::failed(text) };
    Finished {
        is_aborted: true,
        ..Finished::plain(outcome, Some(json!({"non_execution_kind": "user-rejected"})))
    }
}

impl Finished {
    fn plain(outcome: Outcome, meta: Option<Value>) -> Self {
        Self { outcome, meta, stops: false, is_aborted: false, notes: Vec::new() }
    }
}

/// The first result after the start can be made as large as a fault wants it.
fn swell(cli: &Cli, outcome: Outcome) -> Outcome {
    match cli.big_result_due.take() {
        Some(bytes) => {
            let text = "x".repeat(bytes);
            Outcome {
                structured: json!({"stdout": text, "stderr": "", "interrupted": false}),
                ..Outcome::text(&text, Value::Null)
            }
        }
        None => outcome,
    }
}

/// What can be said against an input before anyone is asked.
fn validate(cli: &Cli, call: &Call) -> Result<(), String> {
    let required: &[&str] = match call.name.as_str() {
        "Write" => &["file_path", "content"],
        "Read" => &["file_path"],
        "Edit" => &["file_path", "old_string", "new_string"],
        "Bash" => &["command"],
        "Glob" | "Grep" => &["pattern"],
        "Agent" | "Task" => &["description", "prompt"],
        _ => &[],
    };
    let missing = required.iter().filter(|key| !call.input[**key].is_string());
    let missing: Vec<_> = missing.map(|key| format!("`{key}` has to be a string")).collect();
    if !missing.is_empty() {
        return Err(format!("InputValidationError: {}: {}", call.name, missing.join(", ")));
    }
    match call.name.as_str() {
        "Edit" => file::check_edit(cli, &call.input),
        "ExitPlanMode" => dialog::check_exit(cli),
        _ => Ok(()),
    }
}

/// Boxed, because a subagent has tools too.
fn execute<'a>(cli: &'a Rc<Cli>, scope: &'a Scope, call: &'a Call) -> LocalBoxFuture<'a, Outcome> {
    Box::pin(async move {
        match call.name.as_str() {
            "Read" => file::read(cli, &call.input),
            "Write" => file::write(cli, &call.input),
            "Edit" => file::edit(cli, &call.input),
            "Bash" => shell::run(cli, call).await,
            "Glob" => search::glob(cli, &call.input),
            "Grep" => search::grep(cli, &call.input),
            "TodoWrite" | "TaskCreate" | "TaskGet" | "TaskList" | "TaskUpdate" => {
                cli.todos.borrow_mut().run(&call.name, &call.input)
            }
            "AskUserQuestion" => dialog::answers(&call.input),
            "EnterPlanMode" => dialog::enter_plan(cli),
            "ExitPlanMode" => dialog::exit_plan(cli, &call.input),
            "TaskStop" => shell::stop(cli, &call.input),
            "StructuredOutput" => Outcome {
                output: Some(call.input.clone()),
                ..Outcome::said("The structured output was taken")
            },
            name if is_agent(name) => agent::run(cli, scope, call).await,
            name => match cli.mcp.find(name) {
                Some(tool) => {
                    let called = cli.mcp.call_tool(&cli.asks, &tool, &call.input, &call.id);
                    Outcome::of_mcp(called.await)
                }
                None => Outcome::said(&format!("{name} is only simulated: nothing happened.")),
            },
        }
    })
}
