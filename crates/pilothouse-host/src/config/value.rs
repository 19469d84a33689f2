//! How values of each type are read and written.

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};

use pilothouse_session::command::mode_named;
use pilothouse_session::policy::{Preset, check_path};

use super::file::Surroundings;
use super::raw::Raw;
use super::settings::{Flag, Hidden, Mode, PathPattern};
use super::units::{Size, Span};
use crate::http::guard::HostName;

/// A type of values.
pub(super) trait Setting: Sized {
    /// Reads it; or says what it should be.
    fn read(raw: &Raw, here: &Surroundings<'_>) -> Result<Self, String>;

    /// As TOML, secrets masked; none where there is no value.
    fn write(&self) -> Option<String>;
}

fn quoted(text: &str) -> String {
    let mut quoted = String::from('"');
    for c in text.chars() {
        match c {
            '"' => quoted.push_str("\\\""),
            '\\' => quoted.push_str("\\\\"),
            c if c.is_control() => quoted.push_str(&format!("\\u{:04X}", u32::from(c))),
            c => quoted.push(c),
        }
    }
    quoted.push('"');
    quoted
}

impl Setting for bool {
    fn read(raw: &Raw, _: &Surroundings<'_>) -> Result<Self, String> {
        match raw {
            Raw::Bool(value) => Ok(*value),
            Raw::Loose(text) => match &*text.trim().to_ascii_lowercase() {
                "true" | "yes" | "on" | "1" => Ok(true),
                "false" | "no" | "off" | "0" => Ok(false),
                _ => Err("true or false".to_owned()),
            },
            _ => Err("true or false, without quotes".to_owned()),
        }
    }

    fn write(&self) -> Option<String> {
        Some(self.to_string())
    }
}

impl Setting for usize {
    fn read(raw: &Raw, _: &Surroundings<'_>) -> Result<Self, String> {
        let number = match raw {
            Raw::Number(number) => Self::try_from(*number).ok(),
            Raw::Loose(text) => text.trim().parse().ok(),
            _ => None,
        };
        number.ok_or_else(|| "a whole number, without quotes".to_owned())
    }

    fn write(&self) -> Option<String> {
        Some(self.to_string())
    }
}

impl Setting for Span {
    fn read(raw: &Raw, _: &Surroundings<'_>) -> Result<Self, String> {
        let text = raw.text().unwrap_or_default();
        text.parse().map_err(|()| "a time in quotes, as \"30s\", \"5m\" or \"1h30m\"".to_owned())
    }

    fn write(&self) -> Option<String> {
        Some(quoted(&self.to_string()))
    }
}

impl Setting for Size {
    fn read(raw: &Raw, _: &Surroundings<'_>) -> Result<Self, String> {
        let size = match raw {
            Raw::Number(bytes) => u64::try_from(*bytes).map(Self).map_err(drop),
            raw => raw.text().unwrap_or_default().parse(),
        };
        size.map_err(|()| "a size, as \"64 KiB\" or \"16 MiB\"".to_owned())
    }

    fn write(&self) -> Option<String> {
        Some(quoted(&self.to_string()))
    }
}

impl Setting for String {
    fn read(raw: &Raw, _: &Surroundings<'_>) -> Result<Self, String> {
        raw.text().map(str::to_owned).ok_or_else(|| "a text in quotes".to_owned())
    }

    fn write(&self) -> Option<String> {
        Some(quoted(self))
    }
}

impl Setting for PathBuf {
    fn read(raw: &Raw, here: &Surroundings<'_>) -> Result<Self, String> {
        let text = raw.text().filter(|text| !text.is_empty()).ok_or("a path in quotes")?;
        let below_home = match text {
            "~" => Some(""),
            text => text.strip_prefix("~/"),
        };
        match (below_home, here.home) {
            (None, _) => Ok(here.base.join(Path::new(text))),
            (Some(""), Some(home)) => Ok(home.to_owned()),
            (Some(rest), Some(home)) => Ok(home.join(rest)),
            (Some(_), None) => Err("a path without `~`: there is no home directory".to_owned()),
        }
    }

    fn write(&self) -> Option<String> {
        Some(quoted(&self.to_string_lossy()))
    }
}

impl Setting for SocketAddr {
    fn read(raw: &Raw, _: &Surroundings<'_>) -> Result<Self, String> {
        let text = raw.text().unwrap_or_default();
        let wanted = "an address with a port, as \"127.0.0.1:7717\" or \"[::1]:7717\"";
        text.trim().parse().map_err(|_| wanted.to_owned())
    }

