//! The logins of browsers, kept in a file of the data directory.
//!
//! - A login that is not in the store is not valid, so one that has ended never comes back.
//! - A login ends when its owner ends it, at its expiry, after a time without use, when the token
//!   is replaced, or when there are too many: then the one that was not used for longest ends.
//! - The file is private to its owner and is replaced atomically and durably. It holds a hash of
//!   each cookie, and the key of each page, which is needed to verify proofs. It is tied to the
//!   token: another token makes all of it void.

use std::fmt;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use subtle::ConstantTimeEq;

use super::limits::LoginTerms;
use super::proof::PageKey;
use super::token::{Token, check_private, random_text, replace_private};
use crate::private::open_regular;

const FILE: &str = "logins.json";

const VERSION: u32 = 1;

/// A larger file is not ours.
const LARGEST: u64 = 1 << 20;

/// The time of the last use is this coarse, so that requests seldom write the file.
const COARSE: Duration = Duration::from_secs(5 * 60);

/// A browser that has logged in.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Login {
    pub(super) id: LoginId,
    /// What its owner calls it; may be empty.
    pub(super) name: String,
    /// The origin of the page that has logged in: `http://127.0.0.1:7717`.
    pub(super) origin: String,
    pub(super) created_at: Timestamp,
    pub(super) last_used_at: Timestamp,
    pub(super) expires_at: Timestamp,
    cookie: CookieHash,
    pub(super) key: PageKey,
}

/// A login that begins, with the value of its cookie, which is not stored.
pub(super) struct NewLogin {
    pub(super) login: Login,
    pub(super) cookie: String,
}

/// The number of times that the token was replaced in this run. A login is rejected if the token was
/// replaced after its link was made.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Generation(u64);

/// The outcome of adding a login.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Added {
    /// It has begun.
    Begun {
        /// Ended to make room.
        evicted: Vec<Login>,
    },
    /// The token was replaced since: nothing was added.
    Outdated,
}

/// Identifies a login.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(into = "String", try_from = "String")]
pub(super) struct LoginId([u8; 8]);

/// The hash of a cookie's value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct CookieHash([u8; 32]);

impl CookieHash {
    fn of(cookie: &str) -> Self {
        Self(Sha256::digest(cookie.as_bytes()).into())
    }
}

impl LoginId {
    fn random() -> Result<Self, getrandom::Error> {
        let mut id = [0; 8];
        getrandom::fill(&mut id)?;
        Ok(Self(id))
    }

    pub(super) fn parse(text: &str) -> Option<Self> {
        let fits = text.len() == 16 && text.bytes().all(|b| b.is_ascii_hexdigit());
        fits.then(|| u64::from_str_radix(text, 16).ok().map(|id| Self(id.to_be_bytes())))?
    }
}

impl fmt::Display for LoginId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:016x}", u64::from_be_bytes(self.0))
    }
}

impl From<LoginId> for String {
    fn from(id: LoginId) -> Self {
        id.to_string()
    }
}

impl TryFrom<String> for LoginId {
    type Error = &'static str;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        Self::parse(&text).ok_or("not the id of a login")
    }
}

impl Login {
    /// A login that begins now.
    pub(super) fn begin(
        name: String,
        origin: String,
        life: Duration,
        now: Timestamp,
    ) -> Result<NewLogin, getrandom::Error> {
        let cookie = random_text::<32>()?;
        let login = Self {
            id: LoginId::random()?,
            name,
            origin,
            created_at: now,
            last_used_at: now,
            expires_at: after(now, life),
            cookie: CookieHash::of(&cookie),
            key: PageKey::random()?,
        };
        Ok(NewLogin { login, cookie })
    }

    /// When it ends if it is not used before.
    pub(super) fn ends_at(&self, idle: Duration) -> Timestamp {
        self.expires_at.min(after(self.last_used_at, idle))
    }
}

fn after(start: Timestamp, time: Duration) -> Timestamp {
    let time = SignedDuration::try_from(time).unwrap_or(SignedDuration::MAX);
    start.checked_add(time).unwrap_or(Timestamp::MAX)
}

