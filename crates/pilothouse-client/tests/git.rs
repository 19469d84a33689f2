//! `git::Look` in repositories that want a program of theirs to be run, or that lead to another
//! repository, with every git on this machine.

#![cfg(unix)]
#![allow(clippy::unwrap_used, clippy::disallowed_methods, reason = "tests panic, and run git")]

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use pilothouse_client::git::{GitError, Look, Quarantine, SearchPath};

const PATIENCE: Duration = Duration::from_secs(60);

/// A repository with a change, and a program that leaves a mark when it is run.
struct Bed {
    dir: tempfile::TempDir,
    search: SearchPath,
}

impl Bed {
    fn new(search: &SearchPath) -> Self {
        let bed = Self { dir: tempfile::tempdir().unwrap(), search: search.clone() };
        bed.write("program", &format!("#!/bin/sh\ntouch '{}'\ncat\n", bed.mark().display()));
        bed.make_executable("program");
        fs::create_dir(bed.top().join("project")).unwrap();
        bed.git(&["init", "-q"]);
        bed.write("project/file", "before\n");
        bed.git(&["add", "."]);
        bed.git(&["commit", "-qm", "first"]);
        bed.write("project/file", "after\n");
        bed
    }

    fn top(&self) -> PathBuf {
        self.dir.path().canonicalize().unwrap()
    }

    fn project(&self) -> PathBuf {
        self.top().join("project")
    }

    fn mark(&self) -> PathBuf {
        self.top().join("it-ran")
    }

    fn program(&self) -> String {
        self.top().join("program").display().to_string()
    }

    fn write(&self, path: &str, text: &str) {
        let path = self.top().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    fn make_executable(&self, path: &str) {
        let mode = fs::Permissions::from_mode(0o755);
        fs::set_permissions(self.top().join(path), mode).unwrap();
    }

    /// Runs git in the project as its user would.
    fn careless(&self, arguments: &[&str]) -> std::process::Output {
        self.careless_in("project", arguments)
    }

    fn careless_in(&self, directory: &str, arguments: &[&str]) -> std::process::Output {
        Command::new("git")
            .args(["-c", "user.name=T", "-c", "user.email=t@example.org"])
            .args(arguments)
            .current_dir(self.top().join(directory))
            .stdin(std::process::Stdio::null())
            .output()
            .unwrap()
    }

    fn quarantine(&self, directory: &str) -> Quarantine {
        Quarantine::with(self.search.clone(), &self.top().join(directory), PATIENCE)
    }

    /// Runs git as an agent would that reads the repository, with the environment of a quarantine.
    fn read_quarantined(&self, directory: &str) {
        let environment = self.quarantine(directory).environment(0);
        for arguments in [
            &["status", "--short"][..],
            &["log", "--oneline", "-n", "5"],
            &["log", "-p", "-m"],
            &["diff"],
            &["diff", "HEAD", "--stat"],
            &["show", "HEAD"],
            &["branch", "-vv"],
            &["submodule", "status"],
            &["blame", "file"],
        ] {
            let mut git = Command::new("git");
            git.args(arguments).current_dir(self.top().join(directory));
            git.envs(environment.iter().cloned()).stdin(std::process::Stdio::null());
            let done = git.output().unwrap();
            assert!(!self.mark().exists(), "{arguments:?} ran the program: {done:?}");
        }
    }

    fn git(&self, arguments: &[&str]) {
        let done = self.careless(arguments);
        assert!(done.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&done.stderr));
    }

    fn look(&self, directory: &str) -> Result<Option<Look>, GitError> {
        Look::open_with(self.search.clone(), &self.top().join(directory), PATIENCE)
    }

