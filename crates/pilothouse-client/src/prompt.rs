//! What is said to the model.

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
