//! What came of a tool call, in a few lines.

use anstyle::Style;
use pilothouse_session::tool::{NormalizedPayload, Patch, ShellOutput};

use super::style::{ADDED, BAD, DIM, PLAIN, REMOVED};
use super::text::{harmless, one_line};

/// How many lines of a command's output are shown; of a diff; of anything else.
const OUTPUT: usize = 12;
const CHANGED: usize = 60;
const OTHER: usize = 6;

/// A line to be shown.
pub(super) type Line = (Style, String);

/// What came of a call.
pub(super) fn outcome(payload: &NormalizedPayload) -> Vec<Line> {
    use NormalizedPayload as Kind;
    if let Some(error) = payload.error() {
        let mut lines = tail(BAD, error, OTHER);
        if let Kind::ShellExec(call) = payload
            && let Some(output) = &call.output
        {
            lines = shell(output);
        }
        return lines;
    }
    match payload {
        Kind::ReadFile(call) => {
            let lines = call.output.as_ref().and_then(|output| output.line_count);
            lines.map(|lines| vec![(DIM, counted(lines, "line"))]).unwrap_or_default()
        }
        Kind::ModifyFile(call) => call.patch.as_ref().map(diff).unwrap_or_default(),
        Kind::ShellExec(call) => call.output.as_ref().map(shell).unwrap_or_default(),
        Kind::CodeSearch(call) => {
            let Some(output) = &call.output else { return Vec::new() };
            let found = match (output.match_count.or(output.line_count), output.file_count) {
                (_, Some(files)) => counted(files, "file"),
                (Some(lines), None) => counted(lines, "match"),
                (None, None) => counted(output.files.len() as u64, "file"),
            };
            vec![(DIM, found)]
        }
        Kind::HttpRequest(call) => {
            let Some(response) = &call.response else { return Vec::new() };
            let status = response.status.map(|status| format!("{status}, ")).unwrap_or_default();
            vec![(DIM, format!("{status}{} characters", response.body.chars().count()))]
        }
        Kind::SubagentTask(call) => {
            let result = call.output.as_ref().and_then(|output| output.result.as_deref());
            head(DIM, result.unwrap_or_default(), OTHER)
        }
        Kind::Question(call) => {
            let answers = call.answers.iter().map(|answer| {
                let given = answer.answer.as_deref().unwrap_or("no answer");
                (PLAIN, one_line(&format!("{}: {given}", answer.question)))
            });
            answers.collect()
        }
        Kind::Generic(call) => {
            head(DIM, call.output.as_ref().map_or("", |output| &output.text), OTHER)
        }
        Kind::Misc(call) => {
            head(DIM, call.output.as_ref().map_or("", |output| &output.text), OTHER)
        }
        // The list and the plan come as events of their own.
        Kind::CreateTask(_) | Kind::ManageTodos(_) | Kind::Plan(_) => Vec::new(),
    }
}

/// A change, with its signs.
pub(crate) fn diff(patch: &Patch) -> Vec<Line> {
    let all: Vec<_> = patch.diff.lines().skip_while(|line| !line.starts_with("@@")).collect();
    let mut lines: Vec<Line> = Vec::new();
    for line in all.iter().take(CHANGED) {
        let style = match line.as_bytes().first() {
            Some(b'+') => ADDED,
            Some(b'-') => REMOVED,
            _ => DIM,
        };
        // Line numbers that are not those of the file tell nothing.
        if !line.starts_with("@@") || patch.located {
            lines.push((style, harmless(line)));
        }
    }
    if all.len() > CHANGED || patch.truncated {
        let (added, removed) = (patch.lines_added, patch.lines_removed);
        lines.push((DIM, format!("… {added} added, {removed} removed in all")));
    }
    lines
}

fn shell(output: &ShellOutput) -> Vec<Line> {
    let mut lines = tail(DIM, &output.stdout, OUTPUT);
    lines.extend(tail(BAD, &output.stderr, OUTPUT));
    if let Some(code) = output.exit_code.filter(|code| *code != 0) {
        lines.push((BAD, format!("exit code {code}")));
    }
    if let Some(ms) = output.timed_out_after_ms {
        lines.push((BAD, format!("timed out after {} s", ms / 1000)));
    }
    lines
}

/// The end of a text: what went wrong stands there.
fn tail(style: Style, text: &str, most: usize) -> Vec<Line> {
    let text = harmless(text);
    let all: Vec<_> = text.trim_end().lines().collect();
    let skipped = all.len().saturating_sub(most);
    let mut lines = Vec::new();
    if skipped > 0 {
        lines.push((DIM, format!("… {}", counted(skipped as u64, "more line"))));
    }
    lines.extend(all[skipped..].iter().map(|line| (style, (*line).to_owned())));
    lines
}

/// The beginning of a text.
fn head(style: Style, text: &str, most: usize) -> Vec<Line> {
    let text = harmless(text);
    let all: Vec<_> = text.trim().lines().collect();
    let mut lines: Vec<_> = all.iter().take(most).map(|line| (style, (*line).to_owned())).collect();
    if all.len() > most {
        lines.push((DIM, format!("… {}", counted((all.len() - most) as u64, "more line"))));
    }
    lines
}

pub(super) fn counted(count: u64, what: &str) -> String {
    match (count, what) {
        (1, _) => format!("1 {what}"),
        (count, "match") => format!("{count} matches"),
        (count, _) => format!("{count} {what}s"),
    }
}
