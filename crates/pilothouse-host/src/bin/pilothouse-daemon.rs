//! The daemon as a program of its own, with few options: for tests, measurements, and programs
//! that bring everything else along.
//!
//! `pilothouse-daemon DATA_DIR CLAUDE [ADDRESS]` listens, writes `listening on ADDRESS` to stdout,
//! and ends on SIGTERM or SIGINT (or Ctrl-C, where there are no signals); runs go on. Holders are
//! the program beside it, or this one: `hold DIR`. `PILOTHOUSE_WEB=DIR` serves a built browser client
//! from there. What goes wrong is logged to stderr, without secrets; `PILOTHOUSE_LOG_FILTER` says how
//! much.

use std::ffi::OsString;
use std::io::Write;
use std::process::ExitCode;

use pilothouse_client::Cli;
use pilothouse_host::daemon::{Daemon, DaemonOptions};
use pilothouse_host::holder::HolderProgram;
use pilothouse_host::host::Options;
use pilothouse_host::http::assets::Assets;
use pilothouse_host::telemetry::log::{self, LogFormat};

fn main() -> ExitCode {
    let mut args = std::env::args_os().skip(1).peekable();
    #[cfg(unix)]
    if args.next_if(|arg| arg == "hold").is_some() {
        return pilothouse_host::holder::main(args);
    }
    run(args.by_ref().collect())
}

fn run(args: Vec<OsString>) -> ExitCode {
    let Some(options) = options(&args) else {
        let _ = writeln!(std::io::stderr(), "usage: pilothouse-daemon DATA_DIR CLAUDE [ADDRESS]");
        return ExitCode::from(2);
    };
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build();
    let ran = match runtime {
        Ok(runtime) => runtime.block_on(serve(options)),
        Err(error) => Err(Box::from(error)),
    };
    match ran {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            let _ = writeln!(std::io::stderr(), "{error}");
            ExitCode::FAILURE
        }
    }
}

fn options(args: &[OsString]) -> Option<DaemonOptions> {
    let (data_dir, claude) = (args.first()?, args.get(1)?);
    let holder = HolderProgram::of_this_program().ok()?;
    let mut options = Options::new(data_dir, holder);
    options.cli = Cli::At(claude.into());
    let mut options = DaemonOptions::new(options);
    if let Some(address) = args.get(2) {
        options.listen = vec![address.to_str()?.parse().ok()?];
    }
    Some(options)
}

async fn serve(mut options: DaemonOptions) -> Result<(), Box<dyn std::error::Error>> {
    let filter = std::env::var("PILOTHOUSE_LOG_FILTER").unwrap_or_else(|_| "warn".to_owned());
    log::init(&filter, LogFormat::Text, std::io::stderr(), options.host.telemetry.secrets())?;
    if let Some(directory) = std::env::var_os("PILOTHOUSE_WEB") {
        options.pages = Assets::read(directory.as_ref())?.pages();
    }
    let daemon = Daemon::open(options).await?;
    let told = told_to_end()?;
    for address in daemon.addresses() {
        writeln!(std::io::stdout(), "listening on {address}")?;
    }
    daemon.run(told).await;
    Ok(())
}

#[cfg(unix)]
fn told_to_end() -> std::io::Result<impl Future<Output = ()>> {
    use tokio::signal::unix::{SignalKind, signal};
    let mut terminate = signal(SignalKind::terminate())?;
    let mut interrupt = signal(SignalKind::interrupt())?;
    Ok(async move {
        tokio::select! {
            _ = terminate.recv() => {}
            _ = interrupt.recv() => {}
        }
    })
}

#[cfg(windows)]
fn told_to_end() -> std::io::Result<impl Future<Output = ()>> {
    let mut interrupt = tokio::signal::windows::ctrl_c()?;
    Ok(async move {
        interrupt.recv().await;
    })
}