/// All logins.
pub(super) struct Logins {
    path: PathBuf,
    terms: LoginTerms,
    kept: Mutex<Kept>,
    /// Held while the file is written, so that the last state is written last.
    writing: Mutex<()>,
}

struct Kept {
    /// A hash of the token that these logins belong to.
    token: String,
    generation: Generation,
    logins: Vec<Login>,
    /// Whether the file does not have the current state.
    is_unsaved: bool,
}

#[derive(Deserialize)]
struct Stored {
    version: u32,
    token: String,
    logins: Vec<Login>,
}

#[derive(Serialize)]
struct ToStore<'a> {
    version: u32,
    token: &'a str,
    logins: &'a [Login],
}

impl Logins {
    /// Reads the logins of this token. A file that cannot be used is the same as none: browsers
    /// log in again.
    pub(super) fn open(data_dir: &Path, token: &Token, terms: LoginTerms, now: Timestamp) -> Self {
        let path = data_dir.join(FILE);
        let token = tag(token);
        let stored = read(&path).unwrap_or_else(|reason| {
            tracing::warn!(%reason, path = %path.display(), "all logins end: log in again");
            None
        });
        let fits = |stored: &Stored| stored.version == VERSION && stored.token == token;
        let mut logins = stored.filter(fits).map(|it| it.logins).unwrap_or_default();
        logins.retain(|login| login.ends_at(terms.login_idle) > now);
        logins.truncate(terms.logins.max(1));
        let generation = Generation::default();
        let kept = Mutex::new(Kept { token, generation, logins, is_unsaved: false });
        Self { path, terms, kept, writing: Mutex::default() }
    }

    fn kept(&self) -> MutexGuard<'_, Kept> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The current generation. To be read before a request is authenticated: if the token is
    /// replaced meanwhile, what the request makes is of the old one.
    pub(super) fn generation(&self) -> Generation {
        self.kept().generation
    }

    /// The login of a cookie, if it has not ended.
    pub(super) fn find(&self, cookie: &str, now: Timestamp) -> Option<Login> {
        let hash = CookieHash::of(cookie);
        let kept = self.kept();
        let found = kept.logins.iter().find(|login| login.cookie.0.ct_eq(&hash.0).into())?;
        (found.ends_at(self.terms.login_idle) > now).then(|| found.clone())
    }

    pub(super) fn has(&self, id: LoginId) -> bool {
        self.kept().logins.iter().any(|login| login.id == id)
    }

    /// The logins that have not ended, the last used first.
    pub(super) fn list(&self, now: Timestamp) -> Vec<Login> {
        let mut logins = self.kept().logins.clone();
        logins.retain(|login| login.ends_at(self.terms.login_idle) > now);
        logins.sort_by_key(|login| std::cmp::Reverse((login.last_used_at, login.created_at)));
        logins
    }

    /// Adds a login whose link was made in `generation`, in place of another one of the same browser
    /// if there is one. If this fails, nothing has changed. Blocks for a file.
    pub(super) fn add(
        &self,
        login: Login,
        replaced: Option<LoginId>,
        generation: Generation,
        now: Timestamp,
    ) -> io::Result<Added> {
        let _one_at_a_time = self.writing();
        let (text, evicted) = {
            let mut kept = self.kept();
            if kept.generation != generation {
                return Ok(Added::Outdated);
            }
            let mut logins = kept.logins.clone();
            logins.retain(|login| {
                Some(login.id) != replaced && login.ends_at(self.terms.login_idle) > now
            });
            let mut evicted = Vec::new();
            while logins.len() >= self.terms.logins.max(1) {
                let longest = logins.iter().enumerate().min_by_key(|(_, it)| it.last_used_at);
                let Some((at, _)) = longest else { break };
                evicted.push(logins.remove(at));
            }
            logins.push(login.clone());
            kept.is_unsaved = false;
            (to_store(&kept.token, &logins)?, evicted)
        };
        // First the file: a login that cannot be stored must not end others.
        self.write(&text)?;
        let mut kept = self.kept();
        if kept.generation != generation {
            return Ok(Added::Outdated);
        }
        // Nobody else adds meanwhile, but logins may have been used or ended.
        kept.logins.retain(|it| {
            Some(it.id) != replaced
                && evicted.iter().all(|evicted| evicted.id != it.id)
                && it.ends_at(self.terms.login_idle) > now
        });
        kept.logins.push(login);
        Ok(Added::Begun { evicted })
    }

