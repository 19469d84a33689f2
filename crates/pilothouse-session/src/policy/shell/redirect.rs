//! Redirections and here-documents.

use tree_sitter::Node;

use super::known::base;
use super::tree::{Read, Refusal, Walk, children};
use super::wrap::is_shell;
use super::{Access, Dialect, Kind, Part, Touch, Word, parse_into};

const ODD: Refusal = "holds a redirection that is not understood";
const HERE: Refusal = "holds a here-document that is not understood";

pub(super) fn is_redirect(node: Node<'_>) -> bool {
    matches!(node.kind(), "file_redirect" | "herestring_redirect" | "heredoc_redirect")
}

/// One redirection: of a file, a string or a here-document.
pub(super) fn redirect(walk: &mut Walk<'_>, node: Node<'_>) -> Read<()> {
    match node.kind() {
        "file_redirect" => file(walk, node),
        "herestring_redirect" => match sign_and_targets(walk, node)? {
            ("<<<", targets) => {
                let word = one(&targets).and_then(|target| walk.word(target))?;
                walk.words(vec![word], node);
                Ok(())
            }
            _ => Err(ODD),
        },
        _ => here(walk, node),
    }
}

/// The sign and what follows it; the channel must touch the sign.
fn sign_and_targets<'t>(walk: &Walk<'_>, node: Node<'t>) -> Read<(&'t str, Vec<Node<'t>>)> {
    let mut rest: Vec<Node<'t>> = children(node).collect();
    if rest.first().is_some_and(|first| first.kind() == "file_descriptor") {
        let channel = rest.remove(0);
        let digits = walk.text(channel).chars().all(|c| c.is_ascii_digit());
        let touches = rest.first().is_some_and(|sign| sign.start_byte() == channel.end_byte());
        if !digits || !touches {
            return Err(ODD);
        }
    }
    if rest.is_empty() {
        return Err(ODD);
    }
    let sign = rest.remove(0);
    if let Some(target) = rest.first() {
        let gap = walk.slice(sign.end_byte(), target.start_byte());
        if !gap.chars().all(|c| c == ' ' || c == '\t') {
            return Err(ODD);
        }
    }
    Ok((sign.kind(), rest))
}

/// The grammar counts words after the file to the redirection, bash to the command.
fn one<'t>(targets: &[Node<'t>]) -> Read<Node<'t>> {
    match targets {
        [target] => Ok(*target),
        _ => Err(ODD),
    }
}

fn file(walk: &mut Walk<'_>, node: Node<'_>) -> Read<()> {
    let (sign, targets) = sign_and_targets(walk, node)?;
    let access = match sign {
        ">&-" | "<&-" if targets.is_empty() => return Ok(()),
        "<" | "<&" => Access::Read,
        ">" | ">>" | ">|" | "&>" | "&>>" | ">&" => Access::Write,
        _ => return Err(ODD),
    };
    let word = one(&targets).and_then(|target| walk.word(target))?;
    if matches!(sign, ">&" | "<&") {
        let channel = word.text.strip_suffix('-').unwrap_or(&word.text);
        if word.kind == Kind::Plain && channel.chars().all(|c| c.is_ascii_digit()) {
            return Ok(());
        }
        if sign == "<&" {
            return Err(ODD);
        }
    }
    if is_harmless(&word) {
        return Ok(());
    }
    let text = walk.text(node).to_owned();
    walk.parts.push(Part::Touch(Touch { access, path: path(&word), text }));
    Ok(())
}

fn is_harmless(word: &Word) -> bool {
    matches!(word.as_plain(), Some("/dev/null" | "/dev/stdout" | "/dev/stderr"))
}

/// The file a word means, if it can mean only one. The kernel follows links before `..`, bash
/// makes connections of `/dev/tcp`, zsh reads `>!file` in its own way.
fn path(word: &Word) -> Option<String> {
    let text = word.as_plain()?;
    let odd = text.is_empty()
        || text.split('/').any(|segment| segment == "..")
        || text.starts_with("/dev/")
        || text.starts_with("/proc/")
        || text.starts_with('!');
    if odd {
        return None;
    }
    // A quoted tilde is a name like any other.
    let literal = text.starts_with('~') && !word.tilde;
    Some(if literal { format!("./{text}") } else { text.to_owned() })
}

