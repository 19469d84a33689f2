//! Policies: reading, putting, and trying them.

use pilothouse_session::command::mode_named;
use pilothouse_session::id::SessionId;
use pilothouse_session::policy::{
    Call as ToolCall, Decision, Explanation, Place, PolicySet, Preset, Verdict, paths,
};
use pilothouse_wire::Raw;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use super::Api;
use super::call::Call;
use super::fields::OfPolicy;
use super::limit;
use crate::host::{HostError, PolicyFile, PolicyName, links};
use crate::http::extract::ApiJson;
use crate::http::openapi::{Done, Got, NoBody, Nothing};
use crate::http::problem::{Fault, Kind, Problem};
use crate::store::Page;

/// The most characters of a policy.
const LONGEST: usize = 256 * 1024;

/// Of a session's calls, how many are decided at once.
const MOST_CALLS: u32 = 10_000;

pub(super) async fn list(
    call: Call<Nothing, Nothing, NoBody>,
) -> Result<Got<Page<PolicyName>>, Problem> {
    let items = call.api.host.policies().await?;
    Ok(Got(Page { items, next: None }))
}

pub(super) async fn get(call: Call<OfPolicy, Nothing, NoBody>) -> Result<Got<PolicyFile>, Problem> {
    match call.api.host.policy(&call.path.policy).await {
        Ok(policy) => Ok(Got(policy)),
        // Here it is what the path names.
        Err(error @ (HostError::NoPolicy(_) | HostError::BadPolicyName(_))) => {
            Err(Problem::not_found(error.to_string()))
        }
        Err(error) => Err(error.into()),
    }
}

/// A policy's text.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct PutPolicy {
    /// TOML.
    text: String,
}

pub(super) async fn put(
    call: Call<OfPolicy, Nothing, ApiJson<PutPolicy>>,
) -> Result<Got<PolicyFile>, Problem> {
    let (name, text) = (&call.path.policy, &call.body.0.text);
    if Preset::named(name).is_some() {
        let detail = format!("`{name}` comes along and stays as it is: choose another name");
        return Err(Problem::new(Kind::Conflict, detail));
    }
    limit::text("/text", text, LONGEST)?;
    let host = &call.api.host;
    match host.put_policy(name, text).await {
        // Here it is what the path names.
        Err(error @ HostError::BadPolicyName(_)) => {
            return Err(Problem::invalid(Fault::path("policy", error.to_string())));
        }
        put => put?,
    }
    host.note(None, &call.actor.identity, "policy.put", json!({ "policy": name })).await;
    Ok(Got(host.policy(name).await?))
}

pub(super) async fn delete(call: Call<OfPolicy, Nothing, NoBody>) -> Result<Done, Problem> {
    let (name, host) = (&call.path.policy, &call.api.host);
    if Preset::named(name).is_some() {
        let detail = format!("`{name}` comes along and stays");
        return Err(Problem::new(Kind::Conflict, detail));
    }
    match host.remove_policy(name).await {
        // Here it is what the path names.
        Err(error @ (HostError::NoPolicy(_) | HostError::BadPolicyName(_))) => {
            return Err(Problem::not_found(error.to_string()));
        }
        removed => removed?,
    }
    host.note(None, &call.actor.identity, "policy.deleted", json!({ "policy": name })).await;
    Ok(Done)
}

/// Which policy is tried: one of `policy` and `text`.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct TryPolicy {
    /// The name of a policy.
    #[serde(default)]
    policy: Option<String>,
    /// The text of one that was not put there yet.
    #[serde(default)]
    text: Option<String>,
    /// The call to be decided.
    call: TriedCall,
    /// The session in whose directories that would be; or else `cwd`.
    #[serde(default)]
    session: Option<SessionId>,
    /// The directory in which that would be, where it is no session's.
    #[serde(default)]
    cwd: Option<String>,
}

/// A call that is only thought of.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct TriedCall {
    /// The tool.
    tool_name: String,
    /// What it would be called with.
    input: Map<String, Value>,
    /// The permission mode; `default` where left out.
    #[serde(default)]
    mode: Option<String>,
    /// The type of the subagent that would call; none in the main thread.
    #[serde(default)]
    subagent: Option<String>,
}

/// What a policy says to a call.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub(super) struct PolicyDecision {
    /// The answer.
    #[serde(flatten)]
    verdict: Verdict,
    /// Why.
    because: Explanation,
    /// Why, as a sentence.
    sentence: String,
}

impl From<Decision> for PolicyDecision {
    fn from(decision: Decision) -> Self {
        let Decision { verdict, because } = decision;
        Self { sentence: because.to_string(), verdict, because }
    }
}

