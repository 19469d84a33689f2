//! `system` messages about hooks of every kind: settings, plugins and the host's own.

use crate::raw::Num;

object! {
    /// A hook began.
    #[derive(Default)]
    pub struct HookStarted {
        /// Names this firing.
        hook_id: Option<String>,
        /// The hook.
        hook_name: Option<String>,
        /// The event.
        hook_event: Option<String>,
        /// Names this frame.
        uuid: Option<String>,
        /// The session.
        session_id: Option<String>,
    }
}

object! {
    /// A hook wrote something.
    #[derive(Default)]
    pub struct HookProgress {
        /// Names this firing.
        hook_id: Option<String>,
        /// The hook.
        hook_name: Option<String>,
        /// The event.
        hook_event: Option<String>,
        /// Standard output.
        stdout: Option<String>,
        /// Standard error.
        stderr: Option<String>,
        /// Standard output and error together.
        output: Option<String>,
        /// The session.
        session_id: Option<String>,
        /// Names this frame.
        uuid: Option<String>,
    }
}

object! {
    /// A hook ended.
    #[derive(Default)]
    pub struct HookResponse {
        /// Names this firing.
        hook_id: Option<String>,
        /// The hook.
        hook_name: Option<String>,
        /// The event.
        hook_event: Option<String>,
        /// Standard output and error together.
        output: Option<String>,
        /// Standard output.
        stdout: Option<String>,
        /// Standard error.
        stderr: Option<String>,
        /// Exit code.
        exit_code: Option<Num>,
        /// `success`, `error`, `cancelled`.
        outcome: Option<String>,
        /// Names this frame.
        uuid: Option<String>,
        /// The session.
        session_id: Option<String>,
    }
}
