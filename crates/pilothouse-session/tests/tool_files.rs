//! Changes of files: the patch, and the file before and after.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test says what went wrong by panicking")]

use pilothouse_session::tool::{FileChange, FileUpdate, NormalizedPayload, Outcome, file_update};
use pilothouse_wire::Raw;
use serde_json::{Value, json};

fn update(name: &str, input: Value, structured: Value) -> (NormalizedPayload, Option<FileUpdate>) {
    let structured = Raw::from(structured);
    let outcome = Outcome { structured: Some(&structured), ..Outcome::default() };
    let mut payload = NormalizedPayload::of_call(name, &Raw::from(input));
    payload.complete(&outcome);
    let update = file_update(&payload, &outcome);
    (payload, update)
}

fn edit(before: &str, old: &str, new: &str, all: bool) -> Value {
    json!({"filePath": "/p/a", "oldString": old, "newString": new, "originalFile": before,
        "structuredPatch": [], "userModified": false, "replaceAll": all})
}

#[test]
fn an_edit_is_done_as_the_cli_does_it() {
    let input = json!({"file_path": "/p/a", "old_string": "?", "new_string": "?"});
    for (before, old, new, all, after) in [
        ("a b a\n", "a", "c", false, Some("c b a\n")),
        ("a b a\n", "a", "c", true, Some("c b c\n")),
        ("a\nb\nc\n", "b", "", false, Some("a\nc\n")),
        ("a\nb\nc", "c", "", false, Some("a\nb\n")),
        ("say “hi”\n", "say \"hi\"", "x", false, None),
        ("", "", "new", false, Some("new")),
        ("there", "", "new", false, None),
    ] {
        let (_, update) = update("Edit", input.clone(), edit(before, old, new, all));
        let update = update.unwrap();
        assert_eq!(update.before.as_deref(), Some(before));
        assert_eq!(update.after.as_deref(), after, "{before:?} {old:?} {new:?}");
    }
}

#[test]
fn an_after_that_does_not_fit_the_patch_is_not_told() {
    let input = json!({"file_path": "/p/a", "old_string": "a", "new_string": "b"});
    let mut output = edit("a\n", "a", "b", false);
    output["structuredPatch"] = json!([{"oldStart": 1, "oldLines": 1, "newStart": 1, "newLines": 2,
        "lines": ["-a", "+b", "+c"]}]);
    let (_, update) = update("Edit", input, output);
    let update = update.unwrap();
    assert_eq!(update.after, None);
    let diff = "--- a/p/a\n+++ b/p/a\n@@ -1 +1,2 @@\n-a\n+b\n+c\n";
    assert_eq!(update.patch.unwrap().diff, diff);
}

#[test]
fn what_the_user_changed_counts() {
    let input = json!({"file_path": "/p/a", "old_string": "a", "new_string": "b"});
    let mut output = edit("a\n", "a", "user's", false);
    output["userModified"] = json!(true);
    let (payload, update) = update("Edit", input, output);
    let NormalizedPayload::ModifyFile(modify) = payload else { panic!("{payload:?}") };
    assert!(modify.user_modified);
    assert_eq!(modify.mutations[0].new_content.as_deref(), Some("user's"));
    assert_eq!(update.unwrap().after.as_deref(), Some("user's\n"));
}

