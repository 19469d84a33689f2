//! A command line taken apart into what it would run, read and write.
//!
//! The grammar is tree-sitter's for bash: it answers for every text, keeps the place of every
//! token, and cannot hang or overflow. It is laxer than bash, so its tree is not believed as it
//! stands: every byte must belong to a token that is understood here, words must be apart where
//! bash needs them apart and together where bash joins them, and whatever is not on the list of
//! understood things makes the statement [`Part::Opaque`]. What is opaque is never matched by a
//! rule about commands, so a wrong reading costs a question, not a file.

mod known;
mod redirect;
mod tree;
mod word;
mod wrap;

use std::ops::ControlFlow;

use tree_sitter::{ParseOptions, Parser};

pub(crate) use known::{
    is_code_word, is_declaration, is_harmless_environment, is_risky, must_be_spelled, reads_options,
};
use tree::Walk;

/// Longer texts are not taken apart.
const MAX_LENGTH: usize = 64 * 1024;
/// For each here-document the grammar looks through all that follows.
const MAX_HERE_DOCUMENTS: usize = 256;
/// Scripts inside scripts: `sh -c "sh -c …"`.
const MAX_LEVEL: usize = 4;
/// How much work the grammar may make of one text; it reports every few hundred steps.
const MAX_STEPS: usize = 20_000;

/// What a command line comes to.
#[derive(Clone, Debug, Default)]
pub(crate) struct Script {
    pub(crate) parts: Vec<Part>,
}

/// One thing that a command line does.
#[derive(Clone, Debug)]
pub(crate) enum Part {
    /// It runs this. Must be allowed.
    Run(Command),
    /// It is about this, in a way that only rules which deny or ask look at: the `timeout` around a
    /// command, the command after `sudo`.
    Mention(Command, Certainty),
    /// It holds these words as data: the list of a loop, the value of a variable. Only rules about
    /// files that deny or ask look at them.
    Words {
        words: Vec<Word>,
        /// As they were written.
        text: String,
    },
    /// It opens this file. Must be allowed.
    Touch(Touch),
    /// It does something that cannot be read off. Rules about commands do not allow it.
    Opaque {
        /// What.
        why: &'static str,
        /// Where.
        text: String,
        /// Whether another opaque part holds the same text and more.
        is_covered: bool,
    },
}

/// How a part changes the directory.
pub(crate) enum Move<'a> {
    To(&'a Word),
    Home,
    Unknown,
}

impl Part {
    pub(crate) fn opaque(why: &'static str, text: impl Into<String>) -> Self {
        Self::Opaque { why, text: text.into(), is_covered: false }
    }

    /// Whether only rules that deny or ask look at it.
    pub(crate) fn is_mention(&self) -> bool {
        matches!(self, Self::Mention(..) | Self::Words { .. })
    }

    /// The directory in which what follows may happen.
    pub(crate) fn moves_to(&self) -> Option<Move<'_>> {
        match self {
            Self::Run(command) | Self::Mention(command, _) => command.moves_to(),
            Self::Touch(_) | Self::Words { .. } => None,
            Self::Opaque { .. } => Some(Move::Unknown),
        }
    }
}

/// Whether a [`Part::Mention`] is known or guessed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Certainty {
    Known,
    Guessed,
}

/// A simple command.
#[derive(Clone, Debug, Default)]
pub(crate) struct Command {
    /// Variables set for it.
    pub(crate) assigns: Vec<Assign>,
    /// Its name and arguments.
    pub(crate) words: Vec<Word>,
    /// As it was written, for people.
    pub(crate) text: String,
    /// Up to this word, an allowing pattern must spell it out: the `apt` of `sudo apt update`.
    pub(crate) spelled: usize,
    /// Whether its words were taken from another command, which is a part as well.
    pub(crate) is_derived: bool,
}

impl Command {
    fn moves_to(&self) -> Option<Move<'_>> {
        let (name, arguments) = self.words.split_first()?;
        let Some(name) = name.as_plain() else { return Some(Move::Unknown) };
        if !known::may_move(name) {
            return None;
        }
        let is_option = |word: &&Word| matches!(&*word.text, "-P" | "-L" | "-e" | "-@" | "--");
        let rest: Vec<&Word> = arguments.iter().skip_while(is_option).collect();
        Some(match (name, &rest[..]) {
            ("cd", []) => Move::Home,
            ("cd" | "pushd", [target]) if target.is_directory() => Move::To(target),
            _ => Move::Unknown,
        })
    }
}

