//! What is said to the model.

use std::io;
use std::path::{Path, PathBuf};

use base64::prelude::{BASE64_STANDARD, Engine};
use pilothouse_wire::message::{Priority, UserFrame};
use pilothouse_wire::{Block, Content};
use uuid::Uuid;

/// A prompt: text, pictures, documents. Carries a uuid by which the CLI refers to it.
///
/// ```
/// use pilothouse_client::Prompt;
/// # let png = String::new();
/// let prompt = Prompt::new("What is wrong in this picture?").image("image/png", png);
/// ```
#[derive(Clone, Debug)]
pub struct Prompt {
    frame: UserFrame,
}

impl Prompt {
    /// Text. A leading `/` is a command, `@path` names a file.
    pub fn new(text: impl Into<String>) -> Self {
        Self::from_blocks(vec![Block::text(text)])
    }

    /// Any blocks.
    pub fn from_blocks(blocks: Vec<Block>) -> Self {
        let frame = UserFrame::prompt(Uuid::new_v4().to_string(), Content::Blocks(blocks));
        Self { frame }
    }

    /// Adds a block.
    #[must_use]
    pub fn block(mut self, block: Block) -> Self {
        match &mut self.frame.message.content {
            Content::Blocks(blocks) => blocks.push(block),
            Content::Text(text) => {
                let text = Block::text(std::mem::take(text));
                self.frame.message.content = Content::Blocks(vec![text, block]);
            }
        }
        self
    }

    /// Adds a picture, base64.
    #[must_use]
    pub fn image(self, media_type: impl Into<String>, base64: impl Into<String>) -> Self {
        self.block(Block::image(media_type, base64))
    }

    /// Adds a picture from a file: PNG, JPEG, GIF or WebP, told by its first bytes. Reads the file
    /// before it returns.
    pub fn image_file(self, path: impl AsRef<Path>) -> Result<Self, PromptError> {
        let path = path.as_ref();
        let bytes = std::fs::read(path)
            .map_err(|source| PromptError::Unreadable { path: path.to_owned(), source })?;
        match media_type(&bytes) {
            Some(media_type) => Ok(self.image(media_type, BASE64_STANDARD.encode(bytes))),
            None => Err(PromptError::NotAPicture { path: path.to_owned() }),
        }
    }

    /// Adds a PDF, base64.
    #[must_use]
    pub fn pdf(self, base64: impl Into<String>) -> Self {
        self.block(Block::pdf(base64))
    }

    /// Adds a document of plain text.
    #[must_use]
    pub fn text_document(self, text: impl Into<String>) -> Self {
        self.block(Block::text_document(text))
    }

    /// Uses this uuid, so that a prompt that is stored first is sent under the same name.
    #[must_use]
    pub fn with_uuid(mut self, uuid: Uuid) -> Self {
        self.frame.uuid = Some(uuid.to_string());
        self
    }

    /// Steers: the current answer is cut short. Cancels a permission request that is open.
    #[must_use]
    pub fn now(self) -> Self {
        self.priority(Priority::Now)
    }

    /// Its place in the queue.
    #[must_use]
    pub fn priority(mut self, priority: Priority) -> Self {
        self.frame.priority = Some(priority);
        self
    }

    /// Adds to the conversation without starting a turn.
    #[must_use]
    pub fn without_turn(mut self) -> Self {
        self.frame.should_query = Some(false);
        self
    }

    /// Takes the text as it is: no commands, no `@path`.
    #[must_use]
    pub fn verbatim(mut self) -> Self {
        self.frame.client_composed = Some(true);
        self
    }

    /// Its uuid.
    pub fn uuid(&self) -> &str {
        self.frame.uuid.as_deref().unwrap_or_default()
    }

    pub(crate) fn into_frame(self) -> (String, UserFrame) {
        (self.uuid().to_owned(), self.frame)
    }
}

/// A prompt cannot be put together.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PromptError {
    /// The file cannot be read.
    #[error("{} cannot be read: {source}", .path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// The file holds no picture that the model can see.
    #[error("{} is not a PNG, JPEG, GIF or WebP picture; convert it to one", .path.display())]
    NotAPicture {
        /// The file.
        path: PathBuf,
    },
}

fn media_type(bytes: &[u8]) -> Option<&'static str> {
    match bytes {
        [0x89, b'P', b'N', b'G', b'\r', b'\n', 0x1a, b'\n', ..] => Some("image/png"),
        [0xff, 0xd8, 0xff, ..] => Some("image/jpeg"),
        [b'G', b'I', b'F', b'8', b'7' | b'9', b'a', ..] => Some("image/gif"),
        [b'R', b'I', b'F', b'F', _, _, _, _, b'W', b'E', b'B', b'P', ..] => Some("image/webp"),
        _ => None,
    }
}

impl From<&str> for Prompt {
    fn from(text: &str) -> Self {
        Self::new(text)
    }
}

impl From<String> for Prompt {
    fn from(text: String) -> Self {
        Self::new(text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_picture_is_known_by_its_bytes_and_not_by_its_name() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("picture.txt");
        for (bytes, media_type) in [
            (&b"\x89PNG\r\n\x1a\n..."[..], "image/png"),
            (b"\xff\xd8\xff\xe0", "image/jpeg"),
            (b"GIF89a", "image/gif"),
            (b"RIFF\x01\x02\x03\x04WEBPVP8 ", "image/webp"),
        ] {
            std::fs::write(&path, bytes).unwrap();
            let prompt = Prompt::new("What is it?").image_file(&path).unwrap();
            let block = Block::image(media_type, BASE64_STANDARD.encode(bytes));
            let Content::Blocks(blocks) = prompt.frame.message.content else { panic!("no blocks") };
            assert_eq!(blocks[1], block);
        }
        std::fs::write(&path, "RIFF....WAVE").unwrap();
        let error = Prompt::new("").image_file(&path).unwrap_err();
        assert!(matches!(error, PromptError::NotAPicture { .. }), "{error}");
        let error = Prompt::new("").image_file(dir.path().join("none")).unwrap_err();
        assert!(matches!(error, PromptError::Unreadable { .. }), "{error}");
    }
}
