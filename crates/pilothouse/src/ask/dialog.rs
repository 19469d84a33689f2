//! From a request and lines of text to a decision.
//!
//! Nothing is allowed by an empty line, and where "no" should be preselected, "yes" has to be
//! written out.

use pilothouse_session::approval::{
    Approval, Decision, PlanChoice, QuestionReply, Subject, Suggestion,
};
use pilothouse_session::tool::AskedQuestion;
use serde_json::{Map, Value};

use super::form::{Field, fields};
use super::rules::sentence;
use crate::view::{DIM, Line, WARN, opening, options};

/// What came of a line.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Step {
    /// More is needed: show this, then ask again.
    More(Vec<Line>),
    /// It is decided.
    Decide(Box<Decision>),
}

/// A request that is being answered.
#[derive(Clone, Debug)]
pub(crate) struct Dialog {
    approval: Approval,
    state: State,
}

#[derive(Clone, Debug)]
enum State {
    /// Yes or no, or what the subject has besides.
    Asking,
    /// Which of the suggested changes to keep, one after the other.
    Always { at: usize, kept: Vec<Suggestion> },
    /// Which question, and the answers so far.
    Questions { answers: Vec<QuestionReply> },
    /// Which field, and the form so far.
    Form { fields: Vec<Field>, at: usize, form: Map<String, Value> },
}

impl Dialog {
    pub(crate) fn new(approval: Approval) -> Self {
        let state = match &approval.subject {
            Subject::Question { .. } => State::Questions { answers: Vec::new() },
            Subject::Elicitation { schema: Some(schema), .. } if !fields(schema).is_empty() => {
                State::Form { fields: fields(schema), at: 0, form: Map::new() }
            }
            _ => State::Asking,
        };
        Self { approval, state }
    }

    /// What is being answered.
    pub(crate) fn approval(&self) -> &Approval {
        &self.approval
    }

    /// What is to be known before answering.
    pub(crate) fn opening(&self) -> Vec<Line> {
        opening(&self.approval)
    }

    /// The question that is open.
    pub(crate) fn question(&self) -> Vec<Line> {
        let line = |text: String| vec![(WARN, text)];
        match (&self.state, &self.approval.subject) {
            (State::Always { at, .. }, _) => {
                let suggestion = self.approval.suggestions.get(*at);
                let change = suggestion.map(|Suggestion(update)| sentence(update));
                line(format!("Keep “{}”? [y/n]", change.unwrap_or_default()))
            }
            (State::Form { fields, at, .. }, _) => {
                line(fields.get(*at).map(Field::question).unwrap_or_default())
            }
            (State::Questions { answers }, Subject::Question { questions }) => {
                questions.get(answers.len()).map(choices).unwrap_or_default()
            }
            (_, Subject::Plan { .. }) => line(
                "[1] carry it out, accept edits  [2] carry it out, ask for each edit  [3] carry it \
                 out with a fresh context  [n what to change] plan on"
                    .to_owned(),
            ),
            (_, Subject::Dialog { .. }) => line("Answer with JSON, or [n]".to_owned()),
            (_, Subject::Elicitation { .. }) => line("Done? [y/n]".to_owned()),
            _ => {
                let yes = if self.approval.default_to_no { "yes" } else { "y" };
                let always = if self.approval.suggestions.is_empty() { "" } else { "/a always" };
                line(format!("Allow? [{yes}/n{always}, or n and why not]"))
            }
        }
    }

    /// A line that somebody wrote.
    pub(crate) fn answer(&mut self, line: &str) -> Step {
        let line = line.trim();
        match &mut self.state {
            State::Always { .. } => return self.keep(line),
            State::Questions { answers } => {
                let Subject::Question { questions } = &self.approval.subject else {
                    return no("");
                };
                if let Some(question) = questions.get(answers.len()) {
                    answers.push(reply(question, line));
                }
                if answers.len() < questions.len() {
                    return Step::More(Vec::new());
                }
                let answers = std::mem::take(answers);
                let answers = answers.into_iter().filter(|reply| !reply.answers.is_empty());
                return decided(Decision::Answers { answers: answers.collect(), response: None });
            }
            State::Form { fields, at, form } => {
                if let Some(field) = fields.get(*at)
                    && let Err(wanted) = field.fill(line, form)
                {
                    return Step::More(vec![(WARN, wanted)]);
                }
                *at += 1;
                if *at < fields.len() {
                    return Step::More(Vec::new());
                }
                let content = Some(Value::Object(std::mem::take(form)));
                return decided(Decision::Form { content });
            }
            State::Asking => {}
        }
        match &self.approval.subject {
            Subject::Plan { .. } => plan(line),
            Subject::Dialog { .. } => match serde_json::from_str(line) {
                Ok(result) => decided(Decision::Choose { result }),
                Err(_) if is_no(line) => no(line),
                Err(error) => Step::More(vec![(WARN, format!("this is not JSON: {error}"))]),
            },
            Subject::Elicitation { .. } => match line {
                "y" | "yes" => decided(Decision::Form { content: None }),
                line if is_no(line) => no(line),
                _ => Step::More(Vec::new()),
            },
            _ => self.yes_or_no(line),
        }
    }

