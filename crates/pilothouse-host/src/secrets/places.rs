//! Finds the secrets of a session's profile, and masks them for clients.
//!
//! A name or a place makes a value a secret ([`names`](super::names)): variables, headers, arguments
//! of MCP servers, fields of settings, flags, URLs.

use std::collections::BTreeSet;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde::Serialize;
use serde_json::{Map, Value};

use super::names::{is_harmless_header, is_long_enough, is_secret, is_secret_name, may_be_secret};
use super::urls::Url;
use crate::host::Profile;

/// Stands in place of a value that clients are not shown.
const MASK: &str = "***";

/// The most values of a profile or a request. More are rejected: each costs time in every text that
/// is searched, and many take the room of other sessions.
pub(crate) const MOST_SECRETS: usize = 1_000;

/// The secrets of a profile. `inherited` looks up variables that runs get from elsewhere.
pub(crate) fn of_profile(
    profile: &Profile,
    inherited: &dyn Fn(&str) -> Option<String>,
) -> BTreeSet<String> {
    let variable = |name: &str| profile.env.get(name).cloned().or_else(|| inherited(name));
    let mut finder = Finder { found: BTreeSet::new(), variable: &variable };
    for (name, value) in &profile.env {
        finder.named(name, value);
    }
    for (name, value) in &profile.extra_args {
        finder
            .args([Some(format!("--{name}")), value.clone()].iter().flatten().map(String::as_str));
    }
    profile.mcp_servers.values().for_each(|server| finder.walk("", server));
    profile.agents.values().for_each(|agent| finder.walk("", agent));
    profile.settings.iter().for_each(|settings| finder.walk("", settings));
    finder.found
}

/// The secrets of variables.
pub(crate) fn of_environment(
    variables: impl IntoIterator<Item = (String, String)>,
) -> BTreeSet<String> {
    let mut finder = Finder { found: BTreeSet::new(), variable: &|_| None };
    variables.into_iter().for_each(|(name, value)| finder.named(&name, &value));
    finder.found
}

/// The secrets of anything else that a client has sent to the CLI, such as MCP servers and settings.
pub(crate) fn of_request(request: &impl Serialize) -> BTreeSet<String> {
    let mut finder = Finder { found: BTreeSet::new(), variable: &|_| None };
    if let Ok(value) = serde_json::to_value(request) {
        finder.walk("", &value);
    }
    finder.found
}

struct Finder<'v> {
    found: BTreeSet<String>,
    variable: &'v dyn Fn(&str) -> Option<String>,
}

impl Finder<'_> {
    fn put(&mut self, value: &str) {
        if is_long_enough(value) {
            self.found.insert(value.to_owned());
            self.found.insert(value.trim().to_owned());
        }
    }

    /// JSON of any depth: servers, settings, agents.
    fn walk(&mut self, name: &str, value: &Value) {
        match value {
            Value::Object(fields) => {
                for (name, field) in fields {
                    match (name.as_str(), field) {
                        ("headers", Value::Object(headers)) => {
                            texts(headers).for_each(|(name, value)| self.header(name, value));
                        }
                        ("args", Value::Array(args)) => {
                            self.args(args.iter().filter_map(Value::as_str));
                        }
                        _ => self.walk(name, field),
                    }
                }
            }
            Value::Array(entries) => entries.iter().for_each(|entry| self.walk(name, entry)),
            Value::String(text) => self.named(name, text),
            _ => {}
        }
    }

    /// A variable, a field, a flag.
    fn named(&mut self, name: &str, value: &str) {
        if let Some(url) = Url::read(&self.expanded(value)) {
            url.secrets().iter().for_each(|secret| self.put(secret));
        } else if is_secret(name, value) {
            self.credentials(value);
        }
    }

    /// Every header counts, but for those that everybody sends.
    fn header(&mut self, name: &str, value: &str) {
        if is_harmless_header(name) {
            return;
        }
        let value = self.expanded(value);
        match Url::read(&value) {
            Some(url) => url.secrets().iter().for_each(|secret| self.put(secret)),
            None => self.credentials(&value),
        }
        if name.eq_ignore_ascii_case("cookie") {
            for (_, value) in value.split(';').filter_map(|pair| pair.split_once('=')) {
                self.credentials(value.trim());
            }
        }
    }

    /// A value and, where it has a scheme such as `Bearer`, what follows it.
    fn credentials(&mut self, value: &str) {
        let value = self.expanded(value);
        if !may_be_secret(&value) || value.contains("${") {
            return;
        }
        self.put(&value);
        let Some((scheme, rest)) = value.split_once(' ') else { return };
        if !["basic", "bearer", "token", "digest", "apikey"]
            .contains(&&*scheme.to_ascii_lowercase())
        {
            return;
        }
        if may_be_secret(rest) {
            self.put(rest);
        }
        let decoded = STANDARD.decode(rest).ok().and_then(|bytes| String::from_utf8(bytes).ok());
        if let Some(pair) = decoded.filter(|_| scheme.eq_ignore_ascii_case("basic")) {
            self.put(&pair);
            pair.split_once(':').into_iter().for_each(|(_, password)| self.put(password));
        }
    }

    /// `--token VALUE`, `--token=VALUE`, `NAME=VALUE`, `Header: VALUE`, URLs.
    fn args<'a>(&mut self, args: impl Iterator<Item = &'a str>) {
        let mut flag = None;
        for arg in args {
            let before = std::mem::replace(&mut flag, arg.starts_with('-').then_some(arg));
            match part(before, arg) {
                Part::Named { name, value, .. } => self.named(name, value),
                Part::Header { name, value, .. } => self.header(name, value),
                Part::Plain => self.named("", arg),
            }
        }
    }

    /// With the values of variables in place of `${NAME}` and `${NAME:-default}`.
    fn expanded(&self, text: &str) -> String {
        let mut out = String::with_capacity(text.len());
        let mut rest = text;
        while let Some((before, after)) = rest.split_once("${") {
            let Some((inner, after)) = after.split_once('}') else { break };
            let (name, default) =
                inner.split_once(":-").map_or((inner, None), |(name, other)| (name, Some(other)));
            let value = (self.variable)(name).or_else(|| default.map(str::to_owned));
            out.push_str(before);
            out.push_str(&value.unwrap_or_else(|| format!("${{{inner}}}")));
            rest = after;
        }
        out + rest
    }
}

