//! Prompts and the queue they wait in.

use std::collections::VecDeque;

use serde_json::Value;
use uuid::Uuid;

use super::thread::text_of;

/// A prompt of the host.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Prompt {
    pub(super) uuid: String,
    /// The host gave it an id, and so hears of its fate.
    pub(super) is_stamped: bool,
    pub(super) content: Value,
    pub(super) is_urgent: bool,
    /// Whether an answer is wanted.
    pub(super) queries: bool,
}

impl Prompt {
    /// From a `user` frame.
    pub(super) fn read(frame: &Value) -> Self {
        let uuid = frame["uuid"].as_str();
        Self {
            uuid: uuid.map_or_else(|| Uuid::new_v4().to_string(), str::to_owned),
            is_stamped: uuid.is_some(),
            content: frame["message"]["content"].clone(),
            is_urgent: frame["priority"] == "now",
            queries: frame["shouldQuery"] != false,
        }
    }

    pub(super) fn text(&self) -> String {
        text_of(&self.content)
    }

    /// The command and its arguments, if this is a slash command.
    pub(super) fn command(&self) -> Option<(String, String)> {
        let text = self.text();
        let command = text.strip_prefix('/')?;
        let (name, args) = command.split_once(char::is_whitespace).unwrap_or((command, ""));
        Some((name.to_owned(), args.trim().to_owned()))
    }

    /// Whether it can share a turn with other prompts.
    fn mixes(&self) -> bool {
        self.queries && self.command().is_none()
    }
}

/// Prompts that wait for their turn.
#[derive(Debug, Default)]
pub(super) struct Queue {
    waiting: VecDeque<Prompt>,
}

impl Queue {
    /// An urgent prompt overtakes the others.
    pub(super) fn push(&mut self, prompt: Prompt) {
        if prompt.is_urgent {
            self.waiting.push_front(prompt);
        } else {
            self.waiting.push_back(prompt);
        }
    }

    /// The prompts of the next turn: one, or all that can share it.
    pub(super) fn next_turn(&mut self) -> Vec<Prompt> {
        let alone = |prompt: &Prompt| !prompt.mixes() || prompt.is_urgent;
        if self.waiting.front().is_some_and(alone) {
            return self.waiting.pop_front().into_iter().collect();
        }
        let together = self.waiting.iter().take_while(|prompt| prompt.mixes()).count();
        self.waiting.drain(..together).collect()
    }

    /// The prompts that can join a turn that is running.
    pub(super) fn fold(&mut self) -> Vec<Prompt> {
        let together = self.waiting.iter().take_while(|prompt| prompt.mixes()).count();
        self.waiting.drain(..together).collect()
    }

    /// Takes a prompt out, if it still waits.
    pub(super) fn cancel(&mut self, uuid: &str) -> Option<Prompt> {
        let at = self.waiting.iter().position(|prompt| prompt.uuid == uuid)?;
        self.waiting.remove(at)
    }

    pub(super) fn drain(&mut self) -> Vec<Prompt> {
        self.waiting.drain(..).collect()
    }

    pub(super) fn stamped(&self) -> Vec<String> {
        let stamped = self.waiting.iter().filter(|prompt| prompt.is_stamped);
        stamped.map(|prompt| prompt.uuid.clone()).collect()
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn prompt(text: &str) -> Prompt {
        Prompt::read(&json!({"uuid": text, "message": {"content": text}}))
    }

    fn texts(prompts: &[Prompt]) -> Vec<String> {
        prompts.iter().map(Prompt::text).collect()
    }

    #[test]
    fn prompts_that_wait_share_a_turn_and_commands_do_not() {
        let mut queue = Queue::default();
        for text in ["a", "b", "/clear", "c"] {
            queue.push(prompt(text));
        }
        assert_eq!(queue.stamped().len(), 4);
        assert_eq!(texts(&queue.next_turn()), ["a", "b"]);
        assert_eq!(texts(&queue.fold()), Vec::<String>::new());
        assert_eq!(texts(&queue.next_turn()), ["/clear"]);
        assert_eq!(texts(&queue.next_turn()), ["c"]);
        assert!(queue.next_turn().is_empty());
    }

    #[test]
    fn a_prompt_can_be_taken_back_while_it_waits() {
        let mut queue = Queue::default();
        queue.push(prompt("a"));
        queue.push(prompt("b"));
        assert!(queue.cancel("b").is_some());
        assert!(queue.cancel("b").is_none());
        assert_eq!(texts(&queue.drain()), ["a"]);
    }

    #[test]
    fn urgent_prompts_run_first_and_alone() {
        let mut queue = Queue::default();
        queue.push(prompt("a"));
        queue.push(Prompt { is_urgent: true, ..prompt("now") });
        assert_eq!(texts(&queue.next_turn()), ["now"]);
    }

    #[test]
    fn commands() {
        assert_eq!(
            prompt("/compact keep x").command(),
            Some(("compact".to_owned(), "keep x".to_owned()))
        );
        assert_eq!(prompt("no /command").command(), None);
        assert!(!Prompt::read(&json!({"message": {"content": "x"}})).is_stamped);
    }
}
