//! Takes the CLI's own prose out of a transcript: its descriptions, prompts and messages are not
//! ours to publish.
//!
//! Nothing is listed by name, so that a new text cannot slip through. A text stays if
//!
//! * it is one word: a name, an id, a path, a word of the protocol; or
//! * it is ours: it stands, line by line and but for signs around it, in what the host wrote or the
//!   script made the model say; or
//! * nothing but digits and signs is left when all that is ours is taken out, as with the lines of
//!   a file that were numbered.
//!
//! Of everything else only the tags stay that a text begins with or that come after ours, because
//! hosts look for them; the text between them becomes [`PLACEHOLDER`].

use super::json::{Json, Leaf};
use crate::answer::DEFAULT_TEXT;
use crate::script::{Script, Step};

/// What stands where the CLI said something.
pub const PLACEHOLDER: &str = "<text>";

/// The longest word that is taken for a name.
const LONGEST_WORD: usize = 300;

/// The texts that are ours.
#[derive(Debug, Default)]
pub struct Own {
    texts: Vec<String>,
    /// The longest first.
    fragments: Vec<String>,
}

impl Own {
    /// A text that we wrote, and everything a script in it makes the model say.
    pub fn add(&mut self, text: &str) {
        if self.texts.iter().any(|known| known == text) {
            return;
        }
        self.texts.push(text.to_owned());
        self.fragment(text);
        text.lines().for_each(|line| self.fragment(line));
        let steps = Script::find(text).into_iter().flat_map(|script| script.replies);
        let mut block = String::new();
        for step in steps.flat_map(|reply| reply.steps) {
            match step {
                Step::Say(text) | Step::Think(text) => {
                    self.add(&text);
                    block = text;
                }
                Step::More(text) => {
                    block.push_str(&text);
                    self.add(&block);
                }
                Step::Tool { input, .. } => self.add_value(&input),
                Step::ServerTool { input, result, .. } => {
                    self.add_value(&input);
                    self.add_value(&result);
                }
                Step::Error(error) => self.add(&error.message),
                _ => {}
            }
        }
    }

    fn add_value(&mut self, value: &serde_json::Value) {
        if let Ok(json) = serde_json::from_value::<Json>(value.clone()) {
            self.add_line(&json);
        }
        // As it is streamed.
        self.add(&value.to_string());
    }

    /// All texts of a line that the host wrote.
    pub fn add_line(&mut self, line: &Json) {
        let mut texts = Vec::new();
        line.each_text("", &mut |_, text| texts.push(text.to_owned()));
        texts.iter().for_each(|text| self.add(text));
    }

    fn fragment(&mut self, text: &str) {
        let text = text.trim();
        let escaped = serde_json::to_string(text).unwrap_or_default();
        for form in [text, escaped.trim_matches('"')] {
            if form.len() > 1 && !self.fragments.iter().any(|known| known == form) {
                self.fragments.push(form.to_owned());
            }
        }
        self.fragments.sort_by_key(|fragment| std::cmp::Reverse(fragment.len()));
    }

    fn is_ours(&self, text: &str) -> bool {
        self.is_part_of_ours(text)
            || text.lines().all(|line| self.is_part_of_ours(line))
            || self.is_made_of_ours(text)
    }

    fn is_part_of_ours(&self, text: &str) -> bool {
        // A permission rule is the beginning of our command with a star after it.
        let core = text.trim_matches(|c: char| !c.is_alphanumeric());
        text.trim() == DEFAULT_TEXT || self.texts.iter().any(|own| own.contains(core))
    }

    fn is_made_of_ours(&self, text: &str) -> bool {
        let mut rest = text.to_owned();
        for fragment in &self.fragments {
            rest = without(&rest, fragment);
            if !is_said(&rest) {
                return true;
            }
        }
        !is_said(&rest)
    }

    /// Replaces in a line of the CLI what is not ours.
    pub fn scrub(&self, line: &mut Json) {
        line.each_mut("", &mut |_, leaf| {
            if let Leaf::Text(text) = leaf
                && !self.may_stay(text)
            {
                *text = self.between_tags(text);
            }
        });
    }

    fn may_stay(&self, text: &str) -> bool {
        let word = !text.contains(char::is_whitespace) && text.len() <= LONGEST_WORD;
        word || self.is_ours(text)
    }

    fn between_tags(&self, text: &str) -> String {
        let mut out = String::new();
        let mut rest = text;
        while let Some((at, end)) = next_tag(rest, text) {
            let before = &rest[..at];
            // What begins with prose is prose; tags in it are examples.
            let begins = out.is_empty() && !before.trim().is_empty();
            if begins && !self.is_ours(before) {
                return PLACEHOLDER.to_owned();
            }
            out.push_str(&self.said(before));
            out.push_str(&rest[at..end]);
            rest = &rest[end..];
        }
        out.push_str(&self.said(rest));
        out
    }

