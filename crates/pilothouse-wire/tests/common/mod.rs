//! The recorded transcripts: what real CLIs and a host have said to each other.

use std::collections::{BTreeSet, HashMap};
use std::fs;
use std::path::Path;

use serde::Deserialize;
use serde_json::Value;
use serde_json::value::RawValue;

/// Who wrote a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Dir {
    /// The host.
    In,
    /// The CLI.
    Out,
}

/// One line of a transcript.
#[derive(Clone, Debug)]
pub(crate) struct Line {
    /// The CLI's version.
    pub(crate) version: String,
    /// Which file, and which line of it: for messages about it.
    pub(crate) place: String,
    pub(crate) dir: Dir,
    /// The line as it went over the wire.
    pub(crate) text: String,
}

#[derive(Deserialize)]
struct Stored<'a> {
    dir: Dir,
    #[serde(borrow)]
    line: &'a RawValue,
}

/// All transcripts, each with its lines in order.
pub(crate) fn transcripts() -> Vec<Vec<Line>> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../transcripts");
    let mut found = Vec::new();
    for version in names(&root).iter().filter(|name| !name.contains(".md")) {
        for file in names(&root.join(version)) {
            let path = root.join(version).join(&file);
            let text = fs::read_to_string(&path).expect("a transcript can be read");
            let lines = (1..).zip(text.lines()).map(|(number, text)| {
                let place = format!("{version}/{file}:{number}");
                let stored: Stored<'_> = serde_json::from_str(text).expect(&place);
                let text = stored.line.get().to_owned();
                Line { version: version.clone(), place, dir: stored.dir, text }
            });
            found.push(lines.collect());
        }
    }
    assert!(!found.is_empty(), "there are no transcripts in {}", root.display());
    found
}

/// All lines of all transcripts.
pub(crate) fn lines() -> Vec<Line> {
    transcripts().into_iter().flatten().collect()
}

/// One line of each kind: of all lines with the same members at the top and the same tags
/// everywhere, the first.
pub(crate) fn kinds() -> Vec<Line> {
    let mut seen = HashMap::new();
    for line in lines() {
        let value: Value = serde_json::from_str(&line.text).expect(&line.place);
        let members: Vec<_> =
            value.as_object().into_iter().flat_map(|o| o.keys().cloned()).collect();
        let mut tags = BTreeSet::new();
        collect_tags(&value, &mut tags);
        seen.entry((line.dir, members, tags)).or_insert(line);
    }
    seen.into_values().collect()
}

fn collect_tags(value: &Value, tags: &mut BTreeSet<String>) {
    match value {
        Value::Object(members) => {
            for (key, inner) in members {
                match inner.as_str() {
                    Some(word)
                        if ["type", "subtype", "hook_event_name"].contains(&key.as_str()) =>
                    {
                        tags.insert(format!("{key}={word}"));
                    }
                    _ => collect_tags(inner, tags),
                }
            }
        }
        Value::Array(items) => items.iter().for_each(|item| collect_tags(item, tags)),
        _ => {}
    }
}

fn names(directory: &Path) -> Vec<String> {
    let entries = fs::read_dir(directory).unwrap_or_else(|error| {
        panic!("{}: {error}; record transcripts first", directory.display())
    });
    let name = |entry: std::io::Result<fs::DirEntry>| {
        entry.expect("an entry").file_name().into_string().expect("a name in UTF-8")
    };
    let mut names: Vec<_> = entries.map(name).collect();
    names.sort();
    names
}
