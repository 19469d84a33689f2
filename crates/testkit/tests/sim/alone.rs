//! What only the simulated CLI does: its faults, and the tools that the real one does not always
//! have.

use serde_json::{Value, json};

use super::bed::{Played, Run, Side, play};
use super::scenario::Act::{Ask, Eof, Held, Release, Restart, Say, Settle, Terminate, Until};
use super::scenario::{Reply, Scenario, ask, say, when_asked};

async fn run(scenario: Scenario) -> Run {
    let Played { mut runs } = play(Side::Sim, &scenario).await;
    runs.pop().unwrap()
}

async fn with_fault(fault: &'static str, scenario: Scenario) -> Run {
    run(scenario.env(&[("SIM_FAULT", fault)])).await
}

fn kinds(run: &Run) -> Vec<String> {
    let kind = |frame: &Value| match frame["event"]["type"].as_str() {
        Some(event) => event.to_owned(),
        None => match frame["request"]["subtype"].as_str().or(frame["subtype"].as_str()) {
            Some(subtype) => subtype.to_owned(),
            None => frame["type"].as_str().unwrap_or_default().to_owned(),
        },
    };
    run.frames.iter().map(kind).collect()
}

fn results(run: &Run) -> Vec<&Value> {
    let results = run.frames.iter().filter(|frame| frame["type"] == "result");
    results.map(|frame| &frame["result"]).collect()
}

fn outputs(run: &Run) -> Vec<&Value> {
    let outputs = run.frames.iter().filter(|frame| frame.get("tool_use_result").is_some());
    outputs.map(|frame| &frame["tool_use_result"]).collect()
}

fn hello() -> Scenario {
    Scenario::turn("hello", &["say Hello, how do you do?"])
}

#[tokio::test]
async fn lines_torn_merged_and_mixed_with_junk() {
    for fault in ["torn", "merged", "torn,merged", "slow-stdin", "stderr-flood=100000"] {
        let run = with_fault(fault, hello()).await;
        assert_eq!(results(&run), ["Hello, how do you do?"], "{fault}");
        assert!(run.junk.is_empty(), "{fault}: {:?}", run.junk);
        assert_eq!(run.code, Some(0), "{fault}");
        assert_eq!(run.stderr.len() >= 100_000, fault.starts_with("stderr"), "{fault}");
    }
    let write = Scenario::turn("write", &super::scenarios::permissions::WRITE);
    assert_eq!(results(&with_fault("merged", write).await), ["Done."]);
    let run = with_fault("junk", hello()).await;
    assert_eq!(results(&run), ["Hello, how do you do?"]);
    assert!(run.junk.len() > 3, "{:?}", run.junk);
}

#[tokio::test]
async fn a_flood() {
    let calm = run(hello()).await.frames.len();
    let flooded = with_fault("flood=500", hello()).await.frames.len();
    assert_eq!(flooded, calm + 500);
}

#[tokio::test]
async fn silence() {
    let scenario = Scenario::new(
        "silence",
        [say(&["say Never"]), ask("get_plan"), say(&["say Second"]), Settle],
    );
    let run = with_fault("silence", scenario).await;
    assert_eq!(results(&run), ["Second"]);
}

#[tokio::test]
async fn a_crash_in_the_middle_of_a_line() {
    let run = with_fault("crash=mid-line", hello()).await;
    assert_eq!(run.code, Some(134));
    assert!(run.junk[0].starts_with("{\"type\":\"assistant\""), "{:?}", run.junk);
    let run = with_fault("crash=after=3", hello()).await;
    assert_eq!((run.code, run.frames.len(), run.junk.len()), (Some(134), 3, 1));
}

