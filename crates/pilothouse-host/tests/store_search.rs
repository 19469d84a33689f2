//! What can be found, and what cannot be found any more.

#![allow(clippy::unwrap_used, reason = "a test says what went wrong by panicking")]

mod store_support;

use pilothouse_host::store::{
    Checkpoint, Hit, NewSession, Search, SessionChange, Store, StoreError, Voice,
};
use pilothouse_session::event::Body;
use pilothouse_session::id::{ItemId, SessionId};
use pilothouse_session::tool::NormalizedPayload;
use pilothouse_wire::Raw;
use proptest::prelude::*;
use store_support::*;

fn find(store: &Store, text: &str) -> Vec<Hit> {
    let search = Search { text: text.to_owned(), limit: 100, ..Search::default() };
    store.search(&search).unwrap().items
}

fn call(name: &str, input: &str) -> Body {
    let payload = NormalizedPayload::of_call(name, &Raw::from_text(input).unwrap());
    Body::ToolCall {
        item: ItemId(1),
        tool_call_id: "t1".to_owned(),
        tool_name: name.to_owned(),
        title: payload.title(),
        payload: payload.into(),
    }
}

fn append(store: &Store, session: SessionId, bodies: impl IntoIterator<Item = Body>) {
    let from = store.last_seq(session).unwrap() + 1;
    let events: Vec<_> =
        (from..).zip(bodies).map(|(seq, body)| event(session, seq, body)).collect();
    store.append(session, &events, None).wait().unwrap();
}

#[test]
fn what_was_found_comes_in_parts() {
    let (_place, store, one) = with_session();
    append(&store, one, (0..7).map(|number| message(&format!("knot {number}"))));
    let mut search = Search { text: "knot".to_owned(), limit: 3, ..Search::default() };
    let (mut found, mut sizes) = (Vec::new(), Vec::new());
    loop {
        let part = store.search(&search).unwrap();
        sizes.push(part.items.len());
        found.extend(part.items.iter().map(|hit| hit.seq));
        search.after = part.next;
        if search.after.is_none() {
            break;
        }
    }
    assert_eq!((sizes, found), (vec![3, 3, 1], vec![7, 6, 5, 4, 3, 2, 1]));
    let whole = store.search(&Search { limit: 7, ..search.clone() }).unwrap();
    assert_eq!((whole.items.len(), whole.next), (7, None), "nothing comes after the last");
    search.after = Some("knot".to_owned());
    assert!(matches!(store.search(&search), Err(StoreError::BadCursor(_))));
}