    /// Changes the name of a login. Returns `None` if there is no such login. Blocks for a file.
    pub(super) fn rename(&self, id: LoginId, name: String) -> io::Result<Option<Login>> {
        let renamed = {
            let mut kept = self.kept();
            let Some(login) = kept.logins.iter_mut().find(|login| login.id == id) else {
                return Ok(None);
            };
            login.name = name;
            let renamed = login.clone();
            kept.is_unsaved = true;
            renamed
        };
        self.save().map(|()| Some(renamed))
    }

    /// Ends a login at once, and for good if this returns well: call it again otherwise. Returns
    /// whether there was one. Blocks for a file.
    pub(super) fn end(&self, id: LoginId) -> io::Result<bool> {
        let is_ended = {
            let mut kept = self.kept();
            let before = kept.logins.len();
            kept.logins.retain(|login| login.id != id);
            let is_ended = kept.logins.len() < before;
            kept.is_unsaved |= is_ended;
            is_ended
        };
        self.save().map(|()| is_ended)
    }

    /// Ends all logins: from now on they belong to another token. Blocks for a file.
    pub(super) fn clear(&self, token: &Token) -> io::Result<()> {
        {
            let mut kept = self.kept();
            let generation = Generation(kept.generation.0 + 1);
            let (token, logins) = (tag(token), Vec::new());
            *kept = Kept { token, generation, logins, is_unsaved: true };
        }
        self.save()
    }

    /// Records that a login is used. Returns whether [`save`](Self::save) should be called.
    pub(super) fn touch(&self, id: LoginId, now: Timestamp) -> bool {
        let coarse = COARSE.min(self.terms.login_idle / 4);
        let mut kept = self.kept();
        let Some(login) = kept.logins.iter_mut().find(|login| login.id == id) else { return false };
        if after(login.last_used_at, coarse) > now {
            return false;
        }
        login.last_used_at = now;
        kept.is_unsaved = true;
        true
    }

    /// Writes the file if it does not have the current state.
    pub(super) fn save(&self) -> io::Result<()> {
        let _one_at_a_time = self.writing();
        let text = {
            let mut kept = self.kept();
            if !kept.is_unsaved {
                return Ok(());
            }
            kept.is_unsaved = false;
            to_store(&kept.token, &kept.logins)?
        };
        self.write(&text)
    }

    fn writing(&self) -> MutexGuard<'_, ()> {
        self.writing.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Call it with [`writing`](Self::writing) held.
    fn write(&self, text: &[u8]) -> io::Result<()> {
        replace_private(&self.path, text).inspect_err(|_| self.kept().is_unsaved = true)
    }
}

fn to_store(token: &str, logins: &[Login]) -> io::Result<Vec<u8>> {
    Ok(serde_json::to_vec(&ToStore { version: VERSION, token, logins })?)
}

/// A name for a token that does not reveal it.
fn tag(token: &Token) -> String {
    let hash = Sha256::new().chain_update(b"pilothouse/logins/1\n").chain_update(token.reveal());
    hash.finalize().iter().map(|byte| format!("{byte:02x}")).collect()
}

