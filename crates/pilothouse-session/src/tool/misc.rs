//! What to call the CLI's tools that need no display of their own.

use pilothouse_wire::Raw;
use pilothouse_wire::tool::ToolInput;

use super::bound::bounded_json;
use super::generic::MiscCall;

/// A tool that is known but has no kind of its own. None where `typed` is of no such tool.
pub(crate) fn misc(typed: ToolInput, input: &Raw) -> Option<MiscCall> {
    let name = typed.tool_name().into_owned();
    let (label, details) = words(typed)?;
    let label = label.to_owned();
    let details = details.filter(|details| !details.is_empty());
    Some(MiscCall { name, label, details, input: bounded_json(input), ..MiscCall::default() })
}

/// A tool without a typed input, by its name.
pub(crate) fn misc_by_name(name: &str, input: &Raw) -> Option<MiscCall> {
    let label = match name {
        "StructuredOutput" => "Structured output",
        "EndConversation" => "End conversation",
        "SendUserFile" => "Send file",
        "ShareOnboardingGuide" => "Share onboarding guide",
        "SubagentHandback" => "Hand back",
        "WaitForMcpServers" => "Wait for MCP servers",
        "advisor" => "Advisor",
        "tool_search_tool_regex" | "tool_search_tool_bm25" => "Find tools",
        _ => return None,
    };
    let (name, label) = (name.to_owned(), label.to_owned());
    Some(MiscCall { name, label, input: bounded_json(input), ..MiscCall::default() })
}

/// Label and details.
fn words(typed: ToolInput) -> Option<(&'static str, Option<String>)> {
    use ToolInput as In;
    let words = match typed {
        In::Skill(input) => ("Skill", Some(input.skill)),
        In::SlashCommand(input) => ("Slash command", Some(input.command)),
        In::ToolSearch(input) => ("Find tools", Some(input.query)),
        In::Workflow(input) => ("Workflow", input.name.or(input.script_path)),
        In::SendMessage(input) => ("Message to agent", Some(input.to)),
        In::ListAgents(input) => ("List agents", input.q.or(input.channel)),
        In::EnterWorktree(input) => ("Enter worktree", input.name.or(input.path)),
        In::ExitWorktree(input) => {
            ("Leave worktree", input.action.map(|action| action.to_string()))
        }
        In::CronCreate(input) => ("Schedule", Some(input.cron)),
        In::CronDelete(input) => ("Unschedule", Some(input.id)),
        In::CronList(_) => ("List schedules", None),
        In::ScheduleWakeup(input) if input.stop == Some(true) => ("Cancel wake-up", input.reason),
        In::ScheduleWakeup(input) => ("Schedule wake-up", input.reason),
        In::RemoteTrigger(input) => ("Remote trigger", Some(input.action)),
        In::ReadNotifications(_) => ("Read notifications", None),
        In::ReportFindings(input) => ("Report findings", Some(input.findings.len().to_string())),
        In::SendUserMessage(input) => ("Message to user", Some(input.message)),
        In::PushNotification(input) => ("Notify user", Some(input.message)),
        In::SendFeedback(input) => ("Send feedback", input.title),
        In::ProposeGoal(input) => ("Propose goal", Some(input.condition)),
        In::ProposeSkills(input) => {
            let names: Vec<_> = input.proposals.into_iter().map(|skill| skill.name).collect();
            ("Propose skills", Some(names.join(", ")))
        }
        In::OfferChromeSetup(input) => ("Offer Chrome setup", input.reason),
        In::ShowOnboardingRolePicker(_) => ("Choose role", None),
        In::Artifact(input) => ("Artifact", input.title.or(input.file_path).or(input.url)),
        In::ClaudeDesign(input) => ("Design", Some(input.operation)),
        In::Projects(input) => ("Projects", Some(input.method)),
        In::Config(input) => ("Setting", Some(input.setting)),
        _ => return None,
    };
    Some(words)
}