/// A here-document. Its end is looked for here as bash does: what the grammar takes for text must
/// not be commands.
fn here(walk: &mut Walk<'_>, node: Node<'_>) -> Read<()> {
    let nodes: Vec<Node<'_>> = children(node).collect();
    let find = |kind: &str| nodes.iter().copied().find(|child| child.kind() == kind);
    let (Some(start), Some(end)) = (find("heredoc_start"), find("heredoc_end")) else {
        return Err(HERE);
    };
    let (mark, quoted) = match walk.text(start) {
        text if text.len() > 2 && text.starts_with('\'') && text.ends_with('\'') => {
            (&text[1..text.len() - 1], true)
        }
        text if text.len() > 2 && text.starts_with('"') && text.ends_with('"') => {
            (&text[1..text.len() - 1], true)
        }
        text => (text, false),
    };
    let simple = mark.chars().all(|c| c.is_ascii_alphanumeric() || c == '_' || c == '-');
    let line = walk.slice(start.end_byte(), end.start_byte());
    let body = start.end_byte() + line.find('\n').ok_or(HERE)? + 1;
    let lines = walk.slice(body, end.start_byte());
    let ends_early = lines.lines().any(|line| line.trim() == mark);
    let indent = lines.rsplit('\n').next().unwrap_or_default();
    let tabs = if find("<<-").is_some() { "\t" } else { "" };
    let indented = indent.chars().all(|c| tabs.contains(c));
    let after = walk.slice(end.end_byte(), walk.src.len());
    let whole = after.is_empty() || after.starts_with('\n');
    if mark.is_empty() || !simple || ends_early || !indented || !whole || walk.text(end) != mark {
        return Err(HERE);
    }
    let mut refusal = Ok(());
    let mut last = start;
    for child in nodes.iter().copied().filter(|child| child.start_byte() >= start.end_byte()) {
        let read = match child.kind() {
            "heredoc_body" | "heredoc_end" => continue,
            _ if child.end_byte() >= body => Err(HERE),
            _ if !walk.slice(last.end_byte(), child.start_byte()).chars().all(|c| c == ' ') => {
                Err(HERE)
            }
            "&&" | "||" => Ok(()),
            "file_redirect" => redirect(walk, child),
            "word" | "concatenation" | "string" | "raw_string" | "heredoc_redirect" => Err(HERE),
            _ => {
                walk.statement(child);
                Ok(())
            }
        };
        read.unwrap_or_else(|why| refusal = Err(why));
        last = child;
    }
    // Nothing may stand between the last thing on the line and its end.
    if walk.slice(last.end_byte(), body).trim_end_matches('\n').chars().any(|c| c != ' ') {
        refusal = Err(HERE);
    }
    let read = match find("heredoc_body") {
        Some(text) if !quoted => walk.here_text(text, body, end.start_byte()).and(refusal),
        _ => refusal,
    };
    let statement = node.parent().map_or(node.start_byte(), |parent| parent.start_byte());
    input(walk, walk.slice(statement, body), lines, quoted, node);
    read
}

/// Looks at the text of a here-document where a program on the same line runs it, or takes names of
/// files from it. To other programs it is data.
fn input(walk: &mut Walk<'_>, line: &str, text: &str, quoted: bool, node: Node<'_>) {
    let names = || line.split(|c: char| c.is_whitespace() || "'\"`;|&<>(){}$".contains(c));
    if names().any(is_shell) {
        let is_literal = quoted || !text.contains(['$', '`', '\\']);
        match is_literal {
            true => parse_into(walk.parts, text, Dialect::Bash, walk.level + 1),
            false => walk.parts.push(Part::opaque("is a script in a here-document", text)),
        }
    }
    if names().any(|name| base(name) == "xargs") {
        walk.words(text.split_whitespace().map(Word::hidden).collect(), node);
    }
    if names().any(is_interpreter) {
        walk.words(vec![Word::plain(text)], node);
    }
}

fn is_interpreter(name: &str) -> bool {
    let name = base(name).trim_end_matches(|c: char| c.is_ascii_digit() || c == '.');
    matches!(name, "python" | "perl" | "ruby" | "node" | "php")
}
