//! Plays a scenario against one program and keeps everything that was said.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process, kill_process_group};
use serde_json::{Value, json};
use testkit::cli::{CliVersion, Harness};
use testkit::model::ScriptedModel;
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::process::{Child, ChildStdin, ChildStdout, Command};
use tokio::task::JoinHandle;
use tokio::time::timeout;

use super::scenario::{Act, Reply, Scenario};

/// How long a step of a scenario may take.
const PATIENCE: Duration = Duration::from_secs(60);

/// Who plays the CLI.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Side {
    /// Claude Code itself.
    Real,
    /// The program under test.
    Sim,
}

impl Side {
    fn harness(self, version: CliVersion, base_url: &str) -> Harness {
        match self {
            Self::Real => Harness::new(version, base_url).unwrap(),
            Self::Sim => {
                let sim = PathBuf::from(env!("CARGO_BIN_EXE_sim"));
                Harness::with_program(version, sim, base_url).unwrap()
            }
        }
    }
}

/// What came of a scenario.
#[derive(Debug, Default)]
pub(crate) struct Played {
    /// The frames of each run, in order; a scenario that restarts the CLI has several.
    pub(crate) runs: Vec<Run>,
}

/// One process from start to exit.
#[derive(Debug, Default)]
pub(crate) struct Run {
    /// What it wrote to stdout.
    pub(crate) frames: Vec<Value>,
    /// Lines of stdout that are no JSON.
    pub(crate) junk: Vec<String>,
    /// Its exit code, if it was not killed.
    pub(crate) code: Option<i32>,
    /// What it wrote to stderr.
    pub(crate) stderr: String,
}

struct Process {
    child: Child,
    group: Option<Pid>,
    stdin: Option<ChildStdin>,
    stdout: BufReader<ChildStdout>,
    stderr: JoinHandle<String>,
}

impl Process {
    fn end_group(&mut self) {
        if let Some(group) = self.group.take() {
            let _ = kill_process_group(group, Signal::KILL);
        }
    }
}

/// A scenario that fails leaves nothing behind.
impl Drop for Process {
    fn drop(&mut self) {
        self.end_group();
    }
}

/// A place to play in.
pub(crate) struct Bed {
    name: &'static str,
    side: Side,
    version: CliVersion,
    harness: Harness,
    model: ScriptedModel,
    holds: PathBuf,
    log: Vec<String>,
    played: Played,
    /// What `$NAME` stands for in prompts, requests and arguments.
    words: HashMap<String, String>,
    answer: fn(&Value) -> Reply,
    requests: usize,
}

/// Plays `scenario` on `side`.
pub(crate) async fn play(side: Side, scenario: &Scenario) -> Played {
    let model = ScriptedModel::start().await.unwrap();
    let harness = side.harness(scenario.version, &model.base_url());
    let holds = harness.home().join("holds");
    std::fs::create_dir(&holds).unwrap();
    let words = [
        ("CWD", harness.cwd().display().to_string()),
        ("HOME", harness.home().display().to_string()),
    ];
    let mut bed = Bed {
        name: scenario.name,
        side,
        version: scenario.version,
        harness,
        model,
        holds,
        log: Vec::new(),
        played: Played::default(),
        words: words.map(|(name, word)| (name.to_owned(), word)).into(),
        answer: scenario.answer,
        requests: 0,
    };
    for (path, content) in &scenario.files {
        let path = bed.harness.cwd().join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, content).unwrap();
    }
    bed.run(scenario).await;
    std::mem::take(&mut bed.played)
}

/// `SIM_DUMP=DIRECTORY` keeps every conversation for reading, also of a scenario that fails.
impl Drop for Bed {
    fn drop(&mut self) {
        if let Some(directory) = std::env::var_os("SIM_DUMP") {
            let directory = Path::new(&directory).join(format!("{:?}", self.side).to_lowercase());
            let file = directory.join(format!("{}.jsonl", self.name));
            let _ = std::fs::create_dir_all(&directory);
            let _ = std::fs::write(file, self.log.join("\n") + "\n");
        }
    }
}

