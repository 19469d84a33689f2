//! Statements: what a tree of the grammar runs.

use tree_sitter::Node;

use super::redirect;
use super::{Assign, Command, Dialect, Part, Word, known, wrap};

/// Deeper trees are not followed.
const MAX_DEPTH: usize = 64;
/// Larger scripts are not followed.
const MAX_PARTS: usize = 1_000;

/// Why something is not understood.
pub(super) type Refusal = &'static str;
pub(super) type Read<T> = Result<T, Refusal>;

/// A walk through one tree.
pub(super) struct Walk<'a> {
    pub(super) src: &'a str,
    pub(super) dialect: Dialect,
    pub(super) level: usize,
    pub(super) parts: &'a mut Vec<Part>,
    depth: usize,
    /// Whether the rest of the text has become one opaque part.
    is_full: bool,
    /// Whether the whole text is an opaque part.
    pub(super) is_covered: bool,
    /// Opaque parts of this text that no other one covers.
    refused: Vec<usize>,
}

impl<'a> Walk<'a> {
    pub(super) fn new(
        src: &'a str,
        dialect: Dialect,
        level: usize,
        parts: &'a mut Vec<Part>,
    ) -> Self {
        let refused = Vec::new();
        Self { src, dialect, level, parts, depth: 0, is_full: false, is_covered: false, refused }
    }

    /// The whole text. The tree may begin after and end before it.
    pub(super) fn program(&mut self, root: Node<'_>) {
        let (start, end) = (root.start_byte(), root.end_byte());
        let around = [self.slice(0, start), self.slice(end, self.src.len())];
        if !around.iter().all(|text| is_between(text)) {
            self.refuse("cannot be read as shell", root);
        }
        self.statement(root);
    }

    pub(super) fn text(&self, node: Node<'_>) -> &'a str {
        self.slice(node.start_byte(), node.end_byte())
    }

    /// The text from `start` to `end`; where that is none, a text that nothing understands.
    pub(super) fn slice(&self, start: usize, end: usize) -> &'a str {
        self.src.get(start..end).unwrap_or("\0")
    }

    fn refuse(&mut self, why: Refusal, node: Node<'_>) {
        self.refuse_text(why, self.text(node));
    }

    fn refuse_text(&mut self, why: Refusal, text: &str) {
        self.refused.push(self.parts.len());
        self.parts.push(Part::Opaque { why, text: text.to_owned(), is_covered: self.is_covered });
    }

    /// One statement. What is not understood becomes an opaque part; the rest is read on, since
    /// rules that deny want to see all of it.
    pub(super) fn statement(&mut self, node: Node<'_>) {
        if self.depth >= MAX_DEPTH {
            return self.refuse("is nested too deeply", node);
        }
        if self.is_full {
            return;
        }
        // One statement can add several parts, so the limit may have been passed already.
        if self.parts.len() >= MAX_PARTS {
            self.is_full = true;
            let rest = self.slice(node.start_byte(), self.src.len());
            return self.refuse_text("does too many things", rest);
        }
        self.depth += 1;
        let inner = self.refused.len();
        if let Err(why) = self.read_statement(node) {
            if !self.is_full {
                for at in self.refused.drain(inner..) {
                    if let Some(Part::Opaque { is_covered, .. }) = self.parts.get_mut(at) {
                        *is_covered = true;
                    }
                }
            }
            self.refuse(why, node);
        }
        self.depth -= 1;
    }

    fn read_statement(&mut self, node: Node<'_>) -> Read<()> {
        match node.kind() {
            "command" => self.command(node),
            "declaration_command" | "unset_command" => self.declaration(node),
            "variable_assignment" | "variable_assignments" => self.assignments(node),
            "test_command" => self.test(node),
            "redirected_statement" => self.redirected(node),
            "compound_statement" if self.text(node).starts_with("((") => {
                Err("computes with values that are only known when it runs")
            }
            "program" | "list" | "pipeline" | "subshell" | "negated_command"
            | "compound_statement" | "if_statement" | "elif_clause" | "else_clause"
            | "while_statement" | "do_group" | "case_statement" | "case_item" | "for_statement" => {
                self.group(node)
            }
            "function_definition" | "c_style_for_statement" => {
                for child in children(node) {
                    if matches!(child.kind(), "compound_statement" | "do_group" | "subshell") {
                        self.statement(child);
                    }
                }
                Err(if node.kind() == "function_definition" {
                    "defines a function"
                } else {
                    "computes with values that are only known when it runs"
                })
            }
            _ => Err("holds a construct that is not understood"),
        }
    }

