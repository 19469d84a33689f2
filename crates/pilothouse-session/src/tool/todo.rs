//! `create_task` and `manage_todos`: calls that change or show the to-do list.

use pilothouse_wire::tool::todo::{
    TaskCreateInput, TaskCreateOutput, TaskGetInput, TaskGetOutput, TaskUpdateInput,
    TaskUpdateOutput, TodoItem, TodoStatus as Word, TodoTask, TodoWriteInput,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::bound::{LIST_LIMIT, clip_text, is_lost};
use super::outcome::Outcome;

/// An entry is added to the to-do list: `TaskCreate`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct CreateTask {
    /// The headline.
    pub title: String,
    /// What is to be done.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// What to show while it is being done.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub active_form: Option<String>,
    /// Names the entry, once it is there.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub task_id: Option<String>,
    /// Why the call failed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
}

/// The to-do list is written, changed or shown: `TodoWrite`, `TodoRead`, `TaskUpdate`, `TaskList`,
/// `TaskGet`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ManageTodos {
    /// What is done.
    pub operation: TodoOperation,
    /// The whole list, or the entry that was asked for.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub items: Vec<Todo>,
    /// The entry that is asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub task_id: Option<String>,
    /// What changes in one entry.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub change: Option<TodoChange>,
    /// Whether `items` were in the result; a list that was only asked for is empty until then.
    #[serde(default, skip_serializing_if = "super::bound::unset")]
    pub answered: bool,
    /// Why the call failed, or was not heeded.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
}

/// What is done to the to-do list.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum TodoOperation {
    /// The whole list is replaced.
    #[default]
    Write,
    /// The whole list is shown.
    List,
    /// One entry is shown.
    Get,
    /// One entry is changed or removed.
    Update,
}

/// An entry of the to-do list.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Todo {
    /// Names the entry, where the tool gives names.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    /// The headline.
    pub title: String,
    /// What is to be done, at length.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// How it stands.
    pub status: TodoStatus,
    /// What to show while it is being done.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub active_form: Option<String>,
    /// How urgent it is; from old versions.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub priority: Option<String>,
    /// Who does it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub owner: Option<String>,
    /// The entries that wait for it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub blocks: Vec<String>,
    /// The entries that it waits for.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub blocked_by: Vec<String>,
}

/// How an entry stands.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum TodoStatus {
    /// Not begun.
    #[default]
    Pending,
    /// Being done.
    InProgress,
    /// Done.
    Completed,
    /// Only in a change: the entry is removed.
    Deleted,
    /// A word this version does not know.
    Unknown,
}

/// What changes in an entry; what is absent stays.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct TodoChange {
    /// Names the entry.
    pub id: String,
    /// The new headline.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// What is to be done now.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// How it stands now.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub status: Option<TodoStatus>,
    /// What to show while it is being done.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub active_form: Option<String>,
    /// Who does it now.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub owner: Option<String>,
    /// Entries that wait for it, too.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub add_blocks: Vec<String>,
    /// Entries that it waits for, too.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub add_blocked_by: Vec<String>,
}

impl CreateTask {
    pub(crate) fn of(input: TaskCreateInput) -> Self {
        let TaskCreateInput { subject: title, description, active_form, .. } = input;
        let description = description.map(clip_text);
        Self { title, description, active_form, ..Self::default() }
    }

    pub(crate) fn complete(&mut self, outcome: &Outcome<'_>) {
        self.error = outcome.error();
        self.task_id = match outcome.typed::<TaskCreateOutput>() {
            Some(output) => Some(output.task.id),
            None if outcome.is_error => None,
            None => numbered(&outcome.text()),
        };
    }
}

/// `7` of `Task #7 created`.
fn numbered(text: &str) -> Option<String> {
    let id = text.split_once('#')?.1.split(|c: char| !c.is_ascii_alphanumeric()).next()?;
    (!id.is_empty()).then(|| id.to_owned())
}

impl ManageTodos {
    /// None where the list cannot be read: an empty one would say that nothing is left to do.
    pub(crate) fn of_write(input: TodoWriteInput) -> Option<Self> {
        let readable = !is_lost(&input.extra, "todos");
        readable.then(|| Self { items: written(input.todos), ..Self::default() })
    }

    pub(crate) fn of_list() -> Self {
        Self { operation: TodoOperation::List, ..Self::default() }
    }

    pub(crate) fn of_get(input: TaskGetInput) -> Self {
        let (operation, task_id) = (TodoOperation::Get, Some(input.task_id));
        Self { operation, task_id, ..Self::default() }
    }

    pub(crate) fn of_update(input: TaskUpdateInput) -> Self {
        let change = TodoChange {
            id: input.task_id,
            title: input.subject,
            description: input.description.map(clip_text),
            status: input.status.as_ref().map(TodoStatus::of),
            active_form: input.active_form,
            owner: input.owner,
            add_blocks: input.add_blocks,
            add_blocked_by: input.add_blocked_by,
        };
        Self { operation: TodoOperation::Update, change: Some(change), ..Self::default() }
    }

    pub(crate) fn complete(&mut self, outcome: &Outcome<'_>) {
        self.error = outcome.error();
        match self.operation {
            // Only a list that is there and can be read counts: an empty one in its place would say
            // that nothing is left to do.
            TodoOperation::Write => {
                if let Some(todos) = outcome.list("newTodos") {
                    self.answer(written(todos));
                }
            }
            TodoOperation::List => {
                if let Some(tasks) = outcome.list::<TodoTask>("tasks") {
                    self.answer(tasks.into_iter().take(LIST_LIMIT).map(Todo::from).collect());
                }
            }
            TodoOperation::Get => {
                if let Some(output) = outcome.typed::<TaskGetOutput>() {
                    self.answer(output.task.into_option().map(Todo::from).into_iter().collect());
                }
            }
            TodoOperation::Update => {
                if let Some(output) = outcome.typed::<TaskUpdateOutput>()
                    && output.success == Some(false)
                {
                    let why =
                        output.error.unwrap_or_else(|| "The entry was not changed.".to_owned());
                    self.error = Some(why);
                }
            }
        }
    }

    fn answer(&mut self, items: Vec<Todo>) {
        self.items = items;
        self.answered = true;
    }
}

fn written(items: Vec<TodoItem>) -> Vec<Todo> {
    let todo = |item: TodoItem| Todo {
        id: item.id,
        title: item.content,
        status: item.status.as_ref().map(TodoStatus::of).unwrap_or_default(),
        active_form: item.active_form,
        priority: item.priority,
        ..Todo::default()
    };
    items.into_iter().take(LIST_LIMIT).map(todo).collect()
}

impl From<TodoTask> for Todo {
    fn from(task: TodoTask) -> Self {
        Self {
            id: Some(task.id),
            title: task.subject.unwrap_or_default(),
            description: task.description.map(clip_text),
            status: task.status.as_ref().map(TodoStatus::of).unwrap_or_default(),
            owner: task.owner,
            blocks: task.blocks,
            blocked_by: task.blocked_by,
            ..Self::default()
        }
    }
}

impl TodoStatus {
    fn of(word: &Word) -> Self {
        match word {
            Word::Pending => Self::Pending,
            Word::InProgress => Self::InProgress,
            Word::Completed => Self::Completed,
            Word::Deleted => Self::Deleted,
            Word::Other(_) => Self::Unknown,
        }
    }
}
