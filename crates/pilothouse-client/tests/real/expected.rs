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
                    CliVersion::V2_1_325 => Self { $( $field: $v2_1_325, )* },
                    CliVersion::V2_1_62 => Self { $( $field: $v2_1_62, )* },
                    CliVersion::V2_1_7 => Self { $( $field: $v2_1_7, )* },
                }
            }
        }
    };
}

// In the order 2.1.325, 2.1.62, 2.1.7.
table! {
    /// The `initialize` reply names the version.
    version_in_initialize: bool = [true, false, false],
    /// Prompts that wait together become one turn.
    queued_prompts_join: bool = [true, false, false],
    /// A rule in the project's settings counts at once: newer CLIs want the project trusted first.
    project_rule_counts: bool = [false, true, true],
    /// A change of mode that comes with a permission is announced.
    mode_change_announced: bool = [true, true, false],
    /// A hook can be told to block when it fails.
    failing_hook_blocks: bool = [true, false, false],
    /// An interrupt is answered with what is left in the queue.
    interrupt_receipt: bool = [true, false, false],
}
