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
use crate::files::media::media_type;
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
        if !files.is_empty() {
            let rows = self.read(move |store| store.attachments(id)).await?;
            let row = |digest| rows.iter().find(|row| row.digest == digest);
            attachments.extend(files.into_iter().filter_map(row).map(|row| kept(row, None)));
        }
        Ok((content, attachments))
    }

    async fn keep_part(
        &self,
        id: SessionId,
        told: Attachment,
        bytes: Bytes,
    ) -> Result<Attachment, HostError> {
        // What it is was looked at before; what is not known is given out as nothing in particular.
        let media_type = media_type(&told.media_type, &bytes).unwrap_or("application/octet-stream");
        match self.0.store.attach(id, media_type, told.title.as_deref(), bytes).await {
            Ok(row) => Ok(kept(&row, told.title)),
            // It can still be said; only, nobody can look at it again.
            Err(StoreError::TooLarge { .. }) => Ok(told),
            Err(error) => Err(error.into()),
        }
    }
}

/// An image or a document, and its bytes if they are in the message.
fn part(block: &Block) -> Option<(Attachment, Option<Bytes>)> {
    let mut told = Attachment::of(block)?;
    let source = match block {
        Block::Image(image) => &image.source,
        Block::Document(document) => &document.source,
        _ => return None,
    };
    let bytes = match source {
        Source::Base64(source) => STANDARD.decode(&source.data).ok().map(Bytes::from),
        Source::Text(source) => {
            told.media_type = "text/plain".to_owned();
            Some(Bytes::from(source.data.clone()))
        }
        _ => None,
    };
    Some((told, bytes))
}

fn kept(row: &AttachmentRow, title: Option<String>) -> Attachment {
    Attachment {
        digest: Some(row.digest.to_string()),
        media_type: row.media_type.clone(),
        size: usize::try_from(row.size).unwrap_or(usize::MAX),
        title: title.or_else(|| row.name.clone()),
    }
}
