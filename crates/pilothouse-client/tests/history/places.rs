//! Where the sessions of a directory are looked for.

use std::fs;
use std::path::Path;
use std::process::Command;

use pilothouse_client::history::{
    History, HistoryError, MessageQuery, Scope, SessionQuery, project_key,
};

use crate::bed::{Bed, line, session, user};

fn listed(bed: &Bed, scope: Scope) -> Vec<String> {
    let query = SessionQuery::new().scope(scope);
    bed.history.sessions(&query).into_iter().map(|session| session.summary).collect()
}

fn git(directory: &Path, args: &[&str]) {
    let done = Command::new("git")
        .args(["-c", "user.name=n", "-c", "user.email=n@example.org", "-c", "commit.gpgsign=false"])
        .args(args)
        .current_dir(directory)
        .output()
        .unwrap();
    assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
}

fn repository(bed: &Bed, name: &str) -> std::path::PathBuf {
    let path = bed.directory(name);
    git(&path, &["init", "-q"]);
    git(&path, &["commit", "-q", "--allow-empty", "-m", "start"]);
    path
}

#[test]
fn a_directory_has_its_own_sessions() {
    let bed = Bed::new();
    let app = bed.directory("app");
    bed.prompt(&app, 1, "mine");
    bed.prompt(&bed.directory("app-two"), 2, "not mine");
    bed.prompt(&bed.directory("app/sub"), 3, "below");
    assert_eq!(listed(&bed, Scope::directory(&app)), ["mine"]);
    assert_eq!(listed(&bed, Scope::AllProjects).len(), 3);
}

#[test]
fn worktrees_share_their_sessions() {
    let bed = Bed::new();
    let main = repository(&bed, "main");
    let tree = main.with_file_name("tree");
    git(&main, &["worktree", "add", "-q", tree.to_str().unwrap()]);
    bed.prompt(&main, 1, "in main");
    let in_tree = bed.prompt(&tree, 2, "in tree");
    bed.prompt(&bed.directory("main/sub"), 3, "in sub");
    bed.prompt(&bed.directory("elsewhere"), 4, "elsewhere");

    assert_eq!(listed(&bed, Scope::directory(&main)), ["in main", "in tree"]);
    assert_eq!(listed(&bed, Scope::directory(&tree)), ["in main", "in tree"]);
    assert_eq!(listed(&bed, Scope::directory_alone(&main)), ["in main"]);
    assert_eq!(listed(&bed, Scope::directory(main.join("sub"))), ["in main", "in tree", "in sub"]);
    let query = MessageQuery::new().scope(Scope::directory(&main));
    assert_eq!(bed.history.messages(&in_tree, &query).unwrap().len(), 1);
    let alone = MessageQuery::new().scope(Scope::directory_alone(&main));
    assert!(bed.history.messages(&in_tree, &alone).is_err());
}

#[test]
fn a_subdirectory_does_not_list_its_repository() {
    let bed = Bed::new();
    let main = repository(&bed, "main");
    bed.prompt(&main, 1, "at the root");
    bed.prompt(&bed.directory("main/sub"), 2, "in sub");
    assert_eq!(listed(&bed, Scope::directory(main.join("sub"))), ["in sub"]);
    assert_eq!(listed(&bed, Scope::directory(&main)), ["at the root"]);
}

#[test]
fn names_of_older_releases_are_found() {
    let bed = Bed::new();
    let decomposed = bed.directory("cafe\u{301}");
    let prompt = |text: &str| line(&user(&decomposed, text));
    let own = project_key(&decomposed);
    let composed = own.replace("cafe-", "caf-");
    assert_ne!(own, composed);
    bed.put(&own, 1, prompt("as it is"), 1);
    bed.put(&composed, 2, prompt("composed"), 2);
    assert_eq!(listed(&bed, Scope::directory(&decomposed)), ["as it is", "composed"]);
}

#[test]
fn long_names_are_found_by_their_beginning() {
    let bed = Bed::new();
    let long = bed.directory(&format!("{}/{}", "x".repeat(150), "y".repeat(100)));
    let key = project_key(&long);
    assert!(key.len() > 200);
    bed.put(&key, 1, line(&user(&long, "present hash")), 1);
    bed.put(&format!("{}-other", &key[..200]), 2, line(&user(&long, "another hash")), 2);
    let foreign = long.with_file_name(format!("{}z", "y".repeat(100)));
    bed.put(&format!("{}-foreign", &key[..200]), 3, line(&user(&foreign, "foreign")), 3);
    assert_eq!(listed(&bed, Scope::directory(&long)), ["present hash", "another hash"]);
    assert_eq!(bed.history.project_dirs(&long).len(), 2);
}

