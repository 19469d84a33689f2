//! Any bytes are a path that a client asks for: whatever is opened is one of the files that are
//! really inside.

#![no_main]

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{MetadataExt, symlink};
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use libfuzzer_sys::fuzz_target;
use pilothouse_host::files::{ReadRange, Roots};

struct Bed {
    roots: Roots,
    top: String,
    /// What is really inside, by device and number.
    inside: BTreeSet<(u64, u64)>,
    _dir: tempfile::TempDir,
}

static BED: LazyLock<Bed> = LazyLock::new(|| {
    let dir = tempfile::tempdir().expect("a directory");
    let top = dir.path().canonicalize().expect("its real path");
    let (project, added) = (top.join("project"), top.join("added"));
    for name in ["project/a/b", "project/c", "added/d", "outside/b", "project-b"] {
        std::fs::create_dir_all(top.join(name)).expect("a directory");
    }
    for name in ["project/f", "project/a/f", "project/a/b/f", "added/f", "added/d/f"] {
        std::fs::write(top.join(name), "inside").expect("a file");
    }
    for name in ["s", "outside/f", "outside/b/f", "project-b/f"] {
        std::fs::write(top.join(name), "outside").expect("a file");
    }
    let link = |to: &Path, name: &str| symlink(to, project.join(name)).expect("a link");
    link(Path::new("a"), "l");
    link(Path::new("../added"), "m");
    link(Path::new("../outside"), "o");
    link(Path::new("../../outside/b"), "a/o");
    link(&top.join("s"), "t");
    link(Path::new("/"), "r");
    link(Path::new(".."), "u");
    link(Path::new("."), "h");
    link(Path::new("loop"), "loop");
    link(Path::new("/proc/self/root"), "p");
    let mut inside = BTreeSet::new();
    for root in [&project, &added] {
        collect(root, &mut inside);
    }
    let roots = Roots::new(&project, [&added]).expect("two directories");
    let top = top.to_str().expect("a text").to_owned();
    Bed { roots, top, inside, _dir: dir }
});

/// Everything below a directory, without following a link.
fn collect(path: &PathBuf, found: &mut BTreeSet<(u64, u64)>) {
    let metadata = path.symlink_metadata().expect("it is there");
    if metadata.is_symlink() {
        return;
    }
    found.insert((metadata.dev(), metadata.ino()));
    if metadata.is_dir() {
        for entry in std::fs::read_dir(path).expect("a directory").flatten() {
            collect(&entry.path(), found);
        }
    }
}

fuzz_target!(|data: &[u8]| {
    let bed = &*BED;
    // `@` stands for the directory of it all, which no fuzzer could guess.
    let mut path = Vec::new();
    for byte in data {
        match byte {
            b'@' => path.extend_from_slice(bed.top.as_bytes()),
            byte => path.push(*byte),
        }
    }
    let path = Path::new(OsStr::from_bytes(&path));
    if let Ok(opened) = bed.roots.resolve(path) {
        assert!(bed.roots.dirs().any(|root| opened.path().starts_with(root)), "{path:?}");
        let shown = opened.path();
        let metadata = shown.symlink_metadata().expect("it is there");
        assert!(bed.inside.contains(&(metadata.dev(), metadata.ino())), "{path:?} is {shown:?}");
        if let Ok(file) = opened.into_file() {
            let metadata = file.metadata().expect("it is open");
            assert!(bed.inside.contains(&(metadata.dev(), metadata.ino())), "{path:?}: {shown:?}");
        }
    }
    let Some(path) = path.to_str() else { return };
    for told in [
        bed.roots.read(path, ReadRange::default()).map(|view| format!("{view:?}")),
        bed.roots.list(path, 10).map(|list| format!("{list:?}")),
    ]
    .into_iter()
    .flatten()
    {
        assert!(!told.contains("\"outside\""), "{path:?}: {told}");
    }
});
