//! Every example does what it says, with the real CLI and a scripted model.
//!
//! The examples are run as the programs they are. `cargo test` and `cargo nextest run` build them;
//! with `--test examples` alone, `cargo build --examples` has to come first.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test says what went wrong by panicking"
)]

use std::path::PathBuf;
use std::process::Stdio;
use std::time::Duration;

use serde_json::json;
use testkit::cli::{CliVersion, Harness};
use testkit::model::ScriptedModel;
use testkit::script::Script;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::process::Command;

/// How long an example may take. Generous: nothing waits for it but what has gone wrong.
const PATIENCE: Duration = Duration::from_secs(120);

/// A place to run examples in.
struct Bed {
    model: ScriptedModel,
    harness: Harness,
}

impl Bed {
    /// The model answers by `script`, whatever it is asked.
    async fn new(script: &str) -> Self {
        let script = Script::parse(script).unwrap();
        let model = ScriptedModel::start_with(script).await.unwrap();
        let harness = Harness::new(CliVersion::V2_1_325, &model.base_url()).unwrap();
        Self { model, harness }
    }

    fn command(&self, example: &str) -> Command {
        let mut command = Command::new(program(example));
        command
            .env_clear()
            .envs(self.harness.env())
            .env("PILOTHOUSE_CLAUDE", self.harness.program())
            .current_dir(self.harness.cwd())
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .kill_on_drop(true);
        command
    }

    /// Runs an example to its end, which must be a good one, and gives what it printed.
    async fn run(&self, example: &str) -> String {
        self.output(self.command(example)).await
    }

    /// The same for an example that asks on the terminal and is told `lines`.
    async fn run_and_type(&self, example: &str, lines: &str) -> String {
        let file = self.harness.home().join("typed");
        std::fs::write(&file, lines).unwrap();
        let mut command = self.command(example);
        command.stdin(std::fs::File::open(file).unwrap());
        self.output(command).await
    }

    async fn output(&self, mut command: Command) -> String {
        let output = tokio::time::timeout(PATIENCE, command.output()).await;
        let output = output.expect("the example does not end").unwrap();
        let stdout = String::from_utf8(output.stdout).unwrap();
        let stderr = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{}:\n{stdout}\n{stderr}", output.status);
        assert_eq!(stderr, "", "{stdout}");
        stdout
    }

    /// The absolute path of a file in the project.
    fn path(&self, name: &str) -> PathBuf {
        self.harness.cwd().join(name)
    }
}

/// Where cargo has put an example: beside the directory of this test.
fn program(example: &str) -> PathBuf {
    let mut path = std::env::current_exe().unwrap();
    path.pop();
    path.pop();
    path.extend(["examples", example]);
    assert!(path.is_file(), "{} is missing: run `cargo build --examples`", path.display());
    path
}

/// A call of `Write`, relative to the project: scripts are written before there is one.
fn write(name: &str, content: &str) -> String {
    let input = json!({"file_path": name, "content": content});
    format!("tool Write {input}\n---\n")
}

#[tokio::test]
async fn one_shot() {
    let bed = Bed::new("say A project, by the look of it.").await;
    assert_eq!(bed.run("one_shot").await, "A project, by the look of it.\n");
    assert!(bed.model.requests()[0].contains("What is in this directory?"));

    let mut command = bed.command("one_shot");
    command.arg("And what is not?");
    bed.output(command).await;
    assert!(bed.model.requests().pop().unwrap().contains("And what is not?"));
}

#[tokio::test]
async fn conversation() {
    let script = "tool Bash {\"command\":\"ls\"}\n---\nsay Two files.\n---\nsay The first one.";
    let bed = Bed::new(script).await;
    assert_eq!(
        bed.run("conversation").await,
        "[Bash {\"command\":\"ls\"}]\nTwo files.\n-- done in 2 round(s) with the model\n\
         The first one.\n-- done in 1 round(s) with the model\n"
    );
}

#[tokio::test]
async fn streaming() {
    let bed = Bed::new("chunk 9\nthink Light scatters.\nsay Blue scatters most.").await;
    assert_eq!(
        bed.run("streaming").await,
        "\x1b[2mLight sca\x1b[0m\x1b[2mtters.\x1b[0m\nBlue scatters most.\n"
    );
}

#[tokio::test]
async fn permissions() {
    let haiku = write("haiku.txt", "old pond\n");
    let script = format!(
        "{haiku}tool Bash {{\"command\":\"wc -w haiku.txt > words.txt\"}}\n---\n\
         tool WebFetch {{\"url\":\"http://127.0.0.1:9/\",\"prompt\":\"read\"}}\n---\nsay Done."
    );
    let bed = Bed::new(&script).await;
    let printed = bed.run_and_type("permissions", "y\nNo counting, please.\n\n").await;
    assert!(printed.contains("Write "), "{printed}");
    assert!(printed.contains("Run `wc -w haiku.txt > words.txt`?"), "{printed}");
    assert!(printed.contains("Use WebFetch with {"), "{printed}");
    assert!(printed.ends_with("Done.\n(denied: Bash)\n(denied: WebFetch)\n"), "{printed}");
    assert_eq!(std::fs::read_to_string(bed.path("haiku.txt")).unwrap(), "old pond\n");
    assert!(!bed.path("words.txt").exists());
    let results = bed.model.requests().pop().unwrap().tool_results();
    assert!(results[1].text.contains("No counting, please."), "{results:?}");
}

