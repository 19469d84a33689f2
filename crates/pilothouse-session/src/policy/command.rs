//! Command patterns: `git diff *`.
//!
//! A pattern is a list of words. A lone `*` at the end stands for any words or none, elsewhere for
//! exactly one; inside a word it stands for any text. Quotes keep blanks and stars as they are.
//! Allowing is strict, denying and asking are greedy: see [`Pattern::allows`] and
//! [`Pattern::catches`].

use super::glob::{Case, star};
use super::shell::{
    Command, Kind, Word, is_code_word, is_declaration, is_harmless_environment, is_risky,
    must_be_spelled, reads_options,
};

/// How sure it is that a rule is about something.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Fit {
    No,
    /// It depends on what is only known when it runs.
    Maybe,
    Yes,
}

impl Fit {
    pub(crate) fn yes(it: bool) -> Self {
        if it { Self::Yes } else { Self::No }
    }

    pub(crate) fn maybe(it: bool) -> Self {
        if it { Self::Maybe } else { Self::No }
    }
}

/// A command pattern.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Pattern {
    /// Variables set before the command, with their values.
    assigns: Vec<(String, Slot)>,
    words: Vec<Slot>,
    /// Whether more words may follow.
    open: bool,
}

/// A word of a pattern, as pieces of text with any text between them.
#[derive(Clone, Debug, PartialEq)]
struct Slot(Vec<String>);

impl Slot {
    fn is_any(&self) -> bool {
        self.0.len() > 1 && self.0.iter().all(String::is_empty)
    }

    fn is_literal(&self) -> bool {
        self.0.len() == 1
    }

    fn matches(&self, text: &str, case: Case) -> bool {
        // A star that was quoted must not act as one; no word holds a NUL.
        let quoted = |text: &str| text.replace('*', "\0");
        let pattern: Vec<String> = self.0.iter().map(|piece| quoted(piece)).collect();
        star(&pattern.join("*"), &quoted(text), case)
    }
}

/// Why a command pattern is none.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum BadPattern {
    Empty,
    OpenQuote,
    Sign(char),
}

impl Pattern {
    pub(crate) fn parse(text: &str) -> Result<Self, BadPattern> {
        let mut slots = split(text)?;
        if slots.is_empty() {
            return Err(BadPattern::Empty);
        }
        let mut assigns = Vec::new();
        while let Some((name, value)) = slots.first().and_then(as_assign) {
            assigns.push((name, value));
            slots.remove(0);
        }
        let open = slots.last().is_some_and(Slot::is_any);
        if open {
            slots.pop();
        }
        Ok(Self { assigns, words: slots, open })
    }

    /// Whether a rule that allows may take `command` for one of its own. `hidden` says whether `*`
    /// also stands for words that hold variables or the output of commands.
    pub(crate) fn allows(&self, command: &Command, hidden: Hidden) -> bool {
        let Some(name) = command.words.first() else {
            return self.words.is_empty() && !self.open && self.allows_assigns(command, hidden);
        };
        let Some(name) = name.as_plain().filter(|name| !name.contains('=')) else { return false };
        let spelled = self.words.iter().take_while(|slot| slot.is_literal()).count();
        let strict = command.spelled > 0 || must_be_spelled(name);
        if strict && spelled <= command.spelled {
            return false;
        }
        // Options are those of the command behind `sudo`.
        let name = command.words.get(command.spelled).and_then(Word::as_plain).unwrap_or(name);
        let (have, want) = (command.words.len(), self.words.len());
        if have < want || (have > want && !self.open) {
            return false;
        }
        let fits = |(at, word): (usize, &Word)| match self.words.get(at) {
            Some(slot) if !slot.is_any() => word.as_plain().is_some_and(|text| {
                let risky = is_declaration(name, text) || is_risky(name, text);
                let spelled = !risky || slot.is_literal() || slot.names(text);
                slot.matches(text, Case::Matters) && spelled && !is_code_word(name, text)
            }),
            _ => at == 0 || stands_for(name, word, hidden),
        };
        command.words.iter().enumerate().all(fits) && self.allows_assigns(command, hidden)
    }

