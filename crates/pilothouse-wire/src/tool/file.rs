//! Reading and writing files: `Read`, `Edit`, `Write`, `NotebookEdit`.

use crate::field::Nullable;
use crate::raw::{Num, Raw};

object! {
    /// Input of `Read`.
    #[derive(Default)]
    pub struct ReadInput {
        /// The file.
        file_path: String,
        /// The first line.
        offset: Option<u64>,
        /// How many lines.
        limit: Option<u64>,
        /// Of a PDF, which pages: `1-5`.
        pages: Option<String>,
        /// Whether a large file may be read whole.
        allow_large: Option<bool>,
    }
}

tagged! {
    /// Output of `Read`.
    pub enum ReadOutput by "type" {
        /// Text.
        Text(ReadText) = "text",
        /// A picture.
        Image(ReadImage) = "image",
        /// A notebook.
        Notebook(ReadNotebook) = "notebook",
        /// A PDF, whole.
        Pdf(ReadPdf) = "pdf",
        /// A PDF, page by page.
        Parts(ReadParts) = "parts",
        /// The file has not changed since it was last read.
        Unchanged(ReadUnchanged) = "file_unchanged",
    }
}

object! {
    /// Text was read.
    #[derive(Default)]
    pub struct ReadText {
        /// The text and where it stands.
        file: TextFile,
        /// Where the file was an artifact.
        artifact_read as "artifactRead": Option<ArtifactVersion>,
    }
}

object! {
    /// Lines of a text file.
    #[derive(Default)]
    pub struct TextFile {
        /// The file.
        file_path as "filePath": String,
        /// The lines.
        content: Option<String>,
        /// How many lines these are.
        num_lines as "numLines": Option<u64>,
        /// The first of them.
        start_line as "startLine": Option<u64>,
        /// How many lines the file has.
        total_lines as "totalLines": Option<u64>,
        /// Whether there were too many tokens.
        truncated_by_token_cap as "truncatedByTokenCap": Option<bool>,
    }
}

object! {
    /// A version of an artifact.
    #[derive(Default)]
    pub struct ArtifactVersion {
        /// The artifact.
        slug: Option<String>,
        /// Its version.
        ver: Option<String>,
        /// Set to false where the reading does not count as a basis for edits.
        seeded: Option<bool>,
    }
}

object! {
    /// A picture was read.
    #[derive(Default)]
    pub struct ReadImage {
        /// The picture.
        file: ImageFile,
    }
}

object! {
    /// A picture.
    #[derive(Default)]
    pub struct ImageFile {
        /// Its bytes.
        base64: String,
        /// Its media type.
        media_type as "type": Option<String>,
        /// Its size on disk, in bytes.
        original_size as "originalSize": Option<u64>,
        /// Its size in pixels.
        dimensions: Option<ImageDimensions>,
    }
}

object! {
    /// Size of a picture in pixels.
    #[derive(Default)]
    pub struct ImageDimensions {
        /// Width on disk.
        original_width as "originalWidth": Option<Num>,
        /// Height on disk.
        original_height as "originalHeight": Option<Num>,
        /// Width as the model sees it.
        display_width as "displayWidth": Option<Num>,
        /// Height as the model sees it.
        display_height as "displayHeight": Option<Num>,
    }
}

object! {
    /// A notebook was read.
    #[derive(Default)]
    pub struct ReadNotebook {
        /// The notebook.
        file: NotebookFile,
    }
}

object! {
    /// A notebook.
    #[derive(Default)]
    pub struct NotebookFile {
        /// The file.
        file_path as "filePath": String,
        /// Its cells.
        cells: Vec<Raw>,
    }
}

object! {
    /// A PDF was read.
    #[derive(Default)]
    pub struct ReadPdf {
        /// The PDF.
        file: PdfFile,
    }
}

object! {
    /// A PDF.
    #[derive(Default)]
    pub struct PdfFile {
        /// The file.
        file_path as "filePath": String,
        /// Its bytes.
        base64: Option<String>,
        /// Its size on disk, in bytes.
        original_size as "originalSize": Option<u64>,
    }
}

object! {
    /// A PDF was read page by page.
    #[derive(Default)]
    pub struct ReadParts {
        /// Where the pages are.
        file: PartsFile,
        /// The first of them.
        first_page as "firstPage": Option<u64>,
        /// The pages.
        pages: Vec<PageImage>,
    }
}

object! {
    /// A PDF split into pages.
    #[derive(Default)]
    pub struct PartsFile {
        /// The file.
        file_path as "filePath": String,
        /// Its size on disk, in bytes.
        original_size as "originalSize": Option<u64>,
        /// How many pages.
        count: Option<u64>,
        /// Where they were put.
        output_dir as "outputDir": Option<String>,
    }
}

object! {
    /// One page as a picture.
    #[derive(Default)]
    pub struct PageImage {
        /// Its bytes.
        base64: Option<String>,
        /// Its media type.
        media_type as "mediaType": Option<String>,
        /// Why there is no picture.
        error: Option<String>,
    }
}

