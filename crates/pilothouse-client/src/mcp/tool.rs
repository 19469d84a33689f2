//! A tool with a typed input.

use std::borrow::Cow;
use std::fmt;
use std::future::ready;
use std::sync::Arc;

use futures_util::future::{BoxFuture, FutureExt};
use rmcp::RoleServer;
use rmcp::handler::server::tool::schema_for_input;
use rmcp::model::{JsonObject, MetaObject, ProgressNotificationParam, ToolAnnotations};
use rmcp::schemars::JsonSchema;
use rmcp::service::{Peer, RequestContext};
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::{PermissionPolicy, ToolError, ToolReply};

type Run =
    dyn Fn(JsonObject, ToolCall) -> BoxFuture<'static, Result<ToolReply, ToolError>> + Send + Sync;

/// A tool: its name, what the model reads about it, and what it does.
///
/// The schema of its input comes from the input type; the doc comments of the fields become their
/// descriptions. Arguments that do not fit the type never reach the tool: the model is told what is
/// wrong with them.
#[derive(Clone)]
pub struct Tool {
    pub(super) listing: rmcp::model::Tool,
    /// Why the input type will not do.
    pub(super) flaw: Option<String>,
    pub(super) policy: Option<PermissionPolicy>,
    run: Arc<Run>,
}

impl Tool {
    /// A tool that runs `handler`. When the CLI withdraws a call, the future is dropped at the
    /// `await` where it stands.
    pub fn new<I, F, R>(name: impl Into<String>, description: impl Into<String>, handler: F) -> Self
    where
        I: DeserializeOwned + JsonSchema + 'static,
        F: Fn(I) -> R + Send + Sync + 'static,
        R: Future<Output = Result<ToolReply, ToolError>> + Send + 'static,
    {
        Self::with_call(name, description, move |input, _| handler(input))
    }

    /// As [`Tool::new`], for a handler that also wants the [`ToolCall`]: to report progress, or to
    /// talk to the client.
    pub fn with_call<I, F, R>(
        name: impl Into<String>,
        description: impl Into<String>,
        handler: F,
    ) -> Self
    where
        I: DeserializeOwned + JsonSchema + 'static,
        F: Fn(I, ToolCall) -> R + Send + Sync + 'static,
        R: Future<Output = Result<ToolReply, ToolError>> + Send + 'static,
    {
        let name = name.into();
        let (schema, flaw) = match schema_for_input::<I>() {
            Ok(schema) => (schema, None),
            Err(flaw) => (Arc::default(), Some(flaw)),
        };
        let listing = rmcp::model::Tool::new(name.clone(), description.into(), schema);
        let run = move |arguments: JsonObject, call: ToolCall| match serde_json::from_value::<I>(
            Value::Object(arguments),
        ) {
            Ok(input) => handler(input, call).boxed(),
            Err(error) => {
                let text = format!("the arguments of `{name}` do not fit its schema: {error}");
                ready(Err(ToolError::new(text))).boxed()
            }
        };
        Self { listing, flaw, policy: None, run: Arc::new(run) }
    }

    /// The name.
    pub fn name(&self) -> &str {
        &self.listing.name
    }

    /// A name for people.
    pub fn title(mut self, title: impl Into<String>) -> Self {
        self.listing.title = Some(title.into());
        self
    }

    /// Hints that it changes nothing. The CLI may then run it beside other tools.
    pub fn read_only(self) -> Self {
        self.hint(|hints| hints.read_only(true))
    }

    /// Hints that it may destroy something.
    pub fn destructive(self) -> Self {
        self.hint(|hints| hints.destructive(true))
    }

    /// Hints that calling it twice does no more than calling it once.
    pub fn idempotent(self) -> Self {
        self.hint(|hints| hints.idempotent(true))
    }

    /// Hints that it deals with the world outside, as a web search does.
    pub fn open_world(self) -> Self {
        self.hint(|hints| hints.open_world(true))
    }

    /// Sets all hints at once.
    pub fn annotations(mut self, annotations: ToolAnnotations) -> Self {
        self.listing.annotations = Some(annotations);
        self
    }

    /// Sets a key of the tool's `_meta`. The CLI knows `anthropic/alwaysLoad` (`true`: offered to
    /// the model without a tool search), `anthropic/searchHint` and others.
    pub fn meta(mut self, key: impl Into<String>, value: impl Into<Value>) -> Self {
        let meta = self.listing.meta.get_or_insert_with(MetaObject::new);
        meta.0.insert(key.into(), value.into());
        self
    }

    /// What the CLI does when the model calls the tool.
    pub fn permission(mut self, policy: PermissionPolicy) -> Self {
        self.policy = Some(policy);
        self
    }

    pub(super) fn run(
        &self,
        arguments: JsonObject,
        call: ToolCall,
    ) -> BoxFuture<'static, Result<ToolReply, ToolError>> {
        (self.run)(arguments, call)
    }

    fn hint(self, set: impl FnOnce(ToolAnnotations) -> ToolAnnotations) -> Self {
        let hints = self.listing.annotations.clone().unwrap_or_default();
        self.annotations(set(hints))
    }
}

impl fmt::Debug for Tool {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Tool")
            .field("listing", &self.listing)
            .field("policy", &self.policy)
            .finish_non_exhaustive()
    }
}

/// One call of a tool, seen from inside.
#[derive(Debug, Clone)]
pub struct ToolCall(pub(super) RequestContext<RoleServer>);

impl ToolCall {
    /// Tells the client how far the work has come, if it asked for that. `progress` should grow;
    /// `total` is what it grows to, where known.
    pub async fn progress(
        &self,
        progress: f64,
        total: Option<f64>,
        message: impl Into<Cow<'static, str>>,
    ) {
        let Some(token) = self.0.meta.get_progress_token() else {
            return;
        };
        let mut report = ProgressNotificationParam::new(token, progress)
            .with_message(message.into().into_owned());
        report.total = total;
        // Nobody listens any more: the call is about to be cancelled.
        let _ = self.0.peer.notify_progress(report).await;
    }

    /// The id of the model's tool call, where the CLI says it.
    pub fn tool_use_id(&self) -> Option<&str> {
        self.0.meta.0.0.get("claudecode/toolUseId")?.as_str()
    }

    /// The client, for notifications and requests of any kind. The CLI offers in-process servers
    /// neither sampling, roots nor elicitation (up to 2.1.325): it refuses such requests.
    pub fn peer(&self) -> &Peer<RoleServer> {
        &self.0.peer
    }

    /// All that `rmcp` knows about the call.
    pub fn context(&self) -> &RequestContext<RoleServer> {
        &self.0
    }
}
