//! Where a conversation stands in its script, read from the request alone.

use serde_json::Value;

use crate::script::Script;

/// A script and the number of the reply that is due.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Position {
    pub(super) script: Script,
    pub(super) reply: usize,
}

/// The last script among the user messages. Tool results do not count: a file that is read may hold
/// anything.
pub(super) fn locate(body: &Value) -> Option<Position> {
    let messages = body["messages"].as_array()?;
    let (at, script) = messages.iter().enumerate().rev().find_map(|(at, message)| {
        if message["role"] != "user" {
            return None;
        }
        Some((at, script_in(&message["content"])?))
    })?;
    Some(Position { script, reply: answers(&messages[at..]) })
}

/// Position in a script that the request does not carry: counted from the beginning of the
/// conversation.
pub(super) fn from_start(body: &Value, script: &Script) -> Position {
    let messages = body["messages"].as_array();
    Position { script: script.clone(), reply: answers(messages.map_or(&[], Vec::as_slice)) }
}

fn script_in(content: &Value) -> Option<Script> {
    match content {
        Value::String(text) => Script::find(text),
        Value::Array(blocks) => blocks
            .iter()
            .rev()
            .filter(|block| block["type"] == "text")
            .find_map(|block| Script::find(block["text"].as_str()?)),
        _ => None,
    }
}

fn answers(messages: &[Value]) -> usize {
    messages.iter().filter(|message| message["role"] == "assistant").count()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn the_last_script_and_the_answers_after_it() {
        let body = json!({"messages": [
            {"role": "user", "content": "#script\nsay a"},
            {"role": "assistant", "content": "a"},
            {"role": "user", "content": [
                {"type": "text", "text": "#script\nsay b\n---\nsay c"},
                {"type": "text", "text": "a reminder"},
            ]},
            {"role": "assistant", "content": "b"},
            {"role": "user", "content": [
                {"type": "tool_result", "tool_use_id": "t", "content": "#script\nsay not this"},
            ]},
        ]});
        let position = locate(&body).unwrap();
        assert_eq!(position.reply, 1);
        assert_eq!(position.script.source, "say b\n---\nsay c");
    }

    #[test]
    fn no_script_no_position() {
        assert_eq!(locate(&json!({"messages": [{"role": "user", "content": "hi"}]})), None);
        assert_eq!(locate(&json!({})), None);
    }
}
