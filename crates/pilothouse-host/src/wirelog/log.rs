//! Reads a log by range of its bytes, compressed or not.

use std::fs::File;
use std::io;
use std::path::Path;

use super::archive::{Archive, ArchiveError};
use super::decode::{Decoder, Located};
use super::record::{Exit, Record};
use super::{ARCHIVE, FILE};

/// How much is read at once.
const READ_SIZE: usize = 64 * 1024;

/// The last record of a log is shorter than this.
const TAIL: u64 = 256;

/// The log of a run.
#[derive(Debug)]
pub struct Log {
    form: Form,
}

#[derive(Debug)]
enum Form {
    Plain(File),
    Compressed(Archive),
}

impl Log {
    /// Opens the log in the directory of a run.
    pub fn open(dir: &Path) -> Result<Self, ArchiveError> {
        // The plain form first: it is removed only when the other one is complete.
        match File::open(dir.join(FILE)) {
            Ok(file) => Ok(Self { form: Form::Plain(file) }),
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                Ok(Self { form: Form::Compressed(Archive::open(&dir.join(ARCHIVE))?) })
            }
            Err(error) => Err(error.into()),
        }
    }

    /// Opens a log by the name of its file.
    pub fn open_file(path: &Path) -> Result<Self, ArchiveError> {
        match path.extension() {
            Some(extension) if extension == "zst" => {
                Ok(Self { form: Form::Compressed(Archive::open(path)?) })
            }
            _ => Ok(Self { form: Form::Plain(File::open(path)?) }),
        }
    }

    /// The offset after the last byte. That of a live run grows.
    pub fn end(&self) -> Result<u64, ArchiveError> {
        match &self.form {
            Form::Plain(file) => Ok(file.metadata()?.len()),
            Form::Compressed(archive) => Ok(archive.len()),
        }
    }

    /// Reads from `offset` on, as far as it goes; less than asked for does not mean the end, zero
    /// does.
    pub fn read_at(&mut self, bytes: &mut [u8], offset: u64) -> Result<usize, ArchiveError> {
        match &mut self.form {
            Form::Plain(file) => Ok(read_file_at(file, bytes, offset)?),
            Form::Compressed(archive) => archive.read_at(bytes, offset),
        }
    }

    /// Reads up to `len` bytes from `offset` on: fewer only where the log ends.
    pub fn range(&mut self, offset: u64, len: usize) -> Result<Vec<u8>, ArchiveError> {
        let there = self.end()?.saturating_sub(offset);
        let mut bytes = vec![0; usize::try_from(there).unwrap_or(len).min(len)];
        let mut done = 0;
        while done < bytes.len() {
            match self.read_at(&mut bytes[done..], offset + done as u64)? {
                0 => break,
                read => done += read,
            }
        }
        bytes.truncate(done);
        Ok(bytes)
    }

    /// How the CLI ended, if the log says so.
    pub fn exit(&mut self) -> Result<Option<Exit>, ArchiveError> {
        let end = self.end()?;
        let tail = self.range(end.saturating_sub(TAIL), TAIL as usize)?;
        let Some((b'\n', tail)) = tail.split_last() else { return Ok(None) };
        let start = memchr::memrchr(b'\n', tail).map_or(0, |newline| newline + 1);
        match Record::parse(bytes::Bytes::copy_from_slice(&tail[start..])) {
            Record::Exited { exit, .. } => Ok(Some(exit)),
            _ => Ok(None),
        }
    }

    /// The records from `offset` on, which must be where one begins.
    pub fn records(self, offset: u64) -> Reader {
        Reader { log: self, decoder: Decoder::new(offset), read: offset }
    }
}

/// Gives the records of a log one after another.
#[derive(Debug)]
pub struct Reader {
    log: Log,
    decoder: Decoder,
    /// Up to where the decoder has been fed.
    read: u64,
}

impl Reader {
    /// The next record; nothing at the end, and at the tail that a holder's death has torn. More
    /// may come later if the run lives.
    pub fn next_record(&mut self) -> Result<Option<Located>, ArchiveError> {
        loop {
            if let Some(found) = self.decoder.next_record() {
                return Ok(Some(found));
            }
            let room = self.decoder.room();
            let had = room.len();
            room.resize(had + READ_SIZE, 0);
            let result = self.log.read_at(&mut room[had..], self.read);
            let read = *result.as_ref().unwrap_or(&0);
            room.truncate(had + read);
            if result? == 0 {
                return Ok(None);
            }
            self.read += read as u64;
        }
    }

    /// Where the next record begins: the end, once there are no more.
    pub fn offset(&self) -> u64 {
        self.decoder.offset()
    }

    /// How many bytes of a torn record there are at the end.
    pub fn torn(&self) -> usize {
        self.decoder.unfinished()
    }
}

impl Iterator for Reader {
    type Item = Result<Located, ArchiveError>;

    fn next(&mut self) -> Option<Self::Item> {
        self.next_record().transpose()
    }
}

/// Reads without moving the file's position.
pub(super) fn read_file_at(file: &File, bytes: &mut [u8], offset: u64) -> io::Result<usize> {
    loop {
        #[cfg(unix)]
        let read = std::os::unix::fs::FileExt::read_at(file, bytes, offset);
        #[cfg(windows)]
        let read = std::os::windows::fs::FileExt::seek_read(file, bytes, offset);
        match read {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            read => return read,
        }
    }
}
