//! The machine, and what this Pilothouse has seen so far.

use std::fs;
use std::time::SystemTime;

use jiff::{SignedDuration, Timestamp};

use super::{Check, Examination};

/// Too few for more than a few sessions and clients.
const FEW_FILES: u64 = 256;
/// Enough for a thousand of each.
const MANY_FILES: u64 = 4_096;

pub(super) fn checks(about: &Examination) -> Vec<Check> {
    vec![clock(about), files(), unknown(about)]
}

#[cfg(unix)]
fn files() -> Check {
    let limit = rustix::process::getrlimit(rustix::process::Resource::Nofile);
    open_files(limit.current, limit.maximum)
}

#[cfg(not(unix))]
fn files() -> Check {
    open_files(None, None)
}

/// No machine that this runs on lives before it was written, nor before what it has written.
fn clock(about: &Examination) -> Check {
    let (id, title) = ("clock", "Clock");
    let now = about.now;
    let advice = "Set the clock: times of events and of logins depend on it.";
    let (first, last) =
        (Timestamp::from_second(1_767_225_600), Timestamp::from_second(4_102_444_800));
    if first.is_ok_and(|first| now < first) || last.is_ok_and(|last| now > last) {
        return Check::fail(id, title, format!("it says {now:.0}"), advice);
    }
    let written = fs::metadata(&about.database).and_then(|file| file.modified()).ok();
    let written = written.and_then(timestamp);
    if let Some(written) = written
        && written.duration_since(now) > SignedDuration::from_hours(1)
    {
        let detail = format!("it says {now:.0}, but the database was written at {written:.0}");
        return Check::warn(id, title, detail, advice);
    }
    Check::ok(id, title, format!("{now:.0}"))
}

fn timestamp(time: SystemTime) -> Option<Timestamp> {
    Timestamp::try_from(time).ok()
}

fn open_files(current: Option<u64>, maximum: Option<u64>) -> Check {
    let (id, title) = ("open_files", "Open files");
    let Some(current) = current else { return Check::ok(id, title, "no limit") };
    let detail = match maximum {
        Some(maximum) => format!("{current}, could be {maximum}"),
        None => format!("{current}, could be more"),
    };
    let advice = "Raise the limit (`ulimit -n 8192`, or LimitNOFILE= in the service): each session and \
                  each client takes a few.";
    match current {
        0..FEW_FILES => Check::fail(id, title, detail, advice),
        FEW_FILES..MANY_FILES => Check::warn(id, title, detail, advice),
        _ => Check::ok(id, title, current.to_string()),
    }
}

fn unknown(about: &Examination) -> Check {
    let (id, title) = ("unknown_messages", "Unknown messages");
    match about.unknown_messages {
        None => Check::skipped(id, title, "nobody has counted them"),
        Some(0) => Check::ok(id, title, "none"),
        Some(count) => Check::warn(
            id,
            title,
            format!("{count} since the start"),
            "Nothing is lost: they are in the raw view. Update Pilothouse to have them understood.",
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::doctor::State;

    #[test]
    fn few_open_files_are_told() {
        assert_eq!(open_files(Some(64), Some(64)).state, State::Fail);
        assert_eq!(open_files(Some(1_024), None).state, State::Warn);
        assert_eq!(open_files(Some(8_192), Some(8_192)).state, State::Ok);
        assert_eq!(open_files(None, None).state, State::Ok);
    }
}