object! {
    /// The file has not changed since it was last read.
    #[derive(Default)]
    pub struct ReadUnchanged {
        /// The file.
        file: UnchangedFile,
    }
}

object! {
    /// A file that has not changed.
    #[derive(Default)]
    pub struct UnchangedFile {
        /// The file.
        file_path as "filePath": String,
    }
}

object! {
    /// Input of `Edit`.
    #[derive(Default)]
    pub struct EditInput {
        /// The file.
        file_path: String,
        /// What to replace.
        old_string: String,
        /// What to put there.
        new_string: String,
        /// Whether to replace it everywhere.
        replace_all: Option<bool>,
    }
}

object! {
    /// Output of `Edit`.
    #[derive(Default)]
    pub struct EditOutput {
        /// The file.
        file_path as "filePath": String,
        /// What was replaced.
        old_string as "oldString": Option<String>,
        /// What was put there.
        new_string as "newString": Option<String>,
        /// The file before; null where there was none or it is too large.
        original_file as "originalFile": Nullable<String>,
        /// What changed.
        structured_patch as "structuredPatch": Vec<Hunk>,
        /// Whether the user changed the edit.
        user_modified as "userModified": Option<bool>,
        /// Whether it was replaced everywhere.
        replace_all as "replaceAll": Option<bool>,
        /// The same as git sees it.
        git_diff as "gitDiff": Option<GitDiff>,
        /// Whether it is only staged.
        staged: Option<bool>,
        /// The model has not seen all of the file.
        content_not_in_model_context as "contentNotInModelContext": Option<bool>,
    }
}

object! {
    /// A piece of a patch.
    #[derive(Default)]
    pub struct Hunk {
        /// First line before.
        old_start as "oldStart": Option<u64>,
        /// How many lines before.
        old_lines as "oldLines": Option<u64>,
        /// First line after.
        new_start as "newStart": Option<u64>,
        /// How many lines after.
        new_lines as "newLines": Option<u64>,
        /// The lines, each after ` `, `+` or `-`.
        lines: Vec<String>,
    }
}

object! {
    /// A change as git sees it.
    #[derive(Default)]
    pub struct GitDiff {
        /// The file, in the repository.
        filename: Option<String>,
        /// `modified` or `added`.
        status: Option<String>,
        /// Lines added.
        additions: Option<u64>,
        /// Lines removed.
        deletions: Option<u64>,
        /// Both together.
        changes: Option<u64>,
        /// The patch.
        patch: Option<String>,
        /// `owner/name`.
        repository: Nullable<String>,
    }
}

object! {
    /// Input of `Write`.
    #[derive(Default)]
    pub struct WriteInput {
        /// The file.
        file_path: String,
        /// What is to be in it.
        content: String,
    }
}

object! {
    /// Output of `Write`.
    #[derive(Default)]
    pub struct WriteOutput {
        /// Whether the file is new.
        kind as "type": Option<WriteKind>,
        /// The file.
        file_path as "filePath": String,
        /// What is in it.
        content: Option<String>,
        /// What changed.
        structured_patch as "structuredPatch": Vec<Hunk>,
        /// The file before; null where there was none.
        original_file as "originalFile": Nullable<String>,
        /// The same as git sees it.
        git_diff as "gitDiff": Option<GitDiff>,
        /// Whether the user changed the content.
        user_modified as "userModified": Option<bool>,
        /// Whether it is only staged.
        staged: Option<bool>,
    }
}

words! {
    /// Whether a written file is new.
    pub enum WriteKind {
        Create = "create",
        Update = "update",
    }
}

object! {
    /// Input of `NotebookEdit`.
    #[derive(Default)]
    pub struct NotebookEditInput {
        /// The notebook.
        notebook_path: String,
        /// What is to be in the cell.
        new_source: Option<String>,
        /// The cell, or the one to insert after.
        cell_id: Option<String>,
        /// `code` or `markdown`.
        cell_type: Option<String>,
        /// What to do; `replace` where absent.
        edit_mode: Option<CellEdit>,
    }
}

words! {
    /// What to do with a cell.
    pub enum CellEdit {
        Replace = "replace",
        Insert = "insert",
        Delete = "delete",
    }
}

object! {
    /// Output of `NotebookEdit`.
    #[derive(Default)]
    pub struct NotebookEditOutput {
        /// The notebook.
        notebook_path: String,
        /// What is in the cell.
        new_source: Option<String>,
        /// What was in it.
        old_source: Option<String>,
        /// The cell.
        cell_id: Option<String>,
        /// `code` or `markdown`.
        cell_type: Option<String>,
        /// The notebook's language.
        language: Option<String>,
        /// What was done.
        edit_mode: Option<CellEdit>,
        /// What went wrong.
        error: Option<String>,
        /// The notebook before.
        original_file: Option<String>,
        /// The notebook after.
        updated_file: Option<String>,
    }
}
