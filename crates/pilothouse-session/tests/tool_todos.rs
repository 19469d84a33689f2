//! The to-do list follows the calls.

use pilothouse_session::tool::{NormalizedPayload, Outcome, Todo, TodoList, TodoStatus};
use pilothouse_wire::{Content, Raw};
use serde_json::{Value, json};

fn apply(list: &mut TodoList, name: &str, input: Value, output: Value) -> Option<Vec<Todo>> {
    let mut payload = NormalizedPayload::of_call(name, &Raw::from(input));
    let structured = Raw::from(output);
    payload.complete(&Outcome { structured: Some(&structured), ..Outcome::default() });
    list.apply(&payload).map(<[Todo]>::to_vec)
}

fn titles(list: &TodoList) -> Vec<(&str, TodoStatus)> {
    list.items().iter().map(|item| (item.title.as_str(), item.status)).collect()
}

#[test]
fn the_whole_list_is_replaced() {
    let mut list = TodoList::default();
    let todos = json!({"todos": [{"content": "a", "status": "pending", "activeForm": "doing a"}]});
    assert!(apply(&mut list, "TodoWrite", todos.clone(), json!("Done.")).is_some());
    assert_eq!(titles(&list), [("a", TodoStatus::Pending)]);
    assert_eq!(list.items()[0].active_form.as_deref(), Some("doing a"));
    // The same again is no change.
    assert_eq!(apply(&mut list, "TodoWrite", todos, json!("Done.")), None);
    // What the CLI made of it counts.
    let made = json!({"oldTodos": [], "newTodos": []});
    let todos = json!({"todos": [{"content": "a", "status": "completed", "activeForm": "x"}]});
    assert_eq!(apply(&mut list, "TodoWrite", todos, made), Some(Vec::new()));
}

#[test]
fn a_failed_or_unreadable_call_changes_nothing() {
    let mut list = TodoList::default();
    let todos = json!({"todos": [{"content": "a", "status": "pending"}]});
    let mut payload = NormalizedPayload::of_call("TodoWrite", &Raw::from(todos.clone()));
    payload.complete(&Outcome { is_error: true, ..Outcome::default() });
    assert_eq!(list.apply(&payload), None);
    assert!(apply(&mut list, "TodoWrite", todos, json!({})).is_some());
    assert_eq!(apply(&mut list, "TodoWrite", json!({"todos": [5]}), json!({})), None);
    assert_eq!(apply(&mut list, "TaskList", json!({}), json!({"tasks": [5]})), None);
    assert_eq!(apply(&mut list, "TaskList", json!({}), json!("words")), None);
    assert_eq!(apply(&mut list, "Bash", json!({"command": "x"}), json!({"stdout": ""})), None);
    assert_eq!(titles(&list), [("a", TodoStatus::Pending)]);
}

#[test]
fn entries_come_change_and_go() {
    let mut list = TodoList::default();
    for id in ["1", "2"] {
        let input = json!({"subject": format!("step {id}"), "description": "d", "activeForm": "f"});
        assert!(apply(&mut list, "TaskCreate", input, json!({"task": {"id": id}})).is_some());
    }
    let done = json!({"success": true, "taskId": "1"});
    let input = json!({"taskId": "1", "status": "in_progress", "addBlocks": ["2"], "owner": "ann"});
    assert!(apply(&mut list, "TaskUpdate", input.clone(), done.clone()).is_some());
    assert_eq!(list.items()[0].blocks, ["2"]);
    assert_eq!(list.items()[1].blocked_by, ["1"]);
    assert_eq!(list.items()[0].owner.as_deref(), Some("ann"));
    assert_eq!(apply(&mut list, "TaskUpdate", input, done.clone()), None);
    let refused = json!({"success": false, "taskId": "1", "error": "no"});
    let complete = json!({"taskId": "1", "status": "completed"});
    assert_eq!(apply(&mut list, "TaskUpdate", complete, refused), None);
    let nobody = json!({"taskId": "9", "status": "completed"});
    assert_eq!(apply(&mut list, "TaskUpdate", nobody, done.clone()), None);
    // A listing keeps what it leaves out.
    let tasks = json!({"tasks": [{"id": "1", "subject": "first", "status": "completed"},
        {"id": "2", "subject": "step 2", "status": "pending", "blockedBy": ["1"]}]});
    assert!(apply(&mut list, "TaskList", json!({}), tasks).is_some());
    assert_eq!(titles(&list), [("first", TodoStatus::Completed), ("step 2", TodoStatus::Pending)]);
    assert_eq!(list.items()[0].description.as_deref(), Some("d"));
    assert_eq!(list.items()[0].blocks, ["2"]);
    // A look at one entry may bring news of it.
    let task = json!({"task": {"id": "2", "subject": "second", "status": "pending"}});
    assert!(apply(&mut list, "TaskGet", json!({"taskId": "2"}), task).is_some());
    assert_eq!(list.items()[1].title, "second");
    assert_eq!(apply(&mut list, "TaskGet", json!({"taskId": "7"}), json!({"task": null})), None);
    let delete = json!({"taskId": "1", "status": "deleted"});
    assert!(apply(&mut list, "TaskUpdate", delete, done).is_some());
    assert_eq!(titles(&list), [("second", TodoStatus::Pending)]);
}

#[test]
fn the_name_of_an_entry_may_stand_in_words() {
    let mut list = TodoList::default();
    let input = Raw::from(json!({"subject": "a"}));
    let mut payload = NormalizedPayload::of_call("TaskCreate", &input);
    assert_eq!(list.apply(&payload), None);
    let content = Content::Text("Task #12 created successfully: a".to_owned());
    payload.complete(&Outcome { content: Some(&content), ..Outcome::default() });
    let ids = list.apply(&payload).map(|todos| todos[0].id.clone());
    assert_eq!(ids, Some(Some("12".to_owned())));
}
