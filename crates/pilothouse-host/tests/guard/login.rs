//! Logging in and out, and failing to.

use std::time::Duration;

use pilothouse_host::http::guard::{FailureTerms, GuardOptions, LoginLink, LoginTerms};
use serde_json::Value;

use crate::bed::{Bed, cookie_of, log_in, options, redeem};

const JSON: &str = "Content-Type: application/json";

async fn works(bed: &Bed, cookie: &str) -> bool {
    let reply = bed.ask("GET /api/v1/login", &[cookie], "").await;
    if reply.status != 200 {
        assert_eq!((reply.status, &*reply.problem()), (401, "not-authenticated"));
    }
    reply.status == 200
}

fn terms(change: impl Fn(&mut LoginTerms)) -> GuardOptions {
    let mut options = options();
    change(&mut options.login);
    options
}

#[tokio::test]
async fn a_link_becomes_a_cookie_once() {
    let bed = Bed::start().await;
    let link = bed.guard.mint_link("tablet").unwrap();
    let code = link.path.strip_prefix("/login#").unwrap();
    let reply = redeem(&bed, code).await;
    let set = reply.header("set-cookie").unwrap();
    for part in ["HttpOnly", "SameSite=Strict", "Path=/", "Max-Age="] {
        assert!(set.contains(part), "{set}");
    }
    assert!(!set.contains("Secure") && !set.starts_with("__Host-"), "{set}");
    assert!(!set.contains(bed.guard.token().reveal()), "{set}");
    let who = bed.ask("GET /api/v1/login", &[&cookie_of(&reply)], "").await;
    let who: Value = serde_json::from_str(&who.body).unwrap();
    assert_eq!((&who["name"], &who["identity"]["kind"]), (&"tablet".into(), &"login".into()));
    let audit = bed.ask("GET /api/v1/who", &[&cookie_of(&reply)], "").await.body;
    assert_eq!(audit, format!("login:{} (tablet)", who["identity"]["id"].as_str().unwrap()));
    assert_eq!(bed.ask_known("GET /api/v1/who", &[], "").await.body, "token");
    let again = redeem(&bed, code).await;
    assert_eq!((again.status, &*again.problem()), (403, "login-refused"));
}

#[tokio::test]
async fn codes_that_are_guessed_or_too_old_do_not_work() {
    let bed = Bed::with(terms(|login| login.link_life = Duration::ZERO)).await;
    let link = bed.guard.mint_link("").unwrap();
    let old = link.path.strip_prefix("/login#").unwrap();
    for code in [old, "", "guess", &"a".repeat(43)] {
        let reply = redeem(&bed, code).await;
        assert_eq!((reply.status, &*reply.problem()), (403, "login-refused"), "{code}");
        assert_eq!(reply.header("set-cookie"), None);
    }
}

