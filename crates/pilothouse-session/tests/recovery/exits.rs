//! What the end of a run means, and what follows.

use pilothouse_session::event::{RunOrigin, Status};
use pilothouse_session::input::Transcript;
use pilothouse_session::session::Setup;
use pilothouse_session::{Command, Effect, Refusal};
use serde_json::json;

use crate::support::cli::CONVERSATION;
use crate::support::{Stage, prompt_id};
use pilothouse_session::approval::Decision;

fn attempts(resume_attempts: u32) -> Setup {
    Setup { resume_attempts, ..Setup::default() }
}

fn meaning(stage: &Stage) -> String {
    stage.last("run_ended")["meaning"]["kind"].as_str().expect("a meaning").to_owned()
}

fn resumed() -> RunOrigin {
    RunOrigin::Resumed { cli_session: CONVERSATION.to_owned(), at: None }
}

#[test]
fn a_run_with_nothing_left_to_do_is_finished() {
    let mut stage = Stage::working();
    stage.text("Done.");
    stage.result();
    stage.killed();
    assert_eq!(meaning(&stage), "finished");
    assert_eq!(stage.session.status(), Status::Ended);
    assert_eq!(stage.launches.len(), 1);
    stage.prompt(2, "More.");
    assert_eq!(stage.launches.last().expect("a run").origin, resumed());
}

#[test]
fn a_run_that_was_stopped_is_finished_and_stays_so() {
    let mut stage = Stage::working_with(attempts(3));
    assert_eq!(stage.command(Command::Stop), Some(Ok(json!({}))));
    assert_eq!(stage.stops, 1);
    stage.killed();
    assert_eq!(meaning(&stage), "finished");
    assert_eq!(stage.last("complete")["outcome"], "lost");
    assert_eq!(stage.launches.len(), 1);
    assert_eq!(stage.command(Command::Stop), Some(Err(Refusal::NotRunning)));
}

/// At the end of its input alone the CLI would finish the turn first.
#[test]
fn a_run_that_is_stopped_in_mid_turn_is_interrupted_first_and_once() {
    let interrupts = |stage: &Stage| {
        let sent = stage.sent.iter();
        sent.filter(|line| line["request"]["subtype"] == "interrupt").count()
    };
    let mut stage = Stage::working();
    stage.command(Command::Stop);
    stage.command(Command::Stop);
    assert_eq!(interrupts(&stage), 1);
    stage.replies(json!({"still_queued": []}));
    stage.aborted();
    assert_eq!(stage.last("complete")["outcome"], "interrupted");
    stage.exit(1, "");
    assert_eq!(meaning(&stage), "finished");

    let mut stage = Stage::working();
    stage.result();
    stage.command(Command::Stop);
    assert_eq!(interrupts(&stage), 0, "nothing goes on");
}

#[test]
fn what_is_said_while_a_run_ends_starts_the_next() {
    let mut stage = Stage::working();
    stage.result();
    stage.command(Command::Stop);
    stage.prompt(2, "Wait, this too.");
    assert_eq!(stage.said(), ["Do it."]);
    stage.exit(0, "");
    assert_eq!(stage.launches.last().expect("a run").origin, resumed());
    stage.started();
    stage.introduces();
    assert_eq!(stage.said(), ["Do it.", "Wait, this too."]);
}

#[test]
fn a_turn_that_only_read_goes_on_by_itself_for_a_while() {
    let mut stage = Stage::working_with(attempts(2));
    for attempt in 1..=2 {
        stage.tool_use("t1", "Read", &json!({"file_path": "/project/a"}));
        stage.killed();
        assert_eq!(meaning(&stage), "resumable");
        assert_eq!(stage.session.status(), Status::Starting);
        stage.all_is_found();
        assert_eq!(stage.launches.last().expect("a run").origin, resumed());
        assert_eq!(
            stage.last("notice")["text"],
            format!("the CLI ended before it was done; restart {attempt}")
        );
        stage.started();
        stage.introduces();
        stage.init("default");
        assert_eq!(stage.said().len(), 1 + attempt, "the host says go on");
    }
    stage.killed();
    assert_eq!(stage.launches.len(), 3);
    assert_eq!(stage.session.status(), Status::Interrupted);
    assert_eq!(stage.fate(1), ["queued", "sent", "taken_up", "failed"]);
    assert_eq!(stage.said().iter().filter(|text| *text == "Do it.").count(), 1);
}

