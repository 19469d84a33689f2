//! Which start of the machine a run began in. A holder that is dead was killed, or the machine has
//! stopped under it; only this tells which.

use std::fs::{self, OpenOptions};
use std::io::{self, Write};
use std::path::Path;

use crate::private::Private;

/// The file's name in the directory of a run.
const FILE: &str = "boot";

/// Where Linux has a name for each of its starts.
const CURRENT: &str = "/proc/sys/kernel/random/boot_id";

/// Writes it down for a run that begins.
pub(super) fn note(dir: &Path) -> io::Result<()> {
    // Elsewhere it cannot be told.
    let Ok(boot) = fs::read(CURRENT) else { return Ok(()) };
    let mut file =
        OpenOptions::new().write(true).create_new(true).private().open(dir.join(FILE))?;
    file.write_all(&boot)
}

/// Whether the machine still runs that the run in `dir` began on. Taken for granted where nobody
/// knows.
pub fn is_of_this_boot(dir: &Path) -> bool {
    match (fs::read(dir.join(FILE)), fs::read(CURRENT)) {
        (Ok(then), Ok(now)) => then == now,
        _ => true,
    }
}