#[test]
fn several_edits_are_one_change() {
    let edits = json!([{"old_string": "a", "new_string": "b"},
        {"old_string": "b", "new_string": "c", "replace_all": true}]);
    let input = json!({"file_path": "/p/a", "edits": edits});
    let output = json!({"filePath": "/p/a", "edits": edits, "originalFileContents": "a b\n",
        "structuredPatch": [{"oldStart": 1, "oldLines": 1, "newStart": 1, "newLines": 1,
            "lines": ["-a b", "+c c"]}]});
    let (payload, changed) = update("MultiEdit", input, output);
    let changed = changed.unwrap();
    assert_eq!(changed.after.as_deref(), Some("c c\n"));
    assert!(changed.patch.unwrap().located);
    let NormalizedPayload::ModifyFile(modify) = payload else { panic!("{payload:?}") };
    assert_eq!(modify.mutations.len(), 2);

    // One edit looks like the other tool, and reports as its own.
    let edits = json!([{"old_string": "a", "new_string": "b"}]);
    let input = json!({"file_path": "/p/a", "edits": edits});
    let output = json!({"filePath": "/p/a", "edits": edits, "originalFileContents": "a\n",
        "structuredPatch": []});
    let (payload, changed) = update("MultiEdit", input, output);
    assert_eq!(changed.unwrap().after.as_deref(), Some("b\n"));
    let NormalizedPayload::ModifyFile(modify) = payload else { panic!("{payload:?}") };
    assert_eq!(modify.patch.unwrap().diff, "--- a/p/a\n+++ b/p/a\n@@ -1 +1 @@\n-a\n+b\n");
}

#[test]
fn a_write_without_hunks_is_compared() {
    let input = json!({"file_path": "/p/a", "content": "a\nx\n"});
    let output = |original: Value, kind: &str| {
        json!({"type": kind, "filePath": "/p/a", "content": "a\nx\n", "structuredPatch": [],
            "originalFile": original})
    };
    let (_, changed) = update("Write", input.clone(), output(json!("a\nb\n"), "update"));
    let changed = changed.unwrap();
    let diff = "--- a/p/a\n+++ b/p/a\n@@ -1,2 +1,2 @@\n a\n-b\n+x\n";
    assert_eq!(changed.patch.unwrap().diff, diff);
    assert_eq!(changed.change, FileChange::Modified);
    // Nothing changed.
    let (payload, changed) = update("Write", input.clone(), output(json!("a\nx\n"), "update"));
    assert_eq!(changed, None);
    let NormalizedPayload::ModifyFile(modify) = payload else { panic!("{payload:?}") };
    assert_eq!(modify.patch, None);
    // What was there is too large to report.
    let (_, changed) = update("Write", input, output(json!(null), "update"));
    let changed = changed.unwrap();
    assert_eq!((changed.before, changed.change), (None, FileChange::Modified));
    assert!(!changed.patch.unwrap().located);
}

#[test]
fn notebooks() {
    let notebook = |source: &str| json!({"cells": [{"id": "c", "source": [source]}]}).to_string();
    let input = json!({"notebook_path": "/p/n", "cell_id": "c", "edit_mode": "delete"});
    check_delete(
        &input,
        json!({"notebook_path": "/p/n", "edit_mode": "delete", "cell_id": "c",
        "error": "", "original_file": notebook("1\n"), "updated_file": "{}"}),
    );
    let failed = json!({"notebook_path": "/p/n", "error": "no such cell"});
    let (payload, changed) = update("NotebookEdit", input, failed);
    assert_eq!((payload.error(), changed), (Some("no such cell"), None));
}

fn check_delete(input: &Value, output: Value) {
    let (payload, changed) = update("NotebookEdit", input.clone(), output);
    let NormalizedPayload::ModifyFile(modify) = payload else { panic!("{payload:?}") };
    assert_eq!(modify.patch.unwrap().diff, "--- a/p/n\n+++ b/p/n\n@@ -1 +0,0 @@\n-1\n");
    assert_eq!(modify.mutations[0].old_content.as_deref(), Some("1\n"));
    assert_eq!(changed.unwrap().after.as_deref(), Some("{}"));
}

#[test]
fn what_is_only_staged_changes_no_file() {
    let input = json!({"file_path": "/p/a", "old_string": "a", "new_string": "b"});
    let mut output = edit("a", "a", "b", false);
    output["staged"] = json!(true);
    let (payload, update) = update("Edit", input, output);
    assert_eq!(update, None);
    assert_eq!(payload.error(), None);
}
