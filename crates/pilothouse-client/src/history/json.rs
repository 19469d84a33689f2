//! A forgiving reader of JSON text, for lines that may be cut off or hold what strict readers
//! refuse.
//!
//! Promises: never fails, never recurses, never copies a value it only walks over. Lone
//! surrogates become U+FFFD, repeated keys resolve to the last one, numbers are never parsed, and
//! text that ends in the middle of a value gives the part that is there. Whether a line is JSON at
//! all is a separate question: [`is_json`].

use std::borrow::Cow;

use serde_json::value::RawValue;

/// Whether `text` is one complete JSON value.
///
/// Goes through `RawValue`, which accepts lone surrogates, any number and any depth.
pub(super) fn is_json(text: &str) -> bool {
    serde_json::from_str::<&RawValue>(text).is_ok()
}

/// The raw text of one JSON value, possibly cut off at its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Value<'a>(&'a str);

impl<'a> Value<'a> {
    pub(super) fn new(text: &'a str) -> Self {
        Self(text.trim_ascii())
    }

    /// The text as it stands in the file.
    pub(super) fn raw(self) -> &'a str {
        self.0
    }

    /// The decoded string, when this is one.
    pub(super) fn text(self) -> Option<Cow<'a, str>> {
        let inner = self.0.strip_prefix('"')?;
        let end = string_end(inner.as_bytes(), 0).map_or(inner.len(), |after| after - 1);
        Some(decode(&inner[..end]))
    }

    /// The decoded string, when this is one and its closing quote is there.
    pub(super) fn whole_text(self) -> Option<Cow<'a, str>> {
        let inner = self.0.strip_prefix('"')?;
        string_end(inner.as_bytes(), 0)?;
        self.text()
    }

    /// How the decoded string begins, when this is one.
    pub(super) fn opening(self) -> Option<Cow<'a, str>> {
        let mut end = self.0.len().min(Self::OPENING);
        while !self.0.is_char_boundary(end) {
            end -= 1;
        }
        Value(&self.0[..end]).text()
    }

    /// Enough for every tag and note that text is recognised by.
    const OPENING: usize = 256;

    pub(super) fn is_true(self) -> bool {
        self.0 == "true"
    }

    pub(super) fn is_object(self) -> bool {
        self.0.starts_with('{')
    }

    pub(super) fn is_array(self) -> bool {
        self.0.starts_with('[')
    }

    /// JavaScript's idea of true, which is what the CLI tests its flags with.
    pub(super) fn is_truthy(self) -> bool {
        !matches!(self.0, "" | "false" | "null" | "0" | "\"\"")
    }

    /// The members of an object; nothing for any other value.
    pub(super) fn members(self) -> Members<'a> {
        Members { text: self.0, at: if self.is_object() { 1 } else { self.0.len() } }
    }

    /// The items of an array; nothing for any other value.
    pub(super) fn items(self) -> Items<'a> {
        Items { text: self.0, at: if self.is_array() { 1 } else { self.0.len() } }
    }

    /// The member called `key`: the last one, when the key repeats.
    pub(super) fn get(self, key: &str) -> Option<Value<'a>> {
        self.members().filter(|member| member.is(key)).last().map(|member| member.value)
    }
}

/// One `key: value` of an object.
#[derive(Clone, Copy, Debug)]
pub(super) struct Member<'a> {
    /// The key between its quotes, still escaped.
    raw_key: &'a str,
    pub(super) value: Value<'a>,
}

impl<'a> Member<'a> {
    pub(super) fn is(&self, key: &str) -> bool {
        self.key() == key
    }

    /// The key.
    pub(super) fn key(&self) -> Cow<'a, str> {
        decode(self.raw_key)
    }

    /// The key with its quotes, as it stands in the file.
    pub(super) fn raw_key(&self) -> &'a str {
        self.raw_key
    }
}

/// Iterator over the members of an object.
#[derive(Clone, Debug)]
pub(super) struct Members<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> Iterator for Members<'a> {
    type Item = Member<'a>;

    fn next(&mut self) -> Option<Member<'a>> {
        let bytes = self.text.as_bytes();
        let key_start = skip_to_item(bytes, self.at)?;
        if bytes[key_start] != b'"' {
            self.at = bytes.len();
            return None;
        }
        let Some(after_key) = string_end(bytes, key_start + 1) else {
            self.at = bytes.len();
            return None;
        };
        let raw_key = &self.text[key_start + 1..after_key - 1];
        let colon = skip_space(bytes, after_key);
        let start = skip_space(bytes, colon + 1);
        if bytes.get(colon) != Some(&b':') || start >= bytes.len() {
            self.at = bytes.len();
            return None;
        }
        self.at = value_end(bytes, start);
        Some(Member { raw_key, value: Value(self.text[start..self.at].trim_ascii_end()) })
    }
}

