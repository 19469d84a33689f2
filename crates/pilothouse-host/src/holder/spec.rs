//! What a holder is told to hold. It gets this over a socket: an environment has secrets, and a
//! command line can be read by everyone.

use std::ffi::{OsStr, OsString};
use std::fmt;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::time::Duration;

use pilothouse_client::mark::MARK;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// A string of the operating system, kept byte for byte: JSON has no strings for all of them.
#[derive(Clone, PartialEq, Eq)]
pub struct Text(pub OsString);

/// What to start and for how long to keep it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct HoldSpec {
    /// Names the run; every process of it carries this in its environment.
    pub run: String,
    /// The program, by an absolute path or to be found in the search path.
    pub exe: Text,
    /// Its arguments.
    pub args: Vec<Text>,
    /// Where it works; absolute.
    pub cwd: Text,
    /// Start from an empty environment instead of the holder's.
    pub clear_env: bool,
    /// Variables to set.
    pub set_env: Vec<(Text, Text)>,
    /// Variables to remove.
    pub remove_env: Vec<Text>,
    /// How long things may take.
    pub times: Times,
}

/// The times of a holder.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Times {
    /// From the end of stdin to SIGTERM, when the holder stops the CLI by itself.
    #[serde(with = "millis")]
    pub after_eof: Duration,
    /// From SIGTERM to SIGKILL.
    #[serde(with = "millis")]
    pub after_term: Duration,
    /// How long a holder waits for a daemon when its CLI has ended.
    #[serde(with = "millis")]
    pub linger: Duration,
    /// How long a CLI that says nothing is kept without a daemon.
    #[serde(with = "millis")]
    pub alone: Duration,
}

impl Default for Times {
    fn default() -> Self {
        Self {
            after_eof: Duration::from_secs(5),
            after_term: Duration::from_secs(5),
            linger: Duration::from_secs(30 * 60),
            alone: Duration::from_secs(12 * 60 * 60),
        }
    }
}

impl HoldSpec {
    /// To run `exe` in `cwd`.
    pub fn new(run: impl Into<String>, exe: impl Into<OsString>, cwd: impl Into<PathBuf>) -> Self {
        Self {
            run: run.into(),
            exe: Text(exe.into()),
            args: Vec::new(),
            cwd: Text(cwd.into().into()),
            clear_env: false,
            set_env: Vec::new(),
            remove_env: Vec::new(),
            times: Times::default(),
        }
    }

    /// With these arguments.
    pub fn args<A: Into<OsString>>(mut self, args: impl IntoIterator<Item = A>) -> Self {
        self.args.extend(args.into_iter().map(|arg| Text(arg.into())));
        self
    }

    /// With a variable.
    pub fn env(mut self, name: impl Into<OsString>, value: impl Into<OsString>) -> Self {
        self.set_env.push((Text(name.into()), Text(value.into())));
        self
    }

    /// To be started, with pipes. All that it starts bears the mark of the run.
    pub(crate) fn command(&self) -> Command {
        let mut command = Command::new(&self.exe);
        if self.clear_env {
            command.env_clear();
        }
        for name in &self.remove_env {
            command.env_remove(name);
        }
        command.envs(self.set_env.iter().map(|(name, value)| (name, value)));
        command.env(MARK, &self.run).args(&self.args).current_dir(&self.cwd.0);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        command
    }

    /// What may be known of this: names of flags and variables, no values.
    pub(crate) fn without_secrets(&self) -> serde_json::Value {
        let flag = |arg: &Text| {
            let text = arg.0.to_string_lossy();
            let name = text.split('=').next().unwrap_or_default();
            if name.starts_with('-') { name.to_owned() } else { "…".to_owned() }
        };
        serde_json::json!({
            "run": self.run,
            "exe": self.exe.0.to_string_lossy(),
            "cwd": self.cwd.0.to_string_lossy(),
            "args": self.args.iter().map(flag).collect::<Vec<_>>(),
            "env": self.set_env.iter().map(|(name, _)| name.0.to_string_lossy()).collect::<Vec<_>>(),
        })
    }
}

impl AsRef<OsStr> for Text {
    fn as_ref(&self) -> &OsStr {
        &self.0
    }
}

/// Not shown: it may be a secret.
impl fmt::Debug for Text {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "<{} bytes>", self.0.len())
    }
}

impl Serialize for Text {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.0.to_str() {
            Some(text) => serializer.serialize_str(text),
            None => self.0.as_encoded_bytes().serialize(serializer),
        }
    }
}

impl<'de> Deserialize<'de> for Text {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        #[serde(untagged)]
        enum Form {
            Text(String),
            Bytes(Vec<u8>),
        }
        Ok(Self(match Form::deserialize(deserializer)? {
            Form::Text(text) => text.into(),
            Form::Bytes(bytes) => from_bytes(bytes),
        }))
    }
}

#[cfg(unix)]
fn from_bytes(bytes: Vec<u8>) -> OsString {
    std::os::unix::ffi::OsStringExt::from_vec(bytes)
}

/// Nobody sends it anywhere.
#[cfg(not(unix))]
fn from_bytes(bytes: Vec<u8>) -> OsString {
    String::from_utf8_lossy(&bytes).into_owned().into()
}

mod millis {
    use super::{Deserialize, Deserializer, Duration, Serializer};

    pub(super) fn serialize<S: Serializer>(time: &Duration, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_u64(u64::try_from(time.as_millis()).unwrap_or(u64::MAX))
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Duration, D::Error> {
        u64::deserialize(from).map(Duration::from_millis)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_spec_survives_json_even_where_it_is_no_text() {
        let odd = from_bytes(b"caf\xe9".to_vec());
        let spec = HoldSpec::new("r", "claude", "/tmp").args([odd.clone()]).env("KEY", odd);
        let json = serde_json::to_string(&spec).unwrap();
        assert_eq!(serde_json::from_str::<HoldSpec>(&json).unwrap(), spec);
    }

    #[test]
    fn secrets_are_in_no_description() {
        let spec = HoldSpec::new("r", "claude", "/tmp")
            .args(["--mcp-config={\"key\":\"s3cret\"}", "--print", "s3cret"])
            .env("ANTHROPIC_API_KEY", "s3cret");
        let shown = format!("{} {spec:?}", spec.without_secrets());
        assert!(shown.contains("ANTHROPIC_API_KEY") && shown.contains("--mcp-config"), "{shown}");
        assert!(!shown.contains("s3cret"), "{shown}");
    }
}
