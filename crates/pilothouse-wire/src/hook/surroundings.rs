//! Events around the conversation: set-up, teammates, task list, MCP questions, files, directories.

use crate::control::cli::ElicitationAction;
use crate::raw::Raw;

event! {
    /// The CLI was run to set something up.
    pub struct Setup {
        /// What for.
        trigger: Option<SetupTrigger>,
    }
}

words! {
    /// What the CLI was run for.
    pub enum SetupTrigger {
        Init = "init",
        Maintenance = "maintenance",
    }
}

event! {
    /// A teammate has nothing to do.
    pub struct TeammateIdle {
        /// The teammate.
        teammate_name: Option<String>,
        /// Its team.
        team_name: Option<String>,
    }
}

macro_rules! listed_task {
    ($($(#[$meta:meta])* $name:ident),*) => {$(
        event! {
            $(#[$meta])*
            pub struct $name {
                /// The entry.
                task_id: String,
                /// Its headline.
                task_subject: Option<String>,
                /// What is to be done.
                task_description: Option<String>,
                /// The teammate that works on it.
                teammate_name: Option<String>,
                /// The teammate's team.
                team_name: Option<String>,
            }
        }
    )*};
}
listed_task!(
    /// An entry of the task list was made.
    TaskCreated,
    /// An entry of the task list was completed.
    TaskCompleted
);

event! {
    /// An MCP server asks the user.
    pub struct Elicitation {
        /// The server.
        mcp_server_name: String,
        /// What it asks.
        message: Option<String>,
        /// `form` or `url`.
        mode: Option<String>,
        /// The page to open.
        url: Option<String>,
        /// Names the question.
        elicitation_id: Option<String>,
        /// JSON schema of the answer.
        requested_schema: Option<Raw>,
    }
}

event! {
    /// The user answered an MCP server.
    pub struct ElicitationResult {
        /// The server.
        mcp_server_name: String,
        /// Names the question.
        elicitation_id: Option<String>,
        /// `form` or `url`.
        mode: Option<String>,
        /// What the user did.
        action: Option<ElicitationAction>,
        /// What the user entered.
        content: Option<Raw>,
    }
}

event! {
    /// A settings file changed.
    pub struct ConfigChange {
        /// Which settings.
        source: Option<ConfigSource>,
        /// The file.
        file_path: Option<String>,
    }
}

words! {
    /// Which settings changed.
    pub enum ConfigSource {
        UserSettings = "user_settings",
        ProjectSettings = "project_settings",
        LocalSettings = "local_settings",
        PolicySettings = "policy_settings",
        Skills = "skills",
    }
}

event! {
    /// A file of instructions was loaded.
    pub struct InstructionsLoaded {
        /// The file.
        file_path: String,
        /// Whose instructions.
        memory_type: Option<MemoryKind>,
        /// Why it was loaded.
        load_reason: Option<LoadReason>,
        /// The patterns that ask for it.
        globs: Vec<String>,
        /// The file that matched.
        trigger_file_path: Option<String>,
        /// The file that includes it.
        parent_file_path: Option<String>,
    }
}

words! {
    /// Whose instructions a file holds.
    pub enum MemoryKind {
        User = "User",
        Project = "Project",
        Local = "Local",
        Managed = "Managed",
    }
}

words! {
    /// Why a file of instructions was loaded.
    pub enum LoadReason {
        SessionStart = "session_start",
        NestedTraversal = "nested_traversal",
        PathGlobMatch = "path_glob_match",
        Include = "include",
        Compact = "compact",
    }
}

event! {
    /// A worktree is to be made; the hook makes it and says where.
    pub struct WorktreeCreate {
        /// What to call it.
        name: String,
    }
}

event! {
    /// A worktree is to be removed.
    pub struct WorktreeRemove {
        /// Where it is.
        worktree_path: String,
    }
}

event! {
    /// The working directory changed.
    pub struct CwdChanged {
        /// What it was.
        old_cwd: Option<String>,
        /// What it is.
        new_cwd: String,
    }
}

event! {
    /// A watched file changed.
    pub struct FileChanged {
        /// The file.
        file_path: String,
        /// What happened to it.
        event: Option<FileChange>,
    }
}

words! {
    /// What happened to a watched file.
    pub enum FileChange {
        Change = "change",
        Add = "add",
        Unlink = "unlink",
    }
}

event! {
    /// A directory was added to the workspace.
    pub struct DirectoryAdded {
        /// The directory.
        directory: String,
        /// Who added it.
        source: Option<DirectorySource>,
    }
}

words! {
    /// Who added a directory.
    pub enum DirectorySource {
        SlashCommand = "slash_command",
        RegisterRepoRoot = "register_repo_root",
    }
}
