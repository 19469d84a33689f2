use std::os::unix::fs::symlink;
use std::path::Path;

use pilothouse_host::files::{ChangeKind, FileDiff, Roots, Stage, TreeChanges, WorkingTree};

use crate::Bed;

pub(crate) fn changes(roots: &Roots) -> TreeChanges {
    match roots.changes().unwrap() {
        WorkingTree::Repository(changes) => changes,
        WorkingTree::NotARepository => panic!("it is a repository"),
    }
}

fn summary(file: &FileDiff) -> (&str, Stage, ChangeKind, u64, u64) {
    (&file.path, file.stage, file.change, file.lines_added, file.lines_removed)
}

fn committed(bed: &Bed) {
    bed.git(&["init", "-q"]);
    bed.write("project/kept", "1\n2\n3\n");
    bed.write("project/edited", "1\n2\n3\n");
    bed.write("project/gone", "bye\n");
    bed.write("project/old-name", "a\nb\nc\nd\ne\nf\n");
    bed.write("project/script", "#!/bin/sh\n");
    bed.write("project/binary", [0, 1, 2]);
    bed.write("project/sub/inner", "inner\n");
    bed.git(&["add", "."]);
    bed.git(&["commit", "-qm", "first"]);
}

#[test]
fn no_repository_is_an_answer() {
    let bed = Bed::new();
    assert_eq!(bed.roots().changes().unwrap(), WorkingTree::NotARepository);
}

#[test]
fn staged_unstaged_and_untracked() {
    let bed = Bed::new();
    committed(&bed);
    assert_eq!(changes(&bed.roots()).files, []);
    bed.write("project/edited", "1\nzwei\n3");
    bed.git(&["add", "edited"]);
    bed.write("project/edited", "1\nzwei\n3\n4\n");
    bed.git(&["rm", "-q", "gone"]);
    bed.git(&["mv", "old-name", "new name"]);
    std::fs::set_permissions(
        bed.project().join("script"),
        std::os::unix::fs::PermissionsExt::from_mode(0o755),
    )
    .unwrap();
    bed.write("project/binary", [0, 9, 9]);
    bed.write("project/fresh", "new\nfile");
    bed.write("project/ignored.log", "");
    bed.write("project/.gitignore", "*.log\n");
    bed.git(&["add", ".gitignore"]);
    let tree = changes(&bed.roots());
    let shown: Vec<_> = tree.files.iter().map(summary).collect();
    assert_eq!(
        shown,
        [
            (".gitignore", Stage::Staged, ChangeKind::Added, 1, 0),
            ("edited", Stage::Staged, ChangeKind::Modified, 2, 2),
            ("gone", Stage::Staged, ChangeKind::Deleted, 0, 1),
            ("new name", Stage::Staged, ChangeKind::Renamed, 0, 0),
            ("binary", Stage::Unstaged, ChangeKind::Modified, 0, 0),
            ("edited", Stage::Unstaged, ChangeKind::Modified, 2, 1),
            ("script", Stage::Unstaged, ChangeKind::Mode, 0, 0),
            ("fresh", Stage::Untracked, ChangeKind::Added, 2, 0),
        ]
    );
    assert_eq!((tree.branch.as_deref(), tree.truncated), (Some("main"), false));
    assert_eq!(tree.files[3].old_path.as_deref(), Some("old-name"));
    assert!(tree.files[4].binary);
    let hunk = &tree.files[1].hunks[0];
    assert_eq!((hunk.old_start, hunk.old_lines, hunk.new_start, hunk.new_lines), (1, 3, 1, 3));
    assert_eq!(hunk.lines, [" 1", "-2", "-3", "+zwei", "+3", "\\ No newline at end of file"]);
    assert!(tree.files[1].diff.contains("@@ -1,3 +1,3 @@\n 1\n-2\n"), "{}", tree.files[1].diff);
    assert_eq!(
        tree.files[7].diff,
        "--- /dev/null\n+++ b/fresh\n@@ -0,0 +1,2 @@\n+new\n+file\n\\ No newline at end of file\n"
    );
}

