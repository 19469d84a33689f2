//! Puts secrets back into what a client has edited.
//!
//! Clients are shown `[redacted]` in the input of a request, and may send that input back with
//! changes. The CLI must get the original, not the replacement.

use std::collections::{BTreeMap, BTreeSet};

use pilothouse_session::approval::{Approval, Decision, Subject};
use serde_json::Value;

use super::known::{Known, REDACTED};

/// Replaces `[redacted]` in a decision by what stands there in the request. Fails where it is not
/// clear which of several secrets is meant.
pub(crate) fn restore(
    decision: &mut Decision,
    approval: &Approval,
    known: &Known,
) -> Result<(), String> {
    let mut originals = Originals::new(known);
    match &approval.subject {
        Subject::Tool { input, .. } => originals.note("input", input),
        Subject::Plan { plan: Some(plan), .. } => originals.note_text("plan", plan),
        Subject::Question { questions } => {
            serde_json::to_value(questions).iter().for_each(|it| originals.note("questions", it));
        }
        Subject::Elicitation { schema: Some(content), .. }
        | Subject::Dialog { content: Some(content), .. } => originals.note("content", content),
        _ => {}
    }
    for (index, suggestion) in approval.suggestions.iter().enumerate() {
        if let Ok(value) = serde_json::to_value(suggestion) {
            originals.note(&format!("updates/{index}"), &value);
        }
    }
    if !originals.has_secret {
        return Ok(());
    }
    match decision {
        Decision::Allow { input, updates } => {
            if let Some(input) = input {
                originals.put_back("input", input)?;
            }
            for (index, update) in updates.iter_mut().enumerate() {
                let Ok(mut value) = serde_json::to_value(&*update) else { continue };
                originals.put_back(&format!("updates/{index}"), &mut value)?;
                if let Ok(restored) = serde_json::from_value(value) {
                    *update = restored;
                }
            }
            Ok(())
        }
        Decision::Plan { plan: Some(plan), .. } => originals.put_back_text("plan", plan),
        // Questions and choices are named by their texts; everything else is the user's own.
        Decision::Answers { answers, .. } => {
            for reply in answers {
                originals.choose(&mut reply.question);
                reply.answers.iter_mut().for_each(|answer| originals.choose(answer));
            }
            Ok(())
        }
        Decision::Form { content: Some(content) } | Decision::Choose { result: content } => {
            originals.choose_in(content);
            Ok(())
        }
        _ => Ok(()),
    }
}

/// The strings of a request that are shown otherwise than they are.
struct Originals<'k> {
    known: &'k Known,
    has_secret: bool,
    /// By the text that is shown.
    whole: BTreeMap<String, String>,
    /// By place: what each `[redacted]` stands for, in order.
    at: BTreeMap<String, Vec<String>>,
    all: BTreeSet<String>,
}

impl<'k> Originals<'k> {
    fn new(known: &'k Known) -> Self {
        let (whole, at, all) = (BTreeMap::new(), BTreeMap::new(), BTreeSet::new());
        Self { known, has_secret: false, whole, at, all }
    }

    fn note(&mut self, place: &str, value: &Value) {
        match value {
            Value::Object(fields) => {
                fields
                    .iter()
                    .for_each(|(name, field)| self.note(&format!("{place}/{name}"), field));
            }
            Value::Array(entries) => {
                let entries = entries.iter().enumerate();
                entries.for_each(|(index, entry)| self.note(&format!("{place}/{index}"), entry));
            }
            Value::String(text) => self.note_text(place, text),
            _ => {}
        }
    }

    fn note_text(&mut self, place: &str, text: &str) {
        let spans = self.known.spans(text.as_bytes());
        let (mut hidden, mut done) = (Vec::new(), 0);
        // The text may have `[redacted]` of its own.
        let own = |part: &str| part.matches(REDACTED).map(str::to_owned).collect::<Vec<_>>();
        for (start, end) in &spans {
            hidden.extend(own(&text[done..*start]));
            hidden.push(text[*start..*end].to_owned());
            done = *end;
        }
        hidden.extend(own(&text[done..]));
        self.has_secret |= !spans.is_empty();
        if !hidden.is_empty() {
            self.all.extend(hidden.iter().cloned());
            self.whole.insert(self.known.redact(text).into_owned(), text.to_owned());
            self.at.insert(place.to_owned(), hidden);
        }
    }

    fn put_back(&self, place: &str, value: &mut Value) -> Result<(), String> {
        match value {
            Value::Object(fields) => fields
                .iter_mut()
                .try_for_each(|(name, field)| self.put_back(&format!("{place}/{name}"), field)),
            Value::Array(entries) => entries
                .iter_mut()
                .enumerate()
                .try_for_each(|(index, entry)| self.put_back(&format!("{place}/{index}"), entry)),
            Value::String(text) => self.put_back_text(place, text),
            _ => Ok(()),
        }
    }

    /// Replaces a text that was shown whole.
    fn choose(&self, text: &mut String) {
        if let Some(original) = self.whole.get(text) {
            original.clone_into(text);
        }
    }

    fn choose_in(&self, value: &mut Value) {
        match value {
            Value::Object(fields) => fields.values_mut().for_each(|field| self.choose_in(field)),
            Value::Array(entries) => entries.iter_mut().for_each(|entry| self.choose_in(entry)),
            Value::String(text) => self.choose(text),
            _ => {}
        }
    }

