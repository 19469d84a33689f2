//! Proves to a client that it talks to the daemon of its data directory.
//!
//! A daemon that was killed leaves its address behind, and any user of the machine may bind that
//! port. So a client that has the token sends a challenge first: a nonce and the address that it
//! dialled. The daemon answers with a MAC over both, keyed with the token, and only if that address
//! is its own end of the connection. A relay on the old port cannot pass the challenge on: with the
//! address that the client dialled the daemon refuses it, with the daemon's own address the proof
//! does not fit.
//!
//! The key is derived from the token under a label of its own, so a proof is good for nothing else.

use std::net::SocketAddr;

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use hmac::{Hmac, Mac};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use sha2::Sha256;

use super::connection::Connection;
use super::proof::keyed;
use super::token::Token;
use crate::http::problem::Fault;

const KEY: &[u8] = b"pilothouse/challenge/key/1";
const NONCE: usize = 32;

/// The most bytes of a request: a nonce and an address are far shorter.
pub(super) const MOST_BYTES: u64 = 1024;

/// Asks the daemon for a proof that it knows the token.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ChallengeRequest {
    /// 32 random bytes, in base64url without padding. Use each once.
    pub nonce: String,
    /// The address and port that the client dialled: `127.0.0.1:7717` or `[::1]:7717`.
    pub address: String,
}

/// The daemon's proof.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ChallengeReply {
    /// HMAC-SHA-256 in base64url without padding. Its key is
    /// `HMAC-SHA-256(token, "pilothouse/challenge/key/1")`; its message is the nonce's 32 bytes, the
    /// address as the 16 bytes of IPv6 (IPv4 mapped) and the port as two bytes, big-endian.
    pub proof: String,
}

/// A nonce, and the address that a client dialled.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Challenge {
    nonce: [u8; NONCE],
    address: SocketAddr,
}

/// Why a request is no challenge.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BadChallenge {
    /// The nonce is not 32 bytes in base64url.
    #[error("the nonce must be 32 bytes in base64url without padding")]
    Nonce,
    /// The address is none.
    #[error("the address must be the one that was dialled, as in `127.0.0.1:7717`")]
    Address,
}

impl Challenge {
    /// A challenge with a fresh nonce for a client that has dialled `address`.
    pub fn random(address: SocketAddr) -> Result<Self, getrandom::Error> {
        let mut nonce = [0; NONCE];
        getrandom::fill(&mut nonce)?;
        Ok(Self { nonce, address })
    }

    /// Parses the fields of a [`ChallengeRequest`].
    pub fn parse(nonce: &str, address: &str) -> Result<Self, BadChallenge> {
        // Decoding goes by the length of the text, which comes from anybody.
        let short = Some(nonce).filter(|nonce| nonce.len() <= 2 * NONCE);
        let bytes = short.and_then(|nonce| URL_SAFE_NO_PAD.decode(nonce).ok());
        let nonce = bytes.and_then(|bytes| bytes.try_into().ok()).ok_or(BadChallenge::Nonce)?;
        let address = address.parse().map_err(|_| BadChallenge::Address)?;
        Ok(Self { nonce, address })
    }

    /// The request to send.
    pub fn request(&self) -> ChallengeRequest {
        ChallengeRequest {
            nonce: URL_SAFE_NO_PAD.encode(self.nonce),
            address: self.address.to_string(),
        }
    }

    /// Whether the client dialled this end of a connection.
    pub(super) fn is_for(&self, connection: &Connection) -> bool {
        let (dialled, local) = (self.address, connection.local);
        dialled.port() == local.port() && dialled.ip().to_canonical() == local.ip().to_canonical()
    }

    /// The reply of a daemon that has this token.
    pub fn reply(&self, token: &Token) -> ChallengeReply {
        Prover::new(token).reply(self)
    }

    /// Whether a reply comes from a daemon that has this token and was dialled at the same address.
    pub fn is_met_by(&self, reply: &ChallengeReply, token: &Token) -> bool {
        let proof = URL_SAFE_NO_PAD.decode(&reply.proof).unwrap_or_default();
        // Compares in constant time.
        Prover::new(token).mac(self).verify_slice(&proof).is_ok()
    }
}

