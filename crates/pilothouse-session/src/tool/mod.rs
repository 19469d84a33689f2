//! What a tool call is, whatever the tool is called.
//!
//! [`NormalizedPayload::of_call`] turns the name and input of a call into one of a few kinds, which
//! clients render; [`NormalizedPayload::complete`] adds what came of it. Both are total: an input or
//! a result of any shape gives a payload, and one that fits no kind gives a `generic` one. The kinds
//! hide which CLI version spoke and under which name it has the tool.
//!
//! Payloads are of bounded size (see [`TEXT_LIMIT`] and the other limits); texts are kept as they
//! are, escape sequences included, and are for clients to show harmlessly.
//!
//! ```
//! use pilothouse_session::tool::{NormalizedPayload, Outcome};
//! use pilothouse_wire::{Content, Raw};
//!
//! let input = Raw::from_text(r#"{"command":"npm test"}"#).unwrap();
//! let mut payload = NormalizedPayload::of_call("Bash", &input);
//! assert_eq!(payload.title(), "npm test");
//!
//! let content = Content::Text("Exit code 1\n2 tests failed".to_owned());
//! payload.complete(&Outcome { content: Some(&content), is_error: true, ..Outcome::default() });
//! let NormalizedPayload::ShellExec(shell) = payload else { panic!() };
//! assert_eq!(shell.output.unwrap().exit_code, Some(1));
//! ```

mod bound;
mod diff;
mod generic;
mod misc;
mod modify;
mod outcome;
mod read;
mod search;
mod shell;
mod subagent;
mod title;
mod todo;
mod todo_list;
mod update;
mod user;
mod web;

use pilothouse_wire::Raw;
use pilothouse_wire::tool::ToolInput;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

pub use bound::{DIFF_LIMIT, JSON_LIMIT, LIST_LIMIT, MEDIA_LIMIT, Media, TEXT_LIMIT};
pub use diff::{Patch, PatchHunk};
pub use generic::{GenericCall, GenericOutput, MiscCall};
pub use modify::{FileChange, ModifyFile, Mutation, MutationKind};
pub use outcome::Outcome;
pub use read::{FileContent, FileFormat, NotebookCell, ReadFile};
pub use search::{CodeSearch, SearchMode, SearchOutput};
pub use shell::{ShellAction, ShellExec, ShellOutput};
pub use subagent::{SubagentOutput, SubagentStatus, SubagentTask};
pub use todo::{CreateTask, ManageTodos, Todo, TodoChange, TodoOperation, TodoStatus};
pub use todo_list::TodoList;
pub use update::{FileUpdate, file_update};
pub use user::{
    AskedOption, AskedQuestion, PlanAction, PlanCall, PlanPermission, QuestionAnswer, QuestionCall,
};
pub use web::{HttpRequest, HttpResponse, WebAction, WebHit};

/// A tool call and what came of it, by what it does.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum NormalizedPayload {
    /// A file is read.
    ReadFile(ReadFile),
    /// A file is changed.
    ModifyFile(ModifyFile),
    /// A command is run, or a background task asked or stopped.
    ShellExec(ShellExec),
    /// Files, or text in files, are looked for.
    CodeSearch(CodeSearch),
    /// Something is asked of the web.
    HttpRequest(HttpRequest),
    /// A subagent is given work.
    SubagentTask(SubagentTask),
    /// An entry is added to the to-do list.
    CreateTask(CreateTask),
    /// The to-do list is written, changed or shown.
    ManageTodos(ManageTodos),
    /// Plan mode begins, or a plan is shown.
    Plan(PlanCall),
    /// The user is asked.
    Question(QuestionCall),
    /// A tool of an MCP server, or one that is not known.
    Generic(GenericCall),
    /// A tool of the CLI itself that needs no display of its own.
    Misc(MiscCall),
}