#[test]
fn a_turn_that_settles_makes_up_for_restarts() {
    let mut stage = Stage::working_with(attempts(1));
    for _ in 0..3 {
        stage.killed();
        stage.all_is_found();
        stage.started();
        stage.introduces();
        stage.init("default");
        stage.result();
        stage.prompt(stage.launches.len() as u128 + 10, "More.");
        stage.init("default");
    }
    assert_eq!(stage.launches.len(), 4);
}

#[test]
fn a_turn_whose_tools_may_have_changed_something_waits_for_a_person() {
    let mut stage = Stage::working_with(attempts(3));
    stage.tool_use("t1", "Bash", &json!({"command": "make"}));
    stage.tool_use("t2", "Read", &json!({"file_path": "/project/a"}));
    stage.killed();
    let meaning = stage.last("run_ended")["meaning"].clone();
    assert_eq!(meaning, json!({"kind": "in_doubt", "tool_call_ids": ["t1"]}));
    assert_eq!(stage.launches.len(), 1);
    assert_eq!(stage.session.status(), Status::Interrupted);
    assert_eq!(stage.last("tool_update")["status"], "cancelled");
}

#[test]
fn a_tool_that_was_done_is_no_doubt() {
    let mut stage = Stage::working_with(attempts(3));
    stage.tool_use("t1", "Bash", &json!({"command": "make"}));
    stage.tool_result("t1", "made");
    stage.killed();
    assert_eq!(meaning(&stage), "resumable");
    assert_eq!(stage.last("run_ended")["meaning"]["at"], "u-2", "a result counts at once");
}

#[test]
fn a_tool_that_nobody_allowed_has_not_run() {
    let mut stage = Stage::working_with(attempts(3));
    stage.asks_for_bash("r1", "t1");
    stage.killed();
    assert_eq!(meaning(&stage), "resumable");
}

#[test]
fn a_tool_that_was_allowed_may_have_run_before_its_call_was_seen() {
    let allowed = || {
        let mut stage = Stage::working_with(attempts(3));
        stage.can_use("r1", "t1", "Bash", &json!({"command": "make"}));
        stage.decide(1, Decision::Allow { input: None, updates: Vec::new() });
        stage
    };
    let mut stage = allowed();
    stage.restore();
    stage.killed();
    let doubt = json!({"kind": "in_doubt", "tool_call_ids": ["t1"]});
    assert_eq!(stage.last("run_ended")["meaning"], doubt);
    let mut stage = allowed();
    stage.tool_use("t1", "Bash", &json!({"command": "make"}));
    stage.tool_result("t1", "made");
    stage.killed();
    assert_eq!(meaning(&stage), "resumable");
}

#[test]
fn a_run_that_cannot_begin_has_failed() {
    let mut stage = Stage::dark(attempts(3));
    stage.prompt(1, "Go.");
    stage.started();
    stage.exit(1, "  unknown option --frobnicate\n");
    let meaning = stage.last("run_ended")["meaning"].clone();
    assert_eq!(meaning, json!({"kind": "failed", "message": "unknown option --frobnicate"}));
    assert_eq!(stage.launches.len(), 1, "it is not tried again by itself");
    assert_eq!(stage.session.status(), Status::Ended);
    assert_eq!(stage.fate(1), ["queued"]);
    stage.start_command();
    stage.started();
    stage.introduces();
    assert_eq!(stage.said(), ["Go."]);
}

/// Nobody has read a line of the turn. The prompt is said again where it was not written down.
#[test]
fn a_run_that_was_killed_with_a_prompt_unheard_goes_on_by_itself() {
    let mut stage = Stage::ready_with(attempts(3));
    stage.prompt(1, "Go.");
    stage.holder_killed();
    assert_eq!(meaning(&stage), "resumable");
    assert_eq!(stage.session.status(), Status::Starting);
    stage.started();
    stage.introduces();
    assert_eq!(stage.said(), ["Go.", "Go."]);
    stage.init("default");
    stage.result();
    assert_eq!(stage.fate(1), ["queued", "sent", "queued", "sent", "taken_up", "answered"]);
}

