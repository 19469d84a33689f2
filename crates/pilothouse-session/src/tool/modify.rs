//! `modify_file`: a change to a file, with what it changes.

use pilothouse_wire::tool::file::{
    CellEdit, EditInput, EditOutput, NotebookEditInput, NotebookEditOutput, WriteInput, WriteKind,
    WriteOutput,
};
use pilothouse_wire::tool::legacy::{EditStep, MultiEditInput, MultiEditOutput};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::bound::{clip_text, unset};
use super::diff::Patch;
use super::outcome::Outcome;
use super::read::joined;

/// A file is changed: `Edit`, `MultiEdit`, `Write`, `NotebookEdit`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ModifyFile {
    /// The file.
    pub file_path: String,
    /// What is done to it, in order.
    pub mutations: Vec<Mutation>,
    /// What changes. Before the result is there, what stood in the file is known only as far as the
    /// call says it; absent where nothing changes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub patch: Option<Patch>,
    /// Whether the file was there before, once it is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub change: Option<FileChange>,
    /// Whether the user changed what the model wanted.
    #[serde(default, skip_serializing_if = "unset")]
    pub user_modified: bool,
    /// Whether the change is only prepared and the file is still as it was.
    #[serde(default, skip_serializing_if = "unset")]
    pub staged: bool,
    /// Why the call failed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
}

/// One change to a file.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Mutation {
    /// What is done.
    #[serde(rename = "type")]
    pub kind: MutationKind,
    /// The new content of the whole file.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub content: Option<String>,
    /// What is replaced.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub old_content: Option<String>,
    /// What it is replaced by.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub new_content: Option<String>,
    /// Whether it is replaced wherever it stands.
    #[serde(default, skip_serializing_if = "unset")]
    pub replace_all: bool,
    /// The cell of a notebook, or the one to insert after.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cell_id: Option<String>,
    /// What the cell holds: `code` or `markdown`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cell_type: Option<String>,
}

/// What is done to a file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum MutationKind {
    /// A piece of text is replaced.
    #[default]
    Edit,
    /// The whole file is written.
    Write,
    /// The content of a notebook's cell is replaced.
    ReplaceCell,
    /// A cell is added to a notebook.
    InsertCell,
    /// A cell is removed from a notebook.
    DeleteCell,
}

/// What happened to a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum FileChange {
    /// It is new.
    Created,
    /// It was there before.
    Modified,
}

impl ModifyFile {
    pub(crate) fn of_edit(input: EditInput) -> Self {
        let EditInput { file_path, old_string, new_string, replace_all, .. } = input;
        Self::of_steps(file_path, &[(old_string, new_string, replace_all)])
    }

    pub(crate) fn of_multi_edit(input: MultiEditInput) -> Self {
        Self::of_steps(input.file_path, &steps(input.edits))
    }

    fn of_steps(file_path: String, steps: &[Step]) -> Self {
        let pieces = steps.iter().map(|(old, new, _)| (old.as_str(), new.as_str()));
        let patch = Patch::pieces(&file_path, pieces);
        Self { mutations: mutations(steps), patch, file_path, ..Self::default() }
    }

    pub(crate) fn of_write(input: WriteInput) -> Self {
        let WriteInput { file_path, content, .. } = input;
        let patch = Patch::pieces(&file_path, [("", content.as_str())]);
        let (kind, content) = (MutationKind::Write, Some(clip_text(content)));
        let mutations = vec![Mutation { kind, content, ..Mutation::default() }];
        Self { mutations, patch, file_path, ..Self::default() }
    }

    pub(crate) fn of_notebook_edit(input: NotebookEditInput) -> Self {
        let new = input.new_source.unwrap_or_default();
        let kind = match input.edit_mode {
            Some(CellEdit::Insert) => MutationKind::InsertCell,
            Some(CellEdit::Delete) => MutationKind::DeleteCell,
            _ => MutationKind::ReplaceCell,
        };
        let deletes = kind == MutationKind::DeleteCell;
        let patch = match deletes {
            true => None,
            false => Patch::pieces(&input.notebook_path, [("", new.as_str())]),
        };
        let mutation = Mutation {
            kind,
            new_content: (!deletes).then(|| clip_text(new)),
            cell_id: input.cell_id,
            cell_type: input.cell_type,
            ..Mutation::default()
        };
        let mutations = vec![mutation];
        Self { file_path: input.notebook_path, mutations, patch, ..Self::default() }
    }

    pub(crate) fn complete(&mut self, outcome: &Outcome<'_>) {
        self.error = outcome.error();
        if outcome.is_error {
            return;
        }
        let done = match self.tool() {
            Tool::Edit => outcome.typed().map(|output| self.edited(output)),
            Tool::MultiEdit => outcome.typed().map(|output| self.multi_edited(output)),
            Tool::Write => outcome.typed().map(|output| self.written(output)),
            Tool::Notebook => outcome.typed().map(|output| self.notebook_edited(output)),
        };
        if done.is_none() {
            self.change = Some(self.change_in_words(&outcome.text()));
        }
    }

    /// Which tool makes such changes.
    pub(crate) fn tool(&self) -> Tool {
        match self.mutations.as_slice() {
            [one] => match one.kind {
                // `MultiEdit` with one step reports as itself, which is no output of `Edit`.
                MutationKind::Edit => Tool::Edit,
                MutationKind::Write => Tool::Write,
                _ => Tool::Notebook,
            },
            _ => Tool::MultiEdit,
        }
    }

