//! The model asks which way to go, makes a plan, and carries it out once that is approved.
//!
//! Questions and plans are permission requests: what the user says is the answer to them.

#![allow(clippy::print_stdout, clippy::print_stderr)]

use std::collections::BTreeMap;
use std::error::Error;

use pilothouse_client::wire::Raw;
use pilothouse_client::wire::invocation::Invocation;
use pilothouse_client::wire::permission::{
    CanUseTool, PermissionMode, PermissionResult, PermissionUpdate,
};
use pilothouse_client::wire::tool::ToolInput;
use pilothouse_client::{Options, query};

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let invocation = Invocation::new().permission_mode(PermissionMode::Plan);
    let options = Options::new(invocation).on_permission(decide);
    let prompt = "Add a README. Ask me for whom, then plan, then write it.";
    println!("{}", query(prompt, options).await?.turn().await?.text);
    Ok(())
}

async fn decide(ask: CanUseTool) -> PermissionResult {
    match ToolInput::of(&ask.tool_name, &ask.input) {
        ToolInput::AskUserQuestion(mut asked) => {
            let mut answers = BTreeMap::new();
            for question in &asked.questions {
                // A real program shows the options; this one takes the first.
                let first = question.options.first().map_or("", |option| &option.label);
                println!("{} {first}", question.question);
                answers.insert(question.question.clone(), first.to_owned());
            }
            // The answers travel in the tool's own input.
            asked.answers = Some(answers);
            match Raw::of(&asked) {
                Ok(input) => ask.allow_with(input),
                Err(error) => ask.deny(error.to_string()),
            }
        }
        ToolInput::ExitPlanMode(exit) => {
            println!("The plan:\n{}", exit.plan.as_deref().unwrap_or("(none)"));
            // Leaves plan mode and lets edits through, in one step. `ask.deny("More detail.")`
            // would send the model back to planning.
            let edits = PermissionUpdate::set_mode(PermissionMode::AcceptEdits);
            ask.allow().updating(vec![edits])
        }
        _ => ask.deny("Only planning and edits, please."),
    }
}
