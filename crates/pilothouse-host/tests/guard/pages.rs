//! The files of the browser client, behind the guard.

use bytes::Bytes;
use pilothouse_host::http::assets::{Asset, Assets, AssetsError};

use crate::bed::Bed;

const HASHED: &str = "GET /assets/entry-a1b2.js";

async fn bed() -> Bed {
    let file = |path: &str, text: &'static str, brotli: Option<&'static str>| {
        Asset::new(path, Bytes::from_static(text.as_bytes()), brotli.map(Bytes::from))
    };
    let assets = Assets::new([
        file("index.html", "<!doctype html>", None),
        file("assets/entry-a1b2.js", "let a;", Some("(compressed)")),
        file("icon.svg", "<svg/>", None),
    ]);
    Bed::paged(assets.unwrap().pages()).await
}

#[tokio::test]
async fn places_within_the_client_get_its_page() {
    let bed = bed().await;
    for path in ["/", "/index.html", "/login", "/s/0199/raw", "/settings/policies"] {
        let reply = bed.ask(&format!("GET {path}"), &[], "").await;
        assert_eq!((reply.status, &*reply.body), (200, "<!doctype html>"), "{path}");
        assert_eq!(reply.header("content-type"), Some("text/html; charset=utf-8"));
        assert_eq!(reply.header("cache-control"), Some("no-cache"));
        let policy = reply.header("content-security-policy").unwrap();
        assert!(policy.contains("script-src 'self';"), "{policy}");
        assert!(!policy.contains("unsafe"), "{policy}");
    }
}

#[tokio::test]
async fn a_file_that_is_not_there_is_not_the_page() {
    let bed = bed().await;
    for path in ["/assets/entry-0000.js", "/favicon.ico", "/s/icon.svg", "/.env"] {
        let reply = bed.ask(&format!("GET {path}"), &[], "").await;
        assert_eq!((reply.status, &*reply.problem()), (404, "not-found"), "{path}");
    }
    let reply = bed.ask("GET /api/v1/nothing", &[], "").await;
    assert_eq!(reply.problem(), "not-authenticated");
}

#[tokio::test]
async fn names_with_a_hash_are_kept_for_ever() {
    let bed = bed().await;
    let reply = bed.ask(HASHED, &[], "").await;
    assert_eq!((reply.status, &*reply.body), (200, "let a;"));
    assert_eq!(reply.header("content-type"), Some("text/javascript; charset=utf-8"));
    assert_eq!(reply.header("cache-control"), Some("public, max-age=31536000, immutable"));
    let icon = bed.ask("GET /icon.svg", &[], "").await;
    assert_eq!(icon.header("cache-control"), Some("no-cache"));
}

#[tokio::test]
async fn what_was_compressed_is_sent_to_those_who_can_read_it() {
    let bed = bed().await;
    for (accepts, brotli) in [
        ("gzip, br", true),
        ("BR;q=0.5", true),
        ("br;q=0", false),
        ("br;q=0.0, gzip", false),
        ("gzip, brr", false),
    ] {
        let reply = bed.ask(HASHED, &[&format!("Accept-Encoding: {accepts}")], "").await;
        assert_eq!(reply.header("content-encoding") == Some("br"), brotli, "{accepts}");
        assert_eq!(reply.body == "(compressed)", brotli, "{accepts}");
        assert_eq!(reply.header("vary"), Some("Accept-Encoding"));
    }
}

#[tokio::test]
async fn what_is_known_is_not_sent_again() {
    let bed = bed().await;
    let first = bed.ask("GET /", &[], "").await;
    let tag = first.header("etag").unwrap();
    for known in [tag.to_owned(), format!("\"else\", W/{tag}")] {
        let reply = bed.ask("GET /", &[&format!("If-None-Match: {known}")], "").await;
        assert_eq!((reply.status, &*reply.body), (304, ""));
        assert_eq!(reply.header("etag"), Some(tag));
    }
    let other = bed.ask("GET /", &["If-None-Match: \"else\""], "").await;
    assert_eq!(other.status, 200);
    // Compressed bytes are other bytes.
    let plain = bed.ask(HASHED, &[], "").await;
    let brotli = bed.ask(HASHED, &["Accept-Encoding: br"], "").await;
    assert_ne!(plain.header("etag"), brotli.header("etag"));
    let head = bed.ask("HEAD /", &[], "").await;
    assert_eq!((head.status, &*head.body), (200, ""));
}

#[tokio::test]
async fn a_directory_is_served_as_it_is() {
    let dir = tempfile::tempdir().unwrap();
    let missing = Assets::read(&dir.path().join("dist"));
    assert!(matches!(missing, Err(AssetsError::Unreadable { .. })), "{missing:?}");
    assert!(matches!(Assets::read(dir.path()), Err(AssetsError::NoPage)));
    std::fs::create_dir(dir.path().join("assets")).unwrap();
    for (name, text) in [
        ("index.html", "page"),
        ("assets/entry-a1b2.js", "plain"),
        ("assets/entry-a1b2.js.br", "br"),
    ] {
        std::fs::write(dir.path().join(name), text).unwrap();
    }
    let bed = Bed::paged(Assets::read(dir.path()).unwrap().pages()).await;
    assert_eq!(bed.ask("GET /somewhere", &[], "").await.body, "page");
    assert_eq!(bed.ask(HASHED, &[], "").await.body, "plain");
    assert_eq!(bed.ask(HASHED, &["Accept-Encoding: br"], "").await.body, "br");
    assert_eq!(bed.ask("GET /assets/entry-a1b2.js.br", &[], "").await.status, 404);
}