    /// Makes every call there is, in a directory of the bed. Returns the text of the diff.
    fn look_at_all(&self, directory: &str) -> Result<String, GitError> {
        let Some(look) = self.look(directory)? else { return Ok(String::new()) };
        look.worktrees()?;
        look.branch();
        look.untracked(1 << 20)?;
        look.status(&["--porcelain"], 1 << 20)?;
        // Objects can be missing.
        look.log(&["-p", "-m", "--format=%H %G?"], 1 << 20).ok();
        look.diff(&["--cached"], 1 << 20).ok();
        let diff = look.diff(&[], 1 << 20);
        Ok(diff.map(|diff| String::from_utf8_lossy(&diff.text).into_owned()).unwrap_or_default())
    }
}

/// Every git on this machine that is not too old.
fn each_git(check: impl Fn(&Bed)) {
    let path = std::env::var_os("PATH").unwrap();
    let places = std::env::split_paths(&path).chain(["/usr/bin".into(), "/usr/local/bin".into()]);
    let mut places: Vec<PathBuf> = places.filter(|place| place.join("git").is_file()).collect();
    places.sort();
    places.dedup();
    assert!(!places.is_empty());
    for place in places {
        check(&Bed::new(&SearchPath::new(place)));
    }
}

/// Settings of the repository, with `PROGRAM` for the program; attributes and their file; and a
/// command that runs the program where nobody takes care, to show that the trap works.
type Trap = (
    &'static [(&'static str, &'static str)],
    Option<(&'static str, &'static str)>,
    Option<&'static [&'static str]>,
);

const IN_TREE: &str = "project/.gitattributes";
const OF_REPOSITORY: &str = "project/.git/info/attributes";
const FETCH: [(&str, &str); 4] = [
    ("core.repositoryFormatVersion", "1"),
    ("extensions.partialClone", "o"),
    ("remote.o.promisor", "true"),
    ("remote.o.fetch", "+refs/heads/*:refs/remotes/o/*"),
];

const TRAPS: [Trap; 22] = [
    (&[("filter.a=b.clean", "PROGRAM")], Some((IN_TREE, "* filter=a=b")), Some(&["diff"])),
    (&[("filter.a=b.process", "PROGRAM")], Some((IN_TREE, "* filter=a=b")), Some(&["diff"])),
    (&[("filter.a.b.clean", "PROGRAM")], Some((OF_REPOSITORY, "* filter=a.b")), Some(&["diff"])),
    (&[("filter.A\"B.clean", "PROGRAM")], Some((IN_TREE, "* filter=A\"B")), Some(&["diff"])),
    (&[("filter.é=.clean", "PROGRAM")], Some((IN_TREE, "* filter=é=")), Some(&["diff"])),
    (&[("filter.x.smudge", "PROGRAM")], Some((IN_TREE, "* filter=x")), None),
    (&[("core.fsmonitor", "PROGRAM")], None, Some(&["diff"])),
    (&[("core.hooksPath", "HOOKS")], None, Some(&["add", "file"])),
    (&[("diff.external", "PROGRAM")], None, Some(&["diff"])),
    (&[("diff.x.command", "PROGRAM")], Some((IN_TREE, "* diff=x")), Some(&["diff"])),
    (&[("diff.x.textconv", "PROGRAM")], Some((IN_TREE, "* diff=x")), Some(&["diff"])),
    (&[("core.pager", "PROGRAM"), ("pager.diff", "PROGRAM")], None, None),
    (&[("alias.diff", "!PROGRAM"), ("alias.status", "!PROGRAM")], None, None),
    (&[("core.askPass", "PROGRAM"), ("credential.helper", "!PROGRAM")], None, None),
    (&[("include.path", "CONFIG")], Some((IN_TREE, "* filter=of=include")), Some(&["diff"])),
    (
        &[("includeIf.gitdir:/**.path", "CONFIG")],
        Some((IN_TREE, "* filter=of=include")),
        Some(&["diff"]),
    ),
    (&[("submodule.s.update", "!PROGRAM"), ("status.submoduleSummary", "true")], None, None),
    (&[("merge.x.driver", "PROGRAM")], Some((IN_TREE, "* merge=x")), None),
    (&[("log.showSignature", "true"), ("gpg.program", "PROGRAM")], None, None),
    (&[("remote.o.url", "ssh://h/r"), ("core.sshCommand", "PROGRAM")], None, Some(&["diff"])),
    (&[("remote.o.url", "."), ("remote.o.uploadpack", "PROGRAM")], None, Some(&["diff"])),
    (&[("remote.o.url", "ext::PROGRAM"), ("protocol.ext.allow", "always")], None, Some(&["diff"])),
];

