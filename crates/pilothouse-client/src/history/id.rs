//! Session ids: UUIDs in text form, and therefore always a single safe path component.

use std::fmt;
use std::str::FromStr;

use super::HistoryError;

/// The id of a stored session: a UUID in its hyphenated form, in the case it was given in.
///
/// Being a UUID it contains neither a path separator nor dots, so that file names are made of it
/// without further checks.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SessionId(String);

impl SessionId {
    /// Checks that `text` is a hyphenated UUID.
    ///
    /// # Errors
    /// [`HistoryError::NotASessionId`] when it is not.
    pub fn parse(text: impl Into<String>) -> Result<Self, HistoryError> {
        let text = text.into();
        if is_hyphenated_uuid(&text) {
            Ok(Self(text))
        } else {
            Err(HistoryError::NotASessionId { given: text })
        }
    }

    /// The id as text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    pub(super) fn fresh() -> Self {
        Self(uuid::Uuid::new_v4().to_string())
    }

    /// `<id>.jsonl`
    pub(super) fn file_name(&self) -> String {
        format!("{}.jsonl", self.0)
    }

    /// The session whose transcript has this file name.
    pub(super) fn from_file_name(name: &str) -> Option<Self> {
        let stem = name.strip_suffix(".jsonl")?;
        is_hyphenated_uuid(stem).then(|| Self(stem.to_owned()))
    }
}

/// Stricter than `Uuid::parse_str`, which also takes braces, URNs and no hyphens at all.
fn is_hyphenated_uuid(text: &str) -> bool {
    text.len() == 36
        && text.bytes().enumerate().all(|(at, byte)| match at {
            8 | 13 | 18 | 23 => byte == b'-',
            _ => byte.is_ascii_hexdigit(),
        })
}

impl fmt::Display for SessionId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl FromStr for SessionId {
    type Err = HistoryError;

    fn from_str(text: &str) -> Result<Self, HistoryError> {
        Self::parse(text)
    }
}

impl TryFrom<String> for SessionId {
    type Error = HistoryError;

    fn try_from(text: String) -> Result<Self, HistoryError> {
        Self::parse(text)
    }
}

impl From<uuid::Uuid> for SessionId {
    fn from(uuid: uuid::Uuid) -> Self {
        Self(uuid.to_string())
    }
}

impl AsRef<str> for SessionId {
    fn as_ref(&self) -> &str {
        &self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_hyphenated_uuids_are_ids() {
        assert!(SessionId::parse("550e8400-e29b-41d4-a716-446655440000").is_ok());
        assert!(SessionId::parse("550E8400-E29B-41D4-A716-446655440000").is_ok());
        for bad in [
            "",
            "..",
            "../../etc/passwd",
            "550e8400e29b41d4a716446655440000",
            "{550e8400-e29b-41d4-a716-446655440000}",
            "550e8400-e29b-41d4-a716-44665544000g",
            "550e8400-e29b-41d4-a716-4466554400/0",
            "550e8400-e29b-41d4-a716-446655440000.jsonl",
        ] {
            assert!(SessionId::parse(bad).is_err(), "{bad}");
        }
    }
}
