//! Where everything is kept: directory, disk, database, runs.

use std::error::Error;
use std::fs::{self, Metadata, OpenOptions};
use std::path::{Path, PathBuf};
use std::sync::mpsc::sync_channel;

use pilothouse_session::Session;
use rusqlite::{Connection, OpenFlags, OptionalExtension};

use super::{Check, Examination};
use crate::holder::{self, FoundRun, RunState};
use crate::host::is_known;
use crate::private::Private;

/// Below this, sessions are about to fail.
const NO_SPACE: u64 = 64 << 20;
/// Below this, they soon will be.
const LITTLE_SPACE: u64 = 1 << 30;
/// How long the path of a socket may be.
const LONGEST_SOCKET: usize = if cfg!(target_os = "linux") { 107 } else { 103 };
/// How many runs are named.
const NAMED: usize = 3;

pub(super) fn checks(about: &Examination) -> Vec<Check> {
    vec![
        writable(about),
        private(about),
        space(about),
        database(about),
        runs(about),
        unknown_runs(about),
        socket(about),
    ]
}

fn writable(about: &Examination) -> Check {
    let (id, title) = ("data_dir.writable", "Data directory");
    let dir = &about.data_dir;
    let shown = dir.display();
    let advice = "Choose a directory that is yours, or correct who owns it.";
    match fs::metadata(dir) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
            return Check::ok(id, title, format!("{shown}, to be made at the first start"));
        }
        Err(error) => return Check::fail(id, title, format!("{shown}: {error}"), advice),
        Ok(found) if !found.is_dir() => {
            return Check::fail(id, title, format!("{shown} is not a directory"), advice);
        }
        Ok(_) => {}
    }
    let trial = dir.join(format!(".doctor-{}", uuid::Uuid::new_v4().simple()));
    let made = OpenOptions::new().write(true).create_new(true).private().open(&trial);
    match made.and_then(|_| fs::remove_file(&trial)) {
        Ok(()) => Check::ok(id, title, shown.to_string()),
        Err(error) => Check::fail(id, title, format!("{shown} cannot be written: {error}"), advice),
    }
}

fn private(about: &Examination) -> Check {
    let (id, title) = ("data_dir.private", "Data directory's privacy");
    let Ok(found) = fs::metadata(&about.data_dir) else {
        return Check::skipped(id, title, "there is no directory yet");
    };
    if !found.is_dir() {
        return Check::skipped(id, title, "there is no directory");
    }
    modes((id, title), &found, about)
}

#[cfg(unix)]
fn modes(
    (id, title): (&'static str, &'static str),
    found: &Metadata,
    about: &Examination,
) -> Check {
    use std::os::unix::fs::MetadataExt;
    if let Err(error) = crate::data_dir::check(&about.data_dir) {
        let detail = format!("{} {}", error.path.display(), error.fault);
        return Check::fail(id, title, detail, &sentence(&error.fault.advice(&error.path)));
    }
    let mode = found.mode() & 0o777;
    if mode & 0o077 == 0 {
        return Check::ok(id, title, format!("{mode:03o}"));
    }
    let detail = format!("{mode:03o}: others can look into conversations");
    Check::warn(id, title, detail, &format!("Run: chmod 700 {:?}", about.data_dir))
}

#[cfg(unix)]
fn sentence(advice: &str) -> String {
    let mut letters = advice.chars();
    let first = letters.next().map(|letter| letter.to_ascii_uppercase());
    format!("{}{}.", first.into_iter().collect::<String>(), letters.as_str())
}

#[cfg(not(unix))]
fn modes((id, title): (&'static str, &'static str), _: &Metadata, _: &Examination) -> Check {
    Check::skipped(id, title, "files have no modes here: it is as private as what it is in")
}

fn space(about: &Examination) -> Check {
    let (id, title) = ("disk", "Free disk space");
    let place = about.data_dir.ancestors().find(|place| place.exists());
    let Some(free) = place.and_then(free_bytes) else {
        return Check::skipped(id, title, "nobody can tell");
    };
    let detail = format!("{} MiB", free >> 20);
    let advice = "Make room: when the disk is full, sessions stop.";
    match free {
        0..NO_SPACE => Check::fail(id, title, detail, advice),
        NO_SPACE..LITTLE_SPACE => Check::warn(id, title, detail, advice),
        _ => Check::ok(id, title, detail),
    }
}

