//! The pages of the browser client: files that are served as they are, to everybody.
//!
//! - A file under `/assets/` has its contents' hash in its name, and may be kept for ever; any other
//!   is asked for again each time, with its tag.
//! - An address without a file is a place within the client, and gets its page; one that looks like a
//!   file is not found.
//! - What was compressed beforehand is sent so to those who can read it.
//!
//! The headers that keep a page from loading anything else are the guard's.

use std::collections::HashMap;
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use axum::Router;
use axum::body::Body;
use axum::extract::{Request, State};
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use bytes::Bytes;
use sha2::{Digest, Sha256};

use super::problem::Problem;

/// The page.
const INDEX: &str = "index.html";
/// Names in here have a hash in them.
const HASHED: &str = "assets/";
const FOR_EVER: &str = "public, max-age=31536000, immutable";

/// A file of the client.
#[derive(Clone, Debug)]
pub struct Asset {
    path: String,
    plain: Encoded,
    brotli: Option<Encoded>,
}

/// Bytes as they are sent, with a tag that no others have.
#[derive(Clone, Debug)]
struct Encoded {
    bytes: Bytes,
    tag: HeaderValue,
}

impl Encoded {
    fn new(bytes: Bytes) -> Self {
        let mut tag = String::from("\"");
        for byte in Sha256::digest(&bytes).iter().take(12) {
            let _ = write!(tag, "{byte:02x}");
        }
        tag.push('"');
        // Hexadecimal digits in quotes are a header.
        let tag = HeaderValue::from_str(&tag).unwrap_or(HeaderValue::from_static("\"\""));
        Self { bytes, tag }
    }
}

impl Asset {
    /// `path` is relative, with slashes; `brotli` are the same bytes compressed.
    pub fn new(path: impl Into<String>, bytes: Bytes, brotli: Option<Bytes>) -> Self {
        let brotli = brotli.map(Encoded::new);
        Self { path: path.into(), plain: Encoded::new(bytes), brotli }
    }

    fn answer(&self, headers: &HeaderMap) -> Response {
        let compressed = self.brotli.as_ref().filter(|_| takes_brotli(headers));
        let sent = compressed.unwrap_or(&self.plain);
        let seen = headers.get(header::IF_NONE_MATCH).and_then(|tags| tags.to_str().ok());
        let tag = sent.tag.to_str().unwrap_or_default();
        let is_known = seen.is_some_and(|tags| {
            tags.split(',').any(|seen| seen.trim().trim_start_matches("W/") == tag)
        });
        let mut response = match is_known {
            true => StatusCode::NOT_MODIFIED.into_response(),
            false => Body::from(sent.bytes.clone()).into_response(),
        };
        let answer = response.headers_mut();
        answer.insert(header::ETAG, sent.tag.clone());
        answer.insert(header::CONTENT_TYPE, HeaderValue::from_static(media_type(&self.path)));
        if self.brotli.is_some() {
            answer.insert(header::VARY, HeaderValue::from_static("Accept-Encoding"));
        }
        if compressed.is_some() {
            answer.insert(header::CONTENT_ENCODING, HeaderValue::from_static("br"));
        }
        if self.path.starts_with(HASHED) {
            answer.insert(header::CACHE_CONTROL, HeaderValue::from_static(FOR_EVER));
        }
        response
    }
}

/// Whether a browser says that it can read Brotli.
fn takes_brotli(headers: &HeaderMap) -> bool {
    let accepted = headers.get_all(header::ACCEPT_ENCODING).iter();
    accepted.filter_map(|value| value.to_str().ok()).flat_map(|value| value.split(',')).any(
        |coding| {
            let (name, terms) = coding.split_once(';').unwrap_or((coding, ""));
            let refused =
                matches!(terms.trim().strip_prefix("q="), Some(q) if q.parse() == Ok(0.0_f32));
            name.trim().eq_ignore_ascii_case("br") && !refused
        },
    )
}

