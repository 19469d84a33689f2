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

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_directory_that_is_gone_does_not_hide_the_others() {
    let served = Served::new().await;
    let client = &served.client;
    let (gone, library) = (served.bed.path("gone"), served.bed.path("library"));
    std::fs::create_dir(&library).unwrap();
    std::fs::write(library.join("a.txt"), "there").unwrap();
    std::fs::write(served.bed.path("work/b.txt"), "here").unwrap();
    let profile = json!({"add_dirs": [gone, library]});
    let session = served.session(json!({ "profile": profile })).await;
    let path = format!("/api/v1/sessions/{session}/files");
    let added = library.join("a.txt").display().to_string();
    for (name, text) in [("b.txt", "here"), (&*added, "there")] {
        let read = client.get(&format!("{path}/read?path={name}")).await;
        assert_eq!(read.status, 200, "{read:?}");
        assert_eq!(read.json()["content"]["text"], text);
    }
    let secret = gone.join("x").display().to_string();
    client.get(&format!("{path}/read?path={secret}")).await.is_problem(403, "forbidden");
    served.host.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn uploads_change_no_file_of_the_project() {
    let served = Served::new().await;
    let client = &served.client;
    let work = served.bed.path("work");
    let session = served.session(json!({})).await;
    let path = format!("/api/v1/sessions/{session}");
    let kept = format!("{path}/attachments?name=notes.txt");
    let headers = [("content-type", "text/plain")];
    let kept = client.send("POST", &kept, &headers, Some(b"notes".to_vec())).await;
    let digest = kept.json()["digest"].clone();
    let body = json!({"text": "look", "attachments": [{"digest": digest, "as": "path"}]});
    let prompts = format!("{path}/prompts");
    std::fs::write(work.join(".gitignore"), "mine").unwrap();
    // Links that lead to another directory of the project, or out of it.
    std::fs::create_dir(work.join(".pilothouse")).unwrap();
    for to in ["..", "../..", "/"] {
        let link = work.join(".pilothouse/uploads");
        std::os::unix::fs::symlink(to, &link).unwrap();
        client.post(&prompts, &body).await.is_problem(409, "conflict");
        std::fs::remove_file(link).unwrap();
    }
    std::fs::remove_dir(work.join(".pilothouse")).unwrap();
    std::os::unix::fs::symlink(served.bed.path("home"), work.join(".pilothouse")).unwrap();
    client.post(&prompts, &body).await.is_problem(409, "conflict");
    assert_eq!(std::fs::read_dir(served.bed.path("home")).unwrap().count(), 0);
    std::fs::remove_file(work.join(".pilothouse")).unwrap();
    assert_eq!(std::fs::read_to_string(work.join(".gitignore")).unwrap(), "mine");

    // What a person has said about uploads stays.
    let uploads = work.join(".pilothouse/uploads");
    std::fs::create_dir_all(&uploads).unwrap();
    std::fs::write(uploads.join(".gitignore"), "theirs").unwrap();
    assert_eq!(client.post(&prompts, &body).await.status, 202);
    assert_eq!(std::fs::read_to_string(uploads.join(".gitignore")).unwrap(), "theirs");
    assert_eq!(std::fs::read_dir(&uploads).unwrap().count(), 2);
    served.host.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_file_for_a_directory_that_cannot_take_it_is_refused() {
    let served = Served::new().await;
    let client = &served.client;
    let work = served.bed.path("work");
    let session = served.session(json!({})).await;
    let path = format!("/api/v1/sessions/{session}");
    let kept = format!("{path}/attachments?name=notes.txt");
    let headers = [("content-type", "text/plain")];
    let kept = client.send("POST", &kept, &headers, Some(b"notes".to_vec())).await;
    let digest = kept.json()["digest"].clone();
    let body = json!({"text": "look", "attachments": [{"digest": digest, "as": "path"}]});
    let refused = async || {
        let refused = client.post(&format!("{path}/prompts"), &body).await;
        let problem = refused.is_problem(409, "conflict");
        let detail = problem["detail"].as_str().unwrap().to_owned();
        assert!(detail.contains("as a block") && detail.contains("work"), "{detail}");
    };
    std::fs::remove_dir(&work).unwrap();
    refused().await;
    // Something else is in its place.
    std::fs::write(&work, "").unwrap();
    refused().await;
    let prompts = client.get(&format!("{path}/prompts")).await.json();
    assert_eq!(prompts["items"], json!([]), "nothing was said");
    served.host.close().await;
}
