use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::symlink;
use std::time::Duration;

use pilothouse_host::files::{Candidate, CompletionLimits, Completions, Roots};

use crate::Bed;

/// What completes `query`, from an index that was just made.
fn fresh(bed: &Bed, query: &str) -> Vec<Candidate> {
    let (completions, roots) = (patient(CompletionLimits::default()), bed.roots());
    let found = completions.complete(&roots, query, 20);
    assert!(!found.pending);
    found.items
}

fn patient(limits: CompletionLimits) -> Completions {
    Completions::new(CompletionLimits { patience: Duration::from_secs(60), ..limits })
}

fn paths(found: &[Candidate]) -> Vec<&str> {
    found.iter().map(|candidate| &*candidate.path).collect()
}

fn sources(bed: &Bed) {
    for path in [
        "src/main.rs",
        "src/domain/index.ts",
        "src/lib.rs",
        "tests/main_window.rs",
        "docs/maintenance/index.md",
        "README.md",
        ".github/workflows/ci.yml",
        "target/debug/main",
        "node_modules/x/main.js",
    ] {
        bed.write(&format!("project/{path}"), "");
    }
    bed.write("project/.gitignore", "target\n/node_modules/\n");
}

#[test]
fn the_best_name_comes_first() {
    let bed = Bed::new();
    sources(&bed);
    let cases = [
        ("main", "src/main.rs"),
        ("main_w", "tests/main_window.rs"),
        ("mnt", "docs/maintenance/"),
        ("srclib", "src/lib.rs"),
        ("src/", "src/"),
        ("read", "README.md"),
        ("./src/li", "src/lib.rs"),
        ("index.ts", "src/domain/index.ts"),
    ];
    for (query, best) in cases {
        let found = fresh(&bed, query);
        assert_eq!(paths(&found).first(), Some(&best), "{query}: {found:?}");
    }
    let absolute = bed.project().join("src/ma").display().to_string();
    assert_eq!(paths(&fresh(&bed, &absolute)).first(), Some(&"src/main.rs"));
    let main = fresh(&bed, "main");
    assert_eq!(main[0].positions, [4, 5, 6, 7]);
    assert!(!main[0].directory);
    assert!(!paths(&main).iter().any(|path| path.contains("target") || path.contains("node_m")));
    assert!(fresh(&bed, "no such letters").is_empty());
}

#[test]
fn names_with_a_dot_are_found_by_a_dot() {
    let bed = Bed::new();
    sources(&bed);
    bed.git(&["init", "-q"]);
    assert!(paths(&fresh(&bed, "ci.yml")).is_empty());
    assert_eq!(paths(&fresh(&bed, ".github/ci"))[0], ".github/workflows/ci.yml");
    assert_eq!(paths(&fresh(&bed, ".gitig"))[0], ".gitignore");
    assert!(!paths(&fresh(&bed, ".git")).iter().any(|path| path.starts_with(".git/")));
}

#[test]
fn without_a_query_what_is_here() {
    let bed = Bed::new();
    sources(&bed);
    assert_eq!(paths(&fresh(&bed, "")), ["docs/", "src/", "tests/", "README.md"]);
}

#[test]
fn letters_that_take_more_than_a_byte() {
    let bed = Bed::new();
    bed.write("project/bücher/übersicht.md", "");
    bed.write("project/日本/語.txt", "");
    for query in ["über", "bersi", "語", "bücher/ü"] {
        let found = fresh(&bed, query);
        let Some(first) = found.first() else { panic!("{query} finds nothing") };
        let at: Vec<char> =
            first.positions.iter().map(|at| first.path[*at..].chars().next().unwrap()).collect();
        assert_eq!(at.into_iter().collect::<String>(), query, "{first:?}");
    }
}

