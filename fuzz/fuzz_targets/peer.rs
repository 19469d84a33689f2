//! Any order of requests, answers and withdrawals, checked against a list of what is open.

#![no_main]

use std::collections::{BTreeMap, BTreeSet};

use libfuzzer_sys::fuzz_target;
use pilothouse_wire::Raw;
use pilothouse_wire::control::ControlResponse;
use pilothouse_wire::peer::{Arrival, Ended, Match, Peer};

#[derive(Debug, arbitrary::Arbitrary)]
enum Step {
    Open,
    /// An answer to a request that was made, at any time.
    Answer {
        which: u8,
        error: bool,
    },
    /// An answer to something else.
    AnswerStranger(String),
    Forget(u8),
    Arrived(u8),
    Close(u8),
    End,
}

fuzz_target!(|steps: Vec<Step>| {
    let mut peer = Peer::new();
    let mut ids: Vec<String> = Vec::new();
    let mut ours: BTreeMap<String, usize> = BTreeMap::new();
    let mut theirs: BTreeSet<String> = BTreeSet::new();
    let mut ended = false;
    for (number, step) in steps.into_iter().enumerate() {
        match step {
            Step::Open => match peer.open(number) {
                Ok(id) => {
                    assert!(!ended);
                    assert!(!ids.contains(&id), "an id is used once");
                    ours.insert(id.clone(), number);
                    ids.push(id);
                }
                Err(Ended) => assert!(ended),
            },
            Step::Answer { which, error } => {
                let Some(id) = pick(&ids, which) else { continue };
                let answer = match error {
                    true => ControlResponse::error(id, "no"),
                    false => ControlResponse::success(id, Raw::empty_object()),
                };
                check(&mut peer, answer, ours.remove(id));
            }
            Step::AnswerStranger(id) => {
                let expected = ours.remove(&id);
                check(&mut peer, ControlResponse::success(&id, Raw::null()), expected);
            }
            Step::Forget(which) => {
                let Some(id) = pick(&ids, which) else { continue };
                assert_eq!(peer.forget(id), ours.remove(id));
            }
            Step::Arrived(which) => {
                let id = format!("cli-{which}");
                let expected =
                    if theirs.insert(id.clone()) { Arrival::New } else { Arrival::Duplicate };
                assert_eq!(peer.arrived(&id), expected);
            }
            Step::Close(which) => {
                let id = format!("cli-{which}");
                assert_eq!(peer.close(&id), theirs.remove(&id), "answered at most once");
            }
            Step::End => {
                let mut waiting = peer.end();
                waiting.sort_unstable();
                let mut expected: Vec<usize> = std::mem::take(&mut ours).into_values().collect();
                expected.sort_unstable();
                assert_eq!(waiting, expected, "each is handed back, once");
                theirs.clear();
                ended = true;
            }
        }
        let open: BTreeSet<String> = peer.open_requests().map(ToOwned::to_owned).collect();
        assert_eq!(open, theirs);
    }
});

fn pick(ids: &[String], which: u8) -> Option<&String> {
    ids.get(usize::from(which) % ids.len().max(1))
}

fn check(peer: &mut Peer<usize>, answer: ControlResponse, expected: Option<usize>) {
    match peer.answered(answer) {
        Match::Request(attached, _) => assert_eq!(Some(attached), expected),
        Match::Nothing(_) => assert_eq!(expected, None),
    }
}