fn read(path: &Path) -> Result<Option<Stored>, String> {
    let mut file = match open_regular(path) {
        Ok(file) => file,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(error.to_string()),
    };
    // Whoever could read it may know the keys.
    check_private(&file, path).map_err(|error| error.to_string())?;
    let mut text = String::new();
    (&mut file).take(LARGEST).read_to_string(&mut text).map_err(|error| error.to_string())?;
    serde_json::from_str(&text).map(Some).map_err(|error| error.to_string())
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    const DAY: Duration = Duration::from_secs(24 * 60 * 60);

    struct Bed {
        dir: tempfile::TempDir,
        token: Token,
    }

    impl Bed {
        fn new() -> Self {
            // In memory where that is possible: each change is written through to the disk.
            let dir = tempfile::tempdir_in("/dev/shm").or_else(|_| tempfile::tempdir()).unwrap();
            let token = Token::load_or_create(dir.path()).unwrap();
            Self { dir, token }
        }

        fn open(&self, now: Timestamp) -> Logins {
            Logins::open(self.dir.path(), &self.token, terms(), now)
        }

        fn path(&self) -> PathBuf {
            self.dir.path().join(FILE)
        }
    }

    fn terms() -> LoginTerms {
        LoginTerms { logins: 3, ..LoginTerms::default() }
    }

    fn day(number: u32) -> Timestamp {
        after(Timestamp::UNIX_EPOCH, DAY * number)
    }

    fn add(logins: &Logins, name: &str, now: Timestamp) -> (LoginId, String) {
        let origin = "http://127.0.0.1:7717".to_owned();
        let new = Login::begin(name.into(), origin, terms().login_life, now).unwrap();
        let id = new.login.id;
        logins.add(new.login, None, logins.generation(), now).unwrap();
        (id, new.cookie)
    }

    #[test]
    fn a_login_outlives_the_daemon_and_ends_by_expiry_or_disuse() {
        let bed = Bed::new();
        let (id, cookie) = add(&bed.open(day(0)), "phone", day(0));
        assert_eq!(bed.open(day(6)).find(&cookie, day(6)).unwrap().name, "phone");
        assert_eq!(bed.open(day(6)).find(&cookie, day(7)), None, "not used for 7 days");
        assert_eq!(bed.open(day(7)).list(day(6)), [], "forgotten when it is opened");
        // In use it lasts for its life, and no longer.
        let logins = bed.open(day(0));
        for now in (5..30).step_by(5).map(day) {
            assert!(logins.touch(id, now));
            logins.save().unwrap();
        }
        let logins = bed.open(day(29));
        assert!(logins.find(&cookie, day(29)).is_some());
        assert_eq!(logins.find(&cookie, day(30)), None);
    }

    #[test]
    fn use_is_written_down_now_and_then() {
        let bed = Bed::new();
        let logins = bed.open(day(0));
        let (id, _) = add(&logins, "", day(0));
        assert!(!logins.touch(id, after(day(0), COARSE - Duration::from_secs(1))));
        assert!(logins.touch(id, after(day(0), COARSE)));
        assert!(!logins.touch(id, after(day(0), COARSE)));
        assert_eq!(logins.list(day(1))[0].last_used_at, after(day(0), COARSE));
    }

    #[test]
    fn ended_login_stays_ended() {
        let bed = Bed::new();
        let mut logins = bed.open(day(0));
        let mut ended = Vec::new();
        // More often than a list of ended logins of any sensible length could remember.
        for number in 0..4_200 {
            let (id, cookie) = add(&logins, "", day(0));
            assert!(logins.end(id).unwrap());
            assert!(!logins.end(id).unwrap());
            assert_eq!(logins.find(&cookie, day(0)), None);
            ended.push(cookie);
            if number % 1_000 == 0 {
                logins = bed.open(day(0));
            }
        }
        let logins = bed.open(day(0));
        assert!(ended.iter().all(|cookie| logins.find(cookie, day(0)).is_none()));
    }

    #[test]
    fn the_longest_unused_login_makes_room() {
        let bed = Bed::new();
        let logins = bed.open(day(0));
        let first = add(&logins, "a", day(0)).0;
        add(&logins, "b", day(1));
        add(&logins, "c", day(2));
        assert!(logins.touch(first, day(3)));
        let new = Login::begin("d".into(), String::new(), terms().login_life, day(3)).unwrap();
        let added = logins.add(new.login, None, logins.generation(), day(3)).unwrap();
        let Added::Begun { evicted } = added else { panic!("{added:?}") };
        assert_eq!(evicted.iter().map(|login| &*login.name).collect::<Vec<_>>(), ["b"]);
        let names = |logins: &Logins| {
            let list = logins.list(day(3));
            list.into_iter().map(|login| login.name).collect::<String>().len()
        };
        assert_eq!((names(&logins), names(&bed.open(day(3)))), (3, 3));
    }

    /// Fails every write by putting a directory in the place of the file.
    fn block(bed: &Bed) -> PathBuf {
        let aside = bed.dir.path().join("aside");
        fs::rename(bed.path(), &aside).unwrap();
        fs::create_dir(bed.path()).unwrap();
        aside
    }

    fn unblock(bed: &Bed, aside: &Path) {
        fs::remove_dir(bed.path()).unwrap();
        fs::rename(aside, bed.path()).unwrap();
    }

    #[test]
    fn keeps_all_logins_when_a_new_one_cannot_be_stored() {
        let bed = Bed::new();
        let logins = bed.open(day(0));
        let cookies = ["a", "b", "c"].map(|name| add(&logins, name, day(0)).1);
        let replaced = logins.list(day(0))[0].id;
        let aside = block(&bed);
        let new = Login::begin("d".into(), String::new(), terms().login_life, day(0)).unwrap();
        for replaced in [None, Some(replaced)] {
            logins.add(new.login.clone(), replaced, logins.generation(), day(0)).unwrap_err();
            assert!(cookies.iter().all(|cookie| logins.find(cookie, day(0)).is_some()));
            assert_eq!(logins.find(&new.cookie, day(0)), None);
        }
        unblock(&bed, &aside);
        // The file may have had the new login: the next save writes what holds.
        fs::remove_file(bed.path()).unwrap();
        logins.save().unwrap();
        assert_eq!(bed.open(day(0)).list(day(0)).len(), 3);
        let added = logins.add(new.login, Some(replaced), logins.generation(), day(0)).unwrap();
        assert_eq!(added, Added::Begun { evicted: Vec::new() }, "its own place is free");
        assert!(!logins.has(replaced));
    }

    #[test]
    fn another_token_ends_all_also_where_the_file_stays() {
        let bed = Bed::new();
        let (_, cookie) = add(&bed.open(day(0)), "", day(0));
        let before = fs::read(bed.path()).unwrap();
        let token = Token::replace(bed.dir.path()).unwrap();
        let logins = Logins::open(bed.dir.path(), &token, terms(), day(0));
        assert_eq!(logins.find(&cookie, day(0)), None);
        let logins = bed.open(day(0));
        logins.clear(&token).unwrap();
        assert_eq!(logins.find(&cookie, day(0)), None);
        fs::write(bed.path(), before).unwrap();
        let logins = Logins::open(bed.dir.path(), &token, terms(), day(0));
        assert_eq!(logins.find(&cookie, day(0)), None, "a file of before is void");
    }

    #[test]
    fn the_file_has_no_cookie_and_is_private() {
        let bed = Bed::new();
        let (_, cookie) = add(&bed.open(day(0)), "", day(0));
        let text = fs::read_to_string(bed.path()).unwrap();
        assert!(!text.contains(&cookie) && !text.contains(bed.token.reveal()), "{text}");
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            let mode = |path: &Path| path.metadata().unwrap().permissions().mode() & 0o777;
            assert_eq!(mode(&bed.path()), 0o600);
            fs::set_permissions(bed.path(), fs::Permissions::from_mode(0o644)).unwrap();
            assert_eq!(bed.open(day(0)).list(day(0)), [], "others could have read the keys");
        }
    }

    #[test]
    fn a_file_that_is_not_ours_ends_all_logins_and_is_replaced() {
        for text in ["", "{}", "[1]", r#"{"version":2,"token":"","logins":[]}"#] {
            let bed = Bed::new();
            drop(add(&bed.open(day(0)), "", day(0)));
            fs::write(bed.path(), text).unwrap();
            let logins = bed.open(day(0));
            assert_eq!(logins.list(day(0)), [], "{text}");
            let (_, cookie) = add(&logins, "", day(0));
            assert!(bed.open(day(0)).find(&cookie, day(0)).is_some());
        }
    }

    #[test]
    fn ids() {
        let id = LoginId([0, 1, 2, 3, 4, 5, 6, 255]);
        assert_eq!(id.to_string(), "00010203040506ff");
        assert_eq!(LoginId::parse("00010203040506ff"), Some(id));
        for text in ["", "0", "+0010203040506ff", "00010203040506fg", "000102030405060708"] {
            assert_eq!(LoginId::parse(text), None, "{text}");
        }
    }
}