#[cfg(unix)]
fn free_bytes(place: &Path) -> Option<u64> {
    let disk = rustix::fs::statvfs(place).ok()?;
    Some(disk.f_bavail.saturating_mul(disk.f_frsize))
}

#[cfg(not(unix))]
fn free_bytes(_place: &Path) -> Option<u64> {
    None
}

/// Beside a daemon that may be writing: reads only, and gives up when it takes too long.
fn database(about: &Examination) -> Check {
    let (id, title) = ("database", "Database");
    match fs::metadata(&about.database) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
            return Check::ok(id, title, "to be made at the first start");
        }
        Err(error) => {
            let detail = format!("{}: {error}", about.database.display());
            return Check::fail(id, title, detail, "Correct who may read it.");
        }
        Ok(_) => {}
    }
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let conn = match Connection::open_with_flags(&about.database, flags) {
        Ok(conn) => conn,
        Err(error) => {
            return Check::fail(id, title, error.to_string(), "Correct who may read it.");
        }
    };
    let handle = conn.get_interrupt_handle();
    let (told, found) = sync_channel(1);
    let reader = std::thread::spawn(move || {
        let _nobody_waits_any_more = told.send(quick_check(&conn));
    });
    let found = found.recv_timeout(about.patience);
    if found.is_err() {
        handle.interrupt();
    }
    let _cannot_panic = reader.join();
    let restore = "Stop Pilothouse, and put a backup in its place; wire logs stay as they are.";
    match found {
        Ok(Ok(problems)) if problems.is_empty() => {
            Check::ok(id, title, about.database.display().to_string())
        }
        Ok(Ok(problems)) => Check::fail(id, title, problems.join("; "), restore),
        Ok(Err(error)) => Check::fail(id, title, error.to_string(), restore),
        Err(_) => Check::warn(
            id,
            title,
            format!("it is being read for more than {} s", about.patience.as_secs_f64()),
            "It can be opened; whether it is whole was not found out. Look again when less goes on.",
        ),
    }
}

fn quick_check(conn: &Connection) -> rusqlite::Result<Vec<String>> {
    let mut statement = conn.prepare("PRAGMA quick_check(5)")?;
    let lines = statement.query_map([], |row| row.get(0))?.collect::<Result<Vec<String>, _>>()?;
    Ok(lines.into_iter().filter(|line| line != "ok").collect())
}

fn runs(about: &Examination) -> Check {
    let (id, title) = ("runs", "Runs");
    let found = match found_in(&about.runs) {
        Ok(found) => found,
        Err(error) => {
            let detail = format!("{}: {error}", about.runs.display());
            return Check::fail(id, title, detail, "Correct who may read it.");
        }
    };
    let count = |state: fn(&RunState) -> bool| found.iter().filter(|run| state(&run.state)).count();
    let live = count(|state| matches!(state, RunState::Live));
    let ended = count(|state| matches!(state, RunState::Ended(_)));
    let dead: Vec<&str> = found
        .iter()
        .filter(|run| matches!(run.state, RunState::Dead))
        .map(|run| &*run.run)
        .collect();
    let strange = strange_directories(&about.runs);
    let detail = format!("{live} running, {ended} ended");
    if dead.is_empty() && strange.is_empty() {
        return Check::ok(id, title, detail);
    }
    let some = |names: &[&str]| names.iter().take(NAMED).copied().collect::<Vec<_>>().join(", ");
    if dead.is_empty() {
        let strange: Vec<&str> = strange.iter().map(|name| &**name).collect();
        let detail = format!("{detail}, {} that are no runs ({})", strange.len(), some(&strange));
        return Check::warn(
            id,
            title,
            detail,
            "They are in nobody's way; delete them if you like.",
        );
    }
    let detail = format!("{detail}, {} without a holder ({})", dead.len(), some(&dead));
    let advice =
        "Their holders were killed. Start Pilothouse: it ends them, and they can be resumed.";
    Check::warn(id, title, detail, advice)
}

