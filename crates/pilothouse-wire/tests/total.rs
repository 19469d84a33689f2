//! Decoding never fails and never loses anything, whatever the line.
#![allow(clippy::expect_used)]

use pilothouse_wire::codec::{Inbound, decode, encode_line};
use pilothouse_wire::{Raw, Unknown};
use proptest::prelude::*;
use serde_json::{Map, Value, json};

/// One line of each kind, with every sort of field.
fn messages() -> Vec<Value> {
    let block = json!({"type":"tool_use","id":"t","name":"Bash","input":{"command":"ls"},"new":1});
    vec![
        json!({"type":"stream_event","event":{"type":"content_block_delta","index":0,
            "delta":{"type":"text_delta","text":"hi \"there\"\n"}},
            "session_id":"s","parent_tool_use_id":null,"uuid":"u"}),
        json!({"type":"assistant","message":{"id":"m","type":"message","role":"assistant",
            "model":"x","content":[{"type":"text","text":"a","citations":null},block],
            "stop_reason":null,"usage":{"input_tokens":1,"server_tool_use":null}},
            "parent_tool_use_id":null,"uuid":"u","session_id":"s"}),
        json!({"type":"user","message":{"role":"user","content":[
            {"type":"tool_result","tool_use_id":"t","content":"x","is_error":true}]},
            "tool_use_result":"Error: no","parent_tool_use_id":"p"}),
        json!({"type":"system","subtype":"init","cwd":"/","tools":[],"capabilities":["a"]}),
        json!({"type":"system","subtype":"status","status":null}),
        json!({"type":"result","subtype":"success","is_error":false,"result":"ok","num_turns":1,
            "total_cost_usd":0.1,"modelUsage":{"m":{"inputTokens":1,"costUSD":1e-7}},"errors":[]}),
        json!({"type":"control_request","request_id":"r","request":{"subtype":"can_use_tool",
            "tool_name":"Edit","input":{},"permission_suggestions":[
            {"type":"setMode","mode":"acceptEdits","destination":"session"}]}}),
        json!({"type":"control_response","response":{"subtype":"error","request_id":"r",
            "error":"no"}}),
        json!({"type":"from_the_future","a":[1]}),
    ]
}

/// Equal as values; `encode_line` writes what `decode` has read.
fn round_trip(line: &str) -> Inbound {
    let message = decode(line.as_bytes());
    if message != Inbound::NotJson {
        let written = encode_line(&message).expect("what was read can be written");
        let written = String::from_utf8(written).expect("JSON is UTF-8");
        let value = |text: &str| Raw::from_text(text).expect("JSON").to_value();
        assert_eq!(value(written.trim_end()), value(line), "{message:?}");
    }
    message
}

fn any_json() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<f64>().prop_filter("JSON has no NaN", |n| n.is_finite()).prop_map(Value::from),
        ".{0,12}".prop_map(Value::from),
    ];
    let key = prop_oneof![
        "[a-z_]{1,8}".boxed(),
        prop::sample::select(&["type", "subtype", "message", "content", "request"][..])
            .prop_map(str::to_owned)
            .boxed(),
    ];
    leaf.prop_recursive(4, 32, 6, move |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..6).prop_map(Value::from),
            prop::collection::vec((key.clone(), inner), 0..6)
                .prop_map(|members| Value::Object(Map::from_iter(members))),
        ]
    })
}

/// All the places in `value`, as paths.
fn places(value: &Value, at: &str, found: &mut Vec<String>) {
    found.push(at.to_owned());
    match value {
        Value::Object(map) => {
            for (key, inner) in map {
                places(inner, &format!("{at}/{key}"), found);
            }
        }
        Value::Array(items) => {
            for (index, inner) in items.iter().enumerate() {
                places(inner, &format!("{at}/{index}"), found);
            }
        }
        _ => {}
    }
}

