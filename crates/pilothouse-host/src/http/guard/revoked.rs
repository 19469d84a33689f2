//! Logins that were ended before their time. Kept in a file, so that a restart does not bring them
//! back; each only until it would have expired anyway.

use std::collections::HashMap;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use jiff::Timestamp;

use super::seal::{Login, LoginId};
use super::token::write_private_beside;

const FILE: &str = "ended-logins";

/// More than anybody ends by hand. Then only a new token helps, and it does.
const MOST: usize = 4096;

#[derive(Debug)]
pub(super) struct Revoked {
    path: PathBuf,
    ended: Mutex<HashMap<LoginId, Timestamp>>,
}

impl Revoked {
    pub(super) fn load(data_dir: &Path, now: Timestamp) -> io::Result<Self> {
        let path = data_dir.join(FILE);
        let text = match fs::read_to_string(&path) {
            Ok(text) => text,
            Err(error) if error.kind() == io::ErrorKind::NotFound => String::new(),
            Err(error) => return Err(error),
        };
        let ended = text.lines().filter_map(line).filter(|(_, until)| *until > now);
        let ended = Mutex::new(ended.take(MOST).collect());
        Ok(Self { path, ended })
    }

    pub(super) fn has(&self, login: &Login) -> bool {
        self.ended.lock().unwrap_or_else(PoisonError::into_inner).contains_key(&login.id)
    }

    /// Ends a login at once, and for good when this returns well. Blocks for a file.
    pub(super) fn add(&self, login: &Login, now: Timestamp) -> io::Result<()> {
        let mut ended = self.ended.lock().unwrap_or_else(PoisonError::into_inner);
        ended.retain(|_, until| *until > now);
        if ended.len() >= MOST {
            return Err(io::Error::other("too many logins were ended: replace the token"));
        }
        ended.insert(login.id, login.expires);
        self.write(&ended)
    }

    /// Forgets all: a new token ends every login that there was.
    pub(super) fn clear(&self) -> io::Result<()> {
        let mut ended = self.ended.lock().unwrap_or_else(PoisonError::into_inner);
        ended.clear();
        self.write(&ended)
    }

    fn write(&self, ended: &HashMap<LoginId, Timestamp>) -> io::Result<()> {
        let lines: String =
            ended.iter().map(|(id, until)| format!("{id} {}\n", until.as_second())).collect();
        let beside = write_private_beside(&self.path, lines.as_bytes())?;
        fs::rename(&beside, &self.path)
    }
}

fn line(text: &str) -> Option<(LoginId, Timestamp)> {
    let (id, until) = text.split_once(' ')?;
    let id = u64::from_str_radix(id, 16).ok()?.to_be_bytes();
    Some((LoginId(id), Timestamp::from_second(until.parse().ok()?).ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_ended_login_stays_ended_until_it_would_have_expired() {
        let dir = tempfile::tempdir().unwrap();
        let at = |second| Timestamp::from_second(second).unwrap();
        let login = Login {
            id: LoginId([0, 1, 2, 3, 4, 5, 6, 255]),
            name: String::new(),
            expires: at(100),
        };
        let revoked = Revoked::load(dir.path(), at(0)).unwrap();
        assert!(!revoked.has(&login));
        revoked.add(&login, at(0)).unwrap();
        assert!(revoked.has(&login));
        assert!(Revoked::load(dir.path(), at(99)).unwrap().has(&login));
        assert!(!Revoked::load(dir.path(), at(100)).unwrap().has(&login));
    }
}
