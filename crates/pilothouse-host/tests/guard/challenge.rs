//! The proof that a daemon gives before it is sent the token.

use pilothouse_host::http::guard::{Challenge, ChallengeReply, Token};
use serde_json::{Value, json};

use crate::bed::{Bed, Reply};

const JSON: &str = "Content-Type: application/json";

async fn send(bed: &Bed, body: &Value) -> Reply {
    bed.ask("POST /api/v1/challenge", &[JSON], &body.to_string()).await
}

#[tokio::test]
async fn proves_that_it_knows_the_token() {
    let bed = Bed::start().await;
    let challenge = Challenge::random(bed.address).unwrap();
    let reply = send(&bed, &json!(challenge.request())).await;
    assert_eq!(reply.status, 200, "{reply:?}");
    assert_eq!(reply.header("cache-control"), Some("no-store"));
    let reply: ChallengeReply = serde_json::from_str(&reply.body).unwrap();
    assert!(challenge.is_met_by(&reply, &bed.guard.token()));
    let elsewhere = tempfile::tempdir().unwrap();
    let other = Token::load_or_create(elsewhere.path()).unwrap();
    assert!(!challenge.is_met_by(&reply, &other), "a daemon of another directory");
    assert!(!Challenge::random(bed.address).unwrap().is_met_by(&reply, &bed.guard.token()));
    // The token that is proved is the one that holds now.
    let token = bed.guard.replace_token().unwrap();
    let reply = send(&bed, &json!(challenge.request())).await;
    let reply: ChallengeReply = serde_json::from_str(&reply.body).unwrap();
    assert!(challenge.is_met_by(&reply, &token));
}

#[tokio::test]
async fn rejects_an_address_that_is_not_its_own() {
    let bed = Bed::start().await;
    let port = bed.address.port();
    // Each passes the check of `Host`, which is a name of ours.
    for dialled in [
        format!("127.0.0.1:{}", port ^ 1),
        format!("127.0.0.2:{port}"),
        format!("[::1]:{port}"),
        format!("0.0.0.0:{port}"),
    ] {
        let challenge = Challenge::random(dialled.parse().unwrap()).unwrap();
        let reply = send(&bed, &json!(challenge.request())).await;
        assert_eq!((reply.status, &*reply.problem()), (421, "wrong-host"), "{dialled}");
    }
}

#[tokio::test]
async fn rejects_what_is_no_challenge() {
    let bed = Bed::start().await;
    let good = json!(Challenge::random(bed.address).unwrap().request());
    for (field, value) in
        [("nonce", "AAAA".to_owned()), ("nonce", String::new()), ("address", "localhost:1".into())]
    {
        let mut bad = good.clone();
        bad[field] = value.into();
        let reply = send(&bed, &bad).await;
        assert_eq!((reply.status, &*reply.problem()), (422, "invalid-input"), "{bad}");
    }
    let mut long = good.clone();
    long["nonce"] = "A".repeat(1024).into();
    let reply = send(&bed, &long).await;
    assert_eq!((reply.status, &*reply.problem()), (413, "body-too-large"));
    let foreign = [JSON, "Origin: http://evil.example"];
    let reply = bed.ask("POST /api/v1/challenge", &foreign, &good.to_string()).await;
    assert_eq!(reply.status, 403, "{reply:?}");
}