    fn said(&self, text: &str) -> String {
        let core = text.trim();
        if core.is_empty() || self.may_stay(core) {
            return text.to_owned();
        }
        let (before, after) = text.split_at(text.len() - text.trim_start().len());
        format!("{before}{PLACEHOLDER}{}", &after[core.len()..])
    }
}

/// Whether there are words in it.
fn is_said(text: &str) -> bool {
    let mut letters = 0;
    text.chars().any(|c| {
        letters = if c.is_alphabetic() { letters + 1 } else { 0 };
        letters > 1
    })
}

/// `text` without `fragment`, where it stands as whole words.
fn without(text: &str, fragment: &str) -> String {
    let (first, last) = (fragment.chars().next(), fragment.chars().next_back());
    let joined = |a: Option<char>, b: Option<char>| {
        a.is_some_and(char::is_alphanumeric) && b.is_some_and(char::is_alphanumeric)
    };
    let mut out = String::new();
    let mut rest = text;
    while let Some(at) = rest.find(fragment) {
        let end = at + fragment.len();
        let inside = joined(rest[..at].chars().next_back(), first)
            || joined(last, rest[end..].chars().next());
        out.push_str(&rest[..if inside { end } else { at }]);
        if !inside {
            out.push(' ');
        }
        rest = &rest[end..];
    }
    out.push_str(rest);
    out
}

/// Where the next `<tag>` or `</tag>` stands, of those that come as a pair in `whole`.
fn next_tag(text: &str, whole: &str) -> Option<(usize, usize)> {
    text.match_indices('<').find_map(|(at, _)| {
        let inner = &text[at + 1..];
        let end = inner.find('>')?;
        let name = inner[..end].strip_prefix('/').unwrap_or(&inner[..end]);
        let named = name.starts_with(|c: char| c.is_ascii_alphabetic())
            && name.bytes().all(|b| b.is_ascii_alphanumeric() || b"-_".contains(&b));
        let paired =
            || whole.contains(&format!("<{name}>")) && whole.contains(&format!("</{name}>"));
        (named && paired()).then_some((at, at + 1 + end + 1))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn scrubbed(own: &[&str], text: &str) -> String {
        let mut ours = Own::default();
        own.iter().for_each(|text| ours.add(text));
        let mut line = Json::Object(vec![("said".to_owned(), Json::Text(text.to_owned()))]);
        ours.scrub(&mut line);
        let once = line.clone();
        ours.scrub(&mut line);
        assert_eq!(once, line, "scrubbing twice changes nothing");
        line.get("said").and_then(Json::as_str).unwrap().to_owned()
    }

    #[test]
    fn words_stay_and_sentences_go() {
        for word in ["acceptEdits", "/project/a.txt", "claude-x-1", "", "PreToolUse:Write"] {
            assert_eq!(scrubbed(&[], word), word);
        }
        for sentence in ["The file was not found.", "Total cost:  $0", "two words"] {
            assert_eq!(scrubbed(&["file", "was", "one"], sentence), PLACEHOLDER);
        }
        assert_eq!(scrubbed(&[], &"x".repeat(LONGEST_WORD + 1)), PLACEHOLDER);
    }

    #[test]
    fn what_the_script_says_stays() {
        let prompt = "Do it.\n#script\nsay Good morning\nhold h\nmore \" to you all.\"\ntool Write {\"content\":\"one line\\ntwo \\\"lines\\\"\\n\"}\n#end";
        for text in [
            "Good morning to you all.",
            "morning to you",
            "one line\ntwo \"lines\"\n",
            "     1\u{2192}one line\n     2\u{2192}two \"lines\"\n",
            "{\"content\":\"one line\\ntwo \\\"lines\\\"\\n\"}",
            "+one line",
            "Good morning *",
            "to you\n\nGood morning",
        ] {
            assert_eq!(scrubbed(&[prompt], text), text);
        }
    }

    #[test]
    fn ours_in_a_sentence_of_theirs_goes_with_it() {
        assert_eq!(scrubbed(&["one line"], "It wrote one line to disk"), PLACEHOLDER);
    }

    #[test]
    fn a_script_in_a_script_is_ours() {
        let inner = "Count.\\n#script\\nsay It was seven.\\n#end";
        let prompt = format!("#script\ntool Agent {{\"prompt\":\"{inner}\"}}\n#end");
        assert_eq!(scrubbed(&[&prompt], "It was seven."), "It was seven.");
    }

    #[test]
    fn tags_stay() {
        assert_eq!(
            scrubbed(
                &["kept as it is"],
                "<tool_use_error>No such thing.</tool_use_error>\n<a>kept as it is</a>"
            ),
            "<tool_use_error><text></tool_use_error>\n<a>kept as it is</a>"
        );
        assert_eq!(scrubbed(&[], "<note>\nwrite <name> here\n</note>"), "<note>\n<text>\n</note>");
        assert_eq!(scrubbed(&[], "a < b and c > d"), PLACEHOLDER);
        assert_eq!(scrubbed(&[], "Write <b>like this</b> only."), PLACEHOLDER);
    }
}
