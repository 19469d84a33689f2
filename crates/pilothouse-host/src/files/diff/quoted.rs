//! Names as `git` writes them: plain, or in quotes with escapes where something in them is odd.

/// The name at the beginning of `text`, and what follows it. A plain name goes on to the end.
pub(super) fn name(text: &[u8]) -> (Vec<u8>, &[u8]) {
    let Some(quoted) = text.strip_prefix(b"\"") else {
        // A name with spaces is followed by a tab, so that `patch` understands it.
        let end = text.len() - usize::from(text.ends_with(b"\t"));
        return (text[..end].to_vec(), b"");
    };
    let mut name = Vec::new();
    let mut rest = quoted;
    while let [byte, after @ ..] = rest {
        rest = after;
        match byte {
            b'"' => break,
            b'\\' => rest = escape(rest, &mut name),
            byte => name.push(*byte),
        }
    }
    (name, rest)
}

/// Reads what stands after a backslash.
fn escape<'a>(text: &'a [u8], name: &mut Vec<u8>) -> &'a [u8] {
    if let [a @ b'0'..=b'3', b @ b'0'..=b'7', c @ b'0'..=b'7', rest @ ..] = text {
        name.push((a - b'0') * 64 + (b - b'0') * 8 + (c - b'0'));
        return rest;
    }
    let [byte, rest @ ..] = text else { return text };
    name.push(match byte {
        b'a' => 7,
        b'b' => 8,
        b't' => b'\t',
        b'n' => b'\n',
        b'v' => 11,
        b'f' => 12,
        b'r' => b'\r',
        other => *other,
    });
    rest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names() {
        let cases: [(&[u8], &[u8], &[u8]); 6] = [
            (b"a/plain", b"a/plain", b""),
            (b"a/with space\t", b"a/with space", b""),
            (br#""a/\303\244\n\"\\" "b/x""#, b"a/\xc3\xa4\n\"\\", br#" "b/x""#),
            (br#""never closed\"#, b"never closed", b""),
            (br#""\37""#, b"37", b""),
            (b"", b"", b""),
        ];
        for (text, read, rest) in cases {
            assert_eq!(name(text), (read.to_vec(), rest), "{}", String::from_utf8_lossy(text));
        }
    }
}
