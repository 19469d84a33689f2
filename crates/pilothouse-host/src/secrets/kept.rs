//! Keeps the secrets of a session's requests beside its runs, so that the next daemon knows them too.
//!
//! A run outlives its daemon, and what it was sent is neither in the profile nor in events. The file
//! goes with the session.

use std::collections::BTreeSet;
use std::fs::OpenOptions;
use std::io::{self, ErrorKind, Write};
use std::path::Path;

use crate::private::{self, Private};

/// The file, in the directory of the session's runs. A value in each line, as JSON.
pub(crate) const FILE: &str = "secrets.jsonl";

/// The values that were kept in `dir`.
pub(crate) fn read(dir: &Path) -> io::Result<BTreeSet<String>> {
    let text = match std::fs::read(dir.join(FILE)) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(BTreeSet::new()),
        text => text?,
    };
    // A line that is cut off is of a request that was never sent.
    let lines = text.split(|byte| *byte == b'\n');
    Ok(lines.filter_map(|line| serde_json::from_slice(line).ok()).collect())
}

/// Keeps values in `dir` that are not there yet. They are on the disk when this returns.
pub(crate) fn add(dir: &Path, values: &BTreeSet<String>) -> io::Result<()> {
    let there = read(dir)?;
    // Ends a line that was cut off.
    let mut lines = String::from("\n");
    for value in values.difference(&there) {
        lines.push_str(&serde_json::to_string(value)?);
        lines.push('\n');
    }
    if lines.len() == 1 {
        return Ok(());
    }
    private::dir(dir)?;
    let mut file = OpenOptions::new().append(true).create(true).private().open(dir.join(FILE))?;
    file.write_all(lines.as_bytes())?;
    file.sync_data()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keeps_each_value_once_and_survives_a_cut() {
        let dir = tempfile::tempdir().unwrap();
        let dir = dir.path().join("runs/session");
        assert_eq!(read(&dir).unwrap(), BTreeSet::new());
        let values = |values: &[&str]| values.iter().map(|it| (*it).to_owned()).collect();
        add(&dir, &values(&["one\n\"secret\"", "another"])).unwrap();
        let length = || std::fs::metadata(dir.join(FILE)).unwrap().len();
        let before = length();
        add(&dir, &values(&["another"])).unwrap();
        assert_eq!(length(), before);
        let mut file = OpenOptions::new().append(true).open(dir.join(FILE)).unwrap();
        file.write_all(b"\"cut o").unwrap();
        add(&dir, &values(&["third"])).unwrap();
        assert_eq!(read(&dir).unwrap(), values(&["one\n\"secret\"", "another", "third"]));
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            let mode = std::fs::metadata(dir.join(FILE)).unwrap().permissions().mode();
            assert_eq!(mode & 0o777, 0o600);
        }
    }
}
