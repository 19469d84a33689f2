//! Prompts and interrupts, as clients see them.

use pilothouse_session::command::Urgency;
use pilothouse_session::event::Status;
use pilothouse_session::{Command, Refusal};
use serde_json::json;

use crate::support::{Stage, prompt_id};
use crate::tools::yes;

#[test]
fn a_prompt_starts_a_run_and_waits_for_it() {
    let mut stage = Stage::dark(Default::default());
    assert_eq!(stage.prompt(1, "Hello."), Some(Ok(json!({}))));
    assert_eq!(stage.session.status(), Status::Starting);
    stage.prompt(2, "Again.");
    assert_eq!(stage.launches.len(), 1);
    stage.started();
    assert_eq!(stage.said(), [""; 0]);
    stage.introduces();
    assert_eq!(stage.said(), ["Hello.", "Again."]);
    stage.init("default");
    stage.result();
    assert_eq!(stage.fate(1), ["queued", "sent", "taken_up", "answered"]);
}

#[test]
fn the_same_prompt_is_sent_once() {
    let mut stage = Stage::working();
    assert_eq!(stage.prompt(1, "Do it."), Some(Ok(json!({}))));
    stage.result();
    assert_eq!(stage.prompt(1, "Do it."), Some(Ok(json!({}))));
    assert_eq!(stage.said(), ["Do it."]);
    assert_eq!(stage.told("user_message").len(), 1);
}

#[test]
fn an_interrupt_leaves_what_waits() {
    let mut stage = Stage::working();
    stage.prompt(2, "And then this.");
    assert_eq!(stage.command(Command::Interrupt { cancel_queued: false }), None);
    assert_eq!(stage.requested().1, json!({"subtype": "interrupt"}));
    stage.replies(json!({"still_queued": [prompt_id(2)]}));
    stage.aborted();
    assert_eq!(stage.last("complete")["outcome"], "interrupted");
    assert_eq!(stage.fate(2), ["queued", "sent"]);
    stage.init("default");
    assert_eq!(stage.fate(2), ["queued", "sent", "taken_up"]);
}

#[test]
fn an_interrupt_takes_back_what_waits() {
    let mut stage = Stage::working();
    stage.prompt(2, "And then this.");
    stage.command(Command::Interrupt { cancel_queued: true });
    assert_eq!(stage.requested().1, json!({"subtype": "interrupt", "cancel_queued": true}));
    stage.replies(json!({"still_queued": [], "cancelled": [prompt_id(2)]}));
    assert_eq!(stage.fate(2), ["queued", "sent", "cancelled"]);
}

#[test]
fn old_clis_tell_nothing_of_an_interrupt() {
    let mut stage = Stage::working();
    stage.command(Command::Interrupt { cancel_queued: false });
    let (id, _) = stage.requested();
    stage.line(
        &json!({"type": "control_response", "response": {"subtype": "success", "request_id": id}}),
    );
    assert_eq!(stage.last_reply(), Some(Ok(json!({}))));
}

#[test]
fn an_interrupt_withdraws_what_is_asked() {
    let mut stage = Stage::working();
    stage.asks_for_bash("r1", "t1");
    stage.command(Command::Interrupt { cancel_queued: false });
    stage.replies(json!({"still_queued": []}));
    stage.cancels("r1");
    stage.tool_result("t1", "The user stopped it.");
    stage.aborted();
    assert_eq!(stage.last("complete")["outcome"], "interrupted");
    assert_eq!(stage.session.approvals(), []);
}

#[test]
fn there_may_be_nothing_to_interrupt() {
    let interrupt = || Command::Interrupt { cancel_queued: false };
    let mut stage = Stage::ready();
    assert_eq!(stage.command(interrupt()), Some(Err(Refusal::NothingToInterrupt)));
    stage.prompt(1, "Go.");
    assert_eq!(stage.command(interrupt()), None, "it may be on its way");
}

#[test]
fn an_interrupt_may_meet_a_turn_that_has_just_begun() {
    let mut stage = Stage::ready();
    stage.prompt(1, "Go.");
    stage.command(Command::Interrupt { cancel_queued: false });
    stage.init("default");
    stage.replies(json!({"still_queued": []}));
    stage.aborted();
    assert_eq!(stage.last("complete")["outcome"], "interrupted");
}

#[test]
fn only_so_many_prompts_can_wait() {
    let mut stage = Stage::working();
    let others = 99;
    for number in 2..2 + others {
        stage.prompt(number, "And this.");
    }
    let more = |number| Command::Prompt {
        prompt: prompt_id(number),
        content: "One more.".into(),
        attachments: Vec::new(),
        urgency: Urgency::Next,
    };
    assert_eq!(stage.command(more(500)), Some(Err(Refusal::TooManyPrompts)));
    stage.command(Command::CancelPrompt { prompt: prompt_id(2) });
    stage.replies(json!({"cancelled": true}));
    assert_eq!(stage.command(more(501)), Some(Ok(json!({}))));
}

