//! What a prompt is made of: text, images in it, files that were uploaded before.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use pilothouse_session::id::SessionId;
use pilothouse_wire::{Block, Content};
use schemars::JsonSchema;
use serde::Deserialize;

use crate::Host;
use crate::host::blocking;
use crate::host::checks::{self, LARGEST_DOCUMENT, MOST_PARTS};
use crate::http::problem::{Fault, Problem};
use crate::store::Digest;

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
    for (at, ImageData { media_type, data }) in images.into_iter().enumerate() {
        blocks.push((format!("/images/{at}"), Block::image(media_type, data)));
    }
    let mut paths = Vec::new();
    for (at, wanted) in attachments.into_iter().enumerate() {
        let pointer = format!("/attachments/{at}");
        match attached(host, session, &pointer, &wanted).await? {
            Part::Block(block) => blocks.push((pointer, *block)),
            Part::Path(digest) => paths.push(digest),
        }
    }
    let mut blocks = blocking(move || checked(blocks)).await?;
    // Only now is anything written.
    let mut text = text;
    for digest in &paths {
        if let Some(path) = host.upload_file(session, *digest).await? {
            let gap = if text.trim().is_empty() { "" } else { "\n\n" };
            text.push_str(&format!("{gap}Attached file: {}", path.display()));
        }
    }
    // The text first: a slash command is looked for there. The model takes no empty one.
    if !text.trim().is_empty() {
        blocks.insert(0, Block::text(text));
    }
    Ok((Content::Blocks(blocks), paths))
}

/// The blocks, if the model takes them. Where one came from is told if it does not.
fn checked(blocks: Vec<(String, Block)>) -> Result<Vec<Block>, Problem> {
    let check = |(pointer, block): (String, Block)| match checks::block(&block) {
        Ok(()) => Ok(block),
        Err(unfit) => {
            let member = match pointer.starts_with("/images") {
                true => unfit.field.strip_prefix("source").unwrap_or_default(),
                false => "",
            };
            Err(Problem::invalid(Fault::body(pointer + member, unfit.reason)))
        }
    };
    blocks.into_iter().map(check).collect()
}

enum Part {
    Block(Box<Block>),
    Path(Digest),
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
        kind if kind.starts_with("image/") => Block::image(kind, STANDARD.encode(&bytes)),
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