#[test]
fn a_run_that_was_killed_before_it_could_hear_goes_on_by_itself() {
    let mut stage = Stage::dark(attempts(3));
    stage.prompt(1, "Go.");
    stage.started();
    stage.killed();
    assert_eq!(meaning(&stage), "resumable");
    stage.started();
    stage.introduces();
    assert_eq!(stage.said(), ["Go."]);
}

/// A CLI may crash whenever it begins.
#[test]
fn runs_that_never_get_to_work_are_not_tried_for_ever() {
    let mut stage = Stage::dark(attempts(2));
    stage.prompt(1, "Go.");
    for _ in 0..3 {
        stage.started();
        stage.killed();
    }
    assert_eq!(meaning(&stage), "failed");
    assert_eq!(stage.launches.len(), 3);
    assert_eq!(stage.session.status(), Status::Ended);
    assert_eq!(stage.fate(1), ["queued"]);

    let mut stage = Stage::dark(attempts(2));
    stage.start_command();
    stage.started();
    stage.killed();
    assert_eq!(meaning(&stage), "failed", "and where nobody has said anything, not at all");
}

#[test]
fn what_the_machine_has_cut_off_waits_for_a_person() {
    let mut stage = Stage::working_with(attempts(3));
    stage.prompt(2, "And this.");
    stage.machine_stopped();
    assert_eq!(meaning(&stage), "resumable");
    assert_eq!(stage.session.status(), Status::Interrupted);
    assert_eq!(stage.launches.len(), 1);
    assert_eq!(stage.fate(2), ["queued", "sent", "queued"]);
    stage.start_command();
    assert_eq!(stage.launches.last().expect("a run").origin, resumed());
    stage.started();
    stage.introduces();
    assert_eq!(stage.said(), ["Do it.", "And this.", "And this."]);

    let mut stage = Stage::dark(attempts(3));
    stage.prompt(1, "Go.");
    stage.started();
    stage.machine_stopped();
    assert_eq!(stage.session.status(), Status::Interrupted, "although it was not ready yet");
    assert_eq!(stage.fate(1), ["queued"]);
    assert_eq!(stage.launches.len(), 1);

    let mut stage = Stage::ready_with(attempts(3));
    stage.machine_stopped();
    assert_eq!(meaning(&stage), "finished", "there was nothing to do");
}

#[test]
fn a_run_that_was_never_there_has_an_error() {
    let mut stage = Stage::dark(attempts(3));
    stage.prompt(1, "Go.");
    stage.exit(127, "claude: not found");
    let error = stage.last("error");
    assert_eq!(
        (&error["code"], &error["message"]),
        (&json!("not_started"), &json!("claude: not found"))
    );
    assert_eq!(stage.told("run_ended").len(), 0);
    assert_eq!(stage.session.status(), Status::Ended);
    assert_eq!(stage.fate(1), ["queued"]);
}

#[test]
fn prompts_that_were_not_heard_are_said_in_the_next_run() {
    let mut stage = Stage::working();
    stage.prompt(2, "And this.");
    stage.killed();
    assert_eq!(stage.fate(2), ["queued", "sent", "queued"]);
    stage.start_command();
    stage.started();
    stage.introduces();
    assert_eq!(stage.said(), ["Do it.", "And this.", "And this."]);
    stage.init("default");
    stage.result();
    assert_eq!(stage.fate(2), ["queued", "sent", "queued", "sent", "taken_up", "answered"]);
    assert_eq!(stage.fate(1), ["queued", "sent", "taken_up", "failed"]);
}

#[test]
fn what_the_host_says_goes_on_before_what_waits() {
    let mut stage = Stage::working_with(attempts(1));
    stage.prompt(2, "And this.");
    stage.killed();
    stage.looked(Transcript::Holds(vec![prompt_id(1)]));
    stage.started();
    stage.introduces();
    let said = stage.said();
    assert!(said[2].starts_with("The process was restarted"), "{said:?}");
    assert_eq!(said[3], "And this.");
}

