//! Proofs that a request comes from the page that has logged in.
//!
//! Cookies are sent to every server on the same host, whatever its port. So a cookie alone is not
//! enough: at login the page also gets a key, which it keeps in `localStorage`, where pages of
//! other ports cannot read it. The page never sends the key. Each request carries an HMAC of its
//! method and path and of a challenge:
//!
//! - as the header `X-Pilothouse-Proof: CHALLENGE.MAC`, or
//! - for a WebSocket, where browsers can set no headers, as the offered subprotocol
//!   `proof.CHALLENGE.MAC`, which is never selected, hence never echoed.
//!
//! Challenges are made from random bytes of this run of the daemon and change every few minutes.
//! A server that takes the port while the daemon is down receives cookies and proofs, but no proof
//! that the next daemon accepts. The page learns the current challenge from the header
//! `X-Pilothouse-Challenge` of responses, also of a 401.
//!
//! What this cannot do: a server that holds the port can serve its own script at our origin, and
//! that script can use the key. Only TLS keeps such a server out.

use std::fmt;
use std::time::{Duration, Instant};

use axum::http::request::Parts;
use axum::http::{HeaderName, header};
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use hmac::{Hmac, KeyInit, Mac};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use sha2::{Digest, Sha256};

use super::origin::is_upgrade;
use crate::http::extract::one_header;
use crate::http::problem::Problem;

/// Carries the proof of a request.
pub(super) const PROOF: HeaderName = HeaderName::from_static("x-pilothouse-proof");

/// Carries the current challenge of a response.
pub(super) const CHALLENGE: HeaderName = HeaderName::from_static("x-pilothouse-challenge");

/// The subprotocol that the daemon selects when a client offers it.
pub(crate) const SUBPROTOCOL: &str = "pilothouse.1";

/// Begins the offered subprotocol that carries a proof.
const OFFER: &str = "proof.";

/// A challenge is current for this long, and accepted for twice as long.
const PERIOD: Duration = Duration::from_secs(5 * 60);

/// Longer proofs are not ours.
const MOST: usize = 128;

const KEY_BYTES: usize = 32;

/// The key of a page that has logged in. Never shown by `Debug`.
#[derive(Clone, PartialEq, Eq)]
pub(super) struct PageKey([u8; KEY_BYTES]);

impl PageKey {
    pub(super) fn random() -> Result<Self, getrandom::Error> {
        let mut bytes = [0; KEY_BYTES];
        getrandom::fill(&mut bytes)?;
        Ok(Self(bytes))
    }

    /// The key as the page gets it. Do not log it.
    pub(super) fn reveal(&self) -> String {
        URL_SAFE_NO_PAD.encode(self.0)
    }

    fn is_mac(&self, mac: &str, method: &str, path: &str, challenge: &str) -> bool {
        let Ok(mac) = URL_SAFE_NO_PAD.decode(mac) else { return false };
        let text = format!("pilothouse-proof-1\n{method}\n{path}\n{challenge}");
        // Compares in constant time.
        keyed(&self.0).chain_update(text).verify_slice(&mac).is_ok()
    }
}

impl fmt::Debug for PageKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("PageKey(…)")
    }
}

impl Serialize for PageKey {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.reveal())
    }
}

impl<'de> Deserialize<'de> for PageKey {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        let bytes = URL_SAFE_NO_PAD.decode(text).ok();
        let key = bytes.and_then(|bytes| bytes.try_into().ok()).map(Self);
        key.ok_or_else(|| serde::de::Error::custom("not a key of 32 bytes"))
    }
}

/// A proof as it was sent. Nothing of it is verified.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Proof<'r> {
    challenge: &'r str,
    mac: &'r str,
}

