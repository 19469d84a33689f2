//! The form of an MCP server, field by field.

use serde_json::{Map, Value};

use crate::view::one_line;

/// A field of a form.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Field {
    name: String,
    title: String,
    kind: Kind,
    is_required: bool,
}

#[derive(Clone, Debug, PartialEq)]
enum Kind {
    Text,
    Number,
    Whole,
    YesNo,
    Choice(Vec<String>),
}

/// The fields that a schema describes, in its order.
pub(super) fn fields(schema: &Value) -> Vec<Field> {
    let required: Vec<_> = strings(&schema["required"]);
    let Some(properties) = schema["properties"].as_object() else { return Vec::new() };
    let field = |(name, about): (&String, &Value)| {
        let title = about["title"].as_str().or(about["description"].as_str()).unwrap_or(name);
        let choices = strings(&about["enum"]);
        let kind = match about["type"].as_str() {
            _ if !choices.is_empty() => Kind::Choice(choices),
            Some("number") => Kind::Number,
            Some("integer") => Kind::Whole,
            Some("boolean") => Kind::YesNo,
            _ => Kind::Text,
        };
        let is_required = required.contains(name);
        Field { name: name.clone(), title: one_line(title), kind, is_required }
    };
    properties.iter().map(field).collect()
}

fn strings(value: &Value) -> Vec<String> {
    let list = value.as_array().into_iter().flatten();
    list.filter_map(Value::as_str).map(str::to_owned).collect()
}

impl Field {
    /// What is asked.
    pub(super) fn question(&self) -> String {
        let wanted = match &self.kind {
            Kind::Text => "text".to_owned(),
            Kind::Number => "a number".to_owned(),
            Kind::Whole => "a whole number".to_owned(),
            Kind::YesNo => "y or n".to_owned(),
            Kind::Choice(choices) => one_line(&choices.join(" | ")),
        };
        let optional = if self.is_required { "" } else { "; Enter to leave it out" };
        format!("{} ({wanted}{optional})", self.title)
    }

    /// Puts an answer into the form; or says what would fit.
    pub(super) fn fill(&self, line: &str, form: &mut Map<String, Value>) -> Result<(), String> {
        if line.is_empty() && !self.is_required {
            return Ok(());
        }
        let value = match &self.kind {
            Kind::Text if line.is_empty() => Err("it is needed"),
            Kind::Text => Ok(Value::from(line)),
            Kind::Number => line.parse::<f64>().map(Value::from).map_err(|_| "write a number"),
            Kind::Whole => line.parse::<i64>().map(Value::from).map_err(|_| "write a whole number"),
            Kind::YesNo => match line {
                "y" | "yes" => Ok(Value::from(true)),
                "n" | "no" => Ok(Value::from(false)),
                _ => Err("write y or n"),
            },
            Kind::Choice(choices) if choices.iter().any(|choice| choice == line) => {
                Ok(Value::from(line))
            }
            Kind::Choice(_) => Err("choose one of them"),
        };
        form.insert(self.name.clone(), value.map_err(str::to_owned)?);
        Ok(())
    }
}