/// Iterator over the items of an array.
#[derive(Clone, Debug)]
pub(super) struct Items<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> Iterator for Items<'a> {
    type Item = Value<'a>;

    fn next(&mut self) -> Option<Value<'a>> {
        let bytes = self.text.as_bytes();
        let start = skip_to_item(bytes, self.at)?;
        self.at = value_end(bytes, start);
        Some(Value(self.text[start..self.at].trim_ascii_end()))
    }
}

fn skip_space(bytes: &[u8], mut at: usize) -> usize {
    while bytes.get(at).is_some_and(u8::is_ascii_whitespace) {
        at += 1;
    }
    at
}

/// The start of the next item, or `None` where the container (or the text) ends.
fn skip_to_item(bytes: &[u8], mut at: usize) -> Option<usize> {
    while bytes.get(at).is_some_and(|byte| byte.is_ascii_whitespace() || *byte == b',') {
        at += 1;
    }
    match bytes.get(at) {
        None | Some(b'}' | b']') => None,
        Some(_) => Some(at),
    }
}

/// The index after the closing quote of a string whose content starts at `at`.
fn string_end(bytes: &[u8], mut at: usize) -> Option<usize> {
    loop {
        at += memchr::memchr2(b'"', b'\\', bytes.get(at..)?)?;
        if bytes[at] == b'"' {
            return Some(at + 1);
        }
        at += 2;
    }
}

/// The index after the value that starts at `at`; the end of the text when it is cut off.
fn value_end(bytes: &[u8], start: usize) -> usize {
    let mut at = start;
    let mut depth = 0_usize;
    while let Some(byte) = bytes.get(at) {
        match byte {
            b'"' => {
                at = string_end(bytes, at + 1).unwrap_or(bytes.len());
                if depth == 0 {
                    return at;
                }
                continue;
            }
            b'{' | b'[' => depth += 1,
            b'}' | b']' if depth == 0 => return at,
            b'}' | b']' if depth == 1 => return at + 1,
            b'}' | b']' => depth -= 1,
            b',' if depth == 0 => return at,
            _ => {}
        }
        at += 1;
    }
    bytes.len()
}

/// Decodes the inside of a string literal. Broken escapes are kept as they stand.
fn decode(inner: &str) -> Cow<'_, str> {
    let Some(first) = inner.find('\\') else {
        return Cow::Borrowed(inner);
    };
    let mut out = String::with_capacity(inner.len());
    let mut rest = inner;
    let mut next = Some(first);
    while let Some(at) = next {
        out.push_str(&rest[..at]);
        rest = &rest[at + 1..];
        let (decoded, used) = escape(rest);
        out.push_str(decoded.encode_utf8(&mut [0; 4]));
        rest = &rest[used..];
        next = rest.find('\\');
    }
    out.push_str(rest);
    Cow::Owned(out)
}

/// The character an escape stands for, and how many bytes after the backslash it used.
fn escape(after: &str) -> (char, usize) {
    let plain = match after.as_bytes().first() {
        Some(b'n') => '\n',
        Some(b't') => '\t',
        Some(b'r') => '\r',
        Some(b'b') => '\u{8}',
        Some(b'f') => '\u{c}',
        Some(b'u') => return unicode_escape(after),
        Some(byte @ (b'"' | b'\\' | b'/')) => char::from(*byte),
        _ => return ('\\', 0),
    };
    (plain, 1)
}

fn unicode_escape(after: &str) -> (char, usize) {
    let Some(unit) = hex4(after, 1) else {
        return ('\\', 0);
    };
    if let Some(plain) = char::from_u32(unit) {
        return (plain, 5);
    }
    let low = after.get(5..7).filter(|mark| *mark == "\\u").and_then(|_| hex4(after, 7));
    match low {
        Some(low @ 0xDC00..=0xDFFF) if unit < 0xDC00 => {
            let joined = 0x1_0000 + ((unit - 0xD800) << 10) + (low - 0xDC00);
            (char::from_u32(joined).unwrap_or(char::REPLACEMENT_CHARACTER), 11)
        }
        _ => (char::REPLACEMENT_CHARACTER, 5),
    }
}

