//! Where the versions differ.

use testkit::cli::CliVersion;

macro_rules! table {
    ($( $(#[$meta:meta])* $field:ident: $type:ty = [$v2_1_325:expr, $v2_1_62:expr, $v2_1_7:expr $(,)?] ),* $(,)?) => {
        /// What one version does.
        pub(crate) struct Expected {
            $( $(#[$meta])* pub(crate) $field: $type, )*
        }

        impl Expected {
            pub(crate) fn of(version: CliVersion) -> Self {
                match version {
                    CliVersion::V2_1_326 | CliVersion::V2_1_325 => Self { $( $field: $v2_1_325, )* },
                    CliVersion::V2_1_62 => Self { $( $field: $v2_1_62, )* },
                    CliVersion::V2_1_7 => Self { $( $field: $v2_1_7, )* },
                }
            }
        }
    };
}

/// How a CLI takes a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Support {
    /// With an answer.
    Answered,
    /// With an error that says it does not know such requests.
    Refused,
    /// Not at all.
    Ignored,
}

use Support::{Answered, Ignored, Refused};

// In the order 2.1.325, 2.1.62, 2.1.7.
table! {
    /// The `initialize` reply names the version.
    version_in_initialize: bool = [true, false, false],
    /// Prompts that wait together become one turn.
    queued_prompts_join: bool = [true, false, false],
    /// A rule in the project's settings counts: newer CLIs want the project trusted first.
    project_rule_counts: bool = [false, true, true],
    /// A change of mode that comes with a permission is announced.
    mode_change_announced: bool = [true, true, false],
    /// A hook that says "ask" about a tool which needs no permission gets its way.
    hook_ask_is_heeded: bool = [true, false, false],
    /// A hook can be told to block when it fails.
    failing_hook_blocks: bool = [true, false, false],
    /// An interrupt is answered with what is left in the queue.
    interrupt_receipt: bool = [true, false, false],
    /// An interrupt can cancel what is left in the queue.
    interrupt_cancels_queue: bool = [true, false, false],
    /// A prompt for now cuts the current answer short.
    steers: bool = [true, false, false],
    /// A failed call of the API that is tried again is announced.
    retry_announced: bool = [true, false, false],
    /// Modes that do not exist are refused.
    modes_are_checked: bool = [true, false, false],
    /// A prompt that a hook blocks has a result that says why.
    blocked_prompt_told: bool = [true, false, false],
    /// The result of a failed call of the API has its HTTP status.
    api_status_told: bool = [true, false, false],
    /// Without a word about it the model thinks.
    thinks_by_default: bool = [true, true, false],
    /// The model when none is chosen.
    default_model: &'static str =
        ["claude-opus-5-5", "claude-sonnet-4-6", "claude-sonnet-4-5-20250929"],
    /// The effort is told to the default model.
    effort_reaches_model: bool = [true, false, false],
    /// A task that was stopped is told of although no turn runs.
    stopped_task_announced: bool = [true, false, false],
    /// How it exits when it is stopped with a command in the background: 143 after SIGTERM.
    exit_with_background_work: i32 = [0, 143, 0],
    /// MCP servers can ask the user.
    elicits: bool = [true, false, false],
    /// The tools of an MCP server that is switched off are gone.
    switched_off_server_is_gone: bool = [true, false, false],
    /// Of the flags that the tests try, those which it does not know.
    unknown_flags: &'static [&'static str] =
        [&[], &["--include-hook-events"], &["--effort", "--include-hook-events"]],
    /// `cancel_async_message`.
    cancel_prompt: Support = [Answered, Refused, Ignored],
    /// `background_tasks`.
    background: Support = [Answered, Refused, Ignored],
    /// `stop_task`.
    stop_task: Support = [Answered, Answered, Ignored],
    /// `apply_flag_settings`.
    apply_settings: Support = [Answered, Answered, Ignored],
    /// `mcp_toggle`, `mcp_reconnect`.
    mcp_switches: Support = [Answered, Answered, Ignored],
    /// `get_context_usage`, `get_usage`, `get_plan`, `rename_session`.
    reports: Support = [Answered, Refused, Ignored],
}
