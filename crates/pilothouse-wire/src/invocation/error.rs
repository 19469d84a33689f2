//! What cannot be said to the CLI, and what to do about it.
//!
//! No message holds a value that may be secret: settings, environment and MCP configurations are
//! named by their keys.

use std::fmt;
use std::path::PathBuf;

use super::flags::Flag;

/// A set of options that has no command line.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum InvocationError {
    /// A NUL byte, which neither arguments nor the environment can carry.
    Nul {
        /// Where it was found.
        what: String,
    },
    /// Nothing where something is needed.
    Empty {
        /// Where.
        what: String,
    },
    /// An id that is not a UUID.
    NotUuid {
        /// The flag it was meant for.
        flag: Flag,
        /// What was given.
        value: String,
    },
    /// A limit of zero, less, or not a number.
    NotPositive {
        /// The limit.
        flag: Flag,
    },
    /// An entry of a list that holds a character at which the CLI would cut it in two.
    Divided {
        /// The list.
        flag: Flag,
        /// The entry.
        entry: String,
    },
    /// A fallback that is the main model.
    FallbackIsModel {
        /// The model.
        model: String,
    },
    /// A permission rule that the CLI's flag parser would cut in two or join with its neighbour.
    TornRule {
        /// The flag.
        flag: Flag,
        /// The rule.
        rule: String,
    },
    /// `bypassPermissions` without the switch that allows it.
    BypassNotAllowed,
    /// JSON that has to be an object and is not.
    NotAnObject {
        /// What it was given for.
        what: String,
    },
    /// A path that the CLI would take for inline JSON.
    PathLooksInline {
        /// The flag.
        flag: Flag,
        /// The path.
        path: PathBuf,
    },
    /// Sandbox options next to a settings file, which cannot be merged without reading it.
    SandboxWithSettingsFile,
    /// Sandbox options next to inline settings that have their own.
    SandboxTwice,
    /// An MCP server that lacks what its kind needs. The CLI would drop it without a word.
    McpIncomplete {
        /// The server.
        server: String,
        /// What is missing.
        field: &'static str,
    },
    /// An MCP server whose fields are not those of its kind.
    McpMalformed {
        /// The server.
        server: String,
        /// What is wrong, without the values.
        problem: String,
    },
    /// An MCP time limit under a second.
    McpTimeout {
        /// The server.
        server: String,
    },
    /// An extra argument whose name is not one.
    ExtraName {
        /// The name.
        name: String,
    },
    /// An extra argument that has a typed option.
    ExtraTyped {
        /// The name.
        name: String,
        /// The flag that the typed option writes.
        flag: Flag,
    },
    /// An extra argument after which the CLI would not speak on its pipes.
    ExtraLeavesPipe {
        /// The name.
        name: String,
    },
    /// An argument or variable longer than the operating system takes.
    TooLong {
        /// The flag or variable.
        what: String,
        /// Its length in bytes.
        bytes: usize,
        /// The greatest length.
        limit: usize,
    },
    /// A command line longer than the operating system takes.
    CommandLineTooLong {
        /// Its length.
        length: usize,
        /// The greatest length.
        limit: usize,
    },
    /// An environment variable whose name is not one.
    EnvName {
        /// The name.
        name: String,
    },
    /// An environment variable that says who the host is; it has a typed option.
    EnvIdentity {
        /// The name.
        name: String,
    },
    /// An entrypoint that is not a plain word.
    EntrypointMalformed {
        /// What was given.
        value: String,
    },
    /// An entrypoint that belongs to another product.
    EntrypointTaken {
        /// What was given.
        value: String,
    },
    /// A host name or version that does not fit into a User-Agent.
    ClientAppMalformed {
        /// What was given.
        value: String,
    },
    /// A batch file in place of an executable.
    BatchFile {
        /// The path.
        path: PathBuf,
    },
}

impl std::error::Error for InvocationError {}