#[test]
fn a_prompt_that_waits_can_be_taken_back() {
    let mut stage = Stage::working();
    stage.prompt(2, "Not this.");
    assert_eq!(stage.command(Command::CancelPrompt { prompt: prompt_id(2) }), None);
    assert_eq!(stage.requested().1["message_uuid"], json!(prompt_id(2)));
    stage.lifecycle(2, "cancelled");
    stage.replies(json!({"cancelled": true}));
    assert_eq!(stage.last_reply(), Some(Ok(json!({"cancelled": true}))));
    assert_eq!(stage.fate(2), ["queued", "sent", "cancelled"]);
}

#[test]
fn a_prompt_that_the_cli_never_saw_is_taken_back_at_once() {
    let mut stage = Stage::dark(Default::default());
    stage.prompt(1, "Not this.");
    let cancel = || Command::CancelPrompt { prompt: prompt_id(1) };
    assert_eq!(stage.command(cancel()), Some(Ok(json!({}))));
    stage.started();
    stage.introduces();
    assert_eq!(stage.said(), [""; 0]);
    let late = Refusal::PromptNotWaiting { prompt: prompt_id(1) };
    assert_eq!(stage.command(cancel()), Some(Err(late)));
}

#[test]
fn it_may_be_too_late_to_take_a_prompt_back() {
    let late = |prompt| Some(Err(Refusal::PromptNotWaiting { prompt: prompt_id(prompt) }));
    let mut stage = Stage::working();
    assert_eq!(stage.command(Command::CancelPrompt { prompt: prompt_id(1) }), late(1));
    assert_eq!(stage.command(Command::SendNow { prompt: prompt_id(1) }), late(1));
    stage.prompt(2, "This.");
    for command in
        [Command::CancelPrompt { prompt: prompt_id(2) }, Command::SendNow { prompt: prompt_id(2) }]
    {
        stage.command(command);
        stage.replies(json!({"cancelled": false}));
        assert_eq!(stage.last_reply(), late(2));
    }
    assert_eq!(stage.fate(2), ["queued", "sent"]);
}

#[test]
fn what_waits_is_said_again_at_once() {
    for told_first in [true, false] {
        let mut stage = Stage::working();
        stage.prompt(2, "This first.");
        assert_eq!(stage.command(Command::SendNow { prompt: prompt_id(2) }), None);
        assert_eq!(stage.requested().1["subtype"], "cancel_async_message");
        if told_first {
            stage.lifecycle(2, "cancelled");
        }
        stage.replies(json!({"cancelled": true}));
        assert_eq!(stage.fate(2), ["queued", "sent", "cancelled"]);
        let again = stage.sent.last().expect("the prompt again").clone();
        assert_eq!(again["priority"], "now");
        assert_eq!(stage.said(), ["Do it.", "This first.", "This first."]);
        // The CLI drops a message whose id it has seen.
        assert_ne!(again["uuid"], json!(prompt_id(2)));
        assert_eq!(stage.last_reply(), Some(Ok(json!({"prompt": again["uuid"]}))));
    }
}

#[test]
fn what_was_not_sent_yet_is_said_first_thing() {
    let mut stage = Stage::dark(Default::default());
    stage.prompt(1, "Now!");
    assert_eq!(stage.command(Command::SendNow { prompt: prompt_id(1) }), Some(Ok(json!({}))));
    stage.started();
    stage.introduces();
    assert_eq!(stage.sent.last().expect("the prompt")["priority"], "now");
    assert_eq!(stage.said(), ["Now!"]);
}

#[test]
fn nothing_is_said_at_once_while_something_is_asked() {
    let mut stage = Stage::working();
    stage.prompt(2, "Later.");
    stage.asks_for_bash("r1", "t1");
    let open = Some(Err(Refusal::ApprovalOpen));
    assert_eq!(stage.prompt_with(3, "Now!", Urgency::Now), open);
    assert_eq!(stage.command(Command::SendNow { prompt: prompt_id(2) }), open);
    stage.decide(1, yes());
    assert_eq!(stage.prompt_with(3, "Now!", Urgency::Now), Some(Ok(json!({}))));
    assert_eq!(stage.sent.last().expect("the prompt")["priority"], "now");
}

#[test]
fn what_is_asked_in_between_is_not_lost_to_a_hurried_prompt() {
    let mut stage = Stage::working();
    stage.prompt(2, "This first.");
    stage.command(Command::SendNow { prompt: prompt_id(2) });
    let (id, _) = stage.requested();
    stage.asks_for_bash("r1", "t1");
    stage.line(&crate::support::cli::success(&id, json!({"cancelled": true})));
    let again = stage.sent.last().expect("the prompt again").clone();
    assert_eq!((again["type"].as_str(), again.get("priority")), (Some("user"), None));
}
