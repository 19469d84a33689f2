//! One run of one of our rows, in a process of its own so that its peak memory
//! is its own.
//!
//! usage: ours split|decode|session|client PRINTER   (`BENCH_CORPUS` names the corpus)

use std::error::Error;
use std::io::{self, Write};
use std::path::Path;
use std::process::ExitCode;

use bench::ours::{Consumed, decode_all, end_to_end, handle_all, split_all};
use bench::reading::{Reading, Stopwatch, peak_rss_kib};
use bytes::Bytes;

fn main() -> ExitCode {
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            // Nothing can be done when stderr is gone as well.
            let _ = writeln!(io::stderr(), "ours: {error}");
            ExitCode::FAILURE
        }
    }
}

fn run() -> Result<(), Box<dyn Error>> {
    let arguments = std::env::args().skip(1).collect::<Vec<_>>();
    let consumed = match arguments.iter().map(String::as_str).collect::<Vec<_>>().as_slice() {
        ["split", ..] => in_memory(|corpus| split_all(corpus))?,
        ["decode", ..] => in_memory(|corpus| decode_all(corpus))?,
        ["session", ..] => in_memory(handle_all)?,
        ["client", printer] => end_to_end(Path::new(printer))?,
        _ => return Err("usage: ours split|decode|session|client PRINTER".into()),
    };
    let reading = Reading {
        messages: consumed.messages,
        seconds: consumed.seconds,
        peak_rss_kib: peak_rss_kib(),
        errors: 0,
        first_error: None,
    };
    writeln!(io::stdout(), "{}", reading.to_json())?;
    Ok(())
}

fn in_memory(work: fn(&Bytes) -> u64) -> Result<Consumed, Box<dyn Error>> {
    let path = std::env::var_os("BENCH_CORPUS").ok_or("set BENCH_CORPUS to the corpus")?;
    let corpus = Bytes::from(std::fs::read(path)?);
    let stopwatch = Stopwatch::start();
    let messages = work(&corpus);
    Ok(Consumed { messages, seconds: stopwatch.seconds() })
}
