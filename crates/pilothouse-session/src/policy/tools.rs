//! The CLI's tools that open files, and where their inputs name them.

use pilothouse_wire::tool::canonical;

/// A built-in tool.
pub(crate) struct Tool {
    pub(crate) name: &'static str,
    pub(crate) takes: Takes,
    access: Access,
}

/// Where the input of a tool names files.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Takes {
    /// One file, under this key.
    File(&'static str),
    /// Files, if any, under these keys: a text, or a list of them.
    Files(&'static [&'static str]),
    /// A directory, under `path`.
    Dir,
    /// A directory, and a pattern that can lead out of it.
    Pattern,
    /// A resource of an MCP server, under `uri`.
    Resource,
    /// A server only.
    Server,
    /// Anything: each text may be a path.
    Any,
}

#[derive(Clone, Copy, PartialEq)]
enum Access {
    /// Shows what is in files, or sends it away.
    Reads,
    Writes,
    /// Shows names only.
    Lists,
}

const TOOLS: &[Tool] = &[
    Tool { name: "Read", takes: Takes::File("file_path"), access: Access::Reads },
    Tool { name: "Edit", takes: Takes::File("file_path"), access: Access::Writes },
    Tool { name: "Write", takes: Takes::File("file_path"), access: Access::Writes },
    Tool { name: "MultiEdit", takes: Takes::File("file_path"), access: Access::Writes },
    Tool { name: "NotebookEdit", takes: Takes::File("notebook_path"), access: Access::Writes },
    Tool { name: "NotebookRead", takes: Takes::File("notebook_path"), access: Access::Reads },
    Tool { name: "LSP", takes: Takes::File("filePath"), access: Access::Reads },
    Tool { name: "Grep", takes: Takes::Dir, access: Access::Reads },
    Tool { name: "LS", takes: Takes::Dir, access: Access::Lists },
    Tool { name: "Glob", takes: Takes::Pattern, access: Access::Lists },
    Tool {
        name: "Artifact",
        takes: Takes::Files(&["file_path", "file_paths", "out_dir"]),
        access: Access::Reads,
    },
    Tool { name: "Projects", takes: Takes::Files(&["local_path"]), access: Access::Reads },
    Tool { name: "Workflow", takes: Takes::Files(&["scriptPath"]), access: Access::Reads },
    Tool { name: "SendUserFile", takes: Takes::Any, access: Access::Reads },
    Tool { name: "ReadMcpResourceTool", takes: Takes::Resource, access: Access::Reads },
    Tool { name: "ReadMcpResourceDirTool", takes: Takes::Resource, access: Access::Reads },
    Tool { name: "ListMcpResourcesTool", takes: Takes::Server, access: Access::Lists },
];

/// The tool of that name, old or new.
pub(crate) fn named(tool: &str) -> Option<&'static Tool> {
    TOOLS.iter().find(|it| it.name == canonical(tool))
}

/// The tools that open files.
pub(crate) fn opening() -> impl Iterator<Item = &'static str> {
    TOOLS.iter().filter(|tool| tool.takes != Takes::Server).map(|tool| tool.name)
}

/// The tools that change files.
pub(crate) fn writing() -> impl Iterator<Item = &'static str> {
    TOOLS.iter().filter(|tool| tool.access == Access::Writes).map(|tool| tool.name)
}

impl Tool {
    /// Whether a rule that denies `Read`, or asks about it, is about this tool as well.
    pub(crate) fn reads(&self) -> bool {
        self.access == Access::Reads
    }

    /// Whether its input names an MCP server.
    pub(crate) fn is_of_server(&self) -> bool {
        matches!(self.takes, Takes::Resource | Takes::Server)
    }
}