    fn yes_or_no(&mut self, line: &str) -> Step {
        match line.to_ascii_lowercase().as_str() {
            "yes" => decided(Decision::Allow { input: None, updates: Vec::new() }),
            "y" if !self.approval.default_to_no => {
                decided(Decision::Allow { input: None, updates: Vec::new() })
            }
            "a" | "always" if !self.approval.suggestions.is_empty() => {
                self.state = State::Always { at: 0, kept: Vec::new() };
                Step::More(Vec::new())
            }
            "" if self.approval.default_to_no => no(""),
            _ if is_no(line) => no(line),
            _ => Step::More(Vec::new()),
        }
    }

    /// Keeps a suggested change, or leaves it out. When all of them were asked about, the call is
    /// allowed with what was kept; if that is nothing, the first question is asked again.
    fn keep(&mut self, line: &str) -> Step {
        let State::Always { at, kept } = &mut self.state else { return Step::More(Vec::new()) };
        match line {
            "y" | "yes" => kept.extend(self.approval.suggestions.get(*at).cloned()),
            "n" | "no" => {}
            _ => return Step::More(Vec::new()),
        }
        *at += 1;
        if *at < self.approval.suggestions.len() {
            return Step::More(Vec::new());
        }
        let updates = std::mem::take(kept);
        if updates.is_empty() {
            self.state = State::Asking;
            return Step::More(vec![(DIM, "Nothing is kept.".to_owned())]);
        }
        decided(Decision::Allow { input: None, updates })
    }
}

fn decided(decision: Decision) -> Step {
    Step::Decide(Box::new(decision))
}

/// `n`, `no`, or one of them and why not.
fn is_no(line: &str) -> bool {
    let word = line.split_whitespace().next().unwrap_or_default();
    matches!(word.trim_end_matches([',', ':']).to_ascii_lowercase().as_str(), "n" | "no")
}

fn no(line: &str) -> Step {
    let why = line.split_once(char::is_whitespace).map(|(_, why)| why.trim().to_owned());
    decided(Decision::Deny { message: why.filter(|why| !why.is_empty()), stop: false })
}

fn plan(line: &str) -> Step {
    let choice = match line {
        "1" => PlanChoice::AcceptEdits,
        "2" => PlanChoice::ApproveByHand,
        "3" => PlanChoice::ClearContext,
        line if is_no(line) => {
            let feedback = line.split_once(char::is_whitespace).map(|(_, what)| what.trim().into());
            let choice = PlanChoice::KeepPlanning;
            return decided(Decision::Plan { choice, plan: None, feedback });
        }
        _ => return Step::More(Vec::new()),
    };
    decided(Decision::Plan { choice, plan: None, feedback: None })
}

fn choices(question: &AskedQuestion) -> Vec<Line> {
    let mut lines = options(question);
    let several = if question.multi_select { "Numbers with commas between" } else { "A number" };
    lines.push((WARN, format!("{several}, or your own words; Enter to skip")));
    lines
}

