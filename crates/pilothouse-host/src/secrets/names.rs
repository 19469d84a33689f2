//! Decides by name and value what is a secret.
//!
//! A value counts if its name or its place says so and it has at least eight characters. Paths,
//! locales and references to variables never count: redacting those would take half of a transcript
//! away and protect nothing. `docs/guide/security.md` has the rules for users.

/// Shorter values occur in too many texts.
pub(super) const SHORTEST: usize = 8;

/// Words that make a name the name of a secret.
const WORDS: &[&str] = &[
    "KEY",
    "KEYS",
    "TOKEN",
    "TOKENS",
    "SECRET",
    "SECRETS",
    "PASSWORD",
    "PASSWORDS",
    "PASSWD",
    "PASSPHRASE",
    "PASSCODE",
    "PASS",
    "PWD",
    "PAT",
    "AUTH",
    "OAUTH",
    "AUTHORIZATION",
    "BEARER",
    "CREDENTIAL",
    "CREDENTIALS",
    "CREDS",
    "COOKIE",
    "COOKIES",
];

/// The same where they end a word, as in `PGPASSWORD` and `apikey`.
const ENDINGS: &[&str] = &[
    "APIKEY",
    "ACCESSKEY",
    "SECRETKEY",
    "PRIVATEKEY",
    "AUTHKEY",
    "TOKEN",
    "SECRET",
    "PASSWORD",
    "PASSWD",
    "PASSPHRASE",
    "PASS",
    "CREDENTIALS",
];

/// Words that end like a password and are none.
const ORDINARY: &[&str] = &["BYPASS", "COMPASS", "OVERPASS", "SURPASS", "UNDERPASS"];

/// A name that ends so names a place or a program.
const PLACES: &[&str] =
    &["FILE", "FILES", "PATH", "DIR", "DIRECTORY", "SOCK", "SOCKET", "HELPER", "COMMAND"];

/// A number of these is how many there may be.
const COUNTED: &str = "TOKENS";

/// Headers whose values everybody knows.
const HARMLESS: &[&str] = &[
    "accept",
    "cache-control",
    "connection",
    "content-length",
    "content-type",
    "host",
    "origin",
    "referer",
    "user-agent",
];

/// Whether a name is that of a secret: of a variable, a flag, a field, a parameter.
pub(super) fn is_secret_name(name: &str) -> bool {
    let words = words(name);
    let is_place = words.last().is_some_and(|last| PLACES.contains(&last.as_str()));
    !is_place && words.iter().any(|word| is_secret_word(word))
}

/// Whether the value of this name is a secret.
pub(super) fn is_secret(name: &str, value: &str) -> bool {
    let is_count = || is_number(value) && words(name).iter().any(|word| word == COUNTED);
    // The working directory, not a password.
    let is_directory = || name == "PWD" && value.starts_with('/');
    is_secret_name(name) && may_be_secret(value) && !is_count() && !is_directory()
}

pub(super) fn is_number(value: &str) -> bool {
    value.bytes().all(|byte| byte.is_ascii_digit())
}

/// Whether a header has no secret, whatever its value.
pub(super) fn is_harmless_header(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    HARMLESS.contains(&&*name) || name.starts_with("accept-")
}

/// Whether a value could be a secret where the name or the place says that it is one.
pub(super) fn may_be_secret(value: &str) -> bool {
    is_long_enough(value)
        && !is_path(value)
        && !is_locale(value)
        && !is_reference(value)
        && !value.contains("***")
        && !matches!(value.to_ascii_lowercase().as_str(), "disabled" | "required" | "optional")
}

pub(super) fn is_long_enough(value: &str) -> bool {
    value.chars().nth(SHORTEST - 1).is_some()
}

fn is_secret_word(word: &str) -> bool {
    let ends = |endings: &[&str]| endings.iter().any(|ending| word.ends_with(ending));
    WORDS.contains(&word) || (ends(ENDINGS) && !ends(ORDINARY))
}

/// The words of a name, in capitals and without numbers: `apiKey`, `api-key` and `API_KEY2` have the
/// same.
fn words(name: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut before = ' ';
    for c in name.chars() {
        let begins = c.is_uppercase() && before.is_lowercase();
        if (begins || !c.is_alphanumeric()) && words.last().is_some_and(|word| !word.is_empty()) {
            words.push(String::new());
        }
        if c.is_alphanumeric()
            && let Some(word) = words.last_mut()
        {
            word.extend(c.to_uppercase());
        }
        before = c;
    }
    for word in &mut words {
        word.truncate(word.trim_end_matches(char::is_numeric).len());
    }
    words.retain(|word| !word.is_empty());
    words
}

/// Absolute, of the home directory, or relative with a file name at its end. Base64 has slashes as
/// well, also as its first character; it differs by `+` and `=`, by long parts that mix everything,
/// and by a last part without a dot.
fn is_path(value: &str) -> bool {
    let begins = ["./", "../", "~/", "~\\", ".\\", "\\\\"];
    let bytes = value.as_bytes();
    let has_drive = bytes.len() > 2
        && bytes[0].is_ascii_alphabetic()
        && bytes[1] == b':'
        && matches!(bytes[2], b'/' | b'\\');
    let is_absolute = begins.iter().any(|begin| value.starts_with(begin))
        || (value.starts_with('/') && !value.split('/').any(is_encoded));
    let is_relative = || {
        let end = value.rsplit_once('/').and_then(|(_, file)| file.rsplit_once('.'));
        end.is_some_and(|(_, ending)| {
            (1..=5).contains(&ending.len())
                && ending.bytes().all(|byte| byte.is_ascii_alphanumeric())
        })
    };
    has_drive || (!value.contains(['+', '=']) && (is_absolute || is_relative()))
}

