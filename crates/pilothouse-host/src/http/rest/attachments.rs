//! Images and files that were uploaded to a session.

use axum::http::{HeaderValue, header};
use axum::response::IntoResponse;
use schemars::JsonSchema;
use serde::Deserialize;

use super::call::Call;
use super::fields::{OfAttachment, OfSession};
use super::limit;
use crate::files::media::media_type;
use crate::http::extract::ApiBytes;
use crate::http::openapi::{Got, Made, NoBody, Nothing, Octets};
use crate::http::problem::{Fault, Problem};
use crate::store::{AttachmentRow, Digest, Page};

/// The longest name of a file, in characters.
const NAME: usize = 255;

/// What an uploaded file is called.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Named {
    /// Its name, without a directory.
    #[serde(default)]
    name: Option<String>,
}

pub(super) async fn put(
    call: Call<OfSession, Named, ApiBytes>,
) -> Result<Made<AttachmentRow>, Problem> {
    let session = call.path.session;
    let said = call.header(header::CONTENT_TYPE)?.unwrap_or_default();
    let media_type = media_type(said, &call.body.0)
        .map_err(|error| Problem::invalid(Fault::header("content-type", error.to_string())))?;
    let name = call.query.name.filter(|name| !name.is_empty());
    if let Some(name) = &name {
        let is_odd = name.contains(['/', '\\', '\0']) || name.chars().count() > NAME;
        if is_odd {
            let detail = format!("a name has at most {NAME} characters, and no slashes");
            return Err(Problem::invalid(Fault::query("name", detail)));
        }
    }
    if call.body.0.is_empty() {
        return Err(Problem::invalid(Fault::body("", "the file is empty")));
    }
    let host = &call.api.host;
    host.session(session).await?;
    let wanted = Digest::of(&call.body.0);
    let before = host.read(move |store| store.attachments(session)).await?;
    let is_new = !before.iter().any(|row| row.digest == wanted);
    let it = host.store().attach(session, media_type, name.as_deref(), call.body.0).await?;
    let location = format!("/api/v1/sessions/{session}/attachments/{}", it.digest);
    Ok(Made { is_new, location, it })
}

/// A part of the list.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct ListAttachments {
    /// `next` of the page before.
    #[serde(default)]
    after: Option<u32>,
    /// How many.
    #[serde(default)]
    #[schemars(range(min = 1, max = 500))]
    limit: Option<u32>,
}

pub(super) async fn list(
    call: Call<OfSession, ListAttachments, NoBody>,
) -> Result<Got<Page<AttachmentRow>>, Problem> {
    let session = call.path.session;
    let limit = limit::page(call.query.limit)?;
    let skip = call.query.after.unwrap_or(0) as usize;
    call.api.host.session(session).await?;
    let all = call.api.host.read(move |store| store.attachments(session)).await?;
    // They are only ever added to the end.
    let end = skip.saturating_add(limit);
    let next = (all.len() > end).then(|| end.to_string());
    Ok(Got(Page { items: all.into_iter().skip(skip).take(limit).collect(), next }))
}

pub(super) async fn get(call: Call<OfAttachment, Nothing, NoBody>) -> Result<Octets, Problem> {
    let OfAttachment { session, digest } = call.path;
    let missing = || Problem::not_found("the session has no such attachment: list them");
    let digest = Digest::parse(&digest).ok_or_else(missing)?;
    let found = call.api.host.read(move |store| store.attachment(session, digest)).await?;
    let (row, bytes) = found.ok_or_else(missing)?;
    let name = row.name.as_deref().unwrap_or("file");
    let disposition = format!("attachment; filename*=UTF-8''{}", percent(name));
    let mut response = bytes.into_response();
    let headers = response.headers_mut();
    let value = |text: &str| HeaderValue::try_from(text).ok();
    let wanted = [
        (header::CONTENT_TYPE, value(&row.media_type)),
        (header::CONTENT_DISPOSITION, value(&disposition)),
        (header::X_CONTENT_TYPE_OPTIONS, value("nosniff")),
        (header::CONTENT_SECURITY_POLICY, value("sandbox; default-src 'none'")),
    ];
    for (name, value) in wanted {
        if let Some(value) = value {
            headers.insert(name, value);
        }
    }
    Ok(Octets(response))
}

fn percent(name: &str) -> String {
    let mut text = String::new();
    for byte in name.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'_' | b'.' => text.push(byte.into()),
            byte => text.push_str(&format!("%{byte:02X}")),
        }
    }
    text
}
