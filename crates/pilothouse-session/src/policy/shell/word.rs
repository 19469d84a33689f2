//! Words: quotes taken off, and how much of each is known before it runs.

use tree_sitter::Node;

use super::tree::{Read, Refusal, Walk, children};
use super::{Dialect, Kind, Word, known};

const SIGNS: Refusal = "holds a sign inside a word that is not understood";
const EXPANSION: Refusal = "holds an expansion that is more than a variable";

/// A word while it is put together.
#[derive(Default)]
struct Draft {
    text: String,
    spread: bool,
    hidden: bool,
    tilde: bool,
    /// An open brace, and then what makes a list of it.
    brace: bool,
    list: bool,
    /// Whether the last character was an unquoted dot.
    dot: bool,
    begun: bool,
}

impl Draft {
    fn finish(self) -> Word {
        let kind = match self {
            Draft { hidden: true, .. } => Kind::Hidden,
            Draft { spread: true, .. } | Draft { brace: true, list: true, .. } => Kind::Spread,
            _ => Kind::Plain,
        };
        Word { text: self.text, kind, tilde: self.tilde }
    }
}

impl Walk<'_> {
    /// The word that `node` is; commands substituted in it become parts.
    pub(super) fn word(&mut self, node: Node<'_>) -> Read<Word> {
        let mut draft = Draft::default();
        if node.kind() == "concatenation" {
            let mut at = node.start_byte();
            for piece in children(node) {
                if piece.start_byte() != at {
                    return Err("holds words that may be joined or not");
                }
                self.piece(piece, &mut draft)?;
                at = piece.end_byte();
            }
        } else {
            self.piece(node, &mut draft)?;
        }
        Ok(draft.finish())
    }

    fn piece(&mut self, node: Node<'_>, draft: &mut Draft) -> Read<()> {
        let text = self.text(node);
        match node.kind() {
            "word" | "number" if node.child_count() == 0 => unquoted(text, draft)?,
            // A dollar sign that starts nothing.
            "$" => draft.text.push('$'),
            "raw_string" => {
                let inner = text.strip_prefix('\'').and_then(|text| text.strip_suffix('\''));
                let inner = inner.filter(|inner| !inner.contains('\'')).ok_or(SIGNS)?;
                draft.text.push_str(inner);
            }
            "ansi_c_string" => {
                let inner = text.strip_prefix("$'").and_then(|text| text.strip_suffix('\''));
                let inner = inner.filter(|_| self.dialect == Dialect::Bash).ok_or(SIGNS)?;
                // `\x72\x6d` is a way to write a name that nobody reads.
                draft.hidden |= inner.contains('\\');
                draft.text.push_str(inner);
            }
            "string" => self.quoted(node, draft)?,
            "brace_expression" => {
                draft.spread = true;
                draft.text.push_str(text);
            }
            _ => {
                self.expansion(node)?;
                draft.hidden = true;
                draft.text.push_str(text);
            }
        }
        draft.begun = true;
        Ok(())
    }

    /// A string in double quotes.
    fn quoted(&mut self, node: Node<'_>, draft: &mut Draft) -> Read<()> {
        let end = node.end_byte().saturating_sub(1);
        let (text, mut at) = (self.text(node), node.start_byte() + 1);
        if text.len() < 2 || !text.starts_with('"') || !text.ends_with('"') {
            return Err(SIGNS);
        }
        for piece in children(node).filter(is_expansion) {
            plain_in_quotes(self.slice(at, piece.start_byte()), &mut draft.text)?;
            self.expansion(piece)?;
            draft.hidden = true;
            draft.text.push_str(self.text(piece));
            at = piece.end_byte();
        }
        plain_in_quotes(self.slice(at, end), &mut draft.text)
    }

    /// A variable, or commands whose output is put there.
    pub(super) fn expansion(&mut self, node: Node<'_>) -> Read<()> {
        let text = self.text(node);
        match node.kind() {
            "simple_expansion" => {
                let name = text.strip_prefix('$').ok_or(SIGNS)?;
                let one = name.len() == 1 && "0123456789@*#?$!-_".contains(name);
                (one || known::is_name(name)).then_some(()).ok_or(SIGNS)
            }
            "expansion" => {
                let inner = text.strip_prefix("${").and_then(|text| text.strip_suffix('}'));
                let name = inner.map(|inner| inner.strip_prefix('#').unwrap_or(inner));
                name.is_some_and(known::is_name).then_some(()).ok_or(EXPANSION)
            }
            "arithmetic_expansion" => {
                let plain = |c: char| c.is_ascii_digit() || " $()+-*/%".contains(c);
                text.chars().all(plain).then_some(()).ok_or(EXPANSION)
            }
            "command_substitution" => {
                let quoted = text.starts_with('`') && text.contains('\\');
                if quoted || !text.ends_with([')', '`']) {
                    return Err("holds a substitution that is not understood");
                }
                self.group(node)
            }
            "process_substitution" if self.dialect == Dialect::Bash => self.group(node),
            _ => Err(SIGNS),
        }
    }

    /// The lines of a here-document whose end is not quoted.
    pub(super) fn here_text(&mut self, node: Node<'_>, start: usize, end: usize) -> Read<()> {
        let mut at = start;
        for piece in children(node).filter(is_expansion) {
            plain_in_quotes(
                &self.slice(at, piece.start_byte()).replace('"', ""),
                &mut String::new(),
            )?;
            self.expansion(piece)?;
            at = piece.end_byte();
        }
        plain_in_quotes(&self.slice(at, end).replace('"', ""), &mut String::new())
    }
}

fn is_expansion(node: &Node<'_>) -> bool {
    !matches!(node.kind(), "\"" | "$" | "string_content" | "heredoc_content")
}

/// Text outside quotes: nothing in it may mean anything to the shell.
fn unquoted(text: &str, draft: &mut Draft) -> Read<()> {
    let mut chars = text.chars();
    let mut first = !draft.begun;
    while let Some(c) = chars.next() {
        let dot = std::mem::replace(&mut draft.dot, c == '.');
        match c {
            '\\' => match chars.next() {
                Some('\n') | None => return Err("holds words that may be joined or not"),
                Some(c) => {
                    draft.text.push(c);
                    first = false;
                    continue;
                }
            },
            '*' | '?' | '[' => draft.spread = true,
            '{' => draft.brace = true,
            ',' => draft.list |= draft.brace,
            '.' if dot => draft.list |= draft.brace,
            '~' if first => draft.tilde = true,
            // zsh replaces `=name` by the path of that command.
            '=' if first => draft.hidden = true,
            '#' if first => return Err(SIGNS),
            '$' | '`' | '"' | '\'' | ';' | '&' | '|' | '<' | '>' | '(' | ')' => return Err(SIGNS),
            _ if c.is_whitespace() || c.is_control() => return Err(SIGNS),
            _ => {}
        }
        draft.text.push(c);
        first = false;
    }
    Ok(())
}

/// Text inside double quotes, between expansions.
fn plain_in_quotes(text: &str, out: &mut String) -> Read<()> {
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            '\\' => match chars.next() {
                Some('\n') => {}
                Some(c @ ('$' | '`' | '"' | '\\')) => out.push(c),
                Some(c) => out.extend(['\\', c]),
                None => return Err(SIGNS),
            },
            '"' | '`' => return Err(SIGNS),
            '$' => {
                let starts = |c: &char| c.is_alphanumeric() || "_{([@*#?!$-'\"\\".contains(*c);
                if chars.peek().is_some_and(starts) {
                    return Err(SIGNS);
                }
                out.push(c);
            }
            _ => out.push(c),
        }
    }
    Ok(())
}