#[tokio::test]
async fn a_large_line() {
    let read = Scenario::turn("big", &[r#"tool Bash {"command":"echo small"}"#, "say Done."]);
    let run = with_fault("bigline=3000000", read).await;
    assert_eq!(outputs(&run)[0]["stdout"].as_str().map(str::len), Some(3_000_000));
    assert_eq!(results(&run), ["Done."]);
}

#[tokio::test]
async fn deaf_to_some_requests() {
    let interrupt =
        json!({"type": "control_request", "request_id": "i", "request": {"subtype": "interrupt"}});
    let scenario = Scenario::new(
        "deaf",
        [super::scenario::Act::Send(interrupt), ask("get_plan"), say(&["say Hi"]), Settle],
    );
    let run = with_fault("deaf=interrupt", scenario).await;
    let answers = run.frames.iter().filter(|frame| frame["type"] == "control_response");
    let ids: Vec<_> =
        answers.map(|frame| frame["response"]["request_id"].as_str().unwrap()).collect();
    assert_eq!(ids, ["host-1", "host-2"]);
}

#[tokio::test]
async fn exits_at_once_or_not_at_all() {
    let run = with_fault("exit-at-once=7", Scenario::new("exit", [])).await;
    assert_eq!((run.code, run.frames.len()), (Some(7), 0));
    let run = with_fault("a-typo", Scenario::new("typo", [])).await;
    assert_eq!(run.code, Some(2));
    assert!(run.stderr.contains("a-typo"), "{}", run.stderr);
    let stubborn =
        [say(&["say One\nhold a\nmore Two"]), Held("a"), Eof, Release("a"), Settle, Terminate];
    let run = with_fault("ignore-eof", Scenario::new("stubborn", stubborn)).await;
    assert_eq!((results(&run), run.code), (vec![&json!("OneTwo")], Some(143)));
}

#[tokio::test]
async fn words_that_nobody_knows() {
    let run = with_fault("unknown-types", hello()).await;
    let kinds = kinds(&run);
    for kind in ["type_of_tomorrow", "subtype_of_tomorrow", "event_of_tomorrow"] {
        assert!(kinds.iter().any(|known| known == kind), "{kind}: {kinds:?}");
    }
    let said = run.frames.iter().find(|frame| frame["type"] == "assistant").unwrap();
    assert_eq!(said["message"]["content"][1]["type"], "block_of_tomorrow");
    assert!(said["field_of_tomorrow"].is_object());
}

#[tokio::test]
async fn permission_is_asked_for_before_the_stream_ends() {
    let write = || Scenario::turn("early", &super::scenarios::permissions::WRITE);
    let asked_at = |run: &Run| {
        let kinds = kinds(run);
        let at = |kind: &str| kinds.iter().position(|known| known == kind).unwrap();
        at("can_use_tool") < at("message_stop")
    };
    assert!(asked_at(&with_fault("early-asks", write()).await));
    assert!(!asked_at(&run(write()).await));
}

#[tokio::test]
async fn a_cut_connection_is_tried_again() {
    let run = run(Scenario::turn("cut", &["say half\ncut\nmore whole"])).await;
    assert_eq!(results(&run), ["halfwhole"]);
    assert!(kinds(&run).contains(&"api_retry".to_owned()));
}

#[tokio::test]
async fn a_to_do_list() {
    let run = run(Scenario::turn(
        "todos",
        &[
            r#"tool TodoWrite {"todos":[{"content":"a","status":"pending","activeForm":"doing a"}]}"#,
            r#"tool TaskCreate {"subject":"s","description":"d"}"#,
            r#"tool TaskUpdate {"taskId":"1","status":"in_progress"}"#,
            "tool TaskList {}",
            "say Done.",
        ],
    ))
    .await;
    let outputs = outputs(&run);
    assert_eq!(outputs[0]["newTodos"][0]["content"], "a");
    assert_eq!(outputs[3]["tasks"][0]["status"], "in_progress");
}

#[tokio::test]
async fn a_plan_that_was_written_comes_with_the_question() {
    let plan = r##"tool Write {"file_path":"$HOME/.claude/plans/p.md","content":"# Plan"}"##;
    let acts = [say(&[plan, "tool ExitPlanMode {}", "say Done."]), Settle, ask("get_plan")];
    let scenario = Scenario::new("plan", acts)
        .args(&["--permission-prompt-tool=stdio", "--permission-mode=plan"]);
    let run = run(scenario).await;
    let asked =
        run.frames.iter().find(|frame| frame["request"]["tool_name"] == "ExitPlanMode").unwrap();
    assert_eq!(asked["request"]["input"]["plan"], "# Plan");
    assert_eq!(outputs(&run)[1]["plan"], "# Plan");
    assert_eq!(run.frames.last().unwrap()["response"]["response"]["plan"], "# Plan");
}

/// A script goes on where it stood, in a new process too, and files can still be put back.
#[tokio::test]
async fn a_resumed_session_goes_on() {
    let write = r#"tool Write {"file_path":"$CWD/a.txt","content":"new\n"}"#;
    let rewind = Ask(json!({"subtype": "rewind_files", "user_message_id": "$U1", "dry_run": true}));
    let acts = [
        say(&[write, "say One.", "say Two."]),
        Settle,
        Restart(&["--resume=$SESSION"]),
        Say(json!("go on")),
        Settle,
        rewind,
    ];
    let scenario =
        Scenario::new("resume", acts).env(&[("CLAUDE_CODE_ENABLE_SDK_FILE_CHECKPOINTING", "1")]);
    let run = run(scenario).await;
    assert_eq!(results(&run), ["Two."]);
    let report = &run.frames.last().unwrap()["response"]["response"];
    assert_eq!((&report["canRewind"], &report["deletions"]), (&json!(true), &json!(1)));
}

/// The permission that was given for good holds in the next process.
#[tokio::test]
async fn rules_are_kept_in_files() {
    let touch = r#"tool Bash {"command":"touch a"}"#;
    let acts = [say(&[touch, "say One."]), Settle, Restart(&[]), say(&[touch, "say Two."]), Settle];
    let scenario = Scenario::new("rules", acts).answer(|request| {
        when_asked(request, || {
            let updates = &request["permission_suggestions"];
            Reply::Payload(json!({"behavior": "allow", "updatedInput": request["input"], "updatedPermissions": updates}))
        })
    });
    let Played { runs } = play(Side::Sim, &scenario).await;
    let asked = |run: &Run| kinds(run).iter().filter(|kind| *kind == "can_use_tool").count();
    assert_eq!((asked(&runs[0]), asked(&runs[1])), (1, 0));
}

#[tokio::test]
async fn an_interrupt_ends_a_subagent_in_the_background() {
    let agent = r##"tool Agent {"description":"d","prompt":"#script\nhold b\nsay x\n#end","subagent_type":"general-purpose"}"##;
    let acts = [say(&[agent, "say Done."]), Until("result"), Held("b"), ask("interrupt"), Settle];
    let run = run(Scenario::new("agent", acts)).await;
    let ends = run.frames.iter().filter(|frame| frame["subtype"] == "task_notification");
    let ends: Vec<_> = ends.map(|frame| &frame["status"]).collect();
    assert_eq!(ends, ["stopped"]);
}
