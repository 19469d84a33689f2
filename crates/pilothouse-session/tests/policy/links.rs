//! Links: a rule sees the path as written and the real one.

use pilothouse_session::policy::{Call, Place, PolicySet, RealPaths, Verdict, paths};
use pilothouse_wire::Raw;
use pilothouse_wire::permission::PermissionMode;
use serde_json::{Value, json};

use super::{place, policies, written};

/// Decides a call in a file system with these links; every other path is itself.
fn decide_with(
    policies: &PolicySet,
    place: &Place,
    links: &[(&str, Option<&str>)],
    tool: &str,
    input: Value,
) -> Verdict {
    let (input, mode) = (Raw::from(input), PermissionMode::Default);
    let mut real = RealPaths::default();
    for path in paths(tool, &input, place) {
        let link = links.iter().find(|(link, _)| {
            path == *link || path.strip_prefix(link).is_some_and(|rest| rest.starts_with('/'))
        });
        let leads = match link {
            None => vec![path.clone()],
            Some((_, None)) => Vec::new(),
            Some((link, Some(target))) => vec![path.replacen(link, target, 1)],
        };
        real.insert(path, leads);
    }
    let call = Call { real: Some(&real), ..Call::new(tool, &input, &mode) };
    policies.decide(&call, place).verdict
}

fn rules() -> PolicySet {
    written(
        "[[rule]]\ntool = ['Read', 'Grep']\npath = ['**/.env', '~/.ssh/**']\ndeny = 'no'\n\
         [[rule]]\ntool = ['Read', 'Edit', 'Write', 'Grep']\npath = 'src/**'\nthen = 'allow'\n\
         [[rule]]\ntool = 'Bash'\ncommand = ['echo *', 'cat *']\nthen = 'allow'",
    )
}

const LINKS: &[(&str, Option<&str>)] = &[
    ("/srv/app/src/conf", Some("/home/me/.bashrc")),
    ("/srv/app/src/out", Some("/home/me")),
    ("/srv/app/src/plain", Some("/srv/app/src/other")),
    ("/srv/app/src/notes", Some("/srv/app/.env")),
    ("/srv/app/notes", Some("/srv/app/.env")),
    ("/srv/app/.env", Some("/srv/app/src/harmless")),
    ("/srv/app/src/broken", None),
];

fn decide(tool: &str, input: Value) -> Verdict {
    decide_with(&rules(), &place(), LINKS, tool, input)
}

fn denied() -> Verdict {
    Verdict::Deny { message: "no".into() }
}

#[test]
fn allows_only_where_both_paths_fit() {
    let write = |path: &str| decide("Write", json!({ "file_path": path, "content": "" }));
    assert_eq!(write("src/a.rs"), Verdict::Allow);
    assert_eq!(write("src/plain"), Verdict::Allow);
    assert_eq!(write("src/conf"), Verdict::Ask, "a link to a file outside");
    assert_eq!(write("src/out/new"), Verdict::Ask, "a file in a linked directory");
    assert_eq!(write("src/broken"), Verdict::Ask, "a link that cannot be resolved");
    let grep = |path: &str| decide("Grep", json!({ "pattern": "x", "path": path }));
    assert_eq!(grep("src"), Verdict::Ask, "something below may be denied");
    assert_eq!(grep("src/out"), Verdict::Ask);
}

#[test]
fn denies_where_either_path_fits() {
    let read = |path: &str| decide("Read", json!({ "file_path": path }));
    assert_eq!(read("src/notes"), denied(), "a link to a denied file");
    assert_eq!(read("src/out/.ssh/id"), denied(), "a file in a linked directory");
    assert_eq!(read(".env"), denied(), "a denied name that leads elsewhere");
    assert_eq!(read("src/broken"), Verdict::Ask, "what cannot be resolved may be denied");
    assert_eq!(read("src/a.rs"), Verdict::Allow);
}

#[test]
fn redirections_and_words_of_commands_are_resolved() {
    let bash = |command: &str| decide("Bash", json!({ "command": command }));
    assert_eq!(bash("echo x > src/a"), Verdict::Allow);
    assert_eq!(bash("echo x > src/conf"), Verdict::Ask);
    assert_eq!(bash("echo x > src/out/x"), Verdict::Ask);
    assert_eq!(bash("cat < src/notes"), denied());
    assert_eq!(bash("cat notes"), Verdict::Ask, "a word that leads to a denied file");
    assert_eq!(bash("cat a"), Verdict::Allow);
    let guarded = policies("autonomous");
    let links = [("/srv/app/keys", Some("/home/me/.ssh"))];
    let cat = |command: &str| {
        decide_with(&guarded, &place(), &links, "Bash", json!({ "command": command }))
    };
    assert!(matches!(cat("cat keys/id_rsa"), Verdict::Deny { .. }));
    assert_eq!(cat("cat key"), Verdict::Allow);
}

#[test]
fn a_path_that_nobody_resolved_is_not_allowed() {
    let (input, mode) = (Raw::from(json!({ "file_path": "src/a" })), PermissionMode::Default);
    let real = RealPaths::default();
    let call = Call { real: Some(&real), ..Call::new("Edit", &input, &mode) };
    assert_eq!(rules().decide(&call, &place()).verdict, Verdict::Ask);
    let call = Call::new("Edit", &input, &mode);
    assert_eq!(rules().decide(&call, &place()).verdict, Verdict::Allow, "nobody looks at links");
}

#[test]
fn the_real_path_of_a_working_directory_and_of_the_home_count_as_written() {
    let place = Place {
        real_dirs: vec!["/private/srv/app".into()],
        real_home: Some("/data/me".into()),
        ..place()
    };
    let links = [("/srv/app", Some("/private/srv/app")), ("/home/me", Some("/data/me"))];
    let read = |path: &str| {
        decide_with(&policies("supervised"), &place, &links, "Read", json!({ "file_path": path }))
    };
    assert_eq!(read("src/a"), Verdict::Allow);
    assert_eq!(read("/private/srv/app/src/a"), Verdict::Allow);
    assert_eq!(read("/private/srv/other"), Verdict::Ask);
    assert!(matches!(read("/data/me/.ssh/id"), Verdict::Deny { .. }));
}

#[test]
fn relative_paths_start_from_the_current_directory() {
    let place = Place { current_dir: Some("/srv/app/sub".into()), ..place() };
    let rules = written(
        "[[rule]]\ntool = 'Read'\npath = 'sub/secret'\ndeny = 'no'\n\
         [[rule]]\ntool = '*'\nthen = 'allow'",
    );
    let bash =
        |command: &str| decide_with(&rules, &place, &[], "Bash", json!({ "command": command }));
    assert_eq!(bash("cat secret"), Verdict::Ask);
    assert_eq!(bash("cat other"), Verdict::Allow);
}
