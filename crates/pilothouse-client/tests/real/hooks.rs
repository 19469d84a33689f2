//! Hooks of the program's: before and after tools, on prompts, at the end.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use pilothouse_client::wire::Raw;
use pilothouse_client::wire::hook::{HookEvent, HookInput, HookOutput};
use pilothouse_client::{Hook, HookCall, Options, StartError};
use serde_json::json;

use crate::bed::{Bed, Told};

on_every_version!(
    before_a_tool,
    after_a_tool,
    on_a_prompt,
    at_the_end,
    one_that_fails,
    one_that_must_work
);

/// Reads or writes the file `name`.
fn call(bed: &Bed, tool: &str, name: &str) -> String {
    let mut input = json!({"file_path": bed.path(name)});
    if tool == "Write" {
        input["content"] = json!("written\n");
    }
    format!("tool {tool} {input}\n---\n")
}

/// Allows everything, and tells what it was asked.
fn allowing(bed: &Bed, asked: &Told<String>) -> Options {
    let asked = asked.clone();
    bed.options(bed.invocation()).on_permission(move |ask| {
        asked.add(ask.tool_name.clone());
        async move { ask.allow() }
    })
}

async fn before_a_tool(bed: &Bed) {
    bed.write("ask.txt", "read me\n");
    let asked = Told::new();
    let called = Told::new();
    let calls = called.clone();
    let hook = Hook::on(HookEvent::PreToolUse, move |call: HookCall| {
        let HookInput::PreToolUse(input) = call.input else { panic!("{:?}", call.input) };
        assert_eq!(input.tool_use_id, call.tool_use_id);
        let path = input.tool_input.to_value()["file_path"].as_str().unwrap().to_owned();
        calls.add((input.tool_name.clone(), path.clone()));
        let output = match path.rsplit('/').next() {
            Some("allow.txt") => HookOutput::allow(),
            Some("deny.txt") => HookOutput::deny("Not that file."),
            Some("ask.txt") => HookOutput::ask("Look at it first."),
            Some("edited.txt") => {
                let input = json!({"file_path": path, "content": "edited by the hook\n"});
                HookOutput::allow_with(Raw::from(input))
            }
            _ => HookOutput::none(),
        };
        async { Ok(output) }
    });
    let options = allowing(bed, &asked).hook(hook.matching("Write|Read").timeout_seconds(30));
    let mut session = bed.start(options).await;
    let script = [
        call(bed, "Write", "allow.txt"),
        call(bed, "Write", "deny.txt"),
        call(bed, "Read", "ask.txt"),
        call(bed, "Write", "edited.txt"),
        call(bed, "Write", "none.txt"),
        "tool Bash {\"command\":\"echo hello\"}\n---\n".to_owned(),
        "say Done.".to_owned(),
    ];
    session.say(&script.concat()).await;
    session.answer("Done.").await;
    assert_eq!(bed.read("allow.txt").as_deref(), Some("written\n"));
    assert_eq!(bed.read("deny.txt"), None);
    assert_eq!(bed.read("edited.txt").as_deref(), Some("edited by the hook\n"));
    let left_to_the_host: &[&str] =
        if bed.expected.hook_ask_is_heeded { &["Read", "Write"] } else { &["Write"] };
    assert_eq!(asked.take(), left_to_the_host);
    let called: Vec<_> = called.take().into_iter().map(|(tool, _)| tool).collect();
    assert_eq!(called, ["Write", "Write", "Read", "Write", "Write"], "Bash does not match");
    let outcomes = bed.last_asked().tool_results();
    let failed: Vec<_> = outcomes.iter().map(|outcome| outcome.is_error).collect();
    assert_eq!(failed, [false, true, false, false, false, false], "{outcomes:?}");
    assert!(outcomes[1].text.contains("Not that file."), "{outcomes:?}");
    assert!(outcomes[2].text.contains("read me"), "{outcomes:?}");
    assert!(session.end().await.success());
}