impl<'r> Proof<'r> {
    /// The proof of a request, or `None`.
    pub(super) fn of(parts: &'r Parts) -> Result<Option<Self>, Problem> {
        if let Some(text) = one_header(&parts.headers, &PROOF)? {
            return Ok(Self::parse(text));
        }
        if !is_upgrade(&parts.headers) {
            return Ok(None);
        }
        let offers = parts.headers.get_all(header::SEC_WEBSOCKET_PROTOCOL).iter();
        let mut offers = offers.filter_map(|value| value.to_str().ok()).flat_map(|v| v.split(','));
        Ok(offers.find_map(|offer| offer.trim().strip_prefix(OFFER)).and_then(Self::parse))
    }

    fn parse(text: &'r str) -> Option<Self> {
        let (challenge, mac) = text.split_once('.')?;
        (text.len() <= MOST).then_some(Self { challenge, mac })
    }
}

/// Why a proof was rejected.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Unproven {
    /// The request has none.
    Missing,
    /// It was made with the key, for a challenge that is not, or no longer, accepted.
    Stale,
    /// It was made with another key, or for another request.
    Wrong,
}

/// Makes and recognises the challenges of one run of the daemon.
pub(super) struct Challenges {
    secret: [u8; KEY_BYTES],
    start: Instant,
}

impl Challenges {
    pub(super) fn new(start: Instant) -> Result<Self, getrandom::Error> {
        let mut secret = [0; KEY_BYTES];
        getrandom::fill(&mut secret)?;
        Ok(Self { secret, start })
    }

    /// The challenge that pages should answer.
    pub(super) fn current(&self, now: Instant) -> String {
        self.numbered(self.number(now))
    }

    /// Verifies that `proof` answers a challenge of ours, for this request and with this key.
    pub(super) fn verify(
        &self,
        proof: Option<Proof<'_>>,
        parts: &Parts,
        key: &PageKey,
        now: Instant,
    ) -> Result<(), Unproven> {
        let Proof { challenge, mac } = proof.ok_or(Unproven::Missing)?;
        let path = parts.uri.path_and_query().map_or("/", |path| path.as_str());
        // First the key: a page whose challenge is old is no reason for a warning.
        if !key.is_mac(mac, parts.method.as_str(), path, challenge) {
            return Err(Unproven::Wrong);
        }
        let number = self.number(now);
        let mut known = [Some(number), number.checked_sub(1)].into_iter().flatten();
        match known.any(|number| self.numbered(number) == challenge) {
            true => Ok(()),
            false => Err(Unproven::Stale),
        }
    }

    fn number(&self, now: Instant) -> u64 {
        now.saturating_duration_since(self.start).as_secs() / PERIOD.as_secs()
    }

    fn numbered(&self, number: u64) -> String {
        let mac = keyed(&self.secret).chain_update(number.to_be_bytes()).finalize().into_bytes();
        URL_SAFE_NO_PAD.encode(&mac[..16])
    }
}

/// HMAC-SHA-256 with a key of any length (RFC 2104): one that is longer than a block is hashed.
pub(super) fn keyed(key: &[u8]) -> Hmac<Sha256> {
    let mut block = [0_u8; 64];
    if key.len() > block.len() {
        return keyed(&Sha256::digest(key));
    }
    for (to, from) in block.iter_mut().zip(key) {
        *to = *from;
    }
    Hmac::new(&block.into())
}

#[cfg(test)]
mod tests {
    use axum::http::Request;

    use super::*;

    fn request(method: &str, path: &str, lines: &[(&str, &str)]) -> Parts {
        let mut request = Request::builder().method(method).uri(path);
        for (name, value) in lines {
            request = request.header(*name, *value);
        }
        request.body(()).unwrap().into_parts().0
    }

    fn mac(key: &PageKey, method: &str, path: &str, challenge: &str) -> String {
        let text = format!("pilothouse-proof-1\n{method}\n{path}\n{challenge}");
        URL_SAFE_NO_PAD.encode(keyed(&key.0).chain_update(text).finalize().into_bytes())
    }

