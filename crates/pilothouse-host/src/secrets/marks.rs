//! Redacts text that looks like a secret: keys with a known beginning, and what follows the name of
//! a secret.

use std::borrow::Cow;

use super::known::{REDACTED, merge, replace};

/// A shorter word that begins like a key is just a word.
const SHORTEST_KEY: usize = 12;

/// What begins a secret, whatever the case, and which bytes it has.
const MARKS: &[(&str, Shape)] = &[
    ("bearer ", Shape::Token),
    ("basic ", Shape::Token),
    ("sk-ant-", Shape::Key),
    ("ghp_", Shape::Key),
    ("gho_", Shape::Key),
    ("github_pat_", Shape::Key),
    ("xoxb-", Shape::Key),
    ("eyj", Shape::Key),
    ("/login#", Shape::Token),
    ("x-api-key", Shape::Named),
    ("api_key", Shape::Named),
    ("api-key", Shape::Named),
    ("apikey", Shape::Named),
    ("token", Shape::Named),
    ("password", Shape::Named),
    ("secret", Shape::Named),
    ("cookie: ", Shape::Cookies),
    ("cookie=", Shape::Cookies),
    ("cookie\":\"", Shape::Cookies),
];

#[derive(Clone, Copy)]
enum Shape {
    /// The mark is part of it; what is too short is a word that happens to begin so.
    Key,
    /// Letters, digits and what else tokens have.
    Token,
    /// The name of a value: `name=value`, or as in JSON.
    Named,
    /// `name=value; name=value`: the names stay.
    Cookies,
}

/// Replaces what looks like a secret.
pub(super) fn redact(text: &str) -> Cow<'_, str> {
    replace(text, &marked(text))
}

/// Where secrets stand that are known by what is before them.
fn marked(text: &str) -> Vec<(usize, usize)> {
    let mut found = candidates(text);
    found.retain(|(from, to)| to > from && &text[*from..*to] != REDACTED);
    merge(found)
}

/// What each mark finds. Spans of one mark do not overlap, so that a text full of marks takes time
/// and memory by its length: a mark whose secret lies in the span of the one before is skipped.
fn candidates(text: &str) -> Vec<(usize, usize)> {
    let lower = text.to_ascii_lowercase();
    let mut found = Vec::new();
    for (mark, shape) in MARKS {
        // The end of the last span.
        let mut done = 0;
        for at in memchr::memmem::find_iter(lower.as_bytes(), mark) {
            let from = at + mark.len();
            match shape {
                Shape::Key if at < done => {}
                Shape::Key => {
                    done = token_end(text, from);
                    if done - at >= SHORTEST_KEY {
                        found.push((at, done));
                    }
                }
                Shape::Token => found.push((from, token_end(text, from))),
                Shape::Named => {
                    if let Some(span) = named_value(text, mark, from, done) {
                        done = span.1;
                        found.push(span);
                    }
                }
                Shape::Cookies if from < done => {}
                Shape::Cookies => done = cookie_values(text, from, &mut found),
            }
        }
    }
    found
}

fn token_end(text: &str, from: usize) -> usize {
    let is_part = |byte: u8| byte.is_ascii_alphanumeric() || b"-._~+/=%".contains(&byte);
    let rest = &text.as_bytes()[from..];
    from + rest.iter().position(|byte| !is_part(*byte)).unwrap_or(rest.len())
}

/// The value after a name: `name=value`, `"name":"value"`, and the same with escaped quotes. After a
/// colon only what is quoted counts, since prose has colons too; a header's value is never quoted.
/// None for a value that begins before `done`.
fn named_value(text: &str, name: &str, from: usize, done: usize) -> Option<(usize, usize)> {
    let bytes = text.as_bytes();
    let skip = |at: usize, which: &[u8]| {
        at + bytes[at..].iter().position(|byte| !which.contains(byte)).unwrap_or(bytes.len() - at)
    };
    let after_quote = |at: usize| {
        let at = skip(at, b"\\");
        if bytes.get(at).is_some_and(|byte| b"\"'".contains(byte)) { at + 1 } else { at }
    };
    let sign = skip(after_quote(from), b" ");
    let is_colon = match bytes.get(sign)? {
        b':' => true,
        b'=' => false,
        _ => return None,
    };
    let value = skip(sign + 1, b" ");
    if value < done {
        return None;
    }
    let start = after_quote(value);
    if start == value {
        let counts = !is_colon || name.starts_with("x-");
        return counts.then(|| (value, token_end(text, value)));
    }
    let end = text[start..].find(['"', '\'', '\\', '\n']).map_or(text.len(), |at| start + at);
    Some((start, end))
}

