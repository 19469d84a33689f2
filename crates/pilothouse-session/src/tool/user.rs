//! `plan` and `question`: calls that wait for the user.

use std::collections::BTreeMap;

use pilothouse_wire::tool::user::{
    Annotation, AskUserQuestionInput, AskUserQuestionOutput, ExitPlanModeInput, ExitPlanModeOutput,
    Question, QuestionOption,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::bound::{clip_text, is_lost, unset};
use super::outcome::Outcome;

/// Plan mode begins, or a plan is shown to the user: `EnterPlanMode`, `ExitPlanMode`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct PlanCall {
    /// Whether plan mode begins or ends.
    pub action: PlanAction,
    /// The plan, in Markdown.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub plan: Option<String>,
    /// The file that the plan is in.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub file_path: Option<String>,
    /// What the plan wants to be allowed.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub allowed_prompts: Vec<PlanPermission>,
    /// Whether the user changed the plan.
    #[serde(default, skip_serializing_if = "unset")]
    pub edited: bool,
    /// Why the call failed, or what the user said in place of yes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
}

/// Whether plan mode begins or ends.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum PlanAction {
    /// It begins.
    #[default]
    Enter,
    /// It ends, if the user likes the plan.
    Exit,
}

/// Something that a plan wants to be allowed.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct PlanPermission {
    /// The tool.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tool: Option<String>,
    /// What for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub prompt: Option<String>,
}

impl PlanCall {
    pub(crate) fn of_exit(input: ExitPlanModeInput) -> Self {
        let wishes = input.allowed_prompts.into_iter();
        let wish = |wish: pilothouse_wire::tool::user::AllowedPrompt| PlanPermission {
            tool: wish.tool,
            prompt: wish.prompt,
        };
        Self {
            action: PlanAction::Exit,
            plan: input.plan.map(clip_text),
            file_path: input.plan_file_path,
            allowed_prompts: wishes.map(wish).collect(),
            ..Self::default()
        }
    }

    pub(crate) fn complete(&mut self, outcome: &Outcome<'_>) {
        self.error = outcome.error();
        if self.action == PlanAction::Exit
            && let Some(output) = outcome.typed::<ExitPlanModeOutput>()
        {
            // The CLI reports no plan where the model passed it and no file holds it.
            self.plan = output.plan.into_option().map(clip_text).or(self.plan.take());
            self.file_path = output.file_path.or(self.file_path.take());
            self.edited = output.plan_was_edited == Some(true);
        }
    }
}

/// The user is asked: `AskUserQuestion`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct QuestionCall {
    /// What is asked.
    pub questions: Vec<AskedQuestion>,
    /// What the user answered, once it is known, in the order of the questions.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub answers: Vec<QuestionAnswer>,
    /// What the user said in place of answers.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub response: Option<String>,
    /// Why the call failed, or why the user did not answer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
}

/// A question.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct AskedQuestion {
    /// Its text, which also names it.
    pub question: String,
    /// A word or two to put above it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub header: Option<String>,
    /// What can be chosen; free text always can be given.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub options: Vec<AskedOption>,
    /// Whether more than one option can be chosen.
    #[serde(default, skip_serializing_if = "unset")]
    pub multi_select: bool,
}

/// Something that can be chosen.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct AskedOption {
    /// What it is called, and what the answer is when it is chosen.
    pub label: String,
    /// What it means.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// What it would look like.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub preview: Option<String>,
}

/// An answer.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct QuestionAnswer {
    /// The text of the question.
    pub question: String,
    /// The chosen label, several of them joined by commas, or free text.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub answer: Option<String>,
    /// What the user added.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub notes: Option<String>,
    /// The preview of what the user chose.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub preview: Option<String>,
    /// Why there is no answer: `skipped`, `replied_in_chat`, `dismissed`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unanswered: Option<String>,
}

type Texts = Option<BTreeMap<String, String>>;
type Annotations = Option<BTreeMap<String, Annotation>>;

impl QuestionCall {
    /// None where the questions cannot be read.
    pub(crate) fn of(input: AskUserQuestionInput) -> Option<Self> {
        let AskUserQuestionInput { questions, answers, annotations, response, extra, .. } = input;
        if is_lost(&extra, "questions") {
            return None;
        }
        let questions = questions.into_iter().map(AskedQuestion::from).collect();
        let mut call = Self { questions, response: response.map(clip_text), ..Self::default() };
        call.take_answers(answers, annotations);
        Some(call)
    }

    pub(crate) fn complete(&mut self, outcome: &Outcome<'_>) {
        self.error = outcome.error();
        match outcome.typed::<AskUserQuestionOutput>() {
            Some(output) => {
                if self.questions.is_empty() {
                    let asked = output.questions.into_iter();
                    self.questions = asked.map(AskedQuestion::from).collect();
                }
                self.take_answers(output.answers, output.annotations);
                self.response = output.response.map(clip_text).or(self.response.take());
            }
            None if outcome.is_error => {}
            None => self.response = Some(clip_text(outcome.text())),
        }
    }

    fn take_answers(&mut self, answers: Texts, annotations: Annotations) {
        let (mut answers, mut annotations) =
            (answers.unwrap_or_default(), annotations.unwrap_or_default());
        if answers.is_empty() && annotations.is_empty() {
            return;
        }
        // Questions that are not in the call come last.
        let asked = self.questions.iter().map(|asked| asked.question.clone());
        let others = answers.keys().chain(annotations.keys()).cloned();
        let mut order: Vec<String> = asked.collect();
        for other in others {
            if !order.contains(&other) {
                order.push(other);
            }
        }
        let answer = |question: String| {
            let answer = answers.remove(&question).map(clip_text);
            let more = annotations.remove(&question);
            let known = answer.is_some() || more.is_some();
            let more = more.unwrap_or_default();
            known.then(|| QuestionAnswer {
                question,
                answer,
                notes: more.notes.map(clip_text),
                preview: more.preview.map(clip_text),
                unanswered: more.unanswered.map(|why| why.to_string()),
            })
        };
        self.answers = order.into_iter().filter_map(answer).collect();
    }
}

impl From<Question> for AskedQuestion {
    fn from(asked: Question) -> Self {
        Self {
            question: asked.question,
            header: asked.header,
            options: asked.options.into_iter().map(AskedOption::from).collect(),
            multi_select: asked.multi_select == Some(true),
        }
    }
}

impl From<QuestionOption> for AskedOption {
    fn from(option: QuestionOption) -> Self {
        let preview = option.preview.or(option.markdown).map(clip_text);
        Self { label: option.label, description: option.description, preview }
    }
}
