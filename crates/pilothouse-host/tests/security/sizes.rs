//! How large a request may be: that depends on where it goes.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use pilothouse_host::daemon::DaemonOptions;
use serde_json::json;

use super::bed::Bed;
use super::place::{JSON, Place, ask, bearer};

/// A picture of one pixel, and much behind it that nobody looks at.
fn large_picture() -> String {
    let pixel = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJ\
                 RU5ErkJggg==";
    let mut bytes = STANDARD.decode(pixel).unwrap();
    bytes.resize(2 << 20, 0);
    STANDARD.encode(bytes)
}

#[tokio::test]
async fn only_what_takes_files_takes_large_bodies() {
    let bed = Bed::new();
    let mut options = DaemonOptions::new(bed.options(""));
    options.guard.limits.upload = 4 << 20;
    let place = Place::with(options).await;
    let session = bed.session(&place.host).await;
    let send = async |start: &str, kind: &str, body: &str| {
        let lines = [bearer(&place.token), kind.to_owned()];
        ask(&place.address, start, &lines, body).await
    };
    let attachments = format!("POST /api/v1/sessions/{session}/attachments?name=notes.txt");
    let kept = send(&attachments, "Content-Type: text/plain", &"x".repeat(2 << 20)).await;
    assert_eq!(kept.status, 201, "{}", kept.head);

    let prompts = format!("POST /api/v1/sessions/{session}/prompts");
    let image = json!({"media_type": "image/png", "data": large_picture()});
    let said = send(&prompts, JSON, &json!({"text": "look", "images": [image]}).to_string()).await;
    assert_eq!(said.status, 202, "{said:?}");

    let policy = json!({ "text": "#".repeat(2 << 20) }).to_string();
    let refused = send("PUT /api/v1/policies/x", JSON, &policy).await;
    assert_eq!((refused.status, &*refused.problem()), (413, "body-too-large"), "{refused:?}");

    for start in [&attachments, &prompts] {
        let refused = send(start, JSON, &"x".repeat((4 << 20) + 1)).await;
        assert_eq!((refused.status, &*refused.problem()), (413, "body-too-large"), "{start}");
    }
    place.close().await;
}
