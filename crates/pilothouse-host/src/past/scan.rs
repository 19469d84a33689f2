//! Going through a transcript line by line, whatever is in it.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Read};
use std::path::Path;

use crate::private::open_regular;

/// A line of a transcript.
pub(super) enum Line<'a> {
    /// As it stands there, without its end.
    Whole(&'a [u8]),
    /// Longer than anybody wants to read.
    Overlong,
}

/// The lines of a file. One at a time is in memory, and of an overlong one only its beginning.
pub(super) struct Lines {
    reader: BufReader<File>,
    buffer: Vec<u8>,
    longest: u64,
}

impl Lines {
    pub(super) fn of(file: File, longest: u64) -> Self {
        Self { reader: BufReader::with_capacity(128 << 10, file), buffer: Vec::new(), longest }
    }

    /// The next line that is not blank.
    pub(super) fn next(&mut self) -> io::Result<Option<Line<'_>>> {
        loop {
            self.buffer.clear();
            let mut some = (&mut self.reader).take(self.longest + 1);
            if some.read_until(b'\n', &mut self.buffer)? == 0 {
                return Ok(None);
            }
            if self.buffer.len() as u64 > self.longest && self.buffer.last() != Some(&b'\n') {
                self.reader.skip_until(b'\n')?;
                return Ok(Some(Line::Overlong));
            }
            if !self.buffer.trim_ascii().is_empty() {
                break;
            }
        }
        Ok(Some(Line::Whole(self.buffer.trim_ascii())))
    }
}

/// How many lines of a transcript are no JSON objects, or are longer than `longest`.
pub(super) fn damaged(path: &Path, longest: u64) -> io::Result<u64> {
    let mut lines = Lines::of(open_regular(path)?, longest);
    let mut count = 0;
    while let Some(line) = lines.next()? {
        let is_object = match line {
            // Checks nothing but the form: odd numbers and half characters are no damage.
            Line::Whole(line) => {
                line.starts_with(b"{")
                    && serde_json::from_slice::<serde::de::IgnoredAny>(line).is_ok()
            }
            Line::Overlong => false,
        };
        count += u64::from(!is_object);
    }
    Ok(count)
}
