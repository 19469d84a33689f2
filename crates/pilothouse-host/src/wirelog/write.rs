//! Appends records, and loses none when the disk is full.
//!
//! What cannot be written stays queued, in order, until a later [`Writer::flush`] succeeds. Who
//! uses it must stop taking in more while the queue is not empty: that is what bounds it.

use std::collections::VecDeque;
use std::fmt;
use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::path::Path;

use super::record::{Closed, Exit};

/// How much of a long line is copied at once.
const PIECE: usize = 32 * 1024;

/// How much memory is kept for the next records.
const KEPT: usize = 256 * 1024;

/// What stands before a line in a record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Head {
    /// A line of stdout.
    Out,
    /// A line of stderr.
    Err,
    /// A line for stdin, with its number.
    In(u64),
    /// A remark.
    Note,
    /// The start of the CLI with this pid; the line is JSON.
    Started(u32),
}

/// Writes the log of one run. Nobody else does.
#[derive(Debug)]
pub struct Writer<F = File> {
    file: F,
    len: u64,
    /// To be written next; the first `done` bytes of it have been. Kept when all of it is written,
    /// until there is more: who reads along need not read the file.
    ready: Vec<u8>,
    done: usize,
    /// To be written after that.
    long: VecDeque<Long>,
}

/// The line of a record that was too long to be held, and what was queued after it.
#[derive(Debug)]
struct Long {
    body: File,
    done: u64,
    len: u64,
    after: Vec<u8>,
}

impl Writer<File> {
    /// Creates the log. It must not exist: a run has one holder, once.
    pub fn create(path: &Path) -> io::Result<Self> {
        let mut options = OpenOptions::new();
        options.append(true).create_new(true);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        Ok(Self::new(options.open(path)?))
    }
}

impl<F: Write> Writer<F> {
    /// Writes to an empty file.
    pub fn new(file: F) -> Self {
        Self { file, len: 0, ready: Vec::new(), done: 0, long: VecDeque::new() }
    }

    /// Queues a record with a line, which must hold no newline.
    pub fn line(&mut self, at: u64, head: Head, line: &[u8]) {
        let tail = self.tail();
        put_head(tail, at, head);
        tail.extend_from_slice(line);
        tail.push(b'\n');
    }

    /// Queues a record whose line is the first `len` bytes of `body`, and then `end`.
    pub fn long_line(&mut self, at: u64, head: Head, (body, len): (File, u64), end: &[u8]) {
        put_head(self.tail(), at, head);
        let mut after = end.to_vec();
        after.push(b'\n');
        self.long.push_back(Long { body, done: 0, len, after });
    }

    /// Queues the record that the CLI's stdin was closed.
    pub fn closed(&mut self, at: u64, why: Closed) {
        put(self.tail(), format_args!("c {at} {}\n", why.word()));
    }

    /// Queues the last record.
    pub fn exited(&mut self, at: u64, exit: Exit) {
        put(self.tail(), format_args!("x {at} {exit}\n"));
    }

    /// Writes what is queued, as far as it goes. After an error the rest is still queued.
    pub fn flush(&mut self) -> io::Result<()> {
        loop {
            while self.done < self.ready.len() {
                let written = write(&mut self.file, &self.ready[self.done..])?;
                self.done += written;
                self.len += written as u64;
            }
            let Some(long) = self.long.front_mut() else { return Ok(()) };
            self.ready.clear();
            self.done = 0;
            let mut piece = vec![0; PIECE];
            while long.done < long.len {
                let want = usize::try_from(long.len - long.done).unwrap_or(PIECE).min(PIECE);
                let read = read_at(&long.body, &mut piece[..want], long.done)?;
                let written = write(&mut self.file, &piece[..read])?;
                long.done += written as u64;
                self.len += written as u64;
            }
            self.ready = std::mem::take(&mut long.after);
            self.long.pop_front();
        }
    }

    /// Whether everything queued has been written.
    pub fn is_clear(&self) -> bool {
        self.done == self.ready.len() && self.long.is_empty()
    }

    /// The file from this byte on, if that was written last.
    pub fn recent(&self, from: u64) -> Option<&[u8]> {
        let begin = self.len - self.done as u64;
        let skip = usize::try_from(from.checked_sub(begin)?).ok()?;
        self.ready.get(skip..self.done).filter(|recent| !recent.is_empty())
    }

    /// How many bytes have been written.
    pub fn len(&self) -> u64 {
        self.len
    }

