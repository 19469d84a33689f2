//! A cursor over JSON text.
//!
//! It reads what the types of this crate need and nothing more: members of objects in their order,
//! strings, numbers, and values to be passed over as they are. `serde_json` parses the same text
//! more slowly and less often: its strings reject lone surrogates, its nesting ends at 128, its
//! numbers at `f64`, and the text of a value it has passed over is copied. What this cursor passes
//! over is checked against the grammar all the same, so it can be written out again.
//!
//! Every method gives `None` where the text is not what it looks for. The position is then
//! undefined until it is [set back](Cursor::rewind).

use std::borrow::Cow;

use wide::u8x16;

/// How many bytes are searched at once.
const BLOCK: usize = 64;

/// Up to this length, pieces of a string are copied without a call.
const PIECE: usize = 48;

/// Once a string is this long, it gets room for all that is left of the text: it would be moved
/// again and again as it grows.
const LONG: usize = 64 << 10;

/// A place in a JSON text.
#[derive(Clone, Debug)]
pub struct Cursor<'a> {
    text: &'a str,
    at: usize,
    /// Where the block begins that was searched last. Escapes and short strings stand close
    /// together: what one search finds serves several of them.
    block: usize,
    /// A bit for each special byte of that block, the lowest for the first byte.
    specials: u64,
}

/// A position to come back to.
#[derive(Clone, Copy, Debug)]
pub struct Mark(usize);

/// An object whose members are being read.
#[derive(Clone, Copy, Debug)]
pub struct Opened {
    /// Where it begins.
    pub start: Mark,
    /// Whether there is a member (more) to be read.
    pub more: bool,
}

impl<'a> Cursor<'a> {
    /// At the beginning of `text`.
    pub fn new(text: &'a str) -> Self {
        let mut cursor = Self { text, at: 0, block: 0, specials: 0 };
        cursor.search(0);
        cursor
    }

    /// Here.
    pub fn mark(&self) -> Mark {
        Mark(self.at)
    }

    /// Back to where it was.
    pub fn rewind(&mut self, mark: Mark) {
        self.at = mark.0;
    }

    /// Whether only white space is left.
    pub fn is_at_end(&mut self) -> bool {
        self.peek().is_none()
    }

