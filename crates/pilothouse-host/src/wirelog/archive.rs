//! The compressed form of a log: small frames, any of which can be read alone.
//!
//! The file is what the zstd project calls its seekable format: independent frames, then a table of
//! their sizes in a frame that decoders skip. So `zstd -dc` gives the original, and a range costs
//! the frames it touches. Every frame carries a checksum.

use std::fs::{self, File, OpenOptions};
use std::io::{self, BufWriter, Write};
use std::path::Path;

use zstd::bulk::{Compressor, Decompressor};
use zstd::zstd_safe::CParameter;

use super::log::read_file_at;
use super::{ARCHIVE, FILE};

/// How much of the original is in a frame.
const FRAME: usize = 1024 * 1024;

/// Stronger levels gain little on JSON and cost much.
const LEVEL: i32 = 3;

/// The archive while it is made. What is left of it after a crash is overwritten.
const UNFINISHED: &str = "wire.log.zst.new";

const TABLE_MAGIC: u32 = 0x184D_2A5E;
const FOOTER_MAGIC: u32 = 0x8F92_EAB1;
const TABLE_HEAD: u64 = 8;
const FOOTER: u64 = 9;
const ENTRY: u64 = 8;

/// A log cannot be read or compressed.
#[derive(Debug, thiserror::Error)]
pub enum ArchiveError {
    /// The file system says no.
    #[error("the wire log cannot be read or written: {0}")]
    Io(#[from] io::Error),
    /// The file is not an archive, or not whole.
    #[error("the compressed wire log is damaged ({0}); restore it from a backup or delete the run")]
    Damaged(&'static str),
}

/// Compresses the log of an ended run, and removes the plain form once the other is safe on disk.
///
/// Whenever it is interrupted, one whole form remains; it can be called again.
pub fn compress(dir: &Path) -> Result<(), ArchiveError> {
    let (plain, archive) = (dir.join(FILE), dir.join(ARCHIVE));
    let source = match File::open(&plain) {
        Err(error) if error.kind() == io::ErrorKind::NotFound && archive.exists() => return Ok(()),
        source => source?,
    };
    write_archive(&source, &dir.join(UNFINISHED))?;
    fs::rename(dir.join(UNFINISHED), &archive)?;
    // The new name must be on disk before the old one goes.
    sync_directory(dir)?;
    fs::remove_file(&plain)?;
    Ok(())
}

fn write_archive(source: &File, target: &Path) -> Result<(), ArchiveError> {
    let mut options = OpenOptions::new();
    options.write(true).create(true).truncate(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let mut target = BufWriter::new(options.open(target)?);
    let mut compressor = Compressor::new(LEVEL)?;
    compressor.set_parameter(CParameter::ChecksumFlag(true))?;
    let mut content = vec![0; FRAME];
    let (mut table, mut frames, mut offset) = (Vec::new(), 0u32, 0);
    loop {
        let mut filled = 0;
        while filled < FRAME {
            match read_file_at(source, &mut content[filled..], offset)? {
                0 => break,
                read => (filled, offset) = (filled + read, offset + read as u64),
            }
        }
        if filled == 0 {
            break;
        }
        let frame = compressor.compress(&content[..filled])?;
        target.write_all(&frame)?;
        for size in [frame.len(), filled] {
            let size = u32::try_from(size).map_err(|_| ArchiveError::Damaged("a frame's size"))?;
            table.extend_from_slice(&size.to_le_bytes());
        }
        frames += 1;
    }
    let table_size = table.len() as u64 + FOOTER;
    let table_size = u32::try_from(table_size).map_err(|_| ArchiveError::Damaged("its length"))?;
    target.write_all(&TABLE_MAGIC.to_le_bytes())?;
    target.write_all(&table_size.to_le_bytes())?;
    target.write_all(&table)?;
    target.write_all(&frames.to_le_bytes())?;
    target.write_all(&[0])?;
    target.write_all(&FOOTER_MAGIC.to_le_bytes())?;
    target.into_inner().map_err(io::IntoInnerError::into_error)?.sync_all()?;
    Ok(())
}

#[cfg(unix)]
fn sync_directory(dir: &Path) -> io::Result<()> {
    File::open(dir)?.sync_all()
}

/// A directory cannot be opened as a file here; a rename is durable by itself.
#[cfg(not(unix))]
fn sync_directory(_dir: &Path) -> io::Result<()> {
    Ok(())
}

/// A compressed log.
pub(super) struct Archive {
    file: File,
    frames: Vec<Frame>,
    decompressor: Decompressor<'static>,
    /// The frame that was read last, and what is in it: ranges are mostly read in order.
    last: Option<(usize, Vec<u8>)>,
}

/// Where a frame ends, in the file and in the original.
#[derive(Clone, Copy, Debug, Default)]
struct Frame {
    stored_end: u64,
    end: u64,
}

impl Archive {
    pub(super) fn open(path: &Path) -> Result<Self, ArchiveError> {
        let file = File::open(path)?;
        let size = file.metadata()?.len();
        let footer_at = size.checked_sub(FOOTER).ok_or(ArchiveError::Damaged("too short"))?;
        let footer = read_exact(&file, footer_at, FOOTER)?;
        if number(&footer[5..]) != FOOTER_MAGIC || footer[4] != 0 {
            return Err(ArchiveError::Damaged("no table at its end"));
        }
        let table_size = u64::from(number(&footer)) * ENTRY;
        let table_at = footer_at.checked_sub(table_size).ok_or(ArchiveError::Damaged("table"))?;
        let table = read_exact(&file, table_at, table_size)?;
        let mut frames = Vec::with_capacity(table.len() / ENTRY as usize);
        let mut frame = Frame::default();
        for entry in table.chunks_exact(ENTRY as usize) {
            frame.stored_end += u64::from(number(entry));
            frame.end += u64::from(number(&entry[4..]));
            frames.push(frame);
        }
        if frame.stored_end + TABLE_HEAD != table_at {
            return Err(ArchiveError::Damaged("its table does not fit its length"));
        }
        Ok(Self { file, frames, decompressor: Decompressor::new()?, last: None })
    }

    pub(super) fn len(&self) -> u64 {
        self.frames.last().map_or(0, |frame| frame.end)
    }

    /// Reads up to the end of the frame that `offset` is in.
    pub(super) fn read_at(&mut self, bytes: &mut [u8], offset: u64) -> Result<usize, ArchiveError> {
        if offset >= self.len() {
            return Ok(0);
        }
        let index = self.frames.partition_point(|frame| frame.end <= offset);
        let begin = index.checked_sub(1).map_or(Frame::default(), |before| self.frames[before]);
        let content = self.frame(index, begin)?;
        let from = usize::try_from(offset - begin.end).unwrap_or(usize::MAX);
        let rest = content.get(from..).unwrap_or_default();
        let count = rest.len().min(bytes.len());
        bytes[..count].copy_from_slice(&rest[..count]);
        Ok(count)
    }

    fn frame(&mut self, index: usize, begin: Frame) -> Result<&[u8], ArchiveError> {
        let kept = self.last.take().filter(|(last, _)| *last == index);
        let content = match kept {
            Some((_, content)) => content,
            None => {
                let end = self.frames[index];
                let stored =
                    read_exact(&self.file, begin.stored_end, end.stored_end - begin.stored_end)?;
                let size = usize::try_from(end.end - begin.end).unwrap_or(usize::MAX);
                let content = self.decompressor.decompress(&stored, size);
                let content = content.map_err(|_| ArchiveError::Damaged("a frame"))?;
                if content.len() != size {
                    return Err(ArchiveError::Damaged("a frame's length"));
                }
                content
            }
        };
        Ok(&self.last.insert((index, content)).1)
    }
}

impl std::fmt::Debug for Archive {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Archive").field("frames", &self.frames.len()).finish_non_exhaustive()
    }
}

/// The number that four bytes are.
fn number(bytes: &[u8]) -> u32 {
    bytes.first_chunk().map_or(0, |bytes| u32::from_le_bytes(*bytes))
}

fn read_exact(file: &File, offset: u64, size: u64) -> Result<Vec<u8>, ArchiveError> {
    if offset.saturating_add(size) > file.metadata()?.len() {
        return Err(ArchiveError::Damaged("too short"));
    }
    let mut bytes = vec![0; usize::try_from(size).map_err(|_| ArchiveError::Damaged("size"))?];
    let mut done = 0;
    while done < bytes.len() {
        match read_file_at(file, &mut bytes[done..], offset + done as u64)? {
            0 => return Err(ArchiveError::Damaged("too short")),
            read => done += read,
        }
    }
    Ok(bytes)
}