fn media_type(path: &str) -> &'static str {
    let extension = Path::new(path).extension().and_then(|extension| extension.to_str());
    match extension.unwrap_or_default() {
        "html" => "text/html; charset=utf-8",
        "js" | "mjs" => "text/javascript; charset=utf-8",
        "css" => "text/css; charset=utf-8",
        "json" | "map" => "application/json",
        "webmanifest" => "application/manifest+json",
        "svg" => "image/svg+xml",
        "png" => "image/png",
        "ico" => "image/x-icon",
        "woff2" => "font/woff2",
        "txt" => "text/plain; charset=utf-8",
        _ => "application/octet-stream",
    }
}

/// The files of the client cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum AssetsError {
    /// One cannot be read.
    #[error("cannot read {path}: {source}; build the client with `npm run build` in web/")]
    Unreadable {
        /// Which.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// There is no page among them.
    #[error(
        "there is no index.html among the client's files; build it with `npm run build` in web/"
    )]
    NoPage,
}

/// All files of the client.
#[derive(Clone, Debug)]
pub struct Assets {
    page: Arc<Asset>,
    files: Arc<HashMap<String, Asset>>,
}

impl Assets {
    /// These files. One of them must be `index.html`.
    pub fn new(files: impl IntoIterator<Item = Asset>) -> Result<Self, AssetsError> {
        let mut files: HashMap<_, _> =
            files.into_iter().map(|file| (file.path.clone(), file)).collect();
        let page = files.remove(INDEX).ok_or(AssetsError::NoPage)?;
        Ok(Self { page: Arc::new(page), files: Arc::new(files) })
    }

    /// All files of a directory, as they are now. `NAME.br` is `NAME` compressed.
    pub fn read(directory: &Path) -> Result<Self, AssetsError> {
        let mut found = HashMap::new();
        read_into(&mut found, directory, "")?;
        let plain: Vec<String> =
            found.keys().filter(|name| !name.ends_with(".br")).cloned().collect();
        Self::new(plain.into_iter().filter_map(|name| {
            let brotli = found.remove(&format!("{name}.br"));
            found.remove(&name).map(|bytes| Asset::new(name, bytes, brotli))
        }))
    }

    /// What serves them, for [`crate::daemon::DaemonOptions::pages`].
    pub fn pages(&self) -> Router {
        Router::new().fallback(serve).with_state(self.clone())
    }

    fn find(&self, path: &str) -> Option<&Asset> {
        let name = path.trim_start_matches('/');
        if let Some(file) = self.files.get(name) {
            return Some(file);
        }
        let last = name.rsplit('/').next().unwrap_or_default();
        let is_place = name == INDEX || !last.contains('.');
        is_place.then_some(&*self.page)
    }
}

async fn serve(State(assets): State<Assets>, request: Request) -> Response {
    match assets.find(request.uri().path()) {
        Some(asset) => asset.answer(request.headers()),
        None => {
            let detail =
                "the client has no such file: reload the page, it may be of another version";
            Problem::not_found(detail).into_response()
        }
    }
}

fn read_into(
    found: &mut HashMap<String, Bytes>,
    directory: &Path,
    prefix: &str,
) -> Result<(), AssetsError> {
    let unreadable = |source| AssetsError::Unreadable { path: directory.to_owned(), source };
    for entry in std::fs::read_dir(directory).map_err(unreadable)? {
        let path = entry.map_err(unreadable)?.path();
        let Some(name) = path.file_name().and_then(|name| name.to_str()) else { continue };
        let name = format!("{prefix}{name}");
        if path.is_dir() {
            read_into(found, &path, &format!("{name}/"))?;
            continue;
        }
        let bytes = std::fs::read(&path);
        let bytes = bytes.map_err(|source| AssetsError::Unreadable { path, source })?;
        found.insert(name, bytes.into());
    }
    Ok(())
}
