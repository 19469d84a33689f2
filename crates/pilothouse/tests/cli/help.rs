//! Help, completions and manual pages.

use super::bed::Bed;

#[test]
fn the_overview() {
    insta::assert_snapshot!(Bed::new().ok(["--help"]));
}

/// All commands that help names.
pub(crate) fn commands(bed: &Bed) -> Vec<String> {
    let overview = bed.ok(["--help"]);
    let names: Vec<_> = overview
        .lines()
        .filter(|line| line.starts_with("  ") && !line.starts_with("   ") && !line.contains("--"))
        .filter_map(|line| line.split_whitespace().next())
        .filter(|word| word.chars().all(char::is_alphabetic) && word.len() > 1)
        .map(str::to_owned)
        .collect();
    assert!(names.iter().any(|name| name == "up") && names.iter().any(|name| name == "policy"));
    names
}

#[test]
fn each_command() {
    let bed = Bed::new();
    let mut all = String::new();
    for name in commands(&bed) {
        let help = bed.ok([&*name, "--help"]);
        // What all have in common stands in the overview.
        let own = help.split("\nCommon options:").next().unwrap_or_default();
        all.push_str(&format!("══ {name}\n{own}\n"));
    }
    insta::assert_snapshot!(all);
}

#[test]
fn each_command_of_policies() {
    let bed = Bed::new();
    let mut all = String::new();
    for name in ["check", "test", "explain"] {
        let help = bed.ok(["policy", name, "--help"]);
        let own = help.split("\nCommon options:").next().unwrap_or_default();
        all.push_str(&format!("══ policy {name}\n{own}\n"));
    }
    insta::assert_snapshot!(all);
}

#[test]
fn a_narrow_terminal() {
    let bed = Bed::new();
    let output = bed.command(["run", "--help"]).env("COLUMNS", "40").output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    let own = text.split("\nCtrl-C").next().unwrap();
    let widest = own.lines().map(|line| line.chars().count()).max().unwrap();
    assert!(widest <= 44, "{widest}: {own}");
}

#[test]
fn completions_know_every_command() {
    let bed = Bed::new();
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let text = bed.ok(["completions", shell]);
        for word in commands(&bed).iter().map(String::as_str).chain(["max-budget-usd"]) {
            assert!(text.contains(word), "{shell} does not know {word}");
        }
    }
}

#[test]
fn a_manual_page_for_each_command() {
    let bed = Bed::new();
    bed.ok(["man".as_ref(), bed.path("man").as_os_str()]);
    let mut pages = vec!["pilothouse".to_owned(), "pilothouse-policy-test".to_owned()];
    pages.extend(commands(&bed).iter().map(|name| format!("pilothouse-{name}")));
    for page in pages {
        let text = std::fs::read_to_string(bed.path(format!("man/{page}.1"))).unwrap();
        assert!(text.contains(".TH") && text.contains("data\\-dir"), "{page}: {text}");
    }
    assert!(!bed.path("man/pilothouse-man.1").exists());
}