#[test]
fn runs_no_program_of_a_repository() {
    each_git(|first| {
        for (settings, attributes, springs) in TRAPS {
            let bed = Bed::new(&first.search);
            let is_fetch = settings[0].0 == "remote.o.url";
            set_trap(&bed, settings, attributes);
            if is_fetch {
                lose_an_object(&bed);
            }
            let diff = bed.look_at_all("project").unwrap();
            assert!(!bed.mark().exists(), "{settings:?} was run");
            assert!(is_fetch || diff.contains("+after"), "{settings:?}: {diff}");
            if let Some(springs) = springs {
                let careless = bed.careless(springs);
                assert!(bed.mark().exists(), "{settings:?} is no trap: {careless:?}");
            }
        }
    });
}

fn set_trap(bed: &Bed, settings: &[(&str, &str)], attributes: Option<(&str, &str)>) {
    let program = bed.program();
    let top = bed.top();
    bed.write("config", &format!("[filter \"of=include\"]\n\tclean = {program}\n"));
    for hook in ["post-index-change", "pre-commit", "fsmonitor-watchman"] {
        bed.write(&format!("hooks/{hook}"), &fs::read_to_string(&program).unwrap());
        bed.make_executable(&format!("hooks/{hook}"));
    }
    let is_fetch = settings[0].0 == "remote.o.url";
    if is_fetch {
        // One that answers as a server would keep git waiting.
        bed.write("program", &format!("#!/bin/sh\ntouch '{}'\n", bed.mark().display()));
    }
    for (key, value) in settings.iter().chain(FETCH.iter().filter(|_| is_fetch)) {
        let value = value
            .replace("PROGRAM", &program)
            .replace("HOOKS", top.join("hooks").to_str().unwrap())
            .replace("CONFIG", top.join("config").to_str().unwrap());
        bed.git(&["config", key, &value]);
    }
    if let Some((file, text)) = attributes {
        bed.write(file, text);
    }
}

/// Takes the blob of `file` away, so that git wants to fetch it.
fn lose_an_object(bed: &Bed) {
    let name = bed.careless(&["rev-parse", "HEAD:file"]).stdout;
    let name = String::from_utf8(name).unwrap();
    let (dir, rest) = name.trim().split_at(2);
    fs::remove_file(bed.project().join(".git/objects").join(dir).join(rest)).unwrap();
}

#[test]
fn runs_no_filter_of_the_worktree_configuration() {
    each_git(|bed| {
        bed.git(&["config", "extensions.worktreeConfig", "true"]);
        bed.git(&["config", "--worktree", "filter.a=b.clean", &bed.program()]);
        bed.write(IN_TREE, "* filter=a=b");
        assert!(bed.look_at_all("project").unwrap().contains("+after"));
        assert!(!bed.mark().exists());
        bed.git(&["diff"]);
        assert!(bed.mark().exists(), "no trap");
    });
}

#[test]
fn runs_no_filter_behind_a_git_file() {
    each_git(|bed| {
        bed.git(&["config", "filter.a=b.clean", &bed.program()]);
        bed.write(IN_TREE, "* filter=a=b");
        bed.git(&["worktree", "add", "-q", "../linked"]);
        bed.write("linked/.gitattributes", "* filter=a=b");
        bed.write("linked/file", "after\n");
        fs::remove_file(bed.mark()).ok();
        assert!(bed.look_at_all("linked").unwrap().contains("+after"));
        assert!(!bed.mark().exists());
    });
}

