//! Bytes of a log to records, wherever the bytes come from.
//!
//! No file and no socket in here: a daemon feeds it what a holder streams, a reader what it finds
//! in a file. A record's line is a slice of the buffer it was read into.

use bytes::{Bytes, BytesMut};
use memchr::memchr;

use super::record::Record;

/// How much room is made for reading.
const READ_SIZE: usize = 64 * 1024;

/// Splits the bytes of a log into records, and knows where each of them stands.
#[derive(Debug)]
pub struct Decoder {
    buffer: BytesMut,
    /// How much of the buffer is known to hold no newline.
    searched: usize,
    /// Where the buffer's first byte stands in the log.
    offset: u64,
}

/// A record and where it stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Located {
    /// The record.
    pub record: Record,
    /// Of its first byte.
    pub offset: u64,
    /// Of the first byte after it: where to attach to get what follows.
    pub end: u64,
}

impl Decoder {
    /// For the bytes from `offset` on, which must be where a record begins.
    pub fn new(offset: u64) -> Self {
        Self { buffer: BytesMut::new(), searched: 0, offset }
    }

    /// Room to read into; fill it, then call [`Decoder::next_record`] until it gives nothing.
    pub fn room(&mut self) -> &mut BytesMut {
        if self.buffer.capacity() - self.buffer.len() < READ_SIZE / 4 {
            // As much again as there is, so that a long line is copied a constant number of times.
            self.buffer.reserve(READ_SIZE.max(self.buffer.len()));
        }
        &mut self.buffer
    }

    /// Adds bytes.
    pub fn feed(&mut self, bytes: &[u8]) {
        self.buffer.extend_from_slice(bytes);
    }

    /// The next whole record.
    pub fn next_record(&mut self) -> Option<Located> {
        let Some(at) = memchr(b'\n', &self.buffer[self.searched..]) else {
            self.searched = self.buffer.len();
            return None;
        };
        let length = self.searched + at;
        let mut raw: Bytes = self.buffer.split_to(length + 1).freeze();
        raw.truncate(length);
        self.searched = 0;
        let offset = self.offset;
        self.offset += length as u64 + 1;
        Some(Located { record: Record::parse(raw), offset, end: self.offset })
    }

    /// Where the next record begins.
    pub fn offset(&self) -> u64 {
        self.offset
    }

    /// How many bytes there are of a record that has not ended. At the end of the log of a dead
    /// holder these are the torn tail.
    pub fn unfinished(&self) -> usize {
        self.buffer.len()
    }
}