    fn put_back_text(&self, place: &str, text: &mut String) -> Result<(), String> {
        let count = text.matches(REDACTED).count();
        if count == 0 {
            return Ok(());
        }
        if let Some(original) = self.whole.get(text) {
            original.clone_into(text);
            return Ok(());
        }
        let only = self.all.first().filter(|_| self.all.len() == 1);
        let here = self.at.get(place).filter(|hidden| hidden.len() == count);
        let hidden: Vec<&String> = match (only, here) {
            (Some(only), _) => vec![only; count],
            (None, Some(here)) => here.iter().collect(),
            (None, None) => {
                return Err(format!(
                    "`{REDACTED}` stands for several secrets here, and it is not clear which one \
                     is meant: leave each where it was, or deny the request and say what to change"
                ));
            }
        };
        let mut out = String::with_capacity(text.len());
        let mut hidden = hidden.into_iter();
        for (index, part) in text.split(REDACTED).enumerate() {
            if index > 0 {
                out.push_str(hidden.next().map_or(REDACTED, String::as_str));
            }
            out.push_str(part);
        }
        *text = out;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use pilothouse_session::approval::{PlanChoice, QuestionReply};
    use pilothouse_session::id::ApprovalId;
    use serde_json::json;

    use super::super::Secrets;
    use super::*;

    const ONE: &str = "first-secret-value";
    const TWO: &str = "other-secret-value";

    fn asked(subject: Subject) -> Approval {
        Approval {
            approval: ApprovalId(1),
            tool_call_id: None,
            agent_id: None,
            subject,
            title: None,
            reason: None,
            suggestions: Vec::new(),
            blocked_path: None,
            default_to_no: false,
            requires_user_interaction: false,
            policy: None,
        }
    }

    fn tool(input: Value) -> Approval {
        let payload =
            serde_json::from_value(json!({"kind": "generic", "name": "Bash", "input": {}}));
        let payload = Box::new(payload.unwrap_or_else(|error| panic!("{error}")));
        asked(Subject::Tool { tool_name: "Bash".to_owned(), input, payload })
    }

    /// Sends an input back that was edited.
    fn edit(original: Value, edited: Value) -> Result<Value, String> {
        let secrets = Secrets::default();
        secrets.register(ONE).unwrap();
        secrets.register(TWO).unwrap();
        let mut decision = Decision::Allow { input: Some(edited), updates: Vec::new() };
        restore(&mut decision, &tool(original), &secrets.known())?;
        match decision {
            Decision::Allow { input: Some(input), .. } => Ok(input),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn what_was_not_edited_comes_back_as_it_was() {
        let original = json!({"content": format!("a={ONE}\nb={TWO}"), "path": "x"});
        let edited = json!({"content": "a=[redacted]\nb=[redacted]", "path": "y"});
        let expected = json!({"content": format!("a={ONE}\nb={TWO}"), "path": "y"});
        assert_eq!(edit(original, edited), Ok(expected));
    }

    #[test]
    fn edited_text_gets_the_secrets_of_its_place() {
        let original = json!({"content": format!("a={ONE}\nb={TWO} [redacted]")});
        let edited = json!({"content": "# new\na=[redacted]\nb=[redacted] [redacted]"});
        let expected = json!({"content": format!("# new\na={ONE}\nb={TWO} [redacted]")});
        assert_eq!(edit(original, edited), Ok(expected));
        // Only one secret can be meant, wherever it went.
        let original = json!({"content": format!("a={ONE}")});
        let edited = json!({"content": "b=[redacted]\nc=[redacted]", "more": "[redacted]"});
        let expected = json!({"content": format!("b={ONE}\nc={ONE}"), "more": ONE});
        assert_eq!(edit(original, edited), Ok(expected));
    }

    #[test]
    fn rejects_text_that_could_mean_either_secret() {
        let original = json!({"content": format!("a={ONE}\nb={TWO}")});
        let error = edit(original, json!({"content": "b=[redacted]"})).unwrap_err();
        assert!(error.contains("not clear which one"), "{error}");
    }

    #[test]
    fn text_without_secrets_stays() {
        let text = json!({"content": "prints [redacted]"});
        assert_eq!(edit(json!({"content": "x"}), text.clone()), Ok(text));
    }

    #[test]
    fn an_answer_names_the_question_that_was_asked() {
        let secrets = Secrets::default();
        secrets.register(ONE).unwrap();
        let question = json!([{
            "question": format!("Use {ONE}?"), "header": "Key", "multi_select": false,
            "options": [{"label": format!("Yes, {ONE}"), "description": "x"}],
        }]);
        let questions = serde_json::from_value(question).unwrap();
        let reply = |question: String, answer: String| {
            let reply = QuestionReply { question, answers: vec![answer], notes: None };
            Decision::Answers { answers: vec![reply], response: None }
        };
        let mut decision = reply("Use [redacted]?".to_owned(), "Yes, [redacted]".to_owned());
        restore(&mut decision, &asked(Subject::Question { questions }), &secrets.known()).unwrap();
        assert_eq!(decision, reply(format!("Use {ONE}?"), format!("Yes, {ONE}")));
    }

    #[test]
    fn an_edited_plan_gets_its_secret_back() {
        let secrets = Secrets::default();
        secrets.register(ONE).unwrap();
        let plan = Some(format!("1. use {ONE}"));
        let plan = asked(Subject::Plan { plan, file_path: None });
        let choice = PlanChoice::AcceptEdits;
        let edited = Some("1. use [redacted]\n2. test".to_owned());
        let mut decision = Decision::Plan { choice, plan: edited, feedback: None };
        restore(&mut decision, &plan, &secrets.known()).unwrap();
        let expected = Some(format!("1. use {ONE}\n2. test"));
        assert_eq!(decision, Decision::Plan { choice, plan: expected, feedback: None });
    }
}
