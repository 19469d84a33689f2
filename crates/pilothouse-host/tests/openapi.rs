//! The description of the API, and the types of a client.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test says what went wrong by panicking")]
#![cfg(unix)]

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use pilothouse_host::http::rest;
use serde_json::Value;

/// Every object in a value, with where it stands.
fn objects<'a>(value: &'a Value, at: &str, found: &mut Vec<(String, &'a Value)>) {
    match value {
        Value::Object(members) => {
            found.push((at.to_owned(), value));
            for (name, member) in members {
                objects(member, &format!("{at}/{name}"), found);
            }
        }
        Value::Array(items) => {
            for (number, item) in items.iter().enumerate() {
                objects(item, &format!("{at}/{number}"), found);
            }
        }
        _ => {}
    }
}

/// Every operation: its method, its path, itself.
fn operations(document: &Value) -> Vec<(String, String, &Value)> {
    let mut found = Vec::new();
    for (path, methods) in document["paths"].as_object().unwrap() {
        for (method, operation) in methods.as_object().unwrap() {
            found.push((method.to_uppercase(), path.clone(), operation));
        }
    }
    found
}

#[test]
fn every_reference_leads_somewhere_and_every_schema_is_used() {
    let document = rest::document();
    let mut all = Vec::new();
    objects(&document, "", &mut all);
    let mut used = BTreeSet::new();
    for (at, object) in all {
        if let Some(reference) = object.get("$ref").and_then(Value::as_str) {
            let pointer =
                reference.strip_prefix('#').unwrap_or_else(|| panic!("{at}: {reference}"));
            assert!(document.pointer(pointer).is_some(), "{at}: {reference} leads nowhere");
            used.insert(reference.rsplit('/').next().unwrap().to_owned());
        }
    }
    let schemas = document["components"]["schemas"].as_object().unwrap();
    // What is sent over other ways than these.
    let others = ["ServerMessage", "ClientMessage"];
    for name in schemas.keys().filter(|name| !others.contains(&name.as_str())) {
        assert!(used.contains(name), "nothing uses {name}");
    }
    // Two types of one name would be told apart by a number.
    for name in schemas.keys() {
        assert!(!name.ends_with(|c: char| c.is_ascii_digit()), "two types are called {name}");
    }
}

#[test]
fn every_operation_is_described_whole() {
    let document = rest::document();
    let mut ids = BTreeSet::new();
    let tags: BTreeSet<_> =
        document["tags"].as_array().unwrap().iter().map(|tag| tag["name"].as_str()).collect();
    for (method, path, operation) in operations(&document) {
        let id = operation["operationId"].as_str().unwrap();
        assert!(ids.insert(id.to_owned()), "{id} is there twice");
        assert!(operation["summary"].as_str().is_some_and(|text| text.ends_with('.')), "{id}");
        assert!(tags.contains(&operation["tags"][0].as_str()), "{id}");
        let none = Vec::new();
        let parameters = operation["parameters"].as_array().unwrap_or(&none);
        let in_path: BTreeSet<_> = parameters
            .iter()
            .filter(|parameter| parameter["in"] == "path")
            .map(|parameter| parameter["name"].as_str().unwrap())
            .collect();
        let wanted: BTreeSet<_> =
            path.split('/').filter_map(|part| part.strip_prefix('{')?.strip_suffix('}')).collect();
        assert_eq!(in_path, wanted, "{method} {path}");
        for parameter in parameters {
            let text = parameter["description"].as_str();
            assert!(text.is_some_and(|text| !text.is_empty()), "{id}: {parameter}");
        }
        let responses = operation["responses"].as_object().unwrap();
        assert!(responses.keys().any(|status| status.starts_with('2') || status == "101"), "{id}");
        for status in ["401", "default"] {
            let problem = &responses[status]["content"]["application/problem+json"]["schema"];
            assert_eq!(problem["$ref"], "#/components/schemas/Problem", "{id} {status}");
        }
        if method == "GET" || method == "DELETE" {
            assert!(operation.get("requestBody").is_none(), "{id}");
        }
    }
    assert!(ids.len() > 40, "{}", ids.len());
}

#[test]
fn what_is_written_and_what_is_read_are_two_schemas_where_they_differ() {
    let document = rest::document();
    let schemas = &document["components"]["schemas"];
    // A decision may leave `updates` out; one that is told of has them.
    let variant = |name: &str| -> BTreeMap<String, Vec<String>> {
        let required = |variant: &Value| {
            let names = variant["required"].as_array().unwrap().iter();
            let kind = variant["properties"]["kind"]["const"].as_str().unwrap().to_owned();
            (kind, names.map(|name| name.as_str().unwrap().to_owned()).collect())
        };
        schemas[name]["oneOf"].as_array().unwrap().iter().map(required).collect()
    };
    assert_eq!(variant("DecisionInput")["allow"], ["kind"]);
    assert_eq!(variant("Decision")["allow"], ["kind", "input", "updates"]);
    let body = "/paths/~1api~1v1~1sessions~1{session}~1approvals~1{approval}~1decision/post\
                /requestBody/content/application~1json/schema/$ref";
    assert_eq!(document.pointer(body).unwrap(), "#/components/schemas/DecisionInput");
}

#[test]
fn examples_are_what_the_schemas_say() {
    let document = rest::document();
    let mut seen = 0;
    for (_, _, operation) in operations(&document) {
        let media = &operation["requestBody"]["content"]["application/json"];
        let Some(example) = media["example"].as_object() else { continue };
        let reference = media["schema"]["$ref"].as_str().unwrap();
        let schema = document.pointer(&reference[1..]).unwrap();
        seen += 1;
        let Some(properties) = schema["properties"].as_object() else { continue };
        for name in example.keys() {
            assert!(properties.contains_key(name), "{}: {name}", operation["operationId"]);
        }
        let none = Vec::new();
        for name in schema["required"].as_array().unwrap_or(&none) {
            assert!(example.contains_key(name.as_str().unwrap()), "{}", operation["operationId"]);
        }
    }
    assert!(seen > 10);
}

#[test]
fn the_types_of_clients_are_up_to_date() {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../web/api/types.ts");
    let types = rest::typescript();
    if std::env::var_os("PILOTHOUSE_WRITE_TYPES").is_some() {
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, &types).unwrap();
    }
    let there = std::fs::read_to_string(&path).unwrap_or_default();
    let first = there.lines().zip(types.lines()).find(|(old, new)| old != new);
    assert!(
        there == types,
        "web/api/types.ts is not what the types are now: run this test with \
         PILOTHOUSE_WRITE_TYPES=1; the first difference: {first:?}"
    );
}
