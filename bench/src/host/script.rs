//! What the generator says, line by line: both sides of the measurement know it.
//!
//! A turn is `init`, ten messages of forty lines (of which 34 are pieces of text), and a `result`.
//! Every piece bears its number and the moment it was written; the whole message bears that moment
//! in its uuid.

use std::time::Duration;

/// Lines of a message.
pub const MESSAGE: u64 = 40;
/// Pieces of text in a message.
pub const PIECES: u64 = 34;
/// Messages in a turn.
pub const MESSAGES: u64 = 10;
/// Lines of a turn.
pub const TURN: u64 = 1 + MESSAGES * MESSAGE + 1;

/// What a line is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Line {
    /// The first of a turn.
    Init,
    /// A message begins.
    MessageStart,
    /// Its text begins.
    BlockStart,
    /// A piece of its text.
    Piece,
    /// The message.
    Assistant,
    /// Its text has ended.
    BlockStop,
    /// What it has cost.
    MessageDelta,
    /// It has ended.
    MessageStop,
    /// The last of a turn.
    Result,
}

/// What the line with this number is.
#[must_use]
pub fn line(number: u64) -> Line {
    let place = number % TURN;
    if place == 0 {
        return Line::Init;
    }
    if place == TURN - 1 {
        return Line::Result;
    }
    match (place - 1) % MESSAGE {
        0 => Line::MessageStart,
        1 => Line::BlockStart,
        36 => Line::Assistant,
        37 => Line::BlockStop,
        38 => Line::MessageDelta,
        39 => Line::MessageStop,
        _ => Line::Piece,
    }
}

/// How much is said, and how fast.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Plan {
    /// Whole turns.
    pub turns: u64,
    /// Lines per second; 0 for as fast as they are taken.
    pub rate: u64,
}

impl Plan {
    /// About so many seconds at this rate.
    #[must_use]
    pub fn lasting(seconds: u64, rate: u64) -> Self {
        Self { turns: (seconds * rate).div_ceil(TURN).max(1), rate }
    }

    /// How long a turn lasts; no time if lines are not timed.
    #[must_use]
    pub fn turn(self) -> Duration {
        Duration::from_nanos((TURN * 1_000_000_000).checked_div(self.rate).unwrap_or_default())
    }

    /// All lines.
    #[must_use]
    pub fn lines(self) -> u64 {
        self.turns * TURN
    }

    /// All pieces.
    #[must_use]
    pub fn pieces(self) -> u64 {
        self.messages() * PIECES
    }

    /// All messages.
    #[must_use]
    pub fn messages(self) -> u64 {
        self.turns * MESSAGES
    }

    /// The prompt that asks for it.
    #[must_use]
    pub fn prompt(self) -> String {
        format!("turns={} rate={} please", self.turns, self.rate)
    }

    /// Finds a plan in a line of the protocol that holds its prompt.
    #[must_use]
    pub fn find(line: &str) -> Option<Self> {
        Some(Self { turns: number_after(line, "turns=")?, rate: number_after(line, "rate=")? })
    }
}

fn number_after(text: &str, word: &str) -> Option<u64> {
    let (_, rest) = text.split_once(word)?;
    let end = rest.find(|letter: char| !letter.is_ascii_digit()).unwrap_or(rest.len());
    rest.get(..end)?.parse().ok()
}

/// A piece's number and the moment it was written, in nanoseconds since 1970.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Mark {
    /// Of all pieces of the session: 0, 1, 2 …
    pub number: u64,
    /// The moment.
    pub at: u64,
}

/// The length of a mark: `@`, then ten and nineteen digits.
pub const MARK: usize = 1 + 10 + 19;

/// Digits that are no words: what is said is indexed for searching, and numbers that come only once
/// would cost more there than any text.
const DIGITS: &[u8; 10] = b"!#$%&()*+-";

impl Mark {
    /// As it stands in the text.
    #[must_use]
    pub fn text(self) -> String {
        let mut text = String::with_capacity(MARK);
        self.add_to(&mut text);
        text
    }

    /// Adds it to a text.
    pub fn add_to(self, text: &mut String) {
        text.push('@');
        for (number, digits) in [(self.number, 10), (self.at, 19)] {
            for place in (0..digits).rev() {
                let digit = number / 10_u64.pow(place) % 10;
                text.push(DIGITS.get(digit as usize).copied().map_or('!', char::from));
            }
        }
    }

    /// The mark at the beginning of a text.
    #[must_use]
    pub fn read(text: &str) -> Option<Self> {
        let digits = text.strip_prefix('@')?.as_bytes();
        let number = |bytes: &[u8]| {
            bytes.iter().try_fold(0, |number: u64, byte| {
                let digit = DIGITS.iter().position(|digit| digit == byte)?;
                number.checked_mul(10)?.checked_add(digit as u64)
            })
        };
        Some(Self { number: number(digits.get(..10)?)?, at: number(digits.get(10..29)?)? })
    }
}

/// What is said beside the marks.
const WORDS: [&str; 32] = [
    "anchor", "ballast", "compass", "davit", "ebb", "fathom", "galley", "halyard", "inlet", "jib",
    "keel", "league", "mast", "neap", "oar", "port", "quay", "rudder", "sextant", "tiller",
    "under", "vane", "wake", "yard", "and", "the", "of", "to", "in", "with", "by", "from",
];

/// Two words for the piece with this number.
#[must_use]
pub fn words(number: u64) -> [&'static str; 2] {
    let mixed = number.wrapping_mul(0x9E37_79B9_7F4A_7C15);
    let word = |bits: u64| WORDS.get((bits & 31) as usize).copied().unwrap_or_default();
    [word(mixed >> 40), word(mixed >> 50)]
}

/// A moment as the last two groups of a uuid.
#[must_use]
pub fn moment_uuid(at: u64) -> String {
    format!("00000000-0000-4000-{:04x}-{:012x}", at >> 48, at & 0xFFFF_FFFF_FFFF)
}

/// The moment in a uuid.
#[must_use]
pub fn moment_of(uuid: &str) -> Option<u64> {
    let high = u64::from_str_radix(uuid.get(19..23)?, 16).ok()?;
    let low = u64::from_str_radix(uuid.get(24..36)?, 16).ok()?;
    Some(high << 48 | low)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_turn_has_what_it_is_said_to_have() {
        let plan = Plan { turns: 2, rate: 100 };
        let count = |wanted| (0..plan.lines()).filter(|at| line(*at) == wanted).count() as u64;
        assert_eq!(count(Line::Piece), plan.pieces());
        assert_eq!(count(Line::Assistant), plan.messages());
        assert_eq!((count(Line::Init), count(Line::Result)), (2, 2));
        assert!(plan.pieces() * 100 / plan.lines() >= 84);
    }

    #[test]
    fn what_is_written_is_read() {
        let plan = Plan { turns: 15, rate: 100 };
        assert_eq!(Plan::find(&format!("{{\"text\":\"{}\"}}", plan.prompt())), Some(plan));
        let mark = Mark { number: 7, at: 1_794_800_000_123_456_789 };
        assert_eq!(mark.text().len(), MARK);
        assert_eq!(Mark::read(&mark.text()), Some(mark));
        assert_eq!(moment_of(&moment_uuid(mark.at)), Some(mark.at));
    }
}
