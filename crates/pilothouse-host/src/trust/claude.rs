//! Directories that Claude Code itself has recorded as trusted.

use std::io::Read;
use std::path::Path;

use serde_json::Value;

/// The largest configuration file that is read. It holds prompts of all projects.
const LARGEST: u64 = 64 * 1024 * 1024;

/// Whether Claude Code's configuration file says that a person trusted exactly this directory.
pub(crate) fn is_recorded(config: &Path, root: &Path) -> bool {
    let read = || {
        let real = dunce::canonicalize(config).ok()?;
        let file = crate::private::open_regular(&real).ok()?;
        let mut text = String::new();
        file.take(LARGEST).read_to_string(&mut text).ok()?;
        let config: Value = serde_json::from_str(&text).ok()?;
        config.get("projects")?.get(root.to_str()?)?.get("hasTrustDialogAccepted")?.as_bool()
    };
    read() == Some(true)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn only_the_recorded_path_counts() {
        let dir = tempfile::tempdir().unwrap();
        let config = dir.path().join(".claude.json");
        let projects = json!({"projects": {
            "/srv/app": {"hasTrustDialogAccepted": true},
            "/srv/other": {"hasTrustDialogAccepted": false},
            "/srv/odd": {"hasTrustDialogAccepted": "true"},
        }});
        std::fs::write(&config, projects.to_string()).unwrap();
        assert!(is_recorded(&config, Path::new("/srv/app")));
        for path in ["/srv/app/sub", "/srv", "/", "/srv/other", "/srv/odd", "/srv/app/"] {
            assert!(!is_recorded(&config, Path::new(path)), "{path}");
        }
        std::fs::write(&config, "{").unwrap();
        assert!(!is_recorded(&config, Path::new("/srv/app")));
        assert!(!is_recorded(&dir.path().join("none"), Path::new("/srv/app")));
    }
}
