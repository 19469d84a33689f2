//! What a finished call did to a file: before, after, and the patch between.

use pilothouse_wire::tool::file::{EditOutput, Hunk, NotebookEditOutput, WriteOutput};
use pilothouse_wire::tool::legacy::MultiEditOutput;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::NormalizedPayload;
use super::bound::TEXT_LIMIT;
use super::diff::Patch;
use super::modify::{FileChange, ModifyFile, Step, Tool, steps};
use super::outcome::Outcome;

/// A file has changed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct FileUpdate {
    /// The file.
    pub path: String,
    /// Whether it is new.
    pub change: FileChange,
    /// What changed; absent where that is not known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub patch: Option<Patch>,
    /// The whole file before; absent where there was none, or it is not known or too large.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub before: Option<String>,
    /// The whole file after; absent where it is not known or too large.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub after: Option<String>,
}

/// What the finished call `payload` did to a file. None where it failed, changed nothing, or is no
/// change of a file.
pub fn file_update(payload: &NormalizedPayload, outcome: &Outcome<'_>) -> Option<FileUpdate> {
    let NormalizedPayload::ModifyFile(modify) = payload else { return None };
    let (failed, staged) = (outcome.is_error || modify.error.is_some(), modify.staged);
    if failed || staged || outcome.is_detached() {
        return None;
    }
    let States { before, after } = States::of(modify, outcome);
    if before.is_some() && before == after {
        return None;
    }
    let notebook = modify.tool() == Tool::Notebook;
    let patch = match (&before, &after) {
        // The patch of the payload is that of the cell.
        (Some(before), Some(after)) if notebook => {
            Patch::whole(&modify.file_path, Some(before), Some(after))
        }
        _ => modify.patch.clone(),
    };
    Some(FileUpdate {
        path: modify.file_path.clone(),
        change: modify.change.unwrap_or(FileChange::Modified),
        patch,
        before: before.filter(|text| text.len() <= TEXT_LIMIT),
        after: after.filter(|text| text.len() <= TEXT_LIMIT),
    })
}

/// A file before and after.
#[derive(Default)]
struct States {
    before: Option<String>,
    after: Option<String>,
}

impl States {
    fn of(modify: &ModifyFile, outcome: &Outcome<'_>) -> Self {
        let known = match modify.tool() {
            Tool::Edit => outcome.typed().map(Self::edited),
            Tool::MultiEdit => outcome.typed().map(Self::multi_edited),
            Tool::Write => outcome.typed().map(Self::written),
            Tool::Notebook => outcome.typed().map(Self::notebook_edited),
        };
        known.unwrap_or_else(|| {
            // What was written is known from the call, unless it was shortened there.
            let content = modify.mutations.first().and_then(|first| first.content.clone());
            Self { before: None, after: content.filter(|text| text.len() <= TEXT_LIMIT) }
        })
    }

    fn edited(output: EditOutput) -> Self {
        if let Some(edits) = output.extra.get("edits").and_then(|raw| raw.read()) {
            let before = output.extra.get("originalFileContents").and_then(|raw| raw.read());
            return Self::stepped(before, &steps(edits), &output.structured_patch);
        }
        let before = output.original_file.into_option();
        match (output.old_string, output.new_string) {
            (Some(old), Some(new)) => {
                let step = (old, new, output.replace_all);
                Self::stepped(before, &[step], &output.structured_patch)
            }
            _ => Self { before, after: None },
        }
    }

    fn multi_edited(output: MultiEditOutput) -> Self {
        let before = output.original_file_contents.into_option();
        Self::stepped(before, &steps(output.edits), &output.structured_patch)
    }

    fn stepped(before: Option<String>, steps: &[Step], hunks: &[Hunk]) -> Self {
        let start = before.as_deref().unwrap_or_default();
        let creates = steps.first().is_some_and(|(old, ..)| old.is_empty());
        let known = before.is_some() || creates;
        let after = known.then(|| applied(start, steps)).flatten();
        let after = after.filter(|after| hunks.is_empty() || grows(start, after) == growth(hunks));
        Self { after, before }
    }

    fn written(output: WriteOutput) -> Self {
        Self { before: output.original_file.into_option(), after: output.content }
    }

    fn notebook_edited(output: NotebookEditOutput) -> Self {
        Self { before: output.original_file, after: output.updated_file }
    }
}

/// The text after all steps; none where a step does not fit, because the CLI was more lenient about
/// quotes or white space than we are.
fn applied(text: &str, steps: &[Step]) -> Option<String> {
    let mut text = text.to_owned();
    for (old, new, all) in steps {
        if old.is_empty() {
            // Only a file that holds nothing can be filled this way.
            if !text.is_empty() {
                return None;
            }
            text.clone_from(new);
            continue;
        }
        // Removing the text of a whole line removes its line break, too.
        let line = format!("{old}\n");
        let removes_line = new.is_empty() && !old.ends_with('\n') && text.contains(&line);
        let old = if removes_line { &line } else { old };
        if !text.contains(old.as_str()) {
            return None;
        }
        text = match all {
            Some(true) => text.replace(old.as_str(), new),
            _ => text.replacen(old.as_str(), new, 1),
        };
    }
    Some(text)
}

fn grows(before: &str, after: &str) -> i64 {
    after.lines().count() as i64 - before.lines().count() as i64
}

/// By how many lines a file grows: checks that the CLI did what we think it did.
fn growth(hunks: &[Hunk]) -> i64 {
    let lines = |count: Option<u64>| i64::try_from(count.unwrap_or_default()).unwrap_or(i64::MAX);
    let grown =
        hunks.iter().map(|hunk| lines(hunk.new_lines).saturating_sub(lines(hunk.old_lines)));
    grown.fold(0, i64::saturating_add)
}
