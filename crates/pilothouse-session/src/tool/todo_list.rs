//! The to-do list as it stands after the calls so far.
//!
//! `TodoWrite` gives the whole list each time; the task tools change it entry by entry. Each agent
//! has its own list: keep one of these for the main conversation and one for each subagent.

use super::NormalizedPayload;
use super::todo::{CreateTask, ManageTodos, Todo, TodoChange, TodoOperation, TodoStatus};

/// A to-do list that follows finished calls.
#[derive(Clone, Debug, Default, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct TodoList {
    items: Vec<Todo>,
}

impl TodoList {
    /// The list as it stands.
    pub fn items(&self) -> &[Todo] {
        &self.items
    }

    /// Applies a finished call. The list, where that changed it.
    pub fn apply(&mut self, payload: &NormalizedPayload) -> Option<&[Todo]> {
        if payload.error().is_some() {
            return None;
        }
        let changed = match payload {
            NormalizedPayload::CreateTask(create) => self.create(create),
            NormalizedPayload::ManageTodos(manage) => self.manage(manage),
            _ => false,
        };
        changed.then_some(&self.items)
    }

    fn create(&mut self, create: &CreateTask) -> bool {
        // Without a name no later change could find the entry; the next listing brings it.
        let Some(id) = &create.task_id else { return false };
        self.put(Todo {
            id: Some(id.clone()),
            title: create.title.clone(),
            description: create.description.clone(),
            active_form: create.active_form.clone(),
            ..Todo::default()
        })
    }

    fn manage(&mut self, manage: &ManageTodos) -> bool {
        match manage.operation {
            TodoOperation::Write => self.replace(manage.items.clone()),
            TodoOperation::List if manage.answered => {
                let items = manage.items.iter().cloned().map(|item| self.filled(item)).collect();
                self.replace(items)
            }
            TodoOperation::Get => {
                let items = manage.items.iter().cloned();
                items.fold(false, |changed, item| {
                    let item = self.filled(item);
                    self.put(item) || changed
                })
            }
            TodoOperation::Update => {
                manage.change.as_ref().is_some_and(|change| self.update(change))
            }
            TodoOperation::List => false,
        }
    }

    fn replace(&mut self, items: Vec<Todo>) -> bool {
        let changed = self.items != items;
        self.items = items;
        changed
    }

    /// `item` with what listings leave out and the list knows.
    fn filled(&self, mut item: Todo) -> Todo {
        if let Some(known) = self.items.iter().find(|known| known.id == item.id) {
            item.description = item.description.or_else(|| known.description.clone());
            item.active_form = item.active_form.or_else(|| known.active_form.clone());
            if item.blocks.is_empty() {
                item.blocks.clone_from(&known.blocks);
            }
        }
        item
    }

    fn put(&mut self, item: Todo) -> bool {
        match self.items.iter_mut().find(|known| known.id == item.id) {
            Some(known) if *known == item => return false,
            Some(known) => *known = item,
            None => self.items.push(item),
        }
        true
    }

    fn update(&mut self, change: &TodoChange) -> bool {
        let before = self.items.clone();
        if change.status == Some(TodoStatus::Deleted) {
            self.remove(&change.id);
        } else {
            self.change(change);
        }
        self.items != before
    }

    fn remove(&mut self, id: &str) {
        self.items.retain(|item| item.id.as_deref() != Some(id));
        for item in &mut self.items {
            item.blocks.retain(|other| other != id);
            item.blocked_by.retain(|other| other != id);
        }
    }

    fn change(&mut self, change: &TodoChange) {
        let Some(item) = self.find(&change.id) else { return };
        let set = |old: &mut Option<String>, new: &Option<String>| {
            if new.is_some() {
                old.clone_from(new);
            }
        };
        if let Some(title) = &change.title {
            item.title.clone_from(title);
        }
        set(&mut item.description, &change.description);
        set(&mut item.active_form, &change.active_form);
        set(&mut item.owner, &change.owner);
        item.status = change.status.unwrap_or(item.status);
        // Waiting is mutual: each side names the other.
        for other in &change.add_blocks {
            self.link(&change.id, other);
        }
        for other in &change.add_blocked_by {
            self.link(other, &change.id);
        }
    }

    /// Lets the entry `second` wait for the entry `first`.
    fn link(&mut self, first: &str, second: &str) {
        let add = |list: &mut Vec<String>, id: &str| {
            if !list.iter().any(|known| known == id) {
                list.push(id.to_owned());
            }
        };
        if let Some(item) = self.find(first) {
            add(&mut item.blocks, second);
        }
        if let Some(item) = self.find(second) {
            add(&mut item.blocked_by, first);
        }
    }

    fn find(&mut self, id: &str) -> Option<&mut Todo> {
        self.items.iter_mut().find(|item| item.id.as_deref() == Some(id))
    }
}
