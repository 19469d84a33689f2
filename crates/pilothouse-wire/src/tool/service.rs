//! Tools that reach services around the CLI: reviews, feedback, goals, projects, artifacts, skills.

use crate::field::Nullable;
use crate::raw::{Num, Raw};

object! {
    /// Input of `ReportFindings`; its output is the same and a count.
    #[derive(Default)]
    pub struct ReportFindings {
        /// How hard the review looked.
        level: Option<String>,
        /// What it found.
        findings: Vec<Finding>,
        /// How many; only in the output.
        count: Option<u64>,
    }
}

object! {
    /// Something a review found.
    #[derive(Default)]
    pub struct Finding {
        /// The file.
        file: String,
        /// The line.
        line: Option<u64>,
        /// What is wrong.
        summary: Option<String>,
        /// The same, shorter.
        short_summary: Option<String>,
        /// How it would show.
        failure_scenario: Option<String>,
        /// What kind of thing.
        category: Option<String>,
        /// `CONFIRMED` or `PLAUSIBLE`.
        verdict: Option<String>,
        /// `fixed`, `skipped`, `no_change_needed`.
        outcome: Option<String>,
    }
}

object! {
    /// Input of `SendFeedback`.
    #[derive(Default)]
    pub struct SendFeedbackInput {
        /// `bug`, `idea`, `missing_capability`.
        kind as "type": Option<String>,
        /// The headline.
        title: Option<String>,
        /// The whole story.
        details: Option<String>,
        /// What it is about.
        area: Option<String>,
        /// How the model failed.
        failure_mode: Option<String>,
        /// What the model was doing.
        task_category: Option<String>,
    }
}

object! {
    /// Output of `SendFeedback`.
    #[derive(Default)]
    pub struct SendFeedbackOutput {
        /// Whether it was sent.
        success: Option<bool>,
        /// What the model is told.
        message: String,
    }
}

object! {
    /// Input of `ProposeGoal`.
    #[derive(Default)]
    pub struct ProposeGoalInput {
        /// When the goal is reached.
        condition: String,
        /// Whether the user is asked.
        ask_user: Option<bool>,
    }
}

object! {
    /// Output of `ProposeGoal`.
    #[derive(Default)]
    pub struct ProposeGoalOutput {
        /// When the goal is reached.
        condition: String,
        /// Whether the user is asked.
        ask_user as "askUser": Option<bool>,
    }
}

object! {
    /// Input of `ClaudeDesign`.
    #[derive(Default)]
    pub struct ClaudeDesignInput {
        /// What to do.
        operation: String,
        /// With what.
        arguments: Option<Raw>,
    }
}

object! {
    /// Output of `ClaudeDesign`.
    #[derive(Default)]
    pub struct ClaudeDesignOutput {
        /// What was done.
        operation: String,
        /// What came of it.
        content: Vec<Raw>,
        /// Whether it failed.
        is_error as "isError": Option<bool>,
    }
}

object! {
    /// Input of `propose_skills`.
    #[derive(Default)]
    pub struct ProposeSkillsInput {
        /// One to three proposals.
        proposals: Vec<SkillProposal>,
    }
}

object! {
    /// A skill to make or improve.
    #[derive(Default)]
    pub struct SkillProposal {
        /// The skill.
        name: String,
        /// `new` or `improvement`.
        kind: Option<String>,
        /// The skill to improve.
        target: Option<String>,
        /// What it is good for.
        description: Option<String>,
        /// What speaks for it.
        evidence: Vec<String>,
        /// Changes to the skill.
        edits: Vec<Raw>,
        /// The skill's text.
        skill_md as "skillMd": Option<String>,
    }
}

object! {
    /// Output of `propose_skills`.
    #[derive(Default)]
    pub struct ProposeSkillsOutput {
        /// How many were proposed.
        proposal_count as "proposalCount": u64,
    }
}

object! {
    /// Input of `OfferChromeSetup`.
    #[derive(Default)]
    pub struct OfferChromeSetupInput {
        /// Why.
        reason: Option<String>,
    }
}

object! {
    /// Output of `OfferChromeSetup`.
    #[derive(Default)]
    pub struct OfferChromeSetupOutput {
        /// `connected`, `not_now`, `no_attempt_yet`.
        outcome: String,
    }
}

object! {
    /// Input of `ShowOnboardingRolePicker`: nothing.
    #[derive(Default)]
    pub struct RolePickerInput {}
}

object! {
    /// Output of `ShowOnboardingRolePicker`.
    #[derive(Default)]
    pub struct RolePickerOutput {
        /// What the user chose.
        role: Option<String>,
        /// Whether the user closed it.
        dismissed: Option<bool>,
    }
}

