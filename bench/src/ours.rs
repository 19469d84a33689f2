//! Our own rows: the floor, the codec, the client.
//!
//! [`decode_all`] and [`end_to_end`] are the only places that know the Pilothouse
//! crates.

use std::hint::black_box;
use std::path::Path;

use memchr::memchr;

/// What the client handed out.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Consumed {
    /// Messages received; `0` stands in the table as "not measured".
    pub messages: u64,
    /// Seconds to the last `result`; see [`Stopwatch`](crate::reading::Stopwatch).
    pub seconds: f64,
}

/// The corpus, line by line, newlines left out.
pub fn lines(corpus: &[u8]) -> impl Iterator<Item = &[u8]> {
    let mut rest = corpus;
    std::iter::from_fn(move || {
        let newline = memchr(b'\n', rest)?;
        let (line, tail) = rest.split_at_checked(newline)?;
        rest = tail.get(1..).unwrap_or_default();
        Some(line)
    })
}

/// Finds every line and does nothing with it.
#[must_use]
pub fn split_all(corpus: &[u8]) -> u64 {
    let mut count = 0;
    for line in lines(corpus) {
        black_box(line);
        count += 1;
    }
    count
}

/// Decodes every line into a typed message and returns how many there were.
///
/// Not measured yet: returns 0.
#[must_use]
pub fn decode_all(corpus: &[u8]) -> u64 {
    black_box(corpus);
    0
}

/// Starts `printer` as the CLI, sends a prompt, and receives every message.
///
/// Not measured yet: returns no messages.
pub fn end_to_end(printer: &Path) -> Result<Consumed, Box<dyn std::error::Error>> {
    black_box(printer);
    Ok(Consumed { messages: 0, seconds: 0.0 })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn splitting_finds_every_line() {
        let text = b"one\n\nthree\n";
        assert_eq!(lines(text).collect::<Vec<_>>(), [&b"one"[..], b"", b"three"]);
        assert_eq!(split_all(text), 3);
    }
}
