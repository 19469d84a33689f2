//! How long lines waited in the pipes of their CLIs because their holders gathered them.
//!
//! A holder says in its log when it begins to gather and for how long, and when it read each line. A
//! line that was written before the holder was to look again waited until then on purpose. That the
//! holder looked late was not meant, and is not counted.

use std::collections::HashMap;
use std::path::Path;

use pilothouse_host::holder::find;
use pilothouse_host::wirelog::{Log, Record};

use super::Outcome;
use super::script::moment_of;

const MILLI: u64 = 1_000_000;

/// How long each line waited that did, by the moment it was written; in nanoseconds.
pub fn gathered(data_dir: &Path) -> Outcome<HashMap<u64, u64>> {
    let mut waits = HashMap::new();
    for session in std::fs::read_dir(data_dir.join("runs"))?.flatten() {
        for run in find(&session.path())? {
            let mut reading = Reading::default();
            let mut records = Log::open(&run.dir)?.records(0);
            while let Some(located) = records.next_record()? {
                waits.extend(reading.wait(&located.record));
            }
        }
    }
    Ok(waits)
}

/// What is known of a holder at some place of its log.
#[derive(Debug, Default)]
struct Reading {
    /// For how long it gathers.
    gather: u64,
    /// When it read last, and when it was to look again; both in milliseconds.
    read_at: u64,
    due: u64,
}

impl Reading {
    /// The moment a line was written, and how long it waited on purpose.
    fn wait(&mut self, record: &Record) -> Option<(u64, u64)> {
        match record {
            Record::Note { text, .. } => {
                let said = String::from_utf8_lossy(text).into_owned();
                let time = said.strip_prefix("gathers lines for ")?.strip_suffix(" ms")?;
                self.gather = time.parse().ok()?;
                None
            }
            Record::Out { at, line } => {
                if *at != self.read_at {
                    self.due = if self.gather == 0 { 0 } else { self.read_at + self.gather };
                    self.read_at = *at;
                }
                let line = String::from_utf8_lossy(line);
                let (_, uuid) = line.rsplit_once("\"uuid\":\"")?;
                let written = moment_of(uuid)?;
                let until = self.due.min(self.read_at) * MILLI;
                Some((written, until.saturating_sub(written))).filter(|(_, wait)| *wait > 0)
            }
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::host::script::moment_uuid;
    use bytes::Bytes;

    fn line(read: u64, written: u64) -> Record {
        let line = format!("{{\"uuid\":\"{}\"}}", moment_uuid(written * MILLI));
        Record::Out { at: read, line: Bytes::from(line) }
    }

    #[test]
    fn only_what_was_meant_is_counted() {
        let mut reading = Reading::default();
        let mut wait = |record| reading.wait(&record).map(|(_, wait)| wait / MILLI);
        assert_eq!(wait(line(100, 99)), None);
        let text = Bytes::from_static(b"gathers lines for 30 ms");
        assert_eq!(wait(Record::Note { at: 101, text }), None);
        assert_eq!(wait(line(135, 110)), Some(20), "the holder was to look at 130");
        assert_eq!(wait(line(135, 132)), None, "written when it was late already");
        assert_eq!(wait(line(400, 390)), None, "nothing was to be gathered any more");
    }
}
