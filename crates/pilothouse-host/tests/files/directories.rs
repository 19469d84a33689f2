//! Directories to choose from.

use std::fs::{create_dir_all, write};
use std::os::unix::fs::symlink;

use pilothouse_host::files::{Directories, FileError, Hidden, Roots, Search};
use tempfile::TempDir;

struct Trees {
    _dir: TempDir,
    home: std::path::PathBuf,
    roots: Roots,
}

/// A home with projects, and something beside it that is nobody's business.
fn trees() -> Trees {
    let dir = TempDir::new().unwrap();
    let base = dir.path().canonicalize().unwrap();
    let (home, other) = (base.join("home"), base.join("other"));
    for name in ["Boat/mast", "apple", ".config/deep", ".cache", "zebra"] {
        create_dir_all(home.join(name)).unwrap();
    }
    create_dir_all(other.join("secret")).unwrap();
    write(home.join("file.txt"), "").unwrap();
    symlink(home.join("Boat"), home.join("link-to-boat")).unwrap();
    symlink(&other, home.join("way-out")).unwrap();
    symlink(home.join("file.txt"), home.join("link-to-file")).unwrap();
    symlink(home.join("nothing"), home.join("broken")).unwrap();
    let roots = Roots::new(&home, [] as [&str; 0]).unwrap();
    Trees { _dir: dir, home, roots }
}

const ALL: Search<'_> = Search { path: ".", starts: "", hidden: Hidden::Omit, limit: 50 };

fn names(found: &Directories) -> Vec<&str> {
    found.names.iter().map(|name| &**name).collect()
}

#[test]
fn only_directories_are_named_and_hidden_ones_last() {
    let trees = trees();
    let found = trees.roots.directories(ALL).unwrap();
    assert_eq!(names(&found), ["apple", "Boat", "link-to-boat", "zebra"]);
    assert_eq!(found.path, trees.home.to_str().unwrap());
    assert_eq!((found.parent, found.truncated), (None, false));
    let found = trees.roots.directories(Search { hidden: Hidden::Last, ..ALL }).unwrap();
    let all = ["apple", "Boat", "link-to-boat", "zebra", ".cache", ".config"];
    assert_eq!(names(&found), all);
    let found = trees.roots.directories(Search { starts: ".c", ..ALL }).unwrap();
    assert_eq!(names(&found), [".cache", ".config"], "whoever types the dot wants them");
    let found = trees.roots.directories(Search { starts: "bO", ..ALL }).unwrap();
    assert_eq!(names(&found), ["Boat"]);
    let found = trees.roots.directories(Search { limit: 2, ..ALL }).unwrap();
    assert_eq!((names(&found), found.truncated), (vec!["apple", "Boat"], true));
}

#[test]
fn one_goes_down_and_up_but_not_out() {
    let trees = trees();
    let below = trees.home.join("link-to-boat");
    let path = below.to_str().unwrap();
    let found = trees.roots.directories(Search { path, ..ALL }).unwrap();
    assert_eq!(names(&found), ["mast"]);
    assert_eq!(found.path, trees.home.join("Boat").to_str().unwrap(), "as it really is");
    assert_eq!(found.parent.as_deref(), trees.home.to_str());
    for path in ["/", "..", "../other", "way-out", "way-out/secret", "Boat/../../other"] {
        let error = trees.roots.directories(Search { path, ..ALL }).unwrap_err();
        assert!(matches!(error, FileError::Outside(_)), "{path}: {error}");
    }
    let error = trees.roots.directories(Search { path: "file.txt", ..ALL }).unwrap_err();
    assert!(matches!(error, FileError::NotDirectory(_)), "{error}");
    let error = trees.roots.directories(Search { path: "missing", ..ALL }).unwrap_err();
    assert!(matches!(error, FileError::NotFound(_)), "{error}");
}