/// What an argument is.
enum Part<'a> {
    /// The value begins at this byte of the argument.
    Named {
        name: &'a str,
        value: &'a str,
        at: usize,
    },
    Header {
        name: &'a str,
        value: &'a str,
        at: usize,
    },
    Plain,
}

fn part<'a>(before: Option<&'a str>, arg: &'a str) -> Part<'a> {
    let is_word = |text: &str| {
        !text.is_empty()
            && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte))
    };
    let header = |text: &'a str| {
        let (name, value) = text.split_once(':')?;
        let is_header = is_word(name) && !value.starts_with("//") && is_secret_name(name);
        is_header.then(|| (name, value.trim_start()))
    };
    if let Some((name, value)) = arg.split_once('=')
        && is_word(name)
    {
        let at = name.len() + 1;
        return match header(value) {
            Some((name, value)) => Part::Header { name, value, at: arg.len() - value.len() },
            None => Part::Named { name, value, at },
        };
    }
    if let Some((name, value)) = header(arg) {
        return Part::Header { name, value, at: arg.len() - value.len() };
    }
    match before {
        Some(name) if !arg.starts_with('-') => Part::Named { name, value: arg, at: 0 },
        _ => Part::Plain,
    }
}

fn texts(fields: &Map<String, Value>) -> impl Iterator<Item = (&str, &str)> {
    fields.iter().filter_map(|(name, value)| Some((name.as_str(), value.as_str()?)))
}

/// A profile as clients are shown it: names without the values of variables, headers, flags,
/// arguments, credentials and queries.
pub(crate) fn masked(profile: &Value) -> Value {
    let mut profile = profile.clone();
    mask("", &mut profile);
    profile
}

fn mask(name: &str, value: &mut Value) {
    match value {
        Value::Object(fields) => {
            for (name, field) in fields {
                match field {
                    Value::Object(secrets)
                        if ["env", "headers", "extra_args"].contains(&name.as_str()) =>
                    {
                        // A flag without a value has none to hide.
                        let secrets = secrets.values_mut().filter(|secret| !secret.is_null());
                        secrets.for_each(|secret| *secret = MASK.into());
                    }
                    Value::Array(args) if name == "args" => mask_args(args),
                    other => mask(name, other),
                }
            }
        }
        Value::Array(entries) => entries.iter_mut().for_each(|entry| mask(name, entry)),
        Value::String(text) => {
            if let Some(url) = Url::read(text) {
                *text = url.masked(MASK);
            } else if is_secret(name, text) {
                *text = MASK.to_owned();
            }
        }
        _ => {}
    }
}

