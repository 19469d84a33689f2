//! The to-do list: `TodoWrite`, and the task tools that took its place. Background tasks are
//! something else.

use crate::field::Nullable;
use crate::raw::Raw;

object! {
    /// Input of `TodoWrite`: the whole list.
    #[derive(Default)]
    pub struct TodoWriteInput {
        /// The list.
        todos: Vec<TodoItem>,
    }
}

object! {
    /// Output of `TodoWrite`.
    #[derive(Default)]
    pub struct TodoWriteOutput {
        /// The list before.
        old_todos as "oldTodos": Vec<TodoItem>,
        /// The list after.
        new_todos as "newTodos": Vec<TodoItem>,
    }
}

object! {
    /// An entry of the list.
    #[derive(Default)]
    pub struct TodoItem {
        /// What is to be done.
        content: String,
        /// How it stands.
        status: Option<TodoStatus>,
        /// What to show while it is being done.
        active_form as "activeForm": Option<String>,
        /// Names the entry; in old versions.
        id: Option<String>,
        /// How urgent it is; in old versions.
        priority: Option<String>,
    }
}

words! {
    /// How an entry stands.
    pub enum TodoStatus {
        Pending = "pending",
        InProgress = "in_progress",
        Completed = "completed",
        /// Only in an update: removes the entry.
        Deleted = "deleted",
    }
}

object! {
    /// Input of `TaskCreate`.
    #[derive(Default)]
    pub struct TaskCreateInput {
        /// The headline.
        subject: String,
        /// What is to be done.
        description: Option<String>,
        /// What to show while it is being done.
        active_form as "activeForm": Option<String>,
        /// Anything.
        metadata: Option<Raw>,
    }
}

object! {
    /// Output of `TaskCreate`.
    #[derive(Default)]
    pub struct TaskCreateOutput {
        /// The new entry.
        task: TodoTask,
    }
}

object! {
    /// An entry of the task list.
    #[derive(Default)]
    pub struct TodoTask {
        /// Names the entry.
        id: String,
        /// The headline.
        subject: Option<String>,
        /// What is to be done.
        description: Option<String>,
        /// How it stands.
        status: Option<TodoStatus>,
        /// Who does it.
        owner: Option<String>,
        /// What waits for it.
        blocks: Vec<String>,
        /// What it waits for.
        blocked_by as "blockedBy": Vec<String>,
    }
}

object! {
    /// Input of `TaskGet`.
    #[derive(Default)]
    pub struct TaskGetInput {
        /// The entry.
        task_id as "taskId": String,
    }
}

object! {
    /// Output of `TaskGet`.
    #[derive(Default)]
    pub struct TaskGetOutput {
        /// The entry; null where there is none.
        task: Nullable<TodoTask>,
    }
}

object! {
    /// Input of `TaskUpdate`.
    #[derive(Default)]
    pub struct TaskUpdateInput {
        /// The entry.
        task_id as "taskId": String,
        /// The new headline.
        subject: Option<String>,
        /// What is to be done now.
        description: Option<String>,
        /// What to show while it is being done.
        active_form as "activeForm": Option<String>,
        /// How it stands now.
        status: Option<TodoStatus>,
        /// What waits for it, too.
        add_blocks as "addBlocks": Vec<String>,
        /// What it waits for, too.
        add_blocked_by as "addBlockedBy": Vec<String>,
        /// Who does it.
        owner: Option<String>,
        /// Anything.
        metadata: Option<Raw>,
    }
}

object! {
    /// Output of `TaskUpdate`.
    #[derive(Default)]
    pub struct TaskUpdateOutput {
        /// Whether it was done.
        success: Option<bool>,
        /// The entry.
        task_id as "taskId": String,
        /// What changed.
        updated_fields as "updatedFields": Vec<String>,
        /// Why it was not done.
        error: Option<String>,
        /// The status before and after.
        status_change as "statusChange": Option<StatusChange>,
    }
}

object! {
    /// A status before and after.
    #[derive(Default)]
    pub struct StatusChange {
        /// Before.
        from: Option<String>,
        /// After.
        to: Option<String>,
    }
}

object! {
    /// Input of `TaskList`: nothing.
    #[derive(Default)]
    pub struct TaskListInput {}
}

object! {
    /// Output of `TaskList`.
    #[derive(Default)]
    pub struct TaskListOutput {
        /// The list.
        tasks: Vec<TodoTask>,
    }
}
