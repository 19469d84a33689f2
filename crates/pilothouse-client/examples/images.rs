//! Shows the model a picture.
//!
//! `cargo run --example images -- screenshot.png`

#![allow(clippy::print_stdout, clippy::print_stderr)]

use std::error::Error;
use std::path::PathBuf;

use pilothouse_client::{Options, Prompt, query};

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let path: PathBuf = std::env::args_os().nth(1).ok_or("which picture?")?.into();
    // Text, pictures, PDFs and text documents can be put together in any number and order.
    // The API takes pictures of up to about 5 MB, and scales what is larger than 1568 pixels.
    let prompt = Prompt::new("What is in this picture?").image_file(path)?;
    let turn = query(prompt, Options::default()).await?.turn().await?;
    println!("{}", turn.text);
    Ok(())
}
