//! What bytes that somebody sent are kept and given out as.

use super::images::format;

/// Bytes that are not what they are said to be.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum MediaError {
    /// It is another kind of picture.
    #[error("the data is {is}, not {said}")]
    Other {
        /// What it was said to be.
        said: String,
        /// What it is.
        is: &'static str,
    },
    /// It is no such thing.
    #[error("the data is not {said}")]
    Not {
        /// What it was said to be.
        said: String,
    },
    /// It was said to be a text.
    #[error("the data is no UTF-8 text")]
    NoText,
}

/// The type of bytes that are said to be of the type `said`. Of those that browsers would run, none:
/// such a text is plain text, and anything that is not known is for tools only.
pub fn media_type(said: &str, bytes: &[u8]) -> Result<&'static str, MediaError> {
    let said = said.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
    let is_text = || std::str::from_utf8(bytes).is_ok_and(|text| !text.contains('\0'));
    match &*said {
        "image/png" | "image/jpeg" | "image/gif" | "image/webp" => match format(bytes) {
            Some(is) if is == said => Ok(is),
            Some(is) => Err(MediaError::Other { said, is }),
            None => Err(MediaError::Not { said }),
        },
        "application/pdf" if bytes.starts_with(b"%PDF-") => Ok("application/pdf"),
        "application/pdf" => Err(MediaError::Not { said }),
        text if text.starts_with("text/") || text == "application/json" => match is_text() {
            true => Ok("text/plain"),
            false => Err(MediaError::NoText),
        },
        _ => Ok("application/octet-stream"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_is_given_out_as_something_that_browsers_run() {
        let table: [(&str, &[u8], Option<&str>); 11] = [
            ("image/png", b"\x89PNG\r\n\x1a\n..", Some("image/png")),
            ("IMAGE/PNG; a=b", b"\x89PNG\r\n\x1a\n..", Some("image/png")),
            ("image/jpeg", b"\x89PNG\r\n\x1a\n..", None),
            ("image/png", b"<script>alert(1)</script>", None),
            ("image/svg+xml", b"<svg onload='alert(1)'/>", Some("application/octet-stream")),
            ("", b"<script>alert(1)</script>", Some("application/octet-stream")),
            ("text/html", b"<script>alert(1)</script>", Some("text/plain")),
            ("text/markdown", b"# Title", Some("text/plain")),
            ("text/plain", b"no\0text", None),
            ("application/pdf", b"%PDF-1.7", Some("application/pdf")),
            ("application/pdf", b"PDF", None),
        ];
        for (said, bytes, given) in table {
            assert_eq!(media_type(said, bytes).ok(), given, "{said}");
        }
    }
}
