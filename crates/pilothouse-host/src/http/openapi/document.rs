//! The document.

use serde_json::{Map, Value, json};

use super::schemas::{Collected, Schemas};
use super::shape::{Content, ReplyShape, Shape};
use super::{More, Operation, Tag};
use crate::http::problem::{Document, Kind, MEDIA_TYPE};

/// What the guard before everything may answer.
const ALWAYS: &[Kind] = &[
    Kind::BadRequest,
    Kind::NotAuthenticated,
    Kind::Forbidden,
    Kind::WrongHost,
    Kind::RateLimited,
    Kind::Internal,
    Kind::Unavailable,
];

/// What may be wrong with a body.
const WITH_BODY: &[Kind] = &[
    Kind::MalformedJson,
    Kind::RequestTimeout,
    Kind::BodyTooLarge,
    Kind::UnsupportedMediaType,
    Kind::InvalidInput,
];

const ABOUT: &str = "Many Claude Code sessions in one daemon. Refusals are problem documents \
                     (RFC 9457) whose `type` is stable. Lists come in pages: `next` of one is \
                     `after` of the following.";

/// The schemas, and the shape of every operation with its references as they are now.
pub(super) fn shapes(operations: &[Operation], more: &[More]) -> (Vec<Shape>, Collected) {
    let mut schemas = Schemas::default();
    schemas.output::<Document>();
    let shapes: Vec<_> = operations.iter().map(|it| (it.shape)(&mut schemas)).collect();
    more.iter().for_each(|add| add(&mut schemas));
    let collected = schemas.collect();
    let named = |mut shape: Shape| {
        let part = |value: &mut Value| *value = collected.named(value.take());
        part(&mut shape.path);
        part(&mut shape.query);
        if let Some(body) = &mut shape.body {
            part(&mut body.schema);
        }
        for content in shape.replies.iter_mut().filter_map(|reply| reply.content.as_mut()) {
            part(&mut content.schema);
        }
        shape
    };
    (shapes.into_iter().map(named).collect(), collected)
}

/// The OpenAPI document of these operations, with the schemas of what else clients read.
pub fn document(operations: &[Operation], more: &[fn(&mut Schemas)]) -> Value {
    let (shapes, collected) = shapes(operations, more);
    let mut paths = Map::new();
    for (operation, shape) in operations.iter().zip(&shapes) {
        let methods = paths.entry(operation.path).or_insert_with(|| json!({}));
        methods[operation.method.as_str().to_ascii_lowercase()] = described(operation, shape);
    }
    let tags = Tag::ALL.map(|tag| json!({ "name": tag.name(), "description": tag.meaning() }));
    json!({
        "openapi": "3.1.0",
        "info": {
            "title": "Pilothouse",
            "version": env!("CARGO_PKG_VERSION"),
            "description": ABOUT,
            "license": { "name": "Apache-2.0", "identifier": "Apache-2.0" },
        },
        "jsonSchemaDialect": "https://json-schema.org/draft/2020-12/schema",
        "servers": [{ "url": "/", "description": "This daemon." }],
        "tags": tags,
        "security": [{ "token": [] }, { "login": [], "proof": [] }],
        "paths": paths,
        "components": {
            "schemas": collected.schemas,
            "securitySchemes": {
                "token": {
                    "type": "http",
                    "scheme": "bearer",
                    "description": "The token of the data directory, for programs.",
                },
                "login": {
                    "type": "apiKey",
                    "in": "cookie",
                    "name": "pilothouse_PORT",
                    "description": "The cookie of a browser that has redeemed a login link; its name ends \
                                    with the daemon's port.",
                },
                "proof": {
                    "type": "apiKey",
                    "in": "header",
                    "name": "X-Pilothouse-Proof",
                    "description": "Proves that the page has the key that it got at login: see `logIn`.",
                },
            },
        },
    })
}

