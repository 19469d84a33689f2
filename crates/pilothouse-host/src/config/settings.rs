//! What can be set up, and what holds where nothing is.

use std::collections::BTreeMap;
use std::fmt;
use std::net::{Ipv4Addr, SocketAddr};
use std::path::PathBuf;
use std::time::Duration;

use pilothouse_session::policy::Preset;
use pilothouse_wire::permission::PermissionMode;

use super::Source;
use super::error::Fault;
use super::keys::Key;
use super::units::{Size, Span};
use crate::http::guard::{Exposure, FailureTerms, GuardOptions, HostName, Limits, LoginTerms};

/// The port where nothing else is said.
const PORT: u16 = 7717;

/// Everything that can be set up.
#[derive(Clone, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "the table of keys says what each is for")]
pub struct Config {
    pub data_dir: PathBuf,
    pub server: Server,
    pub tls: TlsFiles,
    pub login: LoginSettings,
    pub claude: Claude,
    pub holder: Holder,
    pub session: SessionDefaults,
    pub files: Files,
    pub policy: Policies,
    pub run: Runs,
    pub stream: Streams,
    pub retention: RetentionTimes,
    pub limits: ResourceLimits,
    pub telemetry: Telemetry,
    pub log: Log,
    pub(super) sources: BTreeMap<&'static str, Source>,
}

macro_rules! group {
    ($(#[$doc:meta])* $name:ident { $($field:ident: $type:ty,)* }) => {
        $(#[$doc])*
        #[derive(Clone, Debug, PartialEq, Eq)]
        #[allow(missing_docs, reason = "the table of keys says what each is for")]
        pub struct $name { $(pub $field: $type,)* }
    };
}

group! {
    /// Where the daemon can be reached.
    Server { listen: Vec<SocketAddr>, allowed_hosts: Vec<HostName>, insecure_expose: bool, }
}
group! {
    /// Files for TLS.
    TlsFiles { cert: Option<PathBuf>, key: Option<PathBuf>, }
}
group! {
    /// How people log in.
    LoginSettings {
        link_life: Span, links: usize, life: Span, idle: Span, failures: usize, failure_time: Span,
    }
}
group! {
    /// Which CLI is used.
    Claude { path: Option<PathBuf>, }
}
group! {
    /// Whether and for how long runs outlive the daemon.
    Holder { enabled: bool, idle: Span, }
}
group! {
    /// What a new session gets where it says nothing else.
    SessionDefaults {
        model: Option<String>,
        mode: Option<Mode>,
        policy: Preset,
        see_every_call: bool,
        add_dirs: Vec<PathBuf>,
        env: BTreeMap<String, Hidden>,
        extra_flags: Vec<Flag>,
    }
}
group! {
    /// What can be looked at.
    Files { browse: Vec<PathBuf>, }
}
group! {
    /// Rules that answer approvals.
    Policies { files: Vec<PathBuf>, protected_paths: Vec<PathPattern>, }
}
group! {
    /// What happens to a run that fails or hangs.
    Runs { resume_attempts: usize, stall: Option<Span>, }
}
group! {
    /// How events reach clients.
    Streams { coalesce: Span, }
}
group! {
    /// How long sessions are kept.
    RetentionTimes { archived: Option<Span>, idle: Option<Span>, }
}
group! {
    /// How much of anything.
    ResourceLimits {
        body: Size,
        upload: Size,
        uri: Size,
        headers: usize,
        header_bytes: Size,
        header_read: Span,
        body_read: Span,
        upload_read: Span,
        request: Span,
        connections: usize,
        connections_per_address: usize,
        shutdown: Span,
        attachment: Size,
        attachments: Size,
        subscriptions: usize,
    }
}
group! {
    /// What is told to others.
    Telemetry {
        otlp_endpoint: Option<Hidden>, capture_content: bool, debug_jsonl: Option<PathBuf>,
    }
}
group! {
    /// What is logged.
    Log { filter: String, }
}

/// A permission mode, by the CLI's name or by one that people know it by.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mode(pub PermissionMode);

impl Mode {
    /// All names.
    pub(super) const NAMES: &'static [&'static str] = &[
        "default",
        "ask",
        "manual",
        "acceptEdits",
        "act",
        "bypassPermissions",
        "plan",
        "dontAsk",
        "auto",
    ];
}

/// A path pattern as in the rules of a policy: `~/x/**`, `/x`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PathPattern(pub String);

/// A flag for the CLI; what stands behind `=` may be a secret and is not shown.
#[derive(Clone, PartialEq, Eq)]
pub struct Flag(pub String);

/// A value that may be a secret, or hold one; only what is none is shown.
#[derive(Clone, PartialEq, Eq)]
pub struct Hidden(pub String);

impl fmt::Display for Flag {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0.split_once('=') {
            Some((name, _)) => write!(f, "{name}=***"),
            None => f.write_str(&self.0),
        }
    }
}

/// Of an address, all but user, password and query.
impl fmt::Display for Hidden {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Some((scheme, rest)) = self.0.split_once("://") else { return f.write_str("***") };
        let (rest, query) = match rest.split_once(['?', '#']) {
            Some((rest, _)) => (rest, "?***"),
            None => (rest, ""),
        };
        let (host, path) = rest.split_at(rest.find('/').unwrap_or(rest.len()));
        match host.rsplit_once('@') {
            Some((_, host)) => write!(f, "{scheme}://***@{host}{path}{query}"),
            None => write!(f, "{scheme}://{host}{path}{query}"),
        }
    }
}

impl fmt::Debug for Flag {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{self}")
    }
}

impl fmt::Debug for Hidden {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{self}")
    }
}

fn seconds(seconds: u64) -> Span {
    Span(Duration::from_secs(seconds))
}