/// "Always" is remembered: the second write is not asked about.
#[tokio::test]
async fn permissions_always() {
    let script = [write("one.txt", "1\n"), write("two.txt", "2\n"), "say Done.".to_owned()];
    let bed = Bed::new(&script.concat()).await;
    let printed = bed.run_and_type("permissions", "a\n").await;
    assert_eq!(printed.matches("[a]lways").count(), 1, "{printed}");
    assert!(bed.path("one.txt").exists() && bed.path("two.txt").exists());
}

#[tokio::test]
async fn hooks() {
    let script = "tool Read {\"file_path\":\".env\"}\n---\n\
                  tool Bash {\"command\":\"echo today\"}\n---\nsay It is today.";
    let bed = Bed::new(script).await;
    std::fs::write(bed.path(".env"), "KEY=hush\n").unwrap();
    let printed = bed.run("hooks").await;
    let lines: Vec<_> = printed.lines().collect();
    let [kept, ran, answer] = lines[..] else { panic!("{printed}") };
    assert!(kept.starts_with("kept from ") && kept.ends_with(".env"), "{printed}");
    assert_eq!((ran, answer), ("ran `echo today`: today", "It is today."));
    assert!(!bed.model.requests().pop().unwrap().contains("hush"));
}

#[tokio::test]
async fn mcp_server() {
    let script = "tool mcp__shop__stock {\"article\":\"A-17\"}\n\
                  tool mcp__shop__stock {\"article\":\"B-5\"}\n---\nsay Three.";
    let bed = Bed::new(script).await;
    let printed = bed.run("mcp_server").await;
    assert!(printed.contains("looking up A-17\n") && printed.contains("looking up B-5\n"));
    assert!(printed.ends_with("Three.\n"), "{printed}");
    let results = bed.model.requests().pop().unwrap().tool_results();
    assert_eq!((results[0].text.as_str(), results[0].is_error), ("3 in stock", false));
    assert!(results[1].is_error && results[1].text.contains("no such article"), "{results:?}");
}

