//! The model asks which way to go, makes a plan, and carries it out once that is approved.
//!
//! Questions and plans are permission requests: what the user says is the answer to them.

#![allow(clippy::print_stdout, clippy::print_stderr)]

use std::error::Error;

use pilothouse_client::wire::invocation::Invocation;
use pilothouse_client::wire::permission::{
    CanUseTool, PermissionMode, PermissionResult, PermissionUpdate,
};
use pilothouse_client::wire::tool::ToolInput;
use pilothouse_client::{NoSuchQuestion, Options, Questions, query};

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let invocation = Invocation::new().permission_mode(PermissionMode::Plan);
    let options = Options::new(invocation).on_permission(decide);
    let prompt = "Add a README. Ask me for whom, then plan, then write it.";
    println!("{}", query(prompt, options).await?.turn().await?.text);
    Ok(())
}

async fn decide(ask: CanUseTool) -> PermissionResult {
    if let Some(questions) = Questions::of(&ask) {
        return answer(questions).unwrap_or_else(|error| ask.deny(error.to_string()));
    }
    match ToolInput::of(&ask.tool_name, &ask.input) {
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

fn answer(mut questions: Questions) -> Result<PermissionResult, NoSuchQuestion> {
    for question in questions.asked().to_vec() {
        // A real program shows the options; this one takes the first.
        let first = question.options.first().map_or("", |option| &option.label);
        println!("{} {first}", question.question);
        questions.answer(&question.question, first)?;
    }
    Ok(questions.done())
}
