//! Any cookies with any names: those with our name are found with their values, in order, and
//! nothing else is. Any text at all is a header, too.

#![no_main]

use libfuzzer_sys::fuzz_target;
use pilothouse_host::http::guard::cookie::values;

const NAME: &str = "pilothouse";

/// As many values of one name as are looked at.
const MOST: usize = 4;

fuzz_target!(|input: (Vec<(bool, &str, &str)>, &str)| {
    let (cookies, text) = input;
    let mut header = String::new();
    let mut expected = Vec::new();
    for (is_ours, name, value) in cookies {
        let name = if is_ours { NAME } else { name };
        // A browser sends neither of these in a name or a value.
        if name.contains([';', '=']) || value.contains(';') {
            continue;
        }
        header.push_str(&format!("{name}={value}; "));
        if name.trim_start() == NAME {
            expected.push(value.trim_end().to_owned());
        }
    }
    expected.truncate(MOST);
    assert_eq!(values(&header, NAME).collect::<Vec<_>>(), expected, "{header:?}");
    for value in values(text, NAME) {
        assert!(!value.contains(';'), "{text:?} has {value:?}");
        assert!(text.contains(&format!("{NAME}={value}")), "{text:?} has {value:?}");
    }
});
