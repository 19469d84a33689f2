//! Every line of a run, in both directions, in a file.
//!
//! The log of a run is `wire.log` in the run's directory. One record per line, text, with the
//! lines of the CLI in it byte for byte, so that it can be read with `less` and needs no parser to
//! be written:
//!
//! | record | meaning |
//! |---|---|
//! | `s <ms> <pid> <json>` | the CLI was started; first; no secrets |
//! | `o <ms> <line>` | a line of the CLI's stdout |
//! | `e <ms> <line>` | a line of the CLI's stderr |
//! | `i <ms> <number> <line>` | a line that was written, whole, to the CLI's stdin |
//! | `c <ms> eof\|stop\|broken` | the CLI's stdin was closed: nothing more can be written |
//! | `n <ms> <text>` | a remark of the holder |
//! | `x <ms> <code\|-> <signal\|->` | the CLI has ended; last |
//!
//! `<ms>` is Unix time in milliseconds. A record that is not ended by a newline is still being
//! written, or was when its writer died: a reader never gives it out.
//!
//! When a run has ended its log can be [`compress`]ed to `wire.log.zst`; [`Log::open`] reads both
//! forms, by range of the original bytes.

mod any;
mod archive;
mod decode;
mod log;
mod record;
mod write;

use std::time::{SystemTime, UNIX_EPOCH};

pub use any::{AnyError, AnyLines, Speaker, Spoken, read_any};
pub use archive::{ArchiveError, compress};
pub use decode::{Decoder, Located};
pub use log::{Log, Reader};
pub use record::{Closed, Exit, Record};
pub use write::{Head, Writer};

/// The log's name in the directory of its run.
pub const FILE: &str = "wire.log";

/// Whether there is a log in the directory of a run.
pub fn exists(dir: &std::path::Path) -> bool {
    dir.join(FILE).exists() || dir.join(ARCHIVE).exists()
}

/// The name of a compressed log.
pub const ARCHIVE: &str = "wire.log.zst";

/// Now, as records have it.
pub(crate) fn unix_millis() -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    u64::try_from(since.as_millis()).unwrap_or(u64::MAX)
}
