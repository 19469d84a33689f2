//! Shows the model a picture.
//!
//! `cargo run --example images -- screenshot.png`

#![allow(clippy::print_stdout, clippy::print_stderr)]

use std::error::Error;
use std::path::PathBuf;

use base64::prelude::{BASE64_STANDARD, Engine};
use pilothouse_client::{Options, Prompt, query};

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let path: PathBuf = std::env::args_os().nth(1).ok_or("which picture?")?.into();
    let media_type = match path.extension().and_then(|extension| extension.to_str()) {
        Some("png") => "image/png",
        Some("jpg" | "jpeg") => "image/jpeg",
        Some("gif") => "image/gif",
        Some("webp") => "image/webp",
        _ => return Err("the model reads PNG, JPEG, GIF and WebP".into()),
    };
    // The API takes pictures of up to about 5 MB, and scales what is larger than 1568 pixels.
    let picture = BASE64_STANDARD.encode(std::fs::read(&path)?);

    // Text, pictures, PDFs and text documents can be put together in any number and order.
    let prompt = Prompt::new("What is in this picture?").image(media_type, picture);
    let turn = query(prompt, Options::default()).await?.turn().await?;
    println!("{}", turn.text);
    Ok(())
}
