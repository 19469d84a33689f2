//! Shortens lists that are long and say the same in every transcript.
//!
//! The catalogues that the CLI sends (commands, skills, models, plugins, hook events) and the
//! picture of the context keep their first entries only: enough to see their shape.

use super::json::Json;

/// Members whose lists are cut, and how much of them stays.
const LISTS: [(&str, usize); 11] = [
    ("agents", 3),
    ("commands", 3),
    ("eventCatalog", 2),
    ("events", 2),
    ("gridRows", 1),
    ("models", 1),
    ("plugins", 1),
    ("skills", 3),
    ("slash_commands", 3),
    ("systemTools", 3),
    ("terminal_slash_commands", 3),
];

/// Cuts the lists of a line.
pub fn trim(line: &mut Json) {
    match line {
        Json::Object(members) => {
            for (key, value) in members {
                if let Json::List(items) = value
                    && let Some((_, length)) = LISTS.iter().find(|(name, _)| name == key)
                {
                    items.truncate(*length);
                    if key == "gridRows" {
                        items.iter_mut().for_each(first_cells);
                    }
                }
                trim(value);
            }
        }
        Json::List(items) => items.iter_mut().for_each(trim),
        _ => {}
    }
}

fn first_cells(row: &mut Json) {
    if let Json::List(cells) = row {
        cells.truncate(2);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_named_lists_are_cut() {
        let mut line: Json = serde_json::from_str(
            r#"{"r":{"commands":[1,2,3,4],"tools":[1,2,3,4],"gridRows":[[1,2,3],[4]]}}"#,
        )
        .unwrap();
        trim(&mut line);
        assert_eq!(
            serde_json::to_string(&line).unwrap(),
            r#"{"r":{"commands":[1,2,3],"tools":[1,2,3,4],"gridRows":[[1,2]]}}"#
        );
    }
}
