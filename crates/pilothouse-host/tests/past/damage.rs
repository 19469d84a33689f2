use std::process::Command;
use std::time::{Duration, SystemTime};

use serde_json::json;

use crate::bed::{Bed, call, chained, name, result, shown, text, user};

fn conversation() -> String {
    chained(
        &[
            user("first"),
            text("m1", "one"),
            user("second"),
            call("m2", "t1", "Bash", json!({"command": "ls"})),
            result("t1", "ok"),
            text("m3", "two"),
        ],
        1,
        "/work",
    )
}

/// Cut anywhere, it is what is left of it.
#[test]
fn a_transcript_can_end_anywhere() {
    let whole = conversation();
    let bed = Bed::new();
    let first = whole.find('\n').unwrap() + 1;
    for end in (first..whole.len()).step_by(37) {
        bed.put("work", 1, &whole[..end]);
        let imported = bed.import(1).unwrap();
        assert!(imported.skipped.lines <= 1, "{end}: {:?}", imported.skipped);
        assert_eq!(shown(&imported.events)[0], "user first");
    }
}

#[test]
fn damaged_lines_are_passed_over_and_counted() {
    let whole = conversation();
    let mut lines: Vec<Vec<u8>> = whole.lines().map(|line| line.as_bytes().to_vec()).collect();
    let good = shown(&{
        let bed = Bed::new();
        bed.put("work", 1, &whole);
        bed.import(1).unwrap().events
    });
    lines.insert(1, b"{\"type\":\"user\",\"uuid\":".to_vec());
    lines.insert(2, b"not JSON \xff\xfe".to_vec());
    lines.insert(3, b"[1,2]".to_vec());
    lines.insert(4, b"   ".to_vec());
    lines.insert(
        5,
        br#"{"type":"from-the-future","uuid":"f1","parentUuid":null,"x":1e999}"#.to_vec(),
    );
    lines.insert(6, b"\0\0\0\0".to_vec());
    let bed = Bed::new();
    bed.put("work", 1, lines.join(&b"\n"[..]));
    let imported = bed.import(1).unwrap();
    assert_eq!(shown(&imported.events), good);
    assert_eq!(imported.skipped.lines, 4);
}

#[test]
fn odd_messages_do_no_harm() {
    let bed = Bed::new();
    bed.talk(
        "work",
        1,
        &[
            user("fine"),
            json!({"type": "assistant", "message": "a text"}),
            json!({"type": "assistant", "message": {"content": 7}}),
            json!({"type": "user", "message": null}),
            json!({"type": "user", "message": {"content": {"deep": [[[]]]}}}),
            json!({"type": "user", "message": {"content": [{"type": "tool_result"}, 3, null]}}),
            json!({"type": "assistant", "message": {"content": [{"type": "new_block", "x": 1}]}}),
            json!({"type": "user", "timestamp": "yesterday", "message": {"content": "no time"}}),
            text("m1", "still here"),
        ],
    );
    let imported = bed.import(1).unwrap();
    let said = shown(&imported.events);
    assert!(said.contains(&"user fine".to_owned()) && said.contains(&"says still here".to_owned()));
    assert!(imported.events.is_sorted_by_key(|event| event.at));
}

#[test]
fn a_long_line_is_a_long_message() {
    let bed = Bed::new();
    let long = "x".repeat(9 << 20);
    bed.talk("work", 1, &[user("short"), text("m1", &long)]);
    let imported = bed.import(1).unwrap();
    assert_eq!(imported.skipped.lines, 0);
    assert_eq!(shown(&imported.events)[1].len(), long.len() + "says ".len());
}

/// A list looks at the two ends of a transcript only. Both may be pictures.
#[test]
fn a_conversation_that_no_list_can_describe() {
    let bed = Bed::new();
    let long = "x".repeat(200 << 10);
    let picture = json!({"type": "image", "source": {"type": "base64", "data": long}});
    let mut first = user(json!([picture, {"type": "text", "text": "what is it?"}]));
    first["cwd"] = json!("/somewhere");
    bed.talk("work", 1, &[first, text("m1", "a cat"), result("none", &long)]);
    bed.put(
        "work",
        2,
        format!("{}\n{}", "y".repeat(200 << 10), conversation().replace(&name(1), &name(2))),
    );
    let imported = bed.import(1).unwrap();
    assert_eq!(shown(&imported.events)[..2], ["user what is it?", "says a cat"]);
    assert_eq!(imported.cwd.as_deref(), Some("/somewhere"));
    assert_eq!(imported.started_at.to_string(), "2026-09-01T10:00:00Z");
    let imported = bed.import(2).unwrap();
    assert_eq!(imported.skipped.lines, 1);
    assert_eq!(shown(&imported.events)[..2], ["user first", "says one"]);
}

/// What is no regular file is not waited for, wherever it is.
#[test]
fn pipes_and_links_are_not_read() {
    let bed = Bed::new();
    bed.talk("work", 1, &[user("good"), text("m1", "words")]);
    let project = bed.project("work");
    let fifo = project.join(format!("{}.jsonl", name(2)));
    assert!(Command::new("mkfifo").arg(&fifo).status().unwrap().success());
    let elsewhere = bed.directory("elsewhere").join("secret.jsonl");
    std::fs::write(&elsewhere, chained(&[user("secret"), text("m", "words")], 3, "/x")).unwrap();
    #[cfg(unix)]
    std::os::unix::fs::symlink(&elsewhere, project.join(format!("{}.jsonl", name(3)))).unwrap();
    let later = SystemTime::now() + Duration::from_secs(60);
    std::fs::File::options().append(true).open(&elsewhere).unwrap().set_modified(later).unwrap();
    let search = pilothouse_host::past::PastSearch {
        query: "words".to_owned(),
        place: Default::default(),
        limit: 10,
        patience: Duration::from_secs(60),
    };
    let found = bed.past.search(&search).unwrap();
    assert_eq!((found.hits.len(), found.complete), (1, true));
    assert!(bed.import(2).is_err() && bed.import(3).is_err());
}
