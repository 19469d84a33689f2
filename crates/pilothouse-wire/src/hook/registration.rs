//! How a host says at initialisation which hooks it wants.

use crate::raw::Num;

object! {
    /// Which firings of an event reach which callbacks. `initialize` carries a list for each event.
    #[derive(Default)]
    pub struct HookMatcher {
        /// A pattern over tool names, or over the event's own key (source, trigger …) where no tool
        /// is involved. Absent matches everything.
        matcher: Option<String>,
        /// The callbacks, by ids the host has chosen; each is asked on its own. The CLI insists on
        /// the field, so name at least one.
        hook_callback_ids as "hookCallbackIds": Vec<String>,
        /// How long to wait for an answer, in seconds.
        timeout: Option<Num>,
        /// What a failing callback means. Only to be set where the CLI has said that it supports
        /// it.
        on_failure as "onFailure": Option<OnFailure>,
    }
}

words! {
    /// What a failing or late callback means.
    pub enum OnFailure {
        /// The failure is reported and the action proceeds.
        Continue = "continue",
        /// The action is blocked; see
        /// [`HookEvent::can_block_on_failure`](crate::hook::HookEvent::can_block_on_failure).
        Block = "block",
    }
}

impl HookMatcher {
    /// One callback for every firing.
    pub fn all(callback_id: impl Into<String>) -> Self {
        Self { hook_callback_ids: vec![callback_id.into()], ..Self::default() }
    }

    /// One callback for the firings that `matcher` fits, such as `Edit|Write`.
    pub fn matching(matcher: impl Into<String>, callback_id: impl Into<String>) -> Self {
        Self { matcher: Some(matcher.into()), ..Self::all(callback_id) }
    }
}
