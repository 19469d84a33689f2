//! Tools that are for the person: questions, and the way into and out of plan mode.

use serde_json::{Value, json};

use super::outcome::Outcome;
use crate::sim::cli::Cli;
use crate::sim::permission::Mode;

/// The answers that came back with the permission.
pub(super) fn answers(input: &Value) -> Outcome {
    let answers = input.get("answers").cloned().unwrap_or(json!({}));
    let told: Vec<_> = answers
        .as_object()
        .into_iter()
        .flatten()
        .map(|(question, answer)| format!("{question:?}={answer}"))
        .collect();
    let mut structured = json!({"questions": input["questions"], "answers": answers});
    for key in ["annotations", "response"] {
        if let Some(value) = input.get(key) {
            structured[key] = value.clone();
        }
    }
    let text = if told.is_empty() {
        "The user did not answer.".to_owned()
    } else {
        format!("The user answered: {}", told.join(", "))
    };
    Outcome::text(&text, structured)
}

pub(super) fn enter_plan(cli: &Cli) -> Outcome {
    cli.set_mode(Mode::Plan);
    let text = "Plan mode is on: look around, change nothing, and propose a plan.";
    Outcome::text(text, json!({"message": text}))
}

pub(super) fn check_exit(cli: &Cli) -> Result<(), String> {
    // Old versions take the plan from the call and do not look at the mode.
    match cli.permissions.borrow().mode {
        Mode::Plan => Ok(()),
        _ if cli.launch.faults.old => Ok(()),
        _ => Err("Plan mode is not on; there is nothing to leave.".to_owned()),
    }
}

/// The question about leaving carries the plan, if one was written to the directory for plans.
pub(super) fn with_plan(cli: &Cli, input: &Value) -> Value {
    if cli.launch.faults.old {
        return input.clone();
    }
    let mut asked = json!({});
    if let Some(path) = &*cli.plan.borrow()
        && let Ok(plan) = std::fs::read_to_string(path)
    {
        asked["plan"] = json!(plan);
        asked["planFilePath"] = json!(path);
    }
    asked
}

pub(super) fn exit_plan(cli: &Cli, input: &Value) -> Outcome {
    let back = {
        let permissions = cli.permissions.borrow();
        // The answer to the question may have set another mode already.
        (permissions.mode == Mode::Plan).then_some(permissions.before_plan)
    };
    if let Some(mode) = back {
        cli.set_mode(mode);
    }
    let path = cli.plan.borrow().clone();
    let path = path.unwrap_or_else(|| cli.launch.config.join("plans/sim.md").display().to_string());
    let plan = input.get("plan").cloned().unwrap_or(Value::Null);
    let structured = json!({"plan": plan, "isAgent": false, "filePath": path});
    Outcome::text("The user agrees. Plan mode is off.", structured)
}