#[test]
fn directories_of_the_same_name_are_kept_apart() {
    let bed = Bed::new();
    let nested = bed.directory("a/b");
    let dashed = bed.directory("a-b");
    assert_eq!(project_key(&nested), project_key(&dashed));
    bed.prompt(&nested, 1, "nested");
    bed.prompt(&dashed, 2, "dashed");
    // It does not exist any more, so that nobody else will ever show it.
    let gone = dashed.with_file_name("a.b");
    bed.put(&project_key(&nested), 3, line(&user(&gone, "gone")), 3);
    assert_eq!(listed(&bed, Scope::directory(&nested)), ["nested", "gone"]);
    assert_eq!(listed(&bed, Scope::directory(&dashed)), ["dashed", "gone"]);
}

#[test]
fn a_deleted_directory_still_has_its_sessions() {
    let bed = Bed::new();
    let gone = bed.directory("gone");
    bed.prompt(&gone, 1, "still here");
    fs::remove_dir(&gone).unwrap();
    assert_eq!(listed(&bed, Scope::directory(&gone)), ["still here"]);
}

#[test]
fn a_named_project_directory_goes_first() {
    let bed = Bed::new();
    let work = bed.directory("work");
    bed.prompt(&work, 1, "by path");
    bed.put("shared", 2, line(&user(&work, "shared")), 2);
    let history = bed.history.with_project_dir_name("shared").unwrap();
    let query = SessionQuery::new().scope(Scope::directory_alone(&work));
    assert_eq!(history.sessions(&query).len(), 2);
    assert!(history.project_dirs(&work)[0].ends_with("shared"));
}

#[test]
fn of_several_copies_the_newest_is_read_without_a_directory() {
    let bed = Bed::new();
    let (one, two) = (bed.directory("one"), bed.directory("two"));
    bed.put(&project_key(&one), 1, line(&user(&one, "old")), 9);
    bed.put(&project_key(&two), 1, line(&user(&two, "new")), 1);
    let summary = |scope: Scope| bed.history.session(&session(1), &scope).unwrap().summary;
    assert_eq!(summary(Scope::AllProjects), "new");
    assert_eq!(summary(Scope::directory(&one)), "old");
}

/// `History::new` reads the environment, which a test may not change for its neighbours: it runs
/// itself again in a process of its own.
#[test]
fn the_environment_names_the_directory() {
    const EXPECTED: &str = "PILOTHOUSE_TEST_EXPECTED_DIR";
    if let Some(expected) = std::env::var_os(EXPECTED) {
        match History::new() {
            Ok(history) => assert_eq!(history.config_dir(), Path::new(&expected)),
            Err(error) => assert!(matches!(error, HistoryError::NoConfigDir)),
        }
        return;
    }
    let again = |set: &[(&str, &str)], expected: &str| {
        let mut test = Command::new(std::env::current_exe().unwrap());
        test.args(["--exact", "places::the_environment_names_the_directory"]);
        test.env_remove("CLAUDE_CONFIG_DIR").env(EXPECTED, expected);
        test.envs(set.iter().copied());
        let done = test.output().unwrap();
        let printed = String::from_utf8_lossy(&done.stdout).into_owned();
        assert!(done.status.success() && printed.contains("1 passed"), "{printed}");
    };
    again(&[("CLAUDE_CONFIG_DIR", "/set/here")], "/set/here");
    again(&[("CLAUDE_CONFIG_DIR", "/caf\u{65}\u{301}")], "/caf\u{e9}");
    #[cfg(unix)]
    again(&[("CLAUDE_CONFIG_DIR", ""), ("HOME", "/home/somebody")], "/home/somebody/.claude");
}

/// A relative entry of PATH is searched in the repository once git's working directory is set.
#[cfg(unix)]
#[test]
fn a_directory_cannot_bring_its_own_git() {
    use std::os::unix::fs::PermissionsExt;
    const BED: &str = "PILOTHOUSE_TEST_OWN_GIT";
    if let Some(directory) = std::env::var_os(BED) {
        let history = History::at(Path::new(&directory));
        let scope = Scope::directory(Path::new(&directory));
        assert!(history.sessions(&SessionQuery::new().scope(scope)).is_empty());
        return;
    }
    let bed = Bed::new();
    let directory = repository(&bed, "with-git");
    let mark = directory.join("it-ran");
    let program = directory.join("git");
    fs::write(&program, format!("#!/bin/sh\ntouch '{}'\n", mark.display())).unwrap();
    fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
    for first in ["", ".", "../with-git", directory.to_str().unwrap()] {
        let mut path = std::ffi::OsString::from(format!("{first}:"));
        path.push(std::env::var_os("PATH").unwrap());
        let mut test = Command::new(std::env::current_exe().unwrap());
        test.args(["--exact", "places::a_directory_cannot_bring_its_own_git"]);
        let done = test.env(BED, &directory).env("PATH", path).output().unwrap();
        assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stdout));
        assert!(!mark.exists(), "{first:?}");
    }
}