    #[test]
    fn a_proof_is_for_one_request_one_key_and_one_run() {
        let start = Instant::now();
        let challenges = Challenges::new(start).unwrap();
        let (key, other) = (PageKey::random().unwrap(), PageKey::random().unwrap());
        let parts = request("POST", "/api/v1/x?a=1", &[]);
        let challenge = challenges.current(start);
        let right = mac(&key, "POST", "/api/v1/x?a=1", &challenge);
        let verify = |challenge: &str, mac: &str, key, now| {
            challenges.verify(Some(Proof { challenge, mac }), &parts, key, now)
        };
        assert_eq!(verify(&challenge, &right, &key, start), Ok(()));
        assert_eq!(challenges.verify(None, &parts, &key, start), Err(Unproven::Missing));
        assert_eq!(verify(&challenge, &right, &other, start), Err(Unproven::Wrong));
        for (method, path) in [("GET", "/api/v1/x?a=1"), ("POST", "/api/v1/x"), ("POST", "/")] {
            let mac = mac(&key, method, path, &challenge);
            assert_eq!(verify(&challenge, &mac, &key, start), Err(Unproven::Wrong), "{path}");
        }
        for broken in ["", "!", &right[1..], &format!("{right}A")] {
            assert_eq!(verify(&challenge, broken, &key, start), Err(Unproven::Wrong), "{broken}");
        }
        // Accepted for one period more than it is current.
        assert_eq!(verify(&challenge, &right, &key, start + PERIOD), Ok(()));
        assert_ne!(challenges.current(start + PERIOD), challenge);
        assert_eq!(verify(&challenge, &right, &key, start + 2 * PERIOD), Err(Unproven::Stale));
        // The next run of the daemon has other challenges.
        let next = Challenges::new(start).unwrap();
        let proof = Some(Proof { challenge: &challenge, mac: &right });
        assert_eq!(next.verify(proof, &parts, &key, start), Err(Unproven::Stale));
    }

    #[test]
    fn proofs_are_read_from_the_header_or_from_a_subprotocol() {
        let proof = |parts: &Parts| Proof::of(parts).unwrap().map(|it| format!("{it:?}"));
        let shown = |challenge, mac| Some(format!("{:?}", Proof { challenge, mac }));
        let header = request("GET", "/", &[("x-pilothouse-proof", "c.m")]);
        assert_eq!(proof(&header), shown("c", "m"));
        let offered = ("sec-websocket-protocol", "pilothouse.1, proof.c.m");
        assert_eq!(proof(&request("GET", "/", &[offered])), None, "only to upgrade");
        let upgrade = ("upgrade", "websocket");
        assert_eq!(proof(&request("GET", "/", &[upgrade, offered])), shown("c", "m"));
        let long = format!("c.{}", "m".repeat(MOST));
        for text in ["", "c", &long] {
            assert_eq!(proof(&request("GET", "/", &[("x-pilothouse-proof", text)])), None);
        }
        let twice = [("x-pilothouse-proof", "c.m"), ("x-pilothouse-proof", "c.m")];
        assert!(Proof::of(&request("GET", "/", &twice)).is_err());
    }

    /// Test cases 1 and 6 of RFC 4231.
    #[test]
    fn hashes_keys_longer_than_a_block() {
        let long: &[u8] = b"Test Using Larger Than Block-Size Key - Hash Key First";
        for (key, text, expected) in [
            (&[0x0b; 20][..], &b"Hi There"[..], "b0344c61d8db38535ca8afceaf0bf12b"),
            (&[0xaa; 131], long, "60e431591ee0b67f0d8a26aacbf5b77f"),
        ] {
            let mac = keyed(key).chain_update(text).finalize().into_bytes();
            let hex: String = mac.iter().take(16).map(|byte| format!("{byte:02x}")).collect();
            assert_eq!(hex, expected);
        }
    }

    /// The page computes the same with another library.
    #[test]
    fn a_known_proof() {
        let key = PageKey([7; KEY_BYTES]);
        assert_eq!(key.reveal(), "BwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwc");
        let known = mac(&key, "GET", "/api/v1/sessions?limit=5", "challenge");
        assert_eq!(known, "tXiSScDdxGIS2qAA4TYvd0yUqx1vni9BdiHZiio58Ao");
    }
}
