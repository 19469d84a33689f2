use super::*;

fn diff(old: &str, new: &str) -> String {
    Patch::whole("/p/a.txt", Some(old), Some(new)).map(|patch| patch.diff).unwrap_or_default()
}

#[test]
fn the_format_is_that_of_diff() {
    let old = "1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n11\n12\n13\n14\n15\n16\n17\n18\n";
    let new = old.replace("\n5\n", "\nfive\n").replace("\n15\n", "\n");
    let expected = "--- a/p/a.txt\n+++ b/p/a.txt\n\
        @@ -2,7 +2,7 @@\n 2\n 3\n 4\n-5\n+five\n 6\n 7\n 8\n\
        @@ -12,7 +12,6 @@\n 12\n 13\n 14\n-15\n 16\n 17\n 18\n";
    assert_eq!(diff(old, &new), expected);
}

#[test]
fn ends_of_files_are_told() {
    let header = "--- a/p/a.txt\n+++ b/p/a.txt\n";
    let no_end = "\\ No newline at end of file\n";
    assert_eq!(diff("a\n", "a"), format!("{header}@@ -1 +1 @@\n-a\n+a\n{no_end}"));
    assert_eq!(diff("a", "a\nb"), format!("{header}@@ -1 +1,2 @@\n-a\n{no_end}+a\n+b\n{no_end}"));
    assert_eq!(diff("a\nb\n", ""), format!("{header}@@ -1,2 +0,0 @@\n-a\n-b\n"));
    assert_eq!(diff("", "a\n"), format!("{header}@@ -0,0 +1 @@\n+a\n"));
    assert_eq!(diff("a\n", "a\n"), "");
    let new = Patch::whole("/p/a.txt", None, Some("a\n")).unwrap();
    assert_eq!(new.diff, "--- /dev/null\n+++ b/p/a.txt\n@@ -0,0 +1 @@\n+a\n");
    assert_eq!((new.lines_added, new.lines_removed), (1, 0));
    let gone = Patch::whole("/p/a.txt", Some("a\n"), None).unwrap();
    assert_eq!(gone.diff, "--- a/p/a.txt\n+++ /dev/null\n@@ -1 +0,0 @@\n-a\n");
    assert_eq!(Patch::whole("/p/a.txt", Some(""), None), None);
}

#[test]
fn pieces_do_not_speak_of_the_end_of_the_file() {
    let patch = Patch::pieces("a", [("x", "y"), ("1\n2", "1")]).unwrap();
    let expected = "--- a/a\n+++ b/a\n@@ -1 +1 @@\n-x\n+y\n@@ -1,2 +1 @@\n-1\n-2\n+1\n";
    assert_eq!(patch.diff, expected);
    assert!(!patch.located);
    assert_eq!(Patch::pieces("a", [("x", "x")]), None);
}

#[test]
fn what_the_cli_reports_is_written_the_same_way() {
    let lines = ["-a", "+b", "\\ No newline at end of file"].map(str::to_owned).to_vec();
    let (old_start, old_lines, new_start, new_lines) = (Some(7), None, Some(7), None);
    let extra = Default::default();
    let hunk = Hunk { old_start, old_lines, new_start, new_lines, lines, extra };
    let patch = Patch::reported("a\nb", &[hunk]).unwrap();
    let expected = "--- a/a\\nb\n+++ b/a\\nb\n@@ -7 +7 @@\n-a\n+b\n\\ No newline at end of file\n";
    assert_eq!(patch.diff, expected);
    assert_eq!(Patch::reported("a", &[]), None);
}

#[test]
fn large_texts_are_replaced_whole_and_cut() {
    let old: String = (0..40_000).map(|n| format!("old {n}\n")).collect();
    let new: String = (0..40_000).map(|n| format!("new {n}\n")).collect();
    let around = |text: &str| format!("same\n{text}end\n");
    let patch = Patch::whole("a", Some(&around(&old)), Some(&around(&new)));
    let patch = patch.unwrap();
    assert!(patch.truncated && patch.diff.len() <= DIFF_LIMIT && patch.diff.ends_with('\n'));
    assert_eq!((patch.lines_added, patch.lines_removed), (40_000, 40_000));
    assert_eq!(patch.hunks.len(), 1);
    let hunk = &patch.hunks[0];
    assert_eq!((hunk.old_start, hunk.old_lines, hunk.new_lines), (1, 40_002, 40_002));
    assert!(hunk.lines.len() < 10_000);
    // One line changed in a large file is found.
    let patch = Patch::whole("a", Some(&old), Some(&old.replace("old 30000\n", "x\n"))).unwrap();
    assert_eq!((patch.hunks[0].old_start, patch.hunks[0].old_lines), (29_998, 7));
    assert!(!patch.truncated);
    // A single line that is too long leaves only the header.
    let patch = Patch::whole("a", Some("a\n"), Some(&"b".repeat(2 * DIFF_LIMIT))).unwrap();
    assert_eq!(
        (patch.diff.as_str(), patch.truncated),
        ("--- a/a\n+++ b/a\n@@ -1 +1 @@\n-a\n", true)
    );
}

proptest::proptest! {
    /// Lines that were only added, or only removed, are not compared one by one; where they stand
    /// among others like them is still where a comparison finds them.
    #[test]
    fn what_is_only_added_stands_where_a_comparison_finds_it(
        old in "([abc]\n){0,12}[abc]?",
        added in "([abc]\n){0,6}",
        place in 0_usize..13,
    ) {
        let line_end = old.match_indices('\n').nth(place).map_or(0, |(at, _)| at + 1);
        let new = format!("{}{added}{}", &old[..line_end], &old[line_end..]);
        for (old, new) in [(&old, &new), (&new, &old)] {
            let compared = TextDiff::from_lines(old, new);
            let compared = compared.unified_diff().header("a/p/a.txt", "b/p/a.txt").to_string();
            proptest::prop_assert_eq!(diff(old, new), compared);
        }
    }
}
