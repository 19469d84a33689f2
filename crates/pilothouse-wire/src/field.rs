//! How a field is read from JSON.
//!
//! Every type of this crate is read in one of two ways. [`Wire::decode`] is the fast one: a single
//! pass over the text, strict about kinds. Where it fails, [`Wire::read`] takes the value apart
//! member by member and keeps what does not fit as raw text in `extra`, so that one odd field never
//! costs the message it stands in.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt;
use std::marker::PhantomData;

use serde::de::{self, DeserializeSeed, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde::ser::SerializeMap;
use serde::{Deserialize, Serialize, Serializer};
use serde_json::Number;
use serde_json::value::RawValue;

use crate::raw::Raw;

/// A value that can stand in a message.
pub trait Wire: Sized {
    /// Reads in one pass; fails on anything unexpected.
    fn decode<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error>;

    /// Reads what can be read; `None` only where the value is of another kind altogether.
    fn read(raw: &RawValue) -> Option<Self> {
        decode_str(raw.get())
    }

    /// The value of a field that is not there; `None` where the field is required.
    fn absent() -> Option<Self> {
        None
    }

    /// If this value is what [`Wire::absent`] gives, the JSON that a present field of this value
    /// must have had. Such a field is not written; see [`crate::Extra`].
    fn as_absent(&self) -> Option<&'static RawValue> {
        None
    }
}

/// An object whose members can be read and written as part of a larger one: after a tag, or beside
/// the tags of an enclosing enum.
pub trait Object: Sized {
    /// Reads the remaining members of `map`. Members named in `tags` belong to an enclosing enum
    /// and are skipped.
    fn decode_members<'de, A: MapAccess<'de>>(map: A, tags: &[&str]) -> Result<Self, A::Error>;

    /// As [`Wire::read`], from members already split.
    fn read_members(members: &[Member<'_>], tags: &[&str]) -> Option<Self>;

    /// Writes the members, except those in `tags`, which are written already.
    fn encode_members<M: SerializeMap>(&self, map: &mut M, tags: &[&str]) -> Result<(), M::Error>;
}

/// One member of an object that has been split but not read.
pub type Member<'a> = (Cow<'a, str>, &'a RawValue);

/// Strict decoding of a whole text.
pub(crate) fn decode_str<T: Wire>(text: &str) -> Option<T> {
    let mut deserializer = serde_json::Deserializer::from_str(text);
    let value = T::decode(&mut deserializer).ok()?;
    deserializer.end().ok()?;
    Some(value)
}

/// Hands [`Wire::decode`] to serde where it wants a seed.
pub(crate) struct Seed<T>(PhantomData<T>);

impl<T> Seed<T> {
    pub(crate) fn new() -> Self {
        Self(PhantomData)
    }
}

impl<'de, T: Wire> DeserializeSeed<'de> for Seed<T> {
    type Value = T;
    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<T, D::Error> {
        T::decode(deserializer)
    }
}

/// A member name, borrowed where it has no escapes. Lone surrogates become U+FFFD.
pub(crate) struct Key<'de>(pub(crate) Cow<'de, str>);

impl<'de> Deserialize<'de> for Key<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_bytes(TextVisitor).map(Key)
    }
}

/// Text through serde's byte path: `serde_json` refuses lone surrogates in a `String`, and truncated
/// model output contains them.
struct TextVisitor;

impl<'de> Visitor<'de> for TextVisitor {
    type Value = Cow<'de, str>;
    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a string")
    }
    fn visit_borrowed_bytes<E: de::Error>(self, bytes: &'de [u8]) -> Result<Self::Value, E> {
        Ok(String::from_utf8_lossy(bytes))
    }
    fn visit_bytes<E: de::Error>(self, bytes: &[u8]) -> Result<Self::Value, E> {
        Ok(Cow::Owned(String::from_utf8_lossy(bytes).into_owned()))
    }
    fn visit_borrowed_str<E: de::Error>(self, text: &'de str) -> Result<Self::Value, E> {
        Ok(Cow::Borrowed(text))
    }
    fn visit_str<E: de::Error>(self, text: &str) -> Result<Self::Value, E> {
        Ok(Cow::Owned(text.to_owned()))
    }
}

impl Wire for String {
    fn decode<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_bytes(TextVisitor).map(Cow::into_owned)
    }
    fn read(raw: &RawValue) -> Option<Self> {
        // `deserialize_bytes` also takes an array of numbers, which is not text.
        if raw.get().starts_with('"') { decode_str(raw.get()) } else { None }
    }
}

macro_rules! plain {
    ($($ty:ty),*) => {$(
        impl Wire for $ty {
            fn decode<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                <$ty>::deserialize(deserializer)
            }
        }
    )*};
}
plain!(bool, u32, u64, i64, Number);

impl<T: Wire> Wire for Option<T> {
    fn decode<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Maybe<T>(PhantomData<T>);
        impl<'de, T: Wire> Visitor<'de> for Maybe<T> {
            type Value = Option<T>;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a value or null")
            }
            fn visit_unit<E: de::Error>(self) -> Result<Self::Value, E> {
                Ok(None)
            }
            fn visit_none<E: de::Error>(self) -> Result<Self::Value, E> {
                Ok(None)
            }
            fn visit_some<D: Deserializer<'de>>(self, d: D) -> Result<Self::Value, D::Error> {
                T::decode(d).map(Some)
            }
        }
        deserializer.deserialize_option(Maybe(PhantomData))
    }
    fn read(raw: &RawValue) -> Option<Self> {
        if raw.get() == "null" { Some(None) } else { T::read(raw).map(Some) }
    }
    fn absent() -> Option<Self> {
        Some(None)
    }
    fn as_absent(&self) -> Option<&'static RawValue> {
        self.is_none().then_some(RawValue::NULL)
    }
}

