//! A page that has logged in: its cookie, and proofs of its key.

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha256;

/// What a browser has after it has logged in.
#[derive(Clone, Debug)]
pub(crate) struct Page {
    /// The `Cookie` line.
    pub(crate) cookie: String,
    pub(crate) key: String,
    /// The latest challenge that it was given.
    pub(crate) challenge: String,
}

impl Page {
    /// The page that gets the answer with these headers and this body.
    pub(crate) fn of<'r>(header: impl Fn(&str) -> Option<&'r str>, body: &str) -> Self {
        let body: serde_json::Value = serde_json::from_str(body).unwrap();
        Self {
            cookie: format!("Cookie: {}", header("set-cookie").unwrap().split(';').next().unwrap()),
            key: body["page_key"].as_str().unwrap().to_owned(),
            challenge: header("x-pilothouse-challenge").unwrap().to_owned(),
        }
    }

    /// `CHALLENGE.MAC` for a start line such as `GET /api/v1/sessions`.
    fn proven(&self, start: &str) -> String {
        let (method, path) = start.split_once(' ').unwrap();
        let key = URL_SAFE_NO_PAD.decode(&self.key).unwrap();
        let text = format!("pilothouse-proof-1\n{method}\n{path}\n{}", self.challenge);
        let mac = Hmac::<Sha256>::new_from_slice(&key).unwrap().chain_update(text).finalize();
        format!("{}.{}", self.challenge, URL_SAFE_NO_PAD.encode(mac.into_bytes()))
    }

    /// The line that proves the key.
    pub(crate) fn proof(&self, start: &str) -> String {
        format!("X-Pilothouse-Proof: {}", self.proven(start))
    }

    /// The line that proves the key where a WebSocket is asked for.
    pub(crate) fn offer(&self) -> String {
        let proof = self.proven("GET /api/v1/ws");
        format!("Sec-WebSocket-Protocol: pilothouse.1, proof.{proof}")
    }

    /// The lines of a request.
    pub(crate) fn lines(&self, start: &str) -> Vec<String> {
        vec![self.cookie.clone(), self.proof(start)]
    }
}