    fn allows_assigns(&self, command: &Command, hidden: Hidden) -> bool {
        let named = command.assigns.iter().all(|assign| {
            let known = assign.value.kind == Kind::Plain || hidden == Hidden::Allowed;
            let wanted = self.assigns.iter().any(|(name, value)| {
                *name == assign.name && value.matches(&assign.value.text, Case::Matters)
            });
            known && (wanted || is_harmless_environment(&assign.name))
        });
        let there = |name: &str| command.assigns.iter().any(|assign| assign.name == name);
        named && self.assigns.iter().all(|(name, _)| there(name))
    }

    /// Whether a rule that denies or asks is about `command`: certainly, if its words stand there
    /// in a row; perhaps, if they stand there with others between them, or may come out of a
    /// variable.
    pub(crate) fn catches(&self, command: &Command) -> Fit {
        let there = |name: &str| command.assigns.iter().any(|assign| assign.name == name);
        if !self.assigns.iter().all(|(name, _)| there(name)) {
            return Fit::No;
        }
        let Some(name) = command.words.first() else {
            return Fit::yes(self.words.is_empty() && !self.assigns.is_empty());
        };
        let Some(slot) = self.words.first() else { return Fit::Yes };
        match name.as_plain() {
            None => return Fit::Maybe,
            Some(name) if !names(slot, name) => return Fit::No,
            Some(_) => {}
        }
        let (slots, words) = (&self.words[1..], &command.words[1..]);
        let in_row = slots.len() <= words.len()
            && (self.open || slots.len() == words.len())
            && slots.iter().zip(words).all(|(slot, word)| {
                slot.is_any()
                    || (word.kind == Kind::Plain && slot.matches(&word.text, Case::Matters))
            });
        if in_row {
            return Fit::Yes;
        }
        let mut left = words.iter();
        let scattered = slots
            .iter()
            .all(|slot| left.any(|word| slot.is_any() || slot.matches(&word.text, Case::Matters)));
        let unknown = words.iter().any(|word| word.kind != Kind::Plain);
        Fit::maybe(scattered || unknown)
    }
}

/// Whether `*` stands for words that are only known when they run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Hidden {
    Refused,
    Allowed,
}

/// Whether a `*` may stand for `word`.
fn stands_for(name: &str, word: &Word, hidden: Hidden) -> bool {
    match word.kind {
        Kind::Plain => {
            !is_risky(name, &word.text)
                && !is_code_word(name, &word.text)
                && !is_declaration(name, &word.text)
        }
        // A list or the names of files may come out as options.
        Kind::Spread => {
            let safe_start =
                word.text.starts_with(|c: char| c.is_alphanumeric() || "./~_".contains(c));
            (safe_start || !reads_options(name)) && !is_code_word(name, &format!("[{}", word.text))
        }
        // So may the value of a variable.
        Kind::Hidden => {
            hidden == Hidden::Allowed && !reads_options(name) && !is_code_word(name, "$")
        }
    }
}

impl Slot {
    /// Whether the name of the variable or option, up to its `=`, is spelled.
    fn names(&self, word: &str) -> bool {
        let name = word.split_inclusive('=').next().unwrap_or(word);
        self.0.first().is_some_and(|first| first.starts_with(name))
    }
}

/// Whether the name of a command is meant: wherever it lies, and however it is written on file
/// systems that ignore case.
fn names(slot: &Slot, name: &str) -> bool {
    let base = name.rsplit('/').next().unwrap_or(name).to_lowercase();
    let base = base.strip_suffix(".exe").unwrap_or(&base);
    slot.matches(name, Case::Ignored) || slot.matches(base, Case::Ignored)
}

