//! A CLI that refuses its command line says so on stderr, in words, and ends. These are the words.

use std::fmt;

use super::flags::Flag;

/// Why the CLI refused its command line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Rejection {
    /// A flag it does not know: it is too old, or too new.
    UnknownFlag {
        /// The flag, with its dashes.
        flag: String,
    },
    /// A value it does not take.
    InvalidValue {
        /// The flag, with its dashes.
        flag: String,
        /// Why, in its own words.
        reason: String,
    },
}

impl Rejection {
    /// Finds the refusal in what the CLI wrote to stderr. Values are left out: they may be secret.
    ///
    /// ```
    /// use pilothouse_wire::invocation::Rejection;
    ///
    /// let rejection = Rejection::find("error: unknown option '--effort=high'\n").unwrap();
    /// assert_eq!(rejection, Rejection::UnknownFlag { flag: "--effort".into() });
    /// assert!(rejection.to_string().contains("2.1.62"));
    /// ```
    pub fn find(stderr: &str) -> Option<Self> {
        stderr.lines().find_map(|line| {
            let rest = line.strip_prefix("error: ")?;
            if let Some(option) = rest.strip_prefix("unknown option '") {
                let end = option.find(['=', '\'']).unwrap_or(option.len());
                return Some(Self::UnknownFlag { flag: option[..end].to_owned() });
            }
            let (option, rest) = rest.strip_prefix("option '")?.split_once("' argument '")?;
            let (_, reason) = rest.rsplit_once("' is invalid.")?;
            let flag = option.split(' ').find(|part| part.starts_with("--"))?;
            Some(Self::InvalidValue {
                flag: flag.trim_end_matches(',').to_owned(),
                reason: reason.trim().to_owned(),
            })
        })
    }
}

impl fmt::Display for Rejection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::UnknownFlag { flag } => {
                write!(f, "this CLI does not know {flag}: ")?;
                match flag.strip_prefix("--").and_then(Flag::from_name) {
                    Some(known) => write!(
                        f,
                        "update it (version {} knows the flag), or leave the option out",
                        known.known_since()
                    ),
                    None => f.write_str("leave it out, or install a version that has it"),
                }
            }
            Self::InvalidValue { flag, reason } => {
                write!(f, "this CLI does not take that value for {flag}: ")?;
                if reason.is_empty() {
                    f.write_str("choose another, or leave the option out")
                } else {
                    f.write_str(reason)
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn refusals_are_found_without_their_values() {
        for (stderr, expected) in [
            ("", None),
            ("Error: Settings file not found: x", None),
            ("error: unknown option '--thinking=adaptive'", Some(("--thinking", None))),
            ("warming up\nerror: unknown option '--bare'\nmore", Some(("--bare", None))),
            ("error: unknown option '--settings={\"a\":'", Some(("--settings", None))),
            (
                "error: option '--permission-mode <mode>' argument 'it's' is invalid. Allowed \
                 choices are plan.",
                Some(("--permission-mode", Some("Allowed choices are plan."))),
            ),
            (
                "error: option '-d, --debug [filter]' argument 'x' is invalid.",
                Some(("--debug", Some(""))),
            ),
            ("error: option '--model", None),
        ] {
            let expected = expected.map(|(flag, reason)| match reason {
                None => Rejection::UnknownFlag { flag: flag.to_owned() },
                Some(reason) => {
                    Rejection::InvalidValue { flag: flag.to_owned(), reason: reason.to_owned() }
                }
            });
            assert_eq!(Rejection::find(stderr), expected, "{stderr:?}");
        }
    }
}