pub(super) async fn test(
    call: Call<Nothing, Nothing, ApiJson<TryPolicy>>,
) -> Result<Got<PolicyDecision>, Problem> {
    let ApiJson(TryPolicy { policy, text, call: tried, session, cwd }) = call.body;
    let set = set(&call.api, policy, text).await?;
    let place = match (session, cwd) {
        (Some(session), None) => {
            let row = call.api.host.session(session).await?;
            call.api.host.place(&row).await
        }
        (None, Some(cwd)) => {
            let home = std::env::home_dir().map(|home| home.to_string_lossy().into_owned());
            Place { home, ..Place::at(cwd) }
        }
        _ => {
            let detail = "give one of `session` and `cwd`";
            return Err(Problem::invalid(Fault::body("/cwd", detail)));
        }
    };
    let input = Raw::from(tried.input);
    let mode = mode_named(tried.mode.as_deref().unwrap_or("default"));
    let subagent = tried.subagent.as_deref();
    let real = links::resolve(paths(&tried.tool_name, &input, &place)).await;
    let new = ToolCall::new(&tried.tool_name, &input, &mode);
    let asked = ToolCall { subagent, real: Some(&real), ..new };
    Ok(Got(set.decide(&asked, &place).into()))
}

async fn set(api: &Api, name: Option<String>, text: Option<String>) -> Result<PolicySet, Problem> {
    let policy = match (name, text) {
        (Some(name), None) => api.host.read_policy(&name).await?,
        (None, Some(text)) => {
            limit::text("/text", &text, LONGEST)?;
            api.host.parse_policy(&text)?
        }
        _ => {
            let detail = "give one of `policy` and `text`";
            return Err(Problem::invalid(Fault::body("/policy", detail)));
        }
    };
    Ok(PolicySet::new([policy]))
}

/// Which policy is tried on a session's calls: one of `policy` and `text`.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct ReplayPolicy {
    /// The name of a policy.
    #[serde(default)]
    policy: Option<String>,
    /// The text of one that was not put there yet.
    #[serde(default)]
    text: Option<String>,
    /// The session whose calls are decided.
    session: SessionId,
    /// The permission mode; the session's where left out.
    #[serde(default)]
    mode: Option<String>,
    /// How many calls, from the first on.
    #[serde(default)]
    #[schemars(range(min = 1, max = 10_000))]
    limit: Option<u32>,
}

/// What a policy would have said.
#[derive(Clone, Debug, Default, Serialize, JsonSchema)]
pub(super) struct PolicyReplay {
    /// How many calls it would have allowed,
    allowed: usize,
    /// denied,
    denied: usize,
    /// left to a person.
    asked: usize,
    /// The session has more calls than were looked at.
    is_cut: bool,
    /// The calls, oldest first.
    calls: Vec<ReplayedCall>,
}

/// A call and what a policy would have said.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub(super) struct ReplayedCall {
    /// The call.
    tool_call_id: String,
    /// The tool.
    tool_name: String,
    /// In a subagent.
    in_subagent: bool,
    /// The answer.
    #[serde(flatten)]
    decision: PolicyDecision,
}

pub(super) async fn replay(
    call: Call<Nothing, Nothing, ApiJson<ReplayPolicy>>,
) -> Result<Got<PolicyReplay>, Problem> {
    let ApiJson(ReplayPolicy { policy, text, session, mode, limit }) = call.body;
    let most = limit::within(limit, 1000, MOST_CALLS)?;
    let set = set(&call.api, policy, text).await?;
    let row = call.api.host.session(session).await?;
    let place = call.api.host.place(&row).await;
    let mode = mode_named(mode.or(row.mode).as_deref().unwrap_or("default"));
    let (calls, is_cut) = call.api.host.recorded_calls(session, most).await?;
    let decide = move || {
        let mut replay = PolicyReplay { is_cut, ..PolicyReplay::default() };
        for made in calls {
            // Of which type it is the log does not say.
            let subagent = made.in_subagent.then_some("");
            let tool = &*made.tool_name;
            // Links may lead elsewhere by now: paths stand for themselves.
            let asked = ToolCall { subagent, ..ToolCall::new(tool, &made.input, &mode) };
            let decision = set.decide(&asked, &place);
            match decision.verdict {
                Verdict::Allow => replay.allowed += 1,
                Verdict::Deny { .. } => replay.denied += 1,
                Verdict::Ask => replay.asked += 1,
            }
            replay.calls.push(ReplayedCall {
                tool_call_id: made.tool_call_id,
                tool_name: made.tool_name,
                in_subagent: made.in_subagent,
                decision: decision.into(),
            });
        }
        replay
    };
    Ok(Got(crate::host::blocking(decide).await))
}
