//! What may be said to a session and asked of it, whichever way it comes: over HTTP, over a socket, or
//! from a program that embeds the host.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use pilothouse_client::history::SessionId as Conversation;
use pilothouse_session::Command;
use pilothouse_session::command::From;
use pilothouse_wire::block::{Base64Source, Source};
use pilothouse_wire::{Block, Content};
use uuid::Uuid;

use super::HostError;
use super::house::blocking;
use crate::files::images;
use crate::files::media::media_type;
use crate::secrets::{MOST_SECRETS, of_request};

/// The most images and documents of a prompt.
pub(crate) const MOST_PARTS: usize = 20;
/// The most bytes of an image as base64: the model API takes no more.
const LARGEST_IMAGE: usize = 5 << 20;
/// The most bytes of a document that goes into the message.
pub(crate) const LARGEST_DOCUMENT: usize = 20 << 20;
/// The longest idempotency key.
pub(crate) const LONGEST_KEY: usize = 255;
/// The longest name of a model or an effort.
const LONGEST_NAME: usize = 200;

/// Something is not what it should be.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{reason}")]
pub struct Unfit {
    /// What: the names on the way to it, with slashes between.
    pub field: String,
    /// Why.
    pub reason: String,
}

impl Unfit {
    fn new(field: impl Into<String>, reason: impl Into<String>) -> Self {
        Self { field: field.into(), reason: reason.into() }
    }

    fn within(self, place: &str) -> Self {
        let field = format!("{place}/{}", self.field).trim_end_matches('/').to_owned();
        Self { field, ..self }
    }
}

/// The content of a prompt, if a person may say it.
pub(super) async fn sayable(content: Content) -> Result<Content, HostError> {
    let has_parts = content.blocks().iter().any(is_part);
    let check = move || {
        may_be_said(&content)?;
        Ok(content)
    };
    // Pictures are large.
    if has_parts { blocking(check).await } else { check() }
}

/// A person says something, and does not speak for tools or for the model.
fn may_be_said(content: &Content) -> Result<(), HostError> {
    let blocks = match content {
        Content::Text(text) if text.trim().is_empty() => return Err(HostError::BadPrompt),
        Content::Text(_) => return Ok(()),
        Content::Blocks(blocks) if blocks.is_empty() => return Err(HostError::BadPrompt),
        Content::Blocks(blocks) => blocks,
    };
    let parts = blocks.iter().filter(|block| is_part(block)).count();
    if parts > MOST_PARTS {
        let reason =
            format!("{parts} images and documents are too many; {MOST_PARTS} are the most");
        return Err(Unfit::new("content", reason).into());
    }
    for (at, one) in blocks.iter().enumerate() {
        if !is_part(one) && !matches!(one, Block::Text(_)) {
            return Err(HostError::BadPrompt);
        }
        block(one).map_err(|unfit| unfit.within(&format!("content/{at}")))?;
    }
    Ok(())
}

fn is_part(block: &Block) -> bool {
    matches!(block, Block::Image(_) | Block::Document(_))
}

/// Whether the model takes a block of a prompt. One that it does not take would be refused again in
/// every later turn of the conversation.
pub(crate) fn block(block: &Block) -> Result<(), Unfit> {
    let data = |reason: String| Unfit::new("source/data", reason);
    match block {
        Block::Text(text) if text.text.trim().is_empty() => {
            Err(Unfit::new("text", "there is nothing in it: leave it out"))
        }
        Block::Image(image) => {
            let Source::Base64(source) = &image.source else {
                return Err(Unfit::new("source", "give the image itself, in base64"));
            };
            if source.data.len() > LARGEST_IMAGE {
                let reason = "the image is larger than 5 MiB in base64: scale it down";
                return Err(data(reason.to_owned()));
            }
            let bytes = decoded(source)?;
            let image = images::check(&bytes).map_err(|error| data(error.to_string()))?;
            match image.media_type == source.media_type {
                true => Ok(()),
                false => {
                    let reason = format!("the data is {}", image.media_type);
                    Err(Unfit::new("source/media_type", reason))
                }
            }
        }
        Block::Document(document) => match &document.source {
            Source::Base64(source) => {
                if source.media_type != "application/pdf" {
                    let reason = "in base64 the model takes PDF documents only";
                    return Err(Unfit::new("source/media_type", reason));
                }
                if source.data.len() > LARGEST_DOCUMENT.div_ceil(3) * 4 {
                    return Err(data("the document is larger than 20 MiB: send less".to_owned()));
                }
                let bytes = decoded(source)?;
                media_type(&source.media_type, &bytes).map_err(|error| data(error.to_string()))?;
                Ok(())
            }
            Source::Text(source) if source.data.len() > LARGEST_DOCUMENT => {
                Err(data("the document is larger than 20 MiB: send less".to_owned()))
            }
            Source::Text(source) if source.data.trim().is_empty() => {
                Err(data("there is nothing in it: leave it out".to_owned()))
            }
            Source::Text(_) => Ok(()),
            _ => Err(Unfit::new("source", "give the document itself: as text, or PDF in base64")),
        },
        _ => Ok(()),
    }
}