#[test]
fn quarantine_keeps_programs_out() {
    each_git(|first| {
        for (settings, attributes, _) in TRAPS {
            let bed = Bed::new(&first.search);
            set_trap(&bed, settings, attributes);
            if settings[0].0 == "remote.o.url" {
                lose_an_object(&bed);
            }
            bed.read_quarantined("project");
            assert_eq!(bed.quarantine("project").problem, None, "{settings:?}");
        }
    });
}

#[test]
fn quarantine_verifies_no_signature() {
    each_git(|bed| {
        let tree = String::from_utf8(bed.careless(&["rev-parse", "HEAD^{tree}"]).stdout).unwrap();
        let who = "T <t@example.org> 1700000000 +0000";
        let commit = format!(
            "tree {tree}author {who}\ncommitter {who}\ngpgsig -----BEGIN PGP SIGNATURE-----\n \n \
             -----END PGP SIGNATURE-----\n\nsigned\n"
        );
        bed.write("commit", &commit);
        let made = bed.careless(&["hash-object", "-t", "commit", "-w", "../commit"]).stdout;
        bed.git(&["update-ref", "HEAD", String::from_utf8(made).unwrap().trim()]);
        bed.git(&["config", "gpg.program", &bed.program()]);
        bed.git(&["config", "log.showSignature", "true"]);
        bed.read_quarantined("project");
        bed.look_at_all("project").unwrap();
        assert!(!bed.mark().exists());
        bed.careless(&["log", "--oneline", "-n", "5"]);
        assert!(bed.mark().exists(), "no trap");
    });
}

#[test]
fn quarantine_runs_no_hook_of_the_index() {
    each_git(|bed| {
        let text = fs::read_to_string(bed.program()).unwrap();
        bed.write("project/.git/hooks/post-index-change", &text);
        bed.make_executable("project/.git/hooks/post-index-change");
        let touch = || bed.write("project/file", "before\n");
        touch();
        bed.read_quarantined("project");
        touch();
        bed.careless(&["status", "--short"]);
        assert!(bed.mark().exists(), "no trap");
    });
}

#[test]
fn quarantine_does_not_enter_submodules() {
    each_git(|bed| {
        let other = Bed::new(&bed.search);
        let add = ["-c", "protocol.file.allow=always", "submodule", "--quiet", "add"];
        bed.git(&[&add[..], &[other.project().to_str().unwrap(), "sub"]].concat());
        bed.git(&["commit", "-qm", "with a submodule"]);
        bed.git(&["config", "-f", ".gitmodules", "submodule.sub.ignore", "none"]);
        bed.write("project/sub/.gitattributes", "* filter=x");
        // Of the same length, so that git has to read it.
        bed.write("project/sub/file", "sooner\n");
        bed.git(&["-C", "sub", "config", "filter.x.clean", &bed.program()]);
        fs::remove_file(bed.mark()).ok();
        bed.read_quarantined("project");
        bed.careless(&["status", "--short"]);
        assert!(bed.mark().exists(), "no trap");
    });
}

#[test]
fn quarantine_holds_where_look_refuses() {
    each_git(|first| {
        // Files elsewhere, a path with a line end, more than is read.
        let long = "x".repeat(5 << 20);
        for number in 0..3 {
            let bed = Bed::new(&first.search);
            bed.write(IN_TREE, "* filter=a=b");
            let mut directory = "project";
            match number {
                0 => {
                    bed.git(&["config", "core.worktree", "../.."]);
                    bed.write(".gitattributes", "* filter=a=b");
                }
                1 => {
                    directory = "a\nb";
                    fs::rename(bed.project(), bed.top().join(directory)).unwrap();
                }
                _ => {
                    let text = format!("[user]\n\tsigningKey = {long}\n");
                    bed.write("project/.git/config", &text);
                }
            }
            bed.write("file", "sooner\n");
            bed.write(&format!("{directory}/file"), "sooner\n");
            let git_dir = bed.top().join(directory).join(".git");
            let mut config = fs::read_to_string(git_dir.join("config")).unwrap();
            config.push_str(&format!("[filter \"a=b\"]\n\tclean = {}\n", bed.program()));
            fs::write(git_dir.join("config"), config).unwrap();
            bed.read_quarantined(directory);
            assert_eq!(bed.quarantine(directory).problem.is_some(), number == 2, "{number}");
            bed.careless_in(directory, &["status", "--short"]);
            assert!(bed.mark().exists(), "{number} is no trap");
        }
    });
}

