//! Questions that the model asks the user.
//!
//! They come as a permission request for the tool `AskUserQuestion`; the answers travel in the
//! tool's own input.

use pilothouse_wire::Raw;
use pilothouse_wire::permission::{CanUseTool, PermissionResult};
use pilothouse_wire::tool::ToolInput;
use pilothouse_wire::tool::user::{AskUserQuestionInput, Question, joined_labels};

/// Questions of the model's, and the answers so far.
///
/// ```
/// use pilothouse_client::wire::permission::{CanUseTool, PermissionResult};
/// use pilothouse_client::{NoSuchQuestion, Questions};
///
/// async fn decide(ask: CanUseTool) -> PermissionResult {
///     match Questions::of(&ask) {
///         Some(questions) => reply(questions).unwrap_or_else(|error| ask.deny(error.to_string())),
///         None => ask.allow(),
///     }
/// }
///
/// fn reply(mut questions: Questions) -> Result<PermissionResult, NoSuchQuestion> {
///     questions.answer("Readers", "Users")?;
///     questions.choose("Which chapters?", ["Install", "Use"])?;
///     Ok(questions.done())
/// }
/// ```
#[derive(Clone, Debug)]
pub struct Questions {
    ask: CanUseTool,
    input: AskUserQuestionInput,
}

/// There is no such question.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the model did not ask `{given}`; it asked: {}", .asked.join(" / "))]
pub struct NoSuchQuestion {
    /// What was to be answered.
    pub given: String,
    /// What was asked.
    pub asked: Vec<String>,
}

impl Questions {
    /// The questions that a permission request asks; `None` if it asks something else.
    pub fn of(ask: &CanUseTool) -> Option<Self> {
        match ToolInput::of(&ask.tool_name, &ask.input) {
            ToolInput::AskUserQuestion(input) => Some(Self { ask: ask.clone(), input }),
            _ => None,
        }
    }

    /// What is asked.
    pub fn asked(&self) -> &[Question] {
        &self.input.questions
    }

    /// Answers a question, named by its text or its header: with the label of one of its options,
    /// or in other words.
    pub fn answer(
        &mut self,
        question: &str,
        answer: impl Into<String>,
    ) -> Result<(), NoSuchQuestion> {
        let asked = self.asked();
        let by_text = asked.iter().find(|asked| asked.question == question);
        let by_header = || asked.iter().find(|asked| asked.header.as_deref() == Some(question));
        let Some(found) = by_text.or_else(by_header) else {
            let asked = asked.iter().map(|asked| asked.question.clone()).collect();
            return Err(NoSuchQuestion { given: question.to_owned(), asked });
        };
        let text = found.question.clone();
        self.input.answers.get_or_insert_default().insert(text, answer.into());
        Ok(())
    }

    /// Answers a question with several of its labels.
    pub fn choose<'a>(
        &mut self,
        question: &str,
        labels: impl IntoIterator<Item = &'a str>,
    ) -> Result<(), NoSuchQuestion> {
        self.answer(question, joined_labels(labels))
    }

    /// The answers, for the model. [`CanUseTool::deny`] tells it that there are none.
    pub fn done(self) -> PermissionResult {
        match Raw::of(&self.input) {
            Ok(input) => self.ask.allow_with(input),
            Err(error) => self.ask.deny(format!("The answers cannot be written: {error}")),
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn ask(tool: &str) -> CanUseTool {
        let questions = json!([
            {"question": "For whom?", "header": "Readers", "options": [{"label": "Users"}]},
            {"question": "Which chapters?", "header": "Chapters", "multiSelect": true,
                "options": [{"label": "Install"}, {"label": "Use"}]},
        ]);
        let input = json!({"questions": questions, "to_come": 1});
        let ask = json!({"tool_name": tool, "input": input, "tool_use_id": "toolu_1"});
        serde_json::from_value(ask).unwrap()
    }

    #[test]
    fn answers_travel_in_the_input() {
        let mut questions = Questions::of(&ask("AskUserQuestion")).unwrap();
        questions.answer("Readers", "Users").unwrap();
        questions.choose("Which chapters?", ["Install", "Use"]).unwrap();
        let error = questions.answer("Why?", "Because.").unwrap_err();
        assert_eq!(error.asked, ["For whom?", "Which chapters?"]);
        let PermissionResult::Allow(allow) = questions.done() else { panic!("not allowed") };
        let input = allow.updated_input.to_value();
        let answers = json!({"For whom?": "Users", "Which chapters?": "Install, Use"});
        assert_eq!(input["answers"], answers);
        assert_eq!(input["to_come"], 1, "the rest of the input is kept");
    }

    #[test]
    fn other_requests_ask_no_questions() {
        assert!(Questions::of(&ask("Bash")).is_none());
    }
}
