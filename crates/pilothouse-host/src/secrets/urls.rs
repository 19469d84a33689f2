//! The secrets of a URL: its credentials and the values of its query.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;

use super::forms::percent_decoded;
use super::names::{is_number, is_secret_name, may_be_secret};

/// A URL, cut where its secrets are.
pub(super) struct Url<'t> {
    /// The scheme with `://`.
    scheme: &'t str,
    user: Option<&'t str>,
    password: Option<&'t str>,
    /// Host, port and path.
    place: &'t str,
    query: Option<&'t str>,
    fragment: Option<&'t str>,
}

impl<'t> Url<'t> {
    /// None for a text that is no URL with a host.
    pub(super) fn read(text: &'t str) -> Option<Self> {
        let at = text.find("://")?;
        let (scheme, rest) = text.split_at(at + 3);
        let is_scheme = |byte: u8| byte.is_ascii_alphanumeric() || b"+-.".contains(&byte);
        let begins = scheme.starts_with(|first: char| first.is_ascii_alphabetic());
        if !begins || !scheme[..at].bytes().all(is_scheme) || rest.contains(char::is_whitespace) {
            return None;
        }
        let (rest, fragment) = split(rest, '#');
        let (rest, query) = split(rest, '?');
        let host_end = rest.find('/').unwrap_or(rest.len());
        let (user, place) = match rest[..host_end].rfind('@') {
            Some(at) => (Some(&rest[..at]), &rest[at + 1..]),
            None => (None, rest),
        };
        let (user, password) = match user.map(|user| split(user, ':')) {
            Some((user, password)) => (Some(user), password),
            None => (None, None),
        };
        Some(Self { scheme, user, password, place, query, fragment })
    }

    /// The user where it is a token: there is no password, or one that stands for none. Other schemes
    /// than HTTP have a name there.
    fn token(&self) -> Option<&'t str> {
        let scheme = self.scheme.trim_end_matches("://");
        let scheme = scheme.rsplit_once('+').map_or(scheme, |(_, scheme)| scheme);
        let is_http = ["http", "https"].iter().any(|it| scheme.eq_ignore_ascii_case(it));
        let has_none = self.password.is_none_or(|it| it.is_empty() || it == "x-oauth-basic");
        self.user.filter(|_| is_http && has_none)
    }

    /// Credentials, values of the query, and the forms in which they are sent. A number in a query
    /// counts if its name is that of a secret.
    pub(super) fn secrets(&self) -> Vec<String> {
        let mut found: Vec<String> = Vec::new();
        let mut put = |value: &str| {
            found.extend(percent_decoded(value));
            found.push(value.to_owned());
        };
        if let Some(token) = self.token() {
            put(token);
        } else if let (Some(user), Some(password)) = (self.user, self.password) {
            put(password);
            put(&STANDARD.encode(format!("{user}:{password}")));
        }
        for pairs in [self.query, self.fragment].into_iter().flatten() {
            pairs
                .split('&')
                .filter_map(|pair| pair.split_once('='))
                .filter(|(name, value)| !is_number(value) || is_secret_name(name))
                .for_each(|(_, value)| put(value));
        }
        found.retain(|value| may_be_secret(value));
        found
    }

    /// The URL with `mask` in place of its secrets, whatever their length.
    pub(super) fn masked(&self, mask: &str) -> String {
        let pairs = |begin: char, pairs: Option<&str>| match pairs {
            Some(pairs) => {
                let masked = pairs.split('&').map(|pair| match pair.split_once('=') {
                    Some((name, value)) if !value.is_empty() => format!("{name}={mask}"),
                    _ => pair.to_owned(),
                });
                format!("{begin}{}", masked.collect::<Vec<_>>().join("&"))
            }
            None => String::new(),
        };
        let user = match (self.user, self.password) {
            _ if self.token().is_some() => format!(":{mask}@"),
            (Some(user), Some(_)) => format!("{user}:{mask}@"),
            (Some(user), None) => format!("{user}@"),
            _ => String::new(),
        };
        let (query, fragment) = (pairs('?', self.query), pairs('#', self.fragment));
        format!("{}{user}{}{query}{fragment}", self.scheme, self.place)
    }
}

fn split(text: &str, at: char) -> (&str, Option<&str>) {
    text.split_once(at).map_or((text, None), |(before, after)| (before, Some(after)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn credentials_and_query_values_are_found_and_masked() {
        for (text, secrets, masked) in [
            ("https://h/p?key=abcdefgh", &["abcdefgh"][..], "https://h/p?key=***"),
            (
                "https://h/p?a=1&k=abc%2Fdefgh&e=",
                &["abc/defgh", "abc%2Fdefgh"],
                "https://h/p?a=***&k=***&e=",
            ),
            (
                "postgres://me:pass%20word@h:1/d",
                &["pass word", "pass%20word"],
                "postgres://me:***@h:1/d",
            ),
            ("https://ghp_abcdef@h/", &["ghp_abcdef"], "https://:***@h/"),
            ("git+https://ghp_abcdef:x-oauth-basic@h/", &["ghp_abcdef"], "git+https://:***@h/"),
            ("https://sk_live_abc:@h/", &["sk_live_abc"], "https://:***@h/"),
            ("postgres://postgres@localhost/db", &[], "postgres://postgres@localhost/db"),
            ("redis://:12345678@h", &["12345678"], "redis://:***@h"),
            ("https://h/?token=1234567890", &["1234567890"], "https://h/?token=***"),
            ("https://h/#access_token=abcdefgh", &["abcdefgh"], "https://h/#access_token=***"),
            ("https://h/a@b?d=20260101", &[], "https://h/a@b?d=***"),
            ("https://h/plain", &[], "https://h/plain"),
        ] {
            let url = Url::read(text).unwrap();
            let found = url.secrets();
            for secret in secrets {
                assert!(found.contains(&(*secret).to_owned()), "{secret} of {text}: {found:?}");
            }
            assert_eq!(found.is_empty(), secrets.is_empty(), "{found:?}");
            assert_eq!(url.masked("***"), masked);
        }
        for text in ["", "no url", "see https://h/?a=b c", "://h", "a b://h"] {
            assert!(Url::read(text).is_none(), "{text}");
        }
    }
}
