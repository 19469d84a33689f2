//! Where a conversation stands in its script.
//!
//! The same rule as for the scripted model: the last prompt that carries a script counts, and the
//! reply that is due is the number of answers since.

use std::collections::HashMap;

use serde_json::Value;

use super::Author;
use crate::script::{Reply, Script};

/// A conversation, main or of a subagent.
#[derive(Debug, Default)]
pub(super) struct Thread {
    script: Option<Script>,
    /// What is said when no prompt has brought a script, counted from the beginning.
    fallback: Option<Script>,
    /// Who writes a script for a prompt that has none.
    author: Option<Author>,
    answers: usize,
    /// A call was refused: the script ends otherwise.
    is_refused: bool,
    /// A prompt that joined the turn, and that the author has not answered yet.
    unheard: Option<String>,
    /// How often each error of a reply has been raised, by script, reply and place in it.
    raised: HashMap<(String, usize, usize), u32>,
}

impl Thread {
    /// A thread with somebody who writes what no prompt brings along.
    pub(super) fn by(author: Option<Author>) -> Self {
        Self { author, ..Self::default() }
    }

    /// The same after a prompt.
    pub(super) fn after(mut self, prompt: &str) -> Self {
        self.hear(prompt);
        self
    }

    /// Gives a thread that has no script one to fall back on.
    pub(super) fn or(mut self, fallback: Option<Script>) -> Self {
        self.fallback = fallback;
        self
    }

    /// Rebuilds a thread from the entries of a transcript.
    pub(super) fn replay(entries: &[Value], author: Option<Author>) -> Self {
        let mut thread = Self::by(author);
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
        let written = || self.author.filter(|_| !text.trim().is_empty()).map(|write| write(text));
        if let Some(script) = Script::find(text).or_else(written) {
            self.script = Some(script);
            self.answers = 0;
            self.is_refused = false;
        }
    }

    /// A prompt that joins a turn: an author answers it when the rest is said.
    pub(super) fn overhear(&mut self, text: &str) {
        self.unheard = self.author.map(|_| text.to_owned());
    }

    /// Whether there is more to be said, to a prompt that has joined the turn.
    pub(super) fn turn_to_unheard(&mut self) -> bool {
        let unheard = self.unheard.take();
        unheard.inspect(|text| self.hear(text)).is_some()
    }

    /// A call was refused.
    pub(super) fn refused(&mut self) {
        self.is_refused = self.script.as_ref().is_some_and(|script| script.refused.is_some());
    }

    /// The reply that is due; `None` when nothing is scripted.
    pub(super) fn reply(&self) -> Option<Reply> {
        let script = self.script.as_ref().or(self.fallback.as_ref())?;
        if self.is_refused {
            return script.refused.clone();
        }
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
        let mut thread = Thread::default().after("x\n#script\nsay a\n---\nsay b");
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
    fn an_author_writes_what_no_prompt_brings() {
        let author: Author = |text| Script::parse(&format!("say {text}!")).unwrap();
        let mut thread = Thread::by(Some(author)).after("ahoy");
        assert_eq!(due(&thread), Some(vec![Step::Say("ahoy!".to_owned())]));
        thread.overhear("more");
        assert!(thread.turn_to_unheard() && !thread.turn_to_unheard());
        assert_eq!(due(&thread), Some(vec![Step::Say("more!".to_owned())]));
        // What a prompt brings comes first.
        assert_eq!(due(&thread.after("#script\nsay b")), Some(vec![Step::Say("b".to_owned())]));
    }

    #[test]
    fn a_refusal_ends_a_script_that_provides_for_it() {
        let mut thread = Thread::default().after("#script\nsay a\n---\nsay b\n--- refused\nsay c");
        thread.answered();
        assert_eq!(due(&thread), Some(vec![Step::Say("b".to_owned())]));
        thread.refused();
        assert_eq!(due(&thread), Some(vec![Step::Say("c".to_owned())]));
        let mut other = Thread::default().after("#script\nsay a\n---\nsay b");
        other.refused();
        assert_eq!(due(&other), Some(vec![Step::Say("a".to_owned())]));
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
        assert_eq!(due(&Thread::replay(&entries, None)), Some(vec![Step::Say("c".to_owned())]));
    }

    #[test]
    fn faults_happen_as_often_as_they_should() {
        let mut thread = Thread::default().after("#script\nerror 529 x2\nsay a");
        assert_eq!([0; 4].map(|_| thread.raise(0, 2)), [true, true, false, false]);
        assert!(thread.raise(1, 1));
    }
}