    fn write(&self) -> Option<String> {
        Some(quoted(&self.to_string()))
    }
}

impl Setting for HostName {
    fn read(raw: &Raw, _: &Surroundings<'_>) -> Result<Self, String> {
        let wanted = "a name or address without scheme, as \"pilot.example.org\" or \
                      \"localhost:8080\"";
        raw.text().unwrap_or_default().trim().parse().map_err(|_| wanted.to_owned())
    }

    fn write(&self) -> Option<String> {
        Some(quoted(&self.to_string()))
    }
}

impl Setting for Preset {
    fn read(raw: &Raw, _: &Surroundings<'_>) -> Result<Self, String> {
        let named = Self::named(raw.text().unwrap_or_default());
        named.ok_or_else(|| one_of(Self::ALL.iter().map(|preset| preset.name())))
    }

    fn write(&self) -> Option<String> {
        Some(quoted(self.name()))
    }
}

impl Setting for Mode {
    fn read(raw: &Raw, _: &Surroundings<'_>) -> Result<Self, String> {
        let text = raw.text().unwrap_or_default();
        match Self::NAMES.contains(&text) {
            true => Ok(Self(mode_named(text))),
            false => Err(one_of(Self::NAMES.iter().copied())),
        }
    }

    fn write(&self) -> Option<String> {
        Some(quoted(self.0.as_str()))
    }
}

fn one_of<'a>(names: impl Iterator<Item = &'a str>) -> String {
    let names: Vec<_> = names.map(quoted).collect();
    format!("one of {}", names.join(", "))
}

impl Setting for Flag {
    fn read(raw: &Raw, _: &Surroundings<'_>) -> Result<Self, String> {
        let wanted = "flags of the CLI, each as \"--flag\" or \"--flag=value\"";
        let text = raw.text().filter(|text| text.starts_with('-') && text.len() > 1);
        text.map(|text| Self(text.to_owned())).ok_or_else(|| wanted.to_owned())
    }

    fn write(&self) -> Option<String> {
        Some(quoted(&self.to_string()))
    }
}

impl Setting for PathPattern {
    fn read(raw: &Raw, _: &Surroundings<'_>) -> Result<Self, String> {
        let wanted = "a path from `/` or `~/`, as \"~/.config/gh/**\" or \"/etc/secrets/**\"";
        let text = raw.text().filter(|text| text.starts_with(['/', '~'])).ok_or(wanted)?;
        match check_path(text) {
            Ok(()) => Ok(Self(text.to_owned())),
            Err(problem) => Err(format!("{wanted}; {problem}")),
        }
    }

    fn write(&self) -> Option<String> {
        Some(quoted(&self.0))
    }
}

impl Setting for Hidden {
    fn read(raw: &Raw, here: &Surroundings<'_>) -> Result<Self, String> {
        String::read(raw, here).map(Self)
    }

    fn write(&self) -> Option<String> {
        Some(quoted(&self.to_string()))
    }
}

impl<T: Setting> Setting for Option<T> {
    fn read(raw: &Raw, here: &Surroundings<'_>) -> Result<Self, String> {
        match raw.text() {
            Some(text) if text.trim().is_empty() => Ok(None),
            _ => T::read(raw, here).map(Some),
        }
    }

    fn write(&self) -> Option<String> {
        self.as_ref()?.write()
    }
}

impl<T: Setting> Setting for Vec<T> {
    fn read(raw: &Raw, here: &Surroundings<'_>) -> Result<Self, String> {
        let list = raw.list().ok_or("a list in brackets, as [\"a\", \"b\"]")?;
        list.iter().map(|item| T::read(item, here)).collect()
    }

    fn write(&self) -> Option<String> {
        let items: Vec<_> = self.iter().filter_map(T::write).collect();
        Some(format!("[{}]", items.join(", ")))
    }
}

impl Setting for BTreeMap<String, Hidden> {
    fn read(raw: &Raw, _: &Surroundings<'_>) -> Result<Self, String> {
        let wanted = "a table of texts, as { NAME = \"value\" }; outside of the file also \
                      NAME=value,OTHER=value";
        let pairs = raw.table().ok_or(wanted)?;
        if pairs.iter().any(|(name, _)| name.is_empty() || name.contains(['=', '\0'])) {
            return Err("names of variables that are not empty and have no `=`".to_owned());
        }
        Ok(pairs.into_iter().map(|(name, value)| (name, Hidden(value))).collect())
    }

    fn write(&self) -> Option<String> {
        let bare =
            |name: &str| name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_' || b == b'-');
        let name = |name: &str| if bare(name) { name.to_owned() } else { quoted(name) };
        let pairs: Vec<_> = self.keys().map(|key| format!("{} = \"***\"", name(key))).collect();
        Some(if pairs.is_empty() { "{}".to_owned() } else { format!("{{ {} }}", pairs.join(", ")) })
    }
}
