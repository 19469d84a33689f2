//! `http_request`: a page is fetched, or the web is searched.

use pilothouse_wire::Raw;
use pilothouse_wire::tool::search::{
    WebFetchInput, WebFetchOutput, WebSearchHit, WebSearchInput, WebSearchItem, WebSearchOutput,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::bound::{TEXT_LIMIT, clip, clip_list, clip_text, unset, whole};
use super::outcome::Outcome;

/// Something is asked of the web: `WebFetch`, `WebSearch`, and their like at the API.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct HttpRequest {
    /// What is done.
    pub action: WebAction,
    /// The page that is fetched.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub url: Option<String>,
    /// The HTTP method.
    pub method: String,
    /// What is searched for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub query: Option<String>,
    /// What is to be found out from the page.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub prompt: Option<String>,
    /// Only pages of these sites are looked for.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub allowed_domains: Vec<String>,
    /// Pages of these sites are not looked for.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub blocked_domains: Vec<String>,
    /// What came back, once it is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub response: Option<HttpResponse>,
    /// Why the call failed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
}

/// What is asked of the web.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum WebAction {
    /// A page.
    #[default]
    Fetch,
    /// Pages about something.
    Search,
}

/// What the web answered.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct HttpResponse {
    /// HTTP status.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub status: Option<u64>,
    /// HTTP status in words.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub status_text: Option<String>,
    /// What was found out, or what the search says.
    pub body: String,
    /// Whether something was left out here.
    #[serde(default, skip_serializing_if = "unset")]
    pub truncated: bool,
    /// Where `body` was shortened here, how many bytes it had.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub original_bytes: Option<u64>,
    /// The size of the page, in bytes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub page_bytes: Option<u64>,
    /// The pages that a search found.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub hits: Vec<WebHit>,
    /// How long it took, in milliseconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub duration_ms: Option<u64>,
}

/// A page that a search found.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct WebHit {
    /// Its title.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// Its address.
    pub url: String,
    /// A piece of it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub snippet: Option<String>,
}

impl HttpRequest {
    pub(crate) fn of_fetch(input: WebFetchInput) -> Self {
        let WebFetchInput { url, prompt, .. } = input;
        let prompt = prompt.map(clip_text);
        Self { url: Some(url), method: "GET".to_owned(), prompt, ..Self::default() }
    }

    pub(crate) fn of_search(input: WebSearchInput) -> Self {
        Self {
            action: WebAction::Search,
            query: Some(input.query),
            method: "GET".to_owned(),
            allowed_domains: input.allowed_domains,
            blocked_domains: input.blocked_domains,
            ..Self::default()
        }
    }

    pub(crate) fn complete(&mut self, outcome: &Outcome<'_>) {
        self.error = outcome.error().or_else(|| refusal(outcome.structured?));
        let structured = match self.action {
            WebAction::Fetch => outcome.typed().map(HttpResponse::of_page),
            WebAction::Search => outcome
                .typed()
                .map(HttpResponse::of_search)
                .or_else(|| outcome.typed().map(|hits| HttpResponse::of_hits(hits, String::new()))),
        };
        let words = || self.error.is_none().then(|| HttpResponse::of_text(outcome.text()));
        self.response = structured.or_else(words);
    }
}

/// What a search or fetch at the API failed with: an object in place of a list.
fn refusal(structured: &Raw) -> Option<String> {
    let code: String = structured.member("error_code")?.read()?;
    Some(code.replace('_', " "))
}

impl HttpResponse {
    fn of_page(output: WebFetchOutput) -> Self {
        Self {
            status: output.code,
            status_text: output.code_text.filter(|text| !text.is_empty()),
            page_bytes: output.bytes,
            duration_ms: whole(output.duration_ms.as_ref()),
            ..Self::of_text(output.result)
        }
    }

    fn of_search(output: WebSearchOutput) -> Self {
        let seconds = output.duration_seconds.as_ref().and_then(|seconds| seconds.as_f64());
        let (mut hits, mut texts) = (Vec::new(), Vec::new());
        for item in output.results {
            match item {
                WebSearchItem::Hits(found) => hits.extend(found.content),
                WebSearchItem::Text(text) => texts.push(text),
                WebSearchItem::Other(_) => {}
            }
        }
        let duration_ms = seconds.map(|seconds| (seconds.max(0.0) * 1000.0).round() as u64);
        Self { duration_ms, ..Self::of_hits(hits, texts.join("\n")) }
    }

    fn of_hits(hits: Vec<WebSearchHit>, body: String) -> Self {
        let hit =
            |hit: WebSearchHit| WebHit { title: hit.title, url: hit.url, snippet: hit.snippet };
        let (hits, cut) = clip_list(hits.into_iter().map(hit).collect());
        let body = clip(body, TEXT_LIMIT);
        let truncated = cut || body.bytes.is_some();
        let original_bytes = body.bytes;
        Self { body: body.text, original_bytes, truncated, hits, ..Self::default() }
    }

    /// From what the model reads. Hits of a search stand in one line of JSON.
    fn of_text(text: String) -> Self {
        let links = text.lines().find_map(|line| line.strip_prefix("Links: "));
        let hits = links.and_then(|links| Raw::from_text(links).ok()?.read());
        Self::of_hits(hits.unwrap_or_default(), text)
    }
}
