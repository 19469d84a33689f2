//! What may be sent to the model as a picture.
//!
//! Only the beginning of a picture is looked at: what it is, and how large it says it is. Nothing is
//! decoded.

use schemars::JsonSchema;
use serde::Serialize;

/// The most bytes of a picture: the model API takes no more than 5 MiB of base64.
pub const MOST_BYTES: usize = (5 << 20) / 4 * 3;

/// The most pixels of one side: the model API takes no more.
pub const MOST_SIDE: usize = 8_000;

/// The most pixels altogether.
pub const MOST_PIXELS: usize = 40_000_000;

/// A picture that can be sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Image {
    /// `image/png` and the like.
    pub media_type: &'static str,
    /// Pixels from left to right.
    pub width: usize,
    /// Pixels from top to bottom.
    pub height: usize,
}

/// Why a picture cannot be sent.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ImageError {
    /// There is nothing.
    #[error("the picture is empty: was it uploaded completely?")]
    Empty,
    /// It is no picture that the model can see.
    #[error("this is {what}, not a picture that can be sent: use PNG, JPEG, GIF or WebP")]
    Format {
        /// What it is.
        what: String,
    },
    /// It has too many bytes.
    #[error(
        "the picture has {size} bytes, the most is {MOST_BYTES}: make it smaller, or send it as JPEG or WebP"
    )]
    TooLarge {
        /// Its size.
        size: usize,
    },
    /// It has too many pixels.
    #[error(
        "the picture has {width} × {height} pixels; the most is {MOST_SIDE} on a side and \
         {MOST_PIXELS} altogether: make it smaller"
    )]
    TooManyPixels {
        /// Its width.
        width: usize,
        /// Its height.
        height: usize,
    },
    /// It says that it is a picture, and is not.
    #[error("the picture is damaged: its size cannot be read. Save it again, or choose another")]
    Damaged,
}

/// Which of the formats these bytes are, as far as their beginning tells.
pub fn format(bytes: &[u8]) -> Option<&'static str> {
    match bytes {
        [0x89, b'P', b'N', b'G', 0x0d, 0x0a, 0x1a, 0x0a, ..] => Some("image/png"),
        [0xff, 0xd8, 0xff, ..] => Some("image/jpeg"),
        [b'G', b'I', b'F', b'8', b'7' | b'9', b'a', ..] => Some("image/gif"),
        [b'R', b'I', b'F', b'F', _, _, _, _, b'W', b'E', b'B', b'P', ..] => Some("image/webp"),
        _ => None,
    }
}

/// Whether these bytes are a picture that can be sent.
pub fn check(bytes: &[u8]) -> Result<Image, ImageError> {
    if bytes.is_empty() {
        return Err(ImageError::Empty);
    }
    let Some(media_type) = format(bytes) else {
        let known = infer::get(bytes).map(|kind| kind.mime_type());
        let what = known.unwrap_or("something unknown").to_owned();
        return Err(ImageError::Format { what });
    };
    if bytes.len() > MOST_BYTES {
        return Err(ImageError::TooLarge { size: bytes.len() });
    }
    let size = imagesize::blob_size(bytes).map_err(|_| ImageError::Damaged)?;
    let (width, height) = (size.width, size.height);
    if width == 0 || height == 0 {
        return Err(ImageError::Damaged);
    }
    let pixels = width.saturating_mul(height);
    if width > MOST_SIDE || height > MOST_SIDE || pixels > MOST_PIXELS {
        return Err(ImageError::TooManyPixels { width, height });
    }
    Ok(Image { media_type, width, height })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn images_are_known_by_how_they_begin() {
        let table: [(&[u8], _); 8] = [
            (b"\x89PNG\r\n\x1a\n....", Some("image/png")),
            (b"\xff\xd8\xff\xe0", Some("image/jpeg")),
            (b"GIF89a", Some("image/gif")),
            (b"GIF80a", None),
            (b"RIFF\0\0\0\0WEBPVP8 ", Some("image/webp")),
            (b"RIFF\0\0\0\0WAVE", None),
            (b"<svg/>", None),
            (b"", None),
        ];
        for (bytes, kind) in table {
            assert_eq!(format(bytes), kind, "{bytes:?}");
        }
    }
}
