//! Any bytes are a line: it decodes to something, and what it decodes to is written back whole.

#![no_main]

use libfuzzer_sys::fuzz_target;
use pilothouse_fuzz::{assert_written_whole, value};
use pilothouse_wire::{Inbound, codec};

fuzz_target!(|line: &[u8]| {
    let message = codec::decode(line);
    // Bytes that are not UTF-8 are read as U+FFFD.
    let text = String::from_utf8_lossy(line);
    let is_json = value(&text).is_some();
    assert_eq!(message == Inbound::NotJson, !is_json, "what is JSON is not for us to say");
    if !is_json {
        return;
    }
    assert_written_whole(&message, &text);

    // Once written, it reads as the same again: nothing depends on how the line was put.
    let written = codec::encode_line(&message).expect("it was written a moment ago");
    let again = codec::decode(&written);
    assert_eq!(again.tag(), message.tag());
    assert_eq!(again.is_known(), message.is_known(), "{message:?}\n{again:?}");
    assert_written_whole(&again, &text);
});
