//! The CLI's stderr: always drained, its tail kept, secrets taken out.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio::io::AsyncReadExt;
use tokio::process::ChildStderr;
use tokio::sync::watch;

/// How much is kept.
const TAIL: usize = 8 * 1024;

/// How long after the exit the pipe may stay open: a background process can hold it.
const GRACE: Duration = Duration::from_millis(200);

/// The last of what the CLI wrote to stderr.
#[derive(Clone, Debug)]
pub(crate) struct StderrTail {
    tail: Arc<Mutex<Tail>>,
    closed: watch::Receiver<bool>,
}

impl StderrTail {
    pub(super) fn drain(mut stderr: ChildStderr) -> Self {
        let tail = Arc::<Mutex<Tail>>::default();
        let (closing, closed) = watch::channel(false);
        let kept = Arc::clone(&tail);
        tokio::spawn(async move {
            let mut buffer = vec![0; 4096];
            while let Ok(read @ 1..) = stderr.read(&mut buffer).await {
                kept.lock().unwrap_or_else(PoisonError::into_inner).keep(&buffer[..read]);
            }
            closing.send_replace(true);
        });
        Self { tail, closed }
    }

    /// The text so far, secrets replaced.
    pub(crate) fn text(&self) -> String {
        let tail = self.tail.lock().unwrap_or_else(PoisonError::into_inner);
        redact(&String::from_utf8_lossy(tail.whole_words()))
    }

    pub(super) async fn finished(&self) {
        let mut closed = self.closed.clone();
        let _ = tokio::time::timeout(GRACE, closed.wait_for(|closed| *closed)).await;
    }
}

#[derive(Debug, Default)]
struct Tail {
    bytes: Vec<u8>,
    /// Whether there was something before it.
    cut: bool,
}

impl Tail {
    fn keep(&mut self, bytes: &[u8]) {
        self.bytes.extend_from_slice(bytes);
        if self.bytes.len() > TAIL {
            self.bytes.drain(..self.bytes.len() - TAIL);
            self.cut = true;
        }
    }

    /// Without the half of a word that it may begin with: half a key does not look like one.
    fn whole_words(&self) -> &[u8] {
        let start = match self.cut {
            true => self.bytes.iter().position(u8::is_ascii_whitespace),
            false => Some(0),
        };
        &self.bytes[start.unwrap_or(self.bytes.len())..]
    }
}

/// Replaces what looks like a key or a token.
pub fn redact(text: &str) -> String {
    let mut clean = String::with_capacity(text.len());
    let mut before = "";
    for (at, word) in words(text) {
        clean.push_str(at);
        let follows_scheme = at == " " && is_scheme(before);
        let hidden = is_secret(word) || (follows_scheme && is_credential(word));
        clean.push_str(if hidden { "[redacted]" } else { word });
        before = word;
    }
    clean
}

/// Splits into pairs of separator and word.
fn words(mut text: &str) -> Vec<(&str, &str)> {
    let in_word = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.' | '+' | '/');
    let mut pairs = Vec::new();
    while !text.is_empty() {
        let start = text.find(in_word).unwrap_or(text.len());
        let (separator, rest) = text.split_at(start);
        let end = rest.find(|c| !in_word(c)).unwrap_or(rest.len());
        let (word, rest) = rest.split_at(end);
        pairs.push((separator, word));
        text = rest;
    }
    pairs
}

/// A scheme of the `Authorization` header.
fn is_scheme(word: &str) -> bool {
    word.eq_ignore_ascii_case("bearer") || word.eq_ignore_ascii_case("basic")
}

/// What follows a scheme, and is no word of a sentence about it.
fn is_credential(word: &str) -> bool {
    word.len() >= 6 && word.bytes().any(|byte| !byte.is_ascii_lowercase())
}

/// Keys have a known beginning; bearer tokens are long and have digits and letters of both cases.
fn is_secret(word: &str) -> bool {
    const BEGINNINGS: [&str; 6] = ["sk-", "ghp_", "gho_", "github_pat_", "xoxb-", "eyJ"];
    let known = BEGINNINGS.iter().any(|start| word.starts_with(start)) && word.len() >= 12;
    let has = |test: fn(&char) -> bool| word.chars().any(|c| test(&c));
    let random = word.len() >= 40
        && !word.contains('/')
        && has(char::is_ascii_digit)
        && has(char::is_ascii_lowercase)
        && has(char::is_ascii_uppercase);
    known || random
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn secrets_do_not_come_through() {
        let text = "key sk-ant-api03-AbCdEf123456789 rejected; Authorization: Bearer \
                    eyJhbGciOiJIUzI1NiJ9.e30.abc\nat /usr/lib/node.js:12";
        let clean = redact(text);
        assert!(!clean.contains("AbCdEf"), "{clean}");
        assert!(!clean.contains("eyJ"), "{clean}");
        assert!(clean.ends_with("at /usr/lib/node.js:12"), "{clean}");
    }

    #[test]
    fn credentials_go_wherever_they_are_quoted() {
        for (text, clean) in [
            (r#"{"authorization":"Bearer abc123"}"#, r#"{"authorization":"Bearer [redacted]"}"#),
            (r#"{\"a\":\"bearer Xyz-123\"}"#, r#"{\"a\":\"bearer [redacted]\"}"#),
            ("Authorization: Basic YTpiOmM=", "Authorization: Basic [redacted]="),
            ("the bearer token is missing", "the bearer token is missing"),
            ("Bearer authentication failed", "Bearer authentication failed"),
        ] {
            assert_eq!(redact(text), clean);
        }
    }

    #[test]
    fn only_the_tail_is_kept() {
        let mut tail = Tail::default();
        tail.keep(&vec![b'a'; TAIL]);
        assert_eq!(tail.whole_words().len(), TAIL);
        tail.keep(b" end");
        assert_eq!(tail.bytes.len(), TAIL);
        assert_eq!(tail.whole_words(), b" end", "half a word may be half a secret");
    }
}
