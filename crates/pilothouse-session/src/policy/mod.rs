//! Rules that answer approvals: TOML in, a decision and its reason out.
//!
//! A [`Policy`] is a list of rules, a [`PolicySet`] a list of policies. The first rule that is about
//! a call decides it; where there is none, a person is asked. Nothing here reads a file, an
//! environment or a clock.
//!
//! ```
//! use pilothouse_session::policy::{Call, Level, Place, Policy, PolicySet, Preset, Verdict};
//! use pilothouse_wire::Raw;
//! use pilothouse_wire::permission::PermissionMode;
//!
//! let text = r#"
//!     [[rule]]
//!     tool = ["Read", "Edit", "Write"]
//!     path = ["~/.ssh/**", "**/.env"]
//!     deny = "Secrets stay where they are."
//!
//!     [[rule]]
//!     tool = "Bash"
//!     command = ["git status", "git diff *", "cargo test *"]
//!     then = "allow"
//!
//!     [[rule]]
//!     tool = ["Edit", "Write"]
//!     path = "src/**"
//!     mode = "acceptEdits"
//!     subagent = false
//!     then = "allow"
//!
//!     [[rule]]
//!     server = "github"
//!     tool = "mcp__*__get_*"
//!     then = "allow"
//! "#;
//! let mine = Policy::parse("policy.toml", text, Level::User)?;
//! let policies = PolicySet::new([mine, Preset::Supervised.policy()]);
//!
//! let place = Place { home: Some("/home/me".into()), ..Place::at("/home/me/app") };
//! let decide = |command: &str| {
//!     let input = Raw::from(serde_json::json!({ "command": command }));
//!     let mode = PermissionMode::Default;
//!     policies.decide(&Call::new("Bash", &input, &mode), &place)
//! };
//! assert_eq!(decide("git diff --stat && cargo test").verdict, Verdict::Allow);
//! assert_eq!(decide("git status; rm -rf ~").verdict, Verdict::Ask);
//! assert_eq!(decide("git status > ~/.bashrc").verdict, Verdict::Ask);
//! assert_eq!(
//!     decide("git status").because.to_string(),
//!     "allowed by rule 2 (user policy.toml:7): tool `Bash`, command `git status` or `git diff *` \
//!      or `cargo test *`; decided by `git status`",
//! );
//! # Ok::<(), pilothouse_session::policy::PolicyError>(())
//! ```
//!
//! # A rule
//!
//! | key | is about |
//! |---|---|
//! | `tool` | the tool's name; `*` is any text. Old and new names of a tool are one |
//! | `command` | simple commands of tools that run a shell; see below |
//! | `variables` | `true` lets `*` in `command` stand for words with variables too |
//! | `path` | files; see below |
//! | `server` | an MCP server; its tools and what they read for the model |
//! | `source` | where that server is configured: `user`, `project`, `local`, `dynamic`, … |
//! | `mode` | the permission mode at the time of the call |
//! | `subagent` | `true` in a subagent, `false` in the main thread, or types of subagents |
//! | `isolation` | how a subagent that is started is set apart: `worktree`, `remote`; `*` is any text |
//! | `then` | `"allow"` or `"ask"` |
//! | `deny` | denies; the text is what the model is told |
//!
//! All keys of a rule must fit; of a list, one entry. A rule has one of `then` and `deny`, and never
//! both `command` and `path`. What is misspelt is an error, since a rule that never matches protects
//! nobody.
//!
//! # Strict and greedy
//!
//! A rule that allows must fit for certain. A rule that denies or asks also acts where it only may
//! fit: where a name comes out of a variable, where words stand between those of its pattern, where
//! the path is missing. Then a person is asked, and told which rule it may be.
//!
//! # Commands
//!
//! A command line is parsed as bash and taken apart; every simple command in it is decided by
//! itself, be it in a pipeline, a loop, a substitution or a here-document. All must be allowed for
//! the whole to be; one that is denied denies it. What cannot be read for sure is never allowed by
//! a rule with `command`; a rule for the tool as a whole allows it.
//!
//! - `git status` is these two words; `git diff *` any that start so; `npm run test:*` any text in
//!   the word; `npm * test` any one word there. `*` alone is any command that can be read.
//! - `*` stands for words that can be read off, file names and lists in braces included. Words with
//!   variables or the output of commands are matched only by rules with `variables = true`.
//! - `*` does not stand for options that make a reading command write or run (`find -delete`,
//!   `git -c`, `sort -o`). A pattern that means them spells them. Since a variable may hold one,
//!   commands with such options take no variables.
//! - A variable set before a command must be a harmless one (`NO_COLOR=1`), or stand in the pattern:
//!   `FOO=* make *`. So must one that is exported.
//! - `timeout`, `nice`, `nohup`, `time`, `env`, `command`, `exec`, `xargs`, `find -exec`, `eval` and
//!   `sh -c` are looked through: what they run is what counts. After `sudo` and its like the pattern
//!   must spell the command: `sudo apt *`, never `sudo *`.
//! - Writing to a file by `>` is decided as a call of `Write` for that file, `<` as one of `Read`,
//!   or by a rule for the shell tool with `path`. `2>&1` and `/dev/null` are harmless.
//! - A rule that denies a file asks about commands that name it.
//!
//! What a program does with its arguments is not known here: whoever allows `python *` allows
//! everything. Aliases and functions of the user's own shell are not seen. Where that shell is zsh,
//! the line is still read as bash; the differences that could hide a command are not understood
//! here and hence asked.
//!
//! # Paths
//!
//! `src/**` is below any working directory of the [`Place`], `~/x` below the home, `/x` below the
//! root. `*` and `?` stay in one segment, `**` is any number of them, and `dir/**` is `dir` too.
//! Paths are made absolute and freed of `..` by their letters alone. Links are resolved by the host
//! ([`paths`], [`RealPaths`]): a rule that allows must fit the path as written and the real one, a
//! rule that denies one of them. A path that cannot be resolved is never allowed by a rule with
//! `path`, and may be denied by any. A rule that allows heeds case, one that denies does not. A
//! search (`Grep`, `Glob`, `LS`) is allowed only if all below its directory is, and asked if
//! something below it is denied. A rule that denies `Read` also denies the other tools that show
//! what is in a file: `Grep`, `NotebookRead`, `LSP`, resources of MCP servers.
//!
//! # Servers
//!
//! A rule that names a server, or tools by `mcp__server__…`, is matched against the server that the
//! CLI names. To allow, it must also say `source` for servers that the user has not configured
//! himself (those of a project or a plugin). An older CLI names no server; then exactly one
//! configured server must be able to have a tool of that name, or nothing is allowed.
//!
//! # What the CLI does not ask
//!
//! A host sees every call before it runs and asks [`PolicySet::decide_unasked`]. Rules that deny
//! hold there, and so do rules that ask about less than everything. A rule that asks about every
//! tool (`tool = "*"` and nothing else) does not ask about what the CLI allows by itself.
//!
//! # For people
//!
//! No rule can answer a question (`AskUserQuestion`) with yes, not even those of the preset
//! `autonomous`; a rule may deny it. Leaving plan mode (`ExitPlanMode`) is asked unless a rule
//! allows it by name: `tool = "*"` does not. The preset `autonomous` names it.
//!
//! # Whom to trust
//!
//! A policy of the level [`Level::Project`] was written by whoever wrote the project, who need not be
//! trusted. So it can only make things stricter, wherever it stands in a set: what it denies is
//! denied and what it asks is asked even if the user's policies allow it, while what it allows is
//! decided by those alone. Nor does its `ask` soften what they deny.

