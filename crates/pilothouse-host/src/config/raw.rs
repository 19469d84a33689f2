//! A value before it is known what it should be.

use toml::de::DeValue;

/// A value as it was written.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Raw {
    /// From a variable or a flag: text that may stand for anything.
    Loose(String),
    /// Text in quotes.
    Text(String),
    Bool(bool),
    Number(i64),
    List(Vec<Raw>),
    Table(Vec<(String, Raw)>),
    /// Something that no key takes.
    Other,
}

impl From<&DeValue<'_>> for Raw {
    fn from(value: &DeValue<'_>) -> Self {
        match value {
            DeValue::String(text) => Self::Text(text.to_string()),
            DeValue::Boolean(value) => Self::Bool(*value),
            DeValue::Integer(digits) => i64::from_str_radix(digits.as_str(), digits.radix())
                .map_or(Self::Other, Self::Number),
            DeValue::Array(items) => {
                Self::List(items.iter().map(|item| item.get_ref().into()).collect())
            }
            DeValue::Table(table) => {
                let pair = |(key, value): (&toml::Spanned<_>, &toml::Spanned<DeValue<'_>>)| {
                    let key: &std::borrow::Cow<'_, str> = key.get_ref();
                    (key.to_string(), value.get_ref().into())
                };
                Self::Table(table.iter().map(pair).collect())
            }
            DeValue::Float(_) | DeValue::Datetime(_) => Self::Other,
        }
    }
}

impl Raw {
    /// As text, where it is.
    pub(super) fn text(&self) -> Option<&str> {
        match self {
            Self::Loose(text) | Self::Text(text) => Some(text),
            _ => None,
        }
    }

    /// As a list. A loose one is in brackets, as in TOML, or has commas.
    pub(super) fn list(&self) -> Option<Vec<Self>> {
        match self {
            Self::List(items) => Some(items.clone()),
            Self::Loose(text) if text.trim_start().starts_with('[') => toml(text)?.list(),
            Self::Loose(text) => {
                Some(by_commas(text).map(|item| Self::Loose(item.into())).collect())
            }
            _ => None,
        }
    }

    /// As a table of texts. A loose one is in braces, as in TOML, or `A=1,B=2`.
    pub(super) fn table(&self) -> Option<Vec<(String, String)>> {
        match self {
            Self::Table(pairs) => pairs
                .iter()
                .map(|(key, value)| Some((key.clone(), value.text()?.to_owned())))
                .collect(),
            Self::Loose(text) if text.trim_start().starts_with('{') => toml(text)?.table(),
            Self::Loose(text) => by_commas(text)
                .map(|pair| pair.split_once('='))
                .map(|pair| pair.map(|(key, value)| (key.trim().into(), value.to_owned())))
                .collect(),
            _ => None,
        }
    }
}

fn by_commas(text: &str) -> impl Iterator<Item = &str> {
    text.split(',').map(str::trim).filter(|item| !item.is_empty())
}

fn toml(text: &str) -> Option<Raw> {
    DeValue::parse(text.trim()).ok().map(|value| value.get_ref().into())
}
