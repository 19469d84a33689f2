//! What a call is about: a command line, a file, a directory that is searched, or nothing that a
//! rule could be restricted to.

use std::collections::BTreeSet;

use pilothouse_wire::Raw;
use pilothouse_wire::tool::{canonical, mcp_parts};
use serde_json::Value;

use super::place::{Located, Place, trimmed};
use super::shell::{Part, Script};
use super::tools::{self, Takes};
use super::words::{self, Words};

/// More paths of one call are neither looked at in an input nor resolved. Rules that allow do not fit
/// then, and those that deny may.
const MAX_PATHS: usize = 1024;

/// What a call is about.
#[derive(Clone, Debug)]
pub(crate) enum Subject {
    /// A command line.
    Shell(Vec<Piece>),
    /// All that is below a directory.
    Search(Option<Located>),
    /// Files.
    Files(Files),
}

/// The files that a call names.
#[derive(Clone, Debug, Default)]
pub(crate) struct Files {
    pub(crate) paths: Vec<Located>,
    /// Whether there are others, and it cannot be said which.
    pub(crate) is_cut: bool,
    /// Whether these are only texts that could be paths.
    pub(crate) is_guess: bool,
}

impl Files {
    /// One file; `None` where it cannot be said which.
    fn one(path: Option<Located>) -> Self {
        Self { is_cut: path.is_none(), paths: path.into_iter().collect(), is_guess: false }
    }

    /// Adds every text in `value`.
    fn collect(&mut self, value: &Value, place: &Place) {
        match value {
            Value::String(_) if self.paths.len() >= MAX_PATHS => self.is_cut = true,
            Value::String(text) => {
                let text = trimmed(text);
                let uri = file_uri(text);
                let found = place.locate_trimmed(uri.as_deref().unwrap_or(text));
                self.is_cut |= found.is_none() && !self.is_guess;
                self.paths.extend(found);
            }
            Value::Array(values) => values.iter().for_each(|value| self.collect(value, place)),
            Value::Object(members) => {
                members.values().for_each(|value| self.collect(value, place));
            }
            Value::Null => {}
            Value::Bool(_) | Value::Number(_) => self.is_cut |= !self.is_guess,
        }
    }
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
        Subject::Search(dir) => dir.into_iter().for_each(add),
        Subject::Files(files) => files.paths.into_iter().for_each(add),
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
        match canonical(tool) {
            "Bash" | "Monitor" => return Self::shell(shell(input), place),
            // Not a language that is read here.
            "PowerShell" => {
                let why = "is not for a shell that is understood";
                return Self::shell(opaque(why, text("command")), place);
            }
            _ => {}
        }
        let guesses = || {
            let mut files = Files { is_guess: true, ..Files::default() };
            files.collect(&input.to_value(), place);
            Self::Files(files)
        };
        // Where none is given, the CLI searches the directory it is in.
        let dir = || match input.member("path").filter(|path| !path.is_null()) {
            None => place.locate("."),
            Some(path) => path.read::<String>().and_then(|path| place.locate_trimmed(&path)),
        };
        match tools::named(tool).map(|tool| tool.takes) {
            Some(Takes::File(key)) => {
                Self::Files(Files::one(text(key).and_then(|path| place.locate_trimmed(&path))))
            }
            Some(Takes::Files(keys)) => {
                let mut files = Files::default();
                let values = keys.iter().filter_map(|key| input.member(key));
                values.for_each(|value| files.collect(&value.to_value(), place));
                Self::Files(files)
            }
            Some(Takes::Dir) => Self::Search(dir()),
            Some(Takes::Pattern) => {
                let pattern = text("pattern").unwrap_or_default();
                let pattern = trimmed(&pattern);
                let escapes = pattern.starts_with(['/', '~', '\\'])
                    || pattern.contains("..")
                    || pattern.contains([':', '{']);
                Self::Search(dir().filter(|_| !escapes))
            }
            Some(Takes::Resource) => Self::Files(resource(text("uri").as_deref(), place)),
            Some(Takes::Any) => guesses(),
            None if mcp_parts(tool).is_some() => guesses(),
            // Other tools take no paths.
            Some(Takes::Server) | None => Self::Files(Files::default()),
        }
    }
}

/// The file that a resource of an MCP server is, if it is one.
fn resource(uri: Option<&str>, place: &Place) -> Files {
    let uri = trimmed(uri.unwrap_or_default());
    match file_uri(uri) {
        Some(path) => Files::one(place.locate_trimmed(&path)),
        None if uri.starts_with(['/', '~']) => Files::one(place.locate(uri)),
        None => Files::default(),
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
