//! Short names of calls, for lists and headings.

use super::NormalizedPayload;
use super::generic::GenericCall;
use super::modify::{ModifyFile, MutationKind};
use super::search::{CodeSearch, SearchMode};
use super::shell::{ShellAction, ShellExec};
use super::todo::{ManageTodos, TodoOperation, TodoStatus};
use super::user::PlanAction;
use super::web::WebAction;

/// How many characters a title has at most.
const WIDTH: usize = 80;

impl NormalizedPayload {
    /// A short name for the call: `Edit src/main.rs`, `npm test`. On one line and without control
    /// characters.
    pub fn title(&self) -> String {
        self.title_in(None)
    }

    /// The same with paths relative to the directory `cwd`, where they are in it.
    pub fn title_in(&self, cwd: Option<&str>) -> String {
        let path = |path: &str| relative(path, cwd).to_owned();
        let title = match self {
            Self::ReadFile(read) => format!("Read {}", path(&read.file_path)),
            Self::ModifyFile(modify) => modified(modify, &path(&modify.file_path)),
            Self::ShellExec(shell) => ran(shell),
            Self::CodeSearch(search) => searched(search, search.path.as_deref().map(path)),
            Self::HttpRequest(http) => match http.action {
                WebAction::Fetch => format!("Fetch {}", http.url.as_deref().unwrap_or_default()),
                WebAction::Search => {
                    format!("Search the web for {}", http.query.as_deref().unwrap_or_default())
                }
            },
            Self::SubagentTask(task) => {
                let kind = task.subagent_type.as_deref().unwrap_or("Agent");
                let does = task.description.as_deref().unwrap_or(&task.prompt);
                format!("{kind}: {does}")
            }
            Self::CreateTask(create) => format!("Add to-do: {}", create.title),
            Self::ManageTodos(manage) => managed(manage),
            Self::Plan(plan) => match plan.action {
                PlanAction::Enter => "Start planning".to_owned(),
                PlanAction::Exit => "Plan".to_owned(),
            },
            Self::Question(call) => match call.questions.as_slice() {
                [first] => first.question.clone(),
                all => format!("{} questions", all.len()),
            },
            Self::Generic(call) => called(call),
            Self::Misc(call) => match &call.details {
                Some(details) => format!("{}: {details}", call.label),
                None => call.label.clone(),
            },
        };
        one_line(&title)
    }

    /// The files and directories that the call names.
    pub fn paths(&self) -> Vec<&str> {
        let path = match self {
            Self::ReadFile(read) => Some(&read.file_path),
            Self::ModifyFile(modify) => Some(&modify.file_path),
            Self::CodeSearch(search) => search.path.as_ref(),
            Self::Plan(plan) => plan.file_path.as_ref(),
            _ => None,
        };
        path.map(String::as_str).into_iter().collect()
    }
}

fn modified(modify: &ModifyFile, path: &str) -> String {
    let verb = match modify.mutations.first().map(|first| first.kind) {
        Some(MutationKind::Write) => "Write",
        Some(MutationKind::InsertCell) => "Add a cell to",
        Some(MutationKind::DeleteCell) => "Delete a cell of",
        Some(MutationKind::Edit | MutationKind::ReplaceCell) | None => "Edit",
    };
    format!("{verb} {path}")
}

fn ran(shell: &ShellExec) -> String {
    let description = shell.description.as_deref();
    let command = shell.command.as_deref().or(shell.socket.as_deref()).or(description);
    let task = command.or(shell.task_id.as_deref()).unwrap_or("a background task");
    match shell.action {
        ShellAction::Run | ShellAction::RunPowershell | ShellAction::Evaluate => task.to_owned(),
        ShellAction::Watch => format!("Watch {task}"),
        ShellAction::ReadOutput => format!("Output of {task}"),
        ShellAction::Stop => format!("Stop {task}"),
    }
}

fn searched(search: &CodeSearch, path: Option<String>) -> String {
    let what = search.query.as_deref().or(search.pattern.as_deref()).unwrap_or_default();
    let place = path.as_ref().map(|path| format!(" in {path}")).unwrap_or_default();
    match search.mode {
        SearchMode::FileNames => format!("Find {what}{place}"),
        SearchMode::Directory => format!("List {}", path.unwrap_or_default()),
        SearchMode::Symbols => format!("{what}{place}"),
        SearchMode::FilesWithMatches | SearchMode::Content | SearchMode::Count => {
            format!("Search for {what}{place}")
        }
    }
}

fn managed(manage: &ManageTodos) -> String {
    match (manage.operation, &manage.change) {
        (TodoOperation::Update, Some(change)) => {
            let name = change.title.as_deref().unwrap_or(&change.id);
            match change.status {
                Some(TodoStatus::Completed) => format!("Complete to-do {name}"),
                Some(TodoStatus::InProgress) => format!("Start to-do {name}"),
                Some(TodoStatus::Deleted) => format!("Remove to-do {name}"),
                _ => format!("Change to-do {name}"),
            }
        }
        (TodoOperation::Write | TodoOperation::Update, _) => "Update to-dos".to_owned(),
        (TodoOperation::List, _) => "Read to-dos".to_owned(),
        (TodoOperation::Get, _) => {
            format!("Read to-do {}", manage.task_id.as_deref().unwrap_or_default())
        }
    }
}

fn called(call: &GenericCall) -> String {
    match (&call.server, &call.tool) {
        (Some(server), Some(tool)) => format!("{server}: {tool}"),
        (Some(server), None) => format!("{}: {server}", call.name),
        _ => call.name.clone(),
    }
}

/// `path` from `cwd` on, where it is inside.
fn relative<'a>(path: &'a str, cwd: Option<&str>) -> &'a str {
    let inside = |cwd: &str| {
        let rest = path.strip_prefix(cwd.trim_end_matches(['/', '\\']))?;
        rest.strip_prefix(['/', '\\']).filter(|rest| !rest.is_empty())
    };
    cwd.filter(|cwd| !cwd.is_empty()).and_then(inside).unwrap_or(path)
}

/// `text` on one line that is not too long.
fn one_line(text: &str) -> String {
    // Enough to fill a line however much of it is white space.
    let text: String = text.trim().chars().take(WIDTH * 8).collect();
    let words = text.split(|c: char| c.is_whitespace() || c.is_control());
    let line = words.filter(|word| !word.is_empty()).collect::<Vec<_>>().join(" ");
    match line.char_indices().nth(WIDTH) {
        None => line,
        Some(_) => line.chars().take(WIDTH - 1).chain(['…']).collect(),
    }
}
