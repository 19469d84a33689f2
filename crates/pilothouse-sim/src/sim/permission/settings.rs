//! The settings files: where they are, what permissions they hold, and how a change gets into them.

use std::path::{Path, PathBuf};
use std::{fs, io};

use serde_json::{Map, Value, json};

use super::rule::Rule;
use super::store::{Behavior, Mode, Source, Store};
use crate::sim::launch::Launch;

/// The permissions to start with.
pub(in crate::sim) fn load(launch: &Launch) -> Store {
    let mut store = Store::new(Mode::Default);
    let wanted = |name: &str| match &launch.flags.setting_sources {
        Some(sources) => sources.iter().any(|source| source == name),
        None => true,
    };
    for (name, source) in
        [("user", Source::User), ("project", Source::Project), ("local", Source::Local)]
    {
        if wanted(name)
            && let Some(path) = file(launch, source)
        {
            store.add_settings(&read(&path), source);
        }
    }
    if let Some(settings) = &launch.flags.settings {
        let inline = serde_json::from_str(settings).unwrap_or_else(|_| read(Path::new(settings)));
        store.add_settings(&inline, Source::Flag);
    }
    for (behavior, rules) in
        [(Behavior::Allow, &launch.flags.allowed), (Behavior::Deny, &launch.flags.disallowed)]
    {
        for rule in rules {
            store.add(behavior, Source::CliArg, Rule::parse(rule));
        }
    }
    for directory in &launch.flags.add_dirs {
        store.directories.push((launch.cwd.join(directory), Source::CliArg));
    }
    if let Some(mode) = launch.flags.permission_mode.as_deref().and_then(Mode::parse) {
        store.set_mode(mode);
    }
    store
}

/// Writes what `store` keeps at `source` into its file, if it has one. Everything else in the file
/// stays.
pub(in crate::sim) fn save(launch: &Launch, store: &Store, source: Source) -> io::Result<()> {
    let Some(path) = file(launch, source) else {
        return Ok(());
    };
    let mut settings = read(&path);
    let permissions = settings["permissions"].as_object().cloned().unwrap_or_default();
    let mut permissions: Map<String, Value> = permissions
        .into_iter()
        .filter(|(key, _)| {
            !matches!(key.as_str(), "allow" | "deny" | "ask" | "additionalDirectories")
        })
        .collect();
    if let Value::Object(kept) = store.kept(source) {
        permissions.extend(kept);
    }
    settings["permissions"] = Value::Object(permissions);
    if let Some(directory) = path.parent() {
        fs::create_dir_all(directory)?;
    }
    let text = serde_json::to_string_pretty(&settings)?;
    fs::write(path, text + "\n")
}

fn file(launch: &Launch, source: Source) -> Option<PathBuf> {
    match source {
        Source::User => Some(launch.config.join("settings.json")),
        Source::Project => Some(launch.cwd.join(".claude/settings.json")),
        Source::Local => Some(launch.cwd.join(".claude/settings.local.json")),
        Source::Flag | Source::Session | Source::CliArg => None,
    }
}

fn read(path: &Path) -> Value {
    let text = fs::read_to_string(path).unwrap_or_default();
    match serde_json::from_str(&text) {
        Ok(Value::Object(map)) => Value::Object(map),
        _ => json!({}),
    }
}
