//! Writing Markdown around text that is not ours.

use std::io::{self, Write};

use super::fences::{Fence, after_marker, indented, quoted};
use super::inline::Paragraph;
use crate::visible;

/// Block quotes in block quotes whose code is found. Deeper ones are escaped as other lines are.
const DEEPEST: usize = 8;

/// A page that is being written. What subagents say stands in quotes.
pub(super) struct Page<W> {
    out: W,
    /// What each line begins with: the marks of block quotes.
    prefix: String,
}

impl<W: Write> Page<W> {
    pub(super) fn new(out: W) -> Self {
        Self { out, prefix: String::new() }
    }

    /// From here on, whether it is a quote.
    pub(super) fn quoted(&mut self, is_quoted: bool) -> io::Result<()> {
        if !self.prefix.is_empty() && !is_quoted {
            // Two quotes that follow each other would be one.
            self.out.write_all(b"\n")?;
        }
        self.prefix = if is_quoted { "> ".to_owned() } else { String::new() };
        Ok(())
    }

    /// A line of our own.
    pub(super) fn line(&mut self, line: &str) -> io::Result<()> {
        let prefix = if line.is_empty() { self.prefix.trim_end() } else { &self.prefix };
        writeln!(self.out, "{prefix}{line}")
    }

    /// A line of our own with an empty one after it.
    pub(super) fn block(&mut self, line: &str) -> io::Result<()> {
        self.line(line)?;
        self.line("")
    }

    /// Text that is Markdown already, such as the model's. Its blocks of code are written again, and
    /// nothing else in it is HTML.
    pub(super) fn prose(&mut self, text: &str) -> io::Result<()> {
        let lines: Vec<&str> = lines(text).collect();
        self.markdown(&lines, 0)?;
        self.line("")
    }

    /// Returns the paragraph that the last line stands in.
    fn markdown(&mut self, lines: &[&str], depth: usize) -> io::Result<Paragraph> {
        let (mut paragraph, mut is_in_list, mut is_after_blank) =
            (Paragraph::default(), false, true);
        let mut at = 0;
        while let Some(line) = lines.get(at) {
            let rest = &lines[at..];
            paragraph = if is_after_blank { Paragraph::default() } else { paragraph };
            let taken = if let Some(fence) = Fence::open(line, is_in_list) {
                self.fence(&fence, rest)?
            } else if depth < DEEPEST && quoted(line).is_some() {
                // The next line can go on with the last paragraph of the quote.
                let (taken, last) = self.quote(rest, depth)?;
                (paragraph, is_after_blank) = (last, false);
                at += taken;
                continue;
            } else if is_after_blank && !is_in_list && indented(line).is_some() {
                self.indented(rest)?
            } else {
                let text = line.trim_start_matches(' ');
                let is_item = after_marker(text).is_some();
                let ends_list = is_after_blank && line.len() - text.len() < 2 && !text.is_empty();
                is_in_list = is_item || (is_in_list && !ends_list);
                self.line(&paragraph.escape(line))?;
                is_after_blank = is_blank(text);
                at += 1;
                continue;
            };
            is_after_blank = true;
            at += taken;
        }
        Ok(paragraph)
    }

    /// Writes the fenced block that `lines` begin with. Returns how many lines it had.
    fn fence(&mut self, fence: &Fence<'_>, lines: &[&str]) -> io::Result<usize> {
        if !fence.markers.is_empty() {
            // Below a paragraph, a hyphen alone would make it a heading.
            self.line("")?;
            self.block(fence.markers)?;
        }
        let body = &lines[1..];
        let end = body.iter().position(|line| fence.is_closed_by(line));
        let body = &body[..end.unwrap_or(body.len())];
        let code: Vec<&str> = body.iter().map(|line| fence.content(line)).collect();
        self.code_block(&fence.info.replace('`', ""), &code)?;
        Ok(1 + body.len() + usize::from(end.is_some()))
    }

    /// Writes the block quote that `lines` begin with. Returns how many lines it had.
    fn quote(&mut self, lines: &[&str], depth: usize) -> io::Result<(usize, Paragraph)> {
        let inner: Vec<&str> = lines.iter().map_while(|line| quoted(line)).collect();
        self.prefix.push_str("> ");
        let written = self.markdown(&inner, depth + 1);
        self.prefix.truncate(self.prefix.len() - 2);
        Ok((inner.len(), written?))
    }

    /// Writes the indented block of code that `lines` begin with, in a fence. Returns how many lines
    /// it had.
    fn indented(&mut self, lines: &[&str]) -> io::Result<usize> {
        let is_code = |line: &&&str| indented(line).is_some() || is_blank(line);
        let mut body: Vec<&&str> = lines.iter().take_while(is_code).collect();
        while body.last().is_some_and(|line| is_blank(line)) {
            body.pop();
        }
        let code: Vec<&str> = body.iter().map(|line| indented(line).unwrap_or("")).collect();
        self.code_block("", &code)?;
        Ok(body.len())
    }

    /// Text as it is, in a fence that nothing in it closes.
    pub(super) fn fenced(&mut self, language: &str, text: &str) -> io::Result<()> {
        let code: Vec<&str> = lines(text.strip_suffix('\n').unwrap_or(text)).collect();
        self.code_block(language, &code)?;
        self.line("")
    }

    fn code_block(&mut self, info: &str, code: &[&str]) -> io::Result<()> {
        let longest = code.iter().map(|line| longest_run(line)).max().unwrap_or(0);
        let fence = "`".repeat(longest.max(2) + 1);
        self.line(&format!("{fence}{info}"))?;
        code.iter().try_for_each(|line| self.line(line))?;
        self.line(&fence)
    }

    /// A label above a block.
    pub(super) fn label(&mut self, label: &str) -> io::Result<()> {
        self.block(&format!("**{label}**"))
    }

    pub(super) fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

/// Lines by every ending that Markdown knows: a lone carriage return is one.
fn lines(text: &str) -> impl Iterator<Item = &str> {
    text.split('\n').flat_map(|line| line.strip_suffix('\r').unwrap_or(line).split('\r'))
}

fn longest_run(text: &str) -> usize {
    text.split(|letter| letter != '`').map(str::len).max().unwrap_or(0)
}

/// Whether a line ends a paragraph. Other space than this does not.
fn is_blank(line: &str) -> bool {
    line.trim_matches([' ', '\t']).is_empty()
}

/// Text in one line, with characters named that are not seen.
pub(super) fn one_line(text: &str) -> String {
    let words: Vec<&str> = text.split_whitespace().collect();
    visible::name(&words.join(" ")).into_owned()
}

/// Text in one line as code, which nothing in it ends.
pub(super) fn code(text: &str) -> String {
    let text = one_line(text);
    let ticks = "`".repeat(longest_run(&text) + 1);
    let pad =
        if text.starts_with('`') || text.ends_with('`') || text.is_empty() { " " } else { "" };
    format!("{ticks}{pad}{text}{pad}{ticks}")
}