impl Default for Config {
    fn default() -> Self {
        let (limits, login, failures) =
            (Limits::default(), LoginTerms::default(), FailureTerms::default());
        let store = crate::store::Options::default();
        Self {
            data_dir: PathBuf::from("pilothouse-data"),
            server: Server {
                listen: vec![SocketAddr::from((Ipv4Addr::LOCALHOST, PORT))],
                allowed_hosts: Vec::new(),
                insecure_expose: false,
            },
            tls: TlsFiles { cert: None, key: None },
            login: LoginSettings {
                link_life: Span(login.link_life),
                links: login.links,
                life: Span(login.login_life),
                idle: Span(login.login_idle),
                failures: failures.burst as usize,
                failure_time: Span(failures.each),
            },
            claude: Claude { path: None },
            holder: Holder { enabled: true, idle: seconds(12 * 60 * 60) },
            session: SessionDefaults {
                model: None,
                mode: None,
                policy: Preset::Supervised,
                see_every_call: false,
                add_dirs: Vec::new(),
                env: BTreeMap::new(),
                extra_flags: Vec::new(),
            },
            files: Files { browse: Vec::new() },
            policy: Policies { files: Vec::new(), protected_paths: Vec::new() },
            run: Runs { resume_attempts: 3, stall: Some(seconds(10 * 60)) },
            stream: Streams { coalesce: Span(Duration::from_millis(33)) },
            retention: RetentionTimes { archived: None, idle: None },
            limits: ResourceLimits {
                body: Size(limits.body),
                upload: Size(limits.upload),
                uri: Size(limits.uri as u64),
                headers: limits.headers,
                header_bytes: Size(limits.header_bytes as u64),
                header_read: Span(limits.header_read),
                body_read: Span(limits.body_read),
                upload_read: Span(limits.upload_read),
                request: Span(limits.request),
                connections: limits.connections,
                connections_per_address: limits.connections_per_address,
                shutdown: Span(limits.shutdown),
                attachment: Size(store.max_attachment),
                attachments: Size(store.max_attachments),
                subscriptions: 1024,
            },
            telemetry: Telemetry { otlp_endpoint: None, capture_content: false, debug_jsonl: None },
            log: Log { filter: "info".to_owned() },
            sources: BTreeMap::new(),
        }
    }
}

impl Config {
    /// How what goes over the network is protected.
    pub fn exposure(&self) -> Exposure {
        match (&self.tls.cert, self.server.insecure_expose) {
            (Some(_), _) => Exposure::Tls,
            (None, true) => Exposure::Insecure,
            (None, false) => Exposure::Loopback,
        }
    }

    /// The limits of the server.
    pub fn server_limits(&self) -> Limits {
        let limits = &self.limits;
        let bytes = |size: Size| usize::try_from(size.0).unwrap_or(usize::MAX);
        Limits {
            body: limits.body.0,
            upload: limits.upload.0,
            uri: bytes(limits.uri),
            headers: limits.headers,
            header_bytes: bytes(limits.header_bytes),
            header_read: limits.header_read.0,
            body_read: limits.body_read.0,
            upload_read: limits.upload_read.0,
            request: limits.request.0,
            connections: limits.connections,
            connections_per_address: limits.connections_per_address,
            shutdown: limits.shutdown.0,
        }
    }

    /// What the guard goes by.
    pub fn guard_options(&self) -> GuardOptions {
        let login = &self.login;
        GuardOptions {
            data_dir: self.data_dir.clone(),
            allowed_hosts: self.server.allowed_hosts.clone(),
            limits: self.server_limits(),
            failures: FailureTerms {
                burst: u32::try_from(login.failures).unwrap_or(u32::MAX),
                each: login.failure_time.0,
                ..FailureTerms::default()
            },
            login: LoginTerms {
                link_life: login.link_life.0,
                links: login.links,
                login_life: login.life.0,
                login_idle: login.idle.0,
                ..LoginTerms::default()
            },
            ..GuardOptions::default()
        }
    }

    /// Whether values go together.
    pub(super) fn check(&self, faults: &mut Vec<Fault>) {
        let mut wrong = |name: &str, sentence: String| {
            let source = Key::named(name).map_or(&Source::Default, |key| self.source(key));
            faults.push(Fault::together(source, sentence));
        };
        match (&self.tls.cert, &self.tls.key) {
            (Some(_), None) => {
                wrong("tls.cert", "`tls.cert` needs `tls.key`: set both, or neither".into());
            }
            (None, Some(_)) => {
                wrong("tls.key", "`tls.key` needs `tls.cert`: set both, or neither".into());
            }
            _ => {}
        }
        if self.server.listen.is_empty() {
            wrong("server.listen", "`server.listen` is empty: name an address".into());
        }
        for address in &self.server.listen {
            if let Err(exposed) = self.exposure().check(*address) {
                wrong("server.listen", exposed.to_string());
            }
        }
        let limits = &self.limits;
        let counts = [
            ("limits.headers", limits.headers),
            ("limits.connections", limits.connections),
            ("limits.connections_per_address", limits.connections_per_address),
            ("limits.subscriptions", limits.subscriptions),
            ("login.links", self.login.links),
            ("login.failures", self.login.failures),
        ];
        for (name, count) in counts {
            if count == 0 {
                wrong(name, format!("`{name}` is 0, and nothing would work: raise it"));
            }
        }
        let spans = [
            ("limits.header_read", limits.header_read),
            ("limits.body_read", limits.body_read),
            ("limits.upload_read", limits.upload_read),
            ("limits.request", limits.request),
        ];
        for (name, span) in spans {
            if span.0.is_zero() {
                wrong(name, format!("`{name}` is 0, and nothing would arrive in time: raise it"));
            }
        }
    }
}
