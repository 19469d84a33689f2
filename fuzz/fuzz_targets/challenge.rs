//! Any two texts are a challenge: what is accepted says the same when it is written again. Every
//! nonce with every address is accepted as it is written.

#![no_main]

use std::net::{IpAddr, SocketAddr};

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use libfuzzer_sys::fuzz_target;
use pilothouse_host::http::guard::Challenge;

fuzz_target!(|input: (&str, &str, [u8; 32], [u8; 16], bool, u16)| {
    let (nonce, address, bytes, ip, is_v4, port) = input;
    if let Ok(read) = Challenge::parse(nonce, address) {
        assert_eq!(URL_SAFE_NO_PAD.decode(nonce).map(|bytes| bytes.len()), Ok(32), "{nonce:?}");
        let again = read.request();
        assert_eq!(again.nonce, nonce);
        assert_eq!(again.address.parse::<SocketAddr>(), address.parse(), "{address:?}");
        assert_eq!(Challenge::parse(&again.nonce, &again.address), Ok(read));
    }
    let ip = match is_v4 {
        true => IpAddr::from([ip[0], ip[1], ip[2], ip[3]]),
        false => IpAddr::from(ip),
    };
    let (nonce, address) = (URL_SAFE_NO_PAD.encode(bytes), SocketAddr::new(ip, port).to_string());
    let read = Challenge::parse(&nonce, &address);
    let again = read.as_ref().map(Challenge::request).ok();
    assert_eq!(again.map(|again| (again.nonce, again.address)), Some((nonce, address)));
});