proptest! {
    #[test]
    fn any_bytes(line in prop::collection::vec(any::<u8>(), 0..300)) {
        decode(&line);
    }

    #[test]
    fn any_value(value in any_json()) {
        round_trip(&value.to_string());
    }

    /// Every field of every message replaced by anything: nothing is lost, nothing panics.
    #[test]
    fn any_value_anywhere(
        which in any::<prop::sample::Index>(),
        place in any::<prop::sample::Index>(),
        odd in any_json(),
    ) {
        let messages = messages();
        let mut message = messages[which.index(messages.len())].clone();
        let mut all = Vec::new();
        places(&message, "", &mut all);
        *message.pointer_mut(&all[place.index(all.len())]).expect("a place in the message") = odd;
        round_trip(&message.to_string());
    }

    #[test]
    fn any_prefix(which in any::<prop::sample::Index>(), cut in any::<prop::sample::Index>()) {
        let messages = messages();
        let line = messages[which.index(messages.len())].to_string();
        let message = decode(&line.as_bytes()[..cut.index(line.len())]);
        prop_assert_eq!(message, Inbound::NotJson, "a cut line is no message");
    }
}

#[test]
fn the_tag_may_stand_anywhere() {
    for message in messages() {
        let Value::Object(map) = &message else { unreachable!() };
        for turn in 0..map.len() {
            let mut members: Vec<_> = map.iter().collect();
            members.rotate_left(turn);
            let members = members.iter().map(|(k, v)| format!("{}:{v}", Value::from(k.as_str())));
            let line = format!("{{{}}}", members.collect::<Vec<_>>().join(","));
            assert_eq!(round_trip(&line).tag(), message["type"].as_str());
        }
    }
}

#[test]
fn what_json_libraries_choke_on() {
    let result = |member: &str| {
        let line = format!(r#"{{"type":"result","subtype":"success","result":"a",{member}}}"#);
        match round_trip(&line) {
            Inbound::Result(result) => result,
            other => panic!("{line} gave {other:?}"),
        }
    };
    assert_eq!(result(r#""total_cost_usd":1e400"#).total_cost_usd, None);
    assert_eq!(result(r#""uuid":"\ud83d""#).uuid.as_deref(), Some("\u{fffd}"));
    assert_eq!(result(r#""result":"b""#).result.as_deref(), Some("b"), "the last one counts");
    let deep = format!(r#""x":{}1{}"#, "[".repeat(5000), "]".repeat(5000));
    assert!(result(&deep).extra.get("x").is_some());
    assert_eq!(result(r#""num_turns":99999999999999999999999"#).num_turns, None);
    assert!(matches!(decode(b"{\"type\":\"x\",\"a\":\"\xff\"}"), Inbound::Unknown(_)));
    assert_eq!(decode(b"[SandboxDebug] hello"), Inbound::NotJson);
    assert!(matches!(decode(b"[1]"), Inbound::Unknown(Unknown { tag: None, .. })));
}

#[test]
fn bytes_that_are_not_utf_8_cost_only_themselves() {
    for before in (0..=130).map(|count| "a".repeat(count)) {
        // Alone, at the end of a cut character, and instead of what should follow a backslash.
        for (bytes, expected) in [
            (&b"\xff"[..], Some("\u{fffd}")),
            (b"\\n\xf0\x9f\x98", Some("\n\u{fffd}")),
            (b"\xe2\x82\\n\xff\\\\", Some("\u{fffd}\n\u{fffd}\\")),
            (b"\\\xff", None),
        ] {
            let start = format!(r#"{{"type":"result","subtype":"success","result":"{before}"#);
            let line = [start.as_bytes(), bytes, b"z\"}"].concat();
            let expected = expected.map(|expected| format!("{before}{expected}z"));
            match decode(&line) {
                Inbound::Result(result) => assert_eq!(result.result, expected),
                other => assert_eq!((other, None), (Inbound::NotJson, expected)),
            }
        }
    }
}

#[test]
fn a_tag_that_says_two_things_is_unknown() {
    for line in [
        r#"{"type":"result","subtype":"success","type":"user"}"#,
        r#"{"type":"result","subtype":"success","type":5}"#,
        r#"{"type":"system","subtype":"status","subtype":"init"}"#,
    ] {
        assert!(!round_trip(line).is_known(), "{line}");
    }
    round_trip(
        r#"{"type":"assistant","message":{"content":[{"type":"text","text":"a","type":"x"}]}}"#,
    );
}

#[test]
fn a_line_is_one_line() {
    let raw = Raw::from_text("{\n \"a\" : \"b\\n\"\r\n}").expect("JSON");
    let line = encode_line(&raw).expect("JSON");
    assert_eq!(line.iter().filter(|byte| matches!(**byte, b'\n' | b'\r')).count(), 1);
    assert_eq!(line.last(), Some(&b'\n'));
}
