//! The schemas of all types, by name.
//!
//! A type may look different to who writes it and to who reads it: a field with a default may be
//! left out of a request, and is always there in an answer. Such a type gets two schemas; the one
//! of requests has `Input` behind its name.

use std::collections::BTreeSet;

use schemars::generate::SchemaSettings;
use schemars::{JsonSchema, SchemaGenerator};
use serde_json::{Map, Value};

const OUTPUTS: &str = "#/components/schemas/";
/// Where requests find their schemas until it is clear which of them are the same as in answers.
const INPUTS: &str = "#/components/inputs/";

/// A name that says more to clients than the type's own.
const RENAMED: (&str, &str) = ("Document", "Problem");

/// Schemas that are being collected.
#[derive(Debug)]
pub struct Schemas {
    inputs: SchemaGenerator,
    outputs: SchemaGenerator,
}

/// Schemas by name, and how requests call them.
#[derive(Clone, Debug)]
pub(super) struct Collected {
    pub(super) schemas: Map<String, Value>,
    doubled: BTreeSet<String>,
}

impl Default for Schemas {
    fn default() -> Self {
        let at = |path: &str| {
            let path = path.trim_start_matches('#').trim_end_matches('/').to_owned();
            SchemaSettings::draft2020_12().with(|settings| {
                settings.definitions_path = path.into();
                settings.meta_schema = None;
            })
        };
        Self {
            inputs: at(INPUTS).for_deserialize().into_generator(),
            outputs: at(OUTPUTS).for_serialize().into_generator(),
        }
    }
}

impl Schemas {
    /// What is taken.
    pub fn input<T: JsonSchema>(&mut self) -> Value {
        self.inputs.subschema_for::<T>().into()
    }

    /// What is given.
    pub fn output<T: JsonSchema>(&mut self) -> Value {
        self.outputs.subschema_for::<T>().into()
    }

    /// The members of an object that is taken apart: parameters.
    pub(super) fn members<T: JsonSchema>(&mut self) -> Value {
        T::json_schema(&mut self.inputs).into()
    }

    /// All of them.
    pub(super) fn collect(mut self) -> Collected {
        let mut schemas = self.outputs.take_definitions(true);
        let inputs = self.inputs.take_definitions(true);
        let mut collected = Collected { schemas: Map::new(), doubled: BTreeSet::new() };
        // One that uses a doubled one differs by that.
        loop {
            let is_other = |(name, schema): &(&String, &Value)| match schemas.get(*name) {
                Some(output) => collected.named((*schema).clone()) != *output,
                None => false,
            };
            let doubled: BTreeSet<_> =
                inputs.iter().filter(is_other).map(|(name, _)| name.clone()).collect();
            if doubled == collected.doubled {
                break;
            }
            collected.doubled = doubled;
        }
        for (name, schema) in inputs {
            let schema = collected.named(schema);
            schemas.insert(collected.name(&name), schema);
        }
        let rename = |(name, schema): (String, Value)| {
            let name = if name == RENAMED.0 { RENAMED.1.to_owned() } else { name };
            (name, collected.named(schema))
        };
        collected.schemas = schemas.into_iter().map(rename).collect();
        collected
    }
}

impl Collected {
    fn name(&self, input: &str) -> String {
        match self.doubled.contains(input) {
            true => format!("{input}Input"),
            false => input.to_owned(),
        }
    }

    /// A value in which requests refer to their schemas by the names that these have now.
    pub(super) fn named(&self, mut value: Value) -> Value {
        each_reference(&mut value, &mut |reference| {
            if let Some(name) = reference.strip_prefix(INPUTS) {
                *reference = format!("{OUTPUTS}{}", self.name(name));
            }
            if reference.strip_prefix(OUTPUTS) == Some(RENAMED.0) {
                *reference = format!("{OUTPUTS}{}", RENAMED.1);
            }
        });
        value
    }
}

/// Shows every `$ref` in a value.
pub(super) fn each_reference(value: &mut Value, look: &mut impl FnMut(&mut String)) {
    match value {
        Value::Object(members) => {
            for (name, member) in members {
                match member {
                    Value::String(reference) if name == "$ref" => look(reference),
                    member => each_reference(member, look),
                }
            }
        }
        Value::Array(items) => items.iter_mut().for_each(|item| each_reference(item, look)),
        _ => {}
    }
}

/// The name that a reference has.
pub(super) fn referred(schema: &Value) -> Option<&str> {
    schema.get("$ref")?.as_str()?.strip_prefix(OUTPUTS)
}
