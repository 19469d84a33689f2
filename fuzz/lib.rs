//! What the targets have in common: when two JSON texts say the same.

use pilothouse_wire::{Raw, codec};
use serde::Serialize;
use serde_json::Value;

/// The value of a JSON text, also where `serde_json` alone would refuse; `None` for other text.
///
/// The judge of what is JSON is `serde_json`'s scanner, not ours.
pub fn value(text: &str) -> Option<Value> {
    Raw::from_text(text).ok().map(|raw| raw.to_value())
}

/// What was read from `text` is written with every field it had, and as one line.
pub fn assert_written_whole(read: &(impl Serialize + std::fmt::Debug), text: &str) {
    let written = match codec::encode_line(read) {
        Ok(line) => line,
        Err(error) => panic!("{error} on writing {read:?}"),
    };
    let written = String::from_utf8(written).expect("JSON is UTF-8");
    let body = written.strip_suffix('\n').expect("a line ends with a line break");
    assert!(!body.contains(['\n', '\r']), "a line is one line: {body:?}");
    assert_eq!(value(body), value(text), "left: written, right: read; through {read:?}");
}