object! {
    /// Input of `Artifact`.
    #[derive(Default)]
    pub struct ArtifactInput {
        /// `publish` where absent; `list`, `read`, `watch`, `upload_asset` …
        action: Option<String>,
        /// The file.
        file_path: Option<String>,
        /// The files.
        file_paths: Vec<String>,
        /// The artifact.
        url: Option<String>,
        /// Its title.
        title: Option<String>,
        /// What it is.
        description: Option<String>,
        /// What to call this version.
        label: Option<String>,
        /// Its icon.
        icon: Option<String>,
        /// Its icon; in old versions.
        favicon: Option<String>,
        /// How many to list.
        limit: Option<u64>,
        /// Where to go on in a list.
        page_token: Option<String>,
        /// Whose to list: `mine`, `shared`, `all`.
        scope: Option<String>,
        /// What to find out from it.
        prompt: Option<String>,
        /// Whether another's changes may be lost.
        force: Option<bool>,
        /// Whether to pin it.
        pin: Option<bool>,
        /// Where to put what is read.
        out_dir: Option<String>,
        /// The asset.
        asset_id: Option<String>,
        /// Where to go on in a list of assets.
        after: Option<String>,
        /// What it may do.
        capabilities: Option<Raw>,
        /// Which version of the rules it follows.
        contract: Option<String>,
    }
}

object! {
    /// Output of `Artifact`. Which members are there depends on the action; most are objects that
    /// belong to a service and are not spelled out here.
    #[derive(Default)]
    pub struct ArtifactOutput {
        /// Published: its address.
        url: Option<String>,
        /// Published: the file.
        path: Option<String>,
        /// Published: its title.
        title: Option<String>,
        /// Published: the version.
        version: Option<String>,
        /// Published: whether there was one already.
        updated: Option<bool>,
        /// Published: warnings.
        warnings: Vec<String>,
        /// Whether the user owns it.
        owned: Option<bool>,
        /// Listed: the artifacts.
        artifacts: Vec<Raw>,
        /// Listed: where to go on.
        next_page_token: Option<String>,
        /// Read: what was read.
        read: Option<Raw>,
        /// Watched.
        watch: Option<Raw>,
        /// No longer watched.
        unwatch: Option<Raw>,
        /// What is watched.
        watches: Vec<Raw>,
        /// An asset was uploaded.
        asset_upload: Option<Raw>,
        /// Assets were uploaded.
        asset_uploads: Option<Raw>,
        /// The assets.
        asset_list: Option<Raw>,
        /// An asset was read.
        asset_read: Option<Raw>,
        /// An asset was deleted.
        asset_delete: Option<Raw>,
        /// Pinned, or no longer.
        pin: Option<Raw>,
    }
}

object! {
    /// Input of `Projects`.
    #[derive(Default)]
    pub struct ProjectsInput {
        /// `project_info`, `project_read`, `project_search`, `project_write` …
        method: String,
        /// The document.
        path: Option<String>,
        /// What is to be in it.
        content: Option<String>,
        /// The file to take it from, or put it in.
        local_path: Option<String>,
        /// Whether to show it to the user.
        present_to_user: Option<bool>,
        /// What to look for.
        query: Option<String>,
        /// How many to find.
        n: Option<u64>,
    }
}

object! {
    /// Output of `Projects`. Which members are there depends on the method.
    #[derive(Default)]
    pub struct ProjectsOutput {
        /// What was done.
        method: String,
        /// Something to tell the user.
        notice: Option<String>,
        /// The project's name.
        name: Option<String>,
        /// What the project is.
        description: Option<String>,
        /// What the project's agents are told.
        instructions: Option<String>,
        /// The document.
        path: Option<String>,
        /// What is in it.
        content: Option<String>,
        /// What kind of file it is.
        file_kind: Option<String>,
        /// Names the document.
        doc_uuid: Option<String>,
        /// The file it was put in.
        local_file: Option<String>,
        /// The file it was taken from.
        local_path: Option<String>,
        /// Whether it is shown to the user.
        present_to_user: Option<bool>,
        /// Documents, or their names.
        docs: Vec<Raw>,
        /// Files.
        files: Vec<Raw>,
        /// Where the project's documents are kept in step with.
        sync_sources: Vec<Raw>,
        /// How much the project holds, and may hold.
        knowledge: Option<Raw>,
        /// Whether the search went by meaning.
        rag: Option<bool>,
        /// What was found.
        hits: Vec<Raw>,
        /// When the document was made.
        created_at: Nullable<String>,
        /// When the document last changed.
        updated_at: Nullable<String>,
        /// Its size.
        size_bytes: Option<Num>,
        /// Whether it was written over.
        replaced: Option<bool>,
        /// Whether it was deleted.
        deleted: Option<bool>,
        /// Whether there is more.
        truncated: Option<bool>,
    }
}
