//! What goes along with a prompt is kept with its session, whoever sends it and however: so events
//! can name it, and every client can show it later.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use bytes::Bytes;
use pilothouse_session::event::Attachment;
use pilothouse_session::id::SessionId;
use pilothouse_wire::block::Source;
use pilothouse_wire::{Block, Content};

use super::house::blocking;
use super::{Host, HostError};
use crate::files::images::format;
use crate::store::{AttachmentRow, Digest, StoreError};

impl Host {
    /// Keeps the images and documents of a prompt, and tells how events name them, and the files.
    pub(super) async fn keep_parts(
        &self,
        id: SessionId,
        content: Content,
        files: Vec<Digest>,
    ) -> Result<(Content, Vec<Attachment>), HostError> {
        let has_parts = content.blocks().iter().any(|block| Attachment::of(block).is_some());
        if !has_parts && files.is_empty() {
            return Ok((content, Vec::new()));
        }
        let (content, parts) = blocking(move || {
            let parts: Vec<_> = content.blocks().iter().filter_map(part).collect();
            (content, parts)
        })
        .await;
        let mut attachments = Vec::with_capacity(parts.len() + files.len());
        for (told, bytes) in parts {
            attachments.push(match bytes {
                Some(bytes) => self.keep_part(id, told, bytes).await?,
                None => told,
            });
        }
        for digest in files {
            let found = self.read(move |store| store.attachment(id, digest)).await?;
            attachments.extend(found.map(|(row, _)| kept(row, None)));
        }
        Ok((content, attachments))
    }

    async fn keep_part(
        &self,
        id: SessionId,
        told: Attachment,
        bytes: Bytes,
    ) -> Result<Attachment, HostError> {
        let media_type = media_type(&told.media_type, &bytes);
        match self.0.store.attach(id, media_type, told.title.as_deref(), bytes).await {
            Ok(row) => Ok(kept(row, told.title)),
            // It can still be said; only, nobody can look at it again.
            Err(StoreError::TooLarge { .. }) => Ok(told),
            Err(error) => Err(error.into()),
        }
    }
}

/// An image or a document, and its bytes if they are in the message.
fn part(block: &Block) -> Option<(Attachment, Option<Bytes>)> {
    let told = Attachment::of(block)?;
    let source = match block {
        Block::Image(image) => &image.source,
        Block::Document(document) => &document.source,
        _ => return None,
    };
    let bytes = match source {
        Source::Base64(source) => STANDARD.decode(&source.data).ok().map(Bytes::from),
        Source::Text(source) => Some(Bytes::from(source.data.clone())),
        _ => None,
    };
    Some((told, bytes))
}

/// What the bytes are given out as: never anything that a browser would run.
fn media_type(told: &str, bytes: &[u8]) -> &'static str {
    match (format(bytes), told) {
        (Some(image), _) => image,
        (None, "application/pdf") if bytes.starts_with(b"%PDF-") => "application/pdf",
        (None, "" | "text/plain") if std::str::from_utf8(bytes).is_ok() => "text/plain",
        _ => "application/octet-stream",
    }
}

fn kept(row: AttachmentRow, title: Option<String>) -> Attachment {
    Attachment {
        digest: Some(row.digest.to_string()),
        media_type: row.media_type,
        size: usize::try_from(row.size).unwrap_or(usize::MAX),
        title: title.or(row.name),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_is_given_out_as_something_that_browsers_run() {
        let table: [(&str, &[u8], &str); 7] = [
            ("image/png", b"\x89PNG\r\n\x1a\n..", "image/png"),
            ("image/jpeg", b"\x89PNG\r\n\x1a\n..", "image/png"),
            ("image/svg+xml", b"<svg onload='alert(1)'/>", "application/octet-stream"),
            ("image/png", b"<script>alert(1)</script>", "application/octet-stream"),
            ("text/html", b"<script>alert(1)</script>", "application/octet-stream"),
            ("text/plain", b"<script>alert(1)</script>", "text/plain"),
            ("application/pdf", b"%PDF-1.7", "application/pdf"),
        ];
        for (told, bytes, given) in table {
            assert_eq!(media_type(told, bytes), given, "{told}");
        }
    }
}
