//! Images and files that were uploaded.
//!
//! The same bytes are kept once, whichever sessions have them, and go with the last of these.

use std::fmt;

use bytes::Bytes;
use jiff::Timestamp;
use pilothouse_session::id::SessionId;
use schemars::JsonSchema;
use serde::{Serialize, Serializer};
use sha2::{Digest as _, Sha256};

use super::Store;
use super::ack::Ack;
use super::error::StoreError;
use super::sqlite::{Durability, attachments};

/// What bytes are called by: their SHA-256.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Digest(pub [u8; 32]);

impl Digest {
    /// Of these bytes.
    pub fn of(bytes: &[u8]) -> Self {
        Self(Sha256::digest(bytes).into())
    }

    /// From 64 hexadecimal digits.
    pub fn parse(text: &str) -> Option<Self> {
        let mut bytes = [0; 32];
        if text.len() != 64 || !text.is_ascii() {
            return None;
        }
        for (at, byte) in bytes.iter_mut().enumerate() {
            *byte = u8::from_str_radix(text.get(2 * at..2 * at + 2)?, 16).ok()?;
        }
        Some(Self(bytes))
    }
}

impl fmt::Display for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

impl Serialize for Digest {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl fmt::Debug for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Digest({self})")
    }
}

/// A file of a session.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct AttachmentRow {
    /// Its bytes' name.
    #[schemars(with = "String")]
    pub digest: Digest,
    /// How many bytes.
    pub size: u64,
    /// `image/png` and the like.
    pub media_type: String,
    /// What the user called it.
    pub name: Option<String>,
    /// When it was uploaded.
    pub at: Timestamp,
}

impl Store {
    /// Keeps a file with a session, and gives how it is kept. The same bytes again change nothing.
    pub fn attach(
        &self,
        session: SessionId,
        media_type: &str,
        name: Option<&str>,
        bytes: Bytes,
    ) -> Ack<AttachmentRow> {
        let (size, limit) = (bytes.len() as u64, self.options().max_attachment);
        if size > limit {
            let what = "an attachment";
            return Ack::settled(Err(StoreError::TooLarge { what, size, limit }));
        }
        let row = AttachmentRow {
            digest: Digest::of(&bytes),
            size,
            media_type: media_type.to_owned(),
            name: name.map(str::to_owned),
            at: Timestamp::now(),
        };
        let most = self.options().max_attachments;
        self.write(Durability::PowerLoss, bytes.len(), move |tx| {
            attachments::add(tx, session, &row, &bytes, most)
        })
    }

    /// The files of a session.
    pub fn attachments(&self, session: SessionId) -> Result<Vec<AttachmentRow>, StoreError> {
        self.read(|conn| attachments::list(conn, session))
    }

    /// A file of a session.
    pub fn attachment(
        &self,
        session: SessionId,
        digest: Digest,
    ) -> Result<Option<(AttachmentRow, Bytes)>, StoreError> {
        self.read(|conn| attachments::get(conn, session, digest))
    }
}
