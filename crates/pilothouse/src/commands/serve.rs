//! `serve`: the daemon in the foreground.
//!
//! It writes `listening on ORIGIN` to stdout for each address, and then nothing more there: whoever
//! started it may have stopped reading. What it has to tell goes to stderr.

use std::io::IsTerminal;
use std::time::Instant;

use anyhow::Context;
use bytes::Bytes;
use pilothouse_host::config::{Config, Key, Options};
use pilothouse_host::daemon::{Daemon, DaemonOptions};
use pilothouse_host::holder::HolderProgram;
use pilothouse_host::http::assets::{Asset, Assets};
use pilothouse_host::telemetry::Secrets;
use pilothouse_host::telemetry::log::{LogFormat, init};

use super::daemon::end;
use super::load_with;
use super::login::link_for;
use crate::args::{Common, ServeArgs};
use crate::exit::Exit;
use crate::reach::{
    Beacon, Claim, Keeper, LOOK, Lit, PATIENCE, is_in_use, is_locked, running, silent,
};
use crate::system::{Stops, leave_terminal};
use crate::view::print;

pub(super) async fn serve(common: &Common, args: &ServeArgs) -> anyhow::Result<Exit> {
    if args.detach {
        leave_terminal();
    }
    let mut options = Options::default();
    if let (false, Some(key)) = (args.listen.is_empty(), Key::named("server.listen")) {
        options.set_list(key, args.listen.clone(), "--listen");
    }
    if let (true, Some(key)) = (args.no_hold, Key::named("holder.enabled")) {
        options.set(key, "false", "--no-hold");
    }
    let config = load_with(common, options)?;
    let secrets = Secrets::default();
    init(&config.log.filter, LogFormat::Text, std::io::stderr(), &secrets)?;
    let until = Instant::now() + PATIENCE;
    let mut claim = None;
    let serving = loop {
        let options = DaemonOptions::of(&config, HolderProgram::of_this_program()?, &secrets)?;
        match Serving::open(&config, options).await {
            Err(error) if is_in_use(&error) => {
                if claim.is_none() {
                    claim = Some(Claim::make(&config.data_dir)?);
                }
                make_way(&config, until).await?;
            }
            opened => break opened?,
        }
    };
    drop(claim);
    for origin in serving.origins() {
        print(&format!("listening on {origin}\n"))?;
    }
    if std::io::stdout().is_terminal() {
        let link = link_for(&serving.daemon, &serving.beacon)?;
        let without = serving.beacon.without_it();
        print(&format!("log in with {link}\n(Ctrl-C to stop; {without})\n"))?;
    }
    serving.run(told_to_stop()?).await;
    Ok(Exit::Done)
}

/// Has a command that serves the directory to itself leave that to us. A daemon stays.
async fn make_way(config: &Config, until: Instant) -> anyhow::Result<()> {
    while is_locked(&config.data_dir) {
        match running(config).await? {
            Some((_, Beacon { keeper: Keeper::Daemon, pid, .. })) => anyhow::bail!(
                "another pilothouse (pid {pid}) serves {}: `pilothouse status` tells more, \
                 `pilothouse down` stops it",
                config.data_dir.display()
            ),
            // It goes on as our client.
            Some((api, beacon)) => return end(config, &api, &beacon).await,
            // It is just starting, or ending.
            None if Instant::now() < until => tokio::time::sleep(LOOK).await,
            None => return Err(silent(config)),
        }
    }
    Ok(())
}

/// A daemon that can be found.
pub(super) struct Serving {
    /// Dropped before the daemon: without its lock, the beacon may be another's.
    lit: Lit,
    pub(super) daemon: Daemon,
    pub(super) beacon: Beacon,
}

impl Serving {
    /// Opens it and lights its beacon.
    pub(super) async fn open(config: &Config, mut options: DaemonOptions) -> anyhow::Result<Self> {
        options.pages = Assets::new(pilothouse_web::FILES.iter().map(asset))?.pages();
        let (tls, holds) = (options.tls.clone(), options.host.holds());
        let daemon = Daemon::open(options).await?;
        let beacon = Beacon::of(Keeper::Daemon, daemon.addresses(), tls.as_ref());
        let beacon = Beacon { holds, ..beacon };
        let lit = beacon.light(&config.data_dir).with_context(|| {
            format!("the data directory {} cannot be written to", config.data_dir.display())
        })?;
        Ok(Self { lit, daemon, beacon })
    }

    /// What it is called, address by address.
    pub(super) fn origins(&self) -> impl Iterator<Item = String> {
        let scheme = if self.beacon.tls { "https" } else { "http" };
        self.beacon.addresses.iter().map(move |address| format!("{scheme}://{address}"))
    }

    /// Serves until then.
    pub(super) async fn run(self, until: impl Future<Output = ()>) {
        let lit = self.lit;
        self.daemon
            .run(async move {
                until.await;
                // First, so that nobody comes who would be sent away again.
                drop(lit);
            })
            .await;
    }
}

fn asset(file: &pilothouse_web::File) -> Asset {
    let brotli = file.brotli.map(Bytes::from_static);
    Asset::new(file.path, Bytes::from_static(file.bytes), brotli)
}

/// Waits to be told to.
pub(super) fn told_to_stop() -> std::io::Result<impl Future<Output = ()>> {
    let mut stops = Stops::new()?;
    Ok(async move { stops.next().await })
}
