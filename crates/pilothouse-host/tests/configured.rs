//! What is configured reaches the daemon, each value where it belongs.

#![allow(clippy::unwrap_used, reason = "a test says what went wrong by panicking")]

use std::path::{Path, PathBuf};
use std::time::Duration;

use pilothouse_client::Cli;
use pilothouse_host::config::{Config, Environment, Key, Options as Flags};
use pilothouse_host::daemon::DaemonOptions;
use pilothouse_host::holder::HolderProgram;
use pilothouse_host::http::guard::Exposure;
use pilothouse_host::telemetry::{Secrets, SessionTrace};
use pilothouse_session::id::SessionId;

/// Every key with a value that no other key has, and what of it the daemon is to have.
type Row = (&'static str, &'static str, fn(&DaemonOptions) -> bool);

fn seconds(seconds: u64) -> Duration {
    Duration::from_secs(seconds)
}

fn paths(paths: &[PathBuf], expected: &[&str]) -> bool {
    paths.iter().map(PathBuf::as_path).eq(expected.iter().map(Path::new))
}

/// In the order of the keys. `$DIR` is a directory with the files of TLS.
const ROWS: &[Row] = &[
    ("data_dir", "$DIR/data", |daemon| {
        daemon.host.data_dir.ends_with("data") && daemon.guard.data_dir == daemon.host.data_dir
    }),
    ("server.listen", "127.0.0.1:1,127.0.0.1:2", |daemon| {
        let listen = daemon.listen.iter().map(ToString::to_string);
        listen.eq(["127.0.0.1:1", "127.0.0.1:2"])
    }),
    ("server.allowed_hosts", "pilot.example", |daemon| {
        let names = daemon.guard.allowed_hosts.iter().map(ToString::to_string);
        names.eq(["pilot.example"])
    }),
    // What TLS protects is not exposed.
    ("server.insecure_expose", "true", |daemon| daemon.exposure == Exposure::Tls),
    ("tls.cert", "$DIR/cert.pem", |daemon| daemon.tls.is_some()),
    ("tls.key", "$DIR/key.pem", |daemon| daemon.tls.is_some()),
    ("login.link_life", "101s", |daemon| daemon.guard.login.link_life == seconds(101)),
    ("login.links", "102", |daemon| daemon.guard.login.links == 102),
    ("login.life", "103s", |daemon| daemon.guard.login.login_life == seconds(103)),
    ("login.idle", "106s", |daemon| daemon.guard.login.login_idle == seconds(106)),
    ("login.failures", "104", |daemon| daemon.guard.failures.burst == 104),
    ("login.failure_time", "105s", |daemon| daemon.guard.failures.each == seconds(105)),
    (
        "claude.path",
        "/bin/one-claude",
        |daemon| matches!(&daemon.host.cli, Cli::At(path) if path == Path::new("/bin/one-claude")),
    ),
    ("holder.enabled", "false", |daemon| !daemon.host.hold),
    ("holder.idle", "106s", |daemon| daemon.host.times.alone == seconds(106)),
    ("session.model", "some-model", |daemon| {
        daemon.host.defaults.profile.model.as_deref() == Some("some-model")
    }),
    ("session.mode", "bypassPermissions", |daemon| {
        let profile = &daemon.host.defaults.profile;
        profile.mode.as_deref() == Some("bypassPermissions") && profile.allow_bypass
    }),
    ("session.policy", "autonomous", |daemon| {
        daemon.host.defaults.policy.as_deref() == Some("autonomous")
    }),
    ("session.see_every_call", "true", |daemon| daemon.host.defaults.profile.see_every_call),
    ("session.add_dirs", "/more,/and-more", |daemon| {
        paths(&daemon.host.defaults.profile.add_dirs, &["/more", "/and-more"])
    }),
    ("session.env", "A=1,B=x=y", |daemon| {
        let env = daemon.host.defaults.profile.env.iter();
        env.map(|(name, value)| (&**name, &**value)).eq([("A", "1"), ("B", "x=y")])
    }),
    ("session.extra_flags", "--one,--two=a=b", |daemon| {
        let args = daemon.host.defaults.profile.extra_args.iter();
        let args = args.map(|(name, value)| (&**name, value.as_deref()));
        args.eq([("one", None), ("two", Some("a=b"))])
    }),
    ("files.browse", "/browse", |daemon| paths(&daemon.host.browse, &["/browse"])),
    ("policy.files", "/first.toml,/second.toml", |daemon| {
        paths(&daemon.host.policy_files, &["/first.toml", "/second.toml"])
    }),
    ("policy.protected_paths", "~/.config/gh/**,/etc/secrets", |daemon| {
        daemon.host.protected_paths == ["~/.config/gh/**", "/etc/secrets"]
    }),
    ("run.resume_attempts", "107", |daemon| daemon.host.resume_attempts == 107),
    ("run.stall", "108s", |daemon| daemon.host.stall == Some(seconds(108))),
    ("stream.coalesce", "109ms", |daemon| daemon.sockets.frame == Duration::from_millis(109)),
    ("retention.archived", "110s", |daemon| daemon.host.keep.archived == Some(seconds(110))),
    ("retention.idle", "111s", |daemon| daemon.host.keep.idle == Some(seconds(111))),
    ("limits.body", "112 KiB", |daemon| daemon.guard.limits.body == 112 << 10),
    ("limits.upload", "113 KiB", |daemon| daemon.guard.limits.upload == 113 << 10),
    ("limits.uri", "114 KiB", |daemon| daemon.guard.limits.uri == 114 << 10),
    ("limits.headers", "115", |daemon| daemon.guard.limits.headers == 115),
    ("limits.header_bytes", "116 KiB", |daemon| daemon.guard.limits.header_bytes == 116 << 10),
    ("limits.header_read", "117s", |daemon| daemon.guard.limits.header_read == seconds(117)),
    ("limits.body_read", "118s", |daemon| daemon.guard.limits.body_read == seconds(118)),
    ("limits.upload_read", "119s", |daemon| daemon.guard.limits.upload_read == seconds(119)),
    // A command over a socket is a request too.
    ("limits.request", "120s", |daemon| {
        daemon.guard.limits.request == seconds(120) && daemon.sockets.answer == seconds(120)
    }),
    ("limits.connections", "121", |daemon| daemon.guard.limits.connections == 121),
    ("limits.connections_per_address", "122", |daemon| {
        daemon.guard.limits.connections_per_address == 122
    }),
    ("limits.shutdown", "123s", |daemon| daemon.guard.limits.shutdown == seconds(123)),
    ("limits.attachment", "124 KiB", |daemon| daemon.host.store.max_attachment == 124 << 10),
    ("limits.attachments", "125 KiB", |daemon| daemon.host.store.max_attachments == 125 << 10),
    ("limits.subscriptions", "126", |daemon| daemon.sockets.subscriptions == 126),
    ("telemetry.otlp_endpoint", "http://127.0.0.1:9", is_traced),
    // What is sent then `observed.rs` looks at.
    ("telemetry.capture_content", "true", is_traced),
    ("telemetry.debug_jsonl", "$DIR/debug", |daemon| {
        let dir = daemon.guard.data_dir.with_file_name("debug");
        daemon.host.telemetry.debug().is_some() && dir.is_dir()
    }),
    // It is for the program, before there is a daemon.
    ("log.filter", "debug", |_| true),
];

