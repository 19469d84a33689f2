//! The last of what a CLI wrote to stderr, for the event that tells of its end.

use std::collections::VecDeque;

use bytes::Bytes;
use pilothouse_client::redact;

use crate::secrets::Secrets;

/// As much as a person reads.
const MOST_BYTES: usize = 8 * 1024;

/// The last lines of stderr.
#[derive(Debug, Default)]
pub(super) struct StderrTail {
    lines: VecDeque<Bytes>,
    bytes: usize,
}

impl StderrTail {
    pub(super) fn push(&mut self, line: &[u8], secrets: &Secrets) {
        // A copy: the line is a slice of a buffer that must not be kept for its sake. Redacted before
        // it is cut: the rest of a secret is not known as one.
        let text = String::from_utf8_lossy(line);
        let text = secrets.known().redact(&text).into_owned();
        let line = Bytes::copy_from_slice(end_of(text.as_bytes()));
        self.bytes += line.len() + 1;
        self.lines.push_back(line);
        while self.bytes > MOST_BYTES && self.lines.len() > 1 {
            let Some(oldest) = self.lines.pop_front() else { break };
            self.bytes -= oldest.len() + 1;
        }
    }

    /// The text, without secrets; empty from then on.
    pub(super) fn take(&mut self, secrets: &Secrets) -> String {
        let lines: Vec<&[u8]> = self.lines.iter().map(|line| &**line).collect();
        let text = redact(&secrets.redact(&String::from_utf8_lossy(&lines.join(&b'\n'))));
        *self = Self::default();
        text
    }
}

/// As much of the end as may stay, from the beginning of a word on: half a key does not look like
/// one.
fn end_of(line: &[u8]) -> &[u8] {
    let Some(cut) = line.len().checked_sub(MOST_BYTES) else { return line };
    let end = &line[cut..];
    let word = end.iter().position(u8::is_ascii_whitespace).unwrap_or(end.len());
    &end[word..]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_lines_stay() {
        let (mut tail, secrets) = (StderrTail::default(), Secrets::default());
        for number in 0..10_000 {
            tail.push(format!("line {number}").as_bytes(), &secrets);
        }
        let text = tail.take(&secrets);
        assert!(text.ends_with("line 9998\nline 9999"), "{text}");
        assert!(text.len() <= MOST_BYTES);
        assert_eq!(tail.take(&secrets), "");
    }

    #[test]
    fn of_one_long_line_the_end_stays() {
        let (mut tail, secrets) = (StderrTail::default(), Secrets::default());
        tail.push(format!("{} the end", "x".repeat(MOST_BYTES)).as_bytes(), &secrets);
        assert_eq!(tail.take(&secrets), " the end");
    }

    #[test]
    fn no_secret_comes_through_in_whole_or_in_part() {
        let secrets = Secrets::default();
        secrets.register("correct horse battery staple").unwrap();
        let mut tail = StderrTail::default();
        tail.push(b"it was correct horse battery staple", &secrets);
        tail.push(br#"{"authorization":"Bearer abc123"}"#, &secrets);
        let expected = "it was [redacted]\n{\"authorization\":\"Bearer [redacted]\"}";
        assert_eq!(tail.take(&secrets), expected);
        // Cut within the secret.
        let rest = "x".repeat(MOST_BYTES - 10);
        tail.push(format!("correct horse battery staple {rest}").as_bytes(), &secrets);
        assert!(!tail.take(&secrets).contains("staple"));
    }
}