#[test]
fn only_what_is_in_the_working_directory() {
    let bed = Bed::new();
    committed(&bed);
    bed.write("project/kept", "other\n");
    bed.write("project/sub/inner", "other\n");
    bed.write("project/sub/new", "");
    let roots = Roots::new(bed.project().join("sub"), [] as [&Path; 0]).unwrap();
    let tree = changes(&roots);
    let paths: Vec<&str> = tree.files.iter().map(|file| &*file.path).collect();
    assert_eq!(paths, ["inner", "new"]);
}

#[test]
fn odd_names_and_lines_that_look_like_headers() {
    let bed = Bed::new();
    committed(&bed);
    let name = "new\nline \"quoted\" ä";
    bed.write(&format!("project/{name}"), "a\n");
    bed.write("project/a b/a b", "a\n");
    bed.git(&["add", "."]);
    bed.git(&["commit", "-qm", "second"]);
    let tricky = "diff --git a/x b/x\n--- a/x\n+++ b/y\n@@ -1 +1 @@\n";
    bed.write(&format!("project/{name}"), tricky);
    std::fs::set_permissions(
        bed.project().join("a b/a b"),
        std::os::unix::fs::PermissionsExt::from_mode(0o755),
    )
    .unwrap();
    let tree = changes(&bed.roots());
    let shown: Vec<_> = tree.files.iter().map(summary).collect();
    assert_eq!(
        shown,
        [
            ("a b/a b", Stage::Unstaged, ChangeKind::Mode, 0, 0),
            (name, Stage::Unstaged, ChangeKind::Modified, 4, 1),
        ]
    );
    assert_eq!(tree.files[1].hunks.len(), 1);
}

#[test]
fn conflicts_are_conflicts() {
    let bed = Bed::new();
    committed(&bed);
    bed.git(&["checkout", "-qb", "side"]);
    bed.write("project/kept", "side\n");
    bed.git(&["commit", "-qam", "side"]);
    bed.git(&["checkout", "-q", "main"]);
    bed.write("project/kept", "main\n");
    bed.git(&["commit", "-qam", "main"]);
    let merge = std::process::Command::new("git")
        .args(["-c", "user.name=T", "-c", "user.email=t@example.org", "merge", "-q", "side"])
        .current_dir(bed.project())
        .output()
        .unwrap();
    assert!(!merge.status.success());
    let tree = changes(&bed.roots());
    let conflict = tree.files.iter().find(|file| file.change == ChangeKind::Conflicted).unwrap();
    assert_eq!(conflict.path, "kept");
    assert!(conflict.diff.contains("<<<<<<<"), "{}", conflict.diff);
}

#[test]
fn a_repository_without_a_commit() {
    let bed = Bed::new();
    bed.git(&["init", "-q"]);
    bed.write("project/a", "a\n");
    bed.write("project/b", "b\n");
    bed.git(&["add", "a"]);
    let tree = changes(&bed.roots());
    let shown: Vec<_> = tree.files.iter().map(summary).collect();
    assert_eq!(
        shown,
        [
            ("a", Stage::Staged, ChangeKind::Added, 1, 0),
            ("b", Stage::Untracked, ChangeKind::Added, 1, 0),
        ]
    );
}

#[test]
fn there_is_an_end_to_it() {
    let bed = Bed::new();
    committed(&bed);
    bed.write("project/kept", "x\n".repeat(200_000));
    bed.write("project/long-new", "y\n".repeat(200_000));
    for number in 0..510 {
        bed.write(&format!("project/many/{number:03}"), "z\n");
    }
    let tree = changes(&bed.roots());
    assert!(tree.truncated);
    assert_eq!(tree.files.iter().filter(|file| file.stage == Stage::Untracked).count(), 500);
    for path in ["kept", "long-new"] {
        let file = tree.files.iter().find(|file| file.path == path).unwrap();
        assert!(file.truncated && file.diff.len() <= 70 << 10, "{path} {}", file.diff.len());
    }
    let kept = tree.files.iter().find(|file| file.path == "kept").unwrap();
    assert_eq!((kept.lines_added, kept.lines_removed), (200_000, 3));
}

/// What is new is read like every file.
#[test]
fn new_links_and_pipes_are_not_read() {
    let bed = Bed::new();
    committed(&bed);
    bed.write("secret", "secret");
    symlink("../secret", bed.project().join("link")).unwrap();
    bed.fifo("project/pipe");
    let tree = changes(&bed.roots());
    let shown = format!("{tree:?}");
    assert!(shown.contains("\"link\"") && !shown.contains("+secret"), "{shown}");
}
