//! What a prompt is made of: text, images in it, files that were uploaded before.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use pilothouse_session::id::SessionId;
use pilothouse_wire::{Block, Content};
use schemars::JsonSchema;
use serde::Deserialize;

use crate::Host;
use crate::files::images::format;
use crate::http::problem::{Fault, Problem};
use crate::store::Digest;

/// The most bytes of an image as base64: the model API takes no more.
const LARGEST_IMAGE: usize = 5 * 1024 * 1024;
/// The most images and files of a prompt.
const MOST_PARTS: usize = 20;
/// The most bytes of a document that goes into the message.
const LARGEST_DOCUMENT: usize = 20 * 1024 * 1024;

/// An image in a prompt.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct ImageData {
    /// `image/png`, `image/jpeg`, `image/gif` or `image/webp`.
    media_type: String,
    /// Its bytes in base64; at most 5 MiB of it.
    #[schemars(extend("contentEncoding" = "base64"))]
    data: String,
}

/// A file that was uploaded to the session.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct AttachmentUse {
    /// The SHA-256 of its bytes, in 64 hexadecimal digits.
    #[schemars(length(min = 64, max = 64))]
    digest: String,
    /// How the model gets it.
    #[serde(default, rename = "as")]
    form: AttachmentForm,
}

/// How the model gets a file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(super) enum AttachmentForm {
    /// In the message, where it is an image, a PDF or text; as a path otherwise.
    #[default]
    Block,
    /// As the path of a copy in the session's directory, for tools.
    Path,
}

/// The content of a prompt, and the files that are not in it: they are put into the session's
/// directory, and the text tells their paths.
pub(super) async fn content(
    host: &Host,
    session: SessionId,
    text: String,
    images: Vec<ImageData>,
    attachments: Vec<AttachmentUse>,
) -> Result<(Content, Vec<Digest>), Problem> {
    if text.trim().is_empty() && images.is_empty() && attachments.is_empty() {
        let detail = "a prompt needs a text, an image or an attachment";
        return Err(Problem::invalid(Fault::body("/text", detail)));
    }
    if images.len() + attachments.len() > MOST_PARTS {
        let detail = format!("a prompt takes at most {MOST_PARTS} images and attachments");
        return Err(Problem::invalid(Fault::body("/images", detail)));
    }
    let mut blocks = Vec::new();
    for (at, image) in images.into_iter().enumerate() {
        blocks.push(inline(&format!("/images/{at}"), image)?);
    }
    let mut paths = Vec::new();
    for (at, wanted) in attachments.into_iter().enumerate() {
        let pointer = format!("/attachments/{at}");
        match attached(host, session, &pointer, &wanted).await? {
            Part::Block(block) => blocks.push(*block),
            Part::Path(digest) => paths.push(digest),
        }
    }
    // Only now is anything written.
    let mut text = text;
    for digest in &paths {
        if let Some(path) = host.upload_file(session, *digest).await? {
            let gap = if text.is_empty() { "" } else { "\n\n" };
            text.push_str(&format!("{gap}Attached file: {}", path.display()));
        }
    }
    // The text first: a slash command is looked for there.
    if !text.is_empty() {
        blocks.insert(0, Block::text(text));
    }
    Ok((Content::Blocks(blocks), paths))
}

enum Part {
    Block(Box<Block>),
    Path(Digest),
}

fn inline(pointer: &str, image: ImageData) -> Result<Block, Problem> {
    let ImageData { media_type, data } = image;
    let refuse = |member: &str, detail: &str| {
        Err(Problem::invalid(Fault::body(format!("{pointer}/{member}"), detail)))
    };
    if data.len() > LARGEST_IMAGE {
        return refuse("data", "the image is larger than 5 MiB in base64: scale it down");
    }
    let Ok(bytes) = STANDARD.decode(&data) else {
        return refuse("data", "this is not base64: use the standard alphabet, with padding");
    };
    match format(&bytes) {
        Some(kind) if kind == media_type => Ok(Block::image(media_type, data)),
        Some(kind) => refuse("media_type", &format!("the data is {kind}")),
        None => refuse("data", "this is no PNG, JPEG, GIF or WebP"),
    }
}

async fn attached(
    host: &Host,
    session: SessionId,
    pointer: &str,
    wanted: &AttachmentUse,
) -> Result<Part, Problem> {
    let missing = || {
        let detail = "the session has no such attachment: upload it first";
        Problem::invalid(Fault::body(format!("{pointer}/digest"), detail))
    };
    let digest = Digest::parse(&wanted.digest).ok_or_else(missing)?;
    let found = host.read(move |store| store.attachment(session, digest)).await?;
    let (row, bytes) = found.ok_or_else(missing)?;
    if wanted.form == AttachmentForm::Path {
        return Ok(Part::Path(digest));
    }
    let block = match &*row.media_type {
        kind if kind.starts_with("image/") && format(&bytes) == Some(kind) => {
            if bytes.len().div_ceil(3) * 4 > LARGEST_IMAGE {
                let detail = "the image is larger than 5 MiB in base64: scale it down, or attach \
                              it as a path";
                return Err(Problem::invalid(Fault::body(pointer, detail)));
            }
            Block::image(kind, STANDARD.encode(&bytes))
        }
        "application/pdf" if bytes.len() <= LARGEST_DOCUMENT => Block::pdf(STANDARD.encode(&bytes)),
        "text/plain" if bytes.len() <= LARGEST_DOCUMENT => match std::str::from_utf8(&bytes) {
            Ok(text) => titled(Block::text_document(text), row.name),
            Err(_) => return Ok(Part::Path(digest)),
        },
        _ => return Ok(Part::Path(digest)),
    };
    Ok(Part::Block(Box::new(block)))
}

fn titled(mut block: Block, name: Option<String>) -> Block {
    if let Block::Document(document) = &mut block {
        document.title = name;
    }
    block
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_image_that_is_too_large_is_refused_before_it_is_looked_at() {
        let image = |data: String| ImageData { media_type: "image/png".to_owned(), data };
        let png = [&b"\x89PNG\r\n\x1a\n"[..], &[0; 600]].concat();
        let large = "A".repeat(LARGEST_IMAGE + 4);
        let problem = inline("/images/3", image(large)).unwrap_err();
        assert!(problem.document().detail.contains("scale it down"), "{problem}");
        assert!(inline("/images/3", image(STANDARD.encode(png))).is_ok());
    }
}
