//! Commands: `Bash`, `PowerShell`, `Monitor`, and `TaskStop`, which ends what runs in the
//! background.

use crate::raw::{Num, Raw};

macro_rules! shell_inputs {
    ($($(#[$meta:meta])* $name:ident),* $(,)?) => {$(
        object! {
            $(#[$meta])*
            #[derive(Default)]
            pub struct $name {
                /// The command line.
                command: String,
                /// How long it may take, in milliseconds.
                timeout: Option<Num>,
                /// What it does, in a few words.
                description: Option<String>,
                /// Whether it is not waited for.
                run_in_background: Option<bool>,
                /// Whether it runs outside the sandbox.
                dangerously_disable_sandbox as "dangerouslyDisableSandbox": Option<bool>,
            }
        }
    )*};
}
shell_inputs! {
    /// Input of `Bash`.
    BashInput,
    /// Input of `PowerShell`.
    PowerShellInput,
}

object! {
    /// Output of `Bash` and `PowerShell`. There is no exit code.
    #[derive(Default)]
    pub struct BashOutput {
        /// Standard output.
        stdout: String,
        /// Standard error.
        stderr: Option<String>,
        /// Whether it was interrupted.
        interrupted: Option<bool>,
        /// Where the whole output is.
        raw_output_path as "rawOutputPath": Option<String>,
        /// Whether the output is a picture.
        is_image as "isImage": Option<bool>,
        /// The task, where it runs in the background.
        background_task_id as "backgroundTaskId": Option<String>,
        /// Whether the user put it there.
        backgrounded_by_user as "backgroundedByUser": Option<bool>,
        /// Put there because it took this long, in milliseconds.
        timed_out_after_ms as "timedOutAfterMs": Option<Num>,
        /// What the model is told of the working directory.
        background_cwd_hint as "backgroundCwdHint": Option<String>,
        /// Whether it ends with the agent's last answer.
        background_ends_with_final_response as "backgroundEndsWithFinalResponse": Option<bool>,
        /// Whether its end wakes the agent.
        background_wakes_owner as "backgroundWakesOwner": Option<bool>,
        /// Whether it ran outside the sandbox.
        dangerously_disable_sandbox as "dangerouslyDisableSandbox": Option<bool>,
        /// What the return code means, where it is not an error.
        return_code_interpretation as "returnCodeInterpretation": Option<String>,
        /// Whether no output is a good sign.
        no_output_expected as "noOutputExpected": Option<bool>,
        /// Blocks.
        structured_content as "structuredContent": Vec<Raw>,
        /// Where an output too large for the model is.
        persisted_output_path as "persistedOutputPath": Option<String>,
        /// Its size, in bytes.
        persisted_output_size as "persistedOutputSize": Option<u64>,
        /// What the model is told of files that changed under it.
        stale_read_file_state_hint as "staleReadFileStateHint": Option<String>,
        /// What the model is told of GitHub's limits.
        gh_rate_limit_hint as "ghRateLimitHint": Option<String>,
        /// What it did to the repository.
        git_operation as "gitOperation": Option<GitOperation>,
    }
}

object! {
    /// What a command did to the repository.
    #[derive(Default)]
    pub struct GitOperation {
        /// It committed.
        commit: Option<GitCommit>,
        /// It pushed.
        push: Option<GitPush>,
        /// It merged or rebased.
        branch: Option<GitBranch>,
        /// It did something to a pull request.
        pr: Option<GitPullRequest>,
    }
}

object! {
    /// A commit.
    #[derive(Default)]
    pub struct GitCommit {
        /// Its name.
        sha: String,
        /// `committed`, `amended`, `cherry-picked`.
        kind: Option<String>,
        /// The branch.
        branch: Option<String>,
    }
}

object! {
    /// A push.
    #[derive(Default)]
    pub struct GitPush {
        /// The branch.
        branch: String,
    }
}

object! {
    /// A merge or rebase.
    #[derive(Default)]
    pub struct GitBranch {
        /// What was merged, or rebased on.
        git_ref as "ref": String,
        /// `merged` or `rebased`.
        action: Option<String>,
    }
}

object! {
    /// What happened to a pull request.
    #[derive(Default)]
    pub struct GitPullRequest {
        /// Its number.
        number: u64,
        /// Its address.
        url: Option<String>,
        /// `created`, `merged`, `commented` …
        action: Option<String>,
    }
}

object! {
    /// Input of `Monitor`: a command, or a socket, whose output comes as notifications.
    #[derive(Default)]
    pub struct MonitorInput {
        /// What it watches, in a few words.
        description: Option<String>,
        /// How long, in milliseconds.
        timeout_ms: Option<Num>,
        /// The command.
        command: Option<String>,
        /// The socket.
        ws: Option<MonitorSocket>,
    }
}

object! {
    /// A socket to watch.
    #[derive(Default)]
    pub struct MonitorSocket {
        /// Its address.
        url: String,
        /// The protocols to offer.
        protocols: Vec<String>,
    }
}

object! {
    /// Output of `Monitor`.
    #[derive(Default)]
    pub struct MonitorOutput {
        /// The task.
        task_id as "taskId": String,
        /// How long it watches, in milliseconds.
        timeout_ms as "timeoutMs": Option<Num>,
        /// Whether it watches until the session ends.
        persistent: Option<bool>,
    }
}

object! {
    /// Input of `TaskStop`, and of `KillShell` before it.
    #[derive(Default)]
    pub struct TaskStopInput {
        /// The task.
        task_id: Option<String>,
        /// The task, as `KillShell` called it.
        shell_id: Option<String>,
    }
}

impl TaskStopInput {
    /// The task, under whichever name it came.
    pub fn task(&self) -> Option<&str> {
        self.task_id.as_deref().or(self.shell_id.as_deref())
    }
}

object! {
    /// Output of `TaskStop`, and of `KillShell` before it.
    #[derive(Default)]
    pub struct TaskStopOutput {
        /// What was done.
        message: String,
        /// The task.
        task_id: Option<String>,
        /// What kind of task.
        task_type: Option<String>,
        /// Its command.
        command: Option<String>,
        /// The task, as `KillShell` called it.
        shell_id: Option<String>,
    }
}
