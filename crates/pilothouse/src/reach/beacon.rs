//! The file that tells where the daemon of a data directory can be reached.
//!
//! Whoever has the directory's lock writes it and takes it away again. One that was killed leaves it
//! behind: then nobody has the lock, and whoever takes it next removes the file first.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, Write};
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::path::{Path, PathBuf};

use pilothouse_host::data_dir::BEACON_FILE;
use pilothouse_host::http::guard::Tls;
use pilothouse_host::private::Private;
use serde::{Deserialize, Serialize};

use super::tls;

/// Locked by daemons that wait for the directory.
const NEXT: &str = "next";

/// Who serves a data directory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Keeper {
    /// A daemon.
    Daemon,
    /// A command such as `run`, as long as it takes.
    Command,
}

/// Where a daemon can be reached.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Beacon {
    /// Who it is.
    pub(crate) keeper: Keeper,
    /// Its process.
    pub(crate) pid: u32,
    /// Where it listens.
    pub(crate) addresses: Vec<SocketAddr>,
    /// It speaks TLS.
    pub(crate) tls: bool,
    /// With this certificate.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) certificate: Option<String>,
    /// Its version.
    pub(crate) version: String,
    /// What sessions run goes on without it.
    #[serde(default = "usually")]
    pub(crate) holds: bool,
}

/// So it was before this was told.
fn usually() -> bool {
    true
}

impl Beacon {
    /// That of this process.
    pub(crate) fn of(keeper: Keeper, addresses: Vec<SocketAddr>, tls: Option<&Tls>) -> Self {
        Self {
            keeper,
            pid: std::process::id(),
            addresses,
            tls: tls.is_some(),
            certificate: tls.map(|tls| tls::written(tls.certificate())),
            version: env!("CARGO_PKG_VERSION").to_owned(),
            holds: true,
        }
    }

    /// That of who serves a directory now, if anybody does.
    pub(crate) fn read(data_dir: &Path) -> Option<Self> {
        if !is_locked(data_dir) {
            return None;
        }
        serde_json::from_slice(&fs::read(data_dir.join(BEACON_FILE)).ok()?).ok()
    }

    /// Writes it, until what is returned is dropped.
    pub(crate) fn light(&self, data_dir: &Path) -> io::Result<Lit> {
        let path = data_dir.join(BEACON_FILE);
        let beside = data_dir.join(format!("{BEACON_FILE}.{}", self.pid));
        let mut options = OpenOptions::new();
        options.write(true).create(true).truncate(true).private();
        options.open(&beside)?.write_all(&serde_json::to_vec(self)?)?;
        fs::rename(&beside, &path)?;
        Ok(Lit(path))
    }

    /// Where this machine reaches it.
    pub(crate) fn address(&self) -> Option<SocketAddr> {
        let here = |address: &SocketAddr| match address.ip() {
            IpAddr::V4(ip) if ip.is_unspecified() => {
                SocketAddr::from((Ipv4Addr::LOCALHOST, address.port()))
            }
            IpAddr::V6(ip) if ip.is_unspecified() => {
                SocketAddr::from((Ipv6Addr::LOCALHOST, address.port()))
            }
            _ => *address,
        };
        let all = || self.addresses.iter().map(here);
        all().find(|address| address.ip().is_loopback()).or_else(|| all().next())
    }

    /// What becomes of sessions when it ends.
    pub(crate) fn without_it(&self) -> &'static str {
        match self.holds {
            true => "sessions go on",
            false => "what sessions run ends with it",
        }
    }

    /// What a browser on this machine calls it.
    pub(crate) fn origin(&self) -> Option<String> {
        let scheme = if self.tls { "https" } else { "http" };
        Some(format!("{scheme}://{}", self.address()?))
    }
}

/// A beacon that is there.
#[derive(Debug)]
pub(crate) struct Lit(PathBuf);

impl Drop for Lit {
    fn drop(&mut self) {
        let _ = fs::remove_file(&self.0);
    }
}

/// Whether somebody serves a directory.
pub(crate) fn is_locked(data_dir: &Path) -> bool {
    is_held(&data_dir.join("lock"), File::try_lock_shared)
}

/// A daemon that waits for a command to leave it the directory. While there is one, no command
/// begins to serve: whoever was a client of the one that leaves would be quicker, time and again.
#[derive(Debug)]
pub(crate) struct Claim {
    _file: File,
}

impl Claim {
    /// Claims the directory. Several may: one of them gets it.
    pub(crate) fn make(data_dir: &Path) -> io::Result<Self> {
        let mut options = OpenOptions::new();
        options.write(true).create(true).truncate(false).private();
        let file = options.open(data_dir.join(NEXT))?;
        file.lock_shared()?;
        Ok(Self { _file: file })
    }
}

/// Whether a daemon waits for the directory.
pub(super) fn is_claimed(data_dir: &Path) -> bool {
    is_held(&data_dir.join(NEXT), File::try_lock)
}

fn is_held(path: &Path, by_trying: fn(&File) -> Result<(), TryLockError>) -> bool {
    let Ok(file) = File::open(path) else { return false };
    // Given back at once, when the file is closed.
    matches!(by_trying(&file), Err(TryLockError::WouldBlock))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn beacon(addresses: &[&str]) -> Beacon {
        let addresses = addresses.iter().map(|address| address.parse().unwrap()).collect();
        Beacon::of(Keeper::Daemon, addresses, None)
    }

    #[test]
    fn it_counts_only_while_somebody_has_the_lock() {
        let dir = tempfile::tempdir().unwrap();
        let lock = File::create(dir.path().join("lock")).unwrap();
        let beacon = beacon(&["127.0.0.1:7717"]);
        let lit = beacon.light(dir.path()).unwrap();
        assert_eq!(Beacon::read(dir.path()), None);
        lock.try_lock().unwrap();
        assert_eq!(Beacon::read(dir.path()), Some(beacon));
        drop(lit);
        assert_eq!(Beacon::read(dir.path()), None);
    }

    #[test]
    fn a_claim_holds_as_long_as_it_is_there() {
        let dir = tempfile::tempdir().unwrap();
        assert!(!is_claimed(dir.path()));
        let claims = [Claim::make(dir.path()).unwrap(), Claim::make(dir.path()).unwrap()];
        assert!(is_claimed(dir.path()));
        drop(claims);
        assert!(!is_claimed(dir.path()));
    }

    #[test]
    fn it_is_reached_by_way_of_this_machine() {
        let address = |list: &[&str]| beacon(list).address().map(|address| address.to_string());
        assert_eq!(address(&["0.0.0.0:80"]).as_deref(), Some("127.0.0.1:80"));
        assert_eq!(address(&["[::]:80"]).as_deref(), Some("[::1]:80"));
        assert_eq!(address(&["10.0.0.1:1", "127.0.0.1:2"]).as_deref(), Some("127.0.0.1:2"));
        assert_eq!(address(&["10.0.0.1:1"]).as_deref(), Some("10.0.0.1:1"));
        assert_eq!(address(&[]), None);
    }
}