    fn edited(&mut self, output: EditOutput) {
        if let Some(edits) = output.extra.get("edits").and_then(|raw| raw.read()) {
            self.mutations = mutations(&steps(edits));
        } else if let (Some(old), Some(new)) = (output.old_string, output.new_string) {
            self.mutations = mutations(&[(old, new, output.replace_all)]);
        }
        let original = output.original_file.as_deref();
        let creates = original.is_none_or(str::is_empty)
            && self.mutations.first().is_some_and(|first| first.old_content.as_deref() == Some(""));
        self.changed(if creates { FileChange::Created } else { FileChange::Modified });
        self.report(Patch::reported(&output.file_path, &output.structured_patch));
        self.staged = output.staged == Some(true);
        self.user_modified = output.user_modified == Some(true);
    }

    fn multi_edited(&mut self, output: MultiEditOutput) {
        if !output.edits.is_empty() {
            self.mutations = mutations(&steps(output.edits));
        }
        let creates = output.original_file_contents.as_deref() == Some("");
        self.changed(if creates { FileChange::Created } else { FileChange::Modified });
        self.report(Patch::reported(&output.file_path, &output.structured_patch));
        self.user_modified = output.user_modified == Some(true);
    }

    fn written(&mut self, output: WriteOutput) {
        let original = output.original_file.as_deref();
        let created = match &output.kind {
            Some(WriteKind::Create) => true,
            Some(WriteKind::Update) => false,
            _ => original.is_none(),
        };
        self.changed(if created { FileChange::Created } else { FileChange::Modified });
        let path = &output.file_path;
        // A file that is new, or was too large to report, has no hunks.
        let patch = Patch::reported(path, &output.structured_patch).or_else(|| {
            let content = output.content.as_deref()?;
            (created || original.is_some()).then(|| Patch::whole(path, original, Some(content)))?
        });
        if original.is_some() && original == output.content.as_deref() {
            self.patch = None;
        } else {
            self.report(patch);
        }
        if let (Some(content), Some(mutation)) = (output.content, self.mutations.first_mut()) {
            mutation.content = Some(clip_text(content));
        }
        self.staged = output.staged == Some(true);
        self.user_modified = output.user_modified == Some(true);
    }

    fn notebook_edited(&mut self, output: NotebookEditOutput) {
        self.error = output.error.filter(|error| !error.is_empty());
        if self.error.is_some() {
            return;
        }
        self.changed(FileChange::Modified);
        let Some(mutation) = self.mutations.first_mut() else { return };
        let deletes = mutation.kind == MutationKind::DeleteCell;
        let new = output.new_source.filter(|_| !deletes);
        let old = output.old_source.or_else(|| {
            // Older versions report only the whole notebook.
            let inserts = mutation.kind == MutationKind::InsertCell;
            let cell = output.cell_id.as_deref().or(mutation.cell_id.as_deref())?;
            (!inserts).then(|| cell_source(output.original_file.as_deref()?, cell))?
        });
        let old = old.unwrap_or_default();
        let sources = [(old.as_str(), new.as_deref().unwrap_or_default())];
        let patch = Patch::pieces(&output.notebook_path, sources);
        mutation.old_content = (!old.is_empty()).then(|| clip_text(old));
        mutation.new_content = new.map(clip_text).or(mutation.new_content.take());
        mutation.cell_id = output.cell_id.or(mutation.cell_id.take());
        mutation.cell_type = output.cell_type.or(mutation.cell_type.take());
        self.patch = patch;
    }

    fn changed(&mut self, change: FileChange) {
        self.change = Some(change);
    }

    /// Takes what is known better, if it is.
    fn report(&mut self, patch: Option<Patch>) {
        if patch.is_some() {
            self.patch = patch;
        }
    }

    /// Without a structured result only words say whether the file was there.
    fn change_in_words(&self, text: &str) -> FileChange {
        let writes = self.tool() == Tool::Write;
        if writes && text.starts_with("File created") {
            FileChange::Created
        } else {
            FileChange::Modified
        }
    }
}

/// What the cell `id` of a notebook holds.
fn cell_source(notebook: &str, id: &str) -> Option<String> {
    let notebook: Value = serde_json::from_str(notebook).ok()?;
    let cells = notebook.get("cells")?.as_array()?;
    let cell = cells.iter().find(|cell| cell.get("id").and_then(Value::as_str) == Some(id))?;
    cell.get("source").map(joined)
}

/// The tools that change files.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Tool {
    Edit,
    MultiEdit,
    Write,
    Notebook,
}

/// What is replaced, by what, and whether everywhere.
pub(crate) type Step = (String, String, Option<bool>);

pub(crate) fn steps(edits: Vec<EditStep>) -> Vec<Step> {
    let step = |edit: EditStep| (edit.old_string, edit.new_string, edit.replace_all);
    edits.into_iter().map(step).collect()
}

fn mutations(steps: &[Step]) -> Vec<Mutation> {
    let mutation = |(old, new, all): &Step| Mutation {
        kind: MutationKind::Edit,
        old_content: Some(clip_text(old.as_str())),
        new_content: Some(clip_text(new.as_str())),
        replace_all: *all == Some(true),
        ..Mutation::default()
    };
    steps.iter().map(mutation).collect()
}
