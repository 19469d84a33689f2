//! `shell_exec`: a command, and the background task it may become.

use pilothouse_wire::Raw;
use pilothouse_wire::tool::legacy::{
    BackgroundTaskState, BashOutputInput, BashOutputOutput, ReplInput, ReplOutput, TaskOutputInput,
    TaskOutputOutput,
};
use pilothouse_wire::tool::shell::{
    BashInput, BashOutput, MonitorInput, MonitorOutput, PowerShellInput, TaskStopInput,
    TaskStopOutput,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::bound::{Album, Media, TEXT_LIMIT, clip, clip_text, unset, whole};
use super::outcome::Outcome;

/// A command is run, watched, asked for its output or stopped: `Bash`, `PowerShell`, `REPL`,
/// `Monitor`, `BashOutput`, `TaskOutput`, `TaskStop`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ShellExec {
    /// What is done.
    pub action: ShellAction,
    /// The command line, or the code. Of a background task it is known only from the result, if at
    /// all.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub command: Option<String>,
    /// What the command does, in a few words.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// How long it may take, in milliseconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub timeout: Option<u64>,
    /// Whether it is not waited for.
    #[serde(default, skip_serializing_if = "unset")]
    pub background: bool,
    /// Whether it runs outside the sandbox.
    #[serde(default, skip_serializing_if = "unset")]
    pub unsandboxed: bool,
    /// The background task: the one that is asked for or stopped, or the one that the command became.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub task_id: Option<String>,
    /// The address of the socket that is watched in place of a command.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub socket: Option<String>,
    /// What came of it, once it is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub output: Option<ShellOutput>,
    /// Why the call failed. A command that ran and ended badly has an exit code in place of this.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
}

/// What is done with a command.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ShellAction {
    /// It is run by a POSIX shell.
    #[default]
    Run,
    /// It is run by PowerShell.
    RunPowershell,
    /// It is code for an interpreter.
    Evaluate,
    /// It runs on, and each line it prints wakes the model.
    Watch,
    /// A background task is asked for its output.
    ReadOutput,
    /// A background task is stopped.
    Stop,
}

/// What came of a command.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ShellOutput {
    /// The exit code. The CLI reports none for a command that went well or that it put into the
    /// background; it is 0 here where the CLI says that the command went well.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub exit_code: Option<i64>,
    /// Standard output; where the CLI does not tell them apart, together with standard error.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub stdout: String,
    /// Standard error.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub stderr: String,
    /// Whether text is missing from `stdout` or `stderr`: left out here, or by the CLI, which then
    /// says in `output_file` where the whole is.
    #[serde(default, skip_serializing_if = "unset")]
    pub truncated: bool,
    /// Where `stdout` was shortened, how many bytes it had.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stdout_bytes: Option<u64>,
    /// Where `stderr` was shortened here, how many bytes it had.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stderr_bytes: Option<u64>,
    /// Whether the command was interrupted.
    #[serde(default, skip_serializing_if = "unset")]
    pub interrupted: bool,
    /// Put into the background because it had taken this many milliseconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub timed_out_after_ms: Option<u64>,
    /// Whether the user put it into the background.
    #[serde(default, skip_serializing_if = "unset")]
    pub backgrounded_by_user: bool,
    /// What the exit code means where it is no failure, such as that nothing was found.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
    /// Of a background task, how it stands: `running`, `completed`, `failed`, `killed`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub status: Option<String>,
    /// Where the CLI has put an output that is too large for the model.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub output_file: Option<String>,
    /// Pictures that it printed.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub media: Vec<Media>,
}

impl ShellExec {
    pub(crate) fn of_bash(input: BashInput) -> Self {
        Self {
            action: ShellAction::Run,
            command: Some(clip_text(input.command)),
            description: input.description,
            timeout: whole(input.timeout.as_ref()),
            background: input.run_in_background == Some(true),
            unsandboxed: input.dangerously_disable_sandbox == Some(true),
            ..Self::default()
        }
    }

