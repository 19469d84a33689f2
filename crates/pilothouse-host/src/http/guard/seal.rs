//! Logins as a browser keeps them: signed, not stored, so that they outlive the daemon.
//!
//! The key is derived from the token. A new token ends all logins.

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use hmac::{Hmac, KeyInit, Mac};
use jiff::Timestamp;
use sha2::Sha256;

use super::token::Token;

/// So that what is signed here can be mistaken for nothing that is signed elsewhere.
const KEY: &[u8] = b"pilothouse/login-cookie/key/1";
const VERSION: u8 = 1;
const ID: usize = 8;

/// Longer ones are not ours.
const MOST: usize = 512;

/// A browser that has logged in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Login {
    pub(super) id: LoginId,
    /// What its owner calls it; may be empty.
    pub(super) name: String,
    pub(super) expires: Timestamp,
}

/// Names a login.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct LoginId(pub(super) [u8; ID]);

/// Why a cookie is worth nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Unsealed {
    /// It was not made here, or with another token, or was changed.
    Forged,
    /// Its time is over.
    Expired,
}

impl LoginId {
    pub(super) fn random() -> Result<Self, getrandom::Error> {
        let mut id = [0; ID];
        getrandom::fill(&mut id)?;
        Ok(Self(id))
    }
}

impl std::fmt::Display for LoginId {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

/// Signs logins and knows its own signature.
#[derive(Clone)]
pub(super) struct Seal(Hmac<Sha256>);

impl Seal {
    pub(super) fn new(token: &Token) -> Self {
        let derived = keyed(token.reveal().as_bytes()).chain_update(KEY).finalize();
        Self(keyed(&derived.into_bytes()))
    }

    pub(super) fn seal(&self, login: &Login) -> String {
        let mut bytes = vec![VERSION];
        bytes.extend_from_slice(&login.id.0);
        bytes.extend_from_slice(&login.expires.as_second().to_be_bytes());
        bytes.extend_from_slice(login.name.as_bytes());
        let mac = self.0.clone().chain_update(&bytes).finalize().into_bytes();
        format!("{}.{}", URL_SAFE_NO_PAD.encode(&bytes), URL_SAFE_NO_PAD.encode(mac))
    }

    pub(super) fn open(&self, text: &str, now: Timestamp) -> Result<Login, Unsealed> {
        let login = self.genuine(text).ok_or(Unsealed::Forged)?;
        if login.expires <= now { Err(Unsealed::Expired) } else { Ok(login) }
    }

    fn genuine(&self, text: &str) -> Option<Login> {
        if text.len() > MOST {
            return None;
        }
        let (bytes, mac) = text.split_once('.')?;
        let bytes = URL_SAFE_NO_PAD.decode(bytes).ok()?;
        let mac = URL_SAFE_NO_PAD.decode(mac).ok()?;
        // Compares in constant time. Nothing is read from what is not ours.
        self.0.clone().chain_update(&bytes).verify_slice(&mac).ok()?;
        let (&version, rest) = bytes.split_first()?;
        let (id, rest) = rest.split_first_chunk::<ID>()?;
        let (expires, name) = rest.split_first_chunk::<8>()?;
        if version != VERSION {
            return None;
        }
        Some(Login {
            id: LoginId(*id),
            name: String::from_utf8(name.to_vec()).ok()?,
            expires: Timestamp::from_second(i64::from_be_bytes(*expires)).ok()?,
        })
    }
}

/// With a key of at most a block, which both of ours are: filled up with zeros, as HMAC says.
fn keyed(key: &[u8]) -> Hmac<Sha256> {
    let mut block = [0_u8; 64];
    for (to, from) in block.iter_mut().zip(key) {
        *to = *from;
    }
    Hmac::new(&block.into())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn login(expires: i64) -> Login {
        Login {
            id: LoginId([1, 2, 3, 4, 5, 6, 7, 0xab]),
            name: "phone".into(),
            expires: Timestamp::from_second(expires).unwrap(),
        }
    }

    #[test]
    fn a_login_comes_back_until_its_time_is_over() {
        let dir = tempfile::tempdir().unwrap();
        let token = Token::load_or_create(dir.path()).unwrap();
        let text = Seal::new(&token).seal(&login(1000));
        let at = |second| Seal::new(&token).open(&text, Timestamp::from_second(second).unwrap());
        assert_eq!(at(999), Ok(login(1000)));
        assert_eq!(at(1000), Err(Unsealed::Expired));
        let other = Seal::new(&Token::replace(dir.path()).unwrap());
        assert_eq!(other.open(&text, Timestamp::UNIX_EPOCH), Err(Unsealed::Forged));
    }

    #[test]
    fn no_byte_can_be_changed_added_or_left_out() {
        let dir = tempfile::tempdir().unwrap();
        let seal = Seal::new(&Token::load_or_create(dir.path()).unwrap());
        let text = seal.seal(&login(1000));
        let forged = |text: &str| {
            assert_eq!(seal.open(text, Timestamp::UNIX_EPOCH), Err(Unsealed::Forged), "{text}");
        };
        for at in 0..text.len() {
            let mut bytes = text.clone().into_bytes();
            bytes[at] = if bytes[at] == b'A' { b'B' } else { b'A' };
            forged(&String::from_utf8(bytes).unwrap());
            forged(&text[..at]);
        }
        forged(&format!("{text}A"));
        forged(&format!("A{text}"));
    }
}
