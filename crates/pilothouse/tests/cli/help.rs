//! Help, completions and manual pages.

use super::bed::Bed;

#[test]
fn the_overview() {
    insta::assert_snapshot!(Bed::new().ok(["--help"]));
}

#[test]
fn each_command() {
    let bed = Bed::new();
    let overview = bed.ok(["--help"]);
    let names: Vec<_> = overview
        .lines()
        .filter(|line| line.starts_with("  ") && !line.trim_start().starts_with('-'))
        .filter_map(|line| line.split_whitespace().next())
        .filter(|word| word.chars().all(char::is_alphabetic) && word.len() > 1)
        .collect();
    assert!(names.contains(&"up") && names.contains(&"policy"), "{names:?}");
    let mut all = String::new();
    for name in names {
        let help = bed.ok([name, "--help"]);
        // What all have in common stands in the overview.
        let own = help.split("\nCommon options:").next().unwrap_or_default();
        all.push_str(&format!("══ {name}\n{own}\n"));
    }
    insta::assert_snapshot!(all);
}

#[test]
fn a_narrow_terminal() {
    let bed = Bed::new();
    let output = bed.command(["run", "--help"]).env("COLUMNS", "40").output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    let own = text.split("Exit codes:").next().unwrap();
    let widest = own.lines().map(|line| line.chars().count()).max().unwrap();
    assert!(widest <= 44, "{widest}: {own}");
}

#[test]
fn completions_know_every_command() {
    let bed = Bed::new();
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let text = bed.ok(["completions", shell]);
        for word in ["approve", "max-budget-usd", "doctor"] {
            assert!(text.contains(word), "{shell} does not know {word}");
        }
    }
}

#[test]
fn a_manual_page_for_each_command() {
    let bed = Bed::new();
    bed.ok(["man".as_ref(), bed.path("man").as_os_str()]);
    for page in ["pilothouse", "pilothouse-run", "pilothouse-policy"] {
        let text = std::fs::read_to_string(bed.path(format!("man/{page}.1"))).unwrap();
        assert!(text.contains(".TH") && text.contains("data\\-dir"), "{page}: {text}");
    }
    assert!(!bed.path("man/pilothouse-man.1").exists());
}
