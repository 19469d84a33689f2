//! One rule, and whether it is about a call.

use pilothouse_wire::permission::PermissionMode;
use pilothouse_wire::tool::{canonical, mcp_parts};

use super::Call;
use super::command::{Fit, Hidden, Pattern};
use super::glob::{Case, star};
use super::place::{Located, PathGlob, Place};
use super::shell::{Access, Certainty, Command, Part, Touch};
use super::subject::{SHELL_TOOLS, Subject, paths_in};
use super::verdict::RuleRef;

/// What a rule says.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Effect {
    Allow,
    Ask,
    Deny(String),
}

/// Which agents a rule is about.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Agents {
    All,
    /// The main thread only.
    Main,
    /// Any subagent.
    Sub,
    /// Subagents of these types.
    Types(Vec<String>),
}

/// One rule. An empty list is no restriction.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Rule {
    pub(crate) tools: Vec<String>,
    pub(crate) commands: Vec<Pattern>,
    pub(crate) hidden: Hidden,
    pub(crate) paths: Vec<PathGlob>,
    pub(crate) servers: Vec<String>,
    pub(crate) modes: Vec<PermissionMode>,
    pub(crate) agents: Agents,
    pub(crate) effect: Effect,
    pub(crate) reference: RuleRef,
}

/// What a call is decided by: each part of a command line, or the call as a whole.
#[derive(Clone, Copy)]
pub(crate) enum Item<'a> {
    Part(&'a Part),
    Whole(&'a Subject),
}

impl Rule {
    /// Whether the rule is about `item` of `call`. A rule that allows has no `Maybe`.
    pub(crate) fn fit(&self, call: &Call<'_>, item: Item<'_>, place: &Place) -> Fit {
        if !self.is_in_force(call) {
            return Fit::No;
        }
        match item {
            Item::Part(Part::Touch(touch)) => self.fits_touch(call, touch, place),
            Item::Part(Part::Run(command)) => self.fits_command(call, command, place),
            Item::Part(Part::Mention(command, certainty)) => {
                let fit = self.fits_command(call, command, place);
                if *certainty == Certainty::Guessed && self.is_narrow() {
                    fit.min(Fit::Maybe)
                } else {
                    fit
                }
            }
            Item::Part(Part::Opaque { text, .. }) => self.fits_opaque(call, text, place),
            Item::Whole(subject) => self.fits_whole(call, subject, place),
        }
    }

    /// Whether the rule names `tool` itself, not by a `*`.
    pub(crate) fn names(&self, tool: &str) -> bool {
        self.tools.iter().any(|name| canonical(name) == canonical(tool))
    }

    fn is_strict(&self) -> bool {
        self.effect == Effect::Allow
    }

    fn is_narrow(&self) -> bool {
        !self.commands.is_empty() || !self.paths.is_empty()
    }

    fn is_in_force(&self, call: &Call<'_>) -> bool {
        let mode = self.modes.is_empty() || self.modes.contains(call.mode);
        let agent = match (&self.agents, call.subagent) {
            (Agents::All, _) | (Agents::Main, None) | (Agents::Sub, Some(_)) => true,
            (Agents::Types(types), Some(agent)) => {
                types.iter().any(|kind| star(kind, agent, Case::Matters))
            }
            _ => false,
        };
        mode && agent
    }

    /// Whether the rule is for the tool. Servers are compared as they stand in tool names.
    fn is_for(&self, tool: &str) -> bool {
        let named = |name: &String| {
            canonical(name) == canonical(tool)
                || (name.contains('*')
                    && (star(name, tool, Case::Matters)
                        || star(name, canonical(tool), Case::Matters)))
        };
        let server = || mcp_parts(tool).map(|(server, _)| server);
        let spoken = |name: &str| name.replace(|c: char| !is_server_char(c), "_");
        (self.tools.is_empty() || self.tools.iter().any(named))
            && (self.servers.is_empty()
                || server().is_some_and(|server| {
                    self.servers.iter().any(|name| star(&spoken(name), server, Case::Matters))
                }))
    }

    fn fits_command(&self, call: &Call<'_>, command: &Command, place: &Place) -> Fit {
        let direct = self.is_for(call.tool);
        match (self.commands.is_empty(), self.paths.is_empty()) {
            (false, _) if !direct => Fit::No,
            (false, _) if self.is_strict() => {
                Fit::yes(self.commands.iter().any(|it| it.allows(command, self.hidden)))
            }
            (false, _) => {
                self.commands.iter().map(|it| it.catches(command)).max().unwrap_or(Fit::No)
            }
            (true, false) => {
                let words = command.words.iter().map(|word| word.text.as_str());
                self.may_be_about(call, words, place)
            }
            (true, true) => Fit::yes(direct),
        }
    }

    /// Rules about files are not told by a command what it does to them; those that deny or ask
    /// are about it where it names one.
    fn may_be_about<'a>(
        &self,
        call: &Call<'_>,
        words: impl Iterator<Item = &'a str>,
        place: &Place,
    ) -> Fit {
        let concerned = self.is_for(call.tool) || FILE_TOOLS.iter().any(|tool| self.is_for(tool));
        if self.is_strict() || !concerned {
            return Fit::No;
        }
        let caught =
            |path: Located| self.paths.iter().any(|glob| glob.matches(&path, place, Case::Ignored));
        Fit::maybe(paths_in(words, place).any(caught))
    }

    fn fits_opaque(&self, call: &Call<'_>, text: &str, place: &Place) -> Fit {
        let direct = self.is_for(call.tool);
        match (self.commands.is_empty(), self.paths.is_empty()) {
            (false, _) => Fit::maybe(direct && !self.is_strict()),
            (true, false) => {
                let words = text.split(|c: char| c.is_whitespace() || "'\"`;|&<>(){}$".contains(c));
                self.may_be_about(call, words, place)
            }
            (true, true) => Fit::yes(direct),
        }
    }

    /// A redirection is decided as the tool that would do the same to the file.
    fn fits_touch(&self, call: &Call<'_>, touch: &Touch, place: &Place) -> Fit {
        let like: &[&str] = match (touch.access, self.is_strict()) {
            (Access::Read, _) => &["Read"],
            (Access::Write, true) => &["Write"],
            (Access::Write, false) => &["Write", "Edit", "MultiEdit", "NotebookEdit"],
        };
        let concerned = self.is_for(call.tool) || like.iter().any(|tool| self.is_for(tool));
        if !concerned || !self.commands.is_empty() {
            return Fit::No;
        }
        let path = touch.path.as_deref().and_then(|path| place.locate(path));
        self.fits_file(path.as_ref(), place)
    }

    fn fits_whole(&self, call: &Call<'_>, subject: &Subject, place: &Place) -> Fit {
        if !self.is_for(call.tool) || !self.commands.is_empty() {
            return Fit::No;
        }
        match subject {
            _ if self.paths.is_empty() => Fit::Yes,
            Subject::Shell(_) => Fit::No,
            Subject::File(path) => self.fits_file(path.as_ref(), place),
            Subject::Search(dir) => self.fits_search(dir.as_ref(), place),
            Subject::Guesses(paths) => {
                let caught = |path: &Located| {
                    self.paths.iter().any(|glob| glob.matches(path, place, Case::Ignored))
                };
                Fit::maybe(!self.is_strict() && paths.iter().any(caught))
            }
        }
    }

    fn fits_file(&self, path: Option<&Located>, place: &Place) -> Fit {
        if self.paths.is_empty() {
            return Fit::Yes;
        }
        let matches =
            |path: &Located, case| self.paths.iter().any(|glob| glob.matches(path, place, case));
        match (path, self.is_strict()) {
            (Some(path), true) => Fit::yes(matches(path, Case::Matters)),
            (Some(path), false) if matches(path, Case::Ignored) => Fit::Yes,
            (Some(path), false) => Fit::maybe(path.is_magic()),
            (None, strict) => Fit::maybe(!strict),
        }
    }

    fn fits_search(&self, dir: Option<&Located>, place: &Place) -> Fit {
        let any = |test: &dyn Fn(&PathGlob) -> bool| self.paths.iter().any(test);
        match (dir, self.is_strict()) {
            (Some(dir), true) => Fit::yes(any(&|glob| glob.covers(dir, place, Case::Matters))),
            (Some(dir), false) if any(&|glob| glob.covers(dir, place, Case::Ignored)) => Fit::Yes,
            (Some(dir), false) => Fit::maybe(any(&|glob| {
                glob.matches(dir, place, Case::Ignored)
                    || glob.reaches_below(dir, place, Case::Ignored)
            })),
            (None, strict) => Fit::maybe(!strict),
        }
    }

    /// Whether a rule about commands can ever meet one.
    pub(crate) fn meets_shell(&self) -> bool {
        SHELL_TOOLS.iter().any(|tool| self.is_for(tool))
    }
}

/// Tools whose rules about paths say what a file is worth, whoever opens it.
const FILE_TOOLS: &[&str] = &["Read", "Edit", "Write", "MultiEdit", "NotebookEdit"];

fn is_server_char(c: char) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '*')
}