impl Bed {
    async fn run(&mut self, scenario: &Scenario) {
        let args: Vec<_> = scenario.args.iter().map(|arg| (*arg).to_owned()).collect();
        let mut process = self.start(scenario, &args).await;
        for act in &scenario.acts {
            self.log.push(format!("# {act:?}"));
            match act {
                Act::Restart(args) => {
                    self.finish(process).await;
                    let mut all = args.iter().map(|arg| self.fill(arg)).collect::<Vec<_>>();
                    all.extend(scenario.args.iter().map(|arg| (*arg).to_owned()));
                    process = self.start(scenario, &all).await;
                }
                act => self.act(&mut process, act).await,
            }
        }
        self.finish(process).await;
    }

    async fn start(&mut self, scenario: &Scenario, args: &[String]) -> Process {
        let mut command = Command::new(self.harness.program());
        command
            .args(["--output-format=stream-json", "--verbose", "--input-format=stream-json"])
            .args(args)
            .env_clear()
            .envs(self.harness.env())
            .envs(scenario.env.iter().copied())
            .env("SIM_HOLD_DIR", &self.holds)
            .current_dir(self.harness.cwd())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .process_group(0)
            .kill_on_drop(true);
        let mut child = command.spawn().unwrap();
        let mut errors = child.stderr.take().unwrap();
        let stderr = tokio::spawn(async move {
            let mut text = Vec::new();
            let _ = errors.read_to_end(&mut text).await;
            String::from_utf8_lossy(&text).into_owned()
        });
        let mut process = Process {
            stdin: child.stdin.take(),
            stdout: BufReader::new(child.stdout.take().unwrap()),
            stderr,
            group: child.id().and_then(|id| Pid::from_raw(i32::try_from(id).ok()?)),
            child,
        };
        self.played.runs.push(Run::default());
        if let Some(fields) = &scenario.initialize {
            let mut request = fields.clone();
            request["subtype"] = json!("initialize");
            self.request(&mut process, request).await;
        }
        process
    }

    async fn act(&mut self, process: &mut Process, act: &Act) {
        match act {
            Act::Say(content) => {
                let content = self.fill_value(content);
                self.prompt(process, content).await;
            }
            Act::Send(frame) => {
                let frame = self.fill_value(frame);
                self.write(process, &frame.to_string()).await;
            }
            Act::Line(line) => self.write(process, line).await,
            Act::Ask(request) => {
                let request = self.fill_value(request);
                self.request(process, request).await;
            }
            Act::Until(kind) => self.until(process, |frame| is_kind(frame, kind)).await,
            Act::Settle => {
                self.until(process, |frame| is_kind(frame, "result")).await;
                if self.version == CliVersion::V2_1_325 {
                    self.until(process, |frame| is_kind(frame, "system/idle")).await;
                }
            }
            Act::Held(name) => match self.side {
                Side::Real => self.model.wait_held(name).await.unwrap(),
                Side::Sim => {
                    let mark = self.holds.join(format!("{name}.held"));
                    let wait = async {
                        while !mark.exists() {
                            tokio::time::sleep(Duration::from_millis(2)).await;
                        }
                    };
                    timeout(PATIENCE, wait).await.unwrap();
                }
            },
            Act::Release(name) => match self.side {
                Side::Real => self.model.release(name),
                Side::Sim => std::fs::write(self.holds.join(name), "").unwrap(),
            },
            Act::Touch(name) => std::fs::write(self.harness.cwd().join(name), "").unwrap(),
            Act::Eof => process.stdin = None,
            Act::Terminate => {
                kill_process(process.group.unwrap(), Signal::TERM).unwrap();
                // Its end must come from the signal, not from the end of its input.
                self.until(process, |_| false).await;
            }
            Act::Restart(_) => unreachable!("handled by the caller"),
        }
    }

    async fn prompt(&mut self, process: &mut Process, content: Value) {
        let uuid = uuid::Uuid::new_v4().to_string();
        let number = self.words.keys().filter(|key| key.starts_with('U')).count() + 1;
        self.words.insert(format!("U{number}"), uuid.clone());
        let frame = json!({
            "type": "user", "uuid": uuid, "session_id": "", "parent_tool_use_id": null,
            "message": {"role": "user", "content": content},
        });
        self.write(process, &frame.to_string()).await;
    }

    async fn request(&mut self, process: &mut Process, request: Value) {
        self.requests += 1;
        let id = format!("host-{}", self.requests);
        let frame = json!({"type": "control_request", "request_id": id, "request": request});
        self.write(process, &frame.to_string()).await;
        self.until(process, |frame| {
            frame["type"] == "control_response" && frame["response"]["request_id"] == id
        })
        .await;
    }