    /// Whether nothing has been written.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    fn tail(&mut self) -> &mut Vec<u8> {
        if self.is_clear() {
            self.ready.clear();
            self.ready.shrink_to(KEPT);
            self.done = 0;
        }
        self.long.back_mut().map_or(&mut self.ready, |long| &mut long.after)
    }
}

fn put_head(tail: &mut Vec<u8>, at: u64, head: Head) {
    let (kind, number) = match head {
        Head::Out => (b'o', None),
        Head::Err => (b'e', None),
        Head::In(number) => (b'i', Some(number)),
        Head::Note => (b'n', None),
        Head::Started(pid) => (b's', Some(u64::from(pid))),
    };
    tail.extend_from_slice(&[kind, b' ']);
    put_number(tail, at);
    if let Some(number) = number {
        put_number(tail, number);
    }
}

/// A number and a space. Every line has one: formatting it in the usual way costs more than the
/// rest of the record.
fn put_number(tail: &mut Vec<u8>, mut number: u64) {
    let mut digits = [b' '; 21];
    let mut first = digits.len() - 1;
    loop {
        first -= 1;
        digits[first] = b'0' + (number % 10) as u8;
        number /= 10;
        if number == 0 {
            break;
        }
    }
    tail.extend_from_slice(&digits[first..]);
}

fn put(tail: &mut Vec<u8>, text: fmt::Arguments<'_>) {
    // A vector takes everything.
    let _ = tail.write_fmt(text);
}

fn write(file: &mut impl Write, bytes: &[u8]) -> io::Result<usize> {
    loop {
        match file.write(bytes) {
            Ok(0) => return Err(io::ErrorKind::WriteZero.into()),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            written => return written,
        }
    }
}

fn read_at(file: &File, bytes: &mut [u8], offset: u64) -> io::Result<usize> {
    match super::log::read_file_at(file, bytes, offset)? {
        0 => Err(io::ErrorKind::UnexpectedEof.into()),
        read => Ok(read),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wirelog::Decoder;

    /// A disk with room for so many bytes, which takes at most seven at a time.
    #[derive(Debug)]
    struct Disk {
        room: usize,
        bytes: Vec<u8>,
    }

    impl Write for Disk {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            match bytes.len().min(self.room).min(7) {
                0 => Err(io::ErrorKind::StorageFull.into()),
                some => {
                    self.room -= some;
                    self.bytes.extend_from_slice(&bytes[..some]);
                    Ok(some)
                }
            }
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn numbers_of_any_length() {
        for number in [0, 9, 10, 1_794_800_000_123, u64::MAX] {
            let mut tail = Vec::new();
            put_number(&mut tail, number);
            assert_eq!(tail, format!("{number} ").into_bytes());
        }
    }

    #[test]
    fn a_full_disk_delays_and_loses_nothing() {
        let mut body = tempfile::tempfile().unwrap();
        body.write_all(b"0123456789").unwrap();
        let mut writer = Writer::new(Disk { room: 0, bytes: Vec::new() });
        writer.line(1, Head::Started(9), b"{}");
        writer.line(2, Head::In(1), b"hello");
        writer.long_line(3, Head::Out, (body, 10), b"end");
        writer.line(4, Head::Err, b"\xff");
        writer.closed(5, Closed::Broken);
        writer.exited(6, Exit { code: None, signal: Some(9) });
        let mut failures = 0;
        while let Err(error) = writer.flush() {
            assert_eq!(error.kind(), io::ErrorKind::StorageFull);
            assert!(!writer.is_clear());
            failures += 1;
            writer.file.room += 1;
        }
        let written = &writer.file.bytes;
        let expected = b"s 1 9 {}\ni 2 1 hello\no 3 0123456789end\ne 4 \xff\nc 5 broken\nx 6 - 9\n";
        assert_eq!(written, expected);
        assert_eq!(failures, expected.len());
        assert!(writer.is_clear());
        assert_eq!(writer.len(), expected.len() as u64);
        let exit = expected.len() - b"x 6 - 9\n".len();
        assert_eq!(writer.recent(exit as u64), Some(&expected[exit..]));
        assert_eq!((writer.recent(0), writer.recent(writer.len())), (None, None));
        let mut decoder = Decoder::new(0);
        decoder.feed(written);
        let records = std::iter::from_fn(|| decoder.next_record()).count();
        assert_eq!((records, decoder.unfinished()), (6, 0));
    }
}
