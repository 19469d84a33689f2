//! How long arguments may be.
//!
//! Beyond these lengths the operating system refuses to start the process with an error that names
//! no argument ("Argument list too long"), so the culprit is looked for beforehand.

use std::ffi::{OsStr, OsString};

use super::error::InvocationError;

/// What an operating system takes.
#[derive(Clone, Copy, Debug)]
pub(super) struct Limits {
    /// The longest single argument or variable, without the terminating NUL.
    pub(super) one: Option<usize>,
    /// The longest command line, separators included.
    pub(super) all: Option<usize>,
}

impl Limits {
    /// Of the system this is compiled for.
    pub(super) const HERE: Self = if cfg!(any(target_os = "linux", target_os = "android")) {
        Self::LINUX
    } else if cfg!(windows) {
        Self::WINDOWS
    } else {
        Self { one: None, all: None }
    };

    /// 32 pages for one string. The limit for all of them depends on the stack and is far greater.
    pub(super) const LINUX: Self = Self { one: Some(32 * 4096 - 1), all: None };

    /// 32,767 UTF-16 units, NUL included. Quoting and the program itself need room too.
    pub(super) const WINDOWS: Self = Self { one: None, all: Some(32_767 - 512) };

    pub(super) fn check(self, argv: &[OsString]) -> Result<(), InvocationError> {
        for arg in argv {
            self.check_one(arg, || flag_of(arg))?;
        }
        let length: usize = argv.iter().map(|arg| units(arg) + 3).sum();
        match self.all {
            Some(limit) if length > limit => {
                Err(InvocationError::CommandLineTooLong { length, limit })
            }
            _ => Ok(()),
        }
    }

    pub(super) fn check_one(
        self,
        text: &OsStr,
        what: impl FnOnce() -> String,
    ) -> Result<(), InvocationError> {
        let bytes = text.len();
        match self.one {
            Some(limit) if bytes > limit => {
                Err(InvocationError::TooLong { what: what(), bytes, limit })
            }
            _ => Ok(()),
        }
    }
}

/// The part of an argument before its value: values may be secret.
fn flag_of(arg: &OsStr) -> String {
    let text = arg.to_string_lossy();
    text.split_once('=').map_or(&*text, |(flag, _)| flag).to_owned()
}

/// Length in UTF-16 units, with a backslash before each quote.
fn units(arg: &OsStr) -> usize {
    arg.to_string_lossy().chars().map(|c| c.len_utf16() + usize::from(c == '"')).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_argument_that_is_too_long_is_named_without_its_value() {
        let fits = OsString::from(format!("--settings={}", "x".repeat(131_071 - 11)));
        assert_eq!(Limits::LINUX.check(std::slice::from_ref(&fits)), Ok(()));
        let mut longer = fits;
        longer.push("x");
        assert_eq!(
            Limits::LINUX.check(&[longer]),
            Err(InvocationError::TooLong {
                what: "--settings".into(),
                bytes: 131_072,
                limit: 131_071,
            })
        );
    }

    #[test]
    fn windows_counts_the_whole_line_and_its_quotes() {
        let half = OsString::from("x".repeat(16_000));
        assert_eq!(Limits::WINDOWS.check(&[half.clone(), half.clone()]), Ok(()));
        let quotes = OsString::from("\"".repeat(16_000));
        assert!(matches!(
            Limits::WINDOWS.check(&[half, quotes]),
            Err(InvocationError::CommandLineTooLong { length: 48_006, limit: 32_255 })
        ));
    }
}
