//! Paths that are not UTF-8.

use std::ffi::OsString;
use std::os::unix::ffi::OsStringExt;

use super::bed::{Bed, transcript};

fn odd(bytes: &[u8]) -> OsString {
    OsString::from_vec(bytes.to_vec())
}

#[test]
fn files_may_be_called_anything() {
    let bed = Bed::new();
    let (recording, policy) = (odd(b"rec\xff.jsonl"), odd(b"pol\xff.toml"));
    std::fs::copy(transcript("permission-allow"), bed.path("work").join(&recording)).unwrap();
    std::fs::write(bed.path("work").join(&policy), "[[rule]]\ntool = \"*\"\nthen = \"ask\"\n")
        .unwrap();
    assert!(bed.ok(["replay".into(), recording]).contains("done"));
    assert!(bed.ok(["policy".into(), "check".into(), policy]).contains("1 rule,"));
    bed.say(&["--quiet"], "say x");
    let page = odd(b"page\xff.md");
    bed.ok(["export".into(), "last".into(), "-o".into(), page.clone()]);
    assert!(std::fs::read_to_string(bed.path("work").join(page)).unwrap().contains("# Session"));
}

#[test]
fn everything_may_be_kept_anywhere() {
    let bed = Bed::new();
    let dir = odd(b"data\xff");
    let with = |more: &[&str]| {
        let mut args = vec!["--data-dir".into(), dir.clone()];
        args.extend(more.iter().map(OsString::from));
        bed.ok(args)
    };
    with(&["run", "--quiet", "#script\nsay kept"]);
    assert!(with(&["ls"]).contains("say kept"));
    assert!(bed.path("work").join(&dir).join("pilothouse.db").exists());
    assert!(with(&["up", "--no-open"]).contains("runs now"));
    assert!(with(&["status"]).contains("1 session:"));
    with(&["down"]);
}

#[test]
fn sessions_work_only_where_names_are_text() {
    let bed = Bed::new();
    let dir = odd(b"work/dir\xff");
    std::fs::create_dir(bed.path(&dir)).unwrap();
    let ran = bed.run(["run".into(), "--cwd".into(), odd(b"dir\xff"), OsString::from("x")]);
    assert_eq!(ran.code, Some(2), "{ran:?}");
    assert!(ran.err.contains("not UTF-8"), "{ran:?}");
}
