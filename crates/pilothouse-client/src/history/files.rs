//! Opening and reading transcript files, which may be huge, broken, or not what they seem.
//!
//! Symbolic links are not followed for a transcript or a sidecar, and only regular files are
//! read: a link could lead anywhere, and opening a named pipe would wait for ever.

use std::fs::{File, OpenOptions};
use std::io::{self, BufRead, BufReader, Read, Seek, SeekFrom};
use std::path::Path;
use std::time::UNIX_EPOCH;

/// Listing reads this much from each end of a transcript, and no more.
pub(super) const WINDOW: u64 = 64 * 1024;

/// Longer lines are passed over as broken.
const LONGEST_LINE: u64 = 256 << 20;

/// Opens a regular file with `options`, not through a link.
pub(super) fn open_regular(path: &Path, options: &mut OpenOptions) -> io::Result<File> {
    #[cfg(unix)]
    {
        use std::os::unix::fs::OpenOptionsExt;
        let flags = rustix::fs::OFlags::NOFOLLOW | rustix::fs::OFlags::NONBLOCK;
        options.custom_flags(flags.bits().cast_signed());
    }
    #[cfg(not(unix))]
    if !path.symlink_metadata()?.is_file() {
        return Err(not_regular());
    }
    let file = options.open(path)?;
    if file.metadata()?.is_file() { Ok(file) } else { Err(not_regular()) }
}

fn not_regular() -> io::Error {
    io::Error::new(io::ErrorKind::InvalidInput, "not a regular file")
}

/// Reads a small file; `None` when it is missing, longer than `most`, or no regular file.
pub(super) fn read_small(path: &Path, most: u64) -> Option<String> {
    let file = open_regular(path, OpenOptions::new().read(true)).ok()?;
    let mut bytes = Vec::new();
    file.take(most + 1).read_to_end(&mut bytes).ok()?;
    (bytes.len() as u64 <= most).then(|| String::from_utf8_lossy(&bytes).into_owned())
}

/// Milliseconds since 1970 of the last change.
pub(super) fn modified_ms(metadata: &std::fs::Metadata) -> i64 {
    let Ok(modified) = metadata.modified() else {
        return 0;
    };
    match modified.duration_since(UNIX_EPOCH) {
        Ok(since) => i64::try_from(since.as_millis()).unwrap_or(i64::MAX),
        Err(before) => i64::try_from(before.duration().as_millis()).map_or(i64::MIN, |ms| -ms),
    }
}

/// The two ends of a transcript.
#[derive(Debug)]
pub(super) struct Ends {
    head: String,
    /// `None` when the head is the whole file.
    tail: Option<String>,
    pub(super) size: u64,
    pub(super) modified_ms: i64,
}

impl Ends {
    /// `None` for what is empty, unreadable, or no regular file.
    pub(super) fn read(path: &Path) -> Option<Self> {
        let mut file = open_regular(path, OpenOptions::new().read(true)).ok()?;
        let metadata = file.metadata().ok()?;
        let size = metadata.len();
        let head = read_window(&mut file)?;
        if head.is_empty() {
            return None;
        }
        let tail = match size.checked_sub(WINDOW) {
            None | Some(0) => None,
            Some(start) => {
                file.seek(SeekFrom::Start(start)).ok()?;
                Some(read_window(&mut file)?)
            }
        };
        Some(Self { head, tail, size, modified_ms: modified_ms(&metadata) })
    }

    pub(super) fn head(&self) -> &str {
        &self.head
    }

    pub(super) fn tail(&self) -> &str {
        self.tail.as_deref().unwrap_or(&self.head)
    }

    /// Whether head and tail are the same text.
    pub(super) fn is_whole(&self) -> bool {
        self.tail.is_none()
    }
}

fn read_window(file: &mut File) -> Option<String> {
    let mut bytes = Vec::new();
    file.take(WINDOW).read_to_end(&mut bytes).ok()?;
    Some(String::from_utf8_lossy(&bytes).into_owned())
}

/// Where a line stands in its file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Span {
    start: u64,
    len: u64,
}

/// Reads a transcript line by line, holding one line at a time.
pub(super) struct Lines {
    reader: BufReader<File>,
    at: u64,
    buffer: Vec<u8>,
    longest: u64,
}

impl Lines {
    pub(super) fn open(path: &Path) -> io::Result<Self> {
        let file = open_regular(path, OpenOptions::new().read(true))?;
        let reader = BufReader::with_capacity(256 * 1024, file);
        Ok(Self { reader, at: 0, buffer: Vec::new(), longest: LONGEST_LINE })
    }

