//! A daemon as it is configured.

use axum::Router;
use pilothouse_client::Cli;
use pilothouse_wire::PermissionMode::BypassPermissions;

use super::{DaemonError, DaemonOptions};
use crate::config::{Config, SessionDefaults};
use crate::holder::{HolderProgram, Times};
use crate::host::{Defaults, Keep, Options, Profile};
use crate::http::guard::Tls;
use crate::http::ws::SocketTerms;
use crate::secrets::of_environment;
use crate::telemetry::{
    DebugOptions, Secrets, Telemetry, TelemetryError, TelemetryOptions, TraceOptions,
};

impl DaemonOptions {
    /// As it is configured, without pages. Starts telemetry; must be called within a runtime.
    ///
    /// Registers with `secrets`, which are also those of the log: the secret ones of the variables
    /// that sessions get, be it from the configuration or from this process, and the token when the
    /// daemon opens.
    pub fn of(
        config: &Config,
        holder: HolderProgram,
        secrets: &Secrets,
    ) -> Result<Self, DaemonError> {
        let configured =
            config.session.env.iter().map(|(name, value)| (name.clone(), value.0.clone()));
        let inherited = std::env::vars_os().filter_map(|(name, value)| {
            Some((name.into_string().ok()?, value.into_string().ok()?))
        });
        let endpoint =
            config.telemetry.otlp_endpoint.iter().map(|url| (String::new(), url.0.clone()));
        secrets.register_all(of_environment(configured.chain(inherited).chain(endpoint)));
        let telemetry = telemetry(config, secrets)?;
        let defaults = Times::default();
        let host = Options {
            cli: config.claude.path.clone().map_or(Cli::Find, Cli::At),
            times: Times { alone: config.holder.idle.0, ..defaults },
            resume_attempts: u32::try_from(config.run.resume_attempts).unwrap_or(u32::MAX),
            hold: config.holder.enabled,
            stall: config.run.stall.map(|span| span.0),
            defaults: new_sessions(&config.session),
            browse: config.files.browse.clone(),
            policy_files: config.policy.files.clone(),
            protected_paths: config.policy.protected_paths.iter().map(|it| it.0.clone()).collect(),
            keep: Keep {
                archived: config.retention.archived.map(|span| span.0),
                idle: config.retention.idle.map(|span| span.0),
            },
            store: crate::store::Options {
                max_attachment: config.limits.attachment.0,
                max_attachments: config.limits.attachments.0,
                ..crate::store::Options::default()
            },
            telemetry,
            ..Options::new(&config.data_dir, holder)
        };
        let tls = match (&config.tls.cert, &config.tls.key) {
            (Some(cert), Some(key)) => Some(Tls::from_files(cert, key)?),
            _ => None,
        };
        Ok(Self {
            host,
            guard: config.guard_options(),
            listen: config.server.listen.clone(),
            exposure: config.exposure(),
            tls,
            sockets: SocketTerms {
                frame: config.stream.coalesce.0,
                subscriptions: config.limits.subscriptions,
                answer: config.limits.request.0,
                // What can be said in a request can be said in a message.
                message_bytes: usize::try_from(config.limits.upload.0).unwrap_or(usize::MAX),
                ..SocketTerms::default()
            },
            patience: Default::default(),
            pages: Router::new(),
        })
    }
}

/// Telemetry as it is configured, or as the usual variables say.
///
/// Those variables are often set for Claude Code's own telemetry, and then need not fit ours: what
/// they ask for and cannot be had is told, not a reason to do nothing.
fn telemetry(config: &Config, secrets: &Secrets) -> Result<Telemetry, TelemetryError> {
    let debug = config.telemetry.debug_jsonl.as_ref().map(DebugOptions::in_dir);
    let start = |trace: Option<TraceOptions>| {
        let (debug, secrets) = (debug.clone(), secrets.clone());
        let asked = config.telemetry.capture_content;
        let trace =
            trace.map(|it| TraceOptions { capture_content: it.capture_content || asked, ..it });
        Telemetry::start(&TelemetryOptions { trace, debug, secrets })
    };
    if let Some(endpoint) = &config.telemetry.otlp_endpoint {
        return start(Some(TraceOptions::to(&endpoint.0)));
    }
    let usual = TraceOptions::from_env(|name| std::env::var(name).ok());
    match usual.map_err(TelemetryError::from).and_then(start) {
        Err(TelemetryError::Trace(error)) => {
            tracing::warn!(%error, "sessions are not traced, although OTEL_ variables ask for it");
            start(None)
        }
        started => started,
    }
}

fn new_sessions(defaults: &SessionDefaults) -> Defaults {
    let flags = defaults.extra_flags.iter().map(|flag| {
        let text = flag.0.trim_start_matches('-');
        match text.split_once('=') {
            Some((name, value)) => (name.to_owned(), Some(value.to_owned())),
            None => (text.to_owned(), None),
        }
    });
    let profile = Profile {
        model: defaults.model.clone(),
        mode: defaults.mode.as_ref().map(|mode| mode.0.to_string()),
        // Who makes it the default has allowed it.
        allow_bypass: defaults.mode.as_ref().is_some_and(|mode| mode.0 == BypassPermissions),
        see_every_call: defaults.see_every_call,
        add_dirs: defaults.add_dirs.clone(),
        env: defaults.env.iter().map(|(name, value)| (name.clone(), value.0.clone())).collect(),
        extra_args: flags.collect(),
        ..Profile::default()
    };
    Defaults { policy: Some(defaults.policy.name().to_owned()), profile }
}
