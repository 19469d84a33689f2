//! One rule, and whether it is about a call.

use pilothouse_wire::permission::PermissionMode;
use pilothouse_wire::tool::canonical;

use super::Call;
use super::command::{Fit, Hidden, Pattern};
use super::glob::{Case, star};
use super::place::{Located, PathGlob, Place};
use super::real::Real;
use super::server::Origin;
use super::shell::{Access, Certainty, Command, Part, Touch};
use super::subject::{SHELL_TOOLS, Subject, paths_in, words_of};
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

/// How far a rule goes beyond what its keys say.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Reach {
    /// No further.
    Usual,
    /// Guards its paths: a command that names one is denied, not only asked about.
    Guards,
    /// Asks about every call, also about those that the CLI would allow by itself.
    EveryCall,
}

/// One rule. An empty list is no restriction.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Rule {
    pub(crate) tools: Vec<String>,
    pub(crate) commands: Vec<Pattern>,
    pub(crate) hidden: Hidden,
    pub(crate) paths: Vec<PathGlob>,
    pub(crate) servers: Vec<String>,
    pub(crate) sources: Vec<String>,
    pub(crate) modes: Vec<PermissionMode>,
    pub(crate) agents: Agents,
    pub(crate) effect: Effect,
    pub(crate) reach: Reach,
    pub(crate) reference: RuleRef,
}