/// `--api-key=…` stays a word that says what it is for.
fn mask_args(args: &mut [Value]) {
    let mut flag: Option<String> = None;
    for arg in args {
        let Value::String(text) = arg else {
            mask("", arg);
            flag = None;
            continue;
        };
        let next = text.starts_with('-').then(|| text.clone());
        let masked = match part(flag.as_deref(), text) {
            // The value of a flag stays unless the flag is that of a secret.
            Part::Named { name, at: 0, .. } if !is_secret_name(name) => None,
            Part::Named { at, .. } | Part::Header { at, .. } => {
                Some(format!("{}{MASK}", &text[..at]))
            }
            Part::Plain => None,
        };
        match (masked, Url::read(text)) {
            (_, Some(url)) => *text = url.masked(MASK),
            (Some(masked), None) => *text = masked,
            (None, None) => {}
        }
        flag = next;
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use serde_json::json;

    use super::*;

    #[track_caller]
    fn check(profile: Value, expected: &[&str]) {
        let profile: Profile = serde_json::from_value(profile).unwrap();
        let inherited = |name: &str| (name == "OUTER").then(|| "outer-value".to_owned());
        let found = of_profile(&profile, &inherited);
        assert_eq!(found.iter().map(String::as_str).collect::<Vec<_>>(), expected);
    }

    fn server(server: Value) -> Value {
        json!({"mcp_servers": {"s": server}})
    }

    #[test]
    fn variables_count_by_their_names() {
        let env = json!({
            "API_KEY": "the-api-key", "LANG": "en_US.UTF-8", "PROJECT": "some-long-name",
            "SSH_AUTH_SOCK": "/run/user/1000/agent", "DATABASE_URL": "pg://u:url-password@h/d",
        });
        check(json!({"env": env}), &["dTp1cmwtcGFzc3dvcmQ=", "the-api-key", "url-password"]);
        let env = json!({"DB_PASSWORD": "db-password", "MODE": "production"});
        check(server(json!({"command": "serve", "env": env})), &["db-password"]);
    }

    #[test]
    fn headers_count_but_for_harmless_ones() {
        let headers = json!({
            "Authorization": "Bearer header-token", "X-Tenant": "tenant-42",
            "Accept": "application/json",
        });
        let found = ["Bearer header-token", "header-token", "tenant-42"];
        check(server(json!({"url": "http://h/", "headers": headers})), &found);
        let headers = json!({"Authorization": "Basic bWU6c2VjcmV0cGFzcw=="});
        let found =
            ["Basic bWU6c2VjcmV0cGFzcw==", "bWU6c2VjcmV0cGFzcw==", "me:secretpass", "secretpass"];
        check(server(json!({"url": "http://h/", "headers": headers})), &found);
        let headers = json!({"Authorization": "Bearer ${OUTER}", "X-Key": "${UNKNOWN_KEY}"});
        check(
            server(json!({"url": "http://h/", "headers": headers})),
            &["Bearer outer-value", "outer-value"],
        );
    }

    #[test]
    fn arguments_count_by_their_flags() {
        let args = json!([
            "-y",
            "some-package",
            "--token",
            "token-value",
            "--api-key=key-value",
            "--name",
            "long-enough",
            "-e",
            "GITHUB_TOKEN=github-value",
            "--header",
            "Authorization: Bearer bearer-value",
            "--header=X-Api-Key: header-value",
            "https://h/?sig=query-value",
            "--key-file",
            "keys/prod.json",
        ]);
        let found = [
            "Bearer bearer-value",
            "bearer-value",
            "github-value",
            "header-value",
            "key-value",
            "query-value",
            "token-value",
        ];
        check(server(json!({"command": "serve", "args": args})), &found);
    }

    #[test]
    fn urls_settings_agents_and_flags_count() {
        check(server(json!({"url": "https://h/mcp?key=url-key-value"})), &["url-key-value"]);
        let settings = json!({
            "env": {"MY_SECRET": "settings-env"}, "apiKeyHelper": "print-the-key",
            "model": "long-model-name", "deep": [{"authToken": "settings-deep"}],
            "permissions": {"allow": ["Bash(git status)"]},
        });
        check(json!({"settings": settings}), &["settings-deep", "settings-env"]);
        let server = json!({"x": {"env": {"KEY": "agent-key"}}});
        let agent = json!({"prompt": "the key is here", "mcpServers": [server]});
        check(json!({"agents": {"a": agent}}), &["agent-key"]);
        let flags = json!({"some-token": "flag-value", "betas": "long-enough", "chrome": null});
        check(json!({"extra_args": flags}), &["flag-value"]);
    }

    #[test]
    fn rejects_a_profile_with_too_many_secrets() {
        let profile = |count: usize| {
            let env: BTreeMap<_, _> =
                (0..count).map(|n| (format!("KEY_{n}"), format!("value-number-{n}"))).collect();
            Profile { env, ..Profile::default() }
        };
        assert!(profile(MOST_SECRETS).check("/").is_ok());
        let many = profile(MOST_SECRETS + 1);
        let error = many.check("/").unwrap_err().to_string();
        assert!(error.contains("1001 secrets"), "{error}");
        // One that is stored already is loaded, and nothing of it is dropped.
        assert_eq!(of_profile(&many, &|_| None).len(), MOST_SECRETS + 1);
    }
}
