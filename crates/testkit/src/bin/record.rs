//! Records transcripts:
//! `record [--version 2.1.325] [--only SCENARIO] [--into DIRECTORY] [--raw DIRECTORY]`.
//!
//! Without `--version` all versions are recorded, without `--only` all scenarios. `--raw` also
//! writes the lines as they came; they hold the CLI's own texts and are for looking at, not for
//! keeping.
//!
//! It starts itself anew where only loopback exists: some of what the CLI is made to do here would
//! reach out otherwise.
#![allow(clippy::print_stdout, clippy::print_stderr, reason = "a program that reports to a person")]

use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};
use std::{fs, io};

use testkit::cli::{CliVersion, Direction};
use testkit::record::scenario::Scenario;
use testkit::record::{Log, file_name, play, scenarios, transcript, transcripts};

struct Order {
    versions: Vec<CliVersion>,
    only: Vec<String>,
    into: PathBuf,
    raw: Option<PathBuf>,
}

impl Order {
    fn parse(mut args: impl Iterator<Item = String>) -> Result<Self, String> {
        let workspace = Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(2);
        let mut order = Self {
            versions: Vec::new(),
            only: Vec::new(),
            into: workspace.unwrap_or(Path::new(".")).join("transcripts"),
            raw: None,
        };
        while let Some(option) = args.next() {
            let value = args.next().ok_or_else(|| format!("{option} needs a value"))?;
            match option.as_str() {
                "--version" => {
                    let known =
                        CliVersion::RECORDED.into_iter().find(|known| known.number() == value);
                    let known = known.ok_or_else(|| format!("there is no version {value} here"))?;
                    order.versions.push(known);
                }
                "--only" => order.only.push(value),
                "--into" => order.into = value.into(),
                "--raw" => order.raw = Some(value.into()),
                _ => return Err(format!("there is no option {option}; see the head of record.rs")),
            }
        }
        if order.versions.is_empty() {
            order.versions = CliVersion::RECORDED.to_vec();
        }
        Ok(order)
    }

    fn scenarios(&self) -> Vec<Scenario> {
        let wanted = |name: &str| self.only.is_empty() || self.only.iter().any(|only| only == name);
        scenarios::all().into_iter().filter(|scenario| wanted(scenario.name)).collect()
    }
}

/// Set when there is nothing around us but loopback.
const ISOLATED: &str = "PILOTHOUSE_ISOLATED";

/// Replaces this process by one without a network. Returns only if that is impossible.
fn isolate() -> io::Error {
    let mut enter = Command::new("unshare");
    enter.arg("--net");
    if !rustix::process::getuid().is_root() {
        enter.args(["--user", "--map-root-user"]);
    }
    let program = match std::env::current_exe() {
        Ok(program) => program,
        Err(error) => return error,
    };
    enter
        .args(["sh", "-c", r#"ip link set lo up && exec "$@""#, "sh"])
        .arg(program)
        .args(std::env::args_os().skip(1))
        .env(ISOLATED, "1")
        .exec()
}

#[tokio::main]
async fn main() -> ExitCode {
    if std::env::var_os(ISOLATED).is_none() {
        let error = isolate();
        eprintln!(
            "cannot leave the network ({error}): install util-linux and iproute2, or run this in a container without a \
             network and set {ISOLATED}=1"
        );
        return ExitCode::FAILURE;
    }
    let order = match Order::parse(std::env::args().skip(1)) {
        Ok(order) => order,
        Err(message) => {
            eprintln!("{message}");
            return ExitCode::FAILURE;
        }
    };
    let scenarios = order.scenarios();
    if scenarios.is_empty() {
        eprintln!("there is no such scenario");
        return ExitCode::FAILURE;
    }
    let mut failures = 0;
    for version in &order.versions {
        for scenario in scenarios.iter().filter(|scenario| scenario.suits(*version)) {
            match record(&order, scenario, *version).await {
                Ok(lines) => println!("{version} {}: {lines} lines", scenario.name),
                Err(message) => {
                    failures += 1;
                    eprintln!("{version} {}: {message}", scenario.name);
                }
            }
        }
    }
    if failures == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

async fn record(order: &Order, scenario: &Scenario, version: CliVersion) -> Result<usize, String> {
    let played = play(scenario, version).await.map_err(|error| error.to_string())?;
    if let Some(directory) = &order.raw {
        for (number, log) in (1..).zip(&played.runs) {
            save(directory, version, &file_name(scenario, number), &raw(log))?;
        }
    }
    let mut lines = 0;
    for (name, run) in transcripts(scenario, &played) {
        lines += run.len();
        let text = transcript::write(&run).map_err(|error| error.to_string())?;
        save(&order.into, version, &name, &text)?;
    }
    Ok(lines)
}

fn save(directory: &Path, version: CliVersion, name: &str, text: &str) -> Result<(), String> {
    let directory = directory.join(version.number());
    let path = directory.join(name);
    fs::create_dir_all(&directory)
        .and_then(|()| fs::write(&path, text))
        .map_err(|error: io::Error| format!("cannot write {}: {error}", path.display()))
}

fn raw(log: &Log) -> String {
    let arrow = |direction: &Direction| match direction {
        Direction::ToCli => "-> ",
        Direction::FromCli => "<- ",
    };
    log.iter().map(|(direction, line)| format!("{}{line}\n", arrow(direction))).collect()
}