/// What a call is decided by: each part of a command line, or the call as a whole.
#[derive(Clone, Copy)]
pub(crate) enum Item<'a> {
    Part(&'a Part),
    Whole(&'a Subject),
}

impl Rule {
    /// A rule that asks about everything, to be restricted.
    pub(crate) fn blank(reference: RuleRef) -> Self {
        Self {
            tools: Vec::new(),
            commands: Vec::new(),
            hidden: Hidden::Refused,
            paths: Vec::new(),
            servers: Vec::new(),
            sources: Vec::new(),
            modes: Vec::new(),
            agents: Agents::All,
            effect: Effect::Ask,
            reach: Reach::Usual,
            reference,
        }
    }

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

    /// Whether the rule asks about every tool, without any restriction. The CLI knows better which
    /// calls need no question, so such a rule is silent about those.
    pub(crate) fn is_catch_all(&self) -> bool {
        let open = !self.is_narrow()
            && self.servers.is_empty()
            && self.sources.is_empty()
            && self.modes.is_empty()
            && self.agents == Agents::All;
        self.effect == Effect::Ask
            && self.reach != Reach::EveryCall
            && open
            && self.tools.iter().any(|tool| tool == "*")
    }

    /// Whether the rule is for the built-in tool `tool`.
    fn names_tool(&self, tool: &str) -> bool {
        let anywhere = self.servers.is_empty() && self.sources.is_empty();
        anywhere && (self.tools.is_empty() || self.tools.iter().any(|name| is_named(name, tool)))
    }

    /// Whether the rule is for the tool and the server of a call.
    fn concerns(&self, call: &Call<'_>) -> Fit {
        let origin = Origin::of(call);
        let is_mcp = !matches!(origin, Origin::None);
        let strict = self.is_strict();
        let fits = |name: &&String| match name.starts_with("mcp__") {
            true if strict && is_mcp => origin.allows_tool(name, call.tool),
            _ => is_named(name, call.tool),
        };
        // By these alone no server is meant in particular.
        let is_general = |name: &String| !name.starts_with("mcp__") && is_named(name, call.tool);
        let restricted = !self.servers.is_empty() || !self.sources.is_empty();
        let tool = Fit::yes(self.tools.is_empty() || self.tools.iter().any(|name| fits(&name)));
        let server = match self.servers.is_empty() {
            true => Fit::yes(self.sources.is_empty() || is_mcp),
            false => origin.fits_names(&self.servers, strict),
        };
        let by_name = !self.tools.is_empty() && !self.tools.iter().any(is_general);
        let source = match restricted || by_name {
            true if is_mcp => origin.fits_sources(&self.sources, strict),
            _ => Fit::Yes,
        };
        tool.min(server).min(source)
    }

    fn fits_command(&self, call: &Call<'_>, command: &Command, place: &Place) -> Fit {
        let direct = self.concerns(call) == Fit::Yes;
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

    /// A command does not tell rules about files what it does to them; those that deny or ask are
    /// about it where it names one.
    fn may_be_about<'a>(
        &self,
        call: &Call<'_>,
        words: impl Iterator<Item = &'a str>,
        place: &Place,
    ) -> Fit {
        let concerned =
            self.concerns(call) != Fit::No || FILE_TOOLS.iter().any(|tool| self.names_tool(tool));
        if self.is_strict() || !concerned {
            return Fit::No;
        }
        let named = |word: &'a str| {
            let paths = paths_in(std::iter::once(word), place);
            let fits = paths.map(|path| self.fits_word(&path, call, place)).max();
            fits.unwrap_or(Fit::No).max(Fit::maybe(self.may_become(word, place)))
        };
        words.map(named).max().unwrap_or(Fit::No)
    }

    /// Whether a word of a command that means `path` is one of the rule's files.
    fn fits_word(&self, path: &Located, call: &Call<'_>, place: &Place) -> Fit {
        let matches = |path: &Located| self.matches(path, place, Case::Ignored);
        let sure = if self.reach == Reach::Guards { Fit::Yes } else { Fit::Maybe };
        match Real::of(path, call.real, place) {
            _ if matches(path) => sure,
            Real::To(real) if real.iter().any(matches) => sure,
            Real::Unknown => Fit::Maybe,
            Real::To(_) | Real::NotAsked => Fit::No,
        }
    }

    /// Whether a word may become, or contains, one of the rule's files: `~/.s*`, `~/.{ssh,aws}`,
    /// `python -c "open('/home/me/.ssh/id')"`.
    fn may_become(&self, word: &str, place: &Place) -> bool {
        let contains = |text: String| {
            let ends = |rest: &str| !rest.starts_with(|c: char| c.is_alphanumeric() || c == '_');
            word.match_indices(&text).any(|(at, _)| ends(&word[at + text.len()..]))
        };
        let guards = self.reach == Reach::Guards;
        if guards && self.paths.iter().any(|glob| glob.spellings(place).into_iter().any(contains)) {
            return true;
        }
        let Some(at) = word.find(['*', '?', '[', '{']) else { return false };
        let (dir, start) = word[..at].rsplit_once('/').unwrap_or((".", &word[..at]));
        let dir = if dir.is_empty() { "/" } else { dir };
        // The shell's `*` does not stand for names that begin with a dot.
        if start.is_empty() && !word[at..].starts_with('{') {
            return false;
        }
        let dir = paths_in(std::iter::once(dir), place).next();
        dir.is_some_and(|dir| self.paths.iter().any(|glob| glob.may_start_with(&dir, start, place)))
    }

    fn fits_opaque(&self, call: &Call<'_>, text: &str, place: &Place) -> Fit {
        let direct = self.concerns(call) == Fit::Yes;
        match (self.commands.is_empty(), self.paths.is_empty()) {
            (false, _) => Fit::maybe(direct && !self.is_strict()),
            (true, false) => {
                let guards = self.reach == Reach::Guards && self.may_become(text, place);
                self.may_be_about(call, words_of(text), place).max(Fit::maybe(guards))
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
        let concerned =
            self.concerns(call) == Fit::Yes || like.iter().any(|tool| self.names_tool(tool));
        if !concerned || !self.commands.is_empty() {
            return Fit::No;
        }
        let path = touch.path.as_deref().and_then(|path| place.locate(path));
        self.fits_file(path.as_ref(), call, place)
    }

    fn fits_whole(&self, call: &Call<'_>, subject: &Subject, place: &Place) -> Fit {
        // Whoever shows the model what is in a file reads it.
        let shows = matches!(subject, Subject::Resource(_));
        let reads = (shows || READING_TOOLS.contains(&canonical(call.tool)))
            && !self.is_strict()
            && !self.paths.is_empty()
            && self.names_tool("Read");
        let concerned = if reads { Fit::Yes } else { self.concerns(call) };
        if concerned == Fit::No || !self.commands.is_empty() {
            return Fit::No;
        }
        let fit = match subject {
            _ if self.paths.is_empty() => Fit::Yes,
            Subject::Shell(_) => Fit::No,
            Subject::File(path) | Subject::Resource(path) => {
                self.fits_file(path.as_ref(), call, place)
            }
            Subject::Search(dir) => self.fits_search(dir.as_ref(), call, place),
            Subject::Guesses(paths) => {
                let caught = |path: &Located| self.fits_word(path, call, place) != Fit::No;
                Fit::maybe(!self.is_strict() && paths.iter().any(caught))
            }
        };
        fit.min(concerned)
    }

    fn matches(&self, path: &Located, place: &Place, case: Case) -> bool {
        self.paths.iter().any(|glob| glob.matches(path, place, case))
    }

    /// A file is allowed where both the path as written and the real one are; it is denied where
    /// either is.
    fn fits_file(&self, path: Option<&Located>, call: &Call<'_>, place: &Place) -> Fit {
        if self.paths.is_empty() {
            return Fit::Yes;
        }
        let Some(path) = path else { return Fit::maybe(!self.is_strict()) };
        let real = Real::of(path, call.real, place);
        if self.is_strict() {
            let matches = |path: &Located| self.matches(path, place, Case::Matters);
            let really = match &real {
                Real::NotAsked => true,
                Real::To(real) => real.iter().all(matches),
                Real::Unknown => false,
            };
            return Fit::yes(matches(path) && really);
        }
        let matches = |path: &Located| self.matches(path, place, Case::Ignored);
        match real {
            _ if matches(path) => Fit::Yes,
            Real::To(real) if real.iter().any(matches) => Fit::Yes,
            Real::Unknown => Fit::Maybe,
            Real::To(_) | Real::NotAsked => Fit::maybe(path.is_magic()),
        }
    }

    fn fits_search(&self, dir: Option<&Located>, call: &Call<'_>, place: &Place) -> Fit {
        let Some(dir) = dir else { return Fit::maybe(!self.is_strict()) };
        let any = |test: &dyn Fn(&PathGlob) -> bool| self.paths.iter().any(test);
        let real = Real::of(dir, call.real, place);
        if self.is_strict() {
            let covers = |dir: &Located| any(&|glob| glob.covers(dir, place, Case::Matters));
            let really = match &real {
                Real::NotAsked => true,
                Real::To(real) => real.iter().all(covers),
                Real::Unknown => false,
            };
            return Fit::yes(covers(dir) && really);
        }
        let caught = |dir: &Located| match self.matches(dir, place, Case::Ignored) {
            true => Fit::Yes,
            false => Fit::maybe(any(&|glob| glob.reaches_below(dir, place, Case::Ignored))),
        };
        let really = match real {
            Real::NotAsked => Fit::No,
            Real::To(real) => real.iter().map(caught).max().unwrap_or(Fit::No),
            Real::Unknown => Fit::Maybe,
        };
        caught(dir).max(really)
    }

    /// Whether a rule about commands can ever meet one.
    pub(crate) fn meets_shell(&self) -> bool {
        SHELL_TOOLS.iter().any(|tool| self.names_tool(tool))
    }
}

/// Tools whose rules about paths say what a file is worth, whoever opens it.
const FILE_TOOLS: &[&str] = &["Read", "Edit", "Write", "MultiEdit", "NotebookEdit"];

/// Tools that read files by another name. A rule that denies `Read`, or asks about it, is about them.
const READING_TOOLS: &[&str] = &["Grep", "LSP", "NotebookRead"];

/// Whether `name`, in which `*` is any text, is the tool or an older name of it.
fn is_named(name: &str, tool: &str) -> bool {
    canonical(name) == canonical(tool)
        || (name.contains('*')
            && (star(name, tool, Case::Matters) || star(name, canonical(tool), Case::Matters)))
}
