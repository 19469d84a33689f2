//! JSON bodies.

use axum::extract::{FromRequest, Request};
use axum::http::{HeaderMap, header};
use serde::de::DeserializeOwned;
use serde_json::error::Category;
use serde_path_to_error::{Path, Segment};

use super::{one_header, read};
use crate::http::problem::{Fault, Kind, Place, Problem};

/// A body that must be JSON and must say so: a form of another site cannot send
/// `application/json` without asking first.
///
/// Fields that are doubled or unknown are refused where the type says so
/// (`#[serde(deny_unknown_fields)]`).
#[derive(Clone, Copy, Debug)]
pub struct ApiJson<T>(pub T);

impl<T: DeserializeOwned, S: Send + Sync> FromRequest<S> for ApiJson<T> {
    type Rejection = Problem;

    async fn from_request(request: Request, _: &S) -> Result<Self, Problem> {
        check_type(request.headers())?;
        decode(&read(request).await?).map(Self)
    }
}

fn check_type(headers: &HeaderMap) -> Result<(), Problem> {
    let said = one_header(headers, &header::CONTENT_TYPE)?;
    let mut parts = said.unwrap_or_default().split(';').map(str::trim);
    let json = parts.next().is_some_and(|kind| kind.eq_ignore_ascii_case("application/json"));
    let is_utf8 = |part: &str| match part.split_once('=') {
        Some((name, value)) if name.trim().eq_ignore_ascii_case("charset") => {
            value.trim().trim_matches('"').eq_ignore_ascii_case("utf-8")
        }
        _ => true,
    };
    if json && parts.all(is_utf8) {
        return Ok(());
    }
    let detail = match said {
        None => "the body has no type: send `Content-Type: application/json`".to_owned(),
        Some(said) => format!(
            "the body is said to be `{}`: send JSON in UTF-8, with `Content-Type: application/json`",
            said.chars().take(80).collect::<String>()
        ),
    };
    let fault = Fault::header("content-type", "must be application/json");
    Err(Problem::new(Kind::UnsupportedMediaType, detail).fault(fault))
}

fn decode<T: DeserializeOwned>(body: &[u8]) -> Result<T, Problem> {
    let mut json = serde_json::Deserializer::from_slice(body);
    let value = serde_path_to_error::deserialize(&mut json)
        .map_err(|error| problem(&pointer(error.path(), error.inner()), error.inner()))?;
    json.end().map_err(|error| problem("", &error))?;
    Ok(value)
}

fn problem(pointer: &str, error: &serde_json::Error) -> Problem {
    let (line, column) = (error.line() as u64, error.column() as u64);
    let known = line > 0;
    let place = Place::Body {
        pointer: pointer.to_owned(),
        line: known.then_some(line),
        column: known.then_some(column),
    };
    let whole = error.to_string();
    let at = format!(" at line {line} column {column}");
    let said = whole.strip_suffix(&at).unwrap_or(&whole);
    let fault = Fault { place, detail: said.to_owned() };
    let (kind, what) = match error.classify() {
        Category::Data => (Kind::InvalidInput, "the body does not fit"),
        Category::Syntax | Category::Eof | Category::Io => {
            (Kind::MalformedJson, "the body cannot be read as JSON")
        }
    };
    let field = match pointer {
        "" => String::new(),
        pointer => format!(" in `{pointer}`"),
    };
    let detail = format!("{what}: {said}{field} (line {line}, column {column})");
    Problem::new(kind, detail).fault(fault)
}

/// A JSON pointer (RFC 6901) to what is wrong, or to what should be there.
fn pointer(path: &Path, error: &serde_json::Error) -> String {
    let mut text = String::new();
    for segment in path {
        match segment {
            Segment::Seq { index } => text.push_str(&format!("/{index}")),
            Segment::Map { key } => {
                push_key(&mut text, key);
            }
            // The name of a variant is not in the text where it is told by a tag.
            Segment::Enum { .. } | Segment::Unknown => {}
        }
    }
    // Found out at the object, not at the field.
    let said = error.to_string();
    let field = ["duplicate field `", "missing field `"]
        .iter()
        .find_map(|start| said.strip_prefix(start)?.split('`').next());
    if let Some(field) = field {
        push_key(&mut text, field);
    }
    text
}