#[tokio::test]
async fn links_are_made_only_by_those_who_are_known() {
    let bed = Bed::start().await;
    let reply = bed.ask("POST /api/v1/login/links", &[JSON], "{}").await;
    assert_eq!((reply.status, &*reply.problem()), (401, "not-authenticated"));
    let reply = bed.ask_known("POST /api/v1/login/links", &[JSON], r#"{"name":"phone"}"#).await;
    assert_eq!(reply.status, 201, "{reply:?}");
    let link: LoginLink = serde_json::from_str(&reply.body).unwrap();
    assert!(link.expires_at > jiff::Timestamp::now());
    assert_eq!(redeem(&bed, link.path.strip_prefix("/login#").unwrap()).await.status, 200);
    let long = format!(r#"{{"name":"{}"}}"#, "a".repeat(65));
    let reply = bed.ask_known("POST /api/v1/login/links", &[JSON], &long).await;
    assert_eq!((reply.status, &*reply.problem()), (422, "invalid-input"));
}

#[tokio::test]
async fn a_login_outlives_the_daemon_and_ends_for_good() {
    let mut bed = Bed::start().await;
    let port = bed.address.port();
    let (kept, ended) = (log_in(&bed).await, log_in(&bed).await);
    let origin = format!("Origin: http://{}", bed.host());
    let reply = bed.ask("POST /api/v1/logout", &[&ended, &origin], "").await;
    assert_eq!(reply.status, 204, "{reply:?}");
    assert!(reply.header("set-cookie").unwrap().contains("Max-Age=0"));
    assert!(works(&bed, &kept).await);
    assert!(!works(&bed, &ended).await);
    bed.stop();
    (&mut bed.served).await.unwrap();
    let bed = Bed::again(options(), None, bed.dir).await;
    // The name of the cookie has the port, and that has changed.
    let here = |cookie: &str| cookie.replace(&port.to_string(), &bed.address.port().to_string());
    assert!(works(&bed, &here(&kept)).await);
    assert!(!works(&bed, &here(&ended)).await);
}

#[tokio::test]
async fn another_page_cannot_log_a_browser_out() {
    let bed = Bed::start().await;
    let cookie = log_in(&bed).await;
    let reply = bed.ask("POST /api/v1/logout", &[&cookie, "Origin: http://evil.example"], "").await;
    assert_eq!((reply.status, &*reply.problem()), (403, "foreign-origin"));
    assert!(works(&bed, &cookie).await);
}

#[tokio::test]
async fn a_new_token_ends_everything() {
    let bed = Bed::start().await;
    let (cookie, old) = (log_in(&bed).await, bed.bearer());
    let link = bed.guard.mint_link("").unwrap();
    let reply = bed.ask("POST /api/v1/logout/everywhere", &[&old], "").await;
    assert_eq!(reply.status, 204);
    assert!(!works(&bed, &cookie).await);
    assert_eq!(bed.ask("GET /api/v1/who", &[&old], "").await.status, 401);
    assert_eq!(redeem(&bed, link.path.strip_prefix("/login#").unwrap()).await.status, 403);
    assert_eq!(bed.ask_known("GET /api/v1/who", &[], "").await.status, 200);
}

#[tokio::test]
async fn cookies_that_are_changed_made_up_or_too_old_do_not_work() {
    let bed = Bed::start().await;
    let cookie = log_in(&bed).await;
    let (name, value) = cookie.split_once('=').unwrap();
    let (payload, mac) = value.split_once('.').unwrap();
    let other_letter = if mac.starts_with('A') { 'B' } else { 'A' };
    let other = Bed::start().await;
    let foreign = log_in(&other).await;
    for value in [
        String::new(),
        payload.to_owned(),
        format!("{payload}."),
        format!(".{mac}"),
        format!("{payload}A.{mac}"),
        format!("{payload}.{other_letter}{}", &mac[1..]),
        foreign.split_once('=').unwrap().1.to_owned(),
        "a".repeat(600),
    ] {
        assert!(!works(&bed, &format!("{name}={value}")).await, "{value}");
    }
    // One that is genuine will do, whatever stands beside it.
    assert!(works(&bed, &format!("{name}=forged; {}", &cookie["Cookie: ".len()..])).await);
    let expired = Bed::with(terms(|login| login.login_life = Duration::ZERO)).await;
    let cookie = log_in(&expired).await;
    assert!(!works(&expired, &cookie).await);
}

#[tokio::test]
async fn who_fails_too_often_waits_and_who_is_right_does_not() {
    let failures = FailureTerms { burst: 3, each: Duration::from_secs(600), addresses: 8 };
    let bed = Bed::with(GuardOptions { failures, ..options() }).await;
    let cookie = log_in(&bed).await;
    let link = bed.guard.mint_link("").unwrap();
    let wrong = "Authorization: Bearer wrong";
    for _ in 0..3 {
        assert_eq!(bed.ask("GET /api/v1/who", &[wrong], "").await.status, 401);
    }
    for _ in 0..3 {
        let reply = bed.ask("GET /api/v1/who", &[wrong], "").await;
        assert_eq!((reply.status, &*reply.problem()), (429, "rate-limited"));
        let wait: u64 = reply.header("retry-after").unwrap().parse().unwrap();
        assert!((1..=600).contains(&wait), "{wait}");
        assert_eq!(reply.document().retry_after, Some(wait));
    }
    let forged =
        format!("Cookie: {}=forged", cookie["Cookie: ".len()..].split_once('=').unwrap().0);
    assert_eq!(bed.ask("GET /api/v1/who", &[&forged], "").await.status, 429);
    assert_eq!(redeem(&bed, "guess").await.status, 429);
    // From the same address, all the while:
    assert_eq!(bed.ask_known("GET /api/v1/who", &[], "").await.status, 200);
    assert!(works(&bed, &cookie).await);
    assert_eq!(redeem(&bed, link.path.strip_prefix("/login#").unwrap()).await.status, 200);
    // Who has nothing to show is told so, not counted.
    assert_eq!(bed.ask("GET /api/v1/who", &[], "").await.status, 401);
}