    pub(crate) fn of_powershell(input: PowerShellInput) -> Self {
        let PowerShellInput { command, timeout, description, run_in_background, .. } = input;
        let dangerously_disable_sandbox = input.dangerously_disable_sandbox;
        let extra = input.extra;
        let bash = BashInput {
            command,
            timeout,
            description,
            run_in_background,
            dangerously_disable_sandbox,
            extra,
        };
        Self { action: ShellAction::RunPowershell, ..Self::of_bash(bash) }
    }

    pub(crate) fn of_repl(input: ReplInput) -> Self {
        Self {
            action: ShellAction::Evaluate,
            command: Some(clip_text(input.code)),
            description: input.description,
            timeout: whole(input.timeout.as_ref()),
            ..Self::default()
        }
    }

    pub(crate) fn of_monitor(input: MonitorInput) -> Self {
        Self {
            action: ShellAction::Watch,
            command: input.command.map(clip_text),
            description: input.description,
            timeout: whole(input.timeout_ms.as_ref()),
            background: true,
            socket: input.ws.map(|socket| socket.url),
            ..Self::default()
        }
    }

    pub(crate) fn of_bash_output(input: BashOutputInput) -> Self {
        Self::of_task(ShellAction::ReadOutput, Some(input.bash_id))
    }

    pub(crate) fn of_task_output(input: TaskOutputInput) -> Self {
        let timeout = whole(input.timeout.as_ref());
        Self { timeout, ..Self::of_task(ShellAction::ReadOutput, Some(input.task_id)) }
    }

    pub(crate) fn of_stop(input: &TaskStopInput) -> Self {
        Self::of_task(ShellAction::Stop, input.task().map(str::to_owned))
    }

    fn of_task(action: ShellAction, task_id: Option<String>) -> Self {
        Self { action, task_id, ..Self::default() }
    }

    pub(crate) fn complete(&mut self, outcome: &Outcome<'_>) {
        let done = match self.action {
            ShellAction::Run | ShellAction::RunPowershell => {
                outcome.typed().map(|output| self.ran(output, outcome))
            }
            ShellAction::Evaluate => outcome.typed().map(|output| self.evaluated(output)),
            ShellAction::Watch => outcome.typed().map(|output| self.watched(output)),
            ShellAction::ReadOutput => self.was_read(outcome),
            ShellAction::Stop => outcome.typed().map(|output| self.stopped(output)),
        };
        if done.is_none() {
            self.complete_from_text(outcome);
        } else if outcome.is_error {
            self.error = outcome.error();
        }
    }

    fn complete_from_text(&mut self, outcome: &Outcome<'_>) {
        if !outcome.is_error {
            let text = outcome.text();
            let nothing = text.starts_with('(') && text.ends_with("completed with no output)");
            let printed = if nothing { String::new() } else { text };
            let mut output = ShellOutput::printed(printed, String::new());
            output.media = Album::of(outcome.content);
            self.output = Some(output);
        } else if let Some((code, printed)) = exit_code(&outcome.text()) {
            let output = ShellOutput::printed(printed.to_owned(), String::new());
            self.output = Some(ShellOutput { exit_code: Some(code), ..output });
        } else {
            self.error = outcome.error();
        }
    }

