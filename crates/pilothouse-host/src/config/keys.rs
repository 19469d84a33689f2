//! The table of keys: the only place that knows their names.

use std::fmt;

use super::PREFIX;
use super::file::Surroundings;
use super::raw::Raw;
use super::settings::Config;
use super::value::Setting;

/// A key.
#[derive(Clone, Copy)]
pub struct Key(pub(super) &'static Spec);

pub(super) struct Spec {
    pub(super) name: &'static str,
    pub(super) about: &'static str,
    set: fn(&mut Config, &Raw, &Surroundings<'_>) -> Result<(), String>,
    show: fn(&Config) -> Option<String>,
}

macro_rules! keys {
    ($($name:literal => $($field:ident).+, $about:literal;)*) => {
        pub(super) static KEYS: &[Spec] = &[$(Spec {
            name: $name,
            about: $about,
            set: |config, raw, here| {
                config.$($field).+ = Setting::read(raw, here)?;
                Ok(())
            },
            show: |config| config.$($field).+.write(),
        },)*];
    };
}

keys! {
    "data_dir" => data_dir, "Where the database, the token and the logs of runs are kept.";

    "server.listen" => server.listen, "Addresses to listen on.";
    "server.allowed_hosts" => server.allowed_hosts,
        "Names by which browsers may call us, beside localhost and this machine's addresses.";
    "server.insecure_expose" => server.insecure_expose,
        "Listen for other machines without TLS, because something else protects the connection.";

    "tls.cert" => tls.cert, "A PEM file with the chain of certificates.";
    "tls.key" => tls.key, "A PEM file with the private key.";

    "login.link_life" => login.link_life, "How long a login link works.";
    "login.links" => login.links, "How many login links may be open at once.";
    "login.life" => login.life, "How long a browser stays logged in.";
    "login.idle" => login.idle, "End a login after it was not used for this long.";
    "login.failures" => login.failures, "How many failed attempts of an address are free.";
    "login.failure_time" => login.failure_time, "How long a failed attempt counts.";

    "claude.path" => claude.path, "The CLI; none to look for it.";

    "holder.enabled" => holder.enabled, "Whether runs outlive the daemon.";
    "holder.idle" => holder.idle, "How long a run that says nothing is kept without a daemon.";

    "session.model" => session.model, "The model of new sessions; none for the CLI's own choice.";
    "session.mode" => session.mode, "The permission mode of new sessions; none for the CLI's own.";
    "session.policy" => session.policy, "The policy of new sessions, after those of files.";
    "session.see_every_call" => session.see_every_call,
        "Ask about every call that no rule allows, also about those that the CLI would not ask about.";
    "session.add_dirs" => session.add_dirs, "More directories that sessions may work in.";
    "session.env" => session.env, "Variables for the CLI.";
    "session.extra_flags" => session.extra_flags, "More flags for the CLI.";

    "files.browse" => files.browse,
        "Where new sessions' directories can be looked for; the home directory if there is none.";

    "policy.files" => policy.files, "Files with rules that answer approvals in every session, before the session's own policy.";

    "policy.protected_paths" => policy.protected_paths,
        "Paths that presets deny, beside those that they deny anyway, as \"~/.config/gh/**\".";

    "run.resume_attempts" => run.resume_attempts,
        "How often a run that broke off is resumed without asking.";
    "run.stall" => run.stall, "After what silence of a working CLI to tell; none for never.";

    "stream.coalesce" => stream.coalesce, "How long pieces of text are gathered for a client.";

    "retention.archived" => retention.archived,
        "How long archived sessions are kept; none for ever.";
    "retention.idle" => retention.idle, "How long sessions are kept at all; none for ever.";

    "limits.body" => limits.body, "The largest body of a request.";
    "limits.upload" => limits.upload, "The largest upload, and the longest message over a WebSocket.";
    "limits.uri" => limits.uri, "The longest address.";
    "limits.headers" => limits.headers, "The most headers of a request.";
    "limits.header_bytes" => limits.header_bytes, "The most bytes of all headers.";
    "limits.header_read" => limits.header_read,
        "How long the start of a request may take to arrive, and a connection may be idle.";
    "limits.body_read" => limits.body_read, "How long a body may take to arrive.";
    "limits.upload_read" => limits.upload_read, "How long an upload may take to arrive.";
    "limits.request" => limits.request, "How long an answer may take to begin.";
    "limits.connections" => limits.connections, "The most connections at once.";
    "limits.connections_per_address" => limits.connections_per_address,
        "The most connections from one address.";
    "limits.shutdown" => limits.shutdown, "How long requests under way are given at the end.";
    "limits.attachment" => limits.attachment, "The largest attachment.";
    "limits.attachments" => limits.attachments, "The most bytes of a session's attachments.";
    "limits.subscriptions" => limits.subscriptions,
        "The most sessions that one connection may follow.";

    "telemetry.otlp_endpoint" => telemetry.otlp_endpoint, "Where traces are sent; none for nowhere.";
    "telemetry.capture_content" => telemetry.capture_content,
        "Send what is said, prompts and results of tools included, to the collector, up to 16 KiB each.";
    "telemetry.debug_jsonl" => telemetry.debug_jsonl,
        "A directory for all messages as JSON lines; none for none.";

    "log.filter" => log.filter, "What is logged: a level, or `target=level,…`.";
}

impl Key {
    /// All of them, in the order in which they are shown.
    pub fn all() -> impl Iterator<Item = Self> {
        KEYS.iter().map(Self)
    }

    /// The key of that name.
    pub fn named(name: &str) -> Option<Self> {
        KEYS.iter().find(|spec| spec.name == name).map(Self)
    }

    /// Its name: `limits.body`.
    pub fn name(self) -> &'static str {
        self.0.name
    }

    /// What it is for.
    pub fn about(self) -> &'static str {
        self.0.about
    }

    /// Its variable: `PILOTHOUSE_LIMITS_BODY`.
    pub fn variable(self) -> String {
        format!("{PREFIX}{}", self.name().replace('.', "_").to_ascii_uppercase())
    }

    /// Whether a variable is for this key.
    pub(super) fn has_variable(self, variable: &str) -> bool {
        // What the SDK goes by, too.
        let alias = variable == "PILOTHOUSE_CLAUDE" && self.name() == "claude.path";
        alias || self.variable() == variable
    }

    pub(super) fn set(
        self,
        config: &mut Config,
        raw: &Raw,
        here: &Surroundings<'_>,
    ) -> Result<(), String> {
        (self.0.set)(config, raw, here)
    }

    /// Its value as TOML, secrets masked; none where there is none.
    pub fn show(self, config: &Config) -> Option<String> {
        (self.0.show)(config)
    }
}

impl PartialEq for Key {
    fn eq(&self, other: &Self) -> bool {
        self.name() == other.name()
    }
}

impl Eq for Key {}

impl fmt::Debug for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Key({})", self.name())
    }
}