#[test]
fn a_prompt_that_was_not_heard_is_reason_enough_to_go_on() {
    let mut stage = Stage::working_with(attempts(1));
    stage.result();
    stage.prompt(2, "And this.");
    stage.killed();
    assert_eq!(meaning(&stage), "resumable");
    stage.looked(Transcript::Holds(Vec::new()));
    stage.started();
    stage.introduces();
    assert_eq!(
        stage.said(),
        ["Do it.", "And this.", "And this."],
        "there is no turn to go on with"
    );
    stage.killed();
    assert_eq!(stage.launches.len(), 2, "and it is not tried for ever");
    assert_eq!(stage.session.status(), Status::Ended);
}

#[test]
fn a_turn_that_somebody_stopped_is_not_gone_on_with() {
    let interrupted = || {
        let mut stage = Stage::working_with(attempts(3));
        stage.command(Command::Interrupt { cancel_queued: false });
        stage
    };
    let mut stage = interrupted();
    stage.killed();
    assert_eq!(meaning(&stage), "finished");
    assert_eq!(stage.launches.len(), 1);
    let mut stage = interrupted();
    stage.tool_use("t1", "Bash", &json!({"command": "make"}));
    stage.killed();
    assert_eq!(meaning(&stage), "in_doubt");
    let mut stage = interrupted();
    stage.prompt(2, "Rather this.");
    stage.killed();
    stage.looked(Transcript::Holds(Vec::new()));
    stage.started();
    stage.introduces();
    assert_eq!(stage.said()[2..], ["Rather this."]);
}

#[test]
fn a_run_that_is_stopped_before_it_is_there_is_stopped_when_it_is() {
    let mut stage = Stage::dark(Setup::default());
    stage.prompt(1, "Go.");
    stage.command(Command::Stop);
    assert_eq!(stage.stops, 1);
    stage.started();
    assert_eq!(stage.stops, 2);
    stage.introduces();
    assert_eq!(stage.said(), [""; 0]);
    stage.exit(0, "");
    assert_eq!(meaning(&stage), "finished");
    assert_eq!(stage.fate(1), ["queued"]);
}

#[test]
fn a_new_beginning_leaves_the_conversation() {
    use pilothouse_session::command::From;
    let mut stage = Stage::working();
    stage.result();
    stage.exit(0, "");
    stage.command(Command::Start(From::Message { uuid: "u-1".to_owned() }));
    let at = Some("u-1".to_owned());
    let cli_session = CONVERSATION.to_owned();
    assert_eq!(
        stage.launches.last().expect("a run").origin,
        RunOrigin::Resumed { cli_session, at }
    );
    assert_eq!(stage.command(Command::Start(From::End)), Some(Err(Refusal::AlreadyRunning)));
    stage.started();
    stage.introduces();
    stage.exit(0, "");
    stage.command(Command::Start(From::Scratch));
    assert_eq!(stage.launches.last().expect("a run").origin, RunOrigin::New);
    stage.started();
    stage.introduces();
    stage.prompt(2, "Hello.");
    stage.init_in("c0000000-0000-4000-8000-000000000009", "default");
    let changed = stage.last("conversation_changed");
    assert_eq!(
        (&changed["reason"], &changed["previous"]),
        (&json!("cleared"), &json!(CONVERSATION))
    );
}

#[test]
fn names_of_requests_are_those_of_a_run() {
    let mut stage = Stage::working();
    stage.asks_for_bash("r1", "t1");
    stage.killed();
    stage.prompt(2, "Again.");
    stage.started();
    stage.introduces();
    stage.init("default");
    stage.asks_for_bash("r1", "t1");
    assert_eq!(stage.session.approvals().len(), 1);
    stage.decide(2, Decision::Allow { input: None, updates: Vec::new() });
    assert_eq!(stage.granted("r1")["behavior"], "allow");
}

#[test]
fn lines_after_the_end_are_nobodys() {
    let mut stage = Stage::working();
    stage.killed();
    stage.news();
    stage.asks_for_bash("r1", "t1");
    stage.text("Still here?");
    stage.result();
    assert_eq!(stage.news(), [""; 0]);
    assert_eq!(stage.session.approvals(), []);
}

