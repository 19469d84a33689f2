//! The to-do list: TodoWrite, and the newer TaskCreate, TaskGet, TaskList and TaskUpdate.

use serde_json::{Value, json};

use super::outcome::Outcome;

#[derive(Debug, Clone)]
struct Item {
    id: String,
    subject: String,
    description: String,
    status: String,
}

/// What is to be done.
#[derive(Debug, Default)]
pub(in crate::sim) struct Todos {
    written: Value,
    items: Vec<Item>,
}

impl Todos {
    pub(super) fn run(&mut self, tool: &str, input: &Value) -> Outcome {
        match tool {
            "TodoWrite" => {
                let new = input["todos"].clone();
                let old = std::mem::replace(&mut self.written, new.clone());
                let old = if old.is_null() { json!([]) } else { old };
                Outcome::text("The list was written", json!({"oldTodos": old, "newTodos": new}))
            }
            "TaskCreate" => self.create(input),
            "TaskGet" => {
                let task = self.find(input).map(|item| {
                    json!({
                        "id": item.id, "subject": item.subject, "description": item.description,
                        "status": item.status, "blocks": [], "blockedBy": [],
                    })
                });
                let text = task.as_ref().map_or("No such task".to_owned(), Value::to_string);
                Outcome::text(&text, json!({"task": task}))
            }
            "TaskUpdate" => self.update(input),
            _ => {
                let tasks: Vec<_> = self
                    .items
                    .iter()
                    .map(|item| {
                        json!({"id": item.id, "subject": item.subject, "status": item.status, "blockedBy": []})
                    })
                    .collect();
                Outcome::text(&format!("{} tasks", tasks.len()), json!({"tasks": tasks}))
            }
        }
    }

    fn create(&mut self, input: &Value) -> Outcome {
        let text = |key: &str| input[key].as_str().unwrap_or_default().to_owned();
        let item = Item {
            id: (self.items.len() + 1).to_string(),
            subject: text("subject"),
            description: text("description"),
            status: "pending".to_owned(),
        };
        let structured = json!({"task": {"id": item.id, "subject": item.subject}});
        let said = format!("Task {} created: {}", item.id, item.subject);
        self.items.push(item);
        Outcome::text(&said, structured)
    }

    fn update(&mut self, input: &Value) -> Outcome {
        let id = input["taskId"].clone();
        let Some(item) = self.items.iter_mut().find(|item| id == item.id.as_str()) else {
            let structured = json!({"success": false, "taskId": id, "updatedFields": [], "error": "No such task"});
            return Outcome::text("No such task", structured);
        };
        let mut fields = Vec::new();
        let mut structured = json!({"success": true, "taskId": id});
        if let Some(status) = input["status"].as_str() {
            structured["statusChange"] = json!({"from": item.status, "to": status});
            item.status = status.to_owned();
            fields.push("status");
        }
        for (key, field) in [("subject", &mut item.subject), ("description", &mut item.description)]
        {
            if let Some(text) = input[key].as_str() {
                *field = text.to_owned();
                fields.push(key);
            }
        }
        structured["updatedFields"] = json!(fields);
        self.items.retain(|item| item.status != "deleted");
        Outcome::text("Task updated", structured)
    }

    fn find(&self, input: &Value) -> Option<&Item> {
        let id = input["taskId"].as_str()?;
        self.items.iter().find(|item| item.id == id)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_task_from_beginning_to_end() {
        let mut todos = Todos::default();
        let created = todos.run("TaskCreate", &json!({"subject": "s", "description": "d"}));
        assert_eq!(created.structured, json!({"task": {"id": "1", "subject": "s"}}));
        let updated = todos.run("TaskUpdate", &json!({"taskId": "1", "status": "completed"}));
        assert_eq!(
            updated.structured["statusChange"],
            json!({"from": "pending", "to": "completed"})
        );
        let got = todos.run("TaskGet", &json!({"taskId": "1"}));
        assert_eq!(got.structured["task"]["status"], "completed");
        let none = todos.run("TaskUpdate", &json!({"taskId": "9"}));
        assert_eq!(none.structured["success"], false);
        assert_eq!(todos.run("TaskGet", &json!({"taskId": "9"})).structured["task"], Value::Null);
    }

    #[test]
    fn a_list_replaces_the_one_before() {
        let mut todos = Todos::default();
        let first = json!([{"content": "a", "status": "pending", "activeForm": "doing a"}]);
        todos.run("TodoWrite", &json!({"todos": first}));
        let second = todos.run("TodoWrite", &json!({"todos": []}));
        assert_eq!(second.structured, json!({"oldTodos": first, "newTodos": []}));
    }
}
