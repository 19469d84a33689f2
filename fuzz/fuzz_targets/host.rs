//! Any text is a `Host`: what is read shows as a host that reads as the same, and nothing that a
//! browser takes for a number is read as a name.

#![no_main]

use libfuzzer_sys::fuzz_target;
use pilothouse_host::http::guard::HostName;

fuzz_target!(|text: &str| {
    let Ok(host) = text.parse::<HostName>() else { return };
    let shown = host.to_string();
    assert_eq!(shown.parse::<HostName>().as_ref(), Ok(&host), "{text:?} shows as {shown:?}");
    assert!(shown.is_ascii() && !shown.contains(['@', '/', '\\', '?', '#', ' ', '%', ',', '*']));
    let name = shown.split(':').next().unwrap_or_default();
    let last = name.rsplit('.').next().unwrap_or_default();
    if !shown.starts_with('[') && name.parse::<std::net::Ipv4Addr>().is_err() {
        assert!(!last.is_empty(), "{text:?} shows as {shown:?}");
        assert!(
            !last.bytes().all(|byte| byte.is_ascii_digit()),
            "{text:?} is a number to browsers"
        );
    }
});
