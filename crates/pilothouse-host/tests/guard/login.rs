//! Logging in and out, and failing to.

use std::time::Duration;

use pilothouse_host::http::guard::{FailureTerms, GuardOptions, LoginLink, LoginTerms};
use serde_json::{Value, json};

use crate::bed::{Bed, log_in, options, page_of, redeem};
use crate::page::Page;

const JSON: &str = "Content-Type: application/json";

/// Whether a page is let in. It learns the current challenge as it goes.
async fn works(bed: &Bed, page: &Page) -> bool {
    let start = "GET /api/v1/login";
    let mut page = page.clone();
    let mut reply = bed.ask_from(&page, start, "").await;
    if let (401, Some(challenge)) = (reply.status, reply.header("x-pilothouse-challenge")) {
        page.challenge = challenge.to_owned();
        reply = bed.ask_from(&page, start, "").await;
    }
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
async fn a_link_becomes_a_cookie_and_a_key_once() {
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
    assert_eq!(reply.header("cache-control"), Some("no-store"));
    let page = page_of(&reply);
    assert!(!page.cookie.contains(&page.key));
    let who = bed.ask_from(&page, "GET /api/v1/login", "").await;
    let who: Value = serde_json::from_str(&who.body).unwrap();
    assert_eq!((&who["name"], &who["identity"]["kind"]), (&"tablet".into(), &"login".into()));
    let audit = bed.ask_from(&page, "GET /api/v1/who", "").await.body;
    assert_eq!(audit, format!("login:{} (tablet)", who["identity"]["id"].as_str().unwrap()));
    assert_eq!(bed.ask_known("GET /api/v1/who", &[], "").await.body, "token");
    let again = redeem(&bed, code).await;
    assert_eq!((again.status, &*again.problem()), (403, "login-refused"));
}

#[tokio::test]
async fn a_cookie_alone_opens_nothing() {
    let bed = Bed::start().await;
    let (page, other) = (log_in(&bed).await, log_in(&bed).await);
    let start = "GET /api/v1/who";
    let proof = page.proof(start);
    let refused = async |lines: &[&str]| {
        let reply = bed.ask(start, lines, "").await;
        assert_eq!((reply.status, &*reply.problem()), (401, "not-authenticated"), "{lines:?}");
        assert!(reply.header("x-pilothouse-challenge").is_some(), "{reply:?}");
        reply
    };
    let origin = format!("Origin: http://{}", bed.host());
    refused(&[&page.cookie]).await;
    refused(&[&page.cookie, &origin, "Sec-Fetch-Site: same-origin"]).await;
    for wrong in ["", ".", "a.b", &page.challenge, &format!("{}.", page.challenge), &page.key] {
        refused(&[&page.cookie, &format!("X-Pilothouse-Proof: {wrong}")]).await;
    }
    refused(&[&page.cookie, &page.proof("GET /api/v1/wish")]).await;
    refused(&[&page.cookie, &page.proof("POST /api/v1/who")]).await;
    refused(&[&page.cookie, &page.proof("GET /api/v1/who?")]).await;
    refused(&[&page.cookie, &other.proof(start)]).await;
    // Only who asks for a WebSocket may prove the key by a subprotocol.
    refused(&[&page.cookie, &page.offer()]).await;
    let reply = bed.ask(start, &[&page.cookie, &proof, &proof], "").await;
    assert_eq!((reply.status, &*reply.problem()), (400, "bad-request"));
    // A proof without the cookie is nothing either.
    let reply = bed.ask(start, &[&proof], "").await;
    assert_eq!((reply.status, &*reply.problem()), (401, "not-authenticated"));
    assert_eq!(bed.ask(start, &[&page.cookie, &proof], "").await.status, 200);
}

#[tokio::test]
async fn a_login_works_only_at_the_address_where_it_was_made() {
    let bed = Bed::start().await;
    let page = log_in(&bed).await;
    let start = "GET /api/v1/who";
    let ask = async |host: &str| {
        let lines = page.lines(start).join("\r\n");
        let text =
            format!("{start} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n{lines}\r\n\r\n");
        bed.send(text.as_bytes()).await
    };
    assert_eq!(ask(&bed.host()).await.status, 200);
    for host in [&*format!("127.0.0.1:{}", bed.address.port()), "pilot.example", "localhost:5173"] {
        let reply = ask(host).await;
        assert_eq!((reply.status, &*reply.problem()), (401, "not-authenticated"), "{host}");
    }
}

#[tokio::test]
async fn logins_are_listed_renamed_and_ended_one_by_one() {
    let bed = Bed::start().await;
    let (page, other) = (log_in(&bed).await, log_in(&bed).await);
    let list = async || {
        let reply = bed.ask_from(&page, "GET /api/v1/logins", "").await;
        assert!(!reply.body.contains(&page.key) && !reply.body.contains(&other.key));
        serde_json::from_str::<Value>(&reply.body).unwrap()["items"].as_array().unwrap().clone()
    };
    let rows = list().await;
    assert_eq!(rows.len(), 2);
    let is_mine = |row: &&Value| row["is_current"] == true;
    let mine = rows.iter().find(is_mine).unwrap();
    let theirs = rows.iter().find(|row| !is_mine(row)).unwrap()["id"].as_str().unwrap();
    assert_eq!(mine["name"], "phone");
    assert_eq!(mine["origin"], format!("http://{}", bed.host()));
    let at = |name: &str| mine[name].as_str().unwrap().parse::<jiff::Timestamp>().unwrap();
    let days = (at("expires_at") - at("created_at")).total(jiff::Unit::Hour).unwrap() / 24.0;
    assert!((6.9..=7.0).contains(&days), "it ends after 7 days without use: {days}");
    let start = format!("PATCH /api/v1/logins/{theirs}");
    let reply = bed.ask_from(&page, &start, r#"{"name":"desk"}"#).await;
    let renamed: Value = serde_json::from_str(&reply.body).unwrap();
    assert_eq!((&renamed["id"], &renamed["name"]), (&json!(theirs), &json!("desk")));
    for (name, status) in [("a".repeat(65), 422), ("\\u001b".to_owned(), 422), (String::new(), 200)]
    {
        let body = format!(r#"{{"name":"{name}"}}"#);
        assert_eq!(bed.ask_from(&page, &start, &body).await.status, status, "{name}");
    }
    assert!(works(&bed, &other).await);
    let start = format!("DELETE /api/v1/logins/{theirs}");
    assert_eq!(bed.ask_from(&page, &start, "").await.status, 204);
    assert_eq!(bed.ask_from(&page, &start, "").await.problem(), "not-found");
    assert_eq!(bed.ask_known("DELETE /api/v1/logins/x", &[], "").await.problem(), "not-found");
    assert!(!works(&bed, &other).await);
    assert!(works(&bed, &page).await);
    assert_eq!(list().await.len(), 1);
}

#[tokio::test]
async fn a_browser_that_logs_in_again_replaces_its_login() {
    let bed = Bed::start().await;
    let old = log_in(&bed).await;
    let link = bed.guard.mint_link("").unwrap();
    let body = json!({ "code": link.path.strip_prefix("/login#").unwrap() }).to_string();
    let origin = format!("Origin: http://{}", bed.host());
    let reply = bed.ask("POST /api/v1/login", &[JSON, &origin, &old.cookie], &body).await;
    assert!(works(&bed, &page_of(&reply)).await);
    assert!(!works(&bed, &old).await);
}

#[tokio::test]
async fn failed_login_ends_nothing_and_leaves_the_link() {
    let bed = Bed::start().await;
    let old = log_in(&bed).await;
    let link = bed.guard.mint_link("").unwrap();
    let body = json!({ "code": link.path.strip_prefix("/login#").unwrap() }).to_string();
    let origin = format!("Origin: http://{}", bed.host());
    let lines = [JSON, &*origin, &*old.cookie];
    // A directory in the place of the file: it cannot be written.
    let file = bed.dir.path().join("data/logins.json");
    std::fs::remove_file(&file).unwrap();
    std::fs::create_dir(&file).unwrap();
    let reply = bed.ask("POST /api/v1/login", &lines, &body).await;
    assert_eq!((reply.status, &*reply.problem()), (500, "store-failed"));
    assert!(works(&bed, &old).await);
    std::fs::remove_dir(&file).unwrap();
    let reply = bed.ask("POST /api/v1/login", &lines, &body).await;
    assert!(works(&bed, &page_of(&reply)).await);
    assert!(!works(&bed, &old).await);
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
    let reply = bed.ask_from(&ended, "POST /api/v1/logout", "").await;
    assert_eq!(reply.status, 204, "{reply:?}");
    assert!(reply.header("set-cookie").unwrap().contains("Max-Age=0"));
    assert!(works(&bed, &kept).await);
    assert!(!works(&bed, &ended).await);
    let old_proof = kept.proof("GET /api/v1/who");
    bed.stop();
    (&mut bed.served).await.unwrap();
    let bed = Bed::at(options(), bed.dir, bed.address).await;
    assert_eq!(bed.address.port(), port);
    assert!(works(&bed, &kept).await);
    assert!(!works(&bed, &ended).await);
    // Whoever had the port meanwhile may have such a proof.
    let reply = bed.ask("GET /api/v1/who", &[&kept.cookie, &old_proof], "").await;
    assert_eq!((reply.status, &*reply.problem()), (401, "not-authenticated"));
}

#[tokio::test]
async fn another_page_cannot_log_a_browser_out() {
    let bed = Bed::start().await;
    let page = log_in(&bed).await;
    let start = "POST /api/v1/logout";
    let (line, proof) = (&*page.cookie, page.proof(start));
    let reply = bed.ask(start, &[line, &proof, "Origin: http://evil.example"], "").await;
    assert_eq!((reply.status, &*reply.problem()), (403, "foreign-origin"));
    // Neither can whoever has the cookie alone.
    let origin = format!("Origin: http://{}", bed.host());
    assert_eq!(bed.ask(start, &[line, &origin], "").await.status, 204);
    assert!(works(&bed, &page).await);
    // A page whose challenge is old must not believe that it is out.
    let old = Page { challenge: "old".to_owned(), ..page.clone() };
    let reply = bed.ask_from(&old, start, "").await;
    assert_eq!((reply.status, &*reply.problem()), (401, "not-authenticated"));
    assert_eq!(reply.header("x-pilothouse-challenge"), Some(&*page.challenge));
    assert!(works(&bed, &page).await);
    assert_eq!(bed.ask_from(&page, start, "").await.status, 204);
    assert!(!works(&bed, &page).await);
}

#[tokio::test]
async fn a_new_token_ends_everything() {
    let bed = Bed::start().await;
    let (page, old) = (log_in(&bed).await, bed.bearer());
    let link = bed.guard.mint_link("").unwrap();
    let reply = bed.ask("POST /api/v1/logout/everywhere", &[&old], "").await;
    assert_eq!(reply.status, 204);
    assert!(!works(&bed, &page).await);
    assert_eq!(bed.ask("GET /api/v1/who", &[&old], "").await.status, 401);
    assert_eq!(redeem(&bed, link.path.strip_prefix("/login#").unwrap()).await.status, 403);
    assert_eq!(bed.ask_known("GET /api/v1/who", &[], "").await.status, 200);
}

#[tokio::test]
async fn cookies_that_are_changed_made_up_or_too_old_do_not_work() {
    let bed = Bed::start().await;
    let page = log_in(&bed).await;
    let (name, value) = page.cookie.split_once('=').unwrap();
    let other_letter = if value.starts_with('A') { 'B' } else { 'A' };
    let other = Bed::start().await;
    let foreign = log_in(&other).await;
    let with = |value: &str| Page { cookie: format!("{name}={value}"), ..page.clone() };
    for value in [
        String::new(),
        value[1..].to_owned(),
        format!("{value}A"),
        format!("{other_letter}{}", &value[1..]),
        foreign.cookie.split_once('=').unwrap().1.to_owned(),
        "a".repeat(600),
    ] {
        assert!(!works(&bed, &with(&value)).await, "{value}");
    }
    // One that is genuine will do, whatever stands beside it.
    let (_, genuine) = page.cookie.split_once(' ').unwrap();
    assert!(works(&bed, &with(&format!("forged; {genuine}"))).await);
    for end in [
        |login: &mut LoginTerms| login.login_life = Duration::ZERO,
        |login: &mut LoginTerms| login.login_idle = Duration::ZERO,
    ] {
        let bed = Bed::with(terms(end)).await;
        let page = log_in(&bed).await;
        assert!(!works(&bed, &page).await);
    }
}

#[tokio::test]
async fn logins_of_an_earlier_version_end_and_say_what_to_do() {
    let bed = Bed::start().await;
    let name = format!("pilothouse_{}", bed.address.port());
    let old = format!("Cookie: {name}=AQECAwQFBgerAAAAAAAAA-hwaG9uZQ.{}", "a".repeat(43));
    // However often an open tab asks: it is not taken for somebody who guesses.
    for _ in 0..20 {
        let reply = bed.ask("GET /api/v1/login", &[&old], "").await;
        assert_eq!((reply.status, &*reply.problem()), (401, "not-authenticated"));
        let detail = reply.document().detail;
        assert!(detail.contains("earlier version") && detail.contains("`pilothouse login`"));
    }
}

#[tokio::test]
async fn a_new_login_ends_the_one_that_was_not_used_for_longest() {
    let bed = Bed::with(terms(|login| login.logins = 2)).await;
    let pages = [log_in(&bed).await, log_in(&bed).await, log_in(&bed).await];
    assert!(!works(&bed, &pages[0]).await);
    assert!(works(&bed, &pages[1]).await && works(&bed, &pages[2]).await);
}

#[tokio::test]
async fn who_fails_too_often_waits_and_who_is_right_does_not() {
    let failures = FailureTerms { burst: 3, each: Duration::from_secs(600), addresses: 8 };
    let bed = Bed::with(GuardOptions { failures, ..options() }).await;
    let page = log_in(&bed).await;
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
    let forged = format!("{}=forged", page.cookie.split_once('=').unwrap().0);
    assert_eq!(bed.ask("GET /api/v1/who", &[&forged], "").await.status, 429);
    assert_eq!(redeem(&bed, "guess").await.status, 429);
    // From the same address, all the while:
    assert_eq!(bed.ask_known("GET /api/v1/who", &[], "").await.status, 200);
    assert!(works(&bed, &page).await);
    assert_eq!(redeem(&bed, link.path.strip_prefix("/login#").unwrap()).await.status, 200);
    // Who has nothing to show is told so, not counted.
    assert_eq!(bed.ask("GET /api/v1/who", &[], "").await.status, 401);
}

/// Other systems have one address of loopback.
#[cfg(target_os = "linux")]
#[tokio::test]
async fn throttles_loopback_as_one_source() {
    let failures = FailureTerms { burst: 3, each: Duration::from_secs(600), addresses: 8 };
    let bed = Bed::with(GuardOptions { failures, ..options() }).await;
    let request = bed.request("GET /api/v1/who", &["Authorization: Bearer wrong"], "");
    let mut statuses = Vec::new();
    for last in 1..=8 {
        let socket = tokio::net::TcpSocket::new_v4().unwrap();
        socket.bind(([127, 0, 9, last], 0).into()).unwrap();
        let mut stream = socket.connect(bed.address).await.unwrap();
        tokio::io::AsyncWriteExt::write_all(&mut stream, &request).await.unwrap();
        statuses.push(crate::bed::read(&mut stream).await.status);
    }
    assert_eq!(statuses, [401, 401, 401, 429, 429, 429, 429, 429]);
}
