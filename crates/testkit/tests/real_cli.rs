//! The bed holds: each real CLI version talks to the scripted model and does what the script says.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test says what went wrong by panicking")]

use std::fs;

use serde_json::{Value, json};
use testkit::cli::{CliVersion, Harness, RawCli, allow, initialize, prompt};
use testkit::model::ScriptedModel;

/// One version, set up and greeted.
struct Bed {
    version: CliVersion,
    cli: RawCli,
    harness: Harness,
    model: ScriptedModel,
}

impl Bed {
    async fn new(version: CliVersion) -> Self {
        let model = ScriptedModel::start().await.unwrap();
        let harness = Harness::new(version, &model.base_url()).unwrap();
        let mut cli = RawCli::spawn(&harness, &RawCli::INTERACTIVE).unwrap();
        cli.send(&initialize("init")).await.unwrap();
        let reply = cli.recv_until(|frame| frame["type"] == "control_response");
        let reply = reply.await.unwrap();
        assert_eq!(reply["response"]["subtype"], "success", "{version}: {reply}");
        Self { version, cli, harness, model }
    }

    async fn prompt(&mut self, text: &str) {
        self.cli.send(&prompt(text)).await.unwrap();
    }

    async fn until(&mut self, kind: &str) -> Value {
        let frame = self.cli.recv_until(|frame| frame["type"] == kind).await;
        frame.unwrap_or_else(|error| panic!("{}: waiting for {kind}: {error}", self.version))
    }

    async fn permission(&mut self) -> Value {
        let request = self.until("control_request").await;
        assert_eq!(request["request"]["subtype"], "can_use_tool", "{request}");
        request
    }

    /// Ends the run and looks at how it went.
    async fn end(mut self, code: i32) {
        self.cli.close_stdin();
        let status = self.cli.wait().await.unwrap();
        let stderr = self.cli.stderr();
        assert_eq!(status.code(), Some(code), "{}: {stderr}", self.version);
        let strays: Vec<_> = self.model.other_requests().into_iter().map(|r| r.path).collect();
        assert_eq!(strays, Vec::<String>::new(), "{}", self.version);
    }
}

/// The blocks of all assistant frames of the main thread.
fn blocks(frames: &[Value]) -> Vec<Value> {
    let main =
        |frame: &&Value| frame["type"] == "assistant" && frame["parent_tool_use_id"].is_null();
    frames
        .iter()
        .filter(main)
        .flat_map(|frame| frame["message"]["content"].as_array().cloned().unwrap_or_default())
        .collect()
}

#[tokio::test]
async fn thinking_and_text() {
    for version in CliVersion::ALL {
        let mut bed = Bed::new(version).await;
        bed.prompt("Hello.\n#script\nthink Let me see.\nsay Good morning to you all.\n#end").await;
        let result = bed.until("result").await;
        assert_eq!(result["subtype"], "success", "{version}: {result}");
        assert_eq!(result["is_error"], false, "{version}: {result}");
        assert_eq!(result["result"], "Good morning to you all.", "{version}");
        let frames = bed.cli.frames();
        let said = blocks(&frames);
        assert_eq!(said[0]["thinking"], "Let me see.", "{version}");
        assert_eq!(said[1]["text"], "Good morning to you all.", "{version}");
        let deltas: String =
            frames.iter().filter_map(|frame| frame["event"]["delta"]["text"].as_str()).collect();
        assert_eq!(deltas, "Good morning to you all.", "{version}");
        let init = frames.iter().find(|frame| frame["subtype"] == "init").unwrap();
        assert_eq!(init["claude_code_version"], version.number());
        let requests = bed.model.requests();
        assert_eq!(requests.len(), 1, "{version}: {requests:#?}");
        assert!(requests[0].last_user_text().contains("Hello."));
        assert_eq!(requests[0].header("x-api-key"), Some("made-up-key-for-tests"));
        bed.end(0).await;
    }
}

#[tokio::test]
async fn a_tool_that_is_allowed_runs_and_its_result_reaches_the_model() {
    for version in CliVersion::ALL {
        let mut bed = Bed::new(version).await;
        let path = bed.harness.cwd().join("note.txt");
        let input = json!({"file_path": path, "content": "written\n"});
        bed.prompt(&format!("#script\ntool Write {input}\n---\nsay Done.\n#end")).await;
        let request = bed.permission().await;
        assert_eq!(request["request"]["tool_name"], "Write", "{version}");
        assert_eq!(request["request"]["input"], input, "{version}");
        bed.cli.send(&allow(&request)).await.unwrap();
        let result = bed.until("result").await;
        assert_eq!(result["result"], "Done.", "{version}: {result}");
        assert_eq!(fs::read_to_string(&path).unwrap(), "written\n", "{version}");
        let asked = bed.model.requests();
        let results = asked.last().unwrap().tool_results();
        assert_eq!(results.len(), 1, "{version}");
        assert!(!results[0].is_error, "{version}: {results:?}");
        assert!(results[0].text.contains("note.txt"), "{version}: {results:?}");
        bed.end(0).await;
    }
}

#[tokio::test]
async fn a_subagent_follows_the_script_in_its_own_prompt() {
    for version in CliVersion::ALL {
        let mut bed = Bed::new(version).await;
        let input = json!({
            "description": "count",
            "prompt": "Count.\n#script\nsay The subagent counted seven.\n#end",
            "subagent_type": "general-purpose",
            "run_in_background": false,
        });
        bed.prompt(&format!("#script\ntool Agent {input}\n---\nsay All counted.\n#end")).await;
        let result = bed.until("result").await;
        assert_eq!(result["result"], "All counted.", "{version}: {result}");
        let asked = bed.model.requests();
        let results = asked.last().unwrap().tool_results();
        assert!(results[0].text.contains("The subagent counted seven."), "{version}: {results:?}");
        bed.end(0).await;
    }
}

#[tokio::test]
async fn a_model_that_fails_is_asked_again() {
    for version in CliVersion::ALL {
        let mut bed = Bed::new(version).await;
        for (index, failure) in
            ["error 529", "error 429 retry-after=1", "cut"].into_iter().enumerate()
        {
            bed.prompt(&format!("#script\n{failure}\n---\nsay At last.\n#end")).await;
            let result = bed.until("result").await;
            assert_eq!(result["subtype"], "success", "{version} {failure}: {result}");
            assert_eq!(result["result"], "At last.", "{version} {failure}");
            assert_eq!(bed.model.requests().len(), 2 * (index + 1), "{version} {failure}");
        }
        bed.end(0).await;
    }
}

#[tokio::test]
async fn an_interrupt_in_mid_stream_ends_the_turn() {
    for version in CliVersion::ALL {
        let mut bed = Bed::new(version).await;
        bed.prompt("#script\nsay This much\nhold middle\nmore and never this.\n#end").await;
        bed.model.wait_held("middle").await.unwrap();
        bed.cli.recv_until(|frame| frame["event"]["delta"]["type"] == "text_delta").await.unwrap();
        let receipt = bed.cli.request("stop", json!({"subtype": "interrupt"})).await.unwrap();
        assert_eq!(receipt["subtype"], "success", "{version}: {receipt}");
        bed.model.wait_abandoned("middle").await.unwrap();
        let result = bed.until("result").await;
        assert_eq!(result["subtype"], "error_during_execution", "{version}: {result}");

        // The run goes on.
        bed.prompt("#script\nsay Here again.\n#end").await;
        let result = bed.until("result").await;
        assert_eq!(result["result"], "Here again.", "{version}: {result}");
        bed.end(0).await;
    }
}
