//! Settings that a run is given on its command line.

use std::ffi::OsString;
use std::fmt;
use std::path::{Path, PathBuf};

use serde_json::{Map, Value};

use super::error::InvocationError;
use super::flags::Flag;
use super::sandbox::Sandbox;

/// Settings of this run, above those of the user and the project.
#[derive(Clone, PartialEq)]
pub enum Settings {
    /// A settings file.
    File(PathBuf),
    /// The settings themselves. Debug output shows the names only.
    Inline(Map<String, Value>),
}

/// Settings that the user cannot override: the policy tier, given by the process that starts the
/// CLI.
#[derive(Clone, PartialEq)]
pub enum ManagedSettings {
    /// The settings themselves. Debug output shows the names only.
    Inline(Map<String, Value>),
    /// They come in the `initialize` request, which must then be the first line.
    InInitialize,
}

impl Settings {
    /// Settings from a JSON object.
    pub fn inline(settings: Value) -> Result<Self, InvocationError> {
        object("settings", settings).map(Self::Inline)
    }
}

impl ManagedSettings {
    /// Settings from a JSON object.
    pub fn inline(settings: Value) -> Result<Self, InvocationError> {
        object("managed settings", settings).map(Self::Inline)
    }
}

impl From<Map<String, Value>> for Settings {
    fn from(settings: Map<String, Value>) -> Self {
        Self::Inline(settings)
    }
}

impl fmt::Debug for Settings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::File(path) => f.debug_tuple("File").field(path).finish(),
            Self::Inline(map) => names(f, map),
        }
    }
}

impl fmt::Debug for ManagedSettings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Inline(map) => names(f, map),
            Self::InInitialize => f.write_str("InInitialize"),
        }
    }
}

fn names(f: &mut fmt::Formatter<'_>, map: &Map<String, Value>) -> fmt::Result {
    f.debug_tuple("Inline").field(&map.keys().collect::<Vec<_>>()).finish()
}

fn object(what: &str, value: Value) -> Result<Map<String, Value>, InvocationError> {
    match value {
        Value::Object(map) => Ok(map),
        _ => Err(InvocationError::NotAnObject { what: what.to_owned() }),
    }
}

/// The value of `--settings`, if there is any.
pub(super) fn value(
    settings: Option<&Settings>,
    sandbox: Option<&Sandbox>,
) -> Result<Option<OsString>, InvocationError> {
    let mut inline = match (settings, sandbox) {
        (None, None) => return Ok(None),
        (Some(Settings::File(_)), Some(_)) => {
            return Err(InvocationError::SandboxWithSettingsFile);
        }
        (Some(Settings::File(path)), None) => {
            return plain_path(Flag::Settings, path).map(|path| Some(path.into()));
        }
        (Some(Settings::Inline(map)), _) => map.clone(),
        (None, Some(_)) => Map::new(),
    };
    if let Some(sandbox) = sandbox {
        if inline.contains_key("sandbox") {
            return Err(InvocationError::SandboxTwice);
        }
        inline.insert("sandbox".into(), sandbox.entry());
    }
    Ok(Some(Value::Object(inline).to_string().into()))
}

/// A path for a flag that takes paths and JSON and tells them apart by the first character.
pub(super) fn plain_path(flag: Flag, path: &Path) -> Result<&Path, InvocationError> {
    if path.to_string_lossy().trim_start().starts_with('{') {
        return Err(InvocationError::PathLooksInline { flag, path: path.to_owned() });
    }
    Ok(path)
}