impl<T: Wire> Wire for Vec<T> {
    fn decode<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Items<T>(PhantomData<T>);
        impl<'de, T: Wire> Visitor<'de> for Items<T> {
            type Value = Vec<T>;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a list")
            }
            fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Self::Value, A::Error> {
                let mut items = Vec::new();
                while let Some(item) = seq.next_element_seed(Seed::new())? {
                    items.push(item);
                }
                Ok(items)
            }
        }
        deserializer.deserialize_seq(Items(PhantomData))
    }
    /// All items or none: a list with holes would say something else than was sent.
    fn read(raw: &RawValue) -> Option<Self> {
        let items: Vec<&RawValue> = serde_json::from_str(raw.get()).ok()?;
        items.into_iter().map(T::read).collect()
    }
    fn absent() -> Option<Self> {
        Some(Vec::new())
    }
    fn as_absent(&self) -> Option<&'static RawValue> {
        self.is_empty().then(empty_list)
    }
}

fn empty_list() -> &'static RawValue {
    serde_json::from_str("[]").unwrap_or(RawValue::NULL)
}

impl<T: Wire> Wire for BTreeMap<String, T> {
    fn decode<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Members<T>(PhantomData<T>);
        impl<'de, T: Wire> Visitor<'de> for Members<T> {
            type Value = BTreeMap<String, T>;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }
            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
                let mut members = BTreeMap::new();
                while let Some(Key(name)) = map.next_key()? {
                    members.insert(name.into_owned(), map.next_value_seed(Seed::new())?);
                }
                Ok(members)
            }
        }
        deserializer.deserialize_map(Members(PhantomData))
    }
    fn read(raw: &RawValue) -> Option<Self> {
        let members = crate::raw::entries(raw)?;
        members.into_iter().map(|(k, v)| Some((k.into_owned(), T::read(v)?))).collect()
    }
}

impl<T: Wire> Wire for Box<T> {
    fn decode<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        T::decode(deserializer).map(Box::new)
    }
    fn read(raw: &RawValue) -> Option<Self> {
        T::read(raw).map(Box::new)
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
    fn decode<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Option::<T>::decode(deserializer).map(Self::from)
    }
    fn read(raw: &RawValue) -> Option<Self> {
        Option::<T>::read(raw).map(Self::from)
    }
    fn absent() -> Option<Self> {
        Some(Self::Absent)
    }
    fn as_absent(&self) -> Option<&'static RawValue> {
        matches!(self, Self::Absent).then_some(RawValue::NULL)
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
    pub(crate) fn encode_members<M: SerializeMap>(
        &self,
        map: &mut M,
        tags: &[&str],
    ) -> Result<(), M::Error> {
        for (name, value) in self.raw.entries().unwrap_or_default() {
            if !tags.contains(&&*name) {
                map.serialize_entry(&*name, value)?;
            }
        }
        Ok(())
    }
}

/// The object made of `members`, as text.
pub(crate) fn rejoin(members: &[Member<'_>]) -> Raw {
    struct Members<'a>(&'a [Member<'a>]);
    impl Serialize for Members<'_> {
        fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
            serializer.collect_map(self.0.iter().map(|(name, value)| (name, value)))
        }
    }
    Raw::of(&Members(members)).unwrap_or_else(|_| Raw::empty_object())
}

/// The text of the member `tag`.
pub(crate) fn tag_of(members: &[Member<'_>], tag: &str) -> Option<String> {
    let (_, value) = members.iter().rev().find(|(name, _)| name == tag)?;
    String::read(value)
}

/// Skips the value of a member that an enclosing enum has read.
pub(crate) fn skip<'de, A: MapAccess<'de>>(map: &mut A) -> Result<(), A::Error> {
    map.next_value::<IgnoredAny>().map(drop)
}

/// The tags that members are free of: those of the enclosing enums and one more. Enums nest two
/// deep at most (`type`, then `subtype`).
pub(crate) fn with_tag<'a>(outer: &[&'a str], tag: &'a str) -> [&'a str; 2] {
    [outer.first().copied().unwrap_or(tag), tag]
}

/// [`Wire::decode`] of an object.
pub(crate) fn decode_object<'de, T: Object, D: Deserializer<'de>>(d: D) -> Result<T, D::Error> {
    struct Members<T>(PhantomData<T>);
    impl<'de, T: Object> Visitor<'de> for Members<T> {
        type Value = T;
        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("an object")
        }
        fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<T, A::Error> {
            T::decode_members(map, &[])
        }
    }
    d.deserialize_map(Members(PhantomData))
}

/// `Serialize` of an object.
pub(crate) fn encode_object<T: Object, S: Serializer>(
    object: &T,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    let mut map = serializer.serialize_map(None)?;
    object.encode_members(&mut map, &[])?;
    map.end()
}

/// `Deserialize` for callers outside: the lenient way, from the value's text.
pub(crate) fn deserialize_lenient<'de, T: Wire, D: Deserializer<'de>>(d: D) -> Result<T, D::Error> {
    let raw = Box::<RawValue>::deserialize(d)?;
    T::read(&raw).ok_or_else(|| de::Error::custom("not an object of the expected kind"))
}

impl<T: Object> Object for Box<T> {
    fn decode_members<'de, A: MapAccess<'de>>(map: A, tags: &[&str]) -> Result<Self, A::Error> {
        T::decode_members(map, tags).map(Box::new)
    }
    fn read_members(members: &[Member<'_>], tags: &[&str]) -> Option<Self> {
        T::read_members(members, tags).map(Box::new)
    }
    fn encode_members<M: SerializeMap>(&self, map: &mut M, tags: &[&str]) -> Result<(), M::Error> {
        (**self).encode_members(map, tags)
    }
}
