//! The daemon's API, wherever it is served.
//!
//! When a daemon runs, commands talk to it. When none runs, they serve the same API to themselves for
//! as long as they take: so there is one way to do everything. Sessions belong to holders and outlive
//! both; a command whose daemon goes away looks for the next one and goes on where it was.

mod api;
mod beacon;
mod stream;
mod tls;

use std::time::{Duration, Instant};

use anyhow::Context;
use hyper::body::Incoming;
use hyper::{Method, Response};
use pilothouse_host::config::Config;
use pilothouse_host::daemon::{Daemon, DaemonError, DaemonOptions};
use pilothouse_host::data_dir;
use pilothouse_host::holder::HolderProgram;
use pilothouse_host::host::HostError;
use pilothouse_host::http::guard::Token;
use pilothouse_host::telemetry::Secrets;
use serde::Serialize;
use serde::de::DeserializeOwned;
use tokio::sync::oneshot;
use tokio::task::JoinHandle;

pub(crate) use api::{Api, ApiError, Ask, pour, quoted, read};
use beacon::is_claimed;
pub(crate) use beacon::{Beacon, Claim, Keeper, Lit, is_locked};
pub(crate) use stream::{Update, Watch};

/// How long is waited for somebody else who is just starting or ending, and for a daemon to say who
/// it is. It has to look nothing up for that, but its machine may have much to do.
pub(crate) const PATIENCE: Duration = Duration::from_secs(15);

/// How often is looked meanwhile.
pub(crate) const LOOK: Duration = Duration::from_millis(20);

/// How long a beacon may name the address of something else. Whoever takes the directory's lock
/// removes a stale beacon at once, so the wrong one is there for a moment only.
const STALE: Duration = Duration::from_secs(1);

/// A way to the daemon's API.
#[derive(Debug)]
pub(crate) struct Reach {
    config: Config,
    api: Api,
    beacon: Beacon,
    here: Option<Here>,
}

/// A daemon in this process.
#[derive(Debug)]
struct Here {
    stop: oneshot::Sender<()>,
    task: JoinHandle<()>,
}

/// The daemon that serves a data directory, if one does.
pub(crate) async fn running(config: &Config) -> anyhow::Result<Option<(Api, Beacon)>> {
    data_dir::check(&config.data_dir)?;
    let until = Instant::now() + STALE;
    loop {
        let Some((api, beacon)) = named(config)? else { return Ok(None) };
        match api.send_within(PATIENCE, Ask::new(Method::GET, "/api/v1/version")).await {
            Ok(_) => return Ok(Some((api, beacon))),
            // It is just ending.
            Err(ApiError::Gone(_)) => return Ok(None),
            Err(ApiError::Silent(_)) => return Err(silent(config)),
            // Nobody has proved anything yet: also one that has no room may not be the daemon.
            Err(ApiError::Stranger(_) | ApiError::Full(_)) if Instant::now() < until => {
                tokio::time::sleep(LOOK).await;
            }
            Err(error) => return Err(error.into()),
        }
    }
}

/// The daemon that the beacon names. Whether it is there, and is the one, shows when it is asked.
fn named(config: &Config) -> anyhow::Result<Option<(Api, Beacon)>> {
    let Some(beacon) = Beacon::read(&config.data_dir) else { return Ok(None) };
    let Some(address) = beacon.address() else { return Ok(None) };
    let tls = match (&beacon.certificate, beacon.tls) {
        (Some(certificate), _) => Some(tls::only(certificate)?),
        // The token is for nobody who cannot show who they are.
        (None, true) => anyhow::bail!(
            "the daemon (pid {}) speaks TLS and does not tell with which certificate: it is of \
             another version; end it with SIGTERM, then try again (sessions go on)",
            beacon.pid
        ),
        (None, false) => None,
    };
    let token = Token::load_or_create(&config.data_dir)?;
    let api = Api::new(address, token, tls).within(config.limits.request.0);
    Ok(Some((api, beacon)))
}

/// Somebody has the directory, and nothing can be done with them.
pub(crate) fn silent(config: &Config) -> anyhow::Error {
    let dir = config.data_dir.display();
    anyhow::anyhow!(
        "the daemon of {dir} does not answer: it may be stopped, or have too much to do; \
         `lsof {dir}/lock` tells which process it is; sessions go on if you kill it"
    )
}

impl Reach {
    /// Finds the daemon, or serves the API from here.
    pub(crate) async fn open(config: &Config) -> anyhow::Result<Self> {
        let until = Instant::now() + PATIENCE;
        loop {
            if let Some((api, beacon)) = running(config).await? {
                return Ok(Self { config: config.clone(), api, beacon, here: None });
            }
            if is_claimed(&config.data_dir) && Instant::now() < until {
                tokio::time::sleep(LOOK).await;
                continue;
            }
            match Self::here(config).await {
                // Somebody is starting, or ending: one of the two will work soon.
                Err(error) if is_in_use(&error) && Instant::now() < until => {
                    tokio::time::sleep(LOOK).await;
                }
                Err(error) if is_in_use(&error) => return Err(silent(config)),
                opened => return opened,
            }
        }
    }

