//! Bytes to lines.
//!
//! A line is handed out as a slice of the buffer it was read into: nothing is copied. A line that
//! does not fit grows the buffer; nothing else does.

use bytes::{Bytes, BytesMut};
use memchr::memchr;

/// How much is read at once.
pub const READ_SIZE: usize = 256 * 1024;

/// Splits what comes from a pipe into lines.
#[derive(Debug, Default)]
pub struct Lines {
    buffer: BytesMut,
    /// How much of the buffer is known to hold no newline.
    searched: usize,
}

impl Lines {
    /// An empty splitter.
    pub fn new() -> Self {
        Self::default()
    }

    /// Room to read into; fill it, then call [`Lines::next_line`] until it gives nothing.
    ///
    /// The room is as large as what is already there of an unfinished line, so that a long line is
    /// copied a constant number of times.
    pub fn room(&mut self) -> &mut BytesMut {
        if self.buffer.capacity() - self.buffer.len() < READ_SIZE / 4 {
            self.buffer.reserve(READ_SIZE.max(self.buffer.len()));
        }
        &mut self.buffer
    }

    /// The next whole line, without its newline (`\n` or `\r\n`). Empty lines are left out.
    pub fn next_line(&mut self) -> Option<Bytes> {
        loop {
            let Some(at) = memchr(b'\n', &self.buffer[self.searched..]) else {
                self.searched = self.buffer.len();
                return None;
            };
            let mut line = self.buffer.split_to(self.searched + at + 1);
            self.searched = 0;
            line.truncate(line.len() - 1);
            if line.last() == Some(&b'\r') {
                line.truncate(line.len() - 1);
            }
            if !line.is_empty() {
                return Some(line.freeze());
            }
        }
    }

    /// What came after the last newline, once there is no more to read.
    pub fn remainder(&mut self) -> Option<Bytes> {
        self.searched = 0;
        let rest = self.buffer.split();
        (!rest.is_empty()).then(|| rest.freeze())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn split(chunks: &[&[u8]]) -> Vec<Vec<u8>> {
        let mut lines = Lines::new();
        let mut found = Vec::new();
        for chunk in chunks {
            lines.room().extend_from_slice(chunk);
            found.extend(std::iter::from_fn(|| lines.next_line()).map(|line| line.to_vec()));
        }
        found.extend(lines.remainder().map(|rest| rest.to_vec()));
        found
    }

    #[test]
    fn lines_come_out_whole_however_they_were_torn() {
        let expected: Vec<Vec<u8>> = vec![b"ab".to_vec(), b"c".to_vec(), b"d".to_vec()];
        assert_eq!(split(&[b"ab\nc\r\n\nd"]), expected);
        assert_eq!(split(&[b"a", b"b", b"\n", b"c\r", b"\n", b"\n", b"d"]), expected);
    }

    proptest! {
        #[test]
        fn tearing_changes_nothing(bytes in proptest::collection::vec(
            prop_oneof![Just(b'\n'), Just(b'\r'), any::<u8>()], 0..200), cut in 1usize..20)
        {
            let whole = split(&[&bytes]);
            let torn = split(&bytes.chunks(cut).collect::<Vec<_>>());
            prop_assert_eq!(whole, torn);
        }
    }
}