    fn bytes(&self) -> &'a [u8] {
        self.text.as_bytes()
    }

    /// The next byte that is not white space.
    #[inline]
    pub fn peek(&mut self) -> Option<u8> {
        match *self.bytes().get(self.at)? {
            b' ' | b'\t' | b'\n' | b'\r' => self.peek_after_space(),
            byte => Some(byte),
        }
    }

    /// Rarely needed: the CLI writes no white space between values.
    #[cold]
    fn peek_after_space(&mut self) -> Option<u8> {
        let rest = self.text[self.at..].trim_start_matches([' ', '\t', '\n', '\r']);
        self.at = self.text.len() - rest.len();
        rest.bytes().next()
    }

    #[inline]
    fn eat(&mut self, byte: u8) -> Option<()> {
        (self.peek()? == byte).then(|| self.at += 1)
    }

    fn eat_word(&mut self, word: &str) -> Option<()> {
        self.peek()?;
        self.bytes()[self.at..].starts_with(word.as_bytes()).then(|| self.at += word.len())
    }

    /// `null`.
    pub fn null(&mut self) -> Option<()> {
        self.eat_word("null")
    }

    /// `true` or `false`.
    pub fn boolean(&mut self) -> Option<bool> {
        match self.peek()? {
            b't' => self.eat_word("true").map(|()| true),
            b'f' => self.eat_word("false").map(|()| false),
            _ => None,
        }
    }

    /// Goes into an object or a list that begins with `open`; whether there is anything in it.
    #[inline]
    pub fn enter(&mut self, open: u8) -> Option<bool> {
        self.eat(open)?;
        // In ASCII a closing bracket stands two after its opening one.
        let empty = self.peek()? == open + 2;
        if empty {
            self.at += 1;
        }
        Some(!empty)
    }

    /// After a member or an item: whether there is another. Otherwise the closing bracket of `open`
    /// is passed.
    #[inline]
    pub fn more(&mut self, open: u8) -> Option<bool> {
        match self.peek()? {
            b',' => {
                self.at += 1;
                Some(true)
            }
            close if close == open + 2 => {
                self.at += 1;
                Some(false)
            }
            _ => None,
        }
    }

    /// The name of a member, and its colon.
    #[inline]
    pub fn key(&mut self) -> Option<Cow<'a, str>> {
        let key = self.string()?;
        self.eat(b':')?;
        Some(key)
    }

    /// Passes `key`, a name in its quotes with its colon, if it stands here just so.
    #[inline(always)]
    pub fn eat_key(&mut self, key: &'static str) -> bool {
        let found = self.bytes()[self.at..].starts_with(key.as_bytes());
        if found {
            self.at += key.len();
        }
        found
    }

    /// A string. Lone surrogates become U+FFFD.
    #[inline]
    pub fn string(&mut self) -> Option<Cow<'a, str>> {
        self.eat(b'"')?;
        let start = self.at;
        match self.pass_quote_or_escape()? {
            b'"' => Some(Cow::Borrowed(&self.text[start..self.at - 1])),
            _ => self.unescape(start).map(Cow::Owned),
        }
    }

    /// Passes to just after the next quote or backslash and gives which it was. `None` at a control
    /// character, which no string may hold, and at the end.
    #[inline]
    fn pass_quote_or_escape(&mut self) -> Option<u8> {
        let found = self.special()?;
        let byte = self.bytes()[found];
        self.at = found + 1;
        (byte >= 0x20).then_some(byte)
    }

    /// Where the next quote, backslash or control character is.
    #[inline]
    fn special(&mut self) -> Option<usize> {
        let mut at = self.at;
        loop {
            let offset = at.wrapping_sub(self.block);
            if offset < BLOCK {
                let left = self.specials >> offset;
                if left != 0 {
                    return Some(at + left.trailing_zeros() as usize);
                }
                at = self.block + BLOCK;
            }
            self.search(at)?;
        }
    }

    /// Searches the block at `at`, or the last one if there is less than a block left. `None` at
    /// the end.
    #[inline]
    fn search(&mut self, at: usize) -> Option<()> {
        let bytes = self.bytes();
        if at >= bytes.len() {
            return None;
        }
        self.block = at.min(bytes.len().saturating_sub(BLOCK));
        self.specials = match bytes[self.block..].first_chunk() {
            Some(block) => specials(block),
            None => short_specials(bytes),
        };
        Some(())
    }

    /// The rest of a string from `start` on; the position is just after its first backslash.
    fn unescape(&mut self, start: usize) -> Option<String> {
        let rest = self.text.len() - start;
        let mut text = String::with_capacity(32 + (rest / 4).min(1024));
        let (mut plain, mut end, mut long) = (start, b'\\', LONG);
        loop {
            append(&mut text, self.text, plain, self.at - 1);
            if end == b'"' {
                break;
            }
            text.push(self.escape()?);
            plain = self.at;
            end = self.pass_quote_or_escape()?;
            if text.len() >= long {
                text.reserve_exact(self.text.len() - plain);
                long = usize::MAX;
            }
        }
        // Room that is half used stays: to give it back can cost more than to undo the escapes.
        if text.capacity() > 256 && text.len() < text.capacity() / 4 {
            text.shrink_to_fit();
        }
        Some(text)
    }

    /// What follows a backslash.
    #[inline]
    fn escape(&mut self) -> Option<char> {
        let byte = *self.bytes().get(self.at)?;
        self.at += 1;
        match ESCAPES[usize::from(byte)] {
            0 => (byte == b'u').then(|| self.code_point())?,
            plain => Some(char::from(plain)),
        }
    }

    #[inline(never)]
    fn code_point(&mut self) -> Option<char> {
        let first = self.hex4()?;
        if let Some(c) = char::from_u32(first) {
            return Some(c);
        }
        if (0xd800..0xdc00).contains(&first) && self.bytes()[self.at..].starts_with(b"\\u") {
            let second = self.mark();
            self.at += 2;
            let low = self.hex4()?;
            if (0xdc00..0xe000).contains(&low) {
                return char::from_u32(0x10000 + ((first - 0xd800) << 10) + (low - 0xdc00));
            }
            self.rewind(second);
        }
        Some(char::REPLACEMENT_CHARACTER)
    }

    fn hex4(&mut self) -> Option<u32> {
        let digits = self.bytes().get(self.at..self.at + 4)?;
        self.at += 4;
        digits.iter().try_fold(0, |sum, digit| Some(sum * 16 + char::from(*digit).to_digit(16)?))
    }

    /// Passes a number and gives its text.
    pub fn number(&mut self) -> Option<&'a str> {
        self.peek()?;
        let start = self.at;
        let digits = |cursor: &mut Self| {
            let rest = &cursor.bytes()[cursor.at..];
            let count = rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
            cursor.at += count;
            (count > 0).then_some(())
        };
        let next = |cursor: &Self| cursor.bytes().get(cursor.at).copied();
        if next(self) == Some(b'-') {
            self.at += 1;
        }
        match next(self)? {
            b'0' => self.at += 1,
            _ => digits(self)?,
        }
        if next(self) == Some(b'.') {
            self.at += 1;
            digits(self)?;
        }
        if matches!(next(self), Some(b'e' | b'E')) {
            self.at += 1;
            if matches!(next(self), Some(b'+' | b'-')) {
                self.at += 1;
            }
            digits(self)?;
        }
        Some(&self.text[start..self.at])
    }

    /// Passes a value, however deep, and gives its text.
    pub fn skip(&mut self) -> Option<&'a str> {
        self.peek()?;
        let start = self.at;
        let mut open = Vec::new();
        loop {
            match self.peek()? {
                bracket @ (b'{' | b'[') => {
                    if self.enter(bracket)? {
                        open.push(bracket);
                        self.skip_key(bracket)?;
                        continue;
                    }
                }
                b'"' => self.skip_string()?,
                b't' => self.eat_word("true")?,
                b'f' => self.eat_word("false")?,
                b'n' => self.eat_word("null")?,
                _ => drop(self.number()?),
            }
            // A value has ended; with it may end what it stands in.
            loop {
                let Some(bracket) = open.last().copied() else {
                    return Some(&self.text[start..self.at]);
                };
                if self.more(bracket)? {
                    self.skip_key(bracket)?;
                    break;
                }
                open.pop();
            }
        }
    }

    #[inline]
    fn skip_key(&mut self, bracket: u8) -> Option<()> {
        if bracket == b'{' {
            self.skip_string()?;
            self.eat(b':')?;
        }
        Some(())
    }

    fn skip_string(&mut self) -> Option<()> {
        self.eat(b'"')?;
        while self.pass_quote_or_escape()? == b'\\' {
            // Checked, not kept: the text goes on as it is.
            self.escape()?;
        }
        Some(())
    }

    /// Goes into the object that begins here.
    #[inline]
    pub fn open(&mut self) -> Option<Opened> {
        let start = self.mark();
        self.enter(b'{').map(|more| Opened { start, more })
    }

    /// The value of the string member `tag` of the object just opened. Where it comes first, as it
    /// nearly always does, it is passed; otherwise it is looked for and stays to be read again.
    /// `quoted` is the name in its quotes, with its colon.
    #[inline]
    pub fn tag(&mut self, object: &mut Opened, quoted: &'static str) -> Option<Cow<'a, str>> {
        if !object.more {
            return None;
        }
        let first = self.mark();
        if self.eat_key(quoted) && self.peek()? == b'"' {
            let word = self.string()?;
            object.more = self.more(b'{')?;
            return Some(word);
        }
        self.rewind(first);
        self.clone().find_text(&quoted[1..quoted.len() - 2])
    }

    /// The text of the member `name` further on in this object.
    fn find_text(mut self, name: &str) -> Option<Cow<'a, str>> {
        let mut more = true;
        while more {
            if self.key()? == name {
                return self.string();
            }
            self.skip()?;
            more = self.more(b'{')?;
        }
        None
    }

    /// The members of the object that begins here, each value untouched.
    pub fn members(&mut self) -> Option<Vec<(Cow<'a, str>, &'a str)>> {
        let mut members = Vec::new();
        let mut more = self.enter(b'{')?;
        while more {
            members.push((self.key()?, self.skip()?));
            more = self.more(b'{')?;
        }
        Some(members)
    }

    /// The items of the list that begins here, untouched.
    pub fn items(&mut self) -> Option<Vec<&'a str>> {
        let mut items = Vec::new();
        let mut more = self.enter(b'[')?;
        while more {
            items.push(self.skip()?);
            more = self.more(b'[')?;
        }
        Some(items)
    }
}