#[test]
fn quarantine_of_no_repository_is_no_problem() {
    let dir = tempfile::tempdir().unwrap();
    assert_eq!(Quarantine::of(dir.path(), PATIENCE).problem, None);
    let nowhere = SearchPath::new("/nonexistent");
    assert_eq!(Quarantine::with(nowhere.clone(), dir.path(), PATIENCE).problem, None);
    fs::create_dir(dir.path().join(".git")).unwrap();
    let quarantine = Quarantine::with(nowhere, dir.path(), PATIENCE);
    assert!(quarantine.problem.is_some_and(|problem| problem.contains("not found")));
}

/// A clone brings every file of the tree, so that a directory can be a whole git directory.
#[test]
fn refuses_a_directory_that_is_a_git_directory() {
    each_git(|bed| {
        let program = bed.program();
        bed.write("project/docs/HEAD", "ref: refs/heads/main\n");
        bed.write(
            "project/docs/config",
            &format!(
                "[core]\n\trepositoryformatversion = 0\n\tworktree = ..\n\
                 [filter \"x\"]\n\tclean = {program}\n"
            ),
        );
        for dir in ["objects", "refs"] {
            bed.write(&format!("project/docs/{dir}/keep"), "");
        }
        bed.write("project/docs/page.txt", "a\n");
        bed.write(IN_TREE, "* filter=x");
        bed.git(&["--git-dir=docs", "--work-tree=.", "add", "docs/page.txt"]);
        bed.write("project/docs/page.txt", "b\n");
        fs::remove_file(bed.mark()).ok();
        let refused = bed.look_at_all("project/docs");
        assert!(matches!(refused, Err(GitError::Failed(_))), "{refused:?}");
        assert!(!bed.mark().exists());
        let careless = Command::new("git")
            .arg("diff")
            .current_dir(bed.project().join("docs"))
            .output()
            .unwrap();
        assert!(bed.mark().exists(), "no trap: {careless:?}");
    });
}

#[test]
fn shows_no_other_repository() {
    each_git(|bed| {
        let private = bed.project().join(".git");
        let lead = |name: &str| {
            bed.write(&format!("{name}/file"), "mine\n");
            bed.top().join(name)
        };
        // A `.git` file, a link, a git directory that borrows from another, a forged worktree.
        bed.write("by-file/.git", &format!("gitdir: {}\n", private.display()));
        lead("by-file");
        symlink(&private, lead("by-link").join(".git")).unwrap();
        lead("by-common");
        bed.write("by-common/.git/HEAD", "ref: refs/heads/master\n");
        bed.write("by-common/.git/commondir", &format!("{}\n", private.display()));
        lead("by-forgery");
        bed.write("forged/HEAD", "ref: refs/heads/master\n");
        bed.write("forged/commondir", &format!("{}\n", private.display()));
        bed.write("forged/gitdir", &format!("{}/by-forgery/.git\n", bed.top().display()));
        bed.write("by-forgery/.git", "gitdir: ../forged\n");
        for name in ["by-file", "by-link", "by-common", "by-forgery"] {
            let refused = bed.look(name);
            let is_refused = matches!(&refused, Err(GitError::ForeignRepository { .. }));
            assert!(is_refused, "{name}: {refused:?}");
        }
        bed.git(&["config", "core.worktree", bed.top().join("by-file").to_str().unwrap()]);
        let refused = bed.look("project");
        assert!(matches!(refused, Err(GitError::FilesElsewhere { .. })), "{refused:?}");
        // It names its working tree itself, as that of a submodule does.
        assert!(bed.look_at_all("by-file").unwrap().contains("-before"));
    });
}

