//! Everything that is recorded.

mod controls;
mod hooks;
mod permissions;
mod sessions;
mod talk;
mod tasks;
mod tools;
mod trouble;

use super::scenario::Scenario;

/// All scenarios; their names are different.
pub fn all() -> Vec<Scenario> {
    [
        talk::all(),
        tools::all(),
        permissions::all(),
        hooks::all(),
        tasks::all(),
        sessions::all(),
        controls::all(),
        trouble::all(),
    ]
    .concat()
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn names_are_different_and_every_scenario_runs_something() {
        let mut names = HashSet::new();
        for scenario in all() {
            assert!(names.insert(scenario.name), "{}", scenario.name);
            assert!(!scenario.runs.is_empty(), "{}", scenario.name);
            assert!(scenario.since <= scenario.until, "{}", scenario.name);
        }
    }
}
