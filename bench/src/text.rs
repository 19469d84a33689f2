//! Reproducible filler: a small random source and text that is already escaped
//! for a JSON string.
//!
//! Promises the same bytes for the same seed on every machine, forever: no
//! outside generator whose next release could change the corpus.

/// SplitMix64: tiny, fast, and good enough to choose words and identifiers.
#[derive(Debug, Clone)]
pub struct Dice(u64);

impl Dice {
    /// A source that always rolls the same sequence for `seed`.
    #[must_use]
    pub fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// The next 64 random bits.
    pub fn roll(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ (mixed >> 31)
    }

    /// A number in `low..=high`.
    pub fn between(&mut self, low: usize, high: usize) -> usize {
        let span = (high - low + 1) as u64;
        low + (self.roll() % span) as usize
    }

    /// One of `choices`, or `""` when there is none to choose from.
    pub fn pick<'a>(&mut self, choices: &[&'a str]) -> &'a str {
        if choices.is_empty() {
            return "";
        }
        let index = self.between(0, choices.len() - 1);
        choices.get(index).copied().unwrap_or_default()
    }

    /// A version 4 UUID.
    pub fn uuid(&mut self) -> String {
        let high = (self.roll() & 0xFFFF_FFFF_FFFF_0FFF) | 0x4000;
        let low = (self.roll() & 0x3FFF_FFFF_FFFF_FFFF) | 0x8000_0000_0000_0000;
        format!(
            "{:08x}-{:04x}-{:04x}-{:04x}-{:012x}",
            high >> 32,
            (high >> 16) & 0xFFFF,
            high & 0xFFFF,
            low >> 48,
            low & 0xFFFF_FFFF_FFFF
        )
    }

    /// An identifier as the API gives them: a prefix and 22 letters or digits.
    pub fn api_id(&mut self, prefix: &str) -> String {
        const ALPHABET: &[u8] = b"123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz";
        let mut id = String::from(prefix);
        for _ in 0..22 {
            let index = self.between(0, ALPHABET.len() - 1);
            id.push(char::from(ALPHABET.get(index).copied().unwrap_or(b'1')));
        }
        id
    }
}

/// Words of a conversation about code, with the escapes and the letters outside
/// ASCII which such a conversation has.
#[rustfmt::skip] // a word list reads better in rows
const PROSE: &[&str] = &[
    "the", "a", "to", "of", "and", "is", "this", "that", "with", "for", "in", "it", "we", "then",
    "function", "returns", "error", "test", "module", "because", "value", "change", "should",
    "before", "after", "reads", "writes", "first", "line", "file", "struct", "`parse`",
    "`Option`", "cursor", "buffer,", "stream.", "careful:", "which", "not", "only", "when",
    "every", "again", "caller", "keeps", "checked", "order,", "instead", "there", "result",
    "\\\"quoted\\\"", "café", "—", "→", "\\n\\n", "\\n- ",
];

/// Pieces of source code, escaped.
#[rustfmt::skip] // a word list reads better in rows
const CODE: &[&str] = &[
    "fn ", "let ", "mut ", "self.", "match ", " => ", "{\\n", "}\\n", "    ", "\\t", "();\\n",
    "(&self)", ", ", " = ", "\\\"text\\\"", "Some(", "None", "Ok(())", "?;\\n", "// why\\n",
    "u64", "String", "impl ", "return ", "if ", "else ", "for item in ", "items.iter()",
    "buffer[index]", "usize", "Vec<u8>", "\\\\n", " + 1", "&str", "pub ", "struct ", "index",
];

/// What kind of text to write.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Style {
    /// Sentences.
    Prose,
    /// Source code.
    Code,
}

/// Appends exactly `length` bytes of escaped text.
///
/// Exactness lets a line be planned to the byte; the last piece gives way to
/// padding rather than being cut in the middle of an escape or of a letter.
pub fn append(out: &mut String, dice: &mut Dice, style: Style, length: usize) {
    let end = out.len() + length;
    let (pieces, gap) = match style {
        Style::Prose => (PROSE, " "),
        Style::Code => (CODE, ""),
    };
    loop {
        let piece = dice.pick(pieces);
        if out.len() + piece.len() + gap.len() > end {
            break;
        }
        out.push_str(piece);
        out.push_str(gap);
    }
    while out.len() < end {
        out.push('x');
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_has_the_asked_length_and_is_valid_json() {
        let mut dice = Dice::new(7);
        for length in 0..400 {
            for style in [Style::Prose, Style::Code] {
                let mut text = String::from("\"");
                append(&mut text, &mut dice, style, length);
                assert_eq!(text.len(), length + 1);
                text.push('"');
                serde_json::from_str::<String>(&text).expect("escaped text");
            }
        }
    }

    #[test]
    fn the_same_seed_gives_the_same_ids() {
        let mut dice = Dice::new(1);
        let uuid = dice.uuid();
        assert_eq!(uuid, Dice::new(1).uuid());
        assert_eq!(uuid.len(), 36);
        assert_eq!(uuid.as_bytes()[14], b'4');
        assert_eq!(dice.api_id("msg_01").len(), 28);
    }
}
