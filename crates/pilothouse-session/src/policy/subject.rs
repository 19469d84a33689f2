//! What a call is about: a command line, a file, a directory that is searched, or nothing that a
//! rule could be restricted to.

use pilothouse_wire::Raw;
use pilothouse_wire::tool::{canonical, mcp_parts};
use serde_json::Value;

use super::place::{Located, Place};
use super::shell::{Part, Script};

/// More texts of an unknown input are not looked at.
const MAX_GUESSES: usize = 256;

/// What a call is about.
#[derive(Clone, Debug)]
pub(crate) enum Subject {
    /// A command line.
    Shell(Script),
    /// One file; `None` where it cannot be said which.
    File(Option<Located>),
    /// All that is below a directory.
    Search(Option<Located>),
    /// A tool whose input is not known here: what in it could be paths.
    Guesses(Vec<Located>),
}

/// The tools that run shell commands.
pub(crate) const SHELL_TOOLS: &[&str] = &["Bash", "PowerShell", "Monitor"];

impl Subject {
    pub(crate) fn of(tool: &str, input: &Raw, place: &Place) -> Self {
        let text = |key: &str| input.member(key)?.read::<String>();
        let file = |key: &str| Self::File(text(key).and_then(|path| place.locate(&path)));
        let dir = || match input.member("path") {
            None => place.locate(&place.cwd),
            Some(path) if path.is_null() => place.locate(&place.cwd),
            Some(path) => path.read::<String>().and_then(|path| place.locate(&path)),
        };
        match canonical(tool) {
            "Bash" | "Monitor" => Self::Shell(shell(input)),
            // Not a language that is read here.
            "PowerShell" => {
                Self::Shell(opaque("is not for a shell that is understood", text("command")))
            }
            "Read" | "Edit" | "Write" | "MultiEdit" => file("file_path"),
            "NotebookEdit" | "NotebookRead" => file("notebook_path"),
            "LSP" => file("filePath"),
            "Grep" | "LS" => Self::Search(dir()),
            // The pattern can lead out of the directory.
            "Glob" => {
                let pattern = text("pattern").unwrap_or_default();
                let escapes = pattern.starts_with(['/', '~', '\\'])
                    || pattern.contains("..")
                    || pattern.contains([':', '{']);
                Self::Search(dir().filter(|_| !escapes))
            }
            _ => Self::Guesses(guesses(tool, input, place)),
        }
    }
}

fn shell(input: &Raw) -> Script {
    let Some(command) = input.member("command").and_then(|command| command.read::<String>()) else {
        return opaque("has no command", None);
    };
    let mut script = Script::parse(&command);
    let unboxed = input.member("dangerouslyDisableSandbox").is_some_and(|it| it.get() != "false");
    if unboxed {
        let why = "is to run outside the sandbox";
        script.parts.push(Part::Opaque { why, text: command });
    }
    script
}

fn opaque(why: &'static str, text: Option<String>) -> Script {
    Script { parts: vec![Part::Opaque { why, text: text.unwrap_or_default() }] }
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
            let path = text.strip_prefix("file://").unwrap_or(text);
            found.extend(place.locate(path));
        }
        Value::Array(values) => values.iter().for_each(|value| collect(value, place, found)),
        Value::Object(members) => members.values().for_each(|value| collect(value, place, found)),
        _ => {}
    }
}

/// Texts in a piece of a command line that may be paths: its words, and what follows a `=` or a
/// `:` or `@` in them.
pub(crate) fn paths_in<'a>(
    words: impl Iterator<Item = &'a str>,
    place: &Place,
) -> impl Iterator<Item = Located> {
    words
        .flat_map(|word| std::iter::once(word).chain(word.split(['=', ':', '@', ',']).skip(1)))
        .filter_map(|text| place.locate(text))
}
