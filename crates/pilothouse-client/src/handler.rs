//! What a program does when the CLI asks.
//!
//! Every request runs in a task of its own: a person may take an hour over one while others go on.
//! When the CLI withdraws a request, its future is dropped.

use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;

use pilothouse_wire::Raw;
use pilothouse_wire::control::cli::{
    DialogResult, Elicitation, ElicitationResult, HostAuthTokenRefresh, OauthTokenRefresh,
    UserDialog,
};
use pilothouse_wire::hook::{HookEvent, HookInput, HookOutput};
use pilothouse_wire::permission::{CanUseTool, PermissionResult};

type BoxFuture<T> = Pin<Box<dyn Future<Output = T> + Send>>;
type Handler<In, Out> = Arc<dyn Fn(In) -> BoxFuture<Out> + Send + Sync>;

fn boxed<In, Out, F, Fut>(handler: F) -> Handler<In, Out>
where
    F: Fn(In) -> Fut + Send + Sync + 'static,
    Fut: Future<Output = Out> + Send + 'static,
{
    Arc::new(move |input| Box::pin(handler(input)))
}

/// A hook of the program's.
#[derive(Clone)]
pub struct Hook {
    pub(crate) event: HookEvent,
    pub(crate) matcher: Option<String>,
    pub(crate) timeout_seconds: Option<u64>,
    pub(crate) must_work: bool,
    pub(crate) handler: Handler<HookCall, Result<HookOutput, String>>,
}

/// A hook that fires.
#[derive(Clone, Debug)]
pub struct HookCall {
    /// What happened.
    pub input: HookInput,
    /// The tool call it is about.
    pub tool_use_id: Option<String>,
}

impl Hook {
    /// Calls `handler` on every `event`.
    pub fn on<F, Fut>(event: HookEvent, handler: F) -> Self
    where
        F: Fn(HookCall) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = Result<HookOutput, String>> + Send + 'static,
    {
        let handler = boxed(handler);
        Self { event, matcher: None, timeout_seconds: None, must_work: false, handler }
    }

    /// Only where the tool (or the event's own key) matches, such as `Edit|Write`.
    #[must_use]
    pub fn matching(mut self, matcher: impl Into<String>) -> Self {
        self.matcher = Some(matcher.into());
        self
    }

    /// The CLI gives up on it after so long.
    #[must_use]
    pub fn timeout_seconds(mut self, seconds: u64) -> Self {
        self.timeout_seconds = Some(seconds);
        self
    }

    /// If it fails, what it watches is blocked instead of going ahead.
    #[must_use]
    pub fn must_work(mut self) -> Self {
        self.must_work = true;
        self
    }
}

impl fmt::Debug for Hook {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Hook").field("event", &self.event).field("matcher", &self.matcher).finish()
    }
}

/// All that a program wants to be asked.
#[derive(Clone, Default)]
pub(crate) struct Handlers {
    pub(crate) permission: Option<Handler<CanUseTool, PermissionResult>>,
    pub(crate) elicitation: Option<Handler<Elicitation, ElicitationResult>>,
    pub(crate) dialog: Option<Handler<UserDialog, DialogResult>>,
    pub(crate) token: Option<Handler<TokenRequest, Result<Raw, String>>>,
    pub(crate) hooks: Vec<Hook>,
}

/// The CLI wants a fresh token.
#[derive(Clone, Debug)]
pub enum TokenRequest {
    /// Announced by [`Invocation::oauth_refresh`](pilothouse_wire::invocation::Invocation).
    Oauth(OauthTokenRefresh),
    /// Announced by [`Invocation::host_auth_refresh`](pilothouse_wire::invocation::Invocation).
    HostAuth(HostAuthTokenRefresh),
}

impl Handlers {
    pub(crate) fn on_permission<F, Fut>(&mut self, handler: F)
    where
        F: Fn(CanUseTool) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = PermissionResult> + Send + 'static,
    {
        self.permission = Some(boxed(handler));
    }

    pub(crate) fn on_elicitation<F, Fut>(&mut self, handler: F)
    where
        F: Fn(Elicitation) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = ElicitationResult> + Send + 'static,
    {
        self.elicitation = Some(boxed(handler));
    }

    pub(crate) fn on_dialog<F, Fut>(&mut self, handler: F)
    where
        F: Fn(UserDialog) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = DialogResult> + Send + 'static,
    {
        self.dialog = Some(boxed(handler));
    }

    pub(crate) fn on_token<F, Fut>(&mut self, handler: F)
    where
        F: Fn(TokenRequest) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = Result<Raw, String>> + Send + 'static,
    {
        self.token = Some(boxed(handler));
    }
}

impl fmt::Debug for Handlers {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Handlers")
            .field("permission", &self.permission.is_some())
            .field("elicitation", &self.elicitation.is_some())
            .field("dialog", &self.dialog.is_some())
            .field("token", &self.token.is_some())
            .field("hooks", &self.hooks)
            .finish()
    }
}
