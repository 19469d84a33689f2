//! The real CLI: the versions we test with, where they come from, and a place for them to run in.
//!
//! * [`CliVersion`] installs itself from npm into a cache, once.
//! * [`Harness`] is a throw-away home and project with an environment that leads nowhere but to the
//!   scripted model.
//! * [`RawCli`] drives a CLI line by line, without any of the code under test.

mod frames;
mod harness;
mod install;
mod raw;

pub use frames::{allow, control, deny, initialize, prompt};
pub use harness::{Harness, HarnessError};
pub use install::{CliVersion, InstallError};
pub use raw::{Direction, RawCli, RawError};

#[cfg(test)]
mod tests {
    use std::path::Path;
    use std::process::Command;

    /// Writes a shell script that can be started at once.
    ///
    /// Another process writes it: a file that this one has open for writing may be inherited, for a
    /// moment, by a child that another test starts, and cannot be started until then.
    pub(super) fn write_script(path: &Path, body: &str) {
        let status = Command::new("sh")
            .args(["-c", r#"printf '#!/bin/sh\n%s\n' "$1" > "$2" && chmod 755 "$2""#, "sh", body])
            .arg(path)
            .status()
            .unwrap();
        assert!(status.success());
    }
}
