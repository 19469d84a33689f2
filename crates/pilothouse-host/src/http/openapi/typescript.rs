//! The types of a client in TypeScript: every schema of the document by its name, and every
//! operation by its id.

use std::fmt::Write;

use serde_json::{Map, Value};

use super::Operation;
use super::document::shapes;
use super::schemas::{Schemas, referred};
use super::shape::{Content, Shape};

const HEAD: &str = "\
// Types of the Pilothouse API. Generated from the daemon's own types; do not edit.
// PILOTHOUSE_WRITE_TYPES=1 cargo test -p pilothouse-host --test openapi writes it anew.

";

/// The file.
pub fn types(operations: &[Operation], more: &[fn(&mut Schemas)]) -> String {
    let (shapes, collected) = shapes(operations, more);
    let mut text = HEAD.to_owned();
    for (name, schema) in &collected.schemas {
        comment(&mut text, "", schema);
        let _ = writeln!(text, "export type {name} = {};\n", type_of(schema, 0));
    }
    text.push_str("/** Every operation by its id. */\nexport interface Operations {\n");
    for (operation, shape) in operations.iter().zip(&shapes) {
        write_operation(&mut text, operation, shape);
    }
    text.push_str("}\n");
    text
}

fn write_operation(text: &mut String, operation: &Operation, shape: &Shape) {
    let Operation { id, summary, method, path, .. } = operation;
    let content = |content: Option<&Content>| match content {
        None => "undefined".to_owned(),
        Some(it) if it.media_type != "application/json" => "Blob".to_owned(),
        Some(it) => type_of(&it.schema, 2),
    };
    let mut replies: Vec<_> =
        shape.replies.iter().map(|reply| content(reply.content.as_ref())).collect();
    replies.dedup();
    let _ = write!(
        text,
        "  /** {summary} */\n  {id}: {{\n    method: \"{method}\";\n    path: \"{path}\";\n    \
         params: {};\n    query: {};\n    body: {};\n    reply: {};\n  }};\n",
        parameters(&shape.path),
        parameters(&shape.query),
        content(shape.body.as_ref()),
        replies.join(" | "),
    );
}

/// The members of an object that is taken apart.
fn parameters(schema: &Value) -> String {
    match schema.get("properties") {
        Some(_) => type_of(schema, 2),
        None => "Record<string, never>".to_owned(),
    }
}

/// A schema as a type. `depth` is how deep it stands.
fn type_of(schema: &Value, depth: usize) -> String {
    let Some(members) = schema.as_object() else { return "unknown".to_owned() };
    if let Some(value) = members.get("const") {
        return value.to_string();
    }
    if let Some(values) = members.get("enum").and_then(Value::as_array) {
        return union(values.iter().map(Value::to_string));
    }
    let mut parts = Vec::new();
    if let Some(name) = referred(schema) {
        parts.push(name.to_owned());
    }
    for word in ["oneOf", "anyOf"] {
        if let Some(choices) = members.get(word).and_then(Value::as_array) {
            parts.push(union(choices.iter().map(|choice| type_of(choice, depth))));
        }
    }
    for all in members.get("allOf").and_then(Value::as_array).into_iter().flatten() {
        parts.push(type_of(all, depth));
    }
    // Beside a choice, `type: object` says nothing of its own.
    if parts.is_empty() || members.contains_key("properties") {
        parts.insert(0, plain(members, depth));
    }
    match <[String; 1]>::try_from(parts) {
        Ok([only]) => only,
        Err(parts) => {
            let bracketed = |part: &String| match part.contains(" | ") {
                true => format!("({part})"),
                false => part.clone(),
            };
            parts.iter().map(bracketed).collect::<Vec<_>>().join(" & ")
        }
    }
}

fn plain(members: &Map<String, Value>, depth: usize) -> String {
    match members.get("type") {
        Some(Value::Array(types)) => {
            let one = |kind: &Value| {
                let mut alone = members.clone();
                alone.insert("type".to_owned(), kind.clone());
                plain(&alone, depth)
            };
            union(types.iter().map(one))
        }
        Some(Value::String(kind)) => match &**kind {
            "string" => "string".to_owned(),
            "integer" | "number" => "number".to_owned(),
            "boolean" => "boolean".to_owned(),
            "null" => "null".to_owned(),
            "array" => array(members, depth),
            _ => object(members, depth),
        },
        _ if members.contains_key("properties") => object(members, depth),
        _ => "unknown".to_owned(),
    }
}

fn array(members: &Map<String, Value>, depth: usize) -> String {
    if let Some(items) = members.get("prefixItems").and_then(Value::as_array) {
        let items: Vec<_> = items.iter().map(|item| type_of(item, depth)).collect();
        return format!("[{}]", items.join(", "));
    }
    let item = members.get("items").map_or_else(|| "unknown".to_owned(), |it| type_of(it, depth));
    match item.contains([' ', '\n']) {
        true => format!("({item})[]"),
        false => format!("{item}[]"),
    }
}

fn object(members: &Map<String, Value>, depth: usize) -> String {
    let properties = members.get("properties").and_then(Value::as_object);
    let Some(properties) = properties.filter(|them| !them.is_empty()) else {
        let value = members.get("additionalProperties").filter(|it| it.is_object());
        return match (value, members.get("additionalProperties")) {
            (Some(value), _) => format!("Record<string, {}>", type_of(value, depth)),
            (None, Some(Value::Bool(false))) => "Record<string, never>".to_owned(),
            (None, _) => "Record<string, unknown>".to_owned(),
        };
    };
    let required = members.get("required").and_then(Value::as_array);
    let indent = "  ".repeat(depth + 1);
    let mut text = "{\n".to_owned();
    for (name, schema) in properties {
        comment(&mut text, &indent, schema);
        let is_required = required.is_some_and(|names| names.iter().any(|it| it == name));
        let mark = if is_required { "" } else { "?" };
        let _ = writeln!(text, "{indent}{}{mark}: {};", key(name), type_of(schema, depth + 1));
    }
    let _ = write!(text, "{}}}", "  ".repeat(depth));
    text
}

fn key(name: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '$';
    let is_word = name.chars().all(is_plain) && !name.starts_with(|c: char| c.is_ascii_digit());
    if is_word { name.to_owned() } else { Value::from(name).to_string() }
}

fn union(choices: impl Iterator<Item = String>) -> String {
    let mut all: Vec<String> = Vec::new();
    for choice in choices {
        if !all.contains(&choice) {
            all.push(choice);
        }
    }
    all.join(" | ")
}

fn comment(text: &mut String, indent: &str, schema: &Value) {
    let Some(said) = schema.get("description").and_then(Value::as_str) else { return };
    let said = said.replace("*/", "* /").replace('\n', " ");
    let _ = writeln!(text, "{indent}/** {said} */");
}