fn decoded(source: &Base64Source) -> Result<Vec<u8>, Unfit> {
    let reason = "this is not base64: use the standard alphabet, with padding";
    STANDARD.decode(&source.data).map_err(|_| Unfit::new("source/data", reason))
}

/// The client's name for an attempt.
pub(crate) fn key(key: &str) -> Result<(), Unfit> {
    match key.is_empty() || key.len() > LONGEST_KEY {
        true => Err(Unfit::new("key", format!("it must have 1 to {LONGEST_KEY} characters"))),
        false => Ok(()),
    }
}

/// What a command names must be able to be what it is said to be: it ends up on a command line.
pub(super) fn command(command: &Command) -> Result<(), Unfit> {
    match command {
        Command::SetModel { model: Some(model) } => word("model", model),
        Command::SetEffort { effort } => word("effort", effort),
        Command::Start(From::Message { uuid }) => match Uuid::parse_str(uuid) {
            Ok(_) => Ok(()),
            Err(_) => Err(Unfit::new("from/uuid", "it is not the id of a message: a UUID")),
        },
        Command::Request(request) => match of_request(&**request).len() {
            ..=MOST_SECRETS => Ok(()),
            count => {
                let reason = format!("it has {count} secrets, and {MOST_SECRETS} are the most");
                Err(Unfit::new("request", reason))
            }
        },
        _ => Ok(()),
    }
}

/// The CLI's id of a conversation that somebody names.
pub(super) fn conversation(name: &str) -> Result<(), Unfit> {
    let parsed = Conversation::parse(name);
    parsed.map(drop).map_err(|error| Unfit::new("begin/cli_session", error.to_string()))
}

/// Something that can be an argument: not empty, not long, on one line, no option.
fn word(field: &str, text: &str) -> Result<(), Unfit> {
    let long = text.chars().count();
    if long > LONGEST_NAME {
        let reason = format!("it has {long} characters; {LONGEST_NAME} are the most");
        return Err(Unfit::new(field, reason));
    }
    let is_odd = text.trim().is_empty() || text.starts_with('-') || text.contains(char::is_control);
    if is_odd {
        let reason = "it must be a name: not empty, without line breaks, not beginning with `-`";
        return Err(Unfit::new(field, reason));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn unfit(block: &Block) -> (String, String) {
        let Unfit { field, reason } = super::block(block).unwrap_err();
        (field, reason)
    }

    #[test]
    fn an_image_that_is_too_large_is_refused_before_it_is_looked_at() {
        let large = Block::image("image/png", "A".repeat(LARGEST_IMAGE + 4));
        let (field, reason) = unfit(&large);
        assert_eq!(field, "source/data");
        assert!(reason.contains("scale it down"), "{reason}");
    }

    #[test]
    fn what_the_model_would_not_take_is_not_said() {
        let pdf = STANDARD.encode("%PDF-1.7");
        let not_pdf = Block::pdf(STANDARD.encode("PDF"));
        assert_eq!(super::block(&Block::pdf(pdf)), Ok(()));
        assert_eq!(unfit(&not_pdf).0, "source/data");
        assert_eq!(unfit(&Block::text(" \n")).0, "text");
        assert_eq!(unfit(&Block::text_document("")).0, "source/data");
        assert_eq!(unfit(&Block::image("image/png", "no base64!")).0, "source/data");
        let many = vec![Block::text_document("a"); MOST_PARTS + 1];
        let refused = may_be_said(&Content::Blocks(many)).unwrap_err();
        assert!(matches!(refused, HostError::Unfit(unfit) if unfit.field == "content"));
        let second = Content::Blocks(vec![Block::text("a"), not_pdf]);
        let refused = may_be_said(&second).unwrap_err();
        assert!(
            matches!(refused, HostError::Unfit(unfit) if unfit.field == "content/1/source/data")
        );
    }

    #[test]
    fn names_that_cannot_stand_on_a_command_line_are_refused() {
        for name in ["", " ", "-p", "a\nb", "a\0b", &"x".repeat(201)] {
            assert!(word("model", name).is_err(), "{name:?}");
        }
        assert_eq!(word("model", "opus[1m]"), Ok(()));
    }
}
