//! What may be written into a log.

use std::fmt;

use axum::http::{HeaderMap, Uri, header};
pub use pilothouse_client::redact;

const HIDDEN: &str = "[redacted]";

/// Headers without their secrets, for `{:?}`.
pub struct SafeHeaders<'a>(pub &'a HeaderMap);

/// An address without its query, for `{}`: that may be anything.
pub struct SafeUri<'a>(pub &'a Uri);

impl fmt::Debug for SafeHeaders<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let secret = [
            header::AUTHORIZATION,
            header::PROXY_AUTHORIZATION,
            header::COOKIE,
            header::SET_COOKIE,
            header::SEC_WEBSOCKET_PROTOCOL,
            super::proof::PROOF,
        ];
        let entries = self.0.iter().map(|(name, value)| {
            let hidden = value.is_sensitive() || secret.contains(name);
            let text = String::from_utf8_lossy(value.as_bytes());
            (name.as_str(), if hidden { HIDDEN.to_owned() } else { redact(&text) })
        });
        f.debug_map().entries(entries).finish()
    }
}

impl fmt::Display for SafeUri<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Segment by segment: a word with slashes is taken for a path, and paths are shown.
        let segments: Vec<_> = self.0.path().split('/').map(redact).collect();
        f.write_str(&segments.join("/"))?;
        if self.0.query().is_some() { f.write_str("?…") } else { Ok(()) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn secrets_do_not_reach_a_log() {
        let token = "q0ZkXo-3uB_2yVwz1x9LrTnPaQeSdFgHjKmCvBn4567";
        let mut headers = HeaderMap::new();
        headers.insert(header::AUTHORIZATION, format!("Bearer {token}").parse().unwrap());
        headers.insert(header::COOKIE, format!("a={token}").parse().unwrap());
        headers.insert("x-note", format!("see {token}, or sk-ant-abcdefgh").parse().unwrap());
        headers.insert(header::HOST, "localhost:1".parse().unwrap());
        let uri: Uri = format!("/a/{token}/b?token={token}").parse().unwrap();
        let shown = format!("{:?} {}", SafeHeaders(&headers), SafeUri(&uri));
        assert!(!shown.contains(token) && !shown.contains("abcdefgh"), "{shown}");
        assert!(shown.contains("localhost:1") && shown.ends_with("/a/[redacted]/b?…"), "{shown}");
    }
}