fn reply(question: &AskedQuestion, line: &str) -> QuestionReply {
    let labels = |numbers: &str| -> Option<Vec<String>> {
        let number = |text: &str| text.trim().parse::<usize>().ok()?.checked_sub(1);
        let parts: Vec<_> = numbers.split(',').map(number).collect::<Option<_>>()?;
        let label = |at: usize| Some(question.options.get(at)?.label.clone());
        parts.into_iter().map(label).collect()
    };
    let answers = match labels(line) {
        Some(labels) if question.multi_select || labels.len() == 1 => labels,
        _ if line.is_empty() => Vec::new(),
        _ => vec![line.to_owned()],
    };
    QuestionReply { question: question.question.clone(), answers, notes: None }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn approval(subject: Value, more: Value) -> Approval {
        let mut approval = json!({
            "approval": 1, "tool_call_id": null, "agent_id": null, "subject": subject,
            "title": null, "reason": null, "suggestions": [], "blocked_path": null,
            "default_to_no": false, "requires_user_interaction": false, "policy": null,
        });
        for (key, value) in more.as_object().unwrap() {
            approval[key] = value.clone();
        }
        serde_json::from_value(approval).unwrap()
    }

    fn tool(more: Value) -> Dialog {
        let payload = json!({"kind": "shell_exec", "action": "run", "command": "rm -r build"});
        let subject = json!({"kind": "tool", "tool_name": "Bash", "input": {}, "payload": payload});
        Dialog::new(approval(subject, more))
    }

    fn decision(step: Step) -> Value {
        match step {
            Step::Decide(decision) => serde_json::to_value(*decision).unwrap(),
            Step::More(_) => Value::Null,
        }
    }

    #[test]
    fn nothing_is_allowed_by_accident() {
        for line in ["", " ", "x", "yy", "1", "allow"] {
            assert_eq!(decision(tool(json!({})).answer(line)), Value::Null, "{line:?}");
        }
        let dangerous = || tool(json!({"default_to_no": true}));
        assert_eq!(decision(dangerous().answer("y")), Value::Null);
        assert_eq!(decision(dangerous().answer(""))["kind"], "deny");
        assert_eq!(decision(dangerous().answer("yes"))["kind"], "allow");
    }

    #[test]
    fn yes_no_and_why_not() {
        assert_eq!(decision(tool(json!({})).answer("Y"))["kind"], "allow");
        let no = decision(tool(json!({})).answer("no, use trash instead"));
        assert_eq!(no, json!({"kind": "deny", "message": "use trash instead", "stop": false}));
        assert_eq!(decision(tool(json!({})).answer("n"))["message"], Value::Null);
    }

    #[test]
    fn each_change_is_shown_before_it_is_kept() {
        let rule = json!({"type": "addRules", "rules": [{"toolName": "Bash", "ruleContent": "rm:*"}],
            "behavior": "allow", "destination": "localSettings"});
        let mode = json!({"type": "setMode", "mode": "acceptEdits", "destination": "session"});
        let dialog = tool(json!({"suggestions": [rule, mode]}));
        let keep = |answers: [&str; 2]| {
            let mut dialog = dialog.clone();
            assert_eq!(decision(dialog.answer("a")), Value::Null);
            let asked = dialog.question()[0].1.clone();
            assert!(asked.contains("allow Bash(rm:*) in this project, for you"), "{asked}");
            assert_eq!(decision(dialog.answer(answers[0])), Value::Null);
            let asked = dialog.question()[0].1.clone();
            assert!(asked.contains("switch to mode acceptEdits"), "{asked}");
            // An empty line keeps nothing.
            assert_eq!(decision(dialog.answer("")), Value::Null);
            (decision(dialog.answer(answers[1])), dialog)
        };
        assert_eq!(keep(["y", "n"]).0["updates"], json!([rule]));
        assert_eq!(keep(["n", "y"]).0["updates"], json!([mode]));
        assert_eq!(keep(["y", "y"]).0["updates"], json!([rule, mode]));
        let (nothing, mut dialog) = keep(["n", "n"]);
        assert_eq!(nothing, Value::Null);
        assert_eq!(decision(dialog.answer("y"))["updates"], json!([]), "the first question again");
        // Without a suggestion there is no always.
        assert_eq!(decision(tool(json!({})).answer("a")), Value::Null);
    }

    #[test]
    fn questions_are_answered_by_number_or_in_words() {
        let option = |label: &str| json!({"label": label});
        let options = [option("red"), option("green"), option("blue")];
        let subject = json!({"kind": "question", "questions": [
            {"question": "Which?", "options": options},
            {"question": "Which ones?", "options": options, "multi_select": true},
            {"question": "Why?", "options": options},
        ]});
        let mut dialog = Dialog::new(approval(subject, json!({})));
        assert_eq!(decision(dialog.answer("2")), Value::Null);
        assert_eq!(decision(dialog.answer("1, 3")), Value::Null);
        let told = decision(dialog.answer("because, 7"));
        let answers: Vec<_> = (0..3).map(|at| told["answers"][at]["answers"].clone()).collect();
        assert_eq!(answers, [json!(["green"]), json!(["red", "blue"]), json!(["because, 7"])]);
    }

    #[test]
    fn plans_are_carried_out_or_planned_on() {
        let plan = || Dialog::new(approval(json!({"kind": "plan", "plan": "x"}), json!({})));
        assert_eq!(decision(plan().answer("1"))["choice"], "accept_edits");
        assert_eq!(decision(plan().answer("2"))["choice"], "approve_by_hand");
        assert_eq!(decision(plan().answer("3"))["choice"], "clear_context");
        let on = decision(plan().answer("n smaller steps"));
        assert_eq!(
            (&on["choice"], &on["feedback"]),
            (&json!("keep_planning"), &json!("smaller steps"))
        );
        assert_eq!(decision(plan().answer("y")), Value::Null);
    }

    #[test]
    fn forms_are_filled_in_field_by_field() {
        let schema = json!({"properties": {
            "count": {"type": "integer", "title": "How many"}, "name": {"type": "string"},
        }, "required": ["count"]});
        let subject =
            json!({"kind": "elicitation", "server": "s", "message": "m", "schema": schema});
        let mut dialog = Dialog::new(approval(subject, json!({})));
        assert_eq!(dialog.question()[0].1, "How many (a whole number)");
        assert_eq!(decision(dialog.answer("many")), Value::Null);
        assert_eq!(decision(dialog.answer("3")), Value::Null);
        assert_eq!(decision(dialog.answer("")), json!({"kind": "form", "content": {"count": 3}}));
    }
}
