//! What models, tools and files say reaches clients as data, and as nothing else.

use pilothouse_host::http::ws::SocketTerms;
use serde_json::{Value, json};

use super::bed::{Bed, script};
use super::place::{Place, bearer, listen};

/// Markup, a terminal's escapes, text that turns around, and what would end a line of a stream.
const NASTY: &str = "</script><script>alert(1)</script><img src=x onerror=alert(1)>\u{1b}[2J\u{1b}]0;t\u{7}\
    \u{202e}gpj.exe\u{2066}\r\n\r\nevent: live\r\ndata: {\"seq\":1}\n\ndata: x\rid: 99\r\u{2028}\u{2029}\u{85}\0]]>--> \"}]}";

/// The events of a stream, as a browser would take it apart.
pub(crate) fn parse(body: &str) -> Vec<(String, Option<String>, Value)> {
    // As the standard has it: lines end with CR LF, LF or CR.
    let text = body.replace("\r\n", "\n").replace('\r', "\n");
    let mut events = Vec::new();
    let (mut name, mut id, mut data) = (None, None, Vec::new());
    for line in text.lines() {
        match line.split_once(':') {
            Some(("event", value)) => name = Some(value.trim_start().to_owned()),
            Some(("id", value)) => id = Some(value.trim_start().to_owned()),
            Some(("data", value)) => data.push(value.strip_prefix(' ').unwrap_or(value).to_owned()),
            Some(("", _)) => {}
            Some(other) => panic!("a field that nobody has sent: {other:?}"),
            None if line.is_empty() => {
                if let Some(name) = name.take() {
                    let data: Value = serde_json::from_str(&data.join("\n")).unwrap();
                    events.push((name, id.take(), data));
                }
                data.clear();
            }
            None => panic!("a field that nobody has sent: {line:?}"),
        }
    }
    events
}

#[tokio::test]
async fn nothing_that_is_said_gets_out_of_its_string() {
    let bed = Bed::new();
    let place = Place::open(&bed, SocketTerms::default()).await;
    let session = bed.session(&place.host).await.to_string();
    // A file whose name is as bad as a file's name can be, and what a tool writes.
    let name = NASTY.replace(['/', '\0'], "_");
    std::fs::write(bed.path("work").join(&name), NASTY).unwrap();
    let read = json!({"file_path": bed.path("work").join(&name)});
    let lines = format!(
        "think {nasty}\nsay {nasty}\ntool Read {read}\ntool Bash {{\"command\":\"ls; cat <*\"}}\n---\nsay {nasty}",
        nasty = json!(NASTY),
    );
    let mut socket = place.socket().await;
    socket.subscribe(&session, 0).await.unwrap();
    let content = format!("{NASTY}\n{}", script(&lines));
    let mut seen = Vec::new();
    let said = socket.ask(&session, json!({"do": "prompt", "content": content})).await.unwrap();
    assert!(said["problem"].is_null(), "{said}");
    'turn: loop {
        let message = socket.next().await.unwrap();
        for event in message["events"].as_array().into_iter().flatten() {
            if event["type"] == "approval_requested" {
                let allow = json!({"do": "decide", "approval": event["approval"], "decision": {"kind": "allow"}});
                socket.command(&session, allow).await.unwrap();
            }
            seen.push(event.clone());
            if event["type"] == "complete" {
                break 'turn;
            }
        }
    }
    let texts: Vec<_> = seen.iter().filter(|event| event["type"] == "message").collect();
    assert_eq!(texts.len(), 2);
    assert!(texts.iter().all(|event| event["text"] == NASTY), "{texts:?}");
    let title = |event: &&Value| event["type"] == "tool_call" && event["tool_name"] == "Read";
    assert!(seen.iter().any(|event| title(&event)));

    let start = format!("GET /api/v1/sessions/{session}/stream");
    let end = "\"type\":\"complete\"";
    let (answer, _stream) = listen(&place.address, &start, &[bearer(&place.token)], end).await;
    assert_eq!(answer.status, 200);
    assert_eq!(answer.header("content-type"), Some("text/event-stream"));
    answer.is_dressed();
    let told = parse(&answer.body);
    let names = ["event", "delta", "live", "lagged"];
    assert!(told.iter().all(|(name, ..)| names.contains(&name.as_str())), "{told:?}");
    let events: Vec<_> = told.iter().filter(|(name, ..)| name == "event").collect();
    for (number, ((_, id, data), seen)) in events.iter().zip(&seen).enumerate() {
        assert_eq!(id.as_deref(), Some(&*(number + 1).to_string()));
        assert_eq!(data, seen, "the same over both ways");
    }
    assert!(events.len() + 1 >= seen.len(), "{} {}", events.len(), seen.len());
    // Nothing that a terminal would obey, in whatever shape it is looked at.
    assert!(!answer.body.contains('\u{1b}') && !answer.body.contains('\0'));
    place.close().await;
}
