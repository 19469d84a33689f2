//! The file: TOML, every key known, every mistake with its place.

use std::path::Path;

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::error::{Fault, Mistake};
use super::keys::Key;
use super::raw::Raw;
use super::settings::Config;
use super::{Environment, Source};

/// What paths are relative to.
#[derive(Clone, Copy, Debug)]
pub(super) struct Surroundings<'a> {
    pub(super) home: Option<&'a Path>,
    pub(super) base: &'a Path,
}

struct Reading<'a> {
    config: &'a mut Config,
    path: &'a Path,
    text: &'a str,
    here: Surroundings<'a>,
    faults: &'a mut Vec<Fault>,
}

pub(super) fn read(
    config: &mut Config,
    path: &Path,
    text: &str,
    environment: &Environment,
    faults: &mut Vec<Fault>,
) {
    let base = path.parent().unwrap_or(&environment.cwd);
    let here = Surroundings { home: environment.home.as_deref(), base };
    match DeTable::parse(text) {
        Ok(table) => {
            Reading { config, path, text, here, faults }.table("", table.get_ref());
        }
        Err(error) => {
            let message = error.message().replace('\n', ", ");
            let at = place(text, error.span().map_or(0, |span| span.start));
            faults.push(Fault::in_file(path, at, Mistake::Toml { message }));
        }
    }
}

impl Reading<'_> {
    fn table(&mut self, prefix: &str, table: &DeTable<'_>) {
        let mut entries: Vec<_> = table.iter().collect();
        // Told in the order in which they stand in the file.
        entries.sort_by_key(|(key, _)| key.span().start);
        for (key, value) in entries {
            let name = match prefix {
                "" => key.get_ref().to_string(),
                prefix => format!("{prefix}.{}", key.get_ref()),
            };
            self.entry(&name, key.span().start, value);
        }
    }

    fn entry(&mut self, name: &str, at: usize, value: &Spanned<DeValue<'_>>) {
        match (Key::named(name), value.get_ref()) {
            (Some(key), value_of) => {
                let at = place(self.text, value.span().start);
                let source = Source::File { path: self.path.to_owned(), line: at.0 };
                let before = self.faults.len();
                self.config.set(key, &Raw::from(value_of), &self.here, source, self.faults);
                for fault in &mut self.faults[before..] {
                    fault.column = Some(at.1);
                }
            }
            (None, DeValue::Table(table)) if !table.is_empty() => self.table(name, table),
            (None, _) => {
                let at = place(self.text, at);
                self.faults.push(Fault::in_file(self.path, at, Mistake::unknown_key(name)));
            }
        }
    }
}

/// Line and column, from 1.
fn place(text: &str, at: usize) -> (usize, usize) {
    let before = text.get(..at).unwrap_or(text);
    let line = before.matches('\n').count() + 1;
    let column = before.chars().rev().take_while(|c| *c != '\n').count() + 1;
    (line, column)
}