impl ChallengeRequest {
    pub(super) fn read(&self) -> Result<Challenge, Fault> {
        Challenge::parse(&self.nonce, &self.address).map_err(|error| {
            let pointer = match error {
                BadChallenge::Nonce => "/nonce",
                BadChallenge::Address => "/address",
            };
            Fault::body(pointer, error.to_string())
        })
    }
}

/// Answers challenges with the key of one token.
pub(super) struct Prover(Hmac<Sha256>);

impl Prover {
    pub(super) fn new(token: &Token) -> Self {
        let derived = keyed(token.reveal().as_bytes()).chain_update(KEY).finalize();
        Self(keyed(&derived.into_bytes()))
    }

    pub(super) fn reply(&self, challenge: &Challenge) -> ChallengeReply {
        ChallengeReply {
            proof: URL_SAFE_NO_PAD.encode(self.mac(challenge).finalize().into_bytes()),
        }
    }

    /// All parts have a fixed length: no two challenges have the same bytes.
    fn mac(&self, challenge: &Challenge) -> Hmac<Sha256> {
        let ip = match challenge.address.ip().to_canonical() {
            std::net::IpAddr::V4(ip) => ip.to_ipv6_mapped(),
            std::net::IpAddr::V6(ip) => ip,
        };
        self.0
            .clone()
            .chain_update(challenge.nonce)
            .chain_update(ip.octets())
            .chain_update(challenge.address.port().to_be_bytes())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(local: &str) -> Connection {
        let peer = "127.0.0.1:50000".parse().unwrap();
        Connection { peer, local: local.parse().unwrap(), secure: false }
    }

    fn challenge(address: &str) -> Challenge {
        Challenge { nonce: [7; NONCE], address: address.parse().unwrap() }
    }

    #[test]
    fn reply_fits_only_its_token_nonce_address_and_port() {
        let dir = tempfile::tempdir().unwrap();
        let token = Token::load_or_create(dir.path()).unwrap();
        let asked = challenge("127.0.0.1:7717");
        let reply = asked.reply(&token);
        assert!(asked.is_met_by(&reply, &token));
        assert!(challenge("[::ffff:127.0.0.1]:7717").is_met_by(&reply, &token), "the same address");
        assert!(!challenge("127.0.0.1:7718").is_met_by(&reply, &token));
        assert!(!challenge("127.0.0.2:7717").is_met_by(&reply, &token));
        let other = Challenge { nonce: [8; NONCE], ..asked.clone() };
        assert!(!other.is_met_by(&reply, &token));
        let replaced = Token::replace(dir.path()).unwrap();
        assert!(!asked.is_met_by(&reply, &replaced));
        for proof in ["", "AAAA", &reply.proof[1..], "not base64!"] {
            assert!(!asked.is_met_by(&ChallengeReply { proof: proof.to_owned() }, &token));
        }
    }

    #[test]
    fn only_the_dialled_end_of_the_connection_counts() {
        let table = [
            ("127.0.0.1:7717", "127.0.0.1:7717", true),
            ("127.0.0.1:7717", "[::ffff:127.0.0.1]:7717", true),
            ("[::1]:7717", "[::1]:7717", true),
            ("127.0.0.1:7717", "127.0.0.1:7718", false),
            ("127.0.0.1:7717", "127.0.0.2:7717", false),
            ("127.0.0.1:7717", "[::1]:7717", false),
            ("0.0.0.0:7717", "127.0.0.1:7717", false),
        ];
        for (dialled, local, ours) in table {
            assert_eq!(challenge(dialled).is_for(&at(local)), ours, "{dialled} {local}");
        }
    }

    #[test]
    fn rejects_what_is_no_challenge() {
        let sent = challenge("[::1]:80").request();
        assert_eq!(sent.read().unwrap(), challenge("[::1]:80"));
        let long = "A".repeat(1 << 20);
        for nonce in ["", "AAAA", &sent.nonce[1..], &format!("{}A", sent.nonce), "?", &long] {
            assert_eq!(Challenge::parse(nonce, "127.0.0.1:80"), Err(BadChallenge::Nonce));
        }
        for address in ["", "localhost:80", "127.0.0.1", "127.0.0.1:99999", "::1:80", &long] {
            assert_eq!(Challenge::parse(&sent.nonce, address), Err(BadChallenge::Address));
        }
    }
}