#[test]
fn a_run_starts_once() {
    let mut stage = Stage::working();
    stage.news();
    stage.started();
    assert_eq!(stage.news(), [""; 0]);
    assert_eq!(stage.session.status(), Status::Running);
}

/// A session whose run was killed in the turn that works on prompt 1, and what was found of that.
fn cut_off(transcript: Transcript) -> Stage {
    let mut stage = Stage::working_with(attempts(3));
    stage.text("I begin.");
    stage.killed();
    assert_eq!(stage.looked_for, [prompt_id(1)]);
    assert_eq!(stage.launches.len(), 1, "nothing is started before it is known");
    stage.restore();
    let again = stage.session.outstanding();
    assert!(matches!(&again[..], [Effect::Look { .. }]), "{again:?}");
    stage.looked(transcript);
    stage.started();
    stage.introduces();
    stage
}

const WENT_ON: &str = "The process was restarted in the middle of your work. Go on where you were.";

#[test]
fn a_prompt_that_was_not_written_down_is_said_again() {
    let mut stage = cut_off(Transcript::Holds(Vec::new()));
    assert_eq!(stage.said(), ["Do it.", "Do it."], "under its own name, which the laws see to");
    assert_eq!(stage.launches[1].origin, resumed());
    stage.init("default");
    stage.result();
    let fate = ["queued", "sent", "taken_up", "queued", "sent", "taken_up", "answered"];
    assert_eq!(stage.fate(1), fate);
}

#[test]
fn a_prompt_that_was_written_down_is_gone_on_with() {
    let stage = cut_off(Transcript::Holds(vec![prompt_id(1)]));
    assert_eq!(stage.said(), ["Do it.", WENT_ON]);
    assert_eq!(stage.fate(1), ["queued", "sent", "taken_up", "failed"]);
    let stage = cut_off(Transcript::Unreadable);
    assert_eq!(stage.said(), ["Do it.", WENT_ON]);
}

#[test]
fn a_conversation_of_which_nothing_was_written_down_begins_again() {
    let stage = cut_off(Transcript::Missing);
    assert_eq!(stage.said(), ["Do it.", "Do it."]);
    assert_eq!(stage.launches[1].origin, RunOrigin::New);
}

#[test]
fn a_transcript_that_is_not_where_it_should_be_is_nothing_to_go_by() {
    let mut stage = Stage::working_with(attempts(3));
    stage.result();
    stage.prompt(2, "More.");
    stage.init("default");
    stage.tool_use("t1", "Read", &json!({"file_path": "/project/a"}));
    stage.tool_result("t1", "text");
    stage.killed();
    stage.looked(Transcript::Missing);
    assert_eq!(stage.launches[1].origin, resumed());
    stage.started();
    stage.introduces();
    assert_eq!(stage.said()[2], WENT_ON);
}

#[test]
fn a_prompt_that_was_written_down_although_nobody_saw_it_taken_up_is_not_said_again() {
    let mut stage = Stage::ready_with(attempts(3));
    stage.prompt(1, "Before.");
    stage.init("default");
    stage.result();
    stage.prompt(2, "Do it.");
    stage.killed();
    stage.all_is_found();
    stage.started();
    stage.introduces();
    assert_eq!(stage.said(), ["Before.", "Do it.", WENT_ON]);
    assert_eq!(stage.fate(2), ["queued", "sent", "failed"]);
}

#[test]
fn while_a_transcript_is_looked_through_a_session_can_be_talked_to() {
    let cut = || {
        let mut stage = Stage::working_with(attempts(3));
        stage.killed();
        stage
    };
    let mut stage = cut();
    stage.prompt(1, "Do it.");
    stage.prompt(2, "And this.");
    stage.looked(Transcript::Holds(Vec::new()));
    stage.started();
    stage.introduces();
    assert_eq!(stage.said(), ["Do it.", "Do it.", "And this."]);

    let mut stage = cut();
    stage.command(Command::Stop);
    stage.looked(Transcript::Holds(Vec::new()));
    assert_eq!(stage.session.status(), Status::Interrupted);
    assert_eq!(stage.launches.len(), 1);
    assert_eq!(stage.fate(1).last().expect("a state"), "queued", "it waits for the next run");
}
