//! Which names fit a query best.
//!
//! The letters of the query must all be in a name, in their order. Among those, the matcher's score
//! decides, with a bonus where the last part of the query is (the beginning of) the file's own name:
//! who types `main` means `src/main.rs` rather than `domain/index.ts`.

use std::path::Path;

use frizbee::{Config, Matcher};

use super::index::Index;
use super::{Candidate, Roots};

/// A longer query is cut: it has found what it can find.
const LONGEST: usize = 128;

/// How many of the matcher's best are looked at more closely.
const CLOSELY: usize = 512;

const WHOLE_NAME: u32 = 64;
const NAME_BEGINS: u32 = 24;
const IN_NAME: u32 = 8;
const PATH_BEGINS: u32 = 32;
/// One point for so many bytes of the path.
const BYTES_A_POINT: usize = 16;

/// What somebody has typed after `@`.
pub(super) struct Query {
    text: String,
    /// Something in it begins with a dot.
    hidden: bool,
}

impl Query {
    pub(super) fn of(typed: &str, roots: &Roots) -> Self {
        let mut text = typed.trim();
        text = text.strip_prefix("./").unwrap_or(text);
        let cwd = roots.cwd().to_str().and_then(|cwd| text.strip_prefix(cwd));
        text = cwd.and_then(|rest| rest.strip_prefix('/')).unwrap_or(text);
        let text = text[..text.floor_char_boundary(LONGEST)].to_owned();
        let hidden = text.starts_with('.') || text.contains("/.");
        Self { text, hidden }
    }
}

/// The best names of one index. In other directories than the working directory they are shown, and
/// found, by their absolute paths.
pub(super) fn best(
    index: &Index,
    query: &Query,
    shown_in: Option<&Path>,
    limit: usize,
) -> Vec<Candidate> {
    let names = index.names(query.hidden);
    let prefix = match shown_in {
        None => String::new(),
        Some(root) => match root.to_str() {
            Some(root) => format!("{}/", root.trim_end_matches('/')),
            // It could not be asked for.
            None => return Vec::new(),
        },
    };
    let needle = query.text.strip_prefix(&*prefix).unwrap_or(&query.text);
    if needle.is_empty() {
        // Nobody who has typed nothing yet means another directory than the working directory.
        let is_meant = prefix.is_empty() || !query.text.is_empty();
        return if is_meant { children(&names, &prefix, limit) } else { Vec::new() };
    }
    let mut matcher = Matcher::new(needle, &Config::default());
    let mut matches = matcher.match_list(&names);
    matches.truncate(CLOSELY.max(limit));
    let found = matches.iter().filter_map(|found| names.get(found.index as usize).copied());
    let lowered = needle.to_lowercase();
    let scored = found.filter_map(|name| {
        let matched = matcher.match_one_indices(name, 0)?;
        let score = u32::from(matched.score) + bonus(name, &lowered);
        let score = score.saturating_sub(u32::try_from(name.len() / BYTES_A_POINT).unwrap_or(0));
        let positions = positions(name, &matched.indices);
        Some((name, score, positions))
    });
    let mut candidates: Vec<Candidate> = scored
        .map(|(name, score, positions)| {
            let positions = positions.into_iter().map(|at| at + prefix.len()).collect();
            candidate(&prefix, name, positions, score)
        })
        .collect();
    sort(&mut candidates);
    candidates.truncate(limit);
    candidates
}

/// The best first; of equals the shorter, then by name.
pub(super) fn sort(candidates: &mut [Candidate]) {
    candidates.sort_by(|a, b| {
        let by_score = b.score.cmp(&a.score);
        by_score.then(a.path.len().cmp(&b.path.len())).then_with(|| a.path.cmp(&b.path))
    });
}

/// Without a query: what is in the directory itself, directories first.
fn children(names: &[&str], prefix: &str, limit: usize) -> Vec<Candidate> {
    let is_child = |name: &&&str| !name.trim_end_matches('/').contains('/');
    let mut names: Vec<&str> = names.iter().filter(is_child).copied().collect();
    names.sort_by_key(|name| (!name.ends_with('/'), name.to_lowercase()));
    names.truncate(limit);
    let count = u32::try_from(names.len()).unwrap_or(u32::MAX);
    let scored = names.into_iter().zip((1..=count).rev());
    scored.map(|(name, score)| candidate(prefix, name, Vec::new(), score)).collect()
}

fn candidate(prefix: &str, name: &str, positions: Vec<usize>, score: u32) -> Candidate {
    let directory = name.ends_with('/');
    Candidate { path: format!("{prefix}{name}"), directory, positions, score }
}

fn bonus(name: &str, needle: &str) -> u32 {
    let name = name.to_lowercase();
    let own = name.trim_end_matches('/');
    let own = own.rsplit_once('/').map_or(own, |(_, own)| own);
    let wanted = needle.trim_end_matches('/');
    let wanted = wanted.rsplit_once('/').map_or(wanted, |(_, wanted)| wanted);
    let stem = own.split_once('.').map_or(own, |(stem, _)| stem);
    let of_name = if own == wanted || stem == wanted {
        WHOLE_NAME
    } else if own.starts_with(wanted) {
        NAME_BEGINS
    } else if own.contains(wanted) {
        IN_NAME
    } else {
        0
    };
    of_name + if name.starts_with(needle) { PATH_BEGINS } else { 0 }
}

/// From the matcher's places, last first, to where characters begin, first first.
fn positions(name: &str, indices: &[u32]) -> Vec<usize> {
    let mut found: Vec<usize> = indices
        .iter()
        .map(|at| name.floor_char_boundary((*at as usize).min(name.len())))
        .filter(|at| *at < name.len())
        .collect();
    found.sort_unstable();
    found.dedup();
    found
}
