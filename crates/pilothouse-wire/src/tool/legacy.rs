//! Tools that current versions no longer have. Old transcripts are full of them.

use crate::field::Nullable;
use crate::raw::{Num, Raw};
use crate::tool::file::Hunk;

object! {
    /// Input of `MultiEdit`.
    #[derive(Default)]
    pub struct MultiEditInput {
        /// The file.
        file_path: String,
        /// The edits, in order.
        edits: Vec<EditStep>,
    }
}

object! {
    /// One edit of several.
    #[derive(Default)]
    pub struct EditStep {
        /// What to replace.
        old_string: String,
        /// What to put there.
        new_string: String,
        /// Whether to replace it everywhere.
        replace_all: Option<bool>,
    }
}

object! {
    /// Output of `MultiEdit`.
    #[derive(Default)]
    pub struct MultiEditOutput {
        /// The file.
        file_path as "filePath": String,
        /// The edits, in order.
        edits: Vec<EditStep>,
        /// The file before.
        original_file_contents as "originalFileContents": Nullable<String>,
        /// What changed.
        structured_patch as "structuredPatch": Vec<Hunk>,
        /// Whether the user changed the edits.
        user_modified as "userModified": Option<bool>,
    }
}

object! {
    /// Input of `LS`.
    #[derive(Default)]
    pub struct LsInput {
        /// The directory.
        path: String,
        /// What to leave out.
        ignore: Vec<String>,
    }
}

object! {
    /// Input of `NotebookRead`.
    #[derive(Default)]
    pub struct NotebookReadInput {
        /// The notebook.
        notebook_path: String,
        /// Only this cell.
        cell_id: Option<String>,
    }
}

object! {
    /// Input of `TodoRead`: nothing.
    #[derive(Default)]
    pub struct TodoReadInput {}
}

object! {
    /// Input of `SlashCommand`.
    #[derive(Default)]
    pub struct SlashCommandInput {
        /// The command, with its arguments.
        command: String,
    }
}

object! {
    /// Input of `BashOutput`, which asked for the output of a shell in the background.
    #[derive(Default)]
    pub struct BashOutputInput {
        /// The shell.
        bash_id: String,
        /// Only lines that match.
        filter: Option<String>,
    }
}

object! {
    /// Output of `BashOutput`.
    #[derive(Default)]
    pub struct BashOutputOutput {
        /// The shell.
        shell_id as "shellId": String,
        /// Its command.
        command: Option<String>,
        /// `running`, `completed`, `failed`, `killed`.
        status: Option<String>,
        /// Null while it runs.
        exit_code as "exitCode": Nullable<i64>,
        /// Standard output.
        stdout: Option<String>,
        /// Standard error.
        stderr: Option<String>,
        /// Lines of standard output.
        stdout_lines as "stdoutLines": Option<u64>,
        /// Lines of standard error.
        stderr_lines as "stderrLines": Option<u64>,
        /// What went wrong.
        error: Option<String>,
        /// Only lines that match this were asked for.
        filter_pattern as "filterPattern": Option<String>,
        /// When.
        timestamp: Option<String>,
    }
}

object! {
    /// Input of `TaskOutput`, which asked for the output of a background task.
    #[derive(Default)]
    pub struct TaskOutputInput {
        /// The task.
        task_id: String,
        /// Whether to wait for it.
        block: Option<bool>,
        /// How long, in milliseconds.
        timeout: Option<Num>,
    }
}

object! {
    /// Output of `TaskOutput`.
    #[derive(Default)]
    pub struct TaskOutputOutput {
        /// `success`, `timeout`, `not_ready`.
        retrieval_status: String,
        /// The task.
        task: Nullable<BackgroundTaskState>,
    }
}

object! {
    /// A background task and its output.
    #[derive(Default)]
    pub struct BackgroundTaskState {
        /// The task.
        task_id: Option<String>,
        /// `local_bash`, `local_agent` …
        task_type: Option<String>,
        /// How it stands.
        status: Option<String>,
        /// What it is, in a few words.
        description: Option<String>,
        /// What it has said.
        output: Option<String>,
        /// Of a shell, once it has ended.
        exit_code as "exitCode": Nullable<i64>,
        /// What went wrong.
        error: Option<String>,
        /// Of an agent, what it was told.
        prompt: Option<String>,
        /// Of an agent, what it reports.
        result: Option<String>,
    }
}

object! {
    /// Input of `Config`.
    #[derive(Default)]
    pub struct ConfigInput {
        /// The setting.
        setting: String,
        /// What it is to be; absent to ask.
        value: Option<Raw>,
    }
}

object! {
    /// Output of `Config`.
    #[derive(Default)]
    pub struct ConfigOutput {
        /// Whether it was done.
        success: bool,
        /// `get` or `set`.
        operation: Option<String>,
        /// The setting.
        setting: Option<String>,
        /// What it is.
        value: Option<Raw>,
        /// What it was.
        previous_value as "previousValue": Option<Raw>,
        /// What it is now.
        new_value as "newValue": Option<Raw>,
        /// What went wrong.
        error: Option<String>,
    }
}

object! {
    /// Input of `REPL`.
    #[derive(Default)]
    pub struct ReplInput {
        /// The code.
        code: String,
        /// What it does, in a few words.
        description: Option<String>,
        /// How long it may take, in milliseconds.
        timeout: Option<Num>,
    }
}

object! {
    /// Output of `REPL`.
    #[derive(Default)]
    pub struct ReplOutput {
        /// The code.
        code: Option<String>,
        /// Its value.
        result: Option<Raw>,
        /// Standard output.
        stdout: String,
        /// Standard error.
        stderr: Option<String>,
        /// What went wrong.
        error: Option<String>,
    }
}
