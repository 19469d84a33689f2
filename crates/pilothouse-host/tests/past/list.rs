use pilothouse_host::past::PastPlace;

use crate::bed::{Bed, name, text, user};

#[test]
fn the_newest_come_first_page_by_page() {
    let bed = Bed::new();
    for number in 1..=7 {
        let directory = if number % 2 == 0 { "even" } else { "odd" };
        bed.talk(directory, number, &[user(format!("prompt {number}")), text("m", "answer")]);
    }
    let mut seen = Vec::new();
    let mut offset = Some(0);
    while let Some(at) = offset {
        let page = bed.past.list(&PastPlace::Everywhere, at, 3);
        assert!(page.items.len() <= 3);
        seen.extend(page.items.into_iter().map(|item| item.cli_session));
        offset = page.next;
    }
    assert_eq!(seen, (1..=7).map(name).collect::<Vec<_>>());
    let here = PastPlace::Directory(bed.directory("even"));
    let page = bed.past.list(&here, 0, 10);
    let prompts: Vec<_> =
        page.items.iter().map(|item| item.first_prompt.clone().unwrap()).collect();
    assert_eq!(
        (prompts, page.next),
        (vec!["prompt 2".into(), "prompt 4".into(), "prompt 6".into()], None)
    );
    let nowhere = PastPlace::Directory(bed.directory("nowhere"));
    assert!(bed.past.list(&nowhere, 0, 10).items.is_empty());
    assert!(bed.past.list(&PastPlace::Everywhere, 100, 10).items.is_empty());
}

#[test]
fn what_is_told_of_each() {
    let bed = Bed::new();
    let path = bed.talk("work", 1, &[user("what is it?"), text("m", "this")]);
    let one = bed.past.session(&name(1)).unwrap();
    let all = bed.past.list(&PastPlace::Everywhere, 0, 9).items;
    assert_eq!(all, std::slice::from_ref(&one));
    assert_eq!(one.cwd.as_deref(), bed.directory("work").to_str());
    assert_eq!(one.size, path.metadata().unwrap().len());
    assert_eq!(one.started_at.unwrap().to_string(), "2026-09-01T10:00:00Z");
    assert_eq!(one.updated_at.as_second(), 1_790_000_000 - 1);
    assert!(!one.archived);
    assert!(bed.past.session(&name(2)).is_err());
}
