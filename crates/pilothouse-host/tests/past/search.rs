use std::time::Duration;

use pilothouse_host::past::{PastError, PastFound, PastPlace, PastSearch, Said};
use serde_json::json;

use crate::bed::{Bed, call, name, result, text, user};

fn search(bed: &Bed, query: &str) -> PastFound {
    look(bed, query, PastPlace::Everywhere, 10, Duration::from_secs(60)).unwrap()
}

fn look(
    bed: &Bed,
    query: &str,
    place: PastPlace,
    limit: usize,
    patience: Duration,
) -> Result<PastFound, PastError> {
    bed.past.search(&PastSearch { query: query.to_owned(), place, limit, patience })
}

/// Who said it, and the words as they stand there.
fn words(found: &PastFound) -> Vec<(String, Said, String)> {
    let each = found.hits.iter().flat_map(|hit| {
        hit.snippets.iter().map(|snippet| {
            let words = snippet.text[snippet.start..snippet.end].to_owned();
            (hit.session.cli_session.clone(), snippet.said, words)
        })
    });
    each.collect()
}

#[test]
fn words_are_found_in_whatever_case() {
    let bed = Bed::new();
    bed.talk("a", 2, &[user("Where is the Needle?"), text("m", "In the HAYSTACK")]);
    bed.talk(
        "b",
        1,
        &[
            user("look"),
            call("m1", "t", "Bash", json!({"command": "grep needle"})),
            result("t", "a needle, a needle"),
            text("m2", "Straße, ÄRGER und İstanbul\nsay \"quoted\" \\ back"),
        ],
    );
    use Said::{Answer, Prompt, Tool};
    type Place = (u32, Said, &'static str);
    let cases: [(&str, &[Place]); 8] = [
        ("NEEDLE", &[(1, Tool, "needle"), (1, Tool, "needle"), (2, Prompt, "Needle")]),
        ("haystack", &[(2, Answer, "HAYSTACK")]),
        ("straße", &[(1, Answer, "Straße")]),
        ("ärger", &[(1, Answer, "ÄRGER")]),
        ("stanbul\nsay", &[(1, Answer, "stanbul\nsay")]),
        ("\"quoted\" \\", &[(1, Answer, "\"quoted\" \\")]),
        ("  look ", &[(1, Prompt, "look")]),
        ("parentUuid", &[]),
    ];
    for (query, expected) in cases {
        let expected: Vec<_> = expected
            .iter()
            .map(|(at, said, text)| (name(*at), *said, (*text).to_owned()))
            .collect();
        let found = search(&bed, query);
        assert_eq!(words(&found), expected, "{query}");
        assert!(found.complete);
    }
    assert!(matches!(
        look(&bed, "  ", PastPlace::Everywhere, 1, Duration::MAX),
        Err(PastError::NoQuery)
    ));
}

#[test]
fn snippets_are_short_and_whole() {
    let bed = Bed::new();
    let around = "ä".repeat(5_000);
    bed.talk("a", 1, &[user(format!("{around}needle{around}")), text("m", "x")]);
    let found = search(&bed, "needle");
    let snippet = &found.hits[0].snippets[0];
    assert!(snippet.text.len() < 200, "{}", snippet.text.len());
    assert_eq!(&snippet.text[snippet.start..snippet.end], "needle");
    assert!(snippet.uuid.is_some());
}

#[test]
fn there_is_an_end_to_it() {
    let bed = Bed::new();
    for number in 1..=5 {
        bed.talk(if number < 3 { "a" } else { "b" }, number, &[user("needle"), text("m", "x")]);
    }
    let everywhere = PastPlace::Everywhere;
    let two = look(&bed, "needle", everywhere.clone(), 2, Duration::from_secs(60)).unwrap();
    let sessions: Vec<_> = two.hits.iter().map(|hit| hit.session.cli_session.clone()).collect();
    assert_eq!((sessions, two.complete, two.looked_at), (vec![name(1), name(2)], false, 2));
    let late = look(&bed, "needle", everywhere, 9, Duration::ZERO).unwrap();
    assert_eq!((late.hits.len(), late.complete), (0, false));
    let here = PastPlace::Directory(bed.directory("b"));
    let found = look(&bed, "needle", here, 9, Duration::from_secs(60)).unwrap();
    assert_eq!((found.hits.len(), found.complete), (3, true));
}

#[test]
fn damage_and_long_lines_are_passed_over() {
    let bed = Bed::new();
    let path = bed.talk("a", 1, &[user("first"), text("m", "the needle")]);
    let good = std::fs::read_to_string(&path).unwrap();
    let long = format!("{{\"type\":\"user\",\"x\":\"{}needle\"}}\n", "y".repeat(9 << 20));
    bed.put("a", 1, format!("needle {{{{\n\0needle\n{long}{good}{{\"type\":\"user\",\"needle"));
    let found = search(&bed, "needle");
    assert_eq!(words(&found), [(name(1), Said::Answer, "needle".to_owned())]);
    assert_eq!(found.skipped_lines, 1);
}