mod command;
mod error;
mod glob;
mod guard;
mod mention;
mod parse;
mod place;
mod preset;
mod real;
mod remembered;
mod rule;
mod server;
mod set;
mod shell;
mod subject;
mod tools;
mod verdict;
mod words;

use pilothouse_wire::Raw;
use pilothouse_wire::permission::{McpServerRef, PermissionMode};

pub use error::{PolicyError, Problem};
pub use guard::{PROTECTED, check_path};
pub use mention::{MAX_MENTIONS, Mention, mentions};
pub use place::Place;
pub use preset::Preset;
pub use real::RealPaths;
pub use remembered::rule_matches;
pub use set::{Otherwise, PolicySet};
pub use subject::paths;
pub use verdict::{Decision, Explanation, Ground, Level, Outcome, RuleRef, Verdict};

/// A call of a tool that waits for an answer.
#[derive(Clone, Copy, Debug)]
pub struct Call<'a> {
    /// The tool.
    pub tool: &'a str,
    /// What it is to be called with.
    pub input: &'a Raw,
    /// The permission mode of the session.
    pub mode: &'a PermissionMode,
    /// The type of the subagent that calls, or `None` in the main thread. Where only its id is
    /// known, any text that is no type will do.
    pub subagent: Option<&'a str>,
    /// The MCP server that the CLI names for the call. Older CLIs name none.
    pub server: Option<&'a McpServerRef>,
    /// The MCP servers that are configured, or `None` where that is not known.
    pub servers: Option<&'a [McpServerRef]>,
    /// Where the paths of the call lead, or `None` where nobody has looked.
    pub real: Option<&'a RealPaths>,
}

impl<'a> Call<'a> {
    /// A call in the main thread of which nothing else is known.
    pub fn new(tool: &'a str, input: &'a Raw, mode: &'a PermissionMode) -> Self {
        Self { tool, input, mode, subagent: None, server: None, servers: None, real: None }
    }
}

/// Rules from one file.
#[derive(Clone, Debug, PartialEq)]
pub struct Policy {
    name: String,
    level: Level,
    rules: Vec<rule::Rule>,
}

impl Policy {
    /// Reads a policy. `source_name` is what errors and explanations call the file.
    pub fn parse(source_name: &str, text: &str, level: Level) -> Result<Self, PolicyError> {
        parse::policy(source_name, text, level)
    }

    /// What it is called.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Where it comes from.
    pub fn level(&self) -> Level {
        self.level
    }

    /// Its rules, in order.
    pub fn rules(&self) -> impl Iterator<Item = &RuleRef> {
        self.rules.iter().map(|rule| &rule.reference)
    }

    /// How many rules it has.
    pub fn len(&self) -> usize {
        self.rules.len()
    }

    /// Whether it has no rules.
    pub fn is_empty(&self) -> bool {
        self.rules.is_empty()
    }
}
