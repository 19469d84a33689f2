//! Plays a scenario with a real CLI and keeps what was said.

use std::path::PathBuf;
use std::time::Duration;
use std::{fs, io};

use serde_json::{Value, json};
use tokio::time::timeout;

use super::replies::Replies;
use super::scenario::{Run, Scenario, Step};
use crate::cli::{
    CliVersion, Direction, Harness, HarnessError, RawCli, RawError, control, initialize,
};
use crate::model::{ModelError, ScriptedModel};

/// How long a command may take to read from its pipe.
const PATIENCE: Duration = Duration::from_secs(60);

/// What was said in one run.
pub type Log = Vec<(Direction, String)>;

/// What a scenario gave.
#[derive(Debug)]
pub struct Played {
    /// One log for each run.
    pub runs: Vec<Log>,
    /// Texts that are different each time and mean a place, with what to write instead.
    pub places: Vec<(String, String)>,
}

/// Why a scenario was not played to its end.
#[derive(Debug, thiserror::Error)]
pub enum StageError {
    /// No CLI to play with.
    #[error(transparent)]
    Harness(#[from] HarnessError),
    /// The CLI did not play its part.
    #[error("step {step} of run {run}: {source}")]
    Cli {
        /// Which run, from 1.
        run: usize,
        /// Which step, from 1; 0 is the greeting.
        step: usize,
        /// What happened.
        source: RawError,
    },
    /// The model was not asked.
    #[error("step {step} of run {run}: {source}")]
    Model {
        /// Which run, from 1.
        run: usize,
        /// Which step, from 1.
        step: usize,
        /// What happened.
        source: ModelError,
    },
    /// The model could not be started.
    #[error(transparent)]
    NoModel(#[from] ModelError),
    /// A file of the project, or a pipe in it, could not be written.
    #[error("cannot write {}: {source}", path.display())]
    File {
        /// Which.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
}

/// Why a step failed, before it is known which one it was.
enum Fault {
    Cli(RawError),
    Model(ModelError),
    File(PathBuf, io::Error),
}

impl From<RawError> for Fault {
    fn from(error: RawError) -> Self {
        Self::Cli(error)
    }
}

impl From<ModelError> for Fault {
    fn from(error: ModelError) -> Self {
        Self::Model(error)
    }
}

/// Plays all runs of `scenario` with the CLI of `version`.
pub async fn play(scenario: &Scenario, version: CliVersion) -> Result<Played, StageError> {
    let model = ScriptedModel::start().await?;
    let mut harness = Harness::new(version, &model.base_url())?;
    for (name, value) in &scenario.env {
        harness.set_env(name, value)?;
    }
    for (name, content) in &scenario.files {
        write(harness.cwd().join(name), content)?;
    }
    let mut known = Known::new(&harness);
    let mut runs = Vec::new();
    for (index, run) in scenario.runs.iter().enumerate() {
        let place = |step| move |fault| located(fault, index + 1, step);
        let mut player = Player::start(run, &harness, known).await.map_err(place(0))?;
        for (at, step) in run.steps.iter().enumerate() {
            player.perform(step, version, &model).await.map_err(place(at + 1))?;
        }
        let last = run.steps.len() + 1;
        player.perform(&Step::Ended, version, &model).await.map_err(place(last))?;
        known = player.known;
        runs.push(player.cli.log().to_vec());
    }
    Ok(Played { runs, places: places(&harness, &model) })
}

fn write(path: PathBuf, content: &str) -> Result<(), StageError> {
    let parent = path.parent().map_or(Ok(()), fs::create_dir_all);
    parent
        .and_then(|()| fs::write(&path, content))
        .map_err(|source| StageError::File { path, source })
}

fn located(fault: Fault, run: usize, step: usize) -> StageError {
    match fault {
        Fault::Cli(source) => StageError::Cli { run, step, source },
        Fault::Model(source) => StageError::Model { run, step, source },
        Fault::File(path, source) => StageError::File { path, source },
    }
}

/// The temporary directory has three parts, all in one parent. The CLI also writes paths with all
/// that is no letter or digit replaced by a dash, and its program's own path.
fn places(harness: &Harness, model: &ScriptedModel) -> Vec<(String, String)> {
    let text = |path: &std::path::Path| path.to_string_lossy().into_owned();
    let root = harness.home().parent().map(text).unwrap_or_default();
    let dashed = |path: &str| path.replace(|c: char| !c.is_ascii_alphanumeric(), "-");
    let mut places = Vec::new();
    for (real, written) in [("home", "/home/user"), ("project", "/project"), ("tmp", "/tmp")] {
        let real = format!("{root}/{real}");
        places.push((dashed(&real), dashed(written)));
        places.push((real, written.to_owned()));
    }
    places.push((root, "/sandbox".to_owned()));
    places.push((text(harness.program()), "/usr/local/bin/claude".to_owned()));
    if let Ok(program) = fs::canonicalize(harness.program()) {
        places.push((text(&program), "/usr/local/bin/claude".to_owned()));
    }
    places.push((model.base_url(), "http://127.0.0.1:1".to_owned()));
    places
        .push((format!("claude-{}", rustix::process::getuid().as_raw()), "claude-1000".to_owned()));
    places
}

/// What texts of the scenario may refer to.
struct Known {
    names: Vec<(String, String)>,
    prompts: usize,
}

impl Known {
    fn new(harness: &Harness) -> Self {
        let path = |path: &std::path::Path| path.to_string_lossy().into_owned();
        let names = vec![
            ("$PROJECT".to_owned(), path(harness.cwd())),
            ("$HOME".to_owned(), path(harness.home())),
        ];
        Self { names, prompts: 0 }
    }

    fn set(&mut self, name: &str, value: &str) {
        self.names.retain(|(known, _)| known != name);
        self.names.push((name.to_owned(), value.to_owned()));
    }

    fn fill(&self, text: &str) -> String {
        self.names.iter().fold(text.to_owned(), |text, (name, value)| text.replace(name, value))
    }

    fn fill_in(&self, value: &Value) -> Value {
        match value {
            Value::String(text) => Value::String(self.fill(text)),
            Value::Array(items) => items.iter().map(|item| self.fill_in(item)).collect(),
            Value::Object(members) => {
                members.iter().map(|(key, value)| (self.fill(key), self.fill_in(value))).collect()
            }
            other => other.clone(),
        }
    }

    /// Where the plan is to be written: only the model is told.
    fn learn_plan(&mut self, model: &ScriptedModel) {
        for request in model.requests().iter().rev() {
            let text = request.body.to_string();
            let Some((before, after)) = text.split_once("/.claude/plans/") else { continue };
            let start = before.rfind(|c: char| c.is_whitespace() || "\"'`(:".contains(c));
            let directory = &before[start.map_or(0, |at| at + 1)..];
            if let Some((slug, _)) = after.split_once(".md") {
                self.set("$PLAN", &format!("{directory}/.claude/plans/{slug}.md"));
                return;
            }
        }
    }

    /// What a frame of the CLI tells.
    fn learn(&mut self, frame: &Value) {
        if let Some(session) = frame["session_id"].as_str()
            && frame["type"] == "system"
            && frame["subtype"] == "init"
        {
            self.set("$SESSION", session);
        }
        if frame["subtype"] == "task_started"
            && let Some(task) = frame["task_id"].as_str()
        {
            self.set("$TASK", task);
        }
        if let Some(task) = frame["tool_use_result"]["backgroundTaskId"].as_str() {
            self.set("$TASK", task);
        }
        if frame["type"] == "assistant"
            && let Some(uuid) = frame["uuid"].as_str()
        {
            self.set("$ANSWER", uuid);
        }
    }
}

struct Player<'a> {
    cli: RawCli,
    known: Known,
    replies: Replies<'a>,
    requests: usize,
}

impl<'a> Player<'a> {
    async fn start(run: &'a Run, harness: &Harness, known: Known) -> Result<Self, Fault> {
        let suits = |(since, _): &&(CliVersion, String)| *since <= harness.version();
        let flags = run.flags.iter().filter(suits).map(|(_, flag)| known.fill(flag));
        let flags: Vec<_> = flags.collect();
        let flags: Vec<_> = flags.iter().map(String::as_str).collect();
        let cli = RawCli::spawn(harness, &flags)?;
        let mut player = Self { cli, known, replies: Replies::new(run), requests: 0 };
        let mut greeting = initialize("init");
        if let (Value::Object(request), Value::Object(more)) =
            (&mut greeting["request"], &run.initialize)
        {
            request.extend(more.clone());
        }
        let greeting = player.known.fill_in(&greeting);
        player.cli.send(&greeting).await?;
        let answered = json!({"type": "control_response", "response": {"request_id": "init"}});
        // A CLI that cannot start says so and ends.
        match player.read_until(&answered).await {
            Ok(_) | Err(RawError::Ended { .. }) => Ok(player),
            Err(error) => Err(error.into()),
        }
    }

    async fn perform(
        &mut self,
        step: &Step,
        version: CliVersion,
        model: &ScriptedModel,
    ) -> Result<(), Fault> {
        match step {
            Step::Since(since, step) => {
                if version >= *since {
                    Box::pin(self.perform(step, version, model)).await?;
                }
            }
            Step::Prompt(content, beside) => {
                self.known.learn_plan(model);
                self.prompt(content, beside).await?;
            }
            Step::Send(frame) => {
                let frame = self.known.fill_in(frame);
                self.cli.send(&frame).await?;
            }
            Step::Tell(request) => {
                self.request(request).await?;
            }
            Step::Ask(request) => {
                let id = self.request(request).await?;
                let answer = json!({"type": "control_response", "response": {"request_id": id}});
                self.read_until(&answer).await?;
            }
            Step::Until(frame) => {
                let frame = self.known.fill_in(frame);
                self.read_until(&frame).await?;
            }
            Step::Settled => {
                self.read_until(&json!({"type": "result"})).await?;
                // Older versions do not tell their state.
                if version >= CliVersion::V2_1_325 {
                    self.read_until(&json!({"subtype": "session_state_changed", "state": "idle"}))
                        .await?;
                }
            }
            Step::Held(name) => model.wait_held(name).await?,
            Step::Release(name) => model.release(name),
            Step::Pipe(path, text) => {
                let path = PathBuf::from(self.known.fill(path));
                // Opening a pipe waits for its reader.
                match timeout(PATIENCE, tokio::fs::write(&path, text)).await {
                    Ok(Ok(())) => {}
                    Ok(Err(error)) => return Err(Fault::File(path, error)),
                    Err(_) => return Err(Fault::File(path, io::ErrorKind::TimedOut.into())),
                }
            }
            Step::CloseStdin => self.cli.close_stdin(),
            Step::Ended => {
                self.cli.close_stdin();
                match self.read_until(&json!({"type": "there is no such type"})).await {
                    Ok(_) | Err(RawError::Ended { .. }) => {}
                    Err(error) => return Err(error.into()),
                }
                self.cli.wait().await?;
            }
        }
        Ok(())
    }

    async fn prompt(&mut self, content: &Value, beside: &Value) -> Result<(), Fault> {
        let mut frame = crate::cli::prompt(self.known.fill_in(content));
        self.known.prompts += 1;
        let name = format!("$PROMPT{}", self.known.prompts);
        if let Some(uuid) = frame["uuid"].as_str() {
            self.known.set(&name, uuid);
        }
        if let (Value::Object(frame), Value::Object(beside)) = (&mut frame, beside) {
            frame.extend(beside.clone());
        }
        self.cli.send(&frame).await?;
        Ok(())
    }

    async fn request(&mut self, request: &Value) -> Result<String, Fault> {
        self.requests += 1;
        let id = format!("host-{}", self.requests);
        let frame = control(&id, self.known.fill_in(request));
        self.cli.send(&frame).await?;
        Ok(id)
    }

    /// Reads on, answers what the CLI asks, and returns the first frame that has all that `wanted`
    /// has.
    async fn read_until(&mut self, wanted: &Value) -> Result<Value, RawError> {
        loop {
            let frame = self.cli.recv_until(|_| true).await?;
            self.known.learn(&frame);
            for line in self.replies.to(&frame) {
                match self.cli.send(&self.known.fill_in(&line)).await {
                    // It may have closed its input already and still ask; nobody waits for the
                    // answer then.
                    Ok(()) | Err(RawError::Pipe { .. }) => {}
                    Err(error) => return Err(error),
                }
            }
            if has(&frame, wanted) {
                return Ok(frame);
            }
        }
    }
}

/// Whether `frame` has everything that `wanted` has.
fn has(frame: &Value, wanted: &Value) -> bool {
    match wanted {
        Value::Object(members) => {
            members.iter().all(|(key, value)| frame.get(key).is_some_and(|found| has(found, value)))
        }
        Value::Array(items) => frame
            .as_array()
            .is_some_and(|found| items.iter().all(|item| found.iter().any(|one| has(one, item)))),
        plain => frame == plain,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_frame_is_recognised_by_a_part_of_it() {
        let frame = json!({"type": "user", "message": {"content": [{"type": "a"}, {"type": "b"}]}});
        assert!(has(&frame, &json!({"message": {"content": [{"type": "b"}]}})));
        assert!(!has(&frame, &json!({"message": {"content": [{"type": "c"}]}})));
        assert!(!has(&frame, &json!({"absent": null})));
    }
}