#[test]
fn messages_commands_and_paths_are_found() {
    let (_place, store, one) = with_session();
    let two = create(&store);
    append(
        &store,
        one,
        [
            user_message("Please mend the Fock sail"),
            message("The sail is mended. Grüße aus Kiel!"),
            call(
                "Bash",
                r#"{"command":"cargo nextest run --workspace","description":"Run tests"}"#,
            ),
            call("Read", r#"{"file_path":"/home/ann/boat/src/rigging/main_sail.rs"}"#),
            Body::ContextWindow { used: 1, window: 2 },
        ],
    );
    append(&store, two, [user_message("Another sail")]);
    let seqs = |text: &str| find(&store, text).iter().map(|hit| hit.seq).collect::<Vec<_>>();
    assert_eq!(seqs("nextest"), [3]);
    assert_eq!(seqs("main_sail.rs"), [4]);
    assert_eq!(seqs("src/rigging"), [4]);
    assert_eq!(seqs("GRUSSE"), [] as [u64; 0]);
    assert_eq!(seqs("grusse"), [] as [u64; 0]);
    assert_eq!(seqs("Kie"), [2], "the last word may go on");
    assert_eq!(seqs("Kie mended"), [] as [u64; 0], "others may not");
    assert_eq!(seqs("\"sail is\""), [2]);
    assert_eq!(seqs("\"is sail\""), [] as [u64; 0]);

    // Newest session first, and in it the newest event.
    let places: Vec<_> = find(&store, "sail").iter().map(|hit| (hit.session, hit.seq)).collect();
    assert_eq!(places, [(two, 1), (one, 4), (one, 2), (one, 1)]);
    let only = |search: Search| {
        let search = Search { text: "sail".to_owned(), limit: 10, ..search };
        let hits = store.search(&search).unwrap().items;
        hits.iter().map(|hit| (hit.session, hit.seq)).collect::<Vec<_>>()
    };
    let said = vec![Voice::Asked, Voice::Said];
    assert_eq!(only(Search { voices: said, ..Search::default() }), [(two, 1), (one, 2), (one, 1)]);
    let session = Some(two);
    assert_eq!(only(Search { session, ..Search::default() }), [(two, 1)]);
    let archive = SessionChange { archived: Some(true), ..SessionChange::default() };
    store.change(two, archive).wait().unwrap();
    assert_eq!(only(Search::default()).len(), 3);
    assert_eq!(only(Search { with_archived: true, ..Search::default() }).len(), 4);
}

#[test]
fn what_looks_like_syntax_is_text() {
    let (_place, store, session) = with_session();
    append(&store, session, [message("alpha beta gamma")]);
    let as_text = [
        "alpha - beta",
        "-alpha",
        "alpha*",
        "(alpha",
        "alpha)",
        "alpha + beta",
        "^alpha",
        "\"alpha",
        "alpha : beta",
        "alpha \"",
        "'alpha'",
        "alpha; --",
        "{alpha}",
        "alpha\0beta",
        "* alpha",
        "ALPHA",
    ];
    for text in as_text {
        assert_eq!(find(&store, text).len(), 1, "{text:?}");
    }
    for text in
        ["", " ", "\"", "\"\"", "*", "- - -", "\0", "said:alpha", "alpha NOT beta", "NEAR(alpha)"]
    {
        assert_eq!(find(&store, text).len(), 0, "{text:?}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(32))]

    /// One database for many texts: making one costs more than asking it.
    #[test]
    fn any_text_is_a_query(texts in prop::collection::vec(hostile(), 40)) {
        let (_place, store, session) = with_session();
        append(&store, session, texts.iter().map(|text| message(text)));
        for (seq, text) in (1..).zip(&texts) {
            for voices in [vec![], vec![Voice::Said, Voice::Done]] {
                let search = Search { text: text.clone(), voices, limit: 100, ..Search::default() };
                for hit in store.search(&search).unwrap().items {
                    let Snippet { text, marks } = Snippet::of(&hit);
                    for (from, to) in marks {
                        prop_assert!(from < to && text.get(*from..*to).is_some());
                    }
                }
            }
            // A word that was said is found.
            let word = text.split(|c: char| !c.is_ascii_alphanumeric()).find(|word| !word.is_empty());
            if let Some(word) = word.filter(|_| text.is_ascii()) {
                prop_assert!(find(&store, word).iter().any(|hit| hit.seq == seq), "{word:?}");
            }
        }
    }
}

struct Snippet<'a> {
    text: &'a str,
    marks: &'a [(usize, usize)],
}

impl<'a> Snippet<'a> {
    fn of(hit: &'a Hit) -> Self {
        Self { text: &hit.snippet.text, marks: &hit.snippet.marks }
    }
}

fn hostile() -> impl Strategy<Value = String> {
    let pieces = prop::sample::select(vec![
        "\"", "'", "*", "AND", "OR", "NOT", "NEAR(", ")", "(", "{", "}", ":", "^", "-", "+",
        "said", "\0", "a", "B", "ß", "İ", "é", "e\u{301}", "日本", "\u{202e}", " ", "\n", ";",
        "--", "%", "_", "\\",
    ]);
    let mixed = prop::collection::vec(pieces, 0..24).prop_map(|pieces| pieces.concat());
    prop_oneof![mixed, any::<String>(), "[ -~]{0,200}"]
}

/// Words of which none begins like another, so that the index has to write each of them out.
const SECRETS: [&str; 6] =
    ["quixotic7731", "zeppelin4402", "marzipan9155", "obsidian3068", "kestrel5823", "umbrella6614"];

#[test]
fn what_is_deleted_leaves_no_trace() {
    let place = Place::new();
    let store = place.open();
    let keep = create(&store);
    let gone = SessionId(uuid::Uuid::now_v7());
    let session = NewSession {
        title: Some(SECRETS[0].to_owned()),
        tags: vec![SECRETS[1].to_owned()],
        settings: serde_json::json!({ "secret": SECRETS[1] }),
        ..NewSession::new(gone, "/home/ann/boat")
    };
    store.create(session).wait().unwrap();
    for round in 0..200 {
        append(&store, keep, [message(&format!("harmless {round}"))]);
        append(
            &store,
            gone,
            [
                message(&format!("{} {round}", SECRETS[2])),
                user_message(&format!("{} {}", SECRETS[3], "filling ".repeat(50))),
                call("Bash", &format!(r#"{{"command":"echo {}"}}"#, SECRETS[4])),
            ],
        );
    }
    let mut asked = approval(1);
    asked.title = Some(SECRETS[0].to_owned());
    append(
        &store,
        gone,
        [Body::ApprovalRequested { approval: Box::new(asked) }, allowed(1, "ann")],
    );
    let state = format!("{{\"secret\":\"{}\"}}", SECRETS[5]);
    let checkpoint = Checkpoint { seq: 1, run: None, lines: 0, offset: 0, state };
    store.append(gone, &[], Some(checkpoint)).wait().unwrap();
    let file = bytes::Bytes::from(SECRETS[5].repeat(1_000));
    store.attach(gone, "text/plain", Some(SECRETS[5]), file).wait().unwrap();

    let left = |place: &Place| {
        let bytes = place.bytes();
        let has = |secret: &&&str| memchr::memmem::find(&bytes, secret.as_bytes()).is_some();
        SECRETS.iter().filter(has).copied().collect::<Vec<_>>()
    };
    assert_eq!(left(&place), SECRETS);
    let before = store.size().unwrap().bytes;
    store.delete(gone, "ann").wait().unwrap();
    for secret in SECRETS {
        assert!(find(&store, secret).is_empty());
    }
    store.tidy(|| false).unwrap();
    assert_eq!(left(&place), [] as [&str; 0]);
    assert!(store.size().unwrap().bytes < before / 2);
    assert_eq!(store.size().unwrap().free_bytes, 0);
    assert_eq!(find(&store, "harmless").len(), 100);
    assert_eq!(store.audit(Some(gone), None, 10).unwrap().items.len(), 2);
    store.check().unwrap();
}