/// A part of a path that nobody would type.
fn is_encoded(part: &str) -> bool {
    let has = |is: fn(&u8) -> bool| part.as_bytes().iter().any(is);
    part.len() >= 16
        && part.bytes().all(|byte| byte.is_ascii_alphanumeric())
        && has(u8::is_ascii_uppercase)
        && has(u8::is_ascii_lowercase)
        && has(u8::is_ascii_digit)
}

/// `en_US.UTF-8`, `de-DE`, `C.UTF-8`, with `@euro` or without.
fn is_locale(value: &str) -> bool {
    let (place, rest) = match value.split_once('@') {
        Some((place, variant)) => (place, variant),
        None => (value, ""),
    };
    let (place, set) = place.split_once('.').unwrap_or((place, ""));
    let (language, region) = place.split_once(['_', '-']).unwrap_or((place, ""));
    let is_word =
        |text: &str| text.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-');
    // `abc@…` is a password as well.
    let is_variant = rest.is_empty()
        || (!(region.is_empty() && set.is_empty())
            && rest.bytes().all(|byte| byte.is_ascii_lowercase()));
    let is_language = matches!(language, "C" | "POSIX")
        || ((2..=3).contains(&language.len())
            && language.bytes().all(|byte| byte.is_ascii_lowercase()));
    let is_region = region.is_empty()
        || (region.len() == 2 && region.bytes().all(|byte| byte.is_ascii_uppercase()));
    let has_set =
        set.to_ascii_lowercase().starts_with("utf") || set.to_ascii_lowercase().starts_with("iso");
    is_language && is_region && is_variant && (set.is_empty() || has_set) && is_word(set)
}

/// `$NAME` and `${NAME}`: the CLI puts the value in.
fn is_reference(value: &str) -> bool {
    let name = value
        .strip_prefix('$')
        .map(|rest| rest.strip_prefix('{').and_then(|rest| rest.strip_suffix('}')).unwrap_or(rest));
    name.is_some_and(|name| {
        !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A value that is a secret wherever the name says so.
    const SECRET: &str = "Zq8-fake-value";

    #[test]
    fn names_of_secrets_are_told_from_others() {
        for name in [
            "KEY",
            "API_KEY",
            "apiKey",
            "apikey",
            "x-api-key",
            "ANTHROPIC_API_KEY",
            "AWS_ACCESS_KEY_ID",
            "TOKEN",
            "GITHUB_TOKEN",
            "accessToken",
            "GITHUBTOKEN",
            "client_secret",
            "PGPASSWORD",
            "db_passwd",
            "DB_PASS",
            "BASIC_AUTH",
            "Authorization",
            "OAUTH",
            "CREDENTIALS",
            "session-cookie",
            "ssh_key_passphrase",
            "API_KEY2",
            "TOKEN1",
            "token_2",
            "oauth2",
            "SSHPASS",
            "dbPass",
            "MYSQL_PWD",
            "PWD",
        ] {
            assert!(is_secret(name, SECRET), "{name}");
        }
        for name in [
            "LANG",
            "PATH",
            "HOME",
            "GIT_AUTHOR_NAME",
            "AUTHOR",
            "MONKEY",
            "KEYBOARD_LAYOUT",
            "TOKENIZER",
            "apiKeyHelper",
            "TOKEN_FILE",
            "SSH_AUTH_SOCK",
            "KEY_PATH",
            "COMPASS",
            "ALLOW_BYPASS",
            "passenger",
            "TOKEN_FILE2",
            "PATTERN",
            "",
        ] {
            assert!(!is_secret(name, SECRET), "{name}");
        }
    }

    #[test]
    fn values_that_nobody_hides_never_count() {
        for value in [
            "",
            "short",
            "1234567",
            "/usr/share/keys",
            "./keys/prod",
            "../x/y/z/key",
            "~/.ssh/id_ed25519",
            "C:\\keys\\prod",
            "keys/prod.json",
            "en_US.UTF-8",
            "de_DE.utf8@euro",
            "C.UTF-8",
            "${MY_TOKEN}",
            "$MY_TOKEN",
            "***-masked",
            "/workspace",
            "/Users/Ada2/Projects/Keys",
            "/nix/store/0c0zlm3q6h8n2v9x7w5r4t1y-openssl-3.0.7",
        ] {
            assert!(!is_secret("TOKEN", value), "{value}");
        }
        for value in [
            "12345678a",
            "correct horse battery",
            "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY",
            "/K7MDENG+bPxRfiCYEXAMPLE",
            "/K7MDENGbPxRfiCYEXAMPLEKEY",
            "/wJalrXUtnFEMI7K7MDENG/bPxRfiCYEXAMPLEKEY",
            "abc@hunter2hunter2",
            "12345678901",
            "Bearer abc",
            "ünïcödé!",
            "en_US-token-x",
            "$NAME:rest",
        ] {
            assert!(is_secret("TOKEN", value), "{value}");
        }
        for name in ["PASSWORD", "API_KEY", "AUTH"] {
            assert!(is_secret(name, "12345678"), "a number can be a secret: {name}");
        }
        assert!(!is_secret("MAX_TOKENS", "200000000"));
        assert!(!is_secret("PWD", "/build/K7MDENGbPxRfiCYEXAMPLEKEY"));
    }

    #[test]
    fn headers_that_everybody_sends_are_harmless() {
        for name in ["Accept", "content-type", "User-Agent", "Accept-Language"] {
            assert!(is_harmless_header(name), "{name}");
        }
        for name in ["Authorization", "X-Tenant", "Cookie"] {
            assert!(!is_harmless_header(name), "{name}");
        }
    }
}
