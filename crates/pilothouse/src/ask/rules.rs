//! Describes what "always" would change.

use pilothouse_wire::PermissionUpdate;
use pilothouse_wire::permission::{Destination, PermissionRule, RuleBehavior};

use crate::view::one_line;

/// Whether an update only adds rules. Others change the session: more directories, another mode.
pub(crate) fn adds_rules(update: &PermissionUpdate) -> bool {
    matches!(update, PermissionUpdate::AddRules(_))
}

/// A change of permissions as a sentence, with where it is kept.
pub(crate) fn sentence(update: &PermissionUpdate) -> String {
    match update {
        PermissionUpdate::AddRules(change) => {
            rules(verb(&change.behavior), &change.rules, &change.destination)
        }
        PermissionUpdate::ReplaceRules(change) => {
            let what = format!("from now on only {}", verb(&change.behavior));
            rules(&what, &change.rules, &change.destination)
        }
        PermissionUpdate::RemoveRules(change) => {
            let what = format!("no longer {}", verb(&change.behavior));
            rules(&what, &change.rules, &change.destination)
        }
        PermissionUpdate::SetMode(change) => {
            format!("switch to mode {} {}", change.mode, place(&change.destination))
        }
        PermissionUpdate::AddDirectories(change) => {
            let dirs = one_line(&change.directories.join(", "));
            format!("work in {dirs} too, {}", place(&change.destination))
        }
        PermissionUpdate::RemoveDirectories(change) => {
            let dirs = one_line(&change.directories.join(", "));
            format!("work in {dirs} no longer, {}", place(&change.destination))
        }
        PermissionUpdate::Unknown(_) => "something that this version does not know".to_owned(),
    }
}

fn rules(what: &str, rules: &[PermissionRule], destination: &Destination) -> String {
    let rule = |rule: &PermissionRule| match &rule.rule_content {
        Some(content) => format!("{}({})", rule.tool_name, one_line(content)),
        None => rule.tool_name.clone(),
    };
    let list = rules.iter().map(rule).collect::<Vec<_>>().join(", ");
    format!("{what} {list} {}", place(destination))
}

fn verb(behavior: &RuleBehavior) -> &'static str {
    match behavior {
        RuleBehavior::Allow => "allow",
        RuleBehavior::Deny => "refuse",
        _ => "ask about",
    }
}

fn place(destination: &Destination) -> String {
    match destination {
        Destination::UserSettings => "in all your projects (~/.claude/settings.json)".to_owned(),
        Destination::ProjectSettings => {
            "in this project, for everybody (.claude/settings.json)".to_owned()
        }
        Destination::LocalSettings => {
            "in this project, for you (.claude/settings.local.json)".to_owned()
        }
        Destination::Session | Destination::CliArg => "in this session".to_owned(),
        other => format!("in {other}"),
    }
}
