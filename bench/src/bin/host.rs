//! Measures the daemon and prints one table. `--help` lists the options.

use std::process::ExitCode;

#[cfg(target_os = "linux")]
fn main() -> ExitCode {
    match runner::run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            runner::say(&error.to_string());
            ExitCode::FAILURE
        }
    }
}

#[cfg(target_os = "linux")]
mod runner {
    use std::error::Error;
    use std::io::{self, Write};
    use std::path::Path;
    use std::process::Command;

    use bench::host::parts::{Part, Terms};
    use bench::host::report::render;
    use bench::options::Format;

    const USAGE: &str = "\
usage: cargo run --release -p bench --bin host -- [OPTIONS]

  --seconds N        how long the sessions speak (60)
  --only NAME,...    only these: load-400, load-100, stalled, idle, replay, cold, holder, append, node
  --markdown         print the table as Markdown
  --help             print this
";

    struct Options {
        seconds: u64,
        parts: Vec<Part>,
        format: Format,
    }

    impl Options {
        fn parse(mut arguments: impl Iterator<Item = String>) -> Option<Self> {
            let mut options =
                Self { seconds: 60, parts: Part::ALL.to_vec(), format: Format::Plain };
            while let Some(argument) = arguments.next() {
                match argument.as_str() {
                    "--seconds" => options.seconds = arguments.next()?.parse().ok()?,
                    "--markdown" => options.format = Format::Markdown,
                    "--only" => {
                        let named =
                            |name: &str| Part::ALL.into_iter().find(|part| part.name() == name);
                        options.parts =
                            arguments.next()?.split(',').map(named).collect::<Option<_>>()?;
                    }
                    _ => return None,
                }
            }
            Some(options)
        }
    }

    pub(super) fn run() -> Result<(), Box<dyn Error>> {
        let Some(options) = Options::parse(std::env::args().skip(1)) else {
            return Ok(io::stdout().write_all(USAGE.as_bytes())?);
        };
        if cfg!(debug_assertions) {
            say("this is a debug build: the figures mean nothing; use --release");
        }
        let sources = Path::new(env!("CARGO_MANIFEST_DIR"));
        say("building the daemon, the holder and the generator");
        build(sources.parent().unwrap_or(sources))?;
        let exe = std::env::current_exe()?;
        let terms = Terms {
            programs: exe.parent().ok_or("this program is nowhere")?.to_owned(),
            rivals: sources.join("rivals"),
            seconds: options.seconds,
        };
        // One thread: the clients are to take no more of the machine than they need.
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        let mut rows = Vec::new();
        for part in options.parts {
            say(part.name());
            let measured = runtime.block_on(part.measure(&terms));
            say(&format!("\n{}", render(&measured, Format::Plain)));
            rows.extend(measured);
        }
        Ok(io::stdout().write_all(render(&rows, options.format).as_bytes())?)
    }

    fn build(workspace: &Path) -> Result<(), Box<dyn Error>> {
        let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
        let mut build = Command::new(cargo);
        build.current_dir(workspace).args(["build", "--quiet"]);
        build.args(["-p", "bench", "--bin", "generator", "--bin", "host-daemon"]);
        build.args(["-p", "pilothouse-host", "--bin", "pilothouse-daemon"]);
        build.args(["--bin", "pilothouse-daemon-hold"]);
        if !cfg!(debug_assertions) {
            build.arg("--release");
        }
        match build.status()?.success() {
            true => Ok(()),
            false => Err("our own programs do not build; cargo's messages are above".into()),
        }
    }

    pub(super) fn say(text: &str) {
        // Progress is a courtesy: a closed stderr must not end the measurement.
        let _ = writeln!(io::stderr(), "host: {text}");
    }
}

#[cfg(not(target_os = "linux"))]
fn main() -> ExitCode {
    ExitCode::FAILURE
}