fn described(operation: &Operation, shape: &Shape) -> Value {
    let mut responses = Map::new();
    for reply in &shape.replies {
        responses.insert(reply.status.as_str().to_owned(), answer(reply));
    }
    problems(operation, shape, &mut responses);
    let mut parameters = members(&shape.path, "path");
    parameters.extend(members(&shape.query, "query"));
    parameters.extend(operation.headers.iter().map(|header| {
        json!({
            "name": header.name,
            "in": "header",
            "description": header.meaning,
            "schema": { "type": "string" },
        })
    }));
    let mut described = json!({
        "operationId": operation.id,
        "summary": operation.summary,
        "tags": [operation.tag.name()],
        "responses": responses,
    });
    if let Some(description) = operation.description {
        described["description"] = description.into();
    }
    if !parameters.is_empty() {
        described["parameters"] = parameters.into();
    }
    if let Some(body) = &shape.body {
        let mut content = content(body);
        let example = operation.example.and_then(|text| serde_json::from_str::<Value>(text).ok());
        if let Some(example) = example {
            content[body.media_type]["example"] = example;
        }
        described["requestBody"] = json!({ "required": true, "content": content });
    }
    if operation.is_public {
        described["security"] = json!([]);
    }
    described
}

fn answer(reply: &ReplyShape) -> Value {
    let mut answer = json!({ "description": reply.meaning });
    if let Some(it) = &reply.content {
        answer["content"] = content(it);
    }
    for (name, meaning) in reply.headers {
        answer["headers"][name] = json!({ "description": meaning, "schema": { "type": "string" } });
    }
    answer
}

fn content(content: &Content) -> Value {
    json!({ content.media_type: { "schema": content.schema } })
}

/// Everything that it may refuse with, a response for each status.
fn problems(operation: &Operation, shape: &Shape, responses: &mut Map<String, Value>) {
    let has = |schema: &Value| !members(schema, "").is_empty();
    let with_body = if shape.body.is_some() { WITH_BODY } else { &[] };
    let with_parameters: &[Kind] = match (has(&shape.path), has(&shape.query)) {
        (true, _) => &[Kind::NotFound, Kind::InvalidInput],
        _ => &[Kind::InvalidInput],
    };
    let kinds = [ALWAYS, with_parameters, with_body, operation.problems].concat();
    for kind in Kind::ALL.iter().filter(|kind| kinds.contains(kind)) {
        let line = format!("`{}`: {}.", kind.uri(), kind.title());
        let status = kind.status().as_str().to_owned();
        let response = responses.entry(status).or_insert_with(refusal);
        let so_far = response["description"].as_str().unwrap_or_default();
        response["description"] = format!("{so_far}\n{line}").trim().into();
    }
    let mut other = refusal();
    other["description"] = "Any other refusal.".into();
    responses.insert("default".to_owned(), other);
}

fn refusal() -> Value {
    let schema = json!({ "$ref": "#/components/schemas/Problem" });
    json!({ "description": "", "content": { MEDIA_TYPE: { "schema": schema } } })
}

/// The members of an object as parameters.
fn members(schema: &Value, place: &str) -> Vec<Value> {
    let Some(properties) = schema["properties"].as_object() else { return Vec::new() };
    let required = schema["required"].as_array().cloned().unwrap_or_default();
    let parameter = |(name, schema): (&String, &Value)| {
        let mut schema = without_null(schema.clone());
        let meaning = schema.as_object_mut().and_then(|members| members.remove("description"));
        let is_required = place == "path" || required.iter().any(|it| it == name);
        json!({
            "name": name,
            "in": place,
            "description": meaning.unwrap_or_default(),
            "required": is_required,
            "schema": schema,
        })
    };
    properties.iter().map(parameter).collect()
}

/// A parameter is there or not; it is never null.
fn without_null(mut schema: Value) -> Value {
    if let Some(types) = schema["type"].as_array() {
        let types: Vec<_> = types.iter().filter(|it| *it != "null").cloned().collect();
        schema["type"] = match <[Value; 1]>::try_from(types) {
            Ok([only]) => only,
            Err(types) => types.into(),
        };
    }
    let null = json!({ "type": "null" });
    let other = schema["anyOf"].as_array().and_then(|any| {
        let mut others = any.iter().filter(|it| **it != null);
        others.next().filter(|_| others.next().is_none()).cloned()
    });
    if let (Some(other), Some(members)) = (other, schema.as_object_mut()) {
        members.remove("anyOf");
        members.extend(other.as_object().cloned().unwrap_or_default());
    }
    // Left out is the default.
    if let Some(members) = schema.as_object_mut()
        && members.get("default").is_some_and(Value::is_null)
    {
        members.remove("default");
    }
    schema
}
