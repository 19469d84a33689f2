//! Misbehaviour on demand: what `SIM_FAULT` asks for. The list of faults is in the documentation of
//! [`crate::sim`].

use std::str::FromStr;

/// What the simulated CLI is to do wrong. Nothing, by default.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Faults {
    pub(super) torn: bool,
    pub(super) merged: bool,
    pub(super) junk: bool,
    pub(super) flood: u64,
    pub(super) silence: bool,
    pub(super) crash: Option<Crash>,
    pub(super) bigline: Option<usize>,
    pub(super) deaf: Option<Deaf>,
    pub(super) slow_stdin: Option<SlowStdin>,
    pub(super) exit_at_once: Option<u8>,
    pub(super) stderr_flood: Option<usize>,
    pub(super) unknown_types: bool,
    pub(super) not_logged_in: bool,
    pub(super) old: bool,
    pub(super) ignore_sigterm: bool,
    pub(super) ignore_eof: bool,
    pub(super) early_asks: bool,
}

/// Where the process dies.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Crash {
    /// In the middle of the first assistant frame.
    MidLine,
    /// In the middle of the line after this many.
    After(u64),
}

/// Which control requests get no answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Deaf {
    /// All but `initialize`.
    All,
    /// These.
    To(Vec<String>),
}

impl Deaf {
    pub(super) fn ignores(&self, subtype: &str) -> bool {
        match self {
            Self::All => subtype != "initialize",
            Self::To(subtypes) => subtypes.iter().any(|known| known == subtype),
        }
    }
}

/// How stdin is read badly.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum SlowStdin {
    /// A few bytes at a time, with pauses.
    Trickle,
    /// Not at all after the first line.
    Stop,
}

/// `SIM_FAULT` cannot be understood.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("SIM_FAULT: `{0}` is no fault; `cargo doc -p pilothouse-sim` lists them")]
pub(super) struct UnknownFault(String);

impl FromStr for Faults {
    type Err = UnknownFault;

    fn from_str(list: &str) -> Result<Self, UnknownFault> {
        let mut faults = Self::default();
        for fault in list.split(',').map(str::trim).filter(|fault| !fault.is_empty()) {
            faults.add(fault).ok_or_else(|| UnknownFault(fault.to_owned()))?;
        }
        Ok(faults)
    }
}

impl Faults {
    fn add(&mut self, fault: &str) -> Option<()> {
        let (name, value) = match fault.split_once('=') {
            Some((name, value)) => (name, Some(value)),
            None => (fault, None),
        };
        match (name, value) {
            ("torn", None) => self.torn = true,
            ("merged", None) => self.merged = true,
            ("junk", None) => self.junk = true,
            ("flood", Some(count)) => self.flood = count.parse().ok()?,
            ("silence", None) => self.silence = true,
            ("crash", None | Some("mid-line")) => self.crash = Some(Crash::MidLine),
            ("crash", Some(after)) => {
                self.crash = Some(Crash::After(after.strip_prefix("after=")?.parse().ok()?));
            }
            ("bigline", Some(bytes)) => self.bigline = Some(bytes.parse().ok()?),
            ("deaf", None) => self.deaf = Some(Deaf::All),
            ("deaf", Some(subtypes)) => {
                let subtypes = subtypes.split('+').map(str::to_owned).collect();
                self.deaf = Some(Deaf::To(subtypes));
            }
            ("slow-stdin", None) => self.slow_stdin = Some(SlowStdin::Trickle),
            ("slow-stdin", Some("stop")) => self.slow_stdin = Some(SlowStdin::Stop),
            ("exit-at-once", None) => self.exit_at_once = Some(1),
            ("exit-at-once", Some(code)) => self.exit_at_once = Some(code.parse().ok()?),
            ("stderr-flood", None) => self.stderr_flood = Some(1 << 20),
            ("stderr-flood", Some(bytes)) => self.stderr_flood = Some(bytes.parse().ok()?),
            ("unknown-types", None) => self.unknown_types = true,
            ("not-logged-in", None) => self.not_logged_in = true,
            ("old", None) => self.old = true,
            ("ignore-sigterm", None) => self.ignore_sigterm = true,
            ("ignore-eof", None) => self.ignore_eof = true,
            ("early-asks", None) => self.early_asks = true,
            _ => return None,
        }
        Some(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_of_faults() {
        let faults: Faults =
            "torn, crash=after=3,deaf=interrupt+mcp_status,flood=9,exit-at-once=7".parse().unwrap();
        assert!(faults.torn && !faults.merged);
        assert_eq!(faults.crash, Some(Crash::After(3)));
        assert_eq!((faults.flood, faults.exit_at_once), (9, Some(7)));
        let deaf = faults.deaf.unwrap();
        assert!(deaf.ignores("mcp_status") && !deaf.ignores("initialize"));
        assert!(Deaf::All.ignores("anything") && !Deaf::All.ignores("initialize"));
    }

    #[test]
    fn nothing_asked_nothing_wrong() {
        assert_eq!("".parse(), Ok(Faults::default()));
    }

    #[test]
    fn a_typo_is_an_error() {
        for list in ["tron", "flood", "flood=many", "crash=soon", "torn=1", "exit-at-once=999"] {
            assert_eq!(list.parse::<Faults>(), Err(UnknownFault(list.to_owned())));
        }
    }
}