    async fn here(config: &Config) -> anyhow::Result<Self> {
        let holder = HolderProgram::of_this_program()?;
        let mut options = DaemonOptions::of(config, holder, &Secrets::default())?;
        options.listen = vec![([127, 0, 0, 1], 0).into()];
        options.tls = None;
        let daemon = Daemon::open(options).await?;
        let addresses = daemon.addresses();
        let beacon = Beacon::of(Keeper::Command, addresses, None);
        let lit = beacon.light(&config.data_dir)?;
        let address = beacon.address().context("there is no address on this machine")?;
        let api = Api::new(address, daemon.token(), None).within(config.limits.request.0);
        let (stop, stopped) = oneshot::channel();
        let task = tokio::spawn(daemon.run(async move {
            let _ = stopped.await;
            // First, so that nobody comes who would be sent away again.
            drop(lit);
        }));
        let here = Some(Here { stop, task });
        Ok(Self { config: config.clone(), api, beacon, here })
    }

    /// Looks for the next daemon, when this one is gone.
    pub(crate) async fn again(&mut self, reason: &str) -> Result<(), ApiError> {
        let config = self.config.clone();
        if let Some(Here { stop, task }) = self.here.take() {
            // Mostly a daemon has asked it to end; where only our stream has ended, we do.
            drop(stop);
            let _ = task.await;
        }
        // Boxed: opening may watch, and watching may open.
        let opened = Box::pin(Self::open(&config)).await;
        *self = opened.map_err(|error| ApiError::Gone(format!("{reason}; {error:#}")))?;
        Ok(())
    }

    /// Whether a daemon goes on when this process ends.
    pub(crate) fn is_lasting(&self) -> bool {
        self.beacon.keeper == Keeper::Daemon
    }

    /// How it is reached.
    pub(crate) fn beacon(&self) -> &Beacon {
        &self.beacon
    }

    fn api(&self) -> &Api {
        &self.api
    }

    /// Asks, and asks the next daemon if this one is gone.
    pub(crate) async fn send(&mut self, ask: Ask) -> Result<Response<Incoming>, ApiError> {
        let answered = self.api.send(ask.clone()).await;
        match answered.as_ref().err().and_then(ApiError::absence) {
            Some(reason) => {
                self.again(&reason).await?;
                self.api.send(ask).await
            }
            None => answered,
        }
    }

    /// Asks for one after the other until one is granted, and does not wait for the answer: what
    /// comes of it is told by events.
    pub(crate) fn send_off<const N: usize>(&self, asks: [Ask; N]) {
        let api = self.api.clone();
        tokio::spawn(async move {
            for ask in asks {
                if api.send(ask).await.is_ok() {
                    return;
                }
            }
        });
    }

    /// Reads something.
    pub(crate) async fn get<T: DeserializeOwned>(&mut self, path: &str) -> Result<T, ApiError> {
        read(self.send(Ask::new(Method::GET, path)).await?).await
    }

    /// Does something.
    pub(crate) async fn post<T: DeserializeOwned>(
        &mut self,
        path: &str,
        body: &impl Serialize,
    ) -> Result<T, ApiError> {
        read(self.send(Ask::new(Method::POST, path).json(body)?).await?).await
    }

    /// Reads a list that comes in pages, up to `most`. `path` has its question mark already.
    pub(crate) async fn list<T: DeserializeOwned>(
        &mut self,
        path: &str,
        most: usize,
    ) -> Result<Vec<T>, ApiError> {
        #[derive(serde::Deserialize)]
        struct Page<T> {
            items: Vec<T>,
            next: Option<serde_json::Value>,
        }
        let (mut items, mut after) = (Vec::new(), String::new());
        loop {
            let limit = (most - items.len()).clamp(1, 200);
            let page: Page<T> = self.get(&format!("{path}&limit={limit}{after}")).await?;
            items.extend(page.items);
            let next = match page.next {
                Some(serde_json::Value::String(mark)) => mark,
                Some(serde_json::Value::Number(mark)) => mark.to_string(),
                _ => return Ok(items),
            };
            if items.len() >= most {
                items.truncate(most);
                return Ok(items);
            }
            after = format!("&after={}", quoted(&next));
        }
    }

    /// Lets go. Sessions go on.
    pub(crate) async fn close(self) {
        if let Some(Here { stop, task }) = self.here {
            let _ = stop.send(());
            let _ = task.await;
        }
    }
}

pub(crate) fn is_in_use(error: &anyhow::Error) -> bool {
    matches!(error.downcast_ref(), Some(DaemonError::Host(HostError::InUse(_))))
}