    /// The next line that is not blank or overlong, without its line end.
    pub(super) fn next_line(&mut self) -> io::Result<Option<(Span, &[u8])>> {
        loop {
            self.buffer.clear();
            let start = self.at;
            let read = (&mut self.reader)
                .take(self.longest + 1)
                .read_until(b'\n', &mut self.buffer)? as u64;
            if read == 0 {
                return Ok(None);
            }
            self.at += read;
            if read > self.longest && self.buffer.last() != Some(&b'\n') {
                self.at += self.reader.skip_until(b'\n')? as u64;
                continue;
            }
            if self.buffer.iter().all(u8::is_ascii_whitespace) {
                continue;
            }
            let line = self.buffer.strip_suffix(b"\n").unwrap_or(&self.buffer);
            return Ok(Some((Span { start, len: line.len() as u64 }, line)));
        }
    }
}

/// Reads single lines again, by their place.
pub(super) struct Rereader {
    file: File,
}

impl Rereader {
    pub(super) fn open(path: &Path) -> io::Result<Self> {
        Ok(Self { file: open_regular(path, OpenOptions::new().read(true))? })
    }

    pub(super) fn line(&mut self, span: Span) -> io::Result<String> {
        self.file.seek(SeekFrom::Start(span.start))?;
        let mut bytes = Vec::new();
        (&mut self.file).take(span.len).read_to_end(&mut bytes)?;
        if bytes.len() as u64 != span.len {
            return Err(io::Error::new(
                io::ErrorKind::UnexpectedEof,
                "the transcript became shorter while it was read",
            ));
        }
        Ok(String::from_utf8(bytes)
            .unwrap_or_else(|bad| String::from_utf8_lossy(bad.as_bytes()).into_owned()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file_with(content: &[u8]) -> (tempfile::TempDir, std::path::PathBuf) {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("t.jsonl");
        std::fs::write(&path, content).unwrap();
        (dir, path)
    }

    #[test]
    fn lines_can_be_read_again() {
        let (_dir, path) = file_with(b"one\n\n  \r\ntwo\r\n\xff\nlast");
        let mut lines = Lines::open(&path).unwrap();
        let mut spans = Vec::new();
        while let Some((span, line)) = lines.next_line().unwrap() {
            spans.push((span, String::from_utf8_lossy(line).into_owned()));
        }
        let texts: Vec<_> = spans.iter().map(|(_, text)| text.as_str()).collect();
        assert_eq!(texts, ["one", "two\r", "\u{fffd}", "last"]);
        let mut again = Rereader::open(&path).unwrap();
        for (span, text) in spans.iter().rev() {
            assert_eq!(again.line(*span).unwrap(), *text);
        }
        std::fs::write(&path, "o").unwrap();
        assert!(Rereader::open(&path).unwrap().line(spans[3].0).is_err());
    }

    #[test]
    fn overlong_lines_are_passed_over() {
        let (_dir, path) = file_with(b"12345\n123456789\n1234\n123456");
        let mut lines = Lines::open(&path).unwrap();
        lines.longest = 5;
        let mut seen = Vec::new();
        while let Some((span, line)) = lines.next_line().unwrap() {
            seen.push((span.start, line.to_vec()));
        }
        assert_eq!(seen, [(0, b"12345".to_vec()), (16, b"1234".to_vec())]);
    }

    #[test]
    fn only_the_ends_are_read() {
        let window = usize::try_from(WINDOW).unwrap();
        let (_dir, path) = file_with("h".repeat(window).as_bytes());
        assert!(Ends::read(&path).unwrap().is_whole());

        let (_dir, path) =
            file_with(format!("{}m{}", "h".repeat(window), "t".repeat(window)).as_bytes());
        let ends = Ends::read(&path).unwrap();
        assert_eq!((ends.head().len(), ends.tail().len()), (window, window));
        assert!(!ends.head().contains('m') && !ends.tail().contains('m'));
        assert_eq!(ends.size, 2 * WINDOW + 1);

        let (_dir, path) = file_with(b"");
        assert!(Ends::read(&path).is_none());
    }

    #[cfg(unix)]
    #[test]
    fn links_pipes_and_directories_are_not_opened() {
        let (dir, path) = file_with(b"{}");
        let link = dir.path().join("link");
        std::os::unix::fs::symlink(&path, &link).unwrap();
        let pipe = dir.path().join("pipe");
        rustix::fs::mknodat(
            rustix::fs::CWD,
            &pipe,
            rustix::fs::FileType::Fifo,
            rustix::fs::Mode::from_raw_mode(0o600),
            0,
        )
        .unwrap();
        for bad in [link.as_path(), &pipe, dir.path()] {
            assert!(Ends::read(bad).is_none(), "{}", bad.display());
            assert!(Lines::open(bad).is_err());
            assert!(read_small(bad, 10).is_none());
        }
        assert_eq!(read_small(&path, 2).as_deref(), Some("{}"));
        assert_eq!(read_small(&path, 1), None);
    }
}
