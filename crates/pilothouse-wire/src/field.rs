//! How a field is read from JSON.
//!
//! A value is read in one pass ([`Wire::read`]). Where a field is not of the expected kind, its
//! object goes back to where the field began and keeps it as raw text in `extra`, so that one odd
//! field never costs the message it stands in.

use std::collections::BTreeMap;

use serde::de::{self, Deserialize, Deserializer};
use serde::ser::SerializeMap;
use serde::{Serialize, Serializer};
use serde_json::Number;
use serde_json::value::RawValue;

use crate::json::{Cursor, Opened};
use crate::raw::{Extra, Raw};

/// A value that can stand in a message.
pub trait Wire: Sized {
    /// Reads the value at the cursor; `None` where it is of another kind.
    fn read(cursor: &mut Cursor<'_>) -> Option<Self>;

    /// The value of a field that is not there; `None` where the field is required.
    fn absent() -> Option<Self> {
        None
    }

    /// If this value is what [`Wire::absent`] gives, the JSON that a present field of this value
    /// must have had. Such a field is not written; see [`Extra`].
    fn as_absent(&self) -> Option<&'static str> {
        None
    }
}

/// A member that names the kind of its object, and the kind.
pub type Tag<'a> = (&'a str, &'a str);

/// An object whose members can be read and written as part of a larger one: beside the tags of an
/// enclosing enum.
pub trait Object: Sized {
    /// Reads the rest of an object. Members named in `tags` belong to an enclosing enum.
    fn read_members(cursor: &mut Cursor<'_>, object: Opened, tags: &[Tag<'_>]) -> Option<Self>;

    /// Writes the members, except those in `tags`, which are written already.
    fn write_members<M: SerializeMap>(&self, map: &mut M, tags: &[Tag<'_>])
    -> Result<(), M::Error>;
}

/// Reads a whole text.
pub(crate) fn read_str<T: Wire>(text: &str) -> Option<T> {
    let mut cursor = Cursor::new(text);
    let value = T::read(&mut cursor)?;
    cursor.is_at_end().then_some(value)
}

/// Reads the value of the field `key`, or puts it into `extra` where it is of another kind. `None`
/// where the text is not JSON.
#[inline]
pub(crate) fn read_field<T: Wire>(
    cursor: &mut Cursor<'_>,
    key: &str,
    extra: &mut Extra,
) -> Option<Option<T>> {
    let start = cursor.mark();
    let value = T::read(cursor);
    match &value {
        Some(present) => {
            if let Some(json) = present.as_absent() {
                extra.insert(key, Raw::trusted(json));
            }
        }
        None => {
            cursor.rewind(start);
            extra.insert(key, Raw::trusted(cursor.skip()?));
        }
    }
    Some(value)
}

/// Passes a member that is no field: a tag, or something unknown, which is kept. `None` where a tag
/// stands twice and says two things.
pub(crate) fn read_unknown(
    cursor: &mut Cursor<'_>,
    key: &str,
    tags: &[Tag<'_>],
    extra: &mut Extra,
) -> Option<()> {
    match tags.iter().find(|(name, _)| *name == key) {
        Some((_, word)) => (cursor.string()? == *word).then_some(()),
        None => {
            extra.insert(key, Raw::trusted(cursor.skip()?));
            Some(())
        }
    }
}

/// Whether `key` is the name of a tag.
pub(crate) fn is_tag(tags: &[Tag<'_>], key: &str) -> bool {
    tags.iter().any(|(name, _)| *name == key)
}

impl Wire for String {
    fn read(cursor: &mut Cursor<'_>) -> Option<Self> {
        cursor.string().map(Into::into)
    }
}

impl Wire for bool {
    fn read(cursor: &mut Cursor<'_>) -> Option<Self> {
        cursor.boolean()
    }
}

macro_rules! numbers {
    ($($ty:ty),*) => {$(
        impl Wire for $ty {
            fn read(cursor: &mut Cursor<'_>) -> Option<Self> {
                cursor.number()?.parse().ok()
            }
        }
    )*};
}
numbers!(u32, u64, i64, Number);

impl<T: Wire> Wire for Option<T> {
    #[inline]
    fn read(cursor: &mut Cursor<'_>) -> Option<Self> {
        match cursor.peek()? {
            b'n' => cursor.null().map(|()| None),
            _ => T::read(cursor).map(Some),
        }
    }
    fn absent() -> Option<Self> {
        Some(None)
    }
    fn as_absent(&self) -> Option<&'static str> {
        self.is_none().then_some("null")
    }
}

impl<T: Wire> Wire for Vec<T> {
    /// All items or none: a list with holes would say something else than was sent.
    fn read(cursor: &mut Cursor<'_>) -> Option<Self> {
        let mut items = Vec::new();
        let mut more = cursor.enter(b'[')?;
        while more {
            items.push(T::read(cursor)?);
            more = cursor.more(b'[')?;
        }
        Some(items)
    }
    fn absent() -> Option<Self> {
        Some(Vec::new())
    }
    fn as_absent(&self) -> Option<&'static str> {
        self.is_empty().then_some("[]")
    }
}

impl<T: Wire> Wire for BTreeMap<String, T> {
    fn read(cursor: &mut Cursor<'_>) -> Option<Self> {
        let mut members = BTreeMap::new();
        let mut more = cursor.enter(b'{')?;
        while more {
            let key = cursor.key()?;
            members.insert(key.into_owned(), T::read(cursor)?);
            more = cursor.more(b'{')?;
        }
        Some(members)
    }
}

impl<T: Wire> Wire for Box<T> {
    fn read(cursor: &mut Cursor<'_>) -> Option<Self> {
        T::read(cursor).map(Box::new)
    }
}

impl<T: Object> Object for Box<T> {
    fn read_members(cursor: &mut Cursor<'_>, object: Opened, tags: &[Tag<'_>]) -> Option<Self> {
        T::read_members(cursor, object, tags).map(Box::new)
    }
    fn write_members<M: SerializeMap>(
        &self,
        map: &mut M,
        tags: &[Tag<'_>],
    ) -> Result<(), M::Error> {
        (**self).write_members(map, tags)
    }
}

/// A field for which "absent", `null` and a value are three things the CLI really sends.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Nullable<T> {
    /// The field is not there.
    #[default]
    Absent,
    /// The field is `null`.
    Null,
    /// The field has a value.
    Value(T),
}

