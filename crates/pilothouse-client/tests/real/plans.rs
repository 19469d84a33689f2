//! The model shows a plan, or asks a question.

use pilothouse_client::TurnError;
use pilothouse_client::wire::message::System;
use pilothouse_client::wire::permission::{PermissionMode, PermissionResult, PermissionUpdate};
use pilothouse_client::wire::tool::ToolInput;
use pilothouse_client::wire::{Inbound, Raw};
use serde_json::json;

use crate::bed::{Bed, Told};

on_every_version!(plan, question);

async fn plan(bed: &Bed) {
    let asked = Told::new();
    let asks = asked.clone();
    let invocation = bed.invocation().permission_mode(PermissionMode::Plan);
    let options = bed.options(invocation).on_permission(move |ask| {
        asks.add(ask.clone());
        // More planning the first time, go on the second.
        let answer: PermissionResult = if asks.count() == 1 {
            ask.deny_and_stop("In more detail, please.")
        } else {
            let edits = PermissionUpdate::set_mode(PermissionMode::AcceptEdits);
            ask.allow().updating(vec![edits])
        };
        async move { answer }
    });
    let mut session = bed.start(options).await;
    session.say("tool ExitPlanMode {\"plan\":\"1. Write it.\"}\n---\nsay Never said.").await;
    let error = session.turn().await.unwrap_err();
    assert!(matches!(error, TurnError::Interrupted(_)), "{error:?}");

    // The CLI tells the model where the plan belongs. It is there when the model asks again.
    let file = plan_file(bed);
    std::fs::create_dir_all(file.parent().unwrap()).unwrap();
    std::fs::write(&file, "1. Write it.\n2. Read it.\n").unwrap();
    let note = json!({"file_path": bed.path("note.txt"), "content": "written\n"});
    let exit = json!({"plan": "1. Write it.\n2. Read it.\n"});
    session.say(&format!("tool ExitPlanMode {exit}\n---\ntool Write {note}\n---\nsay Done.")).await;
    session.answer("Done.").await;
    assert_eq!(bed.read("note.txt").as_deref(), Some("written\n"));

    let asks = asked.take();
    let tools: Vec<_> = asks.iter().map(|ask| ask.tool_name.as_str()).collect();
    assert_eq!(tools, ["ExitPlanMode", "ExitPlanMode"], "edits are accepted by now");
    let ToolInput::ExitPlanMode(input) = ToolInput::of("ExitPlanMode", &asks[1].input) else {
        panic!("{:?}", asks[1].input);
    };
    assert_eq!(input.plan.as_deref(), Some("1. Write it.\n2. Read it.\n"));

    let modes: Vec<_> = session.system().filter_map(mode).collect();
    let announced = modes.contains(&PermissionMode::AcceptEdits);
    assert_eq!(announced, bed.expected.mode_change_announced, "{modes:?}");
    session.end().await;
}

/// The mode that a message tells of.
fn mode(message: &System) -> Option<PermissionMode> {
    match message {
        System::Status(status) => status.permission_mode.clone(),
        _ => None,
    }
}

/// The path that the CLI told the model to put the plan at.
fn plan_file(bed: &Bed) -> std::path::PathBuf {
    let request = bed.asked().remove(0);
    let plans = bed.harness.home().join(".claude/plans");
    let text = request.body.to_string();
    let start = text.find(plans.to_str().unwrap()).unwrap_or_else(|| panic!("no path in {text}"));
    let end = text[start..].find(".md").unwrap() + ".md".len();
    text[start..start + end].into()
}

async fn question(bed: &Bed) {
    let options = bed.options(bed.invocation()).on_permission(|ask| async move {
        assert_eq!(ask.tool_name, "AskUserQuestion");
        let mut input = ask.input.to_value();
        input["answers"] = json!({"Which colour?": "Green", "Which numbers?": "One, Two"});
        ask.allow_with(Raw::from(input))
    });
    let mut session = bed.start(options).await;
    let option = |label: &str| json!({"label": label, "description": "that one"});
    let questions = json!({"questions": [
        {"question": "Which colour?", "header": "Colour", "multiSelect": false,
            "options": [option("Red"), option("Green")]},
        {"question": "Which numbers?", "header": "Numbers", "multiSelect": true,
            "options": [option("One"), option("Two")]},
    ]});
    session.say(&format!("tool AskUserQuestion {questions}\n---\nsay Thank you.")).await;
    session.answer("Thank you.").await;
    let outcomes = bed.last_asked().tool_results();
    let text = &outcomes[0].text;
    assert!(text.contains(r#""Which colour?"="Green""#), "{text}");
    assert!(text.contains(r#""Which numbers?"="One, Two""#), "{text}");
    let structured = session.seen.iter().find_map(|message| match message {
        Inbound::User(frame) => frame.tool_use_result.clone(),
        _ => None,
    });
    let structured = structured.unwrap().to_value();
    assert_eq!(structured["answers"]["Which colour?"], "Green");
    assert!(session.end().await.success());
}