fn as_assign(slot: &Slot) -> Option<(String, Slot)> {
    let (name, rest) = slot.0.first()?.split_once('=')?;
    let is_name = name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
        && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    let mut pieces = slot.0.clone();
    pieces[0] = rest.to_owned();
    is_name.then(|| (name.to_owned(), Slot(pieces)))
}

fn split(text: &str) -> Result<Vec<Slot>, BadPattern> {
    let mut slots = Vec::new();
    let mut slot: Option<Vec<String>> = None;
    let mut quote = None;
    for c in text.chars() {
        if quote.is_none() && c.is_whitespace() {
            slots.extend(slot.take().map(Slot));
            continue;
        }
        let pieces = slot.get_or_insert_with(|| vec![String::new()]);
        match (quote, c) {
            (Some(open), _) if c == open => quote = None,
            (None, '\'' | '"') => quote = Some(c),
            (None, '*') => pieces.push(String::new()),
            (None, ';' | '&' | '|' | '<' | '>' | '`' | '(' | ')' | '$') => {
                return Err(BadPattern::Sign(c));
            }
            _ => pieces.last_mut().into_iter().for_each(|piece| piece.push(c)),
        }
    }
    slots.extend(slot.map(Slot));
    if quote.is_some() { Err(BadPattern::OpenQuote) } else { Ok(slots) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::policy::shell::{Part, Script};

    fn command(text: &str) -> Command {
        let script = Script::parse(text);
        let run = |part: &Part| match part {
            Part::Run(command) => Some(command.clone()),
            _ => None,
        };
        script.parts.iter().find_map(run).unwrap()
    }

    fn allows(pattern: &str, text: &str) -> bool {
        Pattern::parse(pattern).unwrap().allows(&command(text), Hidden::Refused)
    }

    fn catches(pattern: &str, text: &str) -> Fit {
        Pattern::parse(pattern).unwrap().catches(&command(text))
    }

    #[test]
    fn stars_are_words_or_text_in_a_word() {
        assert!(allows("git diff *", "git diff"));
        assert!(allows("git diff *", "git diff --stat a b"));
        assert!(!allows("git diff", "git diff a"));
        assert!(!allows("git diff *", "git difftool a"));
        assert!(allows("npm run test:*", "npm run test:unit"));
        assert!(!allows("npm run test:*", "npm run build"));
        assert!(allows("npm * test", "npm run test"));
        assert!(!allows("npm * test", "npm run a test"));
        assert!(allows("echo 'a * b'", "echo 'a * b'"));
        assert!(!allows("echo 'a * b'", "echo 'a c b'"));
        assert!(allows("sort --output=* *", "sort --output=x y"));
        assert!(!allows("sort --*", "sort --output=x"));
        assert!(!allows("find . -*", "find . -delete"));
        assert!(allows("sudo find *", "sudo find ."));
        assert!(!allows("sudo find *", "sudo find . -delete"));
        assert!(!allows("sudo A=1 *", "sudo A=1 rm x"));
    }

    #[test]
    fn denying_is_greedy() {
        assert_eq!(catches("rm *", "/bin/rm x"), Fit::Yes);
        assert_eq!(catches("rm *", "RM x"), Fit::Yes);
        assert_eq!(catches("rm *", "rmdir x"), Fit::No);
        assert_eq!(catches("git push *", "git -C x push"), Fit::Maybe);
        assert_eq!(catches("git push *", "git $X"), Fit::Maybe);
        assert_eq!(catches("git push", "git push origin"), Fit::Maybe);
        assert_eq!(catches("git push *", "git status"), Fit::No);
    }

    #[test]
    fn patterns_hold_no_shell_signs() {
        assert_eq!(Pattern::parse("a; b"), Err(BadPattern::Sign(';')));
        assert_eq!(Pattern::parse("echo $X"), Err(BadPattern::Sign('$')));
        assert_eq!(Pattern::parse("echo 'a"), Err(BadPattern::OpenQuote));
        assert_eq!(Pattern::parse("  "), Err(BadPattern::Empty));
    }
}
