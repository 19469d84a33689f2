//! Questions of the model, forms of MCP servers, dialogs of the CLI.

use pilothouse_session::Refusal;
use pilothouse_session::approval::{Decision, QuestionReply};
use pilothouse_session::session::Setup;
use pilothouse_wire::control::initialize::Initialize;
use serde_json::{Value, json};

use crate::support::Stage;
use crate::tools::{no, yes};

const COLOUR: &str = "Which colour?";
const SIZES: &str = "Which sizes?";

fn questions() -> Value {
    json!({"questions": [
        {"question": COLOUR, "header": "Colour", "multiSelect": false,
         "options": [{"label": "Red", "description": "warm"}, {"label": "Blue", "description": ""}]},
        {"question": SIZES, "header": "Sizes", "multiSelect": true,
         "options": [{"label": "Small"}, {"label": "Large, wide"}]},
    ]})
}

fn asked() -> Stage {
    let mut stage = Stage::working();
    stage.tool_use("t1", "AskUserQuestion", &questions());
    stage.can_use("r1", "t1", "AskUserQuestion", &questions());
    stage
}

fn reply(question: &str, answers: &[&str]) -> QuestionReply {
    let answers = answers.iter().map(|answer| (*answer).to_owned()).collect();
    QuestionReply { question: question.to_owned(), answers, notes: None }
}

fn answers(answers: Vec<QuestionReply>) -> Decision {
    Decision::Answers { answers, response: None }
}

#[test]
fn labels_and_free_text_are_answers() {
    let mut stage = asked();
    let event = stage.last("question_asked");
    assert_eq!((&event["approval"], &event["questions"]), (&json!(1), &json!(2)));
    stage.decide(
        1,
        answers(vec![reply(COLOUR, &["mauve"]), reply(SIZES, &["Small", "Large, wide"])]),
    );
    let input = stage.granted("r1")["updatedInput"].clone();
    assert_eq!(input["questions"], questions()["questions"], "the questions come along");
    assert_eq!(input["answers"][COLOUR], "mauve");
    assert_eq!(input["answers"][SIZES], r#"Small, "Large, wide""#);
}

#[test]
fn questions_can_be_skipped() {
    let mut stage = asked();
    stage.decide(1, answers(vec![reply(COLOUR, &["Red"]), reply(SIZES, &[])]));
    assert_eq!(stage.granted("r1")["updatedInput"]["answers"], json!({COLOUR: "Red"}));
    let mut stage = asked();
    stage.decide(1, answers(Vec::new()));
    assert_eq!(stage.granted("r1")["updatedInput"]["answers"], json!({}));
}

#[test]
fn something_else_can_be_said_instead() {
    let mut stage = asked();
    let response = Some("Ask me tomorrow.".to_owned());
    stage.decide(1, Decision::Answers { answers: Vec::new(), response });
    assert_eq!(stage.granted("r1")["updatedInput"]["response"], "Ask me tomorrow.");
}

#[test]
fn a_remark_goes_with_an_answer() {
    let mut stage = asked();
    let noted = QuestionReply { notes: Some("dark".to_owned()), ..reply(COLOUR, &["Red"]) };
    stage.decide(1, answers(vec![noted]));
    assert_eq!(stage.granted("r1")["updatedInput"]["annotations"][COLOUR]["notes"], "dark");
}

#[test]
fn answers_that_do_not_fit_are_refused() {
    let mut stage = asked();
    for unfit in [
        answers(vec![reply(COLOUR, &["Red", "Blue"])]),
        answers(vec![reply("Which shape?", &["round"])]),
        yes(),
    ] {
        assert!(matches!(stage.decide(1, unfit), Some(Err(Refusal::UnfitDecision { .. }))));
    }
    assert_eq!(stage.answer_to("r1"), None);
    stage.decide(1, no(None, false));
    assert_eq!(stage.granted("r1")["behavior"], "deny");
}

fn elicits(more: &Value) -> Stage {
    let mut stage = Stage::working();
    let mut request =
        json!({"subtype": "elicitation", "mcp_server_name": "shop", "message": "Who?"});
    for (name, value) in more.as_object().expect("fields") {
        request[name] = value.clone();
    }
    stage.line(&json!({"type": "control_request", "request_id": "r1", "request": request}));
    stage
}

#[test]
fn a_form_is_filled_in_or_declined() {
    let schema = json!({"type": "object", "properties": {"name": {"type": "string"}}});
    let form = json!({"mode": "form", "requested_schema": schema});
    let mut stage = elicits(&form);
    let subject = stage.last("approval_requested")["subject"].clone();
    assert_eq!((&subject["kind"], &subject["schema"]), (&json!("elicitation"), &schema));
    stage.decide(1, Decision::Form { content: Some(json!({"name": "Ada"})) });
    assert_eq!(stage.granted("r1"), json!({"action": "accept", "content": {"name": "Ada"}}));
    let mut stage = elicits(&form);
    stage.decide(1, no(None, false));
    assert_eq!(stage.granted("r1"), json!({"action": "decline"}));
    let unfit = elicits(&form).decide(1, answers(Vec::new()));
    assert!(matches!(unfit, Some(Err(Refusal::UnfitDecision { .. }))));
}

#[test]
fn a_link_is_followed_or_not() {
    let link = json!({"mode": "url", "url": "https://shop.example/pay", "elicitation_id": "e1"});
    let mut stage = elicits(&link);
    let subject = stage.last("approval_requested")["subject"].clone();
    assert_eq!(subject["url"], "https://shop.example/pay");
    assert_eq!(subject["elicitation_id"], "e1");
    stage.decide(1, yes());
    assert_eq!(stage.granted("r1"), json!({"action": "accept"}));
    let mut stage = elicits(&link);
    stage.decide(1, no(None, false));
    assert_eq!(stage.granted("r1"), json!({"action": "decline"}));
}

fn dialog(stage: &mut Stage) {
    stage.line(&json!({"type": "control_request", "request_id": "r1", "request": {
        "subtype": "request_user_dialog", "dialog_kind": "refusal_fallback_prompt",
        "payload": {"originalModel": "a", "fallbackModel": "b"},
    }}));
}

#[test]
fn a_dialog_that_was_declared_is_shown() {
    let supported_dialog_kinds = Some(vec!["refusal_fallback_prompt".to_owned()]);
    let initialize = Initialize { supported_dialog_kinds, ..Initialize::default() };
    let mut stage = Stage::working_with(Setup { initialize, ..Setup::default() });
    dialog(&mut stage);
    assert_eq!(stage.last("approval_requested")["subject"]["content"]["fallbackModel"], "b");
    stage.decide(1, Decision::Choose { result: json!("retry_fallback") });
    assert_eq!(stage.granted("r1"), json!({"behavior": "completed", "result": "retry_fallback"}));
}

#[test]
fn a_dialog_that_was_not_declared_is_met_with_silence() {
    let mut stage = Stage::working();
    dialog(&mut stage);
    assert_eq!(stage.session.approvals(), []);
    assert_eq!(stage.answer_to("r1"), None);
}
