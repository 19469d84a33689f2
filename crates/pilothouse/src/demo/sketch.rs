//! Scripts for the simulated Claude, written in Rust: texts and inputs need no quoting.

use pilothouse_sim::script::Script;
use serde_json::Value;

/// A script that is being written. Letters come at a pace that people can follow.
pub(super) struct Sketch(String);

/// Characters at a time, and milliseconds between them.
const CHUNK: usize = 7;
const PACE: u64 = 28;

impl Sketch {
    pub(super) fn new() -> Self {
        let mut sketch = Self(String::new());
        sketch.begin();
        sketch
    }

    fn begin(&mut self) {
        self.line(&format!("chunk {CHUNK}"));
        self.line(&format!("pace {PACE}"));
    }

    fn line(&mut self, line: &str) {
        self.0.push_str(line);
        self.0.push('\n');
    }

    /// Thinks.
    pub(super) fn think(mut self, text: &str) -> Self {
        self.line(&format!("think {}", Value::from(text)));
        self
    }

    /// Says something.
    pub(super) fn say(mut self, text: &str) -> Self {
        self.line(&format!("say {}", Value::from(text)));
        self
    }

    /// Calls a tool.
    pub(super) fn tool(mut self, name: &str, input: &Value) -> Self {
        self.line(&format!("tool {name} {input}"));
        self
    }

    /// The API fails so often, as an overloaded one does.
    pub(super) fn overloaded(mut self, times: u32) -> Self {
        self.line(&format!("error 529 x{times} overloaded_error"));
        self
    }

    /// What is said when the tools are done.
    pub(super) fn then(mut self) -> Self {
        self.line("---");
        self.begin();
        self
    }

    /// What is said when a call was refused, and nothing after that.
    pub(super) fn refused(mut self, text: &str) -> Script {
        self.line("--- refused");
        self.begin();
        self.say(text).done()
    }

    /// The script.
    pub(super) fn done(self) -> Script {
        Script::parse(&self.0).unwrap_or_else(|_| Script {
            replies: Vec::new(),
            refused: None,
            source: self.0,
        })
    }
}

#[cfg(test)]
mod tests {
    use pilothouse_sim::script::Step;
    use serde_json::json;

    use super::*;

    #[test]
    fn texts_and_inputs_come_out_as_they_went_in() {
        let odd = "two\nlines, \"quotes\", a \\ and\n---\n#end";
        let script = Sketch::new().say(odd).tool("Write", &json!({"content": odd})).then().say("x");
        let script = script.refused("no");
        assert_eq!((script.replies.len(), script.refused.is_some()), (2, true));
        let steps = &script.replies[0].steps;
        assert!(steps.contains(&Step::Say(odd.to_owned())), "{steps:?}");
        let written = Step::Tool { name: "Write".to_owned(), input: json!({"content": odd}) };
        assert!(steps.contains(&written), "{steps:?}");
    }
}
