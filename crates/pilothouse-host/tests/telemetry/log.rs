//! What is logged, and what never is.

use std::io::Write;
use std::sync::{Arc, Mutex};

use pilothouse_host::telemetry::log::{LogFormat, Secrets, subscriber};

#[derive(Clone, Default)]
struct Paper(Arc<Mutex<Vec<u8>>>);

impl Write for Paper {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.lock().expect("paper").extend_from_slice(bytes);
        Ok(bytes.len())
    }
    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

fn logged(directives: &str, format: LogFormat, secrets: &Secrets, say: impl FnOnce()) -> String {
    let paper = Paper::default();
    let subscriber = subscriber(directives, format, paper.clone(), secrets).expect("directives");
    tracing::subscriber::with_default(subscriber, say);
    let bytes = paper.0.lock().expect("paper").clone();
    String::from_utf8(bytes).expect("text")
}

#[test]
fn targets_and_levels_are_heard() {
    let say = || {
        tracing::debug!(target: "pilothouse_host::store", "one");
        tracing::debug!(target: "hyper", "two");
        tracing::info!(target: "hyper", "three");
        tracing::info!(target: "noisy", "four");
    };
    let text =
        logged("info,pilothouse_host=debug,noisy=off", LogFormat::Text, &Secrets::default(), say);
    let said: Vec<&str> = text.lines().filter_map(|line| line.rsplit(' ').next()).collect();
    assert_eq!(said, ["one", "three"]);
    let quiet = logged("", LogFormat::Text, &Secrets::default(), || tracing::debug!("five"));
    assert_eq!(quiet, "");
}

#[test]
fn what_is_no_directive_is_refused() {
    let error = subscriber("info,x=loud", LogFormat::Text, Vec::new(), &Secrets::default());
    let error = error.err().expect("an error").to_string();
    assert!(error.contains("target=level"), "{error}");
}

#[test]
fn secrets_do_not_reach_the_paper() {
    let secrets = Secrets::default();
    for format in [LogFormat::Text, LogFormat::Json] {
        let text = logged("trace", format, &secrets, || {
            // Registered after the log was set up, as tokens are.
            secrets.register("a \"quoted\" secret").expect("long enough");
            let span = tracing::info_span!("request", authorization = "Bearer abc.def");
            let _entered = span.enter();
            tracing::info!(key = "sk-ant-api03-xyz", "it is a \"quoted\" secret, is it");
            tracing::warn!(header = "Cookie: pilothouse=topsecret; theme=dark");
            tracing::info!(debug = ?"a \"quoted\" secret", n = 1);
        });
        for secret in ["abc.def", "api03", "quoted", "topsecret"] {
            assert!(!text.contains(secret), "{secret} in {text}");
        }
        assert_eq!(text.lines().count(), 3, "{text}");
        assert!(text.contains("[redacted]") && text.contains("is it"));
        if format == LogFormat::Json {
            for line in text.lines() {
                let line: serde_json::Value = serde_json::from_str(line).expect("still JSON");
                assert!(line["timestamp"].is_string() && line["level"].is_string());
            }
        }
    }
}

#[test]
fn characters_that_a_terminal_obeys_are_named() {
    let hostile = "a\u{1b}[2J\u{9b}2J\u{202e}b\u{200b}c";
    let say = || tracing::info!(field = hostile, "{hostile}");
    let text = logged("info", LogFormat::Text, &Secrets::default(), say);
    assert!(text.contains("<U+202E>b<U+200B>c"), "{text:?}");
    let json = logged("info", LogFormat::Json, &Secrets::default(), say);
    let line: serde_json::Value = serde_json::from_str(&json).expect("JSON");
    let field = line["field"].as_str().expect("a text");
    assert!(field.ends_with("2J\u{202e}b\u{200b}c"), "the value stays: {field:?}");
    for text in [text, json] {
        let unseen = text.trim_end().chars().find(|it| pilothouse_host::visible::is_unseen(*it));
        assert_eq!(unseen, None, "{text:?}");
    }
}

proptest::proptest! {
    /// Any text, with marks and letters of many bytes in it: nothing panics, what was registered is
    /// gone, and what is redacted stays as it is.
    #[test]
    fn any_text_can_be_redacted(
        parts in proptest::collection::vec(
            proptest::sample::select(vec![
                "Bearer ", "sk-ant-", "cookie: ", "Cookie=", "token=", "/login#", "a=b; ", "é日",
                "secret-of-ours", "\"", ";", "=", " ", "\n", "x1", ",",
            ]),
            0..24,
        ),
    ) {
        let secrets = Secrets::default();
        secrets.register("secret-of-ours").expect("long enough");
        let text = parts.concat();
        let once = secrets.redact(&text).into_owned();
        proptest::prop_assert!(!once.contains("secret-of-ours"), "{:?}", once);
        proptest::prop_assert_eq!(secrets.redact(&once), once.as_str());
    }
}