#[test]
fn reads_worktrees_and_submodules() {
    each_git(|bed| {
        bed.git(&["worktree", "add", "-q", "../linked"]);
        let look = bed.look("linked").unwrap().unwrap();
        assert_eq!(look.worktrees().unwrap(), [bed.project(), bed.top().join("linked")]);
        assert_eq!(look.branch().as_deref(), Some("linked"));
        let add = ["-c", "protocol.file.allow=always", "submodule", "--quiet", "add"];
        let other = Bed::new(&bed.search);
        bed.git(&[&add[..], &[other.project().to_str().unwrap(), "sub"]].concat());
        bed.write("project/sub/file", "in the submodule\n");
        assert!(bed.look_at_all("project/sub").unwrap().contains("+in the submodule"));
        let log = bed.look("project").unwrap().unwrap().log(&["--format=%s"], 100).unwrap();
        assert_eq!(log.text, b"first\n");
        assert!(bed.look("").unwrap().is_none());
        assert!(bed.look("gone").unwrap().is_none());
    });
}

#[test]
fn reads_a_repository_with_sha256_names() {
    each_git(|bed| {
        fs::remove_dir_all(bed.project().join(".git")).unwrap();
        bed.git(&["init", "-q", "--object-format=sha256"]);
        bed.git(&["add", "."]);
        bed.write("project/file", "later\n");
        assert!(bed.look_at_all("project").unwrap().contains("+later"));
    });
}

#[test]
fn finds_git_outside_of_the_workspace_only() {
    each_git(|bed| {
        for place in ["project", "project/bin"] {
            bed.write(&format!("{place}/git"), &fs::read_to_string(bed.program()).unwrap());
            bed.make_executable(&format!("{place}/git"));
        }
        symlink(bed.project().join("bin"), bed.top().join("linked-bin")).unwrap();
        fs::create_dir(bed.top().join("other-bin")).unwrap();
        symlink(bed.project().join("git"), bed.top().join("other-bin/git")).unwrap();
        let below = bed.project().join("bin").display().to_string();
        let linked = bed.top().join("linked-bin").display().to_string();
        let other = bed.top().join("other-bin").display().to_string();
        for path in [".", "", "bin", "../bin", &below, &linked, &other] {
            let only = SearchPath::new(path);
            let none = Look::open_with(only, &bed.project(), PATIENCE);
            assert!(matches!(none, Err(GitError::NotFound)), "{path:?}: {none:?}");
            let more = std::env::join_paths([Path::new(path), Path::new("/usr/bin")]).unwrap();
            let found = Look::open_with(SearchPath::new(more), &bed.project(), PATIENCE);
            assert!(found.unwrap().is_some(), "{path:?}");
            assert!(!bed.mark().exists(), "{path:?}");
        }
    });
}

#[test]
fn refuses_a_git_that_is_too_old() {
    each_git(|bed| {
        for (version, expected) in [
            ("git version 2.30.2", "is git 2.30, which cannot be kept from running"),
            ("git version 2.37.9", "install git 2.38 or newer"),
            ("git of my own", "does not print its version"),
        ] {
            bed.write("old/git", &format!("#!/bin/sh\necho '{version}'\n"));
            bed.make_executable("old/git");
            let search = SearchPath::new(bed.top().join("old"));
            let refused = Look::open_with(search, &bed.project(), PATIENCE).unwrap_err();
            assert!(refused.to_string().contains(expected), "{refused}");
        }
    });
}
