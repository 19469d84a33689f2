//! A daemon as it is configured: what it keeps to itself, and what it takes.

use pilothouse_host::config::{Config, Hidden, Size};
use pilothouse_host::daemon::DaemonOptions;
use pilothouse_host::telemetry::Secrets;
use serde_json::json;

use super::bed::{Bed, script, sim};
use super::place::{Place, ask, bearer};

fn options(bed: &Bed, secrets: &Secrets, change: impl FnOnce(&mut Config)) -> DaemonOptions {
    let host = bed.options("");
    let mut config = Config::default();
    config.data_dir = host.data_dir.clone();
    config.claude.path = Some(sim());
    config.server.listen = vec![([127, 0, 0, 1], 0).into()];
    change(&mut config);
    let mut options = DaemonOptions::of(&config, host.holder.clone(), secrets).unwrap();
    options.host.env = host.env;
    options.host.clear_env = true;
    options
}

#[tokio::test]
async fn log_and_telemetry_know_what_they_must_not_show() {
    let bed = Bed::new();
    let secrets = Secrets::default();
    let value = "correct horse battery";
    let options = options(&bed, &secrets, |config| {
        config.session.env.insert("KEY".to_owned(), Hidden(value.to_owned()));
    });
    let place = Place::with(options).await;
    let hidden = |text: &str| {
        for known in [&secrets, place.host.telemetry().secrets()] {
            assert_eq!(known.redact(&format!("it is {text}.")), "it is [redacted].");
        }
    };
    hidden(value);
    hidden(&place.token);
    let lines = [bearer(&place.token)];
    let out = ask(&place.address, "POST /api/v1/logout/everywhere", &lines, "").await;
    assert!((200..300).contains(&out.status), "{out:?}");
    let token = std::fs::read_to_string(bed.path("data/token")).unwrap();
    assert_ne!(token.trim(), place.token);
    hidden(token.trim());
    hidden(&place.token);
    place.close().await;
}

#[tokio::test]
async fn a_message_may_be_as_long_as_an_upload() {
    let bed = Bed::new();
    let limit = 64 << 10;
    let secrets = Secrets::default();
    let place =
        Place::with(options(&bed, &secrets, |config| config.limits.upload = Size(limit))).await;
    let session = bed.session(&place.host).await.to_string();
    let prompt = |length: u64| {
        let rest = "x".repeat(usize::try_from(length).unwrap());
        json!({"do": "prompt", "content": format!("{}\n{rest}", script("say one"))})
    };
    let mut socket = place.socket().await;
    let reply = socket.ask(&session, prompt(limit - 512)).await.unwrap();
    assert!(reply["problem"].is_null(), "{reply}");
    let _ = socket.command(&session, prompt(limit)).await;
    while socket.next().await.is_ok() {}
    place.close().await;
}
