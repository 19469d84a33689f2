//! However a stream is torn, the same lines come out.

#![no_main]

use libfuzzer_sys::fuzz_target;
use pilothouse_wire::lines::{Lines, READ_SIZE};

#[derive(Debug, arbitrary::Arbitrary)]
struct Torn {
    /// How much comes at once, over and over.
    chunks: Vec<u16>,
    /// Whether lines are taken only at the end, not after each chunk.
    late: bool,
    /// How much of a line has come before, so that the buffer has to grow.
    before: Option<u32>,
    stream: Vec<u8>,
}

fuzz_target!(|torn: Torn| {
    let mut lines = Lines::new();
    let mut stream = vec![b'x'; torn.before.map_or(0, |size| size as usize % (2 * READ_SIZE))];
    for chunk in stream.chunks(READ_SIZE / 8) {
        lines.room().extend_from_slice(chunk);
        assert_eq!(lines.next_line(), None);
    }
    stream.extend_from_slice(&torn.stream);

    let mut found: Vec<Vec<u8>> = Vec::new();
    let mut rest = &torn.stream[..];
    let mut sizes = torn.chunks.iter().cycle();
    while !rest.is_empty() {
        // An empty chunk would never end; without sizes all comes at once.
        let size = sizes.next().map_or(rest.len(), |size| usize::from(*size).max(1));
        let (chunk, after) = rest.split_at(size.min(rest.len()));
        rest = after;
        let room = lines.room();
        assert!(room.capacity() > room.len(), "there is always room");
        room.extend_from_slice(chunk);
        if !torn.late {
            found.extend(std::iter::from_fn(|| lines.next_line()).map(|line| line.to_vec()));
        }
    }
    found.extend(std::iter::from_fn(|| lines.next_line()).map(|line| line.to_vec()));
    found.extend(lines.remainder().map(|line| line.to_vec()));
    assert_eq!(lines.remainder(), None);

    assert_eq!(found, split(&stream));
});

/// The same in the plainest way.
fn split(stream: &[u8]) -> Vec<Vec<u8>> {
    let mut parts: Vec<&[u8]> = stream.split(|byte| *byte == b'\n').collect();
    let last = parts.pop().unwrap_or_default();
    let whole = parts.into_iter().map(|line| line.strip_suffix(b"\r").unwrap_or(line));
    whole.chain([last]).filter(|line| !line.is_empty()).map(<[u8]>::to_vec).collect()
}