    /// Statements with words and signs between them.
    pub(super) fn group(&mut self, node: Node<'_>) -> Read<()> {
        let mut last: Option<Node<'_>> = None;
        let mut refusal = Ok(());
        for child in children(node) {
            let gap = last.map_or("", |last| self.slice(last.end_byte(), child.start_byte()));
            if !is_between(gap) {
                refusal = Err("holds something between its words that is not understood");
            }
            let gap = gap.replace("\\\n", "");
            let clause =
                matches!(child.kind(), "elif_clause" | "else_clause" | "do_group" | "case_item");
            let runs_on = !gap.contains('\n')
                && !clause
                && last.is_some_and(|last| is_statement(last) && is_statement(child));
            let glued = gap.is_empty() && last.is_some_and(|last| matches!(last.kind(), "{" | "!"));
            if runs_on || glued {
                refusal = Err("cannot be read as shell");
            }
            if let Err(why) = self.member(node, child) {
                refusal = Err(why);
            }
            last = Some(child);
        }
        refusal
    }

    fn member(&mut self, group: Node<'_>, child: Node<'_>) -> Read<()> {
        match child.kind() {
            "comment" => self.comment(child),
            "variable_name" if group.kind() == "for_statement" => {
                let (name, value) = (self.text(child).to_owned(), Word::hidden(""));
                let text = name.clone();
                self.run(Command {
                    assigns: vec![Assign { name, value }],
                    text,
                    ..Command::default()
                });
                Ok(())
            }
            "file_redirect" | "herestring_redirect" => redirect::redirect(self, child),
            kind if !child.is_named() => {
                known::is_sign(kind).then_some(()).ok_or("holds a sign that is not understood")
            }
            _ if is_statement(child) => {
                self.statement(child);
                Ok(())
            }
            "extglob_pattern" if group.kind() == "case_item" => {
                let plain = |c: char| c.is_ascii_alphanumeric() || "*?._-/".contains(c);
                let known = self.text(child).chars().all(plain);
                known.then_some(()).ok_or("holds a pattern that is not understood")
            }
            _ if group.kind() == "for_statement" => {
                let word = self.word(child)?;
                self.words(vec![word], child);
                Ok(())
            }
            _ if matches!(group.kind(), "case_statement" | "case_item") => {
                self.word(child).map(drop)
            }
            _ => Err("holds a construct that is not understood"),
        }
    }

    /// The grammar finds comments in more places than bash does; text hidden in one must not be
    /// a command.
    fn comment(&mut self, node: Node<'_>) -> Read<()> {
        let before = self.slice(0, node.start_byte());
        let continued = before.ends_with("\\\n");
        let last = before.chars().next_back();
        let starts = !continued && last.is_none_or(|c| " \t\n;&|()".contains(c));
        let one_line = !self.text(node).contains('\n');
        (starts && one_line).then_some(()).ok_or("holds something that may be a comment or not")
    }

    fn redirected(&mut self, node: Node<'_>) -> Read<()> {
        let mut refusal = Ok(());
        let mut last: Option<Node<'_>> = None;
        for child in children(node) {
            if let Some(last) = last {
                self.apart(last, child).unwrap_or_else(|why| refusal = Err(why));
            }
            if redirect::is_redirect(child) {
                redirect::redirect(self, child).unwrap_or_else(|why| refusal = Err(why));
            } else {
                self.statement(child);
            }
            last = Some(child);
        }
        refusal
    }

    /// A simple command.
    fn command(&mut self, node: Node<'_>) -> Read<()> {
        let mut command = Command { text: self.text(node).to_owned(), ..Command::default() };
        let mut last: Option<Node<'_>> = None;
        let mut refusal = Ok(());
        for child in children(node) {
            if let Some(last) = last {
                self.apart(last, child).unwrap_or_else(|why| refusal = Err(why));
            }
            let read = match child.kind() {
                "variable_assignment" => self.assign(child).map(|it| command.assigns.push(it)),
                "command_name" => match child.child(0) {
                    Some(name) if child.child_count() == 1 => {
                        self.word(name).map(|word| command.words.push(word))
                    }
                    _ => Err("cannot be read as shell"),
                },
                _ if redirect::is_redirect(child) => redirect::redirect(self, child),
                _ => self.word(child).map(|word| command.words.push(word)),
            };
            read.unwrap_or_else(|why| refusal = Err(why));
            last = Some(child);
        }
        // Also where a part of it is not understood: what denies wants to see the rest.
        self.run(command);
        refusal
    }

    /// `export`, `declare` and their like; `unset`.
    fn declaration(&mut self, node: Node<'_>) -> Read<()> {
        let mut command = Command { text: self.text(node).to_owned(), ..Command::default() };
        let mut last: Option<Node<'_>> = None;
        for child in children(node) {
            if let Some(last) = last {
                self.apart(last, child)?;
            }
            command.words.push(match child.kind() {
                "variable_assignment" => {
                    let Assign { name, value } = self.assign(child)?;
                    Word { text: format!("{name}={}", value.text), ..value }
                }
                "variable_name" => Word::plain(self.text(child)),
                _ if !child.is_named() => Word::plain(self.text(child)),
                _ => self.word(child)?,
            });
            last = Some(child);
        }
        self.run(command);
        Ok(())
    }

