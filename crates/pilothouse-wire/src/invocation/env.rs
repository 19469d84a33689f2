//! Options to environment changes.
//!
//! The CLI inherits the host's environment, with a few changes. Credentials are the user's business
//! and pass through untouched: nothing here sets or removes one.

use std::ffi::{OsStr, OsString};
use std::fmt;

use super::error::InvocationError;
use super::limits::Limits;
use super::options::Invocation;
use super::values::StateEvents;

const ENTRYPOINT: &str = "CLAUDE_CODE_ENTRYPOINT";
const CLIENT_APP: &str = "CLAUDE_AGENT_SDK_CLIENT_APP";
/// Names the official SDKs, so a host that was itself started by one must not pass it on.
const SDK_VERSION: &str = "CLAUDE_AGENT_SDK_VERSION";

/// Inherited variables that would change the CLI: options meant for the host's own runtime and log,
/// and what a surrounding Claude Code session tells its children. With those the new run would take
/// itself for a part of that session.
const NOT_INHERITED: &[&str] = &[
    "NODE_OPTIONS",
    "DEBUG",
    SDK_VERSION,
    "CLAUDECODE",
    "CLAUDE_CODE_CHILD_SESSION",
    "CLAUDE_CODE_EXECPATH",
    "CLAUDE_CODE_MESSAGING_SOCKET",
    "CLAUDE_CODE_MESSAGING_TOKEN",
    "CLAUDE_CODE_SESSION_ATTENDED",
    "CLAUDE_CODE_SESSION_ID",
    "CLAUDE_PID",
];

/// What to change in the inherited environment. No name stands twice.
///
/// Debug output shows the names only.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct EnvPlan {
    /// Variables to set.
    pub set: Vec<(OsString, OsString)>,
    /// Variables to remove.
    pub remove: Vec<OsString>,
}

impl EnvPlan {
    /// The value that a variable is set to.
    pub fn get(&self, name: &str) -> Option<&OsStr> {
        self.set.iter().find(|(set, _)| set == name).map(|(_, value)| value.as_os_str())
    }

    fn put(&mut self, name: &str, value: impl Into<OsString>) {
        self.forget(name);
        self.set.push((name.into(), value.into()));
    }

    fn drop_inherited(&mut self, name: &str) {
        self.forget(name);
        self.remove.push(name.into());
    }

    fn forget(&mut self, name: &str) {
        self.set.retain(|(set, _)| set != name);
        self.remove.retain(|removed| removed != name);
    }
}

impl fmt::Debug for EnvPlan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<_> = self.set.iter().map(|(name, _)| name).collect();
        f.debug_struct("EnvPlan").field("set", &names).field("remove", &self.remove).finish()
    }
}

impl Invocation {
    /// The changes to the inherited environment.
    pub fn env(&self) -> Result<EnvPlan, InvocationError> {
        let mut plan = EnvPlan::default();
        for name in NOT_INHERITED {
            plan.drop_inherited(name);
        }
        self.add_identity(&mut plan);
        self.add_switches(&mut plan);
        self.add_surroundings(&mut plan)?;
        for name in &self.env_remove {
            check_name(name)?;
            plan.drop_inherited(name);
        }
        for (name, value) in self.extra_env.iter() {
            check_name(name)?;
            plan.put(name, value);
        }
        for (name, value) in &plan.set {
            let what = || name.to_string_lossy().into_owned();
            if value.as_encoded_bytes().contains(&0) {
                return Err(InvocationError::Nul { what: what() });
            }
            let mut whole = name.clone();
            whole.push("=");
            whole.push(value);
            Limits::HERE.check_one(&whole, what)?;
        }
        Ok(plan)
    }

    fn add_identity(&self, plan: &mut EnvPlan) {
        plan.put(ENTRYPOINT, self.entrypoint.as_str());
        plan.put(CLIENT_APP, self.client_app.to_string());
    }

    fn add_switches(&self, plan: &mut EnvPlan) {
        match self.state_events {
            StateEvents::Emitted => plan.put("CLAUDE_CODE_EMIT_SESSION_STATE_EVENTS", "1"),
            StateEvents::HostOnly => plan.put("CLAUDE_CODE_SDK_READS_SESSION_STATE", "1"),
            StateEvents::Off => {}
        }
        for (wanted, name, value) in [
            (self.startup_failure_results, "CLAUDE_CODE_STARTUP_FAILURE_RESULTS", "1"),
            (self.file_checkpointing, "CLAUDE_CODE_ENABLE_SDK_FILE_CHECKPOINTING", "true"),
            (self.startup_marks, "CLAUDE_CODE_SDK_READS_STARTUP_MARKS", "1"),
            (self.oauth_refresh, "CLAUDE_CODE_SDK_HAS_OAUTH_REFRESH", "1"),
            (self.host_auth_refresh, "CLAUDE_CODE_SDK_HAS_HOST_AUTH_REFRESH", "1"),
        ] {
            if wanted {
                plan.put(name, value);
            }
        }
        if let Some(format) = &self.question_preview {
            plan.put("CLAUDE_CODE_QUESTION_PREVIEW_FORMAT", format.as_str());
        }
        if let Some(wait) = self.background_wait {
            plan.put("CLAUDE_CODE_PRINT_BG_WAIT_CEILING_MS", wait.as_millis().to_string());
        }
    }

    fn add_surroundings(&self, plan: &mut EnvPlan) -> Result<(), InvocationError> {
        if let Some(dir) = &self.config_dir {
            if dir.as_os_str().is_empty() {
                let what = "the configuration directory".to_owned();
                return Err(InvocationError::Empty { what });
            }
            plan.put("CLAUDE_CONFIG_DIR", dir);
        }
        match &self.cwd {
            None => {}
            Some(cwd) if cwd.is_absolute() => plan.put("PWD", cwd),
            // Only the process that starts the CLI knows what this is relative to, and the
            // inherited value would be wrong.
            Some(_) => plan.drop_inherited("PWD"),
        }
        if let Some(trace) = &self.trace {
            plan.put("TRACEPARENT", &trace.parent);
            match &trace.state {
                Some(state) => plan.put("TRACESTATE", state),
                // An inherited state belongs to another span.
                None => plan.drop_inherited("TRACESTATE"),
            }
        }
        Ok(())
    }
}

fn check_name(name: &str) -> Result<(), InvocationError> {
    if name.is_empty() || name.contains(['=', '\0']) {
        return Err(InvocationError::EnvName { name: name.to_owned() });
    }
    // Windows does not tell upper and lower case apart.
    if [ENTRYPOINT, CLIENT_APP, SDK_VERSION].iter().any(|own| own.eq_ignore_ascii_case(name)) {
        return Err(InvocationError::EnvIdentity { name: name.to_owned() });
    }
    Ok(())
}
