//! What is said, taken back and stopped.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use pilothouse_host::store::Digest;
use pilothouse_session::event::{Body, PromptState, Status};
use serde_json::{Value, json};

use super::bed::{Watcher, script};
use super::client::Served;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_prompt_with_a_key_is_said_once_however_often_it_is_sent() {
    let served = Served::new().await;
    let session = served.session(json!({})).await;
    let path = format!("/api/v1/sessions/{session}/prompts");
    let send = async |key: &str, text: &str| {
        let headers = [("content-type", "application/json"), ("idempotency-key", key)];
        let body = json!({ "text": script(text) }).to_string().into_bytes();
        served.client.send("POST", &path, &headers, Some(body)).await
    };
    let mut watcher = Watcher::new(&served.host, session, 0).await;
    let (one, two) = tokio::join!(send("k", "say once"), send("k", "say once"));
    assert_eq!((one.status, two.status), (202, 202));
    assert_eq!(one.json(), two.json());
    watcher.until(|body| matches!(body, Body::Complete { .. })).await;
    assert_eq!(send("k", "say once").await.json(), one.json(), "also when it is done");
    send("k", "say otherwise").await.is_problem(422, "unprocessable");
    send("", "say once").await.is_problem(422, "invalid-input");
    send(&"k".repeat(256), "say once").await.is_problem(422, "invalid-input");
    assert_eq!(watcher.count(|body| matches!(body, Body::UserMessage { .. })), 1);
    served.host.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn prompts_that_wait_are_taken_back_or_hurried_and_a_turn_is_stopped() {
    let served = Served::new().await;
    let client = &served.client;
    let session = served.session(json!({})).await;
    let path = format!("/api/v1/sessions/{session}");
    client.post(&format!("{path}/interrupt"), &json!({})).await.is_problem(409, "conflict");
    let mut watcher = Watcher::new(&served.host, session, 0).await;
    served.say(session, "say one\nhold a").await;
    served.bed.held("a").await;
    let waiting = served.say(session, "say two").await;
    watcher
        .until(|body| matches!(body, Body::PromptUpdated { state: PromptState::Sent, .. }))
        .await;
    let back = client.delete(&format!("{path}/prompts/{waiting}")).await;
    assert_eq!(back.status, 204, "{back:?}");
    let problem =
        client.delete(&format!("{path}/prompts/{waiting}")).await.is_problem(409, "conflict");
    assert_eq!(problem["refusal"]["kind"], "prompt_not_waiting");

    let queued = served.say(session, "say three").await;
    let stopped = client.post(&format!("{path}/interrupt"), &json!({"cancel_queued": true})).await;
    assert_eq!(stopped.status, 200, "{stopped:?}");
    assert_eq!(stopped.json()["cancelled"], json!([queued]), "{:?}", stopped.json());
    served.bed.release("a");
    watcher.until_status(Status::Idle).await;

    served.say(session, "say four\nhold b").await;
    served.bed.held("b").await;
    let slow = served.say(session, "say at last").await;
    let now = client.poke(&format!("{path}/prompts/{slow}/send-now")).await;
    assert_eq!(now.status, 202, "{now:?}");
    let again = now.json()["prompt"].as_str().unwrap().to_owned();
    watcher
        .until(|body| match body {
            Body::PromptUpdated { prompt, state: PromptState::Answered { .. } } => {
                prompt.to_string() == again
            }
            _ => false,
        })
        .await;
    assert!(watcher.texts().contains(&"at last".to_owned()), "{:?}", watcher.texts());
    assert!(!watcher.texts().contains(&"two".to_owned()), "{:?}", watcher.texts());
    served.bed.release("b");
    served.host.close().await;
}

/// The beginning of a PNG of this size: all that is looked at.
fn png(width: u32, height: u32) -> Vec<u8> {
    let mut bytes = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR".to_vec();
    bytes.extend(width.to_be_bytes());
    bytes.extend(height.to_be_bytes());
    bytes.extend(*b"\x08\x06\0\0\0\0\0\0\0");
    bytes
}

/// The smallest PNG there is: one transparent pixel.
pub(crate) const PIXEL: &str = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk\
                                YPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==";

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn images_and_files_are_checked_before_they_are_said() {
    let served = Served::new().await;
    let client = &served.client;
    let session = served.session(json!({})).await;
    let path = format!("/api/v1/sessions/{session}/prompts");
    let image = |kind: &str, data: &str| json!({"images": [{"media_type": kind, "data": data}]});
    let missing = "0".repeat(64);
    let table = [
        (json!({"text": ""}), "/text"),
        (json!({"text": "  \n"}), "/text"),
        (image("image/png", "not base64!"), "/images/0/data"),
        (image("image/png", "aGVsbG8="), "/images/0/data"),
        (image("image/jpeg", PIXEL), "/images/0/media_type"),
        (image("image/svg+xml", PIXEL), "/images/0/media_type"),
        (image("image/png", &STANDARD.encode(png(8001, 1))), "/images/0/data"),
        (image("image/png", &STANDARD.encode(b"\x89PNG\r\n\x1a\n")), "/images/0/data"),
        (json!({"attachments": [{"digest": missing}]}), "/attachments/0/digest"),
        (json!({"attachments": [{"digest": "x"}]}), "/attachments/0/digest"),
        (json!({"text": "a", "urgency": "never"}), "/urgency"),
        (json!({"text": "a", "prompt": "mine"}), "/prompt"),
        (json!({"text": "a", "wat": 1}), "/wat"),
        (json!({"images": vec![json!({"media_type": "image/png", "data": PIXEL}); 21]}), "/images"),
    ];
    for (body, place) in table {
        let answer = client.post(&path, &body).await;
        let problem = answer.is_problem(422, "invalid-input");
        assert_eq!(problem["errors"][0]["pointer"], place, "{problem}");
    }
    assert_eq!(served.host.session(session).await.unwrap().status, Status::Dormant);
    assert_eq!(served.host.store().last_seq(session).unwrap(), 0, "nothing has changed");

    let mut watcher = Watcher::new(&served.host, session, 0).await;
    let uploads = format!("/api/v1/sessions/{session}/attachments?name=notes.txt");
    let headers = [("content-type", "text/plain")];
    let kept = client.send("POST", &uploads, &headers, Some(b"some notes".to_vec())).await;
    let digest = kept.json()["digest"].clone();
    let body = json!({
        "text": script("say seen"),
        "images": [{"media_type": "image/png", "data": PIXEL}],
        "attachments": [{"digest": digest}, {"digest": digest, "as": "path"}],
    });
    assert_eq!(client.post(&path, &body).await.status, 202);
    let said = watcher.until(|body| matches!(body, Body::UserMessage { .. })).await;
    let said: Value = serde_json::to_value(said).unwrap();
    let pixel = STANDARD.decode(PIXEL).unwrap();
    let notes = json!({
        "digest": digest, "media_type": "text/plain", "size": 10, "title": "notes.txt",
    });
    let picture = json!({
        "digest": Digest::of(&pixel), "media_type": "image/png", "size": pixel.len(), "title": null,
    });
    assert_eq!(said["attachments"], json!([picture, notes, notes]), "{said}");
    let place = format!("/api/v1/sessions/{session}/attachments/{}", Digest::of(&pixel));
    let got = client.get(&place).await;
    assert_eq!((got.status, got.header("content-type")), (200, "image/png"));
    assert_eq!(got.bytes, pixel, "what was sent in a prompt can be looked at later");
    let file = said["text"].as_str().unwrap().rsplit("Attached file: ").next().unwrap().to_owned();
    assert!(file.starts_with(&served.cwd()) && file.ends_with("notes.txt"), "{file}");
    assert_eq!(std::fs::read_to_string(file).unwrap(), "some notes");
    served.host.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_image_that_the_model_would_refuse_is_for_tools_only() {
    let served = Served::new().await;
    let client = &served.client;
    let session = served.session(json!({})).await;
    let path = format!("/api/v1/sessions/{session}");
    let headers = [("content-type", "image/png")];
    let kept = format!("{path}/attachments?name=wide.png");
    let kept = client.send("POST", &kept, &headers, Some(png(8001, 1))).await;
    assert_eq!(kept.status, 201, "{kept:?}");
    let attach = |form: &str| {
        json!({
            "text": script("say seen"),
            "attachments": [{"digest": kept.json()["digest"], "as": form}],
        })
    };
    let prompts = format!("{path}/prompts");
    let problem = client.post(&prompts, &attach("block")).await.is_problem(422, "invalid-input");
    assert_eq!(problem["errors"][0]["pointer"], "/attachments/0", "{problem}");
    assert!(problem["errors"][0]["detail"].as_str().unwrap().contains("8001"), "{problem}");
    assert_eq!(client.post(&prompts, &attach("path")).await.status, 202);
    served.host.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_text_without_a_letter_is_not_sent_beside_an_image() {
    let served = Served::new().await;
    let client = &served.client;
    let session = served.session(json!({})).await;
    let path = format!("/api/v1/sessions/{session}");
    let mut watcher = Watcher::new(&served.host, session, 0).await;
    let body = json!({"text": " \n", "images": [{"media_type": "image/png", "data": PIXEL}]});
    assert_eq!(client.post(&format!("{path}/prompts"), &body).await.status, 202);
    watcher.until(|body| matches!(body, Body::Complete { .. })).await;
    let runs = client.get(&format!("{path}/runs")).await.json();
    let run = runs["items"][0]["run"].as_str().unwrap();
    let log = client.get(&format!("{path}/runs/{run}/wire")).await.bytes;
    let log = String::from_utf8(log).unwrap();
    let said = log.lines().find(|line| line.starts_with("i ") && line.contains(PIXEL)).unwrap();
    assert!(!said.contains(r#""type":"text""#), "{said}");
    served.host.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_id_stands_for_one_prompt() {
    let served = Served::new().await;
    let client = &served.client;
    let (one, two) = (served.session(json!({})).await, served.session(json!({})).await);
    let id = uuid::Uuid::new_v4();
    let send = async |session: pilothouse_session::id::SessionId, text: &str, key: &str| {
        let mut headers = vec![("content-type", "application/json")];
        headers.extend((!key.is_empty()).then_some(("idempotency-key", key)));
        let body = json!({ "prompt": id, "text": script(text) }).to_string().into_bytes();
        let path = format!("/api/v1/sessions/{session}/prompts");
        client.send("POST", &path, &headers, Some(body)).await
    };
    let mut watcher = Watcher::new(&served.host, one, 0).await;
    for key in ["", "", "k"] {
        let answer = send(one, "say once", key).await;
        assert_eq!((answer.status, &answer.json()["prompt"]), (202, &json!(id)), "{answer:?}");
    }
    watcher.until(|body| matches!(body, Body::Complete { .. })).await;
    assert_eq!(send(one, "say once", "").await.status, 202, "also when it is done");
    send(one, "say otherwise", "").await.is_problem(409, "conflict");
    send(one, "say otherwise", "l").await.is_problem(409, "conflict");
    send(two, "say once", "").await.is_problem(409, "conflict");
    send(two, "say once", "m").await.is_problem(409, "conflict");
    assert_eq!(watcher.count(|body| matches!(body, Body::UserMessage { .. })), 1);
    served.host.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_has_become_of_prompts_can_be_asked() {
    let served = Served::new().await;
    let client = &served.client;
    let session = served.session(json!({})).await;
    let path = format!("/api/v1/sessions/{session}/prompts");
    assert_eq!(client.get(&path).await.json(), json!({"items": [], "next": null}));
    let mut watcher = Watcher::new(&served.host, session, 0).await;
    let first = served.say(session, "say one").await;
    watcher.until_status(Status::Idle).await;
    let second = served.say(session, "say two\nhold a").await;
    served.bed.held("a").await;
    let key = [("content-type", "application/json"), ("idempotency-key", "k")];
    let body = json!({"text": script("say three")}).to_string().into_bytes();
    let third = client.send("POST", &path, &key, Some(body)).await.json()["prompt"].clone();
    // The CLI holds before the host has read that it took the second prompt up.
    let stands = |all: &Value| {
        [&all["items"][1]["state"], &all["items"][2]["state"]] == ["taken_up", "sent"]
    };
    client.until(&path, stands).await;

    let all = client.get(&path).await.json();
    let table = [(json!(first), "answered"), (json!(second), "taken_up"), (third.clone(), "sent")];
    for (row, (prompt, state)) in all["items"].as_array().unwrap().iter().zip(&table) {
        assert_eq!((&row["prompt"], &row["state"]), (prompt, &json!(state)), "{all}");
    }
    assert_eq!(all["items"][2]["key"], "k");
    let page = client.get(&format!("{path}?limit=2")).await.json();
    let next = page["next"].as_str().unwrap();
    let rest = client.get(&format!("{path}?limit=2&after={next}")).await.json();
    assert_eq!(rest, json!({"items": [all["items"][2]], "next": null}));
    let queue = client.get(&format!("{path}?state=queued&state=sent")).await.json();
    assert_eq!(queue["items"], json!([all["items"][2]]));
    let one = client.get(&format!("{path}/{second}")).await.json();
    assert_eq!(one, all["items"][1]);

    client.get(&format!("{path}?after=x")).await.is_problem(400, "bad-cursor");
    client.get(&format!("{path}?state=lost")).await.is_problem(422, "invalid-input");
    let nobody = format!("{path}/{}", uuid::Uuid::new_v4());
    client.get(&nobody).await.is_problem(404, "not-found");
    let other = served.session(json!({})).await;
    let foreign = format!("/api/v1/sessions/{other}/prompts/{first}");
    client.get(&foreign).await.is_problem(404, "not-found");
    served.bed.release("a");
    served.host.close().await;
}