#[test]
fn odd_names_do_no_harm() {
    let bed = Bed::new();
    bed.write("project/good", "");
    bed.write("project/deep/er/good", "");
    bed.fifo("project/good-pipe");
    std::fs::write(bed.project().join(OsStr::from_bytes(b"good\xff")), "").unwrap();
    bed.write("project/good\nbad", "");
    symlink("..", bed.project().join("good-link")).unwrap();
    let long = "good".repeat(60);
    for depth in 0..6 {
        bed.write(&format!("project/{}/x", vec![&*long; depth + 1].join("/")), "");
    }
    let found = fresh(&bed, "good");
    assert_eq!(paths(&found)[..3], ["good", "good-link", "deep/er/good"]);
    assert!(found.iter().all(|one| one.path.len() <= 1024 && !one.path.contains('\n')));
    fresh(&bed, &"g".repeat(10_000));
    fresh(&bed, "\0\u{fffd}");
}

/// Who opens a pipe waits for its other end.
#[test]
fn a_pipe_in_place_of_rules_is_not_opened() {
    let bed = Bed::new();
    bed.write("project/good/file", "");
    bed.write("project/bad/file", "");
    bed.fifo("project/bad/.gitignore");
    assert_eq!(paths(&fresh(&bed, "file")), ["good/file"]);
    bed.write("project/.gitignore", "good");
    assert!(fresh(&bed, "file").is_empty());
    // Above the directory it takes all rules away, which is better than to wait.
    bed.fifo(".ignore");
    assert_eq!(paths(&fresh(&bed, "file")), ["good/file"]);
}

#[test]
fn there_is_an_end_to_it() {
    let bed = Bed::new();
    for number in 0..50 {
        bed.write(&format!("project/file-{number:02}"), "");
    }
    let limits = CompletionLimits { entries: 10, ..CompletionLimits::default() };
    let found = patient(limits).complete(&bed.roots(), "file", 100);
    assert_eq!((found.items.len(), found.truncated), (10, true));
    let limits = CompletionLimits { bytes: 1024 + 70, ..CompletionLimits::default() };
    let found = patient(limits).complete(&bed.roots(), "file", 100);
    assert!(found.truncated && found.items.len() < 20, "{}", found.items.len());
    let found = patient(CompletionLimits::default()).complete(&bed.roots(), "file", 7);
    assert_eq!((found.items.len(), found.truncated), (7, false));
}

#[test]
fn other_directories_are_shown_whole() {
    let bed = Bed::new();
    bed.write("project/near.rs", "");
    bed.write("library/far.rs", "");
    let roots = Roots::new(bed.project(), [bed.top().join("library")]).unwrap();
    let completions = patient(CompletionLimits::default());
    let far = bed.top().join("library/far.rs").display().to_string();
    let found = completions.complete(&roots, "far", 9).items;
    assert_eq!(paths(&found), [&far]);
    let at: String = found[0].positions.iter().map(|at| &found[0].path[*at..=*at]).collect();
    assert_eq!(at, "far");
    assert_eq!(paths(&completions.complete(&roots, "", 9).items), ["near.rs"]);
    let typed = format!("{}/", bed.top().join("library").display());
    assert_eq!(paths(&completions.complete(&roots, &typed, 9).items), [&far]);
}

/// An old index answers, and a new one is made behind it; all sessions of a directory share it.
#[test]
fn an_index_is_kept_until_it_is_old() {
    let bed = Bed::new();
    bed.write("project/first", "");
    let limits = CompletionLimits { fresh: Duration::from_secs(3600), ..Default::default() };
    let completions = patient(limits);
    let found = |query| {
        let found = completions.clone().complete(&bed.roots(), query, 9).items;
        found.into_iter().map(|one| one.path).collect::<Vec<_>>()
    };
    assert_eq!(found("first"), ["first"]);
    bed.write("project/second", "");
    assert!(found("second").is_empty(), "it is fresh");
    completions.warm(&bed.roots());
    assert_eq!(found("second"), ["second"]);
    bed.write("project/third", "");
    completions.outdated(&bed.roots());
    // The old one may answer, or the new one that it has asked for.
    while found("third").is_empty() {
        std::thread::yield_now();
    }
}
