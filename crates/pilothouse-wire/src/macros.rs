//! The three shapes that all messages are made of.
//!
//! `object!` makes a struct from a JSON object, `tagged!` an enum from objects that name their kind
//! in a member, `words!` an enum from a set of strings. All three keep what they do not know: an
//! object in its `extra`, an enum in its last variant. Serde's own derives cannot do this and stay
//! exact: `flatten` reads through a buffer that rejects lone surrogates, huge numbers and deep
//! values, and derived structs reject repeated keys.

/// The wire name of a field: its own, or the one given after `as`.
macro_rules! wire_name {
    ($field:ident) => {
        stringify!($field)
    };
    ($field:ident $name:literal) => {
        $name
    };
}

/// A struct for a JSON object: `field: Type`, or `field as "wireName": Type`.
macro_rules! object {
    (
        $(#[$meta:meta])*
        pub struct $name:ident {
            $( $(#[$fmeta:meta])* $field:ident $(as $wire:literal)? : $ty:ty ),* $(,)?
        }
    ) => {
        $(#[$meta])*
        #[derive(Clone, Debug, PartialEq)]
        pub struct $name {
            $( $(#[$fmeta])* pub $field: $ty, )*
            /// What else the object holds.
            pub extra: $crate::raw::Extra,
        }

        impl $crate::field::Object for $name {
            #[allow(unused_imports, unused_variables, unused_mut)]
            fn decode_members<'de, A: serde::de::MapAccess<'de>>(
                mut map: A,
                tags: &[&str],
            ) -> Result<Self, A::Error> {
                use $crate::field::{Key, Seed, Wire, skip};
                let mut extra = $crate::raw::Extra::default();
                $( let mut $field: Option<$ty> = None; )*
                while let Some(Key(key)) = map.next_key()? {
                    $(
                        if key == wire_name!($field $($wire)?) {
                            let value = map.next_value_seed(Seed::<$ty>::new())?;
                            if let Some(json) = Wire::as_absent(&value) {
                                extra.insert(&key, json.into());
                            }
                            $field = Some(value);
                            continue;
                        }
                    )*
                    if tags.contains(&&*key) {
                        skip(&mut map)?;
                    } else {
                        extra.insert(&key, map.next_value()?);
                    }
                }
                Ok(Self {
                    $( $field: match $field.or_else(<$ty as Wire>::absent) {
                        Some(value) => value,
                        None => return Err(serde::de::Error::missing_field(
                            wire_name!($field $($wire)?)
                        )),
                    }, )*
                    extra,
                })
            }

            #[allow(unused_imports, unused_variables)]
            fn read_members(members: &[$crate::field::Member<'_>], tags: &[&str]) -> Option<Self> {
                use $crate::field::Wire;
                let mut extra = $crate::raw::Extra::default();
                $( let mut $field: Option<$ty> = None; )*
                for (key, json) in members {
                    $(
                        if key == wire_name!($field $($wire)?) {
                            $field = <$ty as Wire>::read(json);
                            if $field.as_ref().is_none_or(|value| value.as_absent().is_some()) {
                                extra.insert(key, (*json).into());
                            }
                            continue;
                        }
                    )*
                    if !tags.contains(&&**key) {
                        extra.insert(key, (*json).into());
                    }
                }
                Some(Self { $( $field: $field.or_else(<$ty as Wire>::absent)?, )* extra })
            }

            fn encode_members<M: serde::ser::SerializeMap>(
                &self,
                map: &mut M,
                tags: &[&str],
            ) -> Result<(), M::Error> {
                $( if $crate::field::Wire::as_absent(&self.$field).is_none() {
                    map.serialize_entry(wire_name!($field $($wire)?), &self.$field)?;
                } )*
                for (key, value) in self.extra.iter() {
                    $( if key == wire_name!($field $($wire)?)
                        && $crate::field::Wire::as_absent(&self.$field).is_none()
                    {
                        continue;
                    } )*
                    if !tags.contains(&key) {
                        map.serialize_entry(key, value)?;
                    }
                }
                Ok(())
            }
        }

        impl $crate::field::Wire for $name {
            fn decode<'de, D: serde::Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
                $crate::field::decode_object(d)
            }
            fn read(raw: &serde_json::value::RawValue) -> Option<Self> {
                $crate::field::Object::read_members(&$crate::raw::entries(raw)?, &[])
            }
        }

        serde_object!($name);
    };
}

/// An enum over objects that name their kind in the member `by`. A variant after `else` stands for
/// something that is no such object.
macro_rules! tagged {
    (
        $(#[$meta:meta])*
        pub enum $name:ident by $tag:literal {
            $( $(#[$vmeta:meta])* $variant:ident($ty:ty) = $word:literal ),* $(,)?
        } $(else { $(#[$emeta:meta])* $else:ident })?
    ) => {
        $(#[$meta])*
        #[derive(Clone, Debug, PartialEq)]
        pub enum $name {
            $( $(#[$vmeta])* $variant($ty), )*
            /// A kind this version of the crate does not know, whole.
            Unknown($crate::field::Unknown),
            $( $(#[$emeta])* $else, )?
        }

        impl $name {
            /// The tags this enum knows.
            pub const KNOWN: &'static [&'static str] = &[$($word),*];

            /// The value of the tag.
            pub fn tag(&self) -> Option<&str> {
                match self {
                    $( Self::$variant(_) => Some($word), )*
                    Self::Unknown(unknown) => unknown.tag.as_deref(),
                    $( Self::$else => None, )?
                }
            }
        }

        impl $crate::field::Object for $name {
            fn decode_members<'de, A: serde::de::MapAccess<'de>>(
                mut map: A,
                tags: &[&str],
            ) -> Result<Self, A::Error> {
                use serde::de::Error;
                use $crate::field::{Key, Object, with_tag};
                let first: Option<Key<'de>> = map.next_key()?;
                if first.is_none_or(|Key(key)| key != $tag) {
                    return Err(A::Error::custom(concat!("`", $tag, "` does not come first")));
                }
                let Key(word) = map.next_value()?;
                let tags = with_tag(tags, $tag);
                match &*word {
                    $( $word => <$ty as Object>::decode_members(map, &tags).map(Self::$variant), )*
                    other => Err(A::Error::unknown_variant(other, Self::KNOWN)),
                }
            }

            fn read_members(members: &[$crate::field::Member<'_>], tags: &[&str]) -> Option<Self> {
                use $crate::field::{Object, Unknown, rejoin, tag_of, with_tag};
                let tag = tag_of(members, $tag);
                let inner = with_tag(tags, $tag);
                let known = match tag.as_deref() {
                    $( Some($word) =>
                        <$ty as Object>::read_members(members, &inner).map(Self::$variant), )*
                    _ => None,
                };
                known.or_else(|| Some(Self::Unknown(Unknown { tag, raw: rejoin(members) })))
            }

            fn encode_members<M: serde::ser::SerializeMap>(
                &self,
                map: &mut M,
                tags: &[&str],
            ) -> Result<(), M::Error> {
                match self {
                    $( Self::$variant(inner) => {
                        map.serialize_entry($tag, $word)?;
                        let tags = $crate::field::with_tag(tags, $tag);
                        $crate::field::Object::encode_members(inner, map, &tags)
                    } )*
                    Self::Unknown(unknown) => unknown.encode_members(map, tags),
                    $( Self::$else => Ok(()), )?
                }
            }
        }

        impl $crate::field::Wire for $name {
            fn decode<'de, D: serde::Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
                $crate::field::decode_object(d)
            }
            fn read(raw: &serde_json::value::RawValue) -> Option<Self> {
                match $crate::raw::entries(raw) {
                    Some(members) => $crate::field::Object::read_members(&members, &[]),
                    None => Some(Self::Unknown($crate::field::Unknown {
                        tag: None,
                        raw: raw.into(),
                    })),
                }
            }
        }

        impl serde::Serialize for $name {
            fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                match self {
                    Self::Unknown(unknown) => unknown.raw.serialize(serializer),
                    known => $crate::field::encode_object(known, serializer),
                }
            }
        }

        impl<'de> serde::Deserialize<'de> for $name {
            fn deserialize<D: serde::Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
                $crate::field::deserialize_lenient(d)
            }
        }

        $( impl From<$ty> for $name {
            fn from(inner: $ty) -> Self {
                Self::$variant(inner)
            }
        } )*
    };
}

/// An enum over strings.
macro_rules! words {
    (
        $(#[$meta:meta])*
        pub enum $name:ident { $( $(#[$vmeta:meta])* $variant:ident = $word:literal ),* $(,)? }
    ) => {
        $(#[$meta])*
        #[derive(Clone, Debug, PartialEq, Eq, Hash)]
        pub enum $name {
            $( $(#[$vmeta])* #[doc = concat!("`", $word, "`")] $variant, )*
            /// A word this version of the crate does not know.
            Other(String),
        }

        impl $name {
            /// The word as it stands on the wire.
            pub fn as_str(&self) -> &str {
                match self {
                    $( Self::$variant => $word, )*
                    Self::Other(word) => word,
                }
            }
        }

        impl From<&str> for $name {
            fn from(word: &str) -> Self {
                match word {
                    $( $word => Self::$variant, )*
                    other => Self::Other(other.to_owned()),
                }
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(self.as_str())
            }
        }

        impl $crate::field::Wire for $name {
            fn decode<'de, D: serde::Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
                let $crate::field::Key(word) = serde::Deserialize::deserialize(d)?;
                Ok(Self::from(&*word))
            }
            fn read(raw: &serde_json::value::RawValue) -> Option<Self> {
                <String as $crate::field::Wire>::read(raw).map(|word| Self::from(&*word))
            }
        }

        impl serde::Serialize for $name {
            fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.serialize_str(self.as_str())
            }
        }

        impl<'de> serde::Deserialize<'de> for $name {
            fn deserialize<D: serde::Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
                $crate::field::Wire::decode(d)
            }
        }
    };
}

/// Serde's traits for a struct of [`object!`].
macro_rules! serde_object {
    ($name:ident) => {
        impl serde::Serialize for $name {
            fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                $crate::field::encode_object(self, serializer)
            }
        }

        impl<'de> serde::Deserialize<'de> for $name {
            fn deserialize<D: serde::Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
                $crate::field::deserialize_lenient(d)
            }
        }
    };
}
