//! Glob and Grep, in their simplest form: names with `*`, `**` and `?`; texts by plain substring.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use super::outcome::Outcome;
use crate::sim::cli::Cli;

/// The most files that a search looks at.
const MOST: usize = 10_000;

/// All files below `root`, as paths relative to it, sorted.
fn files(root: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut open = vec![root.to_owned()];
    while let Some(directory) = open.pop() {
        for entry in fs::read_dir(&directory).into_iter().flatten().flatten() {
            let path = entry.path();
            let is_hidden = entry.file_name().to_string_lossy().starts_with('.');
            match entry.file_type() {
                Ok(kind) if kind.is_dir() && !is_hidden => open.push(path),
                Ok(kind) if kind.is_file() && found.len() < MOST => {
                    found.extend(path.strip_prefix(root).ok().map(Path::to_owned));
                }
                _ => {}
            }
        }
    }
    found.sort();
    found
}

/// Whether a path fits a pattern. `**/` stands for any directories, none included.
fn fits(pattern: &str, path: &str) -> bool {
    if let Some(rest) = pattern.strip_prefix("**/") {
        return fits(rest, path)
            || path.match_indices('/').any(|(at, _)| fits(rest, &path[at + 1..]));
    }
    let mut pattern_characters = pattern.chars();
    match pattern_characters.next() {
        None => path.is_empty(),
        Some('*') => {
            let rest = pattern_characters.as_str().trim_start_matches('*');
            path.char_indices()
                .map(|(at, _)| at)
                .chain([path.len()])
                .take_while(|at| !path[..*at].contains('/'))
                .any(|at| fits(rest, &path[at..]))
        }
        Some(wanted) => {
            let mut characters = path.chars();
            characters.next().is_some_and(|found| {
                (found == wanted || (wanted == '?' && found != '/'))
                    && fits(pattern_characters.as_str(), characters.as_str())
            })
        }
    }
}

fn root(cli: &Cli, input: &Value) -> PathBuf {
    cli.launch.resolve(input["path"].as_str().unwrap_or_default())
}

pub(super) fn glob(cli: &Cli, input: &Value) -> Outcome {
    let pattern = input["pattern"].as_str().unwrap_or_default();
    let found = files(&root(cli, input)).into_iter().map(|path| path.display().to_string());
    let found: Vec<_> = found.filter(|path| fits(pattern, path)).collect();
    let text = if found.is_empty() { "No files found".to_owned() } else { found.join("\n") };
    let structured = json!({
        "filenames": found,
        "durationMs": 0,
        "numFiles": found.len(),
        "truncated": false,
        "totalMatches": found.len(),
        "countIsComplete": true,
    });
    Outcome::text(&text, structured)
}

pub(super) fn grep(cli: &Cli, input: &Value) -> Outcome {
    let root = root(cli, input);
    let pattern = input["pattern"].as_str().unwrap_or_default();
    let mut names = Vec::new();
    let mut lines = Vec::new();
    for path in files(&root) {
        let Ok(text) = fs::read_to_string(root.join(&path)) else { continue };
        let hits = text.lines().enumerate().filter(|(_, line)| line.contains(pattern));
        let before = lines.len();
        lines.extend(hits.map(|(at, line)| format!("{}:{}:{line}", path.display(), at + 1)));
        if lines.len() > before {
            names.push(path.display().to_string());
        }
    }
    match input["output_mode"].as_str() {
        Some("content") => {
            let structured = json!({
                "mode": "content", "numFiles": 0, "filenames": [], "content": lines.join("\n"),
                "numLines": lines.len(), "totalLines": lines.len(),
            });
            Outcome::text(&lines.join("\n"), structured)
        }
        Some("count") => {
            let structured = json!({
                "mode": "count", "numFiles": names.len(), "filenames": [], "content": "",
                "numMatches": lines.len(), "totalFiles": names.len(),
            });
            Outcome::text(&lines.len().to_string(), structured)
        }
        _ => {
            let structured = json!({
                "mode": "files_with_matches", "filenames": names,
                "numFiles": names.len(), "totalFiles": names.len(),
            });
            Outcome::text(&format!("{} files\n{}", names.len(), names.join("\n")), structured)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns() {
        assert!(fits("**/*.txt", "a.txt") && fits("**/*.txt", "d/e/b.txt"));
        assert!(fits("src/*.rs", "src/a.rs") && !fits("src/*.rs", "src/d/a.rs"));
        assert!(fits("?.md", "a.md") && !fits("?.md", "ab.md") && !fits("*.rs", "a.rsx"));
    }
}
