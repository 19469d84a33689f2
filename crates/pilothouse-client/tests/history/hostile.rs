//! Transcripts that are broken, cut or made up: everything must end, and end in order.

use std::fs;
use std::path::Path;

use pilothouse_client::history::{ForkRequest, HistoryError, MessageQuery, Scope, SessionQuery};
use serde_json::{Value, json};

use crate::bed::{Bed, cases, fixtures, line, lines, session, user};

/// Runs every reading call and a fork; none may panic, and a fork must be readable again.
fn survive(bed: &Bed, content: &[u8]) {
    bed.put("-a", 1, content, 0);
    let history = &bed.history;
    let listed = history.sessions(&SessionQuery::new());
    let found = history.session(&session(1), &Scope::AllProjects);
    assert!(listed.len() <= 1 && (listed.is_empty() || found.is_some()));
    let messages = history.messages(&session(1), &MessageQuery::new().with_system());
    assert_eq!(messages.is_err(), content.is_empty());
    match history.fork(&session(1), &ForkRequest::new()) {
        Ok(copy) => {
            let path = bed.transcript("-a", &copy);
            let text = fs::read_to_string(&path).unwrap();
            for line in text.lines() {
                assert!(serde_json::from_str::<&serde_json::value::RawValue>(line).is_ok());
            }
            fs::remove_file(path).unwrap();
        }
        Err(HistoryError::NothingToFork { .. } | HistoryError::SessionNotFound { .. }) => {}
        Err(other) => panic!("{other}"),
    }
}

#[test]
fn transcripts_cut_anywhere_are_survived() {
    let bed = Bed::new();
    for case in ["broken_lines", "compacted_kept_messages", "queued_on_record"] {
        let content = fs::read(fixtures("messages").join(format!("{case}.jsonl"))).unwrap();
        for end in (0..content.len()).step_by(7) {
            survive(&bed, &content[..end]);
        }
    }
}

#[test]
fn garbled_transcripts_are_survived() {
    let bed = Bed::new();
    let mut random = 0x2545_f491_4f6c_dd1d_u64;
    let mut next = move |below: usize| {
        random ^= random << 13;
        random ^= random >> 7;
        random ^= random << 17;
        usize::try_from(random % below as u64).unwrap()
    };
    let sources: Vec<Vec<u8>> = cases("messages")
        .iter()
        .map(|case| fs::read(fixtures("messages").join(format!("{case}.jsonl"))).unwrap())
        .collect();
    for _ in 0..600 {
        let mut content = sources[next(sources.len())].clone();
        for _ in 0..=next(8) {
            let at = next(content.len().max(1));
            match next(4) {
                _ if content.is_empty() => {}
                0 => content[at] = u8::try_from(next(256)).unwrap(),
                1 => drop(content.remove(at)),
                2 => content.insert(at, b"{}[],:\"\\\n\xff"[next(10)]),
                _ => content.truncate(at + 1),
            }
        }
        survive(&bed, &content);
    }
}

#[test]
fn odd_shapes_are_survived() {
    let bed = Bed::new();
    let deep = format!("{}{}", "[".repeat(50_000), "]".repeat(50_000));
    let shapes = [
        "\u{feff}{}\n".to_owned(),
        "null\ntrue\n\"x\"\n7\n[]\n".to_owned(),
        format!(r#"{{"type":"user","uuid":"u","message":{{"content":{deep}}}}}"#),
        r#"{"type":"user","uuid":"u","parentUuid":"u","message":{"content":"own parent"}}"#.to_owned(),
        r#"{"type":"user","uuid":"","parentUuid":"","message":null}"#.to_owned(),
        r#"{"type":"user","uuid":"u","message":{"content":[null,1,"x",[],{"type":7}]}}"#.to_owned(),
        r#"{"type":"system","subtype":"compact_boundary","uuid":"b","compactMetadata":{"preservedMessages":{"anchorUuid":"b","uuids":["b","b"]}}}"#.to_owned(),
        r#"{"type":"attachment","uuid":"q","attachment":{"type":"queued_command","prompt":{}}}"#.to_owned(),
        "{\"type\":\"user\"}\r\n{\"type\":\"user\",\"uuid\":\"u\",\"message\":{\"content\":\"crlf\"}}\r\n".to_owned(),
    ];
    for shape in shapes {
        survive(&bed, shape.as_bytes());
    }
    survive(
        &bed,
        b"{\"type\":\"user\",\"uuid\":\"u\",\"message\":{\"content\":\"bad \xff byte\"}}\n",
    );
    let messages = bed.history.messages(&session(1), &MessageQuery::new()).unwrap();
    assert_eq!(messages[0].message.as_ref().unwrap().get(), "{\"content\":\"bad \u{fffd} byte\"}");
}

fn link(uuid: String, parent: Value) -> Value {
    json!({"type": "user", "uuid": uuid, "parentUuid": parent, "message": {"content": "x"}})
}

/// Sizes at which anything that grows with the square of the length would not end in time.
#[test]
fn long_transcripts_take_time_in_proportion() {
    let bed = Bed::new();
    let read = |number: u32, all: Vec<Value>| {
        let session = bed.put("-a", number, lines(&all), 0);
        bed.history.messages(&session, &MessageQuery::new()).unwrap().len()
    };
    let n = 12_000;
    let chain = (0..n).map(|i| {
        link(format!("u{i}"), if i == 0 { Value::Null } else { format!("u{}", i - 1).into() })
    });
    assert_eq!(read(1, chain.collect()), n);

    let star =
        (0..n).map(|i| link(format!("u{i}"), if i == 0 { Value::Null } else { "u0".into() }));
    assert_eq!(read(2, star.collect()), 2);

    // Every boundary claims all of the others' children.
    let mut boundaries: Vec<Value> =
        (0..n / 2).map(|i| link(format!("u{i}"), "x0".into())).collect();
    boundaries.extend((0..n / 2).map(|i| {
        json!({"type": "system", "subtype": "compact_boundary", "uuid": format!("b{i}"),
               "compactMetadata": {"preservedSegment":
                   {"anchorUuid": format!("x{}", i % 2), "headUuid": "h", "tailUuid": format!("x{}", (i + 1) % 2)}}})
    }));
    assert!(read(3, boundaries) >= 1);

    let caveat = |i: usize| {
        json!({"type": "user", "uuid": format!("u{i}"), "isMeta": true,
               "parentUuid": if i == 0 { Value::Null } else { format!("u{}", i - 1).into() },
               "message": {"content": "<local-command-caveat>"}})
    };
    assert_eq!(read(4, (0..n).map(caveat).collect()), 0);

    let call = |i: usize| {
        json!({"type": "assistant", "uuid": format!("a{i}"), "parentUuid": "a0",
               "message": {"id": "m", "content": [{"type": "tool_use", "id": format!("t{i}")}]}})
    };
    assert_eq!(read(5, (0..n).map(call).collect()), n);
}

#[test]
fn big_lines_are_read() {
    let bed = Bed::new();
    let text = "y".repeat(6 << 20);
    let content = line(&user(Path::new("/w"), &text));
    let session = bed.put("-a", 1, content, 0);
    let messages = bed.history.messages(&session, &MessageQuery::new()).unwrap();
    assert!(messages[0].message.as_ref().unwrap().get().len() > text.len());
    let copy = bed.history.fork(&session, &ForkRequest::new()).unwrap();
    assert!(bed.transcript("-a", &copy).metadata().unwrap().len() > text.len() as u64);
}
