//! What a call is about: a command line, a file, a directory that is searched, or nothing that a
//! rule could be restricted to.

use std::collections::BTreeSet;

use pilothouse_wire::Raw;
use pilothouse_wire::tool::{canonical, mcp_parts};
use serde_json::Value;

use super::place::{Located, Place, trimmed};
use super::shell::{Part, Script};
use super::words::{self, Words};

/// More texts of an unknown input are not looked at.
const MAX_GUESSES: usize = 256;
/// More paths of one call are not resolved; rules that allow do not fit then.
const MAX_PATHS: usize = 1024;

/// What a call is about.
#[derive(Clone, Debug)]
pub(crate) enum Subject {
    /// A command line.
    Shell(Vec<Piece>),
    /// One file; `None` where it cannot be said which.
    File(Option<Located>),
    /// All that is below a directory.
    Search(Option<Located>),
    /// A file that an MCP server reads.
    Resource(Option<Located>),
    /// A tool whose input is not known here: what in it could be paths.
    Guesses(Vec<Located>),
}

/// A part of a command line, and the files that its words may mean.
#[derive(Clone, Debug)]
pub(crate) struct Piece {
    pub(crate) part: Part,
    pub(crate) words: Words,
}

/// The paths that a policy looks at to decide a call: absolute, and not yet free of `..`. The host
/// resolves them and passes them in as [`RealPaths`](super::RealPaths).
///
/// ```
/// use pilothouse_session::policy::{Place, paths};
/// use pilothouse_wire::Raw;
///
/// let input = Raw::from(serde_json::json!({ "command": "cat notes > out/x" }));
/// let paths = paths("Bash", &input, &Place::at("/home/me/app"));
/// assert!(paths.contains(&"/home/me/app/out/x".to_owned()));
/// assert!(paths.contains(&"/home/me/app/notes".to_owned()));
/// ```
pub fn paths(tool: &str, input: &Raw, place: &Place) -> Vec<String> {
    let mut found = BTreeSet::new();
    let mut add = |path: Located| {
        if found.len() < MAX_PATHS {
            found.insert(path.written().to_owned());
        }
    };
    match Subject::of(tool, input, place) {
        Subject::File(path) | Subject::Search(path) | Subject::Resource(path) => {
            path.into_iter().for_each(add);
        }
        Subject::Guesses(paths) => paths.into_iter().for_each(add),
        Subject::Shell(pieces) => {
            for Piece { part, words } in pieces {
                if let Part::Touch(touch) = part {
                    let path = touch.path.as_deref().and_then(|path| place.locate(path));
                    path.into_iter().for_each(&mut add);
                }
                let meant = words.words.into_iter().flat_map(|word| word.paths);
                meant.for_each(|meant| add(meant.path));
            }
        }
    }
    found.into_iter().collect()
}

/// The tools that run shell commands.
pub(crate) const SHELL_TOOLS: &[&str] = &["Bash", "PowerShell", "Monitor"];

impl Subject {
    pub(crate) fn of(tool: &str, input: &Raw, place: &Place) -> Self {
        let text = |key: &str| input.member(key)?.read::<String>();
        let file = |key: &str| Self::File(text(key).and_then(|path| place.locate_trimmed(&path)));
        let dir = || match input.member("path") {
            None => place.locate(&place.cwd),
            Some(path) if path.is_null() => place.locate(&place.cwd),
            Some(path) => path.read::<String>().and_then(|path| place.locate_trimmed(&path)),
        };
        match canonical(tool) {
            "Bash" | "Monitor" => Self::shell(shell(input), place),
            // Not a language that is read here.
            "PowerShell" => {
                let why = "is not for a shell that is understood";
                Self::shell(opaque(why, text("command")), place)
            }
            "Read" | "Edit" | "Write" | "MultiEdit" => file("file_path"),
            "NotebookEdit" | "NotebookRead" => file("notebook_path"),
            "LSP" => file("filePath"),
            "Grep" | "LS" => Self::Search(dir()),
            // The pattern can lead out of the directory.
            "Glob" => {
                let pattern = text("pattern").unwrap_or_default();
                let pattern = trimmed(&pattern);
                let escapes = pattern.starts_with(['/', '~', '\\'])
                    || pattern.contains("..")
                    || pattern.contains([':', '{']);
                Self::Search(dir().filter(|_| !escapes))
            }
            "ReadMcpResourceTool" => match text("uri").as_deref().map(trimmed).and_then(file_uri) {
                Some(path) => Self::Resource(place.locate_trimmed(&path)),
                None => Self::Guesses(Vec::new()),
            },
            _ => Self::Guesses(guesses(tool, input, place)),
        }
    }
}

impl Subject {
    fn shell(script: Script, place: &Place) -> Self {
        let words = words::of_script(&script, place);
        let pieces = script.parts.into_iter().zip(words);
        Self::Shell(pieces.map(|(part, words)| Piece { part, words }).collect())
    }
}

/// The path of a `file:` URI, with its percent codes decoded.
fn file_uri(uri: &str) -> Option<String> {
    let scheme = uri.get(..5).filter(|scheme| scheme.eq_ignore_ascii_case("file:"))?;
    let rest = &uri[scheme.len()..];
    let rest = rest.strip_prefix("//").unwrap_or(rest);
    let rest = rest.strip_prefix("localhost").unwrap_or(rest);
    let rest = rest.split(['?', '#']).next().unwrap_or(rest);
    let (mut bytes, mut at) = (Vec::new(), 0);
    while let Some(&byte) = rest.as_bytes().get(at) {
        let code = rest.get(at + 1..at + 3).and_then(|hex| u8::from_str_radix(hex, 16).ok());
        match code {
            Some(code) if byte == b'%' => {
                bytes.push(code);
                at += 3;
            }
            _ => {
                bytes.push(byte);
                at += 1;
            }
        }
    }
    Some(String::from_utf8_lossy(&bytes).into_owned())
}

fn shell(input: &Raw) -> Script {
    let Some(command) = input.member("command").and_then(|command| command.read::<String>()) else {
        return opaque("has no command", None);
    };
    let mut script = Script::parse(&command);
    let unboxed = input.member("dangerouslyDisableSandbox").is_some_and(|it| it.get() != "false");
    if unboxed {
        let why = "is to run outside the sandbox";
        script.parts.push(Part::opaque(why, command));
    }
    script
}

fn opaque(why: &'static str, text: Option<String>) -> Script {
    Script { parts: vec![Part::opaque(why, text.unwrap_or_default())] }
}

/// Texts in the input that may be paths. Built-in tools that are not listed above take none.
fn guesses(tool: &str, input: &Raw, place: &Place) -> Vec<Located> {
    let mut found = Vec::new();
    if mcp_parts(tool).is_some() {
        collect(&input.to_value(), place, &mut found);
    }
    found
}

fn collect(value: &Value, place: &Place, found: &mut Vec<Located>) {
    if found.len() >= MAX_GUESSES {
        return;
    }
    match value {
        Value::String(text) => {
            let text = trimmed(text);
            let path = text.strip_prefix("file://").unwrap_or(text);
            found.extend(place.locate(path));
        }
        Value::Array(values) => values.iter().for_each(|value| collect(value, place, found)),
        Value::Object(members) => members.values().for_each(|value| collect(value, place, found)),
        _ => {}
    }
}
