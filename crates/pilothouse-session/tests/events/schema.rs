//! The JSON Schema of events that other programs read: it is the one of the types, and events are as
//! it says.
//!
//! After a change of the types: `PILOTHOUSE_WRITE_SCHEMA=1 cargo test -p pilothouse-session --test
//! events`. New kinds and new fields may come; none may go.

use std::path::Path;
use std::{env, fs};

use pilothouse_session::event;
use serde_json::{Map, Value};

use crate::recording::{Shown, scenarios};

#[test]
fn the_schema_is_the_one_of_the_types() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("schema/events.json");
    let mut schema = serde_json::to_string_pretty(&event::schema()).expect("JSON");
    schema.push('\n');
    if env::var_os("PILOTHOUSE_WRITE_SCHEMA").is_some() {
        fs::create_dir_all(path.parent().expect("a directory")).expect("a directory");
        fs::write(&path, &schema).expect("the schema can be written");
    }
    let committed = fs::read_to_string(&path).unwrap_or_default();
    assert!(committed == schema, "set PILOTHOUSE_WRITE_SCHEMA=1 to write schema/events.json anew");
}

#[test]
fn events_are_as_the_schema_says() {
    let schema = event::schema();
    let (events, deltas) = (Checker::of(&schema["event"]), Checker::of(&schema["delta"]));
    let mut checked = 0;
    for (scenario, versions) in scenarios() {
        for (version, recording) in versions {
            for shown in recording.play().shown {
                let result = match &shown {
                    Shown::Event(event) => events.check(&to_value(event)),
                    Shown::Delta(delta) => deltas.check(&to_value(delta)),
                    Shown::Refused(_) => continue,
                };
                checked += 1;
                result.unwrap_or_else(|why| panic!("{version}/{scenario}: {why}\n{shown:?}"));
            }
        }
    }
    assert!(checked > 1000);
}

/// A check that finds nothing wrong with anything would be no check.
#[test]
fn the_check_finds_what_is_wrong() {
    let schema = event::schema();
    let events = Checker::of(&schema["event"]);
    let good = serde_json::json!({
        "session": "00000000-0000-4000-8000-000000000001", "seq": 1, "at": "1970-01-01T00:00:00Z",
        "turn": null, "parent_tool_call_id": null, "type": "session_status", "status": "idle",
    });
    assert_eq!(events.check(&good), Ok(()));
    let with = |key: &str, value: Value| {
        let mut event = good.clone();
        event[key] = value;
        events.check(&event)
    };
    assert!(with("seq", "one".into()).is_err());
    assert!(with("type", "no_such_event".into()).is_err());
    assert!(with("status", "sleepy".into()).is_err());
    let mut without = good.clone();
    without.as_object_mut().expect("an object").remove("status");
    assert!(events.check(&without).is_err());
}

fn to_value(shown: &impl serde::Serialize) -> Value {
    serde_json::to_value(shown).expect("JSON")
}

/// Just as much of JSON Schema as the schema of events uses.
struct Checker<'a> {
    root: &'a Value,
    definitions: &'a Value,
}

impl<'a> Checker<'a> {
    fn of(root: &'a Value) -> Self {
        Self { root, definitions: &root["$defs"] }
    }

    fn check(&self, value: &Value) -> Result<(), String> {
        self.fits(self.root, value)
    }

    fn fits(&self, schema: &Value, value: &Value) -> Result<(), String> {
        let Value::Object(schema) = schema else { return Ok(()) };
        if let Some(Value::String(reference)) = schema.get("$ref") {
            let name = reference.trim_start_matches("#/$defs/");
            let definition = self.definitions.get(name).ok_or_else(|| format!("no {name}"))?;
            self.fits(definition, value)?;
        }
        self.fits_type(schema, value)?;
        if schema.get("const").is_some_and(|constant| constant != value) {
            return Err(format!("{value} is not {}", schema["const"]));
        }
        if let Some(Value::Array(words)) = schema.get("enum") {
            words.contains(value).then_some(()).ok_or_else(|| format!("{value} of {words:?}"))?;
        }
        for key in ["oneOf", "anyOf"] {
            if let Some(Value::Array(choices)) = schema.get(key) {
                self.fits_one(choices, value)?;
            }
        }
        for part in schema.get("allOf").and_then(Value::as_array).into_iter().flatten() {
            self.fits(part, value)?;
        }
        match value {
            Value::Object(fields) => self.fits_fields(schema, fields),
            Value::Array(list) => match schema.get("items") {
                Some(items) => list.iter().try_for_each(|value| self.fits(items, value)),
                None => Ok(()),
            },
            _ => Ok(()),
        }
    }

    fn fits_one(&self, choices: &[Value], value: &Value) -> Result<(), String> {
        let mut problems = Vec::new();
        for choice in choices {
            match self.fits(choice, value) {
                Ok(()) => return Ok(()),
                Err(problem) => problems.push(problem),
            }
        }
        Err(format!("no choice fits {value}: {}", problems.join("; ")))
    }

    fn fits_fields(
        &self,
        schema: &Map<String, Value>,
        fields: &Map<String, Value>,
    ) -> Result<(), String> {
        let required = schema.get("required").and_then(Value::as_array).into_iter().flatten();
        for key in required.filter_map(Value::as_str) {
            fields.contains_key(key).then_some(()).ok_or_else(|| format!("{key} is missing"))?;
        }
        for (key, value) in fields {
            let declared = schema.get("properties").and_then(|properties| properties.get(key));
            if let Some(schema) = declared.or(schema.get("additionalProperties")) {
                self.fits(schema, value).map_err(|why| format!("{key}: {why}"))?;
            }
        }
        Ok(())
    }

    fn fits_type(&self, schema: &Map<String, Value>, value: &Value) -> Result<(), String> {
        let types = match schema.get("type") {
            None => return Ok(()),
            Some(Value::Array(types)) => types.clone(),
            Some(one) => vec![one.clone()],
        };
        let is = |name: &str| match name {
            "null" => value.is_null(),
            "boolean" => value.is_boolean(),
            "string" => value.is_string(),
            "integer" => value.is_i64() || value.is_u64(),
            "number" => value.is_number(),
            "array" => value.is_array(),
            "object" => value.is_object(),
            _ => false,
        };
        let fits = types.iter().filter_map(Value::as_str).any(is);
        fits.then_some(()).ok_or_else(|| format!("{value} is no {types:?}"))
    }
}