impl NormalizedPayload {
    /// The call of the tool `name`, which may be a name of an older version, with `input`.
    pub fn of_call(name: &str, input: &Raw) -> Self {
        use ToolInput as In;
        let generic = || Self::Generic(GenericCall::of(name, input));
        match ToolInput::of(name, input) {
            In::Read(input) => Self::ReadFile(ReadFile::of_read(input)),
            In::NotebookRead(input) => Self::ReadFile(ReadFile::of_notebook(input)),
            In::Edit(input) => Self::ModifyFile(ModifyFile::of_edit(input)),
            In::MultiEdit(input) if !bound::is_lost(&input.extra, "edits") => {
                Self::ModifyFile(ModifyFile::of_multi_edit(input))
            }
            In::Write(input) => Self::ModifyFile(ModifyFile::of_write(input)),
            In::NotebookEdit(input) => Self::ModifyFile(ModifyFile::of_notebook_edit(input)),
            In::Bash(input) => Self::ShellExec(ShellExec::of_bash(input)),
            In::PowerShell(input) => Self::ShellExec(ShellExec::of_powershell(input)),
            In::Repl(input) => Self::ShellExec(ShellExec::of_repl(input)),
            In::Monitor(input) => Self::ShellExec(ShellExec::of_monitor(input)),
            In::BashOutput(input) => Self::ShellExec(ShellExec::of_bash_output(input)),
            In::TaskOutput(input) => Self::ShellExec(ShellExec::of_task_output(input)),
            In::TaskStop(input) => Self::ShellExec(ShellExec::of_stop(&input)),
            In::Glob(input) => Self::CodeSearch(CodeSearch::of_glob(input)),
            In::Grep(input) => Self::CodeSearch(CodeSearch::of_grep(input)),
            In::Ls(input) => Self::CodeSearch(CodeSearch::of_ls(input)),
            In::Lsp(input) => Self::CodeSearch(CodeSearch::of_lsp(input)),
            In::WebFetch(input) => Self::HttpRequest(HttpRequest::of_fetch(input)),
            In::WebSearch(input) => Self::HttpRequest(HttpRequest::of_search(input)),
            In::Agent(input) => Self::SubagentTask(SubagentTask::of(input)),
            In::TaskCreate(input) => Self::CreateTask(CreateTask::of(input)),
            In::TodoWrite(input) => {
                ManageTodos::of_write(input).map_or_else(generic, Self::ManageTodos)
            }
            In::TodoRead(_) | In::TaskList(_) => Self::ManageTodos(ManageTodos::of_list()),
            In::TaskGet(input) => Self::ManageTodos(ManageTodos::of_get(input)),
            In::TaskUpdate(input) => Self::ManageTodos(ManageTodos::of_update(input)),
            In::EnterPlanMode(_) => Self::Plan(PlanCall::default()),
            In::ExitPlanMode(input) => Self::Plan(PlanCall::of_exit(input)),
            In::AskUserQuestion(input) => {
                QuestionCall::of(input).map_or_else(generic, Self::Question)
            }
            In::ListMcpResources(typed) => Self::of_server(name, typed.server, input),
            In::RefreshMcpTools(typed) => Self::of_server(name, typed.server, input),
            In::ReadMcpResource(typed) => Self::of_server(name, Some(typed.server), input),
            In::ReadMcpResourceDir(typed) => Self::of_server(name, Some(typed.server), input),
            In::Mcp { server, tool, input } => {
                Self::Generic(GenericCall::of_mcp(name, server, tool, &input))
            }
            In::Other { name, input } => Self::of_api_tool(&name, &input).unwrap_or_else(generic),
            other => misc::misc(other, input).map_or_else(generic, Self::Misc),
        }
    }

    fn of_server(name: &str, server: Option<String>, input: &Raw) -> Self {
        Self::Generic(GenericCall::of_server(name, server, input))
    }

    /// Tools that run at the API, and those of the CLI that have no typed input.
    fn of_api_tool(name: &str, input: &Raw) -> Option<Self> {
        match name {
            "web_search" => input.read().map(HttpRequest::of_search).map(Self::HttpRequest),
            "web_fetch" => input.read().map(HttpRequest::of_fetch).map(Self::HttpRequest),
            "bash_code_execution" => input.read().map(ShellExec::of_bash).map(Self::ShellExec),
            "code_execution" => input.read().map(ShellExec::of_repl).map(Self::ShellExec),
            _ => misc::misc_by_name(name, input).map(Self::Misc),
        }
    }

    /// Adds what came of the call. Does nothing where the call still runs.
    pub fn complete(&mut self, outcome: &Outcome<'_>) {
        if outcome.is_detached() {
            return;
        }
        match self {
            Self::ReadFile(call) => call.complete(outcome),
            Self::ModifyFile(call) => call.complete(outcome),
            Self::ShellExec(call) => call.complete(outcome),
            Self::CodeSearch(call) => call.complete(outcome),
            Self::HttpRequest(call) => call.complete(outcome),
            Self::SubagentTask(call) => call.complete(outcome),
            Self::CreateTask(call) => call.complete(outcome),
            Self::ManageTodos(call) => call.complete(outcome),
            Self::Plan(call) => call.complete(outcome),
            Self::Question(call) => call.complete(outcome),
            Self::Generic(call) => call.complete(outcome),
            Self::Misc(call) => call.complete(outcome),
        }
    }

    /// Why the call failed, if it did and it is known.
    pub fn error(&self) -> Option<&str> {
        let error = match self {
            Self::ReadFile(call) => &call.error,
            Self::ModifyFile(call) => &call.error,
            Self::ShellExec(call) => &call.error,
            Self::CodeSearch(call) => &call.error,
            Self::HttpRequest(call) => &call.error,
            Self::SubagentTask(call) => &call.error,
            Self::CreateTask(call) => &call.error,
            Self::ManageTodos(call) => &call.error,
            Self::Plan(call) => &call.error,
            Self::Question(call) => &call.error,
            Self::Generic(call) => &call.error,
            Self::Misc(call) => &call.error,
        };
        error.as_deref()
    }
}