    fn ran(&mut self, ran: BashOutput, outcome: &Outcome<'_>) {
        let mut output = if ran.is_image == Some(true) {
            // Standard output is the picture once more.
            ShellOutput::default()
        } else {
            ShellOutput::printed(ran.stdout, ran.stderr.unwrap_or_default())
        };
        output.media = Album::of(outcome.content);
        output.interrupted = ran.interrupted == Some(true);
        output.backgrounded_by_user = ran.backgrounded_by_user == Some(true);
        output.timed_out_after_ms = whole(ran.timed_out_after_ms.as_ref());
        output.note = ran.return_code_interpretation;
        if ran.persisted_output_path.is_some() {
            output.truncated = true;
            output.stdout_bytes = ran.persisted_output_size.or(output.stdout_bytes);
        }
        output.output_file = ran.persisted_output_path.or(ran.raw_output_path);
        let unfinished = output.interrupted || ran.background_task_id.is_some();
        // Code that the API runs does report it.
        let reported = ran.extra.get("return_code").and_then(Raw::read);
        let went_well = !unfinished && !outcome.is_error && output.note.is_none();
        output.exit_code = reported.or(went_well.then_some(0));
        self.task_id = ran.background_task_id;
        self.output = Some(output);
    }

    fn evaluated(&mut self, output: ReplOutput) {
        let value = output.result.filter(|value| !value.is_null());
        let value = value.map(|value| value.read().unwrap_or_else(|| value.get().to_owned()));
        let printed = [output.stdout, value.unwrap_or_default()];
        let printed: Vec<_> = printed.into_iter().filter(|text| !text.is_empty()).collect();
        let stderr = output.stderr.unwrap_or_default();
        let exit_code = output.extra.get("return_code").and_then(Raw::read);
        let shown = ShellOutput::printed(printed.join("\n"), stderr);
        self.output = Some(ShellOutput { exit_code, ..shown });
        self.error = output.error.filter(|error| !error.is_empty());
    }

    fn watched(&mut self, output: MonitorOutput) {
        self.task_id = Some(output.task_id);
        self.timeout = whole(output.timeout_ms.as_ref()).or(self.timeout);
    }

    fn was_read(&mut self, outcome: &Outcome<'_>) -> Option<()> {
        if let Some(shell) = outcome.typed::<BashOutputOutput>() {
            self.command = shell.command.or(self.command.take());
            let printed = shell.stdout.unwrap_or_default();
            let mut output = ShellOutput::printed(printed, shell.stderr.unwrap_or_default());
            output.status = shell.status;
            output.exit_code = shell.exit_code.into_option();
            self.output = Some(output);
            self.error = shell.error.filter(|error| !error.is_empty());
            return Some(());
        }
        let task = outcome.typed::<TaskOutputOutput>()?.task.into_option().unwrap_or_default();
        let BackgroundTaskState { status, description, output, result, exit_code, error, .. } =
            task;
        self.description = description.or(self.description.take());
        let printed = output.or(result).unwrap_or_default();
        let output = ShellOutput::printed(printed, String::new());
        let exit_code = exit_code.into_option();
        self.output = Some(ShellOutput { status, exit_code, ..output });
        self.error = error.filter(|error| !error.is_empty());
        Some(())
    }

    fn stopped(&mut self, output: TaskStopOutput) {
        self.task_id = output.task_id.or(output.shell_id).or(self.task_id.take());
        self.command = output.command.or(self.command.take());
        let status = Some("killed".to_owned());
        let note = Some(output.message).filter(|message| !message.is_empty());
        self.output = Some(ShellOutput { status, note, ..ShellOutput::default() });
    }
}

impl ShellOutput {
    fn printed(stdout: String, stderr: String) -> Self {
        let (stdout, stderr) = (clip(stdout, TEXT_LIMIT), clip(stderr, TEXT_LIMIT));
        Self {
            truncated: stdout.bytes.is_some() || stderr.bytes.is_some(),
            stdout: stdout.text,
            stderr: stderr.text,
            stdout_bytes: stdout.bytes,
            stderr_bytes: stderr.bytes,
            ..Self::default()
        }
    }
}

/// The exit code that a failed command's text begins with, and what it printed.
fn exit_code(text: &str) -> Option<(i64, &str)> {
    let rest = text.strip_prefix("Exit code ")?;
    let (code, printed) = rest.split_once('\n').unwrap_or((rest, ""));
    code.trim().parse().ok().map(|code| (code, printed))
}