/// Runs that a restored database does not know.
fn unknown_runs(about: &Examination) -> Check {
    let (id, title) = ("runs.unknown", "Runs that the database does not know");
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let found = Connection::open_with_flags(&about.database, flags)
        .map_err(|error| error.to_string())
        .and_then(|conn| find_unknown(&conn, &about.runs).map_err(|error| error.to_string()));
    let unknown = match found {
        Ok(unknown) if unknown.is_empty() => return Check::ok(id, title, "none"),
        Ok(unknown) => unknown,
        Err(_) if !about.database.exists() => return Check::skipped(id, title, "no database yet"),
        Err(error) => return Check::skipped(id, title, error),
    };
    let some: Vec<_> =
        unknown.iter().take(NAMED).map(|run| run.dir.display().to_string()).collect();
    let live = unknown.iter().filter(|run| run.state == RunState::Live).count();
    let detail = format!("{} ({live} live): {}", unknown.len(), some.join(", "));
    let advice = "The database may be an older backup. These runs are neither stopped nor deleted; \
                  their wire logs have everything. Put the newer database back if there is one.";
    Check::warn(id, title, detail, advice)
}

fn find_unknown(conn: &Connection, runs: &Path) -> Result<Vec<FoundRun>, Box<dyn Error>> {
    let mut row = conn.prepare(
        "SELECT state FROM sessions LEFT JOIN states ON states.session = sessions.no WHERE id = ?1",
    )?;
    let mut deleted = conn.prepare(
        "SELECT EXISTS (SELECT 1 FROM audit WHERE session = ?1 AND action = 'session.deleted')",
    )?;
    let mut unknown = Vec::new();
    for dir in directories(runs)? {
        let name = dir.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let Ok(session) = name.parse::<uuid::Uuid>() else { continue };
        let state = row.query_row([session.as_bytes()], |row| row.get::<_, Option<String>>(0));
        let state = state.optional()?;
        // What is left of a deleted session goes at the next start.
        if state.is_none() && deleted.query_row([session.as_bytes()], |row| row.get(0))? {
            continue;
        }
        let state = state.flatten().map(|state| serde_json::from_str::<Session>(&state));
        let session = state.transpose()?;
        let found = holder::find(&dir)?.into_iter();
        unknown.extend(found.filter(|run| !is_known(session.as_ref(), run)));
    }
    Ok(unknown)
}

/// The runs of all sessions: each session has a directory for its own.
fn found_in(runs: &Path) -> std::io::Result<Vec<FoundRun>> {
    let mut found = Vec::new();
    for session in directories(runs)? {
        found.extend(holder::find(&session)?);
    }
    Ok(found)
}

fn directories(dir: &Path) -> std::io::Result<Vec<PathBuf>> {
    let entries = match fs::read_dir(dir) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Vec::new()),
        entries => entries?,
    };
    let paths = entries.filter_map(|entry| entry.ok().map(|entry| entry.path()));
    Ok(paths.filter(|path| path.is_dir()).collect())
}

/// Directories among the runs in which no holder has ever been.
fn strange_directories(runs: &Path) -> Vec<String> {
    let sessions = directories(runs).unwrap_or_default();
    let paths = sessions.iter().flat_map(|session| directories(session).unwrap_or_default());
    let mut names: Vec<String> = paths
        .filter(|path| matches!(holder::look(path), Ok(None)))
        .filter_map(|path| Some(path.file_name()?.to_string_lossy().into_owned()))
        .collect();
    names.sort();
    names
}

/// On Linux the holder is reached by way of its open directory, so any length will do there.
fn socket(about: &Examination) -> Check {
    let (id, title) = ("socket_path", "Paths of sockets");
    if !cfg!(unix) {
        return Check::skipped(id, title, "the daemon holds runs itself here");
    }
    let name = uuid::Uuid::nil().to_string();
    let path = about.runs.join(&name).join(&name).join(holder::SOCKET);
    let length = path.as_os_str().len();
    if length <= LONGEST_SOCKET {
        return Check::ok(id, title, format!("{length} of {LONGEST_SOCKET} bytes"));
    }
    if Path::new("/proc/self/fd").exists() {
        let detail = format!("{length} bytes, reached through /proc");
        return Check::ok(id, title, detail);
    }
    let detail = format!("{length} bytes; {LONGEST_SOCKET} are possible");
    Check::fail(id, title, detail, "Choose a data directory with a shorter path.")
}
