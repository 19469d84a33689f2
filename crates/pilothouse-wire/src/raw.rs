//! JSON kept as text.
//!
//! [`Raw`] is one JSON value exactly as it was written: nothing is parsed, reordered or rounded
//! until somebody asks. [`Extra`] holds the fields of an object that its type does not know.

use std::borrow::Cow;
use std::fmt;

use serde::de::{self, DeserializeOwned, Deserializer, MapAccess, Visitor};
use serde::{Deserialize, Serialize, Serializer};
use serde_json::value::RawValue;
use serde_json::{Map, Number, Value};

use crate::field::{Key, Wire};

/// How deep [`Raw::to_value`] follows nested values before it keeps the rest as text.
const DEPTH: usize = 96;

/// One JSON value as text, never interpreted on the way through.
#[derive(Clone)]
pub struct Raw(Box<RawValue>);

impl Raw {
    /// The JSON text.
    pub fn get(&self) -> &str {
        self.0.get()
    }

    /// Takes JSON text as it is. Fails if `text` is not one JSON value.
    pub fn from_text(text: String) -> Result<Self, serde_json::Error> {
        RawValue::from_string(text).map(Self)
    }

    /// Serialises `value`. Fails only where its `Serialize` does (a map with non-string keys).
    pub fn of<T: Serialize + ?Sized>(value: &T) -> Result<Self, serde_json::Error> {
        serde_json::value::to_raw_value(value).map(Self)
    }

    /// The value `null`.
    pub fn null() -> Self {
        Self(RawValue::NULL.to_owned())
    }

    /// The empty object `{}`.
    pub fn empty_object() -> Self {
        Self::from(Value::Object(Map::new()))
    }

    /// Whether this is `null`.
    pub fn is_null(&self) -> bool {
        self.get() == "null"
    }

    /// Parses into a serde type of the caller's.
    pub fn parse<T: DeserializeOwned>(&self) -> Result<T, serde_json::Error> {
        serde_json::from_str(self.get())
    }

    /// Reads as one of this crate's types, as far as the text allows; `None` where it is not of
    /// that kind at all.
    pub fn read<T: Wire>(&self) -> Option<T> {
        T::read(&self.0)
    }

    /// A `Value` for every text, also where `serde_json` alone would refuse: lone surrogates become
    /// U+FFFD, numbers beyond `f64` and values nested beyond reason become strings of their text.
    pub fn to_value(&self) -> Value {
        self.parse().unwrap_or_else(|_| lenient_value(&self.0, DEPTH))
    }

    /// The members of an object in their order, or `None` for any other value.
    pub fn entries(&self) -> Option<Vec<(Cow<'_, str>, &RawValue)>> {
        entries(&self.0)
    }

    /// The member `key` of an object (the last one, where it stands more than once).
    pub fn member(&self, key: &str) -> Option<Raw> {
        let entries = self.entries()?;
        let (_, value) = entries.into_iter().rev().find(|(name, _)| name == key)?;
        Some(Raw(value.to_owned()))
    }
}

/// The members of the object `raw`, each value untouched.
pub(crate) fn entries(raw: &RawValue) -> Option<Vec<(Cow<'_, str>, &RawValue)>> {
    struct Entries;
    impl<'de> Visitor<'de> for Entries {
        type Value = Vec<(Cow<'de, str>, &'de RawValue)>;
        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("an object")
        }
        fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
            let mut found = Vec::new();
            while let Some(Key(name)) = map.next_key()? {
                found.push((name, map.next_value()?));
            }
            Ok(found)
        }
    }
    let mut deserializer = serde_json::Deserializer::from_str(raw.get());
    de::Deserializer::deserialize_map(&mut deserializer, Entries).ok()
}

fn lenient_value(raw: &RawValue, depth: usize) -> Value {
    let text = raw.get();
    let as_text = || Value::String(text.to_owned());
    if depth == 0 {
        return as_text();
    }
    match text.as_bytes().first() {
        Some(b'{') => match entries(raw) {
            Some(members) => members
                .into_iter()
                .map(|(name, value)| (name.into_owned(), lenient_value(value, depth - 1)))
                .collect(),
            None => as_text(),
        },
        Some(b'[') => match serde_json::from_str::<Vec<&RawValue>>(text) {
            Ok(items) => items.into_iter().map(|item| lenient_value(item, depth - 1)).collect(),
            Err(_) => as_text(),
        },
        Some(b'"') => String::read(raw).map_or_else(as_text, Value::String),
        _ => serde_json::from_str(text).unwrap_or_else(|_| as_text()),
    }
}

impl From<Value> for Raw {
    fn from(value: Value) -> Self {
        // A `Value` always serialises; `null` stands in for the impossible.
        Self::of(&value).unwrap_or_else(|_| Self::null())
    }
}

impl From<Box<RawValue>> for Raw {
    fn from(raw: Box<RawValue>) -> Self {
        Self(raw)
    }
}

impl From<&RawValue> for Raw {
    fn from(raw: &RawValue) -> Self {
        Self(raw.to_owned())
    }
}

impl Default for Raw {
    fn default() -> Self {
        Self::null()
    }
}

impl fmt::Debug for Raw {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.get())
    }
}

impl PartialEq for Raw {
    /// Equal as text: `1` and `1.0` differ.
    fn eq(&self, other: &Self) -> bool {
        self.get() == other.get()
    }
}

impl Serialize for Raw {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.0.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Raw {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Box::<RawValue>::deserialize(deserializer).map(Self)
    }
}

impl Wire for Raw {
    fn decode<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Self::deserialize(deserializer)
    }
    fn read(raw: &RawValue) -> Option<Self> {
        Some(Self(raw.to_owned()))
    }
}

/// The fields of an object that its type does not name, in the order they came.
///
/// A field that the type does name ends up here too when its value is not of the expected kind, or
/// is a `null` that the typed field cannot tell from "absent": what was received can be written
/// back.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Extra(Vec<(Box<str>, Raw)>);

impl Extra {
    /// Whether nothing is unknown.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The value of `key`, if it came.
    pub fn get(&self, key: &str) -> Option<&Raw> {
        self.0.iter().rev().find(|(name, _)| &**name == key).map(|(_, value)| value)
    }

    /// Sets `key`, replacing what it had.
    pub fn insert(&mut self, key: &str, value: Raw) {
        match self.0.iter_mut().find(|(name, _)| &**name == key) {
            Some((_, old)) => *old = value,
            None => self.0.push((key.into(), value)),
        }
    }

    /// Name and value of each field.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &Raw)> {
        self.0.iter().map(|(name, value)| (&**name, value))
    }
}

/// A number that may be whole or not, as it was written.
pub type Num = Number;
