//! Where a conversation stands in its script.
//!
//! The same rule as for the scripted model: the last prompt that carries a script counts, and the
//! reply that is due is the number of answers since.

use std::collections::HashMap;

use serde_json::Value;

use crate::script::{Reply, Script};

/// A conversation, main or of a subagent.
#[derive(Debug, Default)]
pub(super) struct Thread {
    script: Option<Script>,
    /// What is said when no prompt has brought a script, counted from the beginning.
    fallback: Option<Script>,
    answers: usize,
    /// How often each error of a reply has been raised, by script, reply and place in it.
    raised: HashMap<(String, usize, usize), u32>,
}

impl Thread {
    /// A thread that begins with a prompt.
    pub(super) fn begun(prompt: &str) -> Self {
        let mut thread = Self::default();
        thread.hear(prompt);
        thread
    }

    /// Gives a thread that has no script one to fall back on.
    pub(super) fn or(mut self, fallback: Option<Script>) -> Self {
        self.fallback = fallback;
        self
    }

    /// Rebuilds a thread from the entries of a transcript.
    pub(super) fn replay(entries: &[Value]) -> Self {
        let mut thread = Self::default();
        let mut last_answer = None;
        for entry in entries {
            let message = &entry["message"];
            match entry["type"].as_str() {
                Some("user") => thread.hear(&text_of(&message["content"])),
                // One answer is one entry for each of its blocks.
                Some("assistant") if last_answer != message["id"].as_str() => {
                    last_answer = message["id"].as_str();
                    thread.answered();
                }
                _ => {}
            }
        }
        thread
    }

    /// A prompt: its script, if it has one, replaces the one before.
    pub(super) fn hear(&mut self, text: &str) {
        if let Some(script) = Script::find(text) {
            self.script = Some(script);
            self.answers = 0;
        }
    }

    /// The reply that is due; `None` when nothing is scripted.
    pub(super) fn reply(&self) -> Option<Reply> {
        let script = self.script.as_ref().or(self.fallback.as_ref())?;
        script.replies.get(self.answers).cloned()
    }

    /// The reply that was due has been given.
    pub(super) fn answered(&mut self) {
        self.answers += 1;
    }

    /// Whether the fault at `place` of the due reply happens now: it does `times` times.
    pub(super) fn raise(&mut self, place: usize, times: u32) -> bool {
        let source = self.script.as_ref().map(|script| script.source.clone());
        let raised =
            self.raised.entry((source.unwrap_or_default(), self.answers, place)).or_default();
        let happens = *raised < times;
        *raised = raised.saturating_add(1);
        happens
    }
}

/// The text of a message's content; tool results do not count.
pub(super) fn text_of(content: &Value) -> String {
    match content {
        Value::String(text) => text.clone(),
        Value::Array(blocks) => {
            let texts = blocks.iter().filter(|block| block["type"] == "text");
            texts.filter_map(|block| block["text"].as_str()).collect::<Vec<_>>().join("\n")
        }
        _ => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::script::Step;

    fn due(thread: &Thread) -> Option<Vec<Step>> {
        thread.reply().map(|reply| reply.steps)
    }

    #[test]
    fn replies_follow_one_another() {
        let mut thread = Thread::begun("x\n#script\nsay a\n---\nsay b");
        assert_eq!(due(&thread), Some(vec![Step::Say("a".to_owned())]));
        thread.answered();
        thread.hear("no script here");
        assert_eq!(due(&thread), Some(vec![Step::Say("b".to_owned())]));
        thread.answered();
        assert_eq!(due(&thread), None);
    }

    #[test]
    fn a_script_to_fall_back_on() {
        let mut thread = Thread::default().or(Script::parse("say a\n---\nsay b").ok());
        thread.hear("no script here");
        thread.answered();
        assert_eq!(due(&thread), Some(vec![Step::Say("b".to_owned())]));
        thread.hear("#script\nsay c");
        assert_eq!(due(&thread), Some(vec![Step::Say("c".to_owned())]));
    }

    #[test]
    fn a_transcript_tells_where_it_stood() {
        let assistant = |id: &str| json!({"type": "assistant", "message": {"id": id}});
        let entries = [
            json!({"type": "user", "message": {"content": "#script\nsay a\n---\nsay b\n---\nsay c"}}),
            assistant("m1"),
            assistant("m1"),
            json!({"type": "user", "message": {"content": [{"type": "tool_result", "content": "#script\nsay no"}]}}),
            assistant("m2"),
        ];
        assert_eq!(due(&Thread::replay(&entries)), Some(vec![Step::Say("c".to_owned())]));
    }

    #[test]
    fn faults_happen_as_often_as_they_should() {
        let mut thread = Thread::begun("#script\nerror 529 x2\nsay a");
        assert_eq!([0; 4].map(|_| thread.raise(0, 2)), [true, true, false, false]);
        assert!(thread.raise(1, 1));
    }
}
