//! The daemon as it is, but for how its sockets send: `host-daemon DATA_DIR CLAUDE SENDING`.
//!
//! `framed` sends as every daemon does and says in each message how long it was held back for that;
//! `at-once` holds nothing back.

use std::process::ExitCode;

#[cfg(target_os = "linux")]
fn main() -> ExitCode {
    match daemon::main() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            let _ = std::io::Write::write_fmt(&mut std::io::stderr(), format_args!("{error}\n"));
            ExitCode::FAILURE
        }
    }
}

#[cfg(target_os = "linux")]
mod daemon {
    use std::error::Error;
    use std::io::Write;
    use std::time::Duration;

    use pilothouse_client::Cli;
    use pilothouse_host::daemon::{Daemon, DaemonOptions};
    use pilothouse_host::holder::HolderProgram;
    use pilothouse_host::host::Options;
    use tokio::signal::unix::{SignalKind, signal};

    pub(super) fn main() -> Result<(), Box<dyn Error>> {
        let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
        runtime.block_on(serve())
    }

    async fn serve() -> Result<(), Box<dyn Error>> {
        let mut args = std::env::args_os().skip(1);
        let mut next = || args.next().ok_or("usage: host-daemon DATA_DIR CLAUDE SENDING");
        let (data_dir, claude, sending) = (next()?, next()?, next()?);
        let exe = std::env::current_exe()?.with_file_name("pilothouse-daemon-hold");
        let mut options = Options::new(data_dir, HolderProgram { exe, args: Vec::new() });
        options.cli = Cli::At(claude.into());
        let mut options = DaemonOptions::new(options);
        options.sockets.timing = true;
        if sending == "at-once" {
            options.sockets.frame = Duration::ZERO;
        }
        let daemon = Daemon::open(options).await?;
        let mut terminate = signal(SignalKind::terminate())?;
        let addresses = daemon.addresses();
        let address = addresses.first().ok_or("the daemon listens nowhere")?;
        writeln!(std::io::stdout(), "listening on {address}")?;
        daemon.run(async move { terminate.recv().await.unwrap_or_default() }).await;
        Ok(())
    }
}

#[cfg(not(target_os = "linux"))]
fn main() -> ExitCode {
    ExitCode::FAILURE
}
