//! Bash, through `sh`: in the foreground, in the background, and on the way from one to the other.
//!
//! Output goes to a file, not through a pipe: a command may leave children behind that keep a pipe
//! open for ever.

use std::cell::Cell;
use std::fs::{self, File, OpenOptions};
use std::path::Path;
use std::process::{ExitStatus, Stdio};
use std::rc::Rc;
use std::time::Duration;

use serde_json::{Value, json};
use tokio::process::{Child, Command};
use tokio::sync::Notify;
use tokio::time::{Instant, sleep_until};

use super::Call;
use super::outcome::Outcome;
use crate::sim::abort::Abort;
use crate::sim::cli::{Cli, State};
use crate::sim::system::{Group, signal_of};
use crate::sim::tasks::{End, Kind, Notice, Task, fresh_id, fresh_run_id};

/// A command that runs this long is worth a word.
const SLOW: Duration = Duration::from_secs(2);

const DEFAULT_TIMEOUT: u64 = 120_000;

/// A process whose whole group ends with it.
struct Running {
    child: Child,
    group: Group,
}

impl Drop for Running {
    fn drop(&mut self) {
        self.group.kill();
    }
}

impl Running {
    fn start(cli: &Cli, command: &str, output: &Path) -> std::io::Result<Self> {
        if let Some(directory) = output.parent() {
            fs::create_dir_all(directory)?;
        }
        // Appending keeps what stdout and stderr write in order.
        let file = || -> std::io::Result<File> {
            OpenOptions::new().create(true).append(true).open(output)
        };
        let mut shell = Command::new("sh");
        shell.arg("-c").arg(command).current_dir(&cli.launch.cwd);
        shell.stdin(Stdio::null()).stdout(file()?).stderr(file()?);
        let (group, child) = Group::start(&mut shell)?;
        Ok(Self { child, group })
    }

    async fn ended(&mut self) -> Option<ExitStatus> {
        let status = self.child.wait().await.ok();
        // What it left behind may go on.
        self.group.forget();
        status
    }
}

/// Runs a command.
pub(super) async fn run(cli: &Rc<Cli>, call: &Call) -> Outcome {
    let command = call.input["command"].as_str().unwrap_or_default();
    let id = fresh_id('b');
    let output = cli.task_output(&id);
    let mut running = match Running::start(cli, command, &output) {
        Ok(running) => running,
        Err(fault) => return Outcome::failed(&format!("Cannot run sh: {fault}")),
    };
    let task = Rc::new(Task {
        id,
        run_id: fresh_run_id(),
        tool_use_id: call.id.clone(),
        description: call.input["description"].as_str().unwrap_or(command).to_owned(),
        kind: Kind::Shell,
        is_background: Cell::new(call.input["run_in_background"] == true),
        is_over: Cell::new(false),
        abort: Rc::new(Abort::default()),
        send_back: Notify::new(),
        output,
    });
    if task.is_background.get() {
        cli.task_started(&task);
        watch(cli, Rc::clone(&task), running);
        return in_background(&task, "Running in the background", json!({}));
    }
    let timeout = call.input["timeout"].as_u64().unwrap_or(DEFAULT_TIMEOUT);
    let started = Instant::now();
    let mut announced = Announced { cli, task: &task, is_told: false };
    loop {
        tokio::select! {
            biased;
            status = running.ended() => {
                announced.settle();
                let outcome = finished(status, &task.output);
                let _ = fs::remove_file(&task.output);
                return outcome;
            }
            () = task.send_back.notified() => {
                announced.is_told = false;
                watch(cli, Rc::clone(&task), running);
                return in_background(&task, "Sent to the background", json!({"backgroundedByUser": true}));
            }
            () = sleep_until(started + Duration::from_millis(timeout)) => {
                announced.is_told = false;
                task.is_background.set(true);
                cli.task_started(&task);
                watch(cli, Rc::clone(&task), running);
                return in_background(&task, "Took too long and went to the background", json!({"timedOutAfterMs": timeout}));
            }
            () = sleep_until(started + SLOW), if !announced.is_told => {
                cli.task_started(&task);
                announced.is_told = true;
            }
        }
    }
}

