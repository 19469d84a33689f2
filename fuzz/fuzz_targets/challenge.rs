//! Any two texts are a challenge: what is accepted has 32 bytes and an address that reads as it was
//! written.

#![no_main]

use libfuzzer_sys::fuzz_target;
use pilothouse_host::http::guard::Challenge;

fuzz_target!(|texts: (&str, &str)| {
    let (nonce, address) = texts;
    let read = Challenge::parse(nonce, address);
    assert_eq!(read, Challenge::parse(nonce, address));
    if read.is_ok() {
        assert_eq!(nonce.len(), 43, "{nonce:?}");
        assert!(address.parse::<std::net::SocketAddr>().is_ok(), "{address:?}");
    }
});
