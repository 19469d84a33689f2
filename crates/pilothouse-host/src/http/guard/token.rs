//! The token: 32 random bytes in a file that only its owner can read.

use std::fmt;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use subtle::ConstantTimeEq;

/// The name of the file in the data directory.
pub const TOKEN_FILE: &str = "token";

const BYTES: usize = 32;

/// Begins every new token, so that scanners for leaked secrets can find it. It also keeps what is
/// shown of half-written text the same for every daemon: the redactor holds back an end of text that
/// could begin a secret, and a random first letter would make that a random letter.
const PREFIX: &str = "ph_";

/// Who knows it may do everything. Never shown by `Debug`.
#[derive(Clone, PartialEq, Eq)]
pub struct Token {
    text: String,
}

/// Why there is no token.
#[derive(Debug, thiserror::Error)]
pub enum TokenError {
    /// The file can be read by others.
    #[error(
        "{path} can be read by others (mode {mode:03o}), so the token in it may be known: delete \
         it, and a new one is made at the next start; programs then need the new one"
    )]
    Exposed {
        /// The file.
        path: PathBuf,
        /// Its mode.
        mode: u32,
    },
    /// The file belongs to somebody else.
    #[error(
        "{path} belongs to another user: start the daemon as that user, or choose another data directory"
    )]
    NotOurs {
        /// The file.
        path: PathBuf,
    },
    /// There is something else in its place.
    #[error(
        "{path} is not a file with a token: delete it, and a new one is made at the next start"
    )]
    Malformed {
        /// The file.
        path: PathBuf,
    },
    /// The file could not be read or written.
    #[error("{path}: {source}: check that the directory exists and may be written")]
    File {
        /// The file.
        path: PathBuf,
        /// What the system says.
        source: io::Error,
    },
    /// The system gave no random bytes.
    #[error("the system gives no random bytes ({0}): a token cannot be made without")]
    Random(getrandom::Error),
}

impl Token {
    /// The token in a data directory. Makes one, and the directory, if there is none.
    pub fn load_or_create(data_dir: &Path) -> Result<Self, TokenError> {
        let path = data_dir.join(TOKEN_FILE);
        if let Some(token) = read(&path)? {
            return Ok(token);
        }
        let token = Self::random()?;
        create_dir(data_dir)
            .map_err(|source| TokenError::File { path: data_dir.into(), source })?;
        let placed = write_private_beside(&path, &token.line()).and_then(|beside| {
            // A link, not a rename: whoever is first has made it, and it is never half written.
            let linked = fs::hard_link(&beside, &path);
            fs::remove_file(&beside)?;
            linked.and_then(|()| sync_parent(&path))
        });
        match placed {
            Ok(()) => Ok(token),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
                let unreadable = || TokenError::Malformed { path: path.clone() };
                read(&path)?.ok_or_else(unreadable)
            }
            Err(source) => Err(TokenError::File { path, source }),
        }
    }

    /// Replaces the token in a data directory. Whoever had the old one is out, logins included.
    pub fn replace(data_dir: &Path) -> Result<Self, TokenError> {
        let token = Self::put_in_place(data_dir)?;
        Self::sync(data_dir)?;
        Ok(token)
    }

    /// Replaces the token file. A power loss may bring the old one back until [`sync`](Self::sync)
    /// has returned.
    pub(super) fn put_in_place(data_dir: &Path) -> Result<Self, TokenError> {
        let path = data_dir.join(TOKEN_FILE);
        let token = Self::random()?;
        create_dir(data_dir)
            .and_then(|()| rename_private(&path, &token.line()))
            .map_err(|source| TokenError::File { path, source })?;
        Ok(token)
    }

    /// Makes the last replacement survive a power loss.
    pub(super) fn sync(data_dir: &Path) -> Result<(), TokenError> {
        let path = data_dir.join(TOKEN_FILE);
        sync_parent(&path).map_err(|source| TokenError::File { path, source })
    }

    /// The content of the token file.
    fn line(&self) -> Vec<u8> {
        format!("{}\n", self.text).into_bytes()
    }

    fn random() -> Result<Self, TokenError> {
        let random = random_text::<BYTES>().map_err(TokenError::Random)?;
        Ok(Self { text: format!("{PREFIX}{random}") })
    }

    /// What programs send. Do not log it.
    pub fn reveal(&self) -> &str {
        &self.text
    }

    /// Whether this is it, in a time that does not depend on how much of it is right.
    pub(super) fn is(&self, told: &str) -> bool {
        self.text.as_bytes().ct_eq(told.as_bytes()).into()
    }
}

impl fmt::Debug for Token {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Token(…)")
    }
}

/// So many random bytes, in letters that need no quoting anywhere.
pub(super) fn random_text<const N: usize>() -> Result<String, getrandom::Error> {
    let mut bytes = [0; N];
    getrandom::fill(&mut bytes)?;
    Ok(URL_SAFE_NO_PAD.encode(bytes))
}