impl fmt::Display for InvocationError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Nul { what } => {
                write!(f, "{what} holds a NUL byte, which cannot be passed to a process: remove it")
            }
            Self::Empty { what } => write!(f, "{what} is empty: give a value or leave it out"),
            Self::NotUuid { flag, value } => write!(
                f,
                "{value:?} is not a UUID: {flag} takes an id like \
                 550e8400-e29b-41d4-a716-446655440000"
            ),
            Self::NotPositive { flag } => {
                write!(
                    f,
                    "{flag} must be greater than zero: raise it, or leave it out for no limit"
                )
            }
            Self::Divided { flag, entry } => write!(
                f,
                "{entry:?} would be read as several entries of {flag}: give each entry on its own, \
                 without commas, spaces or parentheses"
            ),
            Self::FallbackIsModel { model } => {
                write!(f, "the fallback model {model:?} is the main model: choose another, or none")
            }
            Self::TornRule { flag, rule } => write!(
                f,
                "the rule {rule:?} does not survive {flag}, which separates rules at commas and \
                 spaces outside one pair of parentheses: give each rule on its own, and put a rule \
                 with nested parentheses into the settings (permissions.allow, permissions.deny)"
            ),
            Self::BypassNotAllowed => f.write_str(
                "bypassPermissions has to be allowed on purpose: set allow_bypass as well, or \
                 choose another permission mode",
            ),
            Self::NotAnObject { what } => write!(f, "{what} must be a JSON object"),
            Self::PathLooksInline { flag, path } => write!(
                f,
                "{flag} would read the path {} as JSON because it begins with a brace: give an \
                 absolute path",
                path.display()
            ),
            Self::SandboxWithSettingsFile => f.write_str(
                "sandbox options cannot be merged into a settings file: put them into the file, or \
                 give the settings inline",
            ),
            Self::SandboxTwice => f.write_str(
                "the inline settings already have a \"sandbox\": set it there or as an option, not \
                 in both places",
            ),
            Self::McpIncomplete { server, field } => write!(
                f,
                "the MCP server {server:?} has no {field}: the CLI would drop it without a word, \
                 so add it or leave the server out"
            ),
            Self::McpMalformed { server, problem } => write!(
                f,
                "the MCP server {server:?} cannot be read: {problem}. A server is \
                 {{\"command\", \"args\", \"env\"}} or {{\"type\": \"http\" or \"sse\", \"url\", \
                 \"headers\"}}"
            ),
            Self::McpTimeout { server } => write!(
                f,
                "the time limit of the MCP server {server:?} is under one second: raise it, or \
                 leave it out"
            ),
            Self::ExtraName { name } => write!(
                f,
                "{name:?} is not the name of a flag: write it without dashes, in letters, digits \
                 and hyphens"
            ),
            Self::ExtraTyped { name, flag } => write!(
                f,
                "--{name} cannot be an extra argument because {flag} is written from the typed \
                 options: set it there"
            ),
            Self::ExtraLeavesPipe { name } => write!(
                f,
                "with --{name} the CLI does not speak stream-json on its pipes: leave it out"
            ),
            Self::TooLong { what, bytes, limit } => write!(
                f,
                "{what} is {bytes} bytes long and the system takes {limit}: send long values in \
                 the initialize request, or put them into a file and pass its path"
            ),
            Self::CommandLineTooLong { length, limit } => write!(
                f,
                "the command line is {length} long and the system takes {limit}: send prompts, \
                 schemas and plugins in the initialize request, and settings as a file"
            ),
            Self::EnvName { name } => write!(
                f,
                "{name:?} cannot name an environment variable: it must not be empty and must not \
                 hold '=' or NUL"
            ),
            Self::EnvIdentity { name } => write!(
                f,
                "{name} says who started the CLI and is not set by hand: use entrypoint and \
                 client_app"
            ),
            Self::EntrypointMalformed { value } => write!(
                f,
                "{value:?} is not an entrypoint: use 1 to 32 of a-z, 0-9, '_' and '-', beginning \
                 with a letter"
            ),
            Self::EntrypointTaken { value } => {
                write!(f, "the entrypoint {value:?} belongs to another product: use your own name")
            }
            Self::ClientAppMalformed { value } => write!(
                f,
                "{value:?} cannot stand in a User-Agent: use letters, digits, '.' and '-', and no \
                 more than 48 of them"
            ),
            Self::BatchFile { path } => write!(
                f,
                "{} is a batch file, and cmd.exe would interpret the arguments again: give the path \
                 of claude.exe or of cli.js",
                path.display()
            ),
        }
    }
}