    /// Assignments without a command.
    fn assignments(&mut self, node: Node<'_>) -> Read<()> {
        let mut command = Command { text: self.text(node).to_owned(), ..Command::default() };
        if node.kind() == "variable_assignment" {
            command.assigns.push(self.assign(node)?);
        } else {
            let mut last: Option<Node<'_>> = None;
            for child in children(node) {
                if let Some(last) = last {
                    self.apart(last, child)?;
                }
                command.assigns.push(self.assign(child)?);
                last = Some(child);
            }
        }
        self.run(command);
        Ok(())
    }

    fn assign(&mut self, node: Node<'_>) -> Read<Assign> {
        const ODD: Refusal = "sets a variable in a way that is not understood";
        let parts: Vec<Node<'_>> = children(node).collect();
        let joined = parts.windows(2).all(|pair| pair[0].end_byte() == pair[1].start_byte());
        let (name, value) = match parts.as_slice() {
            [name, sign] if sign.kind() == "=" => (name, Word::plain("")),
            [name, sign, value] if sign.kind() == "=" => (name, self.word(*value)?),
            _ => return Err(ODD),
        };
        let known = joined && name.kind() == "variable_name" && known::is_name(self.text(*name));
        known.then(|| Assign { name: self.text(*name).to_owned(), value }).ok_or(ODD)
    }

    /// `[ … ]` and `[[ … ]]`. Comparing numbers can run commands that are hidden in values.
    fn test(&mut self, node: Node<'_>) -> Read<()> {
        let text = self.text(node);
        let signs = if text.starts_with("[[") { "&|" } else { "" };
        let plain = |c: char| c.is_ascii_alphanumeric() || "[] ./=!-_+:,@%\"'".contains(c);
        let computes = text.split_whitespace().any(known::is_numeric_test)
            || text.trim_matches(['[', ']']).contains(['[', ']']);
        // To a shell that does not know `[[` it is a command, and what follows `&&` another.
        let known = self.dialect == Dialect::Bash || !text.starts_with("[[");
        if known && !computes && text.chars().all(|c| plain(c) || signs.contains(c)) {
            return Ok(());
        }
        self.substitutions(node, 0);
        Err("tests a value that is only known when it runs")
    }

    /// Finds the commands that are substituted anywhere in `node`.
    fn substitutions(&mut self, node: Node<'_>, depth: usize) {
        for child in children(node).filter(|_| depth < MAX_DEPTH) {
            if matches!(child.kind(), "command_substitution" | "process_substitution") {
                self.group(child).unwrap_or_else(|why| self.refuse(why, child));
            } else {
                self.substitutions(child, depth + 1);
            }
        }
    }

    /// That two neighbours in a command are two for bash as well.
    fn apart(&self, last: Node<'_>, next: Node<'_>) -> Read<()> {
        let gap = self.slice(last.end_byte(), next.start_byte());
        let joined = gap.replace("\\\n", "");
        let blank = joined.chars().all(|c| c == ' ' || c == '\t');
        // A number before the sign is the channel's, if nothing stands before it.
        let sign = redirect::is_redirect(next)
            && !self.text(next).starts_with(|c: char| c.is_ascii_digit());
        // In `{name}>file` the name is of a variable.
        let named = self.text(last).ends_with('}');
        let apart = !joined.is_empty() || (gap.is_empty() && sign && !named);
        (blank && apart).then_some(()).ok_or("holds words that may be joined or not")
    }

    /// Adds words that `node` holds as data.
    pub(super) fn words(&mut self, words: Vec<Word>, node: Node<'_>) {
        let text = self.text(node).to_owned();
        self.parts.push(Part::Words { words, text });
    }

    fn run(&mut self, command: Command) {
        wrap::unwrap(self, command, 0);
    }
}

/// Whether `gap` is what bash skips between statements.
fn is_between(gap: &str) -> bool {
    gap.replace("\\\n", " ").chars().all(|c| matches!(c, ' ' | '\t' | '\n'))
}

fn is_statement(node: Node<'_>) -> bool {
    matches!(
        node.kind(),
        "command"
            | "declaration_command"
            | "unset_command"
            | "variable_assignment"
            | "variable_assignments"
            | "test_command"
            | "redirected_statement"
            | "list"
            | "pipeline"
            | "subshell"
            | "negated_command"
            | "compound_statement"
            | "if_statement"
            | "elif_clause"
            | "else_clause"
            | "while_statement"
            | "do_group"
            | "case_statement"
            | "case_item"
            | "for_statement"
            | "c_style_for_statement"
            | "function_definition"
            | "ERROR"
    )
}

pub(super) fn children<'t>(node: Node<'t>) -> impl Iterator<Item = Node<'t>> {
    node.children(&mut node.walk()).collect::<Vec<_>>().into_iter()
}
