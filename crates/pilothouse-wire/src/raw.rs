//! JSON kept as text.
//!
//! [`Raw`] is one JSON value exactly as it was written: nothing is parsed, reordered or rounded
//! until somebody asks. [`Extra`] holds the fields of an object that its type does not know.

use std::borrow::Cow;
use std::fmt;

use serde::de::{DeserializeOwned, Deserializer};
use serde::{Deserialize, Serialize, Serializer, ser};
use serde_json::value::RawValue;
use serde_json::{Map, Number, Value};

use crate::field::{Wire, read_str};
use crate::json::Cursor;

/// How deep [`Raw::to_value`] follows nested values before it keeps the rest as text.
const DEPTH: usize = 96;

/// One JSON value as text, never interpreted on the way through.
#[derive(Clone, PartialEq, Eq)]
pub struct Raw(Box<str>);

impl Raw {
    /// Text that a [`Cursor`] has passed over, or a literal.
    pub(crate) fn trusted(json: &str) -> Self {
        Self(json.into())
    }

    /// The JSON text.
    pub fn get(&self) -> &str {
        &self.0
    }

    /// Takes JSON text as it is. Fails if `text` is not one JSON value.
    pub fn from_text(text: impl Into<String>) -> Result<Self, serde_json::Error> {
        RawValue::from_string(text.into()).map(Self::from)
    }

    /// Serialises `value`. Fails only where its `Serialize` does (a map with non-string keys).
    pub fn of<T: Serialize + ?Sized>(value: &T) -> Result<Self, serde_json::Error> {
        serde_json::to_string(value).map(|text| Self(text.into()))
    }

    /// The value `null`.
    pub fn null() -> Self {
        Self::trusted("null")
    }

    /// The empty object `{}`.
    pub fn empty_object() -> Self {
        Self::trusted("{}")
    }

    /// Whether this is `null`.
    pub fn is_null(&self) -> bool {
        self.get() == "null"
    }

    /// Parses into a serde type of the caller's.
    pub fn parse<T: DeserializeOwned>(&self) -> Result<T, serde_json::Error> {
        serde_json::from_str(self.get())
    }

    /// Reads as one of this crate's types; `None` where it is not of that kind.
    pub fn read<T: Wire>(&self) -> Option<T> {
        read_str(self.get())
    }

    /// A `Value` for every text, also where `serde_json` alone would refuse: lone surrogates become
    /// U+FFFD, numbers beyond `f64` and values nested beyond reason become strings of their text.
    pub fn to_value(&self) -> Value {
        self.parse().unwrap_or_else(|_| lenient_value(self.get(), DEPTH))
    }

    /// The members of an object in their order, each value untouched, or `None` for any other value.
    pub fn members(&self) -> Option<Vec<(Cow<'_, str>, &str)>> {
        Cursor::new(self.get()).members()
    }

    /// The member `key` of an object (the last one, where it stands more than once).
    pub fn member(&self, key: &str) -> Option<Raw> {
        let members = self.members()?;
        let (_, value) = members.into_iter().rev().find(|(name, _)| name == key)?;
        Some(Raw::trusted(value))
    }
}

fn lenient_value(text: &str, depth: usize) -> Value {
    let whole = || Value::String(text.to_owned());
    let inner = |text| lenient_value(text, depth - 1);
    if depth == 0 {
        return whole();
    }
    let mut cursor = Cursor::new(text);
    match cursor.peek() {
        Some(b'{') => cursor.members().map_or_else(whole, |members| {
            members.into_iter().map(|(name, value)| (name.into_owned(), inner(value))).collect()
        }),
        Some(b'[') => {
            cursor.items().map_or_else(whole, |items| items.into_iter().map(inner).collect())
        }
        Some(b'"') => read_str(text).map_or_else(whole, Value::String),
        _ => serde_json::from_str(text).unwrap_or_else(|_| whole()),
    }
}

impl From<Value> for Raw {
    fn from(value: Value) -> Self {
        Self(value.to_string().into())
    }
}

impl From<Map<String, Value>> for Raw {
    fn from(map: Map<String, Value>) -> Self {
        Self::from(Value::Object(map))
    }
}

impl From<Box<RawValue>> for Raw {
    fn from(raw: Box<RawValue>) -> Self {
        Self(raw.into())
    }
}

impl From<&RawValue> for Raw {
    fn from(raw: &RawValue) -> Self {
        Self::trusted(raw.get())
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

impl Serialize for Raw {
    /// The text is parsed once more: what is written is JSON, whatever was received.
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let raw: &RawValue = serde_json::from_str(self.get()).map_err(ser::Error::custom)?;
        raw.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Raw {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Box::<RawValue>::deserialize(deserializer).map(Self::from)
    }
}

impl Wire for Raw {
    fn read(cursor: &mut Cursor<'_>) -> Option<Self> {
        cursor.skip().map(Self::trusted)
    }
}

/// The fields of an object that its type does not name, in the order they came.
///
/// A field that the type does name ends up here too when its value is not of the expected kind, or
/// is a `null` that the typed field cannot tell from "absent": what was received can be written
/// back.
///
/// Nearly always empty, and part of every object: it takes no more room than a pointer.
#[derive(Clone, Default, PartialEq)]
pub struct Extra(Option<Box<Fields>>);

type Fields = Vec<(Box<str>, Raw)>;

impl fmt::Debug for Extra {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Extra").field(&self.fields()).finish()
    }
}

impl Extra {
    fn fields(&self) -> &[(Box<str>, Raw)] {
        self.0.as_ref().map_or(&[], |fields| fields)
    }

    /// Whether nothing is unknown.
    pub fn is_empty(&self) -> bool {
        self.fields().is_empty()
    }

    /// The value of `key`, if it came.
    pub fn get(&self, key: &str) -> Option<&Raw> {
        self.iter().find(|(name, _)| *name == key).map(|(_, value)| value)
    }

    /// Sets `key`, replacing what it had.
    pub fn insert(&mut self, key: &str, value: Raw) {
        let fields = self.0.get_or_insert_default();
        match fields.iter_mut().find(|(name, _)| &**name == key) {
            Some((_, old)) => *old = value,
            None => fields.push((key.into(), value)),
        }
    }

    /// Name and value of each field.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &Raw)> {
        self.fields().iter().map(|(name, value)| (&**name, value))
    }
}

/// A number that may be whole or not, as it was written.
pub type Num = Number;
