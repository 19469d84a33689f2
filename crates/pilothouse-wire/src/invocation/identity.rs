//! Who starts the CLI. It is told to the CLI and, in the User-Agent, to the API; sessions keep it.

use std::fmt;

use super::error::InvocationError;

/// Our own name.
const OURSELVES: &str = "pilothouse";

/// Our own version.
const VERSION: &str = env!("CARGO_PKG_VERSION");

/// The CLI behaves differently under the names of Anthropic's own products, and accounts for them.
const TAKEN: &[&str] = &["bench", "cli", "desktop_app", "mcp", "ssh-remote", "web_claude_ai"];

/// Families of such names.
const TAKEN_PREFIXES: &[&str] = &["claude", "local-", "local_", "remote", "sdk"];

/// The kind of program that starts the CLI; `pilothouse` unless set.
///
/// Sessions keep it as `entrypoint`. A host that builds on this crate may use its own name, never
/// that of another product.
///
/// ```
/// use pilothouse_wire::invocation::Entrypoint;
///
/// assert_eq!(Entrypoint::default().as_str(), "pilothouse");
/// assert!(Entrypoint::new("my-editor").is_ok());
/// assert!(Entrypoint::new("sdk-ts").is_err());
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entrypoint(String);

impl Entrypoint {
    /// A name of 1 to 32 characters out of `a-z`, `0-9`, `_` and `-`, beginning with a letter.
    pub fn new(name: impl Into<String>) -> Result<Self, InvocationError> {
        let value = name.into();
        let plain = |b: u8| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'_' || b == b'-';
        let well_formed = (1..=32).contains(&value.len())
            && value.starts_with(|c: char| c.is_ascii_lowercase())
            && value.bytes().all(plain);
        // Taken names first: "SDK-TS" had better be told why, not how, it is wrong.
        let lower = value.to_ascii_lowercase();
        if TAKEN.contains(&&*lower) || TAKEN_PREFIXES.iter().any(|taken| lower.starts_with(taken)) {
            return Err(InvocationError::EntrypointTaken { value });
        }
        if !well_formed {
            return Err(InvocationError::EntrypointMalformed { value });
        }
        Ok(Self(value))
    }

    /// The name.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl Default for Entrypoint {
    fn default() -> Self {
        Self(OURSELVES.to_owned())
    }
}

/// The program in the User-Agent: `pilothouse/VERSION`, and the host's name after it if it gives
/// one.
///
/// ```
/// use pilothouse_wire::invocation::ClientApp;
///
/// let app = ClientApp::hosted_by("my-editor", "2.3")?;
/// assert!(app.to_string().starts_with("pilothouse/"));
/// assert!(app.to_string().ends_with("_my-editor_2.3"));
/// # Ok::<(), pilothouse_wire::invocation::InvocationError>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ClientApp {
    host: Option<(String, String)>,
}

impl ClientApp {
    /// Adds the program that uses this crate: letters, digits, `.` and `-`, at most 48 in the name
    /// and in the version.
    pub fn hosted_by(
        name: impl Into<String>,
        version: impl Into<String>,
    ) -> Result<Self, InvocationError> {
        // The whole may have 128 characters out of these and '_', which separates the parts.
        let check = |value: String| {
            let plain = |b: u8| b.is_ascii_alphanumeric() || b == b'.' || b == b'-';
            if (1..=48).contains(&value.len()) && value.bytes().all(plain) {
                Ok(value)
            } else {
                Err(InvocationError::ClientAppMalformed { value })
            }
        };
        Ok(Self { host: Some((check(name.into())?, check(version.into())?)) })
    }
}

impl fmt::Display for ClientApp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{OURSELVES}/{VERSION}")?;
        match &self.host {
            Some((name, version)) => write!(f, "_{name}_{version}"),
            None => Ok(()),
        }
    }
}