    async fn write(&mut self, process: &mut Process, line: &str) {
        self.log.push(format!("> {line}"));
        if let Some(stdin) = &mut process.stdin {
            // A program that is gone says so by the end of its output.
            let _ = stdin.write_all(format!("{line}\n").as_bytes()).await;
        }
    }

    async fn until(&mut self, process: &mut Process, wanted: impl Fn(&Value) -> bool) {
        loop {
            match timeout(PATIENCE, self.read(process)).await {
                Ok(Some(frame)) if wanted(&frame) => return,
                Ok(Some(_)) => {}
                Ok(None) => {
                    self.log.push("# closed too early".to_owned());
                    return;
                }
                Err(_) => panic!("{:?} is silent:\n{}", self.side, self.tail()),
            }
        }
    }

    /// The next frame; a request in it is answered as the scenario says.
    async fn read(&mut self, process: &mut Process) -> Option<Value> {
        let mut line = String::new();
        if process.stdout.read_line(&mut line).await.ok()? == 0 {
            return None;
        }
        self.log.push(format!("< {}", line.trim_end()));
        let Ok(frame) = serde_json::from_str::<Value>(&line) else {
            self.played.runs.last_mut()?.junk.push(line);
            return Some(Value::Null);
        };
        if let Some(id) = frame["session_id"].as_str() {
            self.words.insert("SESSION".to_owned(), id.to_owned());
        }
        if frame["type"] == "assistant" {
            let number = self.words.keys().filter(|key| key.starts_with('A')).count() + 1;
            let uuid = frame["uuid"].as_str().unwrap_or_default().to_owned();
            self.words.insert(format!("A{number}"), uuid);
        }
        if let Some(id) = frame["task_id"].as_str() {
            self.words.insert("TASK".to_owned(), id.to_owned());
        }
        self.played.runs.last_mut()?.frames.push(frame.clone());
        if frame["type"] == "control_request" {
            let reply = match (self.answer)(&frame["request"]) {
                Reply::Payload(payload) => {
                    json!({"subtype": "success", "request_id": frame["request_id"],
                           "response": self.fill_value(&payload)})
                }
                Reply::Error(text) => {
                    json!({"subtype": "error", "request_id": frame["request_id"], "error": text})
                }
                Reply::Silence => return Some(frame),
            };
            let reply = json!({"type": "control_response", "response": reply});
            self.write(process, &reply.to_string()).await;
        }
        Some(frame)
    }

    async fn finish(&mut self, mut process: Process) {
        process.stdin = None;
        loop {
            match timeout(PATIENCE, self.read(&mut process)).await {
                Ok(Some(_)) => {}
                Ok(None) => break,
                Err(_) => panic!("{:?} does not end:\n{}", self.side, self.tail()),
            }
        }
        let status = timeout(PATIENCE, process.child.wait()).await.unwrap().unwrap();
        // At once: later the number may belong to somebody else.
        process.end_group();
        let stderr = (&mut process.stderr).await.unwrap();
        self.log.push(format!("# exit {status}"));
        self.log.push(format!("# stderr {stderr:?}"));
        let run = self.played.runs.last_mut().unwrap();
        run.code = status.code();
        run.stderr = stderr;
    }

    fn fill(&self, text: &str) -> String {
        let mut text = text.to_owned();
        let mut names: Vec<_> = self.words.iter().collect();
        names.sort_by_key(|(name, _)| std::cmp::Reverse(name.len()));
        for (name, word) in names {
            text = text.replace(&format!("${name}"), word);
        }
        text
    }

    fn fill_value(&self, value: &Value) -> Value {
        serde_json::from_str(&self.fill(&value.to_string())).unwrap()
    }

    fn tail(&self) -> String {
        let from = self.log.len().saturating_sub(25);
        let lines = self.log[from..].iter();
        lines.map(|line| line.chars().take(400).collect::<String>() + "\n").collect()
    }
}

fn is_kind(frame: &Value, kind: &str) -> bool {
    let (name, subtype) = kind.split_once('/').unwrap_or((kind, ""));
    let found = match frame["type"].as_str() {
        Some("control_request") => &frame["request"]["subtype"],
        Some("session_state_changed") => &frame["state"],
        Some("stream_event") => &frame["event"]["type"],
        Some("system") if frame["subtype"] == "session_state_changed" => &frame["state"],
        _ => &frame["subtype"],
    };
    frame["type"] == name && (subtype.is_empty() || found == subtype)
}
