//! Requests about files, directories, plugins and skills.

use crate::raw::{Num, Raw};

object! {
    /// The CLI's version.
    #[derive(Default)]
    pub struct GetBinaryVersion {}
}

object! {
    /// Files whose names fit.
    #[derive(Default)]
    pub struct FileSuggestions {
        /// What was typed after `@`.
        query: String,
    }
}

object! {
    /// Reads a file, if the rules allow.
    #[derive(Default)]
    pub struct ReadFile {
        /// The file.
        path: String,
        /// How much of it.
        max_bytes: Option<u64>,
        /// `utf-8`, `base64`.
        encoding: Option<String>,
    }
}

object! {
    /// A file.
    #[derive(Default)]
    pub struct FileContents {
        /// Its text, or base64.
        contents: Option<String>,
        /// Where it is.
        abs_path as "absPath": Option<String>,
        /// Whether this is not all.
        truncated: Option<bool>,
        /// `utf-8`, `base64`.
        encoding: Option<String>,
        /// Whether something was replaced.
        lossy: Option<bool>,
    }
}

object! {
    /// Tells that a file has been read, so that it can be edited.
    pub struct SeedReadState {
        /// The file.
        path: String,
        /// Its time, whole Unix milliseconds.
        mtime: Num,
    }
}

object! {
    /// Adds a checkout below the directory.
    #[derive(Default)]
    pub struct RegisterRepoRoot {
        /// The checkout.
        directory: String,
        /// Load its CLAUDE.md.
        reload_claude_md: Option<bool>,
        /// Load its plugins.
        reload_plugins: Option<bool>,
        /// Load its skills.
        reload_skills: Option<bool>,
    }
}

object! {
    /// Loads plugins anew.
    #[derive(Default)]
    pub struct ReloadPlugins {
        /// Wait if the prompt cache would be lost.
        hold_on_cache_impact: Option<bool>,
        /// Plugins to add.
        add_plugins: Option<Raw>,
        /// Refuse in mid-turn.
        refuse_if_busy: Option<bool>,
    }
}

object! {
    /// Loads skills anew.
    #[derive(Default)]
    pub struct ReloadSkills {}
}

object! {
    /// Loads output styles anew.
    #[derive(Default)]
    pub struct ReloadOutputStyles {}
}

object! {
    /// Changes the directory.
    #[derive(Default)]
    pub struct SetCwd {
        /// The directory.
        path: String,
        /// The user trusts it.
        trust_accepted: Option<bool>,
        /// What the user trusts.
        trusted_directory: Option<String>,
    }
}