#[tokio::test]
async fn plan_and_questions() {
    let option = |label: &str| json!({"label": label, "description": "that"});
    let questions = json!({"questions": [{"question": "For whom?", "header": "Readers",
        "multiSelect": false, "options": [option("Users"), option("Developers")]}]});
    let readme = write("README.md", "# For users\n");
    let script = format!(
        "tool AskUserQuestion {questions}\n---\nhold plan\ntool ExitPlanMode {{}}\n---\n\
         {readme}say Done."
    );
    let bed = Bed::new(&script).await;
    let planning = async {
        bed.model.wait_held("plan").await.unwrap();
        let file = plan_file(&bed);
        std::fs::create_dir_all(file.parent().unwrap()).unwrap();
        std::fs::write(file, "1. Write it.").unwrap();
        bed.model.release("plan");
    };
    let (printed, ()) = tokio::join!(bed.run("plan_and_questions"), planning);
    assert_eq!(printed, "For whom? Users\nThe plan:\n1. Write it.\nDone.\n");
    assert_eq!(std::fs::read_to_string(bed.path("README.md")).unwrap(), "# For users\n");
    let results = bed.model.requests().pop().unwrap().tool_results();
    assert!(results[0].text.contains(r#""For whom?"="Users""#), "{results:?}");
}

/// The path that the CLI told the model to put the plan at.
fn plan_file(bed: &Bed) -> PathBuf {
    let text = bed.model.requests()[0].body.to_string();
    let plans = bed.harness.home().join(".claude/plans");
    let start = text.find(plans.to_str().unwrap()).expect("a path in what the model is told");
    let length = text[start..].find(".md").unwrap() + ".md".len();
    text[start..start + length].into()
}

#[tokio::test]
async fn images() {
    /// A picture of one pixel.
    const PNG: &[u8] = &[
        0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0x00, 0x00, 0x00, 0x0d, 0x49, 0x48, 0x44,
        0x52, 0x00, 0x00, 0x00, 0x01, 0x00, 0x00, 0x00, 0x01, 0x08, 0x06, 0x00, 0x00, 0x00, 0x1f,
        0x15, 0xc4, 0x89, 0x00, 0x00, 0x00, 0x0d, 0x49, 0x44, 0x41, 0x54, 0x78, 0xda, 0x63, 0x64,
        0xf8, 0xcf, 0x50, 0x0f, 0x00, 0x03, 0x86, 0x01, 0x80, 0x5a, 0x34, 0x7d, 0x6b, 0x00, 0x00,
        0x00, 0x00, 0x49, 0x45, 0x4e, 0x44, 0xae, 0x42, 0x60, 0x82,
    ];
    let bed = Bed::new("say A dot.").await;
    std::fs::write(bed.path("dot.png"), PNG).unwrap();
    let mut command = bed.command("images");
    command.arg("dot.png");
    assert_eq!(bed.output(command).await, "A dot.\n");
    let request = bed.model.requests().remove(0);
    let [picture] = request.user_blocks("image")[..] else { panic!("{}", request.body) };
    assert_eq!(picture["source"]["media_type"], "image/png");
    let data = picture["source"]["data"].as_str().unwrap();
    assert!(data.starts_with("iVBORw0KGgo"), "{data}");
}

#[tokio::test]
async fn interrupt() {
    let bed = Bed::new("say Once upon a time\nhold never\n---\nsay Happily.").await;
    let mut command = bed.command("interrupt");
    let mut child = command.stdin(Stdio::piped()).spawn().unwrap();
    let (mut stdin, mut stdout) = (child.stdin.take().unwrap(), child.stdout.take().unwrap());
    let story = async {
        let mut printed = Vec::new();
        // When this has been printed the turn is in full swing, and waits at the hold.
        while !printed.ends_with(b"Once upon a time") {
            assert_ne!(stdout.read_buf(&mut printed).await.unwrap(), 0, "it has ended");
        }
        stdin.write_all(b"\n").await.unwrap();
        stdout.read_to_end(&mut printed).await.unwrap();
        String::from_utf8(printed).unwrap()
    };
    let printed = tokio::time::timeout(PATIENCE, story).await.expect("the example does not end");
    assert_eq!(printed, "Once upon a time\n-- interrupted\nHappily.\n");
    bed.model.wait_abandoned("never").await.unwrap();
    assert!(child.wait().await.unwrap().success());
}

#[tokio::test]
async fn resume_and_fork() {
    let bed = Bed::new("say Albatross.\n---\nsay Petrel.\n---\nsay Coot.").await;
    let printed = bed.run("resume_and_fork").await;
    let lines: Vec<_> = printed.lines().map(|line| line.split(": ").collect::<Vec<_>>()).collect();
    let [first, second, third, _] = &lines[..] else { panic!("{printed}") };
    assert_eq!((first[1], second[1], third[1]), ("Albatross.", "Petrel.", "Coot."));
    assert_eq!(first[0], second[0], "the same conversation");
    assert_ne!(first[0], third[0], "a copy");
}

#[tokio::test]
async fn history() {
    let bed = Bed::new("say Good day.").await;
    assert_eq!(bed.run("history").await, "no conversations here yet\n");
    bed.run("one_shot").await;
    let mut command = bed.command("history");
    command.arg("Greetings");
    let printed = bed.output(command).await;
    assert!(printed.contains("  What is in this directory?\n"), "{printed}");
    assert!(printed.contains("User: What is in this directory?\n"), "{printed}");
    assert!(printed.contains("Assistant: Good day.\n"), "{printed}");
    assert!(printed.ends_with("now called Greetings\n"), "{printed}");
    assert!(bed.run("history").await.contains("  Greetings\n"));
}

#[tokio::test]
async fn rewind() {
    let bed = Bed::new(&format!("{}say Written.", write("haiku.txt", "old pond\n"))).await;
    let printed = bed.run("rewind").await;
    let lines: Vec<_> = printed.lines().collect();
    let [said, plan, after] = lines[..] else { panic!("{printed}") };
    assert_eq!((said, after), ("Written.", "haiku.txt is there: false"));
    assert!(plan.starts_with("would change [") && plan.contains("haiku.txt"), "{printed}");
}

#[tokio::test]
async fn structured_output() {
    let answer = json!({"dependencies": [{"name": "serde", "purpose": "JSON"}]});
    let bed = Bed::new(&format!("tool StructuredOutput {answer}\n---\nsay Done.")).await;
    assert_eq!(bed.run("structured_output").await, "serde: JSON\n");
}

#[tokio::test]
async fn subagents() {
    let task = "Read it.\n#script\nsay The third sentence is weak.\n#end";
    let call = json!({"description": "review", "prompt": task, "subagent_type": "critic",
        "run_in_background": false});
    let bed = Bed::new(&format!("say I shall ask.\ntool Agent {call}\n---\nsay All said.")).await;
    let printed = bed.run("subagents").await;
    assert_eq!(
        printed,
        "main: I shall ask.\n  critic: The third sentence is weak.\nmain: All said.\n\
         done: All said.\n"
    );
    assert!(bed.model.requests().iter().any(|request| request.contains("strict but kind editor")));
}

#[tokio::test]
async fn usage() {
    let bed = Bed::new("say Hello.\nusage 1000 10").await;
    let printed = bed.run("usage").await;
    assert!(printed.contains("cost so far: $0."), "{printed}");
    assert!(printed.contains(": 1000 in, 10 out\n"), "{printed}");
    assert!(printed.contains("context: "), "{printed}");
    assert!(printed.contains("\n  System prompt: "), "{printed}");
    assert!(printed.ends_with("plan limits known: false\n"), "{printed}");
}