/// Tells of the end of a foreground task that was told of, whatever ends it.
struct Announced<'a> {
    cli: &'a Rc<Cli>,
    task: &'a Rc<Task>,
    is_told: bool,
}

impl Announced<'_> {
    fn settle(&mut self) {
        if std::mem::take(&mut self.is_told) {
            self.cli.task_ended(self.task, End::Completed, &self.task.description, None);
        }
    }
}

impl Drop for Announced<'_> {
    fn drop(&mut self) {
        // Dropped before its end: the turn was interrupted.
        if self.is_told {
            self.cli.task_ended(self.task, End::Stopped, &self.task.description, None);
        }
    }
}

fn finished(status: Option<ExitStatus>, output: &Path) -> Outcome {
    let bytes = fs::read(output).unwrap_or_default();
    let text = String::from_utf8_lossy(&bytes).trim_end().to_owned();
    let code = code_of(status);
    if code != 0 {
        return Outcome::failed(format!("Exit code {code}\n{text}").trim_end());
    }
    let shown = if text.is_empty() { "(no output)" } else { text.as_str() };
    let structured = json!({
        "stdout": text,
        "stderr": "",
        "interrupted": false,
        "isImage": false,
        "noOutputExpected": false,
    });
    Outcome { says_success: true, ..Outcome::text(shown, structured) }
}

fn code_of(status: Option<ExitStatus>) -> i32 {
    status.map_or(1, |status| {
        status.code().or_else(|| signal_of(status).map(|signal| 128 + signal)).unwrap_or(1)
    })
}

fn in_background(task: &Task, what: &str, extra: Value) -> Outcome {
    let mut structured = json!({
        "stdout": fs::read_to_string(&task.output).unwrap_or_default().trim_end(),
        "stderr": "",
        "interrupted": false,
        "isImage": false,
        "noOutputExpected": false,
        "backgroundTaskId": task.id,
    });
    if let (Value::Object(structured), Value::Object(extra)) = (&mut structured, extra) {
        structured.extend(extra);
    }
    let text = format!("{what} as {}; its output goes to {}", task.id, task.output.display());
    Outcome { says_success: true, ..Outcome::text(&text, structured) }
}

/// Sees a background command to its end.
fn watch(cli: &Rc<Cli>, task: Rc<Task>, mut running: Running) {
    let cli = Rc::clone(cli);
    tokio::task::spawn_local(async move {
        let ended = task.abort.unless(running.ended()).await;
        drop(running);
        match ended {
            Ok(status) => {
                let code = code_of(status);
                let end = if code == 0 { End::Completed } else { End::Failed };
                let summary =
                    format!("Command \"{}\" ended with exit code {code}", task.description);
                cli.task_ended(&task, end, &summary, None);
                cli.notices.borrow_mut().push(Notice { run_id: task.run_id.clone() });
                cli.work();
            }
            Err(_) => {
                cli.task_ended(&task, End::Stopped, &task.description, None);
                if cli.state() == State::Idle {
                    cli.announce_state();
                }
            }
        }
    });
}

/// The tool that stops a task.
pub(super) fn stop(cli: &Cli, input: &Value) -> Outcome {
    let id = input["task_id"].as_str().or(input["shell_id"].as_str()).unwrap_or_default();
    match cli.tasks.find(id) {
        Some(task) => {
            cli.stop_task(&task);
            let message = format!("Stopped {id}");
            Outcome::text(
                &message,
                json!({"message": message, "task_id": id, "task_type": "local_bash"}),
            )
        }
        None => Outcome::failed(&format!("No task with id {id} is running")),
    }
}
