use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::symlink;

use pilothouse_host::files::{EntryKind, FileError, FileText, ReadRange, Seen};

use crate::Bed;

fn text(bed: &Bed, path: &str, first_line: u64, lines: u64) -> FileText {
    match bed.roots().read(path, ReadRange { first_line, lines }).unwrap().content {
        Seen::Text(text) => text,
        other => panic!("{other:?}"),
    }
}

#[test]
fn lines_of_a_text() {
    let bed = Bed::new();
    bed.write("project/four", "one\ntwo\nthree\nfour");
    let cases = [
        ((1, u64::MAX), ("one\ntwo\nthree\nfour", 4)),
        ((2, 2), ("two\nthree\n", 2)),
        ((4, 9), ("four", 1)),
        ((5, 1), ("", 0)),
        ((0, 0), ("one\n", 1)),
    ];
    for ((first, lines), (shown, count)) in cases {
        let seen = text(&bed, "four", first, lines);
        assert_eq!((&*seen.text, seen.lines), (shown, count), "{first} {lines}");
        assert_eq!((seen.total_lines, seen.truncated, seen.lossy), (Some(4), false, false));
    }
    bed.write("project/empty", "");
    assert_eq!(text(&bed, "empty", 1, 9).total_lines, Some(0));
    bed.write("project/ended", "one\n");
    assert_eq!(text(&bed, "ended", 1, 9).total_lines, Some(1));
}

#[test]
fn long_texts_are_cut_where_a_character_ends() {
    let bed = Bed::new();
    bed.write("project/long", "ä".repeat(1 << 20));
    let seen = text(&bed, "long", 1, 1);
    assert!(seen.truncated && !seen.lossy && seen.text.len() == 1 << 20, "{}", seen.text.len());
    let many = "line\n".repeat(1 << 19);
    bed.write("project/many", &many);
    let seen = text(&bed, "many", 1, u64::MAX);
    assert_eq!((seen.total_lines, seen.truncated), (Some(1 << 19), true));
    assert!(many.starts_with(&seen.text) && seen.text.len() == 1 << 20);
    let seen = text(&bed, "many", (1 << 19) - 1, u64::MAX);
    assert_eq!((&*seen.text, seen.truncated), ("line\nline\n", false));
}

#[test]
fn what_is_no_text() {
    let bed = Bed::new();
    bed.write("project/latin", b"caf\xe9\n");
    let seen = text(&bed, "latin", 1, 9);
    assert_eq!((&*seen.text, seen.lossy), ("caf\u{fffd}\n", true));
    bed.write("project/zeroes", [0; 100]);
    bed.write("project/document", "%PDF-1.7\n");
    let roots = bed.roots();
    for (path, media_type) in
        [("zeroes", "application/octet-stream"), ("document", "application/pdf")]
    {
        let view = roots.read(path, ReadRange::default()).unwrap();
        assert_eq!((&*view.media_type, view.content), (media_type, Seen::Binary));
    }
    let png = crate::images::png(3, 2);
    bed.write("project/picture.txt", &png);
    let view = roots.read("picture.txt", ReadRange::default()).unwrap();
    let Seen::Image { image, bytes } = view.content else { panic!("{view:?}") };
    assert_eq!((image.media_type, image.width, image.height, bytes), ("image/png", 3, 2, png));
    assert!(matches!(roots.read("", ReadRange::default()), Err(FileError::IsDirectory(_))));
}

#[test]
fn a_directory_is_listed() {
    let bed = Bed::new();
    bed.write("project/b.txt", "12345");
    bed.write("project/A.txt", "");
    bed.write("project/z/inner", "");
    bed.fifo("project/pipe");
    symlink("/etc/passwd", bed.project().join("link")).unwrap();
    std::fs::write(bed.project().join(OsStr::from_bytes(b"n\xff")), "").unwrap();
    let roots = bed.roots();
    let listing = roots.list("", 100).unwrap();
    let shown: Vec<_> =
        listing.entries.iter().map(|entry| (&*entry.name, entry.kind, entry.size)).collect();
    assert_eq!(
        shown,
        [
            ("z", EntryKind::Directory, None),
            ("A.txt", EntryKind::File, Some(0)),
            ("b.txt", EntryKind::File, Some(5)),
            ("link", EntryKind::Link, None),
            ("n\u{fffd}", EntryKind::File, Some(0)),
            ("pipe", EntryKind::Special, None),
        ]
    );
    assert!(!listing.truncated && listing.entries.iter().all(|entry| entry.modified_at.is_some()));
    let first = roots.list(".", 2).unwrap();
    assert_eq!((first.entries.len(), first.truncated), (2, true));
    assert!(matches!(roots.list("b.txt", 9), Err(FileError::NotDirectory(_))));
    assert!(matches!(roots.list("..", 9), Err(FileError::Outside(_))));
}
