//! Help that is ordered by what people want to do.

use std::fmt::Write;

use clap::CommandFactory;
use clap::builder::StyledStr;

use super::Cli;
use crate::exit;

/// The groups of the overview. Every command that is not hidden is in one of them.
const GROUPS: &[(&str, &[&str])] = &[
    ("Begin here", &["up", "demo", "run", "doctor"]),
    ("The daemon", &["serve", "status", "down", "login"]),
    ("Follow sessions", &["ls", "show", "attach", "logs", "search"]),
    ("Steer sessions", &["send", "approve", "deny", "stop", "resume", "fork", "rewind", "rm"]),
    ("Take in and out", &["import", "export", "replay"]),
    ("Set up", &["policy", "trust", "config", "completions"]),
];

const AFTER: &str = "\
Without a command, `pilothouse` does what `pilothouse up` does.
`pilothouse COMMAND --help` tells more about a command.";

const RUN: &str = "\
Ctrl-C interrupts the turn; a second one ends it.

Examples:
  pilothouse run \"Why does the build fail?\"
  git diff | pilothouse run \"Review this:\"
  pilothouse run --continue --quiet \"And the tests?\"
  pilothouse run --policy mine.toml --json \"Tidy up\" > events.jsonl";

/// The command line, with its help.
pub(crate) fn command() -> clap::Command {
    let command = Cli::command();
    let heading = command.get_styles().get_header();
    let template = format!(
        "{{about-with-newline}}\n{{usage-heading}} {{usage}}\n{}\n{heading}Common \
         options:{heading:#}\n{{options}}{{after-help}}",
        overview(&command)
    );
    command
        .help_template(StyledStr::from(template))
        .after_help(format!("{AFTER}\n\n{}", exit::HELP))
        .mut_subcommand("run", |run| run.after_help(format!("{RUN}\n\n{}", exit::HELP)))
}

fn overview(command: &clap::Command) -> String {
    let heading = command.get_styles().get_header();
    let literal = command.get_styles().get_literal();
    let mut text = String::new();
    for (title, names) in GROUPS {
        let _ = write!(text, "\n{heading}{title}:{heading:#}\n");
        for name in *names {
            let about = command.find_subcommand(name).and_then(clap::Command::get_about);
            let about = about.map(ToString::to_string).unwrap_or_default();
            let _ = writeln!(text, "  {literal}{name:<13}{literal:#}{about}");
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_command_line_is_sound() {
        command().debug_assert();
    }

    #[test]
    fn every_command_is_in_one_group() {
        let mut listed: Vec<_> = GROUPS.iter().flat_map(|(_, names)| *names).copied().collect();
        let command = command();
        let all = command.get_subcommands().filter(|command| !command.is_hide_set());
        let mut all: Vec<_> = all.map(clap::Command::get_name).collect();
        listed.sort_unstable();
        all.sort_unstable();
        assert_eq!(listed, all);
    }
}
