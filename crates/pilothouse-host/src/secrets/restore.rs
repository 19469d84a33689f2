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
    if let Ok(suggestions) = serde_json::to_value(&approval.suggestions) {
        originals.note("updates", &suggestions);
    }
    if !originals.has_secret {
        return Ok(());
    }
    match decision {
        Decision::Allow { input, updates } => {
            if let Some(input) = input {
                originals.put_back("input", input)?;
            }
            if let Ok(mut value) = serde_json::to_value(&*updates) {
                originals.put_back("updates", &mut value)?;
                if let Ok(restored) = serde_json::from_value(value) {
                    *updates = restored;
                }
            }
            Ok(())
        }
        Decision::Plan { plan: Some(plan), .. } => originals.put_back_text("plan", plan),
        // Questions and choices are named by their texts; everything else is the user's own.
        Decision::Answers { answers, .. } => {
            for text in answers
                .iter_mut()
                .flat_map(|it| std::iter::once(&mut it.question).chain(&mut it.answers))
            {
                originals.choose(text)?;
            }
            Ok(())
        }
        Decision::Form { content: Some(content) } | Decision::Choose { result: content } => {
            originals.choose_in(content)
        }
        _ => Ok(()),
    }
}

/// The strings of a request that are shown otherwise than they are.
struct Originals<'k> {
    known: &'k Known,
    has_secret: bool,
    /// The distinct originals by the text that is shown.
    whole: BTreeMap<String, BTreeSet<String>>,
    /// By place. That of a list's entry has the list's length: where an entry was added or removed,
    /// the others may have moved.
    at: BTreeMap<String, Original>,
    all: BTreeSet<String>,
}

struct Original {
    shown: String,
    text: String,
    /// What each `[redacted]` stands for, in order.
    hidden: Vec<String>,
}

impl<'k> Originals<'k> {
    fn new(known: &'k Known) -> Self {
        let (whole, at, all) = (BTreeMap::new(), BTreeMap::new(), BTreeSet::new());
        Self { known, has_secret: false, whole, at, all }
    }

    fn note(&mut self, place: &str, value: &Value) {
        match value {
            Value::Object(fields) => {
                fields.iter().for_each(|(name, field)| self.note(&field_of(place, name), field));
            }
            Value::Array(entries) => {
                let places = entries_of(place, entries.len());
                places.zip(entries).for_each(|(place, entry)| self.note(&place, entry));
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
            let shown = self.known.redact(text).into_owned();
            self.whole.entry(shown.clone()).or_default().insert(text.to_owned());
            let original = Original { shown, text: text.to_owned(), hidden };
            self.at.insert(place.to_owned(), original);
        }
    }

    fn put_back(&self, place: &str, value: &mut Value) -> Result<(), String> {
        match value {
            Value::Object(fields) => fields
                .iter_mut()
                .try_for_each(|(name, field)| self.put_back(&field_of(place, name), field)),
            Value::Array(entries) => {
                let places = entries_of(place, entries.len());
                places.zip(entries).try_for_each(|(place, entry)| self.put_back(&place, entry))
            }
            Value::String(text) => self.put_back_text(place, text),
            _ => Ok(()),
        }
    }

    /// Replaces a text that was shown whole. Returns whether it was.
    fn choose(&self, text: &mut String) -> Result<bool, String> {
        let Some(originals) = self.whole.get(text) else { return Ok(false) };
        let only = originals.first().filter(|_| originals.len() == 1).ok_or_else(unclear)?;
        only.clone_into(text);
        Ok(true)
    }

    fn choose_in(&self, value: &mut Value) -> Result<(), String> {
        match value {
            Value::Object(fields) => {
                fields.values_mut().try_for_each(|field| self.choose_in(field))
            }
            Value::Array(entries) => entries.iter_mut().try_for_each(|entry| self.choose_in(entry)),
            Value::String(text) => self.choose(text).map(drop),
            _ => Ok(()),
        }
    }

    fn put_back_text(&self, place: &str, text: &mut String) -> Result<(), String> {
        let count = text.matches(REDACTED).count();
        if count == 0 {
            return Ok(());
        }
        let here = self.at.get(place);
        if let Some(unchanged) = here.filter(|here| here.shown == *text) {
            unchanged.text.clone_into(text);
            return Ok(());
        }
        if self.choose(text)? {
            return Ok(());
        }
        let only = self.all.first().filter(|_| self.all.len() == 1);
        let here = here.filter(|here| here.hidden.len() == count);
        let hidden: Vec<&String> = match (only, here) {
            (Some(only), _) => vec![only; count],
            (None, Some(here)) => here.hidden.iter().collect(),
            (None, None) => return Err(unclear()),
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

fn field_of(place: &str, name: &str) -> String {
    format!("{place}/{name:?}")
}

fn entries_of(place: &str, length: usize) -> impl Iterator<Item = String> {
    (0..length).map(move |index| format!("{place}/{index} of {length}"))
}

fn unclear() -> String {
    format!(
        "`{REDACTED}` stands for several secrets here, and it is not clear which one is meant: \
         leave each where it was, or deny the request and say what to change"
    )
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
    fn fields_that_look_the_same_keep_their_own_secrets() {
        let original = json!({"a": ONE, "b": TWO, "c": "x", "d": [ONE, TWO]});
        let shown = json!("[redacted]");
        let edited = json!({"a": shown, "b": shown, "c": "y", "d": [shown, shown]});
        let expected = json!({"a": ONE, "b": TWO, "c": "y", "d": [ONE, TWO]});
        assert_eq!(edit(original.clone(), edited), Ok(expected));
        // The field is new, or the entries of the list have moved.
        for edited in
            [json!({"e": shown}), json!({"d": [shown]}), json!({"d": ["y", shown, shown]})]
        {
            let error = edit(original.clone(), edited).unwrap_err();
            assert!(error.contains("not clear which one"), "{error}");
        }
        // Another place, but only one field looked like that.
        let original = json!({"a": ONE, "b": format!("b={TWO}")});
        let expected = json!({"c": format!("b={TWO}")});
        assert_eq!(edit(original, json!({"c": "b=[redacted]"})), Ok(expected));
    }

    #[test]
    fn names_of_fields_do_not_make_other_places() {
        let original = json!({"a/b": ONE, "a": {"b": TWO}});
        let edited = json!({"a/b": "[redacted]", "a": {"b": "[redacted]"}, "c": 1});
        let expected = json!({"a/b": ONE, "a": {"b": TWO}, "c": 1});
        assert_eq!(edit(original, edited), Ok(expected));
    }

    #[test]
    fn rejects_a_choice_that_could_be_either() {
        let secrets = Secrets::default();
        secrets.register(ONE).unwrap();
        secrets.register(TWO).unwrap();
        let content = Some(json!({"choices": [ONE, TWO]}));
        let dialog = asked(Subject::Dialog { dialog: "pick".to_owned(), content });
        let mut decision = Decision::Choose { result: json!("[redacted]") };
        let error = restore(&mut decision, &dialog, &secrets.known()).unwrap_err();
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
