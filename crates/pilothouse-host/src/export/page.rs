//! Writing Markdown around text that is not ours.

use std::borrow::Cow;
use std::io::{self, Write};

/// A page that is being written. What subagents say stands in quotes.
pub(super) struct Page<W> {
    out: W,
    is_quoted: bool,
}

impl<W: Write> Page<W> {
    pub(super) fn new(out: W) -> Self {
        Self { out, is_quoted: false }
    }

    /// From here on, whether it is a quote.
    pub(super) fn quoted(&mut self, is_quoted: bool) -> io::Result<()> {
        if self.is_quoted && !is_quoted {
            // Two quotes that follow each other would be one.
            self.out.write_all(b"\n")?;
        }
        self.is_quoted = is_quoted;
        Ok(())
    }

    /// A line of our own.
    pub(super) fn line(&mut self, line: &str) -> io::Result<()> {
        match (self.is_quoted, line.is_empty()) {
            (true, true) => writeln!(self.out, ">"),
            (true, false) => writeln!(self.out, "> {line}"),
            (false, _) => writeln!(self.out, "{line}"),
        }
    }

    /// A line of our own with an empty one after it.
    pub(super) fn block(&mut self, line: &str) -> io::Result<()> {
        self.line(line)?;
        self.line("")
    }

    /// Text that is Markdown already, such as the model's. A fence that it has left open is closed,
    /// and what would be HTML is not.
    pub(super) fn prose(&mut self, text: &str) -> io::Result<()> {
        let mut fence: Option<&str> = None;
        for line in lines(text) {
            match fence {
                Some(open) => {
                    if closes(line, open) {
                        fence = None;
                    }
                    self.line(line)?;
                }
                None => {
                    fence = opens(line);
                    self.line(&without_html(line))?;
                }
            }
        }
        if let Some(open) = fence {
            self.line(open)?;
        }
        self.line("")
    }

    /// Text as it is, in a fence that nothing in it closes.
    pub(super) fn fenced(&mut self, language: &str, text: &str) -> io::Result<()> {
        let fence = "`".repeat(longest_run(text).max(2) + 1);
        self.line(&format!("{fence}{language}"))?;
        for line in lines(text.strip_suffix('\n').unwrap_or(text)) {
            self.line(line)?;
        }
        self.block(&fence)
    }

    /// A block that is folded. `summary` is plain text.
    pub(super) fn fold(&mut self, summary: &str) -> io::Result<()> {
        self.block(&format!("<details><summary>{}</summary>", html(&one_line(summary))))
    }

    /// The end of a folded block.
    pub(super) fn unfold(&mut self) -> io::Result<()> {
        self.block("</details>")
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

/// The fence that a line opens. Only one without any indentation counts: others belong to a list or a
/// quote and end with it.
fn opens(line: &str) -> Option<&str> {
    let letter = line.chars().next().filter(|letter| matches!(letter, '`' | '~'))?;
    let (fence, info) = line.split_at(line.len() - line.trim_start_matches(letter).len());
    let is_fence = fence.len() >= 3 && !(letter == '`' && info.contains('`'));
    is_fence.then_some(fence)
}

fn closes(line: &str, open: &str) -> bool {
    let indent = line.len() - line.trim_start_matches(' ').len();
    let line = line.trim();
    let letter = open.chars().next().unwrap_or('`');
    indent < 4 && line.len() >= open.len() && line.chars().all(|own| own == letter)
}

/// The elements that do something, or that structure a page.
const ELEMENTS: &str = " a abbr acronym address applet area article aside audio b base basefont bdi \
    bdo bgsound big blink blockquote body br button canvas caption center cite code col colgroup \
    command content data datalist dd del details dfn dialog dir div dl dt element em embed fieldset \
    figcaption figure font footer form frame frameset g h1 h2 h3 h4 h5 h6 head header hgroup hr html \
    i iframe image img input ins isindex kbd keygen label layer legend li link listing main map mark \
    marquee math menu menuitem meta meter multicol nav nextid nobr noembed noframes noscript object ol \
    optgroup option output p param picture plaintext portal pre progress q rb rp rt rtc ruby s samp \
    script search section select shadow slot small source spacer span strike strong style sub summary \
    sup svg table tbody td template textarea tfoot th thead time title tr track tt u ul use var video \
    wbr xmp ";

/// A line in which nothing is HTML. Type parameters and comparisons stay readable.
pub(super) fn without_html(line: &str) -> Cow<'_, str> {
    if !line.contains('<') {
        return Cow::Borrowed(line);
    }
    let mut safe = String::with_capacity(line.len() + 8);
    let mut rest = line;
    while let Some(at) = rest.find('<') {
        safe.push_str(&rest[..at]);
        // An even number of backslashes before it stands for itself.
        let escaped = rest[..at].bytes().rev().take_while(|byte| *byte == b'\\').count() % 2 == 1;
        // After a word it is no beginning of a block; an unknown element there does nothing.
        let is_inner =
            rest[..at].ends_with(|letter: char| letter.is_alphanumeric() || letter == ':');
        rest = &rest[at + 1..];
        safe.push_str(if is_markup(rest, is_inner) && !escaped { "\\<" } else { "<" });
    }
    safe.push_str(rest);
    Cow::Owned(safe)
}

/// Whether what follows a `<` could make it markup.
fn is_markup(rest: &str, is_inner: bool) -> bool {
    if rest.starts_with(['/', '!', '?']) {
        return true;
    }
    let is_name = |letter: char| letter.is_ascii_alphanumeric() || letter == '-';
    let end = rest.find(|letter: char| !is_name(letter)).unwrap_or(rest.len());
    let (name, after) = rest.split_at(end);
    if !name.starts_with(|letter: char| letter.is_ascii_alphabetic()) {
        return false;
    }
    let is_element = || ELEMENTS.contains(&format!(" {} ", name.to_ascii_lowercase()));
    match after.chars().next() {
        // An element without attributes that nobody knows does nothing.
        Some('>') => !is_inner || is_element(),
        Some(letter) => letter.is_whitespace() || letter == '/',
        None => true,
    }
}

/// Text in one line, without anything that is not to be seen.
pub(super) fn one_line(text: &str) -> String {
    let words: Vec<&str> = text
        .split(|letter: char| letter.is_whitespace() || letter.is_control())
        .filter(|word| !word.is_empty())
        .collect();
    words.join(" ")
}

/// Text in one line as code, which nothing in it ends.
pub(super) fn code(text: &str) -> String {
    let text = one_line(text);
    let ticks = "`".repeat(longest_run(&text) + 1);
    let pad =
        if text.starts_with('`') || text.ends_with('`') || text.is_empty() { " " } else { "" };
    format!("{ticks}{pad}{text}{pad}{ticks}")
}

fn html(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}
