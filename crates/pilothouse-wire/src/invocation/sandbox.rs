//! The sandbox in which the CLI runs shell commands.
//!
//! It has no flag of its own: it is the `sandbox` entry of the settings.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// The sandbox of shell commands. What is not set is left to the CLI.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Sandbox {
    /// Whether commands run in it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub enabled: Option<bool>,
    /// Whether the run fails where no sandbox can be made. Left out while the sandbox is enabled,
    /// it counts as `true`: a host that asks for a sandbox does not want to run without.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fail_if_unavailable: Option<bool>,
    /// Whether commands that run inside need no permission.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub auto_allow_bash_if_sandboxed: Option<bool>,
    /// Whether the model may ask to run a command outside.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub allow_unsandboxed_commands: Option<bool>,
    /// Commands that always run outside.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub excluded_commands: Vec<String>,
    /// Whether a weaker sandbox will do inside a container.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub enable_weaker_nested_sandbox: Option<bool>,
    /// What commands reach on the network.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub network: Option<SandboxNetwork>,
    /// What commands reach on disk.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub filesystem: Option<SandboxFilesystem>,
    /// Everything else, by its name in the settings.
    #[serde(flatten)]
    pub extra: Map<String, Value>,
}

/// What commands in the sandbox reach on the network.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct SandboxNetwork {
    /// Domains they reach without asking.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub allowed_domains: Vec<String>,
    /// Domains they never reach.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub denied_domains: Vec<String>,
    /// Unix sockets they may use.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub allow_unix_sockets: Vec<String>,
    /// Whether they may use any Unix socket.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub allow_all_unix_sockets: Option<bool>,
    /// Whether they may listen on local ports.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub allow_local_binding: Option<bool>,
    /// The port of the host's own HTTP proxy.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub http_proxy_port: Option<u16>,
    /// The port of the host's own SOCKS proxy.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub socks_proxy_port: Option<u16>,
    /// Everything else, by its name in the settings.
    #[serde(flatten)]
    pub extra: Map<String, Value>,
}

/// What commands in the sandbox reach on disk.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct SandboxFilesystem {
    /// Where they may write, beside the working directories.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub allow_write: Vec<String>,
    /// Where they never write.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub deny_write: Vec<String>,
    /// Where they may read, inside what is denied.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub allow_read: Vec<String>,
    /// Where they never read.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub deny_read: Vec<String>,
    /// Everything else, by its name in the settings.
    #[serde(flatten)]
    pub extra: Map<String, Value>,
}

impl Sandbox {
    /// A sandbox that commands run in, with the CLI's own rules.
    pub fn on() -> Self {
        Self { enabled: Some(true), ..Self::default() }
    }

    /// The entry in the settings.
    pub(super) fn entry(&self) -> Value {
        let mut sandbox = self.clone();
        if sandbox.enabled == Some(true) {
            sandbox.fail_if_unavailable.get_or_insert(true);
        }
        // Strings, numbers, lists and string keys only: there is nothing that could fail.
        serde_json::to_value(sandbox).unwrap_or(Value::Null)
    }
}