/// What a byte after a backslash stands for; 0 for the rest.
const ESCAPES: [u8; 256] = {
    let mut table = [0; 256];
    let pairs = *b"\"\"\\\\//n\nt\tr\rb\x08f\x0c";
    let mut at = 0;
    while at < pairs.len() {
        table[pairs[at] as usize] = pairs[at + 1];
        at += 2;
    }
    table
};

/// A bit for each quote, backslash and control character.
#[inline]
fn specials(block: &[u8; BLOCK]) -> u64 {
    let (parts, _) = block.as_chunks::<16>();
    parts.iter().rev().fold(0, |found, part| {
        let part = u8x16::new(*part);
        // Flipping this bit puts the quote, 0x22, just above the control characters.
        let flipped = part ^ u8x16::splat(0x02);
        let low = flipped.min(u8x16::splat(0x20)).simd_eq(flipped);
        let escape = part.simd_eq(u8x16::splat(b'\\'));
        found << 16 | u64::from((low | escape).to_bitmask())
    })
}

/// The same for less than a block.
#[cold]
fn short_specials(bytes: &[u8]) -> u64 {
    let mut block = [b' '; BLOCK];
    block[..bytes.len()].copy_from_slice(bytes);
    specials(&block)
}

/// Appends a part of `text`. A short one is copied with what follows, which is then cut off: a copy
/// of fixed length is no call.
#[inline]
fn append(to: &mut String, text: &str, start: usize, end: usize) {
    match text.get(start..start + PIECE) {
        Some(piece) if end - start <= PIECE => {
            let length = to.len() + (end - start);
            to.push_str(piece);
            to.truncate(length);
        }
        _ => to.push_str(&text[start..end]),
    }
}

#[cfg(test)]
mod tests;
