//! What reaches a log: that something was refused, and no secret.

use std::fmt::{Debug, Write};
use std::sync::{Arc, Mutex};

use tracing::field::{Field, Visit};
use tracing::span::{Attributes, Id, Record};
use tracing::{Event, Metadata, Subscriber};

use crate::bed::Bed;

/// Writes down everything, whatever its level.
#[derive(Clone, Default)]
struct Log(Arc<Mutex<String>>);

struct Line<'a>(&'a mut String);

impl Visit for Line<'_> {
    fn record_debug(&mut self, field: &Field, value: &dyn Debug) {
        write!(self.0, "{field}={value:?} ").unwrap();
    }
}

impl Subscriber for Log {
    fn enabled(&self, _: &Metadata<'_>) -> bool {
        true
    }

    fn new_span(&self, span: &Attributes<'_>) -> Id {
        span.record(&mut Line(&mut self.0.lock().unwrap()));
        Id::from_u64(1)
    }

    fn record(&self, _: &Id, values: &Record<'_>) {
        values.record(&mut Line(&mut self.0.lock().unwrap()));
    }

    fn record_follows_from(&self, _: &Id, _: &Id) {}

    fn event(&self, event: &Event<'_>) {
        event.record(&mut Line(&mut self.0.lock().unwrap()));
    }

    fn enter(&self, _: &Id) {}

    fn exit(&self, _: &Id) {}
}

#[tokio::test]
async fn secrets_are_in_no_line() {
    let log = Log::default();
    // All tasks of this test run on its thread.
    let _logging = tracing::subscriber::set_default(log.clone());
    let bed = Bed::start().await;
    let token = bed.guard.token().reveal().to_owned();
    let page = crate::bed::log_in(&bed).await;
    let cookie = &*page.cookie;
    let wrong = "Authorization: Bearer a-guess-that-is-wrong";
    let forged = format!("{cookie}a-forgery");
    bed.ask_known("GET /api/v1/who", &[], "").await;
    bed.ask("GET /api/v1/who", &[wrong], "").await;
    bed.ask("GET /api/v1/who", &[&forged], "").await;
    let proof = page.proof("GET /api/v1/who");
    bed.ask("GET /api/v1/who", &[cookie, &proof], "").await;
    // A page that has just been loaded knows no challenge yet: that is worth no line.
    let loaded = crate::page::Page { challenge: "none".to_owned(), ..page.clone() };
    bed.ask("GET /api/v1/who", &[cookie, &loaded.proof("GET /api/v1/who")], "").await;
    assert!(!log.0.lock().unwrap().contains("without its page key"));
    bed.ask("GET /api/v1/who", &[cookie], "").await;
    bed.ask("GET /api/v1/who", &[cookie, &page.proof("GET /")], "").await;
    bed.ask(&format!("GET /api/v1/who?token={token}"), &[], "").await;
    bed.ask_known("GET /api/v1/panic", &[], "").await;
    let code = r#"{"code":"a-code-that-was-guessed"}"#;
    bed.ask("POST /api/v1/login", &["Content-Type: application/json"], code).await;
    let text = log.0.lock().unwrap().clone();
    assert!(text.contains("authentication failed") && text.contains("logged in"), "{text}");
    assert!(text.contains("a cookie came without its page key"), "{text}");
    let value = cookie.split_once('=').unwrap().1;
    let mac = proof.rsplit_once('.').unwrap().1;
    for secret in [&*token, value, &page.key, mac, "a-guess-that", "a-forgery", "a-code-that"] {
        assert!(!text.contains(secret), "{text}");
    }
}

#[tokio::test]
async fn wrong_tokens_do_not_silence_the_warning_about_a_stolen_cookie() {
    let log = Log::default();
    let _logging = tracing::subscriber::set_default(log.clone());
    let bed = Bed::start().await;
    let page = crate::bed::log_in(&bed).await;
    loop {
        let reply = bed.ask("GET /api/v1/who", &["Authorization: Bearer wrong"], "").await;
        if reply.status == 429 {
            break;
        }
        assert_eq!(reply.status, 401, "{reply:?}");
    }
    assert!(!log.0.lock().unwrap().contains("without its page key"));
    for _ in 0..100 {
        assert_eq!(bed.ask("GET /api/v1/who", &[&page.cookie], "").await.status, 401);
    }
    let warnings = log.0.lock().unwrap().matches("without its page key").count();
    assert!((1..20).contains(&warnings), "{warnings}");
}