fn hex4(text: &str, at: usize) -> Option<u32> {
    let digits = text.get(at..at + 4)?;
    digits.bytes().all(|byte| byte.is_ascii_hexdigit()).then_some(())?;
    u32::from_str_radix(digits, 16).ok()
}

/// A string as a JSON literal, quotes included.
pub(super) fn quoted(text: &str) -> String {
    serde_json::Value::String(text.to_owned()).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text_of(json: &str) -> Option<String> {
        Value::new(json).text().map(Cow::into_owned)
    }

    #[test]
    fn decodes_strings() {
        assert_eq!(text_of(r#""a\n\"\\\/\u00e9""#).as_deref(), Some("a\n\"\\/é"));
        assert_eq!(text_of(r#""\ud83d\ude00!""#).as_deref(), Some("😀!"));
        assert_eq!(text_of(r#""x\ud83d""#).as_deref(), Some("x\u{fffd}"));
        assert_eq!(text_of(r#""\ude00\ud83dA""#).as_deref(), Some("\u{fffd}\u{fffd}A"));
        assert_eq!(text_of(r#""\ud83dA""#).as_deref(), Some("\u{fffd}A"));
        assert_eq!(text_of("12"), None);
    }

    #[test]
    fn decodes_strings_that_are_cut_off() {
        assert_eq!(text_of(r#""abc"#).as_deref(), Some("abc"));
        assert_eq!(text_of(r#""abc\"#).as_deref(), Some("abc\\"));
        assert_eq!(text_of(r#""abc\u12"#).as_deref(), Some("abc\\u12"));
        assert_eq!(text_of(r#"""#).as_deref(), Some(""));
        assert_eq!(Value::new(r#""abc"#).whole_text(), None);
        assert_eq!(Value::new(r#""abc"#).whole_text(), None);
        assert_eq!(Value::new(r#""abc""#).whole_text().as_deref(), Some("abc"));
    }

    #[test]
    fn openings_are_short() {
        let long = format!("\"tag{}\"", "é".repeat(200));
        let opening = Value::new(&long).opening().map(Cow::into_owned).unwrap_or_default();
        assert!(opening.starts_with("tagéé") && opening.len() < 256);
        assert_eq!(Value::new("\"ab\"").opening().as_deref(), Some("ab"));
        assert_eq!(Value::new("7").opening(), None);
    }

    #[test]
    fn walks_members() {
        let object = Value::new(r#" { "a" : 1 , "b":{"a":[1,{"x":"}"}]}, "c":[] ,"a":"last"} "#);
        let seen: Vec<_> = object.members().map(|m| (m.raw_key(), m.value.raw())).collect();
        assert_eq!(
            seen,
            [("a", "1"), ("b", r#"{"a":[1,{"x":"}"}]}"#), ("c", "[]"), ("a", "\"last\"")]
        );
        assert_eq!(object.get("a").and_then(Value::text).as_deref(), Some("last"));
        assert!(object.get("x").is_none());
    }

    #[test]
    fn walks_objects_that_are_cut_off() {
        let cut = Value::new(r#"{"type":"user","message":{"content":[{"type":"text","text":"hal"#);
        assert_eq!(cut.get("type").and_then(Value::text).as_deref(), Some("user"));
        let content = cut.get("message").and_then(|message| message.get("content"));
        let first = content.and_then(|content| content.items().next());
        assert_eq!(
            first.and_then(|block| block.get("text")).and_then(Value::text).as_deref(),
            Some("hal")
        );
        for end in 0..cut.raw().len() {
            let part = Value::new(&cut.raw()[..end]);
            assert!(part.members().count() <= 2);
        }
    }

    #[test]
    fn junk_ends_the_walk() {
        for junk in ["", "{", "{,", "{]", "{\"a\"", "{\"a\":", "{\"a\" 1}", "{1:2}", "[", "[,", "x"]
        {
            assert_eq!(Value::new(junk).members().count(), 0, "{junk}");
        }
        assert_eq!(Value::new("[1,\"a\",{},[2]").items().count(), 4);
        assert_eq!(Value::new("[1 2]").items().count(), 1);
    }

    #[test]
    fn escaped_keys_match() {
        assert!(Value::new(r#"{"ty\u0070e":1}"#).get("type").is_some());
    }

    #[test]
    fn accepts_what_strict_readers_refuse() {
        assert!(is_json(r#"{"a":"\ud83d","n":1e999,"a":2}"#));
        assert!(is_json(&format!("{}{}", "[".repeat(5000), "]".repeat(5000))));
        assert!(!is_json(r#"{"a":1"#));
        assert!(!is_json(""));
    }
}
