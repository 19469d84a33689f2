//! Text, thinking, pieces of messages, pictures, one prompt or several.

use pilothouse_client::wire::message::System;
use pilothouse_client::wire::message::stream::{Delta, StreamEvent};
use pilothouse_client::wire::{Block, Inbound};
use pilothouse_client::{Prompt, query};
use serde_json::json;

use crate::bed::Bed;

on_every_version!(text_and_thinking, pieces, one_shot, picture, structured, queued_prompts);

async fn text_and_thinking(bed: &Bed) {
    let mut session = bed.start(bed.options(bed.invocation())).await;
    let initialized = session.client.initialized();
    assert!(initialized.commands.iter().any(|command| command.name == "compact"));
    let named = initialized.claude_code_version.as_deref() == Some(bed.version.number());
    assert_eq!(named, bed.expected.version_in_initialize, "{initialized:?}");

    session.say("think Let me see.\nredacted\nsay Good morning to you all.").await;
    let result = session.answer("Good morning to you all.").await;
    assert_eq!(result.num_turns, Some(1));
    let usage = result.usage.unwrap();
    assert!(usage.output_tokens.get().is_some_and(|tokens| *tokens > 0), "{usage:?}");
    let blocks = session.blocks();
    let [Block::Thinking(thinking), Block::RedactedThinking(_), Block::Text(text)] = &blocks[..]
    else {
        panic!("{blocks:?}");
    };
    assert_eq!(thinking.thinking, "Let me see.");
    assert_eq!(text.text, "Good morning to you all.");
    let init = session.system().find_map(|message| match message {
        System::Init(init) => Some(init),
        _ => None,
    });
    let init = init.unwrap();
    assert_eq!(init.claude_code_version.as_deref(), Some(bed.version.number()));
    assert_eq!(init.cwd.as_deref(), bed.harness.cwd().to_str());
    assert_eq!(init.session_id, result.session_id);

    // The same way again, without looking at single messages.
    session.say("say And again.").await;
    let turn = session.turn().await.unwrap();
    assert_eq!(turn.text, "And again.");
    assert!(session.end().await.success());
}

async fn pieces(bed: &Bed) {
    let mut session = bed.start(bed.options(bed.invocation().partial_messages())).await;
    session.say("chunk 4\nthink One two three four.\nsay Five six seven eight.").await;
    session.answer("Five six seven eight.").await;
    let (mut text, mut thought, mut deltas) = (String::new(), String::new(), 0);
    for message in &session.seen {
        let Inbound::StreamEvent(frame) = message else { continue };
        let StreamEvent::ContentBlockDelta(piece) = &frame.event else { continue };
        match &piece.delta {
            Delta::Text(delta) => text.push_str(&delta.text),
            Delta::Thinking(delta) => thought.push_str(&delta.thinking),
            _ => continue,
        }
        deltas += 1;
    }
    assert_eq!(text, "Five six seven eight.");
    assert_eq!(thought, "One two three four.");
    assert_eq!(deltas, 11, "in pieces of four letters");
    assert!(session.end().await.success());
}

async fn one_shot(bed: &Bed) {
    let asked = query("#script\nsay Just this.", bed.options(bed.invocation())).await.unwrap();
    assert_eq!(asked.turn().await.unwrap().text, "Just this.");

    // Message by message: the CLI is done with after the answer and ends by itself.
    let mut asked = query("#script\nsay Bit by bit.", bed.options(bed.invocation())).await.unwrap();
    let mut answers = Vec::new();
    while let Some(frame) = asked.next().await {
        if let Inbound::Result(result) = frame.message {
            answers.push(result.text());
        }
    }
    assert_eq!(answers, ["Bit by bit."]);
    assert!(asked.client().wait().await.success());
}

async fn picture(bed: &Bed) {
    const PIXEL: &str = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
    let mut session = bed.start(bed.options(bed.invocation())).await;
    let prompt = Prompt::new("What is this?\n#script\nsay A dot.\n#end")
        .image("image/png", PIXEL)
        .text_document("A document of a few words.");
    session.prompt(prompt).await;
    session.answer("A dot.").await;
    let request = bed.last_asked();
    let pictures = request.user_blocks("image");
    assert_eq!(pictures.len(), 1, "{}", request.body);
    assert_eq!(pictures[0]["source"]["media_type"], "image/png");
    assert_eq!(pictures[0]["source"]["data"], PIXEL);
    let documents = request.user_blocks("document");
    assert_eq!(documents.len(), 1, "{}", request.body);
    assert_eq!(documents[0]["source"]["data"], "A document of a few words.");
    assert!(session.end().await.success());
}

async fn structured(bed: &Bed) {
    let schema = json!({
        "type": "object",
        "properties": {"count": {"type": "number"}},
        "required": ["count"],
    });
    let mut session = bed.start(bed.options(bed.invocation().json_schema(schema))).await;
    session.say("tool StructuredOutput {\"count\":7}\n---\nsay Counted.").await;
    let result = session.result().await;
    assert!(result.is_success(), "{result:?}");
    assert_eq!(result.structured_output.unwrap().to_value(), json!({"count": 7}));
    assert!(session.end().await.success());
}

async fn queued_prompts(bed: &Bed) {
    let mut session = bed.start(bed.options(bed.invocation())).await;
    session.say("say First.\nhold middle\nmore \" Still first.\"").await;
    bed.model.wait_held("middle").await.unwrap();
    let second = session.say("say Second.").await;
    let third = session.say("say Third.").await;
    session.settle().await;
    bed.model.release("middle");
    session.answer("First. Still first.").await;
    if !bed.expected.queued_prompts_join {
        session.answer("Second.").await;
    }
    let last = session.answer("Third.").await;
    if bed.expected.queued_prompts_join {
        assert_eq!(last.user_message_uuids, [second, third]);
    }
    // Both were said to the model, whether in one turn or in two.
    let request = bed.last_asked();
    assert!(request.contains("say Second.") && request.contains("say Third."));
    assert!(session.end().await.success());
}
