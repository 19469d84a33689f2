use std::ffi::OsStr;
use std::io::Read;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

use pilothouse_host::files::{FileError, InsideKind, Roots};

use crate::Bed;

fn text(roots: &Roots, path: impl AsRef<Path>) -> String {
    let mut text = String::new();
    let file = roots.resolve(path).unwrap().into_file().unwrap();
    std::io::BufReader::new(file).read_to_string(&mut text).unwrap();
    text
}

#[test]
fn what_is_inside_is_opened() {
    let bed = Bed::new();
    bed.write("project/src/main.rs", "main");
    symlink("src", bed.project().join("code")).unwrap();
    symlink(bed.project().join("src/main.rs"), bed.project().join("absolute")).unwrap();
    let roots = bed.roots();
    let paths = [
        PathBuf::from("src/main.rs"),
        PathBuf::from("./src/../src/main.rs"),
        PathBuf::from("code/main.rs"),
        PathBuf::from("absolute"),
        bed.project().join("src/main.rs"),
    ];
    for path in paths {
        assert_eq!(text(&roots, &path), "main", "{}", path.display());
        let inside = roots.resolve(&path).unwrap();
        assert_eq!(inside.path(), bed.project().join("src/main.rs"));
        assert_eq!(inside.relative(), Path::new("src/main.rs"));
        assert_eq!((inside.kind(), inside.size()), (InsideKind::File, 4));
    }
    assert_eq!(roots.resolve("").unwrap().kind(), InsideKind::Directory);
    assert_eq!(roots.resolve("src").unwrap().kind(), InsideKind::Directory);
}

#[test]
fn what_is_outside_is_not_even_told_of() {
    let bed = Bed::new();
    bed.write("secret", "s");
    bed.write("project/file", "f");
    let link = |to: &str, name: &str| symlink(to, bed.project().join(name)).unwrap();
    link("../secret", "up");
    link("/etc", "etc");
    link("/proc/self/environ", "environment");
    link("/proc/self/root", "root");
    link("/nowhere/at/all", "dangling");
    link("loop", "loop");
    let roots = bed.roots();
    let paths = [
        "../secret",
        "../nothing",
        "sub/../../secret",
        "/etc/passwd",
        "/etc/nothing-of-this-name",
        "/",
        "up",
        "etc/passwd",
        "etc/nothing-of-this-name",
        "etc",
        "environment",
        "root",
        "root/etc/passwd",
        "/proc/self/environ",
        "/proc/self/fd/0",
        "dangling",
        "dangling/more",
        "loop",
        "loop/more",
    ];
    for path in paths {
        let refused = roots.resolve(path).unwrap_err();
        assert!(matches!(refused, FileError::Outside(_)), "{path}: {refused:?}");
    }
    let spelled = bed.project().join("../secret");
    assert!(matches!(roots.resolve(spelled), Err(FileError::Outside(_))));
    // A name that begins like the directory's is another name.
    bed.write("project-b/file", "b");
    assert!(matches!(roots.resolve(bed.top().join("project-b/file")), Err(FileError::Outside(_))));
}

#[test]
fn what_is_not_there_is_not_found() {
    let bed = Bed::new();
    bed.write("project/file", "f");
    let roots = bed.roots();
    for path in ["nothing", "no/such/path", "file/below", "nul\0l"] {
        let refused = roots.resolve(path).unwrap_err();
        assert!(!matches!(refused, FileError::Outside(_)), "{path}: {refused:?}");
    }
    assert!(matches!(roots.resolve("nothing"), Err(FileError::NotFound(_))));
}

#[test]
fn pipes_sockets_and_devices_are_not_opened() {
    let bed = Bed::new();
    bed.fifo("project/pipe");
    let _socket = std::os::unix::net::UnixListener::bind(bed.project().join("socket")).unwrap();
    let roots = bed.roots();
    for path in ["pipe", "socket"] {
        let refused = roots.resolve(path).unwrap_err();
        assert!(matches!(refused, FileError::Special { .. }), "{path}: {refused:?}");
    }
    let everything = Roots::new("/", [] as [&Path; 0]).unwrap();
    for path in ["/dev/null", "dev/zero", "/proc/self/environ", "/proc/version", "/sys/kernel"] {
        let refused = everything.resolve(path).unwrap_err();
        assert!(matches!(refused, FileError::Special { .. }), "{path}: {refused:?}");
    }
}

#[test]
fn added_directories_count_and_links_may_lead_there() {
    let bed = Bed::new();
    bed.write("library/lib.rs", "lib");
    bed.write("elsewhere/x", "x");
    symlink("../library", bed.project().join("lib")).unwrap();
    symlink(bed.top().join("library"), bed.top().join("spelled")).unwrap();
    let roots = Roots::new(bed.project(), [bed.top().join("spelled")]).unwrap();
    assert_eq!(text(&roots, bed.top().join("library/lib.rs")), "lib");
    assert_eq!(text(&roots, bed.top().join("spelled/lib.rs")), "lib");
    assert_eq!(text(&roots, "lib/lib.rs"), "lib");
    assert!(matches!(roots.resolve(bed.top().join("elsewhere/x")), Err(FileError::Outside(_))));
    let gone = Roots::new(bed.top().join("gone"), [] as [&Path; 0]);
    assert!(matches!(gone, Err(FileError::NoDirectory(_))));
}

#[test]
fn a_directory_that_has_become_a_link_is_no_way_out() {
    let bed = Bed::new();
    bed.write("other/file", "other");
    let roots = bed.roots();
    std::fs::remove_dir(bed.project()).unwrap();
    symlink(bed.top().join("other"), bed.project()).unwrap();
    assert!(matches!(roots.resolve("file"), Err(FileError::Outside(_))));
}

#[test]
fn names_that_are_no_text_are_names() {
    let bed = Bed::new();
    let name = OsStr::from_bytes(b"caf\xe9");
    std::fs::write(bed.project().join(name), "latin").unwrap();
    assert_eq!(text(&bed.roots(), name), "latin");
}

/// Somebody swaps a directory for a link as fast as they can. Whatever is opened is never outside.
#[test]
fn swapping_links_is_no_way_out() {
    let bed = Bed::new();
    bed.write("project/dir/file", "inside");
    bed.write("outside/file", "outside");
    symlink(bed.top().join("outside"), bed.top().join("evil")).unwrap();
    let roots = bed.roots();
    let done = AtomicBool::new(false);
    let mut opened = 0;
    std::thread::scope(|scope| {
        scope.spawn(|| {
            let (dir, aside) = (bed.project().join("dir"), bed.project().join("aside"));
            let evil = bed.top().join("evil");
            while !done.load(Ordering::Relaxed) {
                std::fs::rename(&dir, &aside).unwrap();
                std::fs::rename(&evil, &dir).unwrap();
                std::fs::rename(&dir, &evil).unwrap();
                std::fs::rename(&aside, &dir).unwrap();
            }
        });
        for _ in 0..4_000 {
            if let Ok(inside) = roots.resolve("dir/file") {
                let mut text = String::new();
                inside.into_file().unwrap().read_to_string(&mut text).unwrap();
                assert_eq!(text, "inside");
                opened += 1;
            }
        }
        done.store(true, Ordering::Relaxed);
    });
    assert!(opened > 0, "it never was what it should be");
}
