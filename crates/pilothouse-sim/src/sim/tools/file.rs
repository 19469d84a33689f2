//! Read, Write and Edit, on real files.

use std::fs;
use std::path::Path;

use serde_json::{Value, json};

use super::outcome::Outcome;
use crate::sim::cli::Cli;
use crate::sim::patch;

fn missing(cli: &Cli) -> String {
    format!("There is no such file. The working directory is {}.", cli.launch.cwd.display())
}

fn text_at<'a>(input: &'a Value, key: &str) -> &'a str {
    input[key].as_str().unwrap_or_default()
}

pub(super) fn read(cli: &Cli, input: &Value) -> Outcome {
    let path = cli.launch.resolve(text_at(input, "file_path"));
    let Ok(bytes) = fs::read(&path) else {
        return Outcome::failed(&missing(cli));
    };
    let text = String::from_utf8_lossy(&bytes);
    // A line break at the end begins one more, empty line.
    let lines: Vec<_> = text.split('\n').collect();
    let number = |key: &str| input[key].as_u64().and_then(|number| usize::try_from(number).ok());
    let start = number("offset").unwrap_or(1).max(1);
    let count = number("limit").unwrap_or(usize::MAX);
    let shown: Vec<_> = lines.iter().skip(start - 1).take(count).copied().collect();
    let numbered: Vec<_> =
        shown.iter().enumerate().map(|(at, line)| format!("{}\t{line}", start + at)).collect();
    let file = json!({
        "filePath": path,
        "content": shown.join("\n"),
        "numLines": shown.len(),
        "startLine": start,
        "totalLines": lines.len(),
    });
    Outcome::text(&numbered.join("\n"), json!({"type": "text", "file": file}))
}

pub(super) fn write(cli: &Cli, input: &Value) -> Outcome {
    let path = cli.launch.resolve(text_at(input, "file_path"));
    let content = text_at(input, "content");
    let before = fs::read_to_string(&path).ok();
    if let Err(fault) = put(cli, &path, content) {
        return Outcome::failed(&format!("Cannot write {}: {fault}", path.display()));
    }
    if path.starts_with(cli.launch.config.join("plans")) {
        *cli.plan.borrow_mut() = Some(path.display().to_string());
    }
    let (kind, verb, changes) = match &before {
        Some(old) => ("update", "Updated", patch::structured(old, content)),
        None => ("create", "Created", json!([])),
    };
    let structured = json!({
        "type": kind,
        "filePath": path,
        "content": content,
        "structuredPatch": changes,
        "originalFile": before,
        "userModified": false,
    });
    Outcome::text(&format!("{verb} {}", path.display()), structured)
}

fn put(cli: &Cli, path: &Path, content: &str) -> std::io::Result<()> {
    cli.checkpoints.before_change(&cli.session.transcript(), path);
    if let Some(directory) = path.parent() {
        fs::create_dir_all(directory)?;
    }
    fs::write(path, content)
}

/// What can be said against an edit before anyone is asked.
pub(super) fn check_edit(cli: &Cli, input: &Value) -> Result<(), String> {
    let path = cli.launch.resolve(text_at(input, "file_path"));
    let old = text_at(input, "old_string");
    let Ok(text) = fs::read_to_string(&path) else {
        return if old.is_empty() { Ok(()) } else { Err(missing(cli)) };
    };
    if old == text_at(input, "new_string") {
        return Err("Nothing to change: old_string and new_string are the same.".to_owned());
    }
    match text.matches(old).count() {
        0 => Err(format!("old_string is not in the file.\nString: {old}")),
        1 => Ok(()),
        _ if input["replace_all"] == true => Ok(()),
        count => Err(format!(
            "old_string is in the file {count} times; set replace_all or give more of the text around it.\nString: {old}"
        )),
    }
}

pub(super) fn edit(cli: &Cli, input: &Value) -> Outcome {
    // The input may have changed since it was checked.
    if let Err(fault) = check_edit(cli, input) {
        return Outcome::failed(&fault);
    }
    let path = cli.launch.resolve(text_at(input, "file_path"));
    let (old, new) = (text_at(input, "old_string"), text_at(input, "new_string"));
    let before = fs::read_to_string(&path).unwrap_or_default();
    let all = input["replace_all"] == true;
    let after = if all { before.replace(old, new) } else { before.replacen(old, new, 1) };
    if let Err(fault) = put(cli, &path, &after) {
        return Outcome::failed(&format!("Cannot write {}: {fault}", path.display()));
    }
    let structured = json!({
        "filePath": path,
        "oldString": old,
        "newString": new,
        "originalFile": before,
        "structuredPatch": patch::structured(&before, &after),
        "userModified": false,
        "replaceAll": all,
    });
    Outcome::text(&format!("Updated {}", path.display()), structured)
}
