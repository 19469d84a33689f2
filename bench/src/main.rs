//! The runner: prepares the contenders, measures them in turn, and prints one
//! table and how it stands with the goals. `--help` lists the options.

use std::error::Error;
use std::io::{self, Write};
use std::process::ExitCode;

use bench::corpus::{Corpus, Kind};
use bench::goals::judge;
use bench::options::{Options, OptionsError, USAGE};
use bench::runner::measure;
use bench::setup::{SetupError, Site};
use bench::table::render;

fn main() -> ExitCode {
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            say(&error.to_string());
            ExitCode::FAILURE
        }
    }
}

fn run() -> Result<(), Box<dyn Error>> {
    let options = match Options::parse(std::env::args().skip(1)) {
        Err(OptionsError::HelpWanted) => return Ok(io::stdout().write_all(USAGE.as_bytes())?),
        parsed => parsed?,
    };
    if cfg!(debug_assertions) {
        say("this is a debug build: the figures mean nothing; use --release");
    }
    let site = Site::prepare(&mut say)?;
    say("writing the corpora, unless they are in the cache");
    let corpora = Kind::ALL
        .map(|kind| Corpus::prepare(&site.cache, kind, options.recipe))
        .into_iter()
        .collect::<Result<Vec<_>, _>>()
        .map_err(|source| SetupError::Cache { path: site.cache.clone(), source })?;
    let rows = measure(&site, &options.contenders, &corpora, options.runs, &mut say);
    let goals = judge(&rows, &corpora);
    Ok(io::stdout().write_all(render(&rows, &corpora, &goals, options.format).as_bytes())?)
}

fn say(text: &str) {
    // Progress is a courtesy: a closed stderr must not end the measurement.
    let _ = writeln!(io::stderr(), "bench: {text}");
}
