//! Bounds of what is asked for.

use crate::http::problem::{Fault, Problem};

/// How many entries a page has, where that is not said.
pub(super) const USUAL: u32 = 50;
/// The most entries of a page.
pub(super) const MOST: u32 = 500;

/// How many entries are wanted.
pub(super) fn page(asked: Option<u32>) -> Result<usize, Problem> {
    within(asked, USUAL, MOST)
}

/// How many are wanted: from 1 to `most`.
pub(super) fn within(asked: Option<u32>, usual: u32, most: u32) -> Result<usize, Problem> {
    match asked.unwrap_or(usual) {
        it if (1..=most).contains(&it) => Ok(it as usize),
        it => {
            let detail = format!("`limit` is {it}; it can be 1 to {most}");
            Err(Problem::invalid(Fault::query("limit", detail)))
        }
    }
}

/// A text that is not too long, in characters.
pub(super) fn text(pointer: &str, text: &str, most: usize) -> Result<(), Problem> {
    match text.chars().count() {
        long if long > most => {
            let detail = format!("it has {long} characters; {most} are the most");
            Err(Problem::invalid(Fault::body(pointer, detail)))
        }
        _ => Ok(()),
    }
}

/// The most characters of a title, of a tag, and the most tags.
pub(super) const TITLE: usize = 500;
pub(super) const TAG: usize = 100;
pub(super) const TAGS: usize = 50;

/// Tags that are few and short.
pub(super) fn tags(tags: &[String]) -> Result<(), Problem> {
    if tags.len() > TAGS {
        let detail = format!("{} tags are too many; {TAGS} are the most", tags.len());
        return Err(Problem::invalid(Fault::body("/tags", detail)));
    }
    for (at, tag) in tags.iter().enumerate() {
        let pointer = format!("/tags/{at}");
        if tag.trim().is_empty() {
            return Err(Problem::invalid(Fault::body(pointer, "a tag needs a letter")));
        }
        text(&pointer, tag, TAG)?;
    }
    Ok(())
}
