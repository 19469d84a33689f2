//! A JSON value that keeps the order of its members.
//!
//! The CLI does not put `type` first in every line, and a decoder has to live with that; a
//! transcript with sorted keys would hide it. `serde_json::Value` sorts.

use std::fmt;

use serde::de::{Deserialize, Deserializer, Error, MapAccess, SeqAccess, Visitor};
use serde::ser::{Serialize, SerializeMap, Serializer};
use serde_json::Number;

/// A JSON value as it was written, except for white space and escapes.
#[derive(Debug, Clone, PartialEq)]
pub enum Json {
    /// `null`.
    Null,
    /// `true` or `false`.
    Bool(bool),
    /// A number.
    Number(Number),
    /// A string.
    Text(String),
    /// An array.
    List(Vec<Json>),
    /// An object.
    Object(Vec<(String, Json)>),
}

impl Json {
    /// The (first) member of an object.
    pub fn get(&self, name: &str) -> Option<&Json> {
        match self {
            Self::Object(members) => {
                members.iter().find(|(known, _)| known == name).map(|(_, value)| value)
            }
            _ => None,
        }
    }

    /// The text of a string.
    pub fn as_str(&self) -> Option<&str> {
        match self {
            Self::Text(text) => Some(text),
            _ => None,
        }
    }

    /// Calls `seen` for every string in it, with the member it stands under (of the nearest
    /// object), and for every key, which stands under nothing.
    pub fn each_text<'a>(&'a self, under: &'a str, seen: &mut impl FnMut(&'a str, &'a str)) {
        match self {
            Self::Text(text) => seen(under, text),
            Self::List(items) => items.iter().for_each(|item| item.each_text(under, seen)),
            Self::Object(members) => {
                for (key, value) in members {
                    seen("", key);
                    value.each_text(key, seen);
                }
            }
            Self::Null | Self::Bool(_) | Self::Number(_) => {}
        }
    }

    /// Replaces every string, number and key; told like [`Self::each_text`] where each stands.
    pub fn each_mut(&mut self, under: &str, change: &mut impl FnMut(&str, Leaf<'_>)) {
        match self {
            Self::Text(text) => change(under, Leaf::Text(text)),
            Self::Number(number) => change(under, Leaf::Number(number)),
            Self::List(items) => items.iter_mut().for_each(|item| item.each_mut(under, change)),
            Self::Object(members) => {
                for (key, value) in members {
                    value.each_mut(key, change);
                    change("", Leaf::Text(key));
                }
            }
            Self::Null | Self::Bool(_) => {}
        }
    }
}

/// What [`Json::each_mut`] lets one change.
pub enum Leaf<'a> {
    /// A string or a key.
    Text(&'a mut String),
    /// A number.
    Number(&'a mut Number),
}

impl Serialize for Json {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Null => serializer.serialize_unit(),
            Self::Bool(flag) => serializer.serialize_bool(*flag),
            Self::Number(number) => number.serialize(serializer),
            Self::Text(text) => serializer.serialize_str(text),
            Self::List(items) => items.serialize(serializer),
            Self::Object(members) => {
                let mut map = serializer.serialize_map(Some(members.len()))?;
                for (key, value) in members {
                    map.serialize_entry(key, value)?;
                }
                map.end()
            }
        }
    }
}

impl<'de> Deserialize<'de> for Json {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(Reader)
    }
}

struct Reader;

impl<'de> Visitor<'de> for Reader {
    type Value = Json;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON value")
    }

    fn visit_unit<E>(self) -> Result<Json, E> {
        Ok(Json::Null)
    }

    fn visit_bool<E>(self, flag: bool) -> Result<Json, E> {
        Ok(Json::Bool(flag))
    }

    fn visit_u64<E>(self, number: u64) -> Result<Json, E> {
        Ok(Json::Number(number.into()))
    }

    fn visit_i64<E>(self, number: i64) -> Result<Json, E> {
        Ok(Json::Number(number.into()))
    }

    fn visit_f64<E: Error>(self, number: f64) -> Result<Json, E> {
        let number = Number::from_f64(number).ok_or_else(|| E::custom("not a finite number"))?;
        Ok(Json::Number(number))
    }

    fn visit_str<E>(self, text: &str) -> Result<Json, E> {
        Ok(Json::Text(text.to_owned()))
    }

    fn visit_string<E>(self, text: String) -> Result<Json, E> {
        Ok(Json::Text(text))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Json, A::Error> {
        let mut list = Vec::new();
        while let Some(item) = items.next_element()? {
            list.push(item);
        }
        Ok(Json::List(list))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Json, A::Error> {
        let mut members = Vec::new();
        while let Some(member) = map.next_entry()? {
            members.push(member);
        }
        Ok(Json::Object(members))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_comes_back_as_it_was() {
        let line = r#"{"z":1,"a":[true,null,-2,0.5,"x\ny"],"type":"t","a":{}}"#;
        let value: Json = serde_json::from_str(line).unwrap();
        assert_eq!(serde_json::to_string(&value).unwrap(), line);
        assert_eq!(value.get("type").and_then(Json::as_str), Some("t"));
    }
}
