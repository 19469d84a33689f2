//! Any text is a `Cookie` header: each value that is found stands in it, behind its name.

#![no_main]

use libfuzzer_sys::fuzz_target;
use pilothouse_host::http::guard::cookie::values;

const NAME: &str = "pilothouse";

fuzz_target!(|header: &str| {
    for value in values(header, NAME) {
        assert!(!value.contains(';'), "{header:?} has {value:?}");
        assert!(header.contains(&format!("{NAME}={value}")), "{header:?} has {value:?}");
    }
});
