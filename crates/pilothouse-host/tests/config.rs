//! The configuration: who wins, what every key takes, and what is said of mistakes.

#![allow(clippy::unwrap_used, reason = "a test says what went wrong by panicking")]

use std::path::{Path, PathBuf};

use pilothouse_host::config::{Config, ConfigError, Environment, Key, Options, Source};

/// A value for every key, as TOML, other than the default.
const VALUES: &[(&str, &str)] = &[
    ("data_dir", r#""/data""#),
    ("server.listen", r#"["127.0.0.1:1", "[::1]:2"]"#),
    ("server.allowed_hosts", r#"["pilot.example", "localhost:5173"]"#),
    ("server.insecure_expose", "true"),
    ("tls.cert", r#""/cert.pem""#),
    ("tls.key", r#""/key.pem""#),
    ("login.link_life", r#""1m30s""#),
    ("login.links", "3"),
    ("login.life", r#""1d""#),
    ("login.idle", r#""2d""#),
    ("login.failures", "4"),
    ("login.failure_time", r#""7s""#),
    ("claude.path", r#""/bin/claude""#),
    ("holder.enabled", "false"),
    ("holder.idle", r#""2h""#),
    ("session.model", r#""opus""#),
    ("session.mode", r#""plan""#),
    ("session.policy", r#""autonomous""#),
    ("session.see_every_call", "true"),
    ("session.add_dirs", r#"["/a", "/b, c"]"#),
    ("session.env", r#"{ A = "1", B = "x=y" }"#),
    ("session.extra_flags", r#"["--debug", "--betas=a"]"#),
    ("files.browse", r#"["/home/me"]"#),
    ("policy.files", r#"["/rules.toml"]"#),
    ("policy.protected_paths", r#"["~/.config/gh/**", "/etc/secrets"]"#),
    ("run.resume_attempts", "0"),
    ("run.stall", r#""1m""#),
    ("stream.coalesce", r#""10ms""#),
    ("retention.archived", r#""30d""#),
    ("retention.idle", r#""365d""#),
    ("limits.body", r#""2 MiB""#),
    ("limits.upload", r#""64 MiB""#),
    ("limits.uri", r#""4 KiB""#),
    ("limits.headers", "32"),
    ("limits.header_bytes", r#""16 KiB""#),
    ("limits.header_read", r#""5s""#),
    ("limits.body_read", r#""6s""#),
    ("limits.upload_read", r#""7s""#),
    ("limits.request", r#""8s""#),
    ("limits.connections", "10"),
    ("limits.connections_per_address", "5"),
    ("limits.shutdown", r#""1s""#),
    ("limits.attachment", r#""1 MiB""#),
    ("limits.attachments", r#""3 MiB""#),
    ("limits.subscriptions", "7"),
    ("telemetry.otlp_endpoint", r#""http://collector:4318""#),
    ("telemetry.capture_content", "true"),
    ("telemetry.debug_jsonl", r#""/debug""#),
    ("log.filter", r#""debug""#),
];

fn path() -> &'static Path {
    Path::new("/etc/pilothouse/config.toml")
}

fn environment(variables: &[(&str, &str)]) -> Environment {
    let variables = variables.iter().map(|(name, value)| (name.into(), value.into()));
    Environment {
        variables: variables.collect(),
        home: Some(PathBuf::from("/home/ann")),
        cwd: PathBuf::from("/here"),
    }
}

fn resolve(
    file: &str,
    variables: &[(&str, &str)],
    flags: &[(&str, &str)],
) -> Result<Config, ConfigError> {
    let mut options = Options::default();
    for (key, value) in flags {
        options.assign(&format!("{key}={value}"))?;
    }
    Config::resolve(Some((path(), file)), &options, &environment(variables))
}

/// What else a key needs to stand.
fn beside(name: &str) -> &'static [(&'static str, &'static str)] {
    match name {
        "tls.cert" => &[("tls.key", "/k")],
        "tls.key" => &[("tls.cert", "/c")],
        _ => &[],
    }
}

#[test]
fn every_key_can_be_set_from_all_three() {
    let names: Vec<_> = Key::all().map(Key::name).collect();
    let listed: Vec<_> = VALUES.iter().map(|(name, _)| *name).collect();
    assert_eq!(names, listed, "every key has a value here");
    let default = resolve("", &[], &[]).unwrap();
    for (name, toml) in VALUES {
        let key = Key::named(name).unwrap();
        let loose = toml.trim_matches('"');
        let variable = key.variable();
        let others = beside(name);
        let by_file = resolve(&format!("{name} = {toml}"), &[], others).unwrap();
        let by_variable = resolve("", &[(&variable, loose)], others).unwrap();
        let flags = [&[(*name, loose)], others].concat();
        let by_flag = resolve("", &[], &flags).unwrap();
        let shown = key.show(&by_file);
        assert_ne!(shown, key.show(&default), "{name}: other than the default");
        assert_eq!(key.show(&by_variable), shown, "{name}");
        assert_eq!(key.show(&by_flag), shown, "{name}");
        let file = Source::File { path: path().into(), line: 1 };
        assert_eq!(*by_file.source(key), file, "{name}");
        assert_eq!(*by_variable.source(key), Source::Environment { variable });
        assert_eq!(*by_flag.source(key), Source::Flag { flag: format!("--set {name}") });
        assert_eq!(*default.source(key), Source::Default);
    }
}

#[test]
fn values_that_are_masked_arrive_all_the_same() {
    let file = r#"session.env = { A = "1", B = "x=y" }
        session.extra_flags = ["--betas=a"]"#;
    let variables =
        [("PILOTHOUSE_SESSION_ENV", "A=1,B=x=y"), ("PILOTHOUSE_SESSION_EXTRA_FLAGS", "--betas=a")];
    for config in [resolve(file, &[], &[]).unwrap(), resolve("", &variables, &[]).unwrap()] {
        let env: Vec<_> = config.session.env.iter().map(|(k, v)| (&**k, &*v.0)).collect();
        assert_eq!(env, [("A", "1"), ("B", "x=y")]);
        assert_eq!(config.session.extra_flags[0].0, "--betas=a");
    }
}

#[test]
fn the_later_wins() {
    let (file, variable, flag) = ("limits.headers = 1", "2", "3");
    let table: [(bool, bool, bool, usize); 8] = [
        (false, false, false, 64),
        (true, false, false, 1),
        (false, true, false, 2),
        (true, true, false, 2),
        (false, false, true, 3),
        (true, false, true, 3),
        (false, true, true, 3),
        (true, true, true, 3),
    ];
    for (by_file, by_variable, by_flag, wins) in table {
        let file = if by_file { file } else { "" };
        let variables: &[_] =
            if by_variable { &[("PILOTHOUSE_LIMITS_HEADERS", variable)] } else { &[] };
        let flags: &[_] = if by_flag { &[("limits.headers", flag)] } else { &[] };
        let config = resolve(file, variables, flags).unwrap();
        assert_eq!(config.limits.headers, wins, "{by_file} {by_variable} {by_flag}");
    }
    let twice = resolve("", &[], &[("limits.headers", "5"), ("limits.headers", "6")]).unwrap();
    assert_eq!(twice.limits.headers, 6);
    // Taken back.
    let none = resolve("run.stall = \"1m\"", &[("PILOTHOUSE_RUN_STALL", "")], &[]).unwrap();
    assert_eq!(none.run.stall, None);
    // A list is replaced, not added to.
    let list =
        resolve("policy.files = [\"/a\", \"/b\"]", &[("PILOTHOUSE_POLICY_FILES", "/c")], &[]);
    assert_eq!(list.unwrap().policy.files, [PathBuf::from("/c")]);
}

#[test]
fn mistakes_are_told_at_once_with_place_and_suggestion() {
    let file = r#"
listen = ["127.0.0.1:1"]
[sever]
listen = ["127.0.0.1:1"]
[limits]
boddy = "1 MiB"
body = "1 megabyte"
header_read = 30
headers = "many"
connections = 0
[tls]
cert = "/c.pem"
[claude]
path = ""
[session]
policy = "free"
mode = "plann"
env = { A = 1 }
extra_flags = ["debug"]
[server]
allowed_hosts = ["https://a.example"]
[nonsense]
[quite.something.else]
x = 1
"#;
    let variables = [
        ("PILOTHOUSE_LIMITS_BODDY", "1"),
        ("PILOTHOUSE_HOLDER_ENABLED", "maybe"),
        ("PILOTHOUSE_SERVER_LISTEN", "0.0.0.0:80"),
        ("PILOTHOUSE_WHATEVER_ELSE", "1"),
        ("PILOTHOUSE_RUN", "a-mark"),
        ("PILOTHOUSE_TEST_CACHE", "/x"),
        ("PILOTHOUSE_WEB_DIST", "/x"),
        ("PILOTHOUSE_WEB_SKIP", "1"),
        ("PILOTHOUSE_DAEMON", "http://127.0.0.1:7717"),
        ("PILOTHOUSE_SDKS_DIR", "/x"),
        ("PILOTHOUSE_E2E_BIN", "/x"),
    ];
    let error = resolve(file, &variables, &[("log.filter", "info")]).unwrap_err();
    insta::assert_snapshot!(error);
    let mut options = Options::default();
    insta::assert_snapshot!(options.assign("limit.body=5").unwrap_err());
    insta::assert_snapshot!(resolve("a = [1,\nb = 2", &[], &[]).unwrap_err());
}

#[test]
fn paths_are_relative_to_who_names_them() {
    let file = "data_dir = \"data\"\npolicy.files = [\"~/rules.toml\", \"/x\", \"~other/x\"]";
    let config = resolve(file, &[("PILOTHOUSE_CLAUDE", "bin/claude")], &[]).unwrap();
    assert_eq!(config.data_dir, Path::new("/etc/pilothouse/data"));
    let rules = ["/home/ann/rules.toml", "/x", "/etc/pilothouse/~other/x"];
    assert_eq!(config.policy.files, rules.map(PathBuf::from));
    assert_eq!(config.claude.path.as_deref(), Some(Path::new("/here/bin/claude")));
    let config = resolve("", &[], &[]).unwrap();
    assert_eq!(config.data_dir, Path::new("/home/ann/.local/share/pilothouse"));
    let config = resolve("", &[("XDG_DATA_HOME", "/xdg")], &[]).unwrap();
    assert_eq!(config.data_dir, Path::new("/xdg/pilothouse"));
}

#[test]
fn it_is_shown_with_sources_and_without_secrets() {
    let file = r#"
telemetry.otlp_endpoint = "https://user:s3cret@collector.example/v1?key=s3cret"
[session]
env = { ANTHROPIC_API_KEY = "s3cret" }
extra_flags = ["--mcp-config={\"key\":\"s3cret\"}", "--debug"]
"#;
    let flags = [("limits.body", "2 MiB")];
    let config = resolve(file, &[("PILOTHOUSE_LOG_FILTER", "debug")], &flags).unwrap();
    let shown = config.render();
    assert!(!shown.contains("s3cret"), "{shown}");
    assert!(!format!("{config:?}").contains("s3cret"), "{config:?}");
    insta::assert_snapshot!(shown);
}

#[test]
fn what_is_shown_can_be_read() {
    let values: String = VALUES.iter().map(|(name, toml)| format!("{name} = {toml}\n")).collect();
    let config = resolve(&values, &[], &[]).unwrap();
    let again = resolve(&config.render(), &[], &[]).unwrap();
    for key in Key::all() {
        assert_eq!(key.show(&again), key.show(&config), "{key:?}");
    }
}

#[test]
fn files_are_found_and_missed() {
    let dir = tempfile::tempdir().unwrap();
    let config_home = dir.path().join("pilothouse");
    let here = |variables: &[(&str, &str)]| {
        let mut environment = environment(variables);
        environment.variables.push(("XDG_CONFIG_HOME".into(), dir.path().into()));
        environment
    };
    let options = Options::default();
    let headers = |config: Config| config.limits.headers;
    assert_eq!(headers(Config::load(&options, &here(&[])).unwrap()), 64, "none is needed");
    std::fs::create_dir(&config_home).unwrap();
    std::fs::write(config_home.join("config.toml"), "limits.headers = 5").unwrap();
    assert_eq!(headers(Config::load(&options, &here(&[])).unwrap()), 5);
    let other = dir.path().join("other.toml");
    std::fs::write(&other, "limits.headers = 6").unwrap();
    let named = here(&[("PILOTHOUSE_CONFIG", other.to_str().unwrap())]);
    assert_eq!(headers(Config::load(&options, &named).unwrap()), 6);
    let mut missing = Options::default();
    missing.file = Some(dir.path().join("missing.toml"));
    let error = Config::load(&missing, &named).unwrap_err();
    assert!(error.to_string().contains("missing.toml: cannot be read"), "{error}");
}
