//! Takes secrets out of text: those that are known, and what looks like one.

use std::borrow::Cow;
use std::sync::{Arc, PoisonError, RwLock};

use memchr::memmem::Finder;

/// What stands in place of a secret.
const REDACTED: &str = "[redacted]";
/// What is shorter is in too many texts to be a secret.
const SHORTEST: usize = 8;

/// The same for what begins like a key.
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
    ("x-api-key: ", Shape::Token),
    ("x-api-key=", Shape::Token),
    ("api_key=", Shape::Token),
    ("api_key\":\"", Shape::Token),
    ("token=", Shape::Token),
    ("token\":\"", Shape::Token),
    ("/login#", Shape::Token),
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
    /// `name=value; name=value`: the names stay.
    Cookies,
}

/// The secrets of this process. Clones are the same ones.
#[derive(Clone, Default)]
pub struct Secrets(Arc<RwLock<Vec<Finder<'static>>>>);

/// A secret that would be found everywhere.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a secret of {0} bytes cannot be kept out of logs: use one of at least {SHORTEST}")]
pub struct TooShort(usize);

/// Says how many there are; not which.
impl std::fmt::Debug for Secrets {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let count = self.0.read().unwrap_or_else(PoisonError::into_inner).len();
        f.debug_struct("Secrets").field("count", &count).finish()
    }
}

impl Secrets {
    /// From now on this is never shown; nor in the form that JSON gives it, nor as JSON within JSON,
    /// which is how a quoted value looks in a line of a JSON log.
    pub fn register(&self, secret: &str) -> Result<(), TooShort> {
        if secret.len() < SHORTEST {
            return Err(TooShort(secret.len()));
        }
        let escaped = escaped(secret);
        let twice = self::escaped(&escaped);
        let mut known = self.0.write().unwrap_or_else(PoisonError::into_inner);
        for form in [secret, &*escaped, &*twice] {
            if !known.iter().any(|finder| finder.needle() == form.as_bytes()) {
                known.push(Finder::new(form).into_owned());
            }
        }
        // Of two of which one holds the other, the whole one is to be found first.
        known.sort_by_key(|finder| std::cmp::Reverse(finder.needle().len()));
        Ok(())
    }

    /// The text without secrets.
    pub fn redact<'t>(&self, text: &'t str) -> Cow<'t, str> {
        let mut text = Cow::Borrowed(text);
        for finder in self.0.read().unwrap_or_else(PoisonError::into_inner).iter() {
            let length = finder.needle().len();
            let found: Vec<_> =
                finder.find_iter(text.as_bytes()).map(|at| (at, at + length)).collect();
            replace(&mut text, &found);
        }
        let found = marked(&text);
        replace(&mut text, &found);
        text
    }
}

/// As it stands between the quotes of a JSON string.
fn escaped(text: &str) -> String {
    let quoted = serde_json::to_string(text).unwrap_or_default();
    let inner = quoted.strip_prefix('"').and_then(|rest| rest.strip_suffix('"'));
    inner.unwrap_or(text).to_owned()
}

/// Places in ascending order that do not overlap.
fn replace(text: &mut Cow<'_, str>, places: &[(usize, usize)]) {
    if places.is_empty() {
        return;
    }
    let mut out = String::with_capacity(text.len());
    let mut done = 0;
    for &(from, to) in places {
        out.push_str(&text[done..from]);
        out.push_str(REDACTED);
        done = to;
    }
    out.push_str(&text[done..]);
    *text = Cow::Owned(out);
}

/// Where secrets stand that are known by what is before them.
fn marked(text: &str) -> Vec<(usize, usize)> {
    let lower = text.to_ascii_lowercase();
    let mut found = Vec::new();
    for (mark, shape) in MARKS {
        for at in memchr::memmem::find_iter(lower.as_bytes(), mark) {
            let from = at + mark.len();
            match shape {
                Shape::Key => {
                    let end = token_end(text, from);
                    if end - at >= SHORTEST_KEY {
                        found.push((at, end));
                    }
                }
                Shape::Token => found.push((from, token_end(text, from))),
                Shape::Cookies => cookie_values(text, from, &mut found),
            }
        }
    }
    found.retain(|(from, to)| to > from && &text[*from..*to] != REDACTED);
    found.sort_unstable();
    // What lies in another one is gone with it; what overlaps becomes one.
    found.dedup_by(|next, before| {
        let overlaps = next.0 < before.1;
        if overlaps {
            before.1 = before.1.max(next.1);
        }
        overlaps
    });
    found
}

fn token_end(text: &str, from: usize) -> usize {
    let is_part = |byte: u8| byte.is_ascii_alphanumeric() || b"-._~+/=%".contains(&byte);
    let rest = &text.as_bytes()[from..];
    from + rest.iter().position(|byte| !is_part(*byte)).unwrap_or(rest.len())
}

/// Up to the end of the header. Where that cannot be told, too much is taken rather than too little.
fn cookie_values(text: &str, from: usize, found: &mut Vec<(usize, usize)>) {
    let rest = &text[from..];
    let end = rest.find(['"', '\n', '\r', ',']).unwrap_or(rest.len());
    let mut at = from;
    for pair in rest[..end].split(';') {
        if let Some(equals) = pair.find('=') {
            found.push((at + equals + 1, at + pair.len()));
        }
        at += pair.len() + 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, expected: &str) {
        assert_eq!(Secrets::default().redact(text), expected);
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
        check("Cookie: a=1; session=xyz", "Cookie: a=[redacted]; session=[redacted]");
        check("set-cookie: ph=v; HttpOnly", "set-cookie: ph=[redacted]; HttpOnly");
    }

    #[test]
    fn other_text_stays_and_is_not_copied() {
        let plain = "42 tokens were used; the cookie jar is empty, Bär … 日本";
        assert!(matches!(Secrets::default().redact(plain), Cow::Borrowed(text) if text == plain));
        check("", "");
        check("Bearer ", "Bearer ");
    }

    #[test]
    fn what_is_registered_is_taken_out_everywhere() {
        let secrets = Secrets::default();
        secrets.register("hunter2hunter2").unwrap();
        secrets.register("with \"quotes\" in it").unwrap();
        secrets.register("hunter2hunter2-longer").unwrap();
        let text = "ahunter2hunter2b hunter2hunter2-longer with \"quotes\" in it \
                    {\"x\":\"with \\\"quotes\\\" in it\"}";
        let redacted = secrets.redact(text);
        assert_eq!(redacted, "a[redacted]b [redacted] [redacted] {\"x\":\"[redacted]\"}");
        assert_eq!(secrets.register("short").unwrap_err(), TooShort(5));
        assert_eq!(format!("{secrets:?}"), "Secrets { count: 5 }");
    }

    #[test]
    fn redacting_again_changes_nothing() {
        let secrets = Secrets::default();
        let once = secrets.redact("Bearer abcdef, Cookie: a=b").into_owned();
        assert_eq!(secrets.redact(&once), once);
    }
}