/// A variable that is set.
#[derive(Clone, Debug)]
pub(crate) struct Assign {
    pub(crate) name: String,
    pub(crate) value: Word,
}

/// A word.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Word {
    /// Without its quotes; with variables as they were written.
    pub(crate) text: String,
    pub(crate) kind: Kind,
    /// Whether it starts with a tilde that the shell replaces.
    pub(crate) tilde: bool,
}

/// How much of a word is known before it runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Kind {
    /// All.
    Plain,
    /// It becomes words that can be read off: names of files, or a list in braces.
    Spread,
    /// It holds a variable or the output of a command.
    Hidden,
}

impl Word {
    pub(crate) fn plain(text: impl Into<String>) -> Self {
        Self { text: text.into(), kind: Kind::Plain, tilde: false }
    }

    pub(crate) fn hidden(text: impl Into<String>) -> Self {
        Self { text: text.into(), kind: Kind::Hidden, tilde: false }
    }

    /// Whether it names one directory to change to.
    fn is_directory(&self) -> bool {
        let below_home = ["$HOME", "${HOME}"].iter().find_map(|home| self.text.strip_prefix(home));
        let rest = below_home.unwrap_or(&self.text);
        let is_known = self.kind != Kind::Spread && !rest.contains(['$', '`']);
        is_known && !self.text.starts_with(['-', '+'])
    }

    pub(crate) fn as_plain(&self) -> Option<&str> {
        (self.kind == Kind::Plain).then_some(self.text.as_str())
    }
}

/// A file that is opened by a redirection.
#[derive(Clone, Debug)]
pub(crate) struct Touch {
    pub(crate) access: Access,
    /// The file, or `None` where it is not known before it runs.
    pub(crate) path: Option<String>,
    /// As it was written.
    pub(crate) text: String,
}

/// What a file is opened for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Access {
    Read,
    Write,
}

/// Which shell reads the text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Dialect {
    Bash,
    /// `sh`, which may be one that does not know `$'…'`.
    Posix,
}

impl Script {
    /// Takes `text` apart. Every text has a script, if only one opaque part.
    pub(crate) fn parse(text: &str) -> Self {
        let mut parts = Vec::new();
        parse_into(&mut parts, text, Dialect::Bash, 0);
        // After a change of directory, a relative path is anywhere.
        if parts.iter().any(|part| part.moves_to().is_some()) {
            for part in &mut parts {
                if let Part::Touch(touch) = part {
                    touch.path = touch.path.take().filter(|path| path.starts_with(['/', '~']));
                }
            }
        }
        // Something has to be decided, if only by rules for the tool as a whole.
        if parts.iter().all(Part::is_mention) {
            parts.push(Part::Run(Command { text: text.to_owned(), ..Command::default() }));
        }
        Self { parts }
    }
}

/// The same text in ASCII. Beyond it, all characters that got here are letters of a word to the
/// shell, but the grammar's scanner, which is C, uses them as index into a table of 256.
fn mask(text: &str) -> String {
    let letter = |c: char| if c.is_ascii() { c.to_string() } else { "x".repeat(c.len_utf8()) };
    text.chars().map(letter).collect()
}

fn parse_into(parts: &mut Vec<Part>, text: &str, dialect: Dialect, level: usize) {
    let mut refuse = |why| parts.push(Part::opaque(why, text));
    if text.len() > MAX_LENGTH {
        return refuse("is too long to be read");
    }
    if text.matches("<<").count() > MAX_HERE_DOCUMENTS {
        return refuse("may hold too many here-documents to be read");
    }
    if level > MAX_LEVEL {
        return refuse("is nested too deeply");
    }
    if text.chars().any(known::is_invisible) {
        return refuse("holds a character that cannot be seen");
    }
    let mut parser = Parser::new();
    if parser.set_language(&tree_sitter_bash::LANGUAGE.into()).is_err() {
        return refuse("cannot be read: the grammar is of another version");
    }
    let mut steps = 0;
    let mut step = |_: &_| {
        steps += 1;
        if steps > MAX_STEPS { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    };
    let options = ParseOptions::new().progress_callback(&mut step);
    let masked = mask(text);
    let bytes = masked.as_bytes();
    let tree = parser.parse_with_options(&mut |at, _| &bytes[at..], None, Some(options));
    let Some(tree) = tree else {
        return refuse("takes too long to read");
    };
    let has_error = tree.root_node().has_error();
    if has_error {
        refuse("cannot be read as shell");
    }
    let mut walk = Walk::new(text, dialect, level, parts);
    walk.is_covered = has_error;
    walk.program(tree.root_node());
}
