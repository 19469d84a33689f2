//! One rule, and whether it is about a call.

use pilothouse_wire::permission::PermissionMode;
use pilothouse_wire::tool::canonical;

use super::Call;
use super::command::{Fit, Hidden, Pattern};
use super::glob::{Case, star};
use super::place::{Located, PathGlob, Place, Spelling};
use super::real::Real;
use super::server::Origin;
use super::shell::{Access, Certainty, Command, Part, Touch};
use super::subject::{Files, Piece, SHELL_TOOLS, Subject};
use super::tools::{self, Tool};
use super::verdict::RuleRef;
use super::words::{Meant, Named, Words};

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
    /// How a subagent that is started is set apart; `*` is any text.
    pub(crate) isolations: Vec<String>,
    pub(crate) effect: Effect,
    pub(crate) reach: Reach,
    pub(crate) reference: RuleRef,
}

/// What a call is decided by: each part of a command line, or the call as a whole.
#[derive(Clone, Copy)]
pub(crate) enum Item<'a> {
    Piece(&'a Piece),
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
            isolations: Vec::new(),
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
        let Piece { part, words } = match item {
            Item::Piece(piece) => piece,
            Item::Whole(subject) => return self.fits_whole(call, subject, place),
        };
        match part {
            Part::Touch(touch) => self.fits_touch(call, touch, place),
            Part::Run(command) => self.fits_command(call, command, words, place),
            Part::Mention(command, certainty) => {
                let fit = self.fits_command(call, command, words, place);
                if *certainty == Certainty::Guessed && self.is_narrow() {
                    fit.min(Fit::Maybe)
                } else {
                    fit
                }
            }
            Part::Words { .. } if self.paths.is_empty() => Fit::No,
            Part::Words { .. } => self.may_be_about(call, words, place),
            Part::Opaque { text, is_covered, .. } => {
                let text = if *is_covered { "" } else { text };
                self.fits_opaque(call, text, words, place)
            }
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
        mode && agent && self.fits_isolation(call)
    }

    fn fits_isolation(&self, call: &Call<'_>) -> bool {
        let isolation = || call.input.member("isolation").filter(|it| !it.is_null());
        self.isolations.is_empty()
            || isolation().is_some_and(|it| {
                let text = it.read::<String>().unwrap_or_else(|| it.get().to_owned());
                self.isolations.iter().any(|name| star(name, &text, Case::Matters))
            })
    }

    /// Whether the rule asks about every tool, without any restriction. The CLI knows better which
    /// calls need no question, so such a rule is silent about those.
    pub(crate) fn is_catch_all(&self) -> bool {
        let open = !self.is_narrow()
            && self.servers.is_empty()
            && self.sources.is_empty()
            && self.modes.is_empty()
            && self.isolations.is_empty()
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

    fn fits_command(
        &self,
        call: &Call<'_>,
        command: &Command,
        words: &Words,
        place: &Place,
    ) -> Fit {
        let direct = self.concerns(call) == Fit::Yes;
        match (self.commands.is_empty(), self.paths.is_empty()) {
            (false, _) if !direct => Fit::No,
            (false, _) if self.is_strict() => {
                Fit::yes(self.commands.iter().any(|it| it.allows(command, self.hidden)))
            }
            (false, _) => {
                self.commands.iter().map(|it| it.catches(command)).max().unwrap_or(Fit::No)
            }
            (true, false) => self.may_be_about(call, words, place),
            (true, true) => Fit::yes(direct),
        }
    }

    /// A command does not tell rules about files what it does to them; those that deny or ask are
    /// about it where it names one.
    fn may_be_about(&self, call: &Call<'_>, words: &Words, place: &Place) -> Fit {
        if self.is_strict() || !self.minds_commands(call) {
            return Fit::No;
        }
        let spellings = self.spellings(place);
        let named = |word: &Named| {
            let fits = word.paths.iter().map(|meant| {
                let fit = self.fits_word(&meant.path, call, place);
                if meant.is_sure { fit } else { fit.min(Fit::Maybe) }
            });
            let overlaps = |meant: &Meant| {
                self.paths.iter().any(|pattern| pattern.overlaps(&meant.path, place))
            };
            let may_be = || {
                word.is_glob && word.paths.iter().any(overlaps)
                    || spellings.iter().any(|spelling| spelling.is_in(&word.text))
            };
            match fits.max().unwrap_or(Fit::No) {
                Fit::No => Fit::maybe(may_be()),
                fit => fit,
            }
        };
        let fit = words.words.iter().map(named).max().unwrap_or(Fit::No);
        fit.max(Fit::maybe(words.is_cut))
    }

    /// Whether a rule about files is about commands that name them.
    fn minds_commands(&self, call: &Call<'_>) -> bool {
        self.concerns(call) != Fit::No
            || tools::writing().chain(["Read"]).any(|tool| self.names_tool(tool))
    }

    /// The texts by which a word can contain a guarded path without being it.
    fn spellings(&self, place: &Place) -> Vec<Spelling> {
        match self.reach {
            Reach::Guards => self.paths.iter().flat_map(|glob| glob.spellings(place)).collect(),
            Reach::Usual | Reach::EveryCall => Vec::new(),
        }
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

    fn fits_opaque(&self, call: &Call<'_>, text: &str, words: &Words, place: &Place) -> Fit {
        let direct = self.concerns(call) == Fit::Yes;
        match (self.commands.is_empty(), self.paths.is_empty()) {
            (false, _) => Fit::maybe(direct && !self.is_strict()),
            (true, false) => {
                let spelled = self.spellings(place).iter().any(|spelling| spelling.is_in(text));
                self.may_be_about(call, words, place).max(Fit::maybe(spelled))
            }
            (true, true) => Fit::yes(direct),
        }
    }

    /// A redirection is decided as the tool that would do the same to the file.
    fn fits_touch(&self, call: &Call<'_>, touch: &Touch, place: &Place) -> Fit {
        let named = match (touch.access, self.is_strict()) {
            (Access::Read, _) => self.names_tool("Read"),
            (Access::Write, true) => self.names_tool("Write"),
            (Access::Write, false) => tools::writing().any(|tool| self.names_tool(tool)),
        };
        let concerned = named || self.concerns(call) == Fit::Yes;
        if !concerned || !self.commands.is_empty() {
            return Fit::No;
        }
        let path = touch.path.as_deref().and_then(|path| place.locate(path));
        self.fits_file(path.as_ref(), call, place)
    }

    fn fits_whole(&self, call: &Call<'_>, subject: &Subject, place: &Place) -> Fit {
        // Whoever shows the model what is in a file reads it.
        let reads = tools::named(call.tool).is_some_and(Tool::reads)
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
            Subject::Search(dir) => self.fits_search(dir.as_ref(), call, place),
            Subject::Files(files) => self.fits_files(files, call, place),
        };
        fit.min(concerned)
    }

    fn matches(&self, path: &Located, place: &Place, case: Case) -> bool {
        self.paths.iter().any(|glob| glob.matches(path, place, case))
    }

    /// A rule that allows must fit all files, and know them.
    fn fits_files(&self, files: &Files, call: &Call<'_>, place: &Place) -> Fit {
        let paths = files.paths.iter();
        if self.is_strict() {
            let fits = |path: &Located| self.fits_file(Some(path), call, place) == Fit::Yes;
            let is_known = !files.is_cut && !files.is_guess && !files.paths.is_empty();
            return Fit::yes(is_known && paths.clone().all(fits));
        }
        let fit = paths.map(|path| match files.is_guess {
            true => self.fits_word(path, call, place).min(Fit::Maybe),
            false => self.fits_file(Some(path), call, place),
        });
        fit.max().unwrap_or(Fit::No).max(Fit::maybe(files.is_cut))
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

/// Whether `name`, in which `*` is any text, is the tool or an older name of it.
fn is_named(name: &str, tool: &str) -> bool {
    canonical(name) == canonical(tool)
        || (name.contains('*')
            && (star(name, tool, Case::Matters) || star(name, canonical(tool), Case::Matters)))
}
