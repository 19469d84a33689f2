//! Shows what a session asks for, whole: nobody answers what they have not seen.

use anstyle::Style;
use pilothouse_session::approval::{Approval, Subject};
use pilothouse_session::tool::{AskedQuestion, NormalizedPayload};

use super::{BOLD, DIM, PLAIN, diff, harmless, one_line};

/// A line and its style.
pub(crate) type Line = (Style, String);

/// Everything that an answer is about: the command, the changes, the plan, the questions.
pub(crate) fn request(approval: &Approval) -> Vec<Line> {
    let mut lines = opening(approval);
    if let Subject::Question { questions } = &approval.subject {
        lines.extend(questions.iter().flat_map(options));
    }
    lines
}

/// What is to be known before the first question of a dialog.
pub(crate) fn opening(approval: &Approval) -> Vec<Line> {
    let mut lines = Vec::new();
    let mut add = |style: Style, text: &str| {
        lines.extend(harmless(text).lines().map(|line| (style, line.to_owned())));
    };
    match &approval.subject {
        Subject::Tool { tool_name, input, payload } => {
            if let Some(title) = &approval.title {
                add(BOLD, &one_line(title));
            }
            match &**payload {
                NormalizedPayload::ShellExec(call) => {
                    add(BOLD, &format!("$ {}", call.command.as_deref().unwrap_or_default()));
                    add(DIM, call.description.as_deref().unwrap_or_default());
                }
                NormalizedPayload::ModifyFile(call) => {
                    add(BOLD, &call.file_path);
                    lines.extend(call.patch.as_ref().map(diff).unwrap_or_default());
                }
                NormalizedPayload::Generic(_) | NormalizedPayload::Misc(_) => {
                    add(BOLD, tool_name);
                    add(DIM, &serde_json::to_string_pretty(input).unwrap_or_default());
                }
                payload => add(BOLD, &payload.title()),
            }
        }
        Subject::EnterPlan => add(BOLD, "Claude wants to make a plan first."),
        Subject::Plan { plan: Some(plan), .. } => {
            add(PLAIN, plan);
            add(BOLD, "Is the plan good?");
        }
        Subject::Plan { plan: None, .. } => {
            add(BOLD, "Claude wants to begin, without a written plan.");
        }
        Subject::Question { .. } => {}
        Subject::Elicitation { server, message, url, .. } => {
            let server = server.as_deref().unwrap_or("an MCP server");
            add(BOLD, &format!("{server} asks: {}", message.as_deref().unwrap_or_default()));
            add(PLAIN, url.as_deref().unwrap_or_default());
        }
        Subject::Dialog { dialog, content } => {
            add(BOLD, &format!("Claude Code asks: {dialog}"));
            let content = content.as_ref().map(serde_json::to_string_pretty);
            add(DIM, &content.and_then(Result::ok).unwrap_or_default());
        }
    }
    if let Some(reason) = &approval.reason {
        lines.push((DIM, one_line(reason)));
    }
    lines
}

/// A question and its options.
pub(crate) fn options(question: &AskedQuestion) -> Vec<Line> {
    let mut lines = vec![(BOLD, one_line(&question.question))];
    for (number, option) in question.options.iter().enumerate() {
        let about = option.description.as_deref().map(|about| format!(": {about}"));
        let text = format!("{}. {}{}", number + 1, option.label, about.unwrap_or_default());
        lines.push((PLAIN, format!("  {}", one_line(&text))));
    }
    lines
}
