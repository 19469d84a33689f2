//! Requests for what the terminal's own dialogs show: status, memories, skills, sandbox, diff and
//! export. Nobody declares their replies, so all of a reply is optional and nothing of it is lost.

use crate::field::Nullable;
use crate::raw::Raw;

object! {
    /// What `/status` shows.
    #[derive(Default)]
    pub struct GetStatus {}
}

object! {
    /// What `/status` shows.
    #[derive(Default)]
    pub struct StatusReport {
        /// Its parts.
        sections: Vec<StatusSection>,
    }
}

object! {
    /// A part of the status.
    #[derive(Default)]
    pub struct StatusSection {
        /// Its title.
        title: Option<String>,
        /// Its lines.
        rows: Vec<StatusRow>,
    }
}

object! {
    /// A line of the status.
    #[derive(Default)]
    pub struct StatusRow {
        /// What it tells.
        label: Option<String>,
        /// What it says.
        value: Option<String>,
    }
}

object! {
    /// What `/memory` shows.
    #[derive(Default)]
    pub struct GetMemoryDialog {}
}

object! {
    /// What `/memory` shows.
    #[derive(Default)]
    pub struct MemoryDialog {
        /// Files of instructions.
        files: Vec<MemoryPlace>,
        /// Directories of memories.
        folders: Vec<MemoryPlace>,
        /// Memories.
        memories: Option<Vec<Raw>>,
        /// Whether the CLI remembers by itself.
        auto_memory: Option<MemorySwitch>,
        /// Whether the CLI tidies its memories up by itself.
        auto_dream: Option<MemorySwitch>,
    }
}

object! {
    /// Where something is remembered.
    #[derive(Default)]
    pub struct MemoryPlace {
        /// `user`, `project`, `auto` …
        kind: Option<String>,
        /// The file or directory.
        path: Option<String>,
        /// For people.
        label: Option<String>,
        /// For people.
        description: Option<String>,
        /// Whether it is there.
        exists: Option<bool>,
    }
}

object! {
    /// Something about memories that is on or off.
    #[derive(Default)]
    pub struct MemorySwitch {
        /// Whether the dialog has it.
        shown: Option<bool>,
        /// Whether it is on.
        enabled: Option<bool>,
        /// Whether the user can change that.
        toggleable: Option<bool>,
        /// `on`, `off`.
        status: Option<String>,
        /// For people.
        detail: Option<String>,
    }
}

object! {
    /// What `/skills` shows.
    #[derive(Default)]
    pub struct GetSkillsDialog {}
}

object! {
    /// What `/skills` shows.
    #[derive(Default)]
    pub struct SkillsDialog {
        /// The skills.
        skills: Option<Vec<Raw>>,
    }
}

object! {
    /// What `/sandbox` shows.
    #[derive(Default)]
    pub struct GetSandboxDialog {}
}

object! {
    /// What `/sandbox` shows.
    #[derive(Default)]
    pub struct SandboxDialog {
        /// Whether this machine can have one.
        supported: Option<bool>,
        /// The user cannot change it.
        locked: Option<bool>,
        /// The user cannot change what may run outside.
        overrides_locked: Option<bool>,
        /// Whose policies those are.
        policy_origins: Option<Vec<String>>,
        /// Whether it is on.
        enabled: Option<bool>,
        /// Whether the settings say so.
        enabled_in_settings: Option<bool>,
        /// Such as `disabled`.
        mode: Option<String>,
        /// What runs in it can be allowed without asking.
        auto_allow_available: Option<bool>,
        /// It can be switched off.
        no_sandbox_allowed: Option<bool>,
        /// What does not work in it may run outside.
        unsandboxed_fallback: Option<bool>,
        /// What is missing on this machine.
        dependencies: Option<SandboxDependencies>,
        /// What runs outside.
        excluded_commands: Option<Vec<String>>,
        /// Files and addresses that are allowed or not.
        restrictions: Option<Raw>,
    }
}

object! {
    /// What a sandbox lacks on this machine.
    #[derive(Default)]
    pub struct SandboxDependencies {
        /// Without this there is none.
        errors: Option<Vec<String>>,
        /// Without this it is weaker.
        warnings: Option<Vec<String>>,
    }
}

object! {
    /// The conversation as text.
    #[derive(Default)]
    pub struct ExportConversation {}
}

object! {
    /// The conversation as text.
    #[derive(Default)]
    pub struct ExportedConversation {
        /// The text, as the terminal would show it.
        text: Option<String>,
        /// What to call the file.
        default_filename: Option<String>,
    }
}

object! {
    /// What has changed in the checkout.
    #[derive(Default)]
    pub struct GetWorkspaceDiff {}
}

object! {
    /// What has changed in the checkout.
    #[derive(Default)]
    pub struct WorkspaceDiff {
        /// The changes; null where there are none to show.
        diff: Nullable<Raw>,
        /// Why there are none, such as `no-repository`.
        no_diff_reason as "noDiffReason": Option<String>,
    }
}
