//! Tool calls in Markdown: what was asked for, and what came of it.

use std::io::{self, Write};

use pilothouse_session::tool::{NormalizedPayload, ShellAction, ShellExec};
use serde_json::Value;

use super::page::{Page, code};

/// Text of more lines gets a label.
const SHORT: usize = 40;

/// Writes what is worth reading of a call, under its title.
pub(super) fn payload(page: &mut Page<impl Write>, payload: &NormalizedPayload) -> io::Result<()> {
    use NormalizedPayload as Kind;
    match payload {
        Kind::ShellExec(call) => shell(page, call)?,
        Kind::ModifyFile(call) => {
            if let Some(patch) = &call.patch {
                long(page, "Change", "diff", &patch.diff)?;
                note_cut(page, patch.truncated)?;
            }
        }
        Kind::ReadFile(call) => {
            if let Some(output) = &call.output {
                if let Some(content) = &output.content {
                    labelled(page, "Content", "", content)?;
                }
                for media in &output.media {
                    page.block(&format!("*{}*", code(&media.media_type)))?;
                }
                note_cut(page, output.truncated)?;
            }
        }
        Kind::CodeSearch(call) => {
            if let Some(output) = &call.output {
                let found = output.content.clone().unwrap_or_else(|| output.files.join("\n"));
                labelled(page, "Found", "", &found)?;
                note_cut(page, output.truncated)?;
            }
        }
        Kind::HttpRequest(call) => {
            if let Some(output) = &call.response {
                labelled(page, "Answer", "", &output.body)?;
                note_cut(page, output.truncated)?;
            }
        }
        Kind::SubagentTask(call) => {
            if let Some(result) = call.output.as_ref().and_then(|output| output.result.as_ref()) {
                page.prose(result)?;
            }
        }
        // The list itself comes as an event of its own, and so does a plan that waits.
        Kind::CreateTask(_) | Kind::ManageTodos(_) => {}
        Kind::Plan(call) => {
            if let Some(plan) = &call.plan {
                page.label("Plan")?;
                page.prose(plan)?;
            }
        }
        Kind::Question(call) => {
            for answer in &call.answers {
                let given = answer.answer.as_deref().unwrap_or("no answer");
                page.line(&format!("- {}: {}", code(&answer.question), code(given)))?;
            }
            page.line("")?;
        }
        Kind::Generic(call) => {
            json(page, "Input", &call.input)?;
            if let Some(output) = &call.output {
                long(page, "Output", "", &output.text)?;
                note_cut(page, output.truncated)?;
            }
        }
        Kind::Misc(call) => {
            json(page, "Input", &call.input)?;
            if let Some(output) = &call.output {
                long(page, "Output", "", &output.text)?;
                note_cut(page, output.truncated)?;
            }
        }
    }
    match payload.error() {
        Some(error) => page.fenced("", error),
        None => Ok(()),
    }
}

fn shell(page: &mut Page<impl Write>, call: &ShellExec) -> io::Result<()> {
    let language = match call.action {
        ShellAction::RunPowershell => "powershell",
        ShellAction::Evaluate => "",
        _ => "sh",
    };
    if let Some(command) = &call.command {
        page.fenced(language, command)?;
    }
    let Some(output) = &call.output else { return Ok(()) };
    long(page, "Output", "", &output.stdout)?;
    if !output.stderr.is_empty() {
        long(page, "Errors", "", &output.stderr)?;
    }
    if let Some(status) = output.exit_code.filter(|status| *status != 0) {
        page.block(&format!("*Exit code {status}*"))?;
    }
    note_cut(page, output.truncated)
}

/// Text in a fence; with a label where it is long.
fn long(page: &mut Page<impl Write>, name: &str, language: &str, text: &str) -> io::Result<()> {
    if text.lines().count() > SHORT {
        return labelled(page, name, language, text);
    }
    if text.is_empty() { Ok(()) } else { page.fenced(language, text) }
}

fn labelled(page: &mut Page<impl Write>, name: &str, language: &str, text: &str) -> io::Result<()> {
    if text.is_empty() {
        return Ok(());
    }
    page.label(&format!("{name} ({} lines)", text.lines().count()))?;
    page.fenced(language, text)
}

fn json(page: &mut Page<impl Write>, name: &str, value: &Value) -> io::Result<()> {
    let is_empty = value.is_null() || value.as_object().is_some_and(serde_json::Map::is_empty);
    if is_empty {
        return Ok(());
    }
    let text = serde_json::to_string_pretty(value).unwrap_or_else(|_| value.to_string());
    long(page, name, "json", &text)
}

fn note_cut(page: &mut Page<impl Write>, is_cut: bool) -> io::Result<()> {
    if is_cut { page.block("*(shortened)*") } else { Ok(()) }
}
