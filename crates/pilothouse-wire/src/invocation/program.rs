//! What is executed.

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

use super::error::InvocationError;

/// The executable and what comes before the CLI's own arguments.
///
/// ```
/// use pilothouse_wire::invocation::Program;
///
/// assert_eq!(Program::new("/usr/local/bin/claude")?.exe.to_str(), Some("/usr/local/bin/claude"));
/// assert_eq!(Program::new("/opt/cli.js")?.exe.to_str(), Some("node"));
/// assert!(Program::new(r"C:\npm\claude.cmd").is_err());
/// # Ok::<(), pilothouse_wire::invocation::InvocationError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Program {
    /// The executable.
    pub exe: PathBuf,
    /// Arguments before those of the CLI.
    pub prefix_args: Vec<OsString>,
}

impl Program {
    /// The CLI at `path`. A script is run through the `node` of the search path.
    pub fn new(path: impl Into<PathBuf>) -> Result<Self, InvocationError> {
        Self::with_runtime(path, "node")
    }

    /// The CLI at `path`. A script is run through `runtime`; an executable ignores it.
    pub fn with_runtime(
        path: impl Into<PathBuf>,
        runtime: impl Into<PathBuf>,
    ) -> Result<Self, InvocationError> {
        let path = path.into();
        check(&path, "the path of the CLI")?;
        match extension(&path).as_str() {
            // cmd.exe parses the arguments a second time, with rules that no quoting satisfies.
            "bat" | "cmd" => Err(InvocationError::BatchFile { path }),
            "js" | "mjs" | "cjs" | "ts" => {
                let runtime = runtime.into();
                check(&runtime, "the path of the JavaScript runtime")?;
                if matches!(extension(&runtime).as_str(), "bat" | "cmd") {
                    return Err(InvocationError::BatchFile { path: runtime });
                }
                Ok(Self { exe: runtime, prefix_args: vec![operand(path)] })
            }
            _ => Ok(Self { exe: path, prefix_args: Vec::new() }),
        }
    }
}

fn check(path: &Path, what: &str) -> Result<(), InvocationError> {
    if path.as_os_str().is_empty() {
        return Err(InvocationError::Empty { what: what.to_owned() });
    }
    if path.as_os_str().as_encoded_bytes().contains(&0) {
        return Err(InvocationError::Nul { what: what.to_owned() });
    }
    Ok(())
}

/// The extension in lower case, as Windows sees it: dots and spaces at the end do not count.
fn extension(path: &Path) -> String {
    let name = path.to_string_lossy().to_ascii_lowercase();
    let name = name.trim_end_matches(['.', ' ']);
    Path::new(name).extension().and_then(OsStr::to_str).unwrap_or_default().to_owned()
}

/// A script the runtime cannot take for an option.
fn operand(script: PathBuf) -> OsString {
    if script.as_os_str().as_encoded_bytes().starts_with(b"-") {
        Path::new(".").join(script).into()
    } else {
        script.into()
    }
}