impl<T> Nullable<T> {
    /// The value, if there is one.
    pub fn get(&self) -> Option<&T> {
        match self {
            Self::Value(value) => Some(value),
            Self::Absent | Self::Null => None,
        }
    }

    /// The value, if there is one.
    pub fn into_option(self) -> Option<T> {
        match self {
            Self::Value(value) => Some(value),
            Self::Absent | Self::Null => None,
        }
    }
}

impl Nullable<String> {
    /// The text, if there is one.
    pub fn as_deref(&self) -> Option<&str> {
        self.get().map(String::as_str)
    }
}

impl<T> From<Option<T>> for Nullable<T> {
    fn from(value: Option<T>) -> Self {
        value.map_or(Self::Null, Self::Value)
    }
}

impl<T: Wire> Wire for Nullable<T> {
    fn read(cursor: &mut Cursor<'_>) -> Option<Self> {
        Option::<T>::read(cursor).map(Self::from)
    }
    fn absent() -> Option<Self> {
        Some(Self::Absent)
    }
    fn as_absent(&self) -> Option<&'static str> {
        matches!(self, Self::Absent).then_some("null")
    }
}

impl<T: Serialize> Serialize for Nullable<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.get().serialize(serializer)
    }
}

/// What a tagged enum keeps of a variant it does not know.
#[derive(Clone, Debug, PartialEq)]
pub struct Unknown {
    /// The value of the tag, where there is one.
    pub tag: Option<String>,
    /// The whole value.
    pub raw: Raw,
}

impl Unknown {
    pub(crate) fn read(cursor: &mut Cursor<'_>, tag: Option<&str>) -> Option<Self> {
        let tag = tag.map(str::to_owned);
        cursor.skip().map(|json| Self { tag, raw: Raw::trusted(json) })
    }

    pub(crate) fn write_members<M: SerializeMap>(
        &self,
        map: &mut M,
        tags: &[Tag<'_>],
    ) -> Result<(), M::Error> {
        for (name, value) in self.raw.members().unwrap_or_default() {
            if !is_tag(tags, &name) {
                map.serialize_entry(&*name, &Raw::trusted(value))?;
            }
        }
        Ok(())
    }
}

/// The tags that members are free of: those of the enclosing enums and one more. Enums nest two
/// deep at most (`type`, then `subtype`).
pub(crate) fn with_tag<'a>(outer: &[Tag<'a>], tag: Tag<'a>) -> [Tag<'a>; 2] {
    [outer.first().copied().unwrap_or(tag), tag]
}

/// `Serialize` of an object.
pub(crate) fn serialize_object<T: Object, S: Serializer>(
    object: &T,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    let mut map = serializer.serialize_map(None)?;
    object.write_members(&mut map, &[])?;
    map.end()
}

/// `Deserialize` for callers outside, from the value's text; works with `serde_json` only.
pub(crate) fn deserialize<'de, T: Wire, D: Deserializer<'de>>(d: D) -> Result<T, D::Error> {
    let raw = Box::<RawValue>::deserialize(d)?;
    read_str(raw.get()).ok_or_else(|| de::Error::custom("not a value of the expected kind"))
}