fn push_key(pointer: &mut String, key: &str) {
    pointer.push('/');
    pointer.push_str(&key.replace('~', "~0").replace('/', "~1"));
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use serde::Deserialize;

    use super::*;

    #[derive(Debug, Deserialize)]
    #[serde(deny_unknown_fields)]
    #[allow(dead_code)]
    struct Wish {
        what: String,
        #[serde(default)]
        parts: Vec<Part>,
        #[serde(default)]
        notes: BTreeMap<String, u8>,
    }

    #[derive(Debug, Deserialize)]
    #[serde(deny_unknown_fields)]
    #[allow(dead_code)]
    struct Part {
        size: u8,
    }

    #[test]
    fn every_mistake_has_a_kind_a_pointer_and_a_sentence() {
        let table = [
            (r#"{"what":1}"#, 422, "/what", "invalid type: integer `1`, expected a string"),
            (r#"{"what":"a","parts":[{"size":1},{"size":300}]}"#, 422, "/parts/1/size", "300"),
            (r#"{"what":"a","parts":[{"sise":1}]}"#, 422, "/parts/0/sise", "unknown field `sise`"),
            (r#"{"what":"a","what":"b"}"#, 422, "/what", "duplicate field `what`"),
            (r#"{"what":"a","wat":1}"#, 422, "/wat", "unknown field `wat`"),
            (r#"{"what":"a","notes":{"a/b~":"x"}}"#, 422, "/notes/a~1b~0", "expected u8"),
            (r#"{}"#, 422, "/what", "missing field `what`"),
            (r#"{"what":"a"} x"#, 400, "", "trailing characters"),
            (r#"{"what":"#, 400, "/what", "EOF"),
            ("", 400, "", "EOF"),
            ("\u{feff}{}", 400, "", "expected value"),
        ];
        for (json, status, place, sentence) in table {
            let problem = decode::<Wish>(json.as_bytes()).unwrap_err();
            let document = problem.document();
            assert_eq!(document.status, status, "{json}: {problem}");
            let [fault] = &document.errors[..] else { panic!("{json}: {problem}") };
            let Place::Body { pointer, line, .. } = &fault.place else { panic!("{json}") };
            assert_eq!(pointer, place, "{json}: {problem}");
            assert_eq!(*line, Some(1), "{json}");
            assert!(fault.detail.contains(sentence), "{json}: {}", fault.detail);
            assert!(!fault.detail.contains("at line"), "{json}: {}", fault.detail);
        }
    }

    #[test]
    fn deep_nesting_is_refused_not_followed() {
        let deep = "[".repeat(100_000);
        let problem = decode::<serde_json::Value>(deep.as_bytes()).unwrap_err();
        assert_eq!(problem.kind(), Kind::MalformedJson);
    }

    #[test]
    fn only_json_in_utf_8_is_json() {
        let table = [
            (Some("application/json"), true),
            (Some("Application/JSON; charset=UTF-8"), true),
            (Some("application/json;charset=\"utf-8\""), true),
            (Some("application/json; charset=latin1"), false),
            (Some("application/jsonp"), false),
            (Some("text/plain"), false),
            (Some("application/x-www-form-urlencoded"), false),
            (Some("text/plain; a=application/json"), false),
            (Some(""), false),
            (None, false),
        ];
        for (said, fits) in table {
            let mut headers = HeaderMap::new();
            if let Some(said) = said {
                headers.insert(header::CONTENT_TYPE, said.parse().unwrap());
            }
            assert_eq!(check_type(&headers).is_ok(), fits, "{said:?}");
        }
    }
}