/// Up to the end of the header, which is returned. Where the end is not clear, too much is taken
/// rather than too little.
fn cookie_values(text: &str, from: usize, found: &mut Vec<(usize, usize)>) -> usize {
    let rest = &text[from..];
    let end = rest.find(['"', '\n', '\r', ',']).unwrap_or(rest.len());
    let mut at = from;
    for pair in rest[..end].split(';') {
        if let Some(equals) = pair.find('=') {
            found.push((at + equals + 1, at + pair.len()));
        }
        at += pair.len() + 1;
    }
    from + end
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, expected: &str) {
        assert_eq!(redact(text), expected);
    }

    #[test]
    fn what_looks_like_a_secret_is_taken_out() {
        check("Authorization: Bearer abc.DEF-12_3=", "Authorization: Bearer [redacted]");
        check("authorization: bearer abc, x", "authorization: bearer [redacted], x");
        check("key sk-ant-api03-AbC_d-e is", "key [redacted] is");
        check("x-api-key: sk-ant-1 end", "x-api-key: [redacted] end");
        check("ghp_0123456789 eyJhbGciOiJIUzI1NiJ9.e30.x", "[redacted] [redacted]");
        check("sk-ant- is how keys begin", "sk-ant- is how keys begin");
        check("GET /login#one.time ok", "GET /login#[redacted] ok");
        check("{\"token\":\"abc\",\"n\":1}", "{\"token\":\"[redacted]\",\"n\":1}");
        check(r#"{"authorization":"Bearer abc123"}"#, r#"{"authorization":"Bearer [redacted]"}"#);
        check(
            r#"{\"authorization\":\"Bearer abc123\"}"#,
            r#"{\"authorization\":\"Bearer [redacted]\"}"#,
        );
        check(r#"{"Authorization": "Basic YTpi"}"#, r#"{"Authorization": "Basic [redacted]"}"#);
        check(r#"{"x-api-key": "p@ss w0rd"}"#, r#"{"x-api-key": "[redacted]"}"#);
        check(r#"{\"access_token\": \"a b\"}"#, r#"{\"access_token\": \"[redacted]\"}"#);
        check("PASSWORD='p@ss' x", "PASSWORD='[redacted]' x");
        check("api_key=abc&token=def", "api_key=[redacted]&token=[redacted]");
        check("Cookie: a=1; session=xyz", "Cookie: a=[redacted]; session=[redacted]");
        check("set-cookie: ph=v; HttpOnly", "set-cookie: ph=[redacted]; HttpOnly");
    }

    #[test]
    fn other_text_stays_and_is_not_copied() {
        let plain = "42 tokens were used; the cookie jar is empty, Bär … 日本";
        assert!(matches!(redact(plain), Cow::Borrowed(text) if text == plain));
        check(r#"{"token":"","n":1}"#, r#"{"token":"","n":1}"#);
        check("the token: expected a string", "the token: expected a string");
        check("token", "token");
        check("", "");
        check("Bearer ", "Bearer ");
    }

    #[test]
    fn a_mark_at_the_end_of_a_value_counts() {
        check("a_token=token=\"x y\" z", "a_token=[redacted]\"[redacted]\" z");
        check("echo \"token=\"; token=\"x\"", "echo \"token=\"[redacted]\"[redacted]\"");
        check("cookie: a=1\ncookie: b=2", "cookie: a=[redacted]\ncookie: b=[redacted]");
        check("cookie=a=1; cookie=b=2", "cookie=a=[redacted]; cookie=[redacted]");
    }

    /// The text of every mark again and again, and so the work of a scan that begins at each anew.
    #[test]
    fn work_grows_with_the_length_of_the_text() {
        for piece in [
            "cookie=a;",
            "cookie: a=",
            "cookie\":\"a=",
            "token=",
            "token:\"",
            "token=\"a ",
            "token=\\",
            "eyj",
            "sk-ant-",
            "bearer ",
            "/login#",
            "x-api-key: api_key=",
            "api_key\\\"=",
        ] {
            let text = piece.repeat(1_000_000 / piece.len());
            let found = candidates(&text);
            let bytes: usize = found.iter().map(|(from, to)| to.saturating_sub(*from)).sum();
            assert!(found.len() <= text.len(), "{piece}: {} spans", found.len());
            assert!(bytes <= MARKS.len() * text.len(), "{piece}: {bytes} bytes");
        }
    }
}
