//! Repositories that want a program of theirs to be run, or files of others to be shown.

use std::path::PathBuf;

use pilothouse_host::files::{FileError, Roots, WorkingTree};

use crate::Bed;
use crate::changes::changes;

/// A repository with a change, and a program that leaves a mark when it is run.
fn trap(bed: &Bed) -> (String, PathBuf) {
    let mark = bed.top().join("it-ran");
    let program = bed.top().join("program");
    bed.write("program", format!("#!/bin/sh\ntouch '{}'\ncat\n", mark.display()));
    std::fs::set_permissions(&program, std::os::unix::fs::PermissionsExt::from_mode(0o755))
        .unwrap();
    bed.git(&["init", "-q"]);
    bed.write("project/file", "before\n");
    bed.git(&["add", "."]);
    bed.git(&["commit", "-qm", "first"]);
    bed.write("project/file", "after\n");
    (program.display().to_string(), mark)
}

#[test]
fn nothing_is_run() {
    let settings: [(&str, &str); 11] = [
        ("core.fsmonitor", ""),
        ("diff.external", ""),
        ("diff.x.command", "* diff=x"),
        ("diff.x.textconv", "* diff=x"),
        ("filter.x.clean", "* filter=x"),
        ("filter.x.y.process", "* filter=x.y"),
        // `-c` would end the key at the first `=`.
        ("filter.a=b.clean", "* filter=a=b"),
        ("filter.a=b.process", "* filter=a=b"),
        ("core.pager", ""),
        ("pager.diff", ""),
        ("core.askPass", ""),
    ];
    for (key, attributes) in settings {
        let bed = Bed::new();
        let (program, mark) = trap(&bed);
        bed.git(&["config", key, &program]);
        bed.write("project/.git/info/attributes", attributes);
        let tree = changes(&bed.roots());
        assert!(!mark.exists(), "{key} was run");
        assert!(tree.files[0].diff.contains("+after"), "{key}: {tree:?}");
        // The trap works: without care it is sprung.
        if key.starts_with("filter") || key == "diff.external" || key == "core.fsmonitor" {
            let careless = std::process::Command::new("git")
                .arg("diff")
                .current_dir(bed.project())
                .output()
                .unwrap();
            assert!(mark.exists(), "{key}: {careless:?}");
        }
    }
}

#[test]
fn hooks_are_not_run() {
    let bed = Bed::new();
    let (program, mark) = trap(&bed);
    for hook in ["post-index-change", "fsmonitor-watchman", "query-watchman"] {
        std::fs::copy(&program, bed.project().join(".git/hooks").join(hook)).unwrap();
    }
    changes(&bed.roots());
    assert!(!mark.exists());
}

#[test]
fn the_look_of_it_cannot_be_changed() {
    let bed = Bed::new();
    let (..) = trap(&bed);
    let plain = bed.roots().changes().unwrap();
    for (key, value) in [
        ("diff.noprefix", "true"),
        ("diff.mnemonicPrefix", "true"),
        ("diff.context", "0"),
        ("diff.wordRegex", "."),
        ("color.ui", "always"),
        ("color.diff", "always"),
        ("diff.submodule", "log"),
        ("diff.orderFile", "/dev/stdin"),
        ("diff.suppressBlankEmpty", "true"),
        ("diff.srcPrefix", "x/"),
        ("diff.statGraphWidth", "3"),
        ("core.quotePath", "false"),
    ] {
        bed.git(&["config", key, value]);
    }
    assert_eq!(bed.roots().changes().unwrap(), plain);
}

#[test]
fn files_elsewhere_are_not_its_files() {
    let bed = Bed::new();
    let (..) = trap(&bed);
    bed.write("elsewhere/file", "secret\n");
    let elsewhere = bed.top().join("elsewhere").display().to_string();
    bed.git(&["config", "core.worktree", &elsewhere]);
    let refused = bed.roots().changes().unwrap_err();
    assert!(matches!(refused, FileError::Git(_)), "{refused:?}");
    assert!(!refused.to_string().contains("secret"));
}

#[test]
fn submodules_are_not_entered() {
    let bed = Bed::new();
    let (program, mark) = trap(&bed);
    let sub = bed.project().join("sub");
    std::fs::create_dir(&sub).unwrap();
    let git = |arguments: &[&str]| {
        let done = std::process::Command::new("git")
            .args(["-c", "user.name=T", "-c", "user.email=t@example.org"])
            .args(arguments)
            .current_dir(&sub)
            .output()
            .unwrap();
        assert!(done.status.success(), "{done:?}");
    };
    git(&["init", "-q"]);
    bed.write("project/sub/inner", "a\n");
    git(&["add", "."]);
    git(&["commit", "-qm", "inner"]);
    bed.git(&["add", "sub"]);
    bed.git(&["commit", "-qm", "second"]);
    git(&["config", "core.fsmonitor", &program]);
    git(&["config", "filter.x.clean", &program]);
    bed.write("project/sub/.git/info/attributes", "* filter=x");
    bed.write("project/sub/inner", "b\n");
    changes(&bed.roots());
    assert!(!mark.exists());
}

/// A clone brings every file of the tree, so that a directory can be a whole git directory.
#[test]
fn a_cloned_directory_is_no_repository() {
    let bed = Bed::new();
    let (program, mark) = trap(&bed);
    bed.write("project/docs/HEAD", "ref: refs/heads/main\n");
    let config = format!("[core]\n\tworktree = ..\n[filter \"x\"]\n\tclean = {program}\n");
    bed.write("project/docs/config", config);
    bed.write("project/docs/objects/keep", "");
    bed.write("project/docs/refs/keep", "");
    bed.write("project/docs/page.txt", "a\n");
    bed.git(&["--git-dir=docs", "--work-tree=.", "add", "docs/page.txt"]);
    bed.write("project/.gitattributes", "* filter=x\n");
    bed.git(&["add", "."]);
    bed.git(&["commit", "-qm", "second"]);
    bed.git(&["clone", "-q", ".", "../clone"]);
    let docs = bed.top().join("clone/docs");
    let roots = Roots::new(docs, [] as [&std::path::Path; 0]).unwrap();
    let refused = roots.changes().unwrap_err();
    assert!(matches!(refused, FileError::Git(_)), "{refused:?}");
    assert!(!mark.exists());
}

#[test]
fn a_git_file_shows_no_other_repository() {
    let bed = Bed::new();
    let (..) = trap(&bed);
    bed.write("other/.git", "gitdir: ../project/.git\n");
    let roots = Roots::new(bed.top().join("other"), [] as [&std::path::Path; 0]).unwrap();
    let refused = roots.changes().unwrap_err();
    assert!(refused.to_string().contains("does not name"), "{refused}");
}

#[test]
fn a_broken_repository_is_an_error() {
    let bed = Bed::new();
    bed.write("project/.git/config", "[core\n");
    assert!(matches!(bed.roots().changes(), Err(FileError::Git(_))));
    let bed = Bed::new();
    bed.write("project/.git", "gitdir: /nowhere\n");
    assert!(matches!(bed.roots().changes(), Err(FileError::Git(_))));
    let bed = Bed::new();
    assert!(matches!(bed.roots().changes(), Ok(WorkingTree::NotARepository)));
}