fn read(path: &Path) -> Result<Option<Token>, TokenError> {
    let failed = |source| TokenError::File { path: path.into(), source };
    let malformed = || TokenError::Malformed { path: path.into() };
    let mut options = OpenOptions::new();
    options.read(true);
    let mut file = match no_links(&mut options).open(path) {
        Ok(file) => file,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) if is_link(&error) => return Err(malformed()),
        Err(error) => return Err(failed(error)),
    };
    check_private(&file, path)?;
    let mut text = String::new();
    match (&mut file).take(256).read_to_string(&mut text) {
        Ok(_) => {}
        Err(error) if error.kind() == io::ErrorKind::InvalidData => return Err(malformed()),
        Err(error) => return Err(failed(error)),
    }
    let text = text.trim();
    // Tokens made by earlier versions have no prefix.
    match URL_SAFE_NO_PAD.decode(text.strip_prefix(PREFIX).unwrap_or(text)) {
        Ok(bytes) if bytes.len() == BYTES => Ok(Some(Token { text: text.to_owned() })),
        _ => Err(malformed()),
    }
}

/// Replaces a file that only its owner can read, atomically. Once this has returned, a power loss
/// does not bring the old content back.
pub(super) fn replace_private(path: &Path, bytes: &[u8]) -> io::Result<()> {
    rename_private(path, bytes)?;
    sync_parent(path)
}

fn rename_private(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let beside = write_private_beside(path, bytes)?;
    fs::rename(&beside, path).inspect_err(|_| {
        let _ = fs::remove_file(&beside);
    })
}

/// Writes to a new file next to `path` that only its owner can read.
fn write_private_beside(path: &Path, bytes: &[u8]) -> io::Result<PathBuf> {
    let mut name = path.as_os_str().to_owned();
    name.push(format!(".{}", random_text::<8>().map_err(io::Error::other)?));
    let beside = PathBuf::from(name);
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    let mut file = private(&mut options).open(&beside)?;
    let written = file.write_all(bytes).and_then(|()| file.sync_all());
    written.inspect_err(|_| {
        let _ = fs::remove_file(&beside);
    })?;
    Ok(beside)
}

/// Makes the name of a file durable. A rename or a link is an entry of the directory, which a sync
/// of the file itself does not write: after a power loss the old entry may be back.
#[cfg(unix)]
fn sync_parent(path: &Path) -> io::Result<()> {
    let dir = path.parent().filter(|dir| !dir.as_os_str().is_empty());
    File::open(dir.unwrap_or(Path::new(".")))?.sync_all()
}

#[cfg(unix)]
fn create_dir(path: &Path) -> io::Result<()> {
    use std::os::unix::fs::DirBuilderExt;
    fs::DirBuilder::new().recursive(true).mode(0o700).create(path)
}

#[cfg(unix)]
fn private(options: &mut OpenOptions) -> &mut OpenOptions {
    use std::os::unix::fs::OpenOptionsExt;
    options.mode(0o600)
}

#[cfg(unix)]
fn no_links(options: &mut OpenOptions) -> &mut OpenOptions {
    use std::os::unix::fs::OpenOptionsExt;
    // Not blocking either: a pipe in its place would hold up the start for ever.
    let flags = rustix::fs::OFlags::NOFOLLOW | rustix::fs::OFlags::NONBLOCK;
    options.custom_flags(flags.bits().cast_signed())
}

/// What a link gets when links are not followed.
#[cfg(unix)]
fn is_link(error: &io::Error) -> bool {
    error.raw_os_error() == Some(rustix::io::Errno::LOOP.raw_os_error())
}

#[cfg(unix)]
pub(super) fn check_private(file: &File, path: &Path) -> Result<(), TokenError> {
    use std::os::unix::fs::MetadataExt;
    let meta = file.metadata().map_err(|source| TokenError::File { path: path.into(), source })?;
    if !meta.is_file() {
        return Err(TokenError::Malformed { path: path.into() });
    }
    if meta.uid() != rustix::process::geteuid().as_raw() {
        return Err(TokenError::NotOurs { path: path.into() });
    }
    let mode = meta.mode() & 0o777;
    if mode & 0o077 != 0 {
        return Err(TokenError::Exposed { path: path.into(), mode });
    }
    Ok(())
}

/// A directory cannot be opened as a file here; a rename is durable by itself.
#[cfg(not(unix))]
fn sync_parent(_: &Path) -> io::Result<()> {
    Ok(())
}

#[cfg(not(unix))]
fn create_dir(path: &Path) -> io::Result<()> {
    fs::create_dir_all(path)
}

#[cfg(not(unix))]
fn private(options: &mut OpenOptions) -> &mut OpenOptions {
    options
}

#[cfg(not(unix))]
fn no_links(options: &mut OpenOptions) -> &mut OpenOptions {
    options
}

#[cfg(not(unix))]
fn is_link(_: &io::Error) -> bool {
    false
}

// Without modes, the directory of the user is what keeps others out.
#[cfg(not(unix))]
pub(super) fn check_private(file: &File, path: &Path) -> Result<(), TokenError> {
    match file.metadata() {
        Ok(meta) if meta.is_file() => Ok(()),
        Ok(_) => Err(TokenError::Malformed { path: path.into() }),
        Err(source) => Err(TokenError::File { path: path.into(), source }),
    }
}
