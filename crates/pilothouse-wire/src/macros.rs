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

/// A name as it begins a member: in quotes, with its colon.
macro_rules! quoted {
    ($name:expr) => {
        concat!("\"", $name, "\":")
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
            fn read_members(
                cursor: &mut $crate::json::Cursor<'_>,
                mut object: $crate::json::Opened,
                tags: &[$crate::field::Tag<'_>],
            ) -> Option<Self> {
                let mut extra = $crate::raw::Extra::default();
                // Objects nearly always have their fields in the order in which they are declared
                // here. To look for just the next one saves the search for the end of its name.
                $(
                    let mut $field: Option<$ty> = None;
                    if object.more && cursor.eat_key(quoted!(wire_name!($field $($wire)?))) {
                        let key = wire_name!($field $($wire)?);
                        $field = $crate::field::read_field(cursor, key, &mut extra)?;
                        object.more = cursor.more(b'{')?;
                    }
                )*
                while object.more {
                    let key = cursor.key()?;
                    match &*key {
                        $( wire_name!($field $($wire)?) => {
                            $field = $crate::field::read_field(cursor, &key, &mut extra)?;
                        } )*
                        _ => $crate::field::read_unknown(cursor, &key, tags, &mut extra)?,
                    }
                    object.more = cursor.more(b'{')?;
                }
                Some(Self {
                    $( $field: $field.or_else(<$ty as $crate::field::Wire>::absent)?, )*
                    extra,
                })
            }

            fn write_members<M: serde::ser::SerializeMap>(
                &self,
                map: &mut M,
                tags: &[$crate::field::Tag<'_>],
            ) -> Result<(), M::Error> {
                $( if $crate::field::Wire::as_absent(&self.$field).is_none() {
                    map.serialize_entry(wire_name!($field $($wire)?), &self.$field)?;
                } )*
                for (key, value) in self.extra.iter() {
                    let written = match key {
                        $( wire_name!($field $($wire)?) =>
                            $crate::field::Wire::as_absent(&self.$field).is_none(), )*
                        _ => $crate::field::is_tag(tags, key),
                    };
                    if !written {
                        map.serialize_entry(key, value)?;
                    }
                }
                Ok(())
            }
        }

        impl $crate::field::Wire for $name {
            fn read(cursor: &mut $crate::json::Cursor<'_>) -> Option<Self> {
                let object = cursor.open()?;
                $crate::field::Object::read_members(cursor, object, &[])
            }
        }

        impl serde::Serialize for $name {
            fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                $crate::field::serialize_object(self, serializer)
            }
        }

        deserialize!($name);
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
            fn read_members(
                cursor: &mut $crate::json::Cursor<'_>,
                mut object: $crate::json::Opened,
                tags: &[$crate::field::Tag<'_>],
            ) -> Option<Self> {
                let tag = cursor.tag(&mut object, quoted!($tag));
                let word = tag.as_deref().unwrap_or_default();
                let inner = $crate::field::with_tag(tags, ($tag, word));
                // Each value goes straight to where the caller wants it: they are large, and moving
                // them costs as much as reading a field.
                match tag.as_deref() {
                    $( Some($word) => {
                        let read = <$ty as $crate::field::Object>::read_members;
                        if let Some(value) = read(cursor, object, &inner) {
                            return Some(Self::$variant(value));
                        }
                    } )*
                    _ => {}
                }
                cursor.rewind(object.start);
                $crate::field::Unknown::read(cursor, tag.as_deref()).map(Self::Unknown)
            }

            fn write_members<M: serde::ser::SerializeMap>(
                &self,
                map: &mut M,
                tags: &[$crate::field::Tag<'_>],
            ) -> Result<(), M::Error> {
                match self {
                    $( Self::$variant(inner) => {
                        map.serialize_entry($tag, $word)?;
                        let tags = $crate::field::with_tag(tags, ($tag, $word));
                        $crate::field::Object::write_members(inner, map, &tags)
                    } )*
                    Self::Unknown(unknown) => unknown.write_members(map, tags),
                    $( Self::$else => Ok(()), )?
                }
            }
        }

        impl $crate::field::Wire for $name {
            fn read(cursor: &mut $crate::json::Cursor<'_>) -> Option<Self> {
                let start = cursor.mark();
                match cursor.open() {
                    Some(object) => $crate::field::Object::read_members(cursor, object, &[]),
                    None => {
                        cursor.rewind(start);
                        $crate::field::Unknown::read(cursor, None).map(Self::Unknown)
                    }
                }
            }
        }

        impl serde::Serialize for $name {
            fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                match self {
                    Self::Unknown(unknown) => unknown.raw.serialize(serializer),
                    known => $crate::field::serialize_object(known, serializer),
                }
            }
        }

        deserialize!($name);

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
            fn read(cursor: &mut $crate::json::Cursor<'_>) -> Option<Self> {
                cursor.string().map(|word| Self::from(&*word))
            }
        }

        impl serde::Serialize for $name {
            fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.serialize_str(self.as_str())
            }
        }

        deserialize!($name);
    };
}

/// Serde's `Deserialize` by way of [`crate::Wire`].
macro_rules! deserialize {
    ($name:ident) => {
        impl<'de> serde::Deserialize<'de> for $name {
            fn deserialize<D: serde::Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
                $crate::field::deserialize(d)
            }
        }
    };
}
