//! Images and files that are uploaded.

use base64::Engine;
use serde_json::json;

use super::client::{Answer, Served};
use super::prompts::PIXEL;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_file_is_kept_once_listed_and_given_back_as_it_was() {
    let served = Served::new().await;
    let client = &served.client;
    let session = served.session(json!({})).await;
    let path = format!("/api/v1/sessions/{session}/attachments");
    let pixel = base64::engine::general_purpose::STANDARD.decode(PIXEL).unwrap();
    let put = async |kind: &str, name: &str, bytes: &[u8]| -> Answer {
        let path = format!("{path}?name={name}");
        client.send("POST", &path, &[("content-type", kind)], Some(bytes.to_vec())).await
    };
    let made = put("image/png", "a%20pixel.png", &pixel).await;
    assert_eq!(made.status, 201, "{made:?}");
    let row = made.json();
    assert_eq!((&row["media_type"], &row["name"]), (&json!("image/png"), &json!("a pixel.png")));
    let place = made.header("location").to_owned();
    assert_eq!(place, format!("{path}/{}", row["digest"].as_str().unwrap()));
    assert_eq!(put("image/png", "a%20pixel.png", &pixel).await.status, 200, "once");
    let got = client.get(&place).await;
    assert_eq!((got.status, &got.bytes), (200, &pixel));
    assert_eq!(got.header("content-type"), "image/png");
    assert_eq!(got.header("content-disposition"), "attachment; filename*=UTF-8''a%20pixel.png");
    assert_eq!(got.header("x-content-type-options"), "nosniff");

    // Nothing that a browser would run comes back as that.
    for kind in ["text/html", "image/svg+xml", "application/javascript"] {
        let script = format!("<script>alert('{kind}')</script>");
        let made = put(kind, "x", script.as_bytes()).await;
        assert_eq!(made.status, 201, "{made:?}");
        let got = client.get(made.header("location")).await;
        let back = got.header("content-type");
        assert!(["text/plain", "application/octet-stream"].contains(&back), "{kind}: {back}");
    }
    let table = [
        ("image/png", "x", &b"<svg/>"[..]),
        ("image/jpeg", "x", &pixel[..]),
        ("application/pdf", "x", b"hello"),
        ("text/plain", "x", b"\xff\xfe"),
        ("text/plain", "..%2Fescape", b"hello"),
        ("text/plain", "x", b""),
    ];
    for (kind, name, bytes) in table {
        put(kind, name, bytes).await.is_problem(422, "invalid-input");
    }
    let all = client.get(&path).await.json();
    assert_eq!(all["items"].as_array().unwrap().len(), 4, "{all}");
    let first = client.get(&format!("{path}?limit=3")).await.json();
    let next = first["next"].as_str().unwrap();
    let rest = client.get(&format!("{path}?limit=3&after={next}")).await.json();
    assert_eq!(rest["items"][0], all["items"][3]);

    let missing = format!("{path}/{}", "0".repeat(64));
    client.get(&missing).await.is_problem(404, "not-found");
    client.get(&format!("{path}/x")).await.is_problem(404, "not-found");
    // One session's files are not another's.
    let other = served.session(json!({})).await;
    let digest = row["digest"].as_str().unwrap();
    let foreign = format!("/api/v1/sessions/{other}/attachments/{digest}");
    client.get(&foreign).await.is_problem(404, "not-found");
    served.host.close().await;
}