fn is_traced(daemon: &DaemonOptions) -> bool {
    let session = SessionId(uuid::Uuid::from_u128(1));
    SessionTrace::new(&daemon.host.telemetry, session).is_on()
}

fn daemon(dir: &Path, values: &[(&str, &str)]) -> DaemonOptions {
    let mut flags = Flags::default();
    for (name, value) in values {
        let value = value.replace("$DIR", dir.to_str().unwrap());
        flags.assign(&format!("{name}={value}")).unwrap();
    }
    let here = Environment { variables: Vec::new(), home: Some(dir.into()), cwd: dir.into() };
    let config = Config::resolve(None, &flags, &here).unwrap();
    let holder = HolderProgram { exe: "/bin/holder".into(), args: Vec::new() };
    DaemonOptions::of(&config, holder, &Secrets::default()).unwrap()
}

#[tokio::test]
async fn every_key_has_its_place() {
    let names: Vec<_> = Key::all().map(Key::name).collect();
    let listed: Vec<_> = ROWS.iter().map(|(name, ..)| *name).collect();
    assert_eq!(names, listed, "every key has a row here");
    let dir = tempfile::tempdir().unwrap();
    let made = rcgen::generate_simple_self_signed(vec!["localhost".to_owned()]).unwrap();
    std::fs::write(dir.path().join("cert.pem"), made.cert.pem()).unwrap();
    std::fs::write(dir.path().join("key.pem"), made.signing_key.serialize_pem()).unwrap();
    let values: Vec<_> = ROWS.iter().map(|(name, value, _)| (*name, *value)).collect();
    let daemon = daemon(dir.path(), &values);
    for (name, value, is_there) in ROWS {
        assert!(is_there(&daemon), "{name} = {value}\n{daemon:?}");
    }
    assert_eq!(daemon.host.holder.exe, Path::new("/bin/holder"));
}

#[tokio::test]
async fn what_is_not_configured_is_as_usual() {
    let dir = tempfile::tempdir().unwrap();
    let usual = daemon(dir.path(), &[("data_dir", "$DIR/data")]);
    assert_eq!(usual.exposure, Exposure::Loopback);
    assert!(usual.tls.is_none() && usual.host.hold);
    assert!(matches!(usual.host.cli, Cli::Find));
    assert_eq!((usual.host.keep.archived, usual.host.keep.idle), (None, None));
    assert!(usual.host.telemetry.debug().is_none());
    assert!(!usual.host.defaults.profile.allow_bypass);
    let open = daemon(dir.path(), &[("server.insecure_expose", "true"), ("run.stall", "")]);
    assert_eq!(open.exposure, Exposure::Insecure);
    assert_eq!(open.host.stall, None);
    // A mode that asks less than others is not the one that asks nothing.
    let edits = daemon(dir.path(), &[("session.mode", "acceptEdits")]);
    assert!(!edits.host.defaults.profile.allow_bypass);
}