async fn after_a_tool(bed: &Bed) {
    let told = Told::new();
    let tell = told.clone();
    let hook = Hook::on(HookEvent::PostToolUse, move |call: HookCall| {
        let HookInput::PostToolUse(input) = call.input else { panic!("{:?}", call.input) };
        tell.add((input.tool_name.clone(), input.tool_response.to_value()));
        let output = HookOutput::context(&HookEvent::PostToolUse, "The hook saw a file.").unwrap();
        async { Ok(output) }
    });
    let mut session = bed.start(allowing(bed, &Told::new()).hook(hook)).await;
    session.say(&format!("{}say Done.", call(bed, "Write", "note.txt"))).await;
    session.answer("Done.").await;
    let told = told.take();
    let [(tool, response)] = &told[..] else { panic!("{told:?}") };
    assert_eq!(tool, "Write");
    assert_eq!(response["filePath"], bed.path("note.txt"));
    assert!(bed.last_asked().contains("The hook saw a file."));
    assert!(session.end().await.success());
}

async fn on_a_prompt(bed: &Bed) {
    let hook = Hook::on(HookEvent::UserPromptSubmit, |call: HookCall| async move {
        let HookInput::UserPromptSubmit(input) = call.input else { panic!("{:?}", call.input) };
        if input.prompt.contains("secret") {
            return Ok(HookOutput::block("No secrets here."));
        }
        Ok(HookOutput::context(&HookEvent::UserPromptSubmit, "The hook adds this.").unwrap())
    });
    let mut session = bed.start(bed.options(bed.invocation()).hook(hook)).await;
    session.say("say A plain answer.").await;
    session.answer("A plain answer.").await;
    assert!(bed.last_asked().contains("The hook adds this."));

    session.prompt("This is secret.\n#script\nsay Never said.").await;
    let result = session.result().await;
    assert!(result.is_success(), "{result:?}");
    let told = result.text().contains("No secrets here.");
    assert_eq!(told, bed.expected.blocked_prompt_told, "{result:?}");
    assert_eq!(bed.asked().len(), 1, "a blocked prompt reached the model");

    session.say("say And on.").await;
    session.answer("And on.").await;
    assert!(session.end().await.success());
}

async fn at_the_end(bed: &Bed) {
    let told = Told::new();
    let tell = told.clone();
    let hook = Hook::on(HookEvent::Stop, move |call: HookCall| {
        let HookInput::Stop(input) = call.input else { panic!("{:?}", call.input) };
        let again = input.stop_hook_active == Some(true);
        tell.add(input.stop_hook_active);
        async move { Ok(if again { HookOutput::none() } else { HookOutput::block("Not yet: go on.") }) }
    });
    let mut session = bed.start(bed.options(bed.invocation()).hook(hook)).await;
    session.say("say I am done.\n---\nsay Now I really am.").await;
    session.answer("Now I really am.").await;
    assert_eq!(told.take(), [Some(false), Some(true)]);
    assert!(bed.last_asked().contains("Not yet: go on."));
    assert!(session.end().await.success());
}

async fn one_that_fails(bed: &Bed) {
    let asked = Told::new();
    let options = allowing(bed, &asked)
        .hook(Hook::on(HookEvent::PreToolUse, |_| async { Err("It broke.".to_owned()) }))
        .hook(Hook::on(HookEvent::PostToolUse, |_| async { panic!("on purpose") }));
    let mut session = bed.start(options).await;
    session.say(&format!("{}say Done.", call(bed, "Write", "note.txt"))).await;
    session.answer("Done.").await;
    assert_eq!(bed.read("note.txt").as_deref(), Some("written\n"), "a broken hook does not block");
    assert_eq!(asked.take(), ["Write"]);
    assert!(session.end().await.success());
}

async fn one_that_must_work(bed: &Bed) {
    let called = Arc::new(AtomicBool::new(false));
    let call_made = Arc::clone(&called);
    let hook = Hook::on(HookEvent::PreToolUse, move |_| {
        call_made.store(true, Ordering::Relaxed);
        async { Err("It broke.".to_owned()) }
    });
    let options = allowing(bed, &Told::new()).hook(hook.must_work());
    if !bed.expected.failing_hook_blocks {
        let error = bed.start_fails(options).await;
        assert!(matches!(error, StartError::HooksCannotBlock), "{error:?}");
        assert!(error.to_string().contains("update the CLI"), "{error}");
        return;
    }
    let mut session = bed.start(options).await;
    session.say(&format!("{}say I could not.", call(bed, "Write", "note.txt"))).await;
    session.answer("I could not.").await;
    assert!(called.load(Ordering::Relaxed));
    assert_eq!(bed.read("note.txt"), None, "a hook that must work has failed");
    assert!(session.end().await.success());
}
