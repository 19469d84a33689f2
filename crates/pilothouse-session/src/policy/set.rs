//! Policies in their order, and the decision.
//!
//! Those of the user decide, the first match of all of them. Those of a project are asked beside
//! them, and count only where they are stricter: see *Whom to trust* in [`super`].

use pilothouse_wire::tool::canonical;

use super::command::Fit;
use super::place::Place;
use super::rule::{Effect, Item, Rule};
use super::shell::Part;
use super::subject::Subject;
use super::verdict::{Decision, Explanation, Ground, Level, Outcome, Verdict};
use super::{Call, Policy};

/// Policies, the first of which has the first word, and what holds where all are silent.
#[derive(Clone, Debug, Default)]
pub struct PolicySet {
    policies: Vec<Policy>,
    otherwise: Otherwise,
}

/// What holds where no rule matches.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Otherwise {
    /// A person is asked.
    #[default]
    Ask,
    /// It is denied, with this message to the model: for sessions nobody watches.
    Deny(String),
}

/// What the rules say about one item.
enum Finding<'a> {
    Rule(&'a Rule),
    Uncertain(&'a Rule),
    /// Nothing; perhaps there was a rule that may not answer this.
    Nothing(Option<&'a Rule>),
}

/// What was decided about one item.
struct Judged {
    decision: Decision,
    /// A rule means this call in particular.
    is_meant: bool,
}

impl PolicySet {
    /// The policies in this order.
    pub fn new(policies: impl IntoIterator<Item = Policy>) -> Self {
        Self { policies: policies.into_iter().collect(), otherwise: Otherwise::default() }
    }

    /// The same, with something else than asking where no rule matches.
    #[must_use]
    pub fn otherwise(mut self, otherwise: Otherwise) -> Self {
        self.otherwise = otherwise;
        self
    }

    /// The policies, in order.
    pub fn policies(&self) -> &[Policy] {
        &self.policies
    }

    /// Decides a call, and explains the decision.
    pub fn decide(&self, call: &Call<'_>, place: &Place) -> Decision {
        let judged = self.judge_all(call, place);
        let decided = strictest(judged);
        decided.unwrap_or_else(|| self.conclude(&Finding::Nothing(None), None))
    }

    /// Decides a call that the CLI may not ask about: `None` where nothing but a rule that asks
    /// about every tool has something against it, or no rule at all. The CLI knows which calls only
    /// look, and asks about the others itself.
    pub fn decide_unasked(&self, call: &Call<'_>, place: &Place) -> Option<Decision> {
        let judged = self.judge_all(call, place).into_iter().filter(|judged| judged.is_meant);
        strictest(judged.collect())
    }

    fn judge_all(&self, call: &Call<'_>, place: &Place) -> Vec<Judged> {
        let mut all = Vec::new();
        match &Subject::of(call.tool, call.input, place) {
            Subject::Shell(pieces) => {
                for piece in pieces {
                    self.judge(call, Item::Piece(piece), place, &mut all);
                }
            }
            whole => self.judge(call, Item::Whole(whole), place, &mut all),
        }
        all
    }

    /// Adds what is decided about an item; nothing about a mention that no rule minds.
    fn judge(&self, call: &Call<'_>, item: Item<'_>, place: &Place, all: &mut Vec<Judged>) {
        let part = match item {
            Item::Piece(piece) => Some(&piece.part),
            Item::Whole(_) => None,
        };
        let is_mention = part.is_some_and(Part::is_mention);
        let own = self.find(|level| level != Level::Project, call, item, place);
        let objection = self.find(|level| level == Level::Project, call, item, place);
        for (finding, counts) in [(own, !is_mention), (objection, false)] {
            if counts || !is_silent(&finding) {
                let decision = self.conclude(&finding, part);
                all.push(Judged { decision, is_meant: is_meant(&finding) });
            }
        }
    }

    fn find(
        &self,
        is_asked: impl Fn(Level) -> bool,
        call: &Call<'_>,
        item: Item<'_>,
        place: &Place,
    ) -> Finding<'_> {
        let mut passed_over = None;
        let policies = self.policies.iter().filter(|policy| is_asked(policy.level));
        for rule in policies.flat_map(|policy| &policy.rules) {
            match (&rule.effect, rule.fit(call, item, place)) {
                (_, Fit::No) => {}
                (Effect::Allow, _) if is_for_people(call.tool, rule) => {
                    passed_over = passed_over.or(Some(rule));
                }
                (Effect::Deny(_), Fit::Maybe) => return Finding::Uncertain(rule),
                _ => return Finding::Rule(rule),
            }
        }
        Finding::Nothing(passed_over)
    }

    fn conclude(&self, finding: &Finding<'_>, part: Option<&Part>) -> Decision {
        let rule = |rule: &Rule| Ground::Rule { rule: rule.reference.clone() };
        let (verdict, ground) = match finding {
            Finding::Rule(it) => match &it.effect {
                Effect::Allow => (Verdict::Allow, rule(it)),
                Effect::Ask => (Verdict::Ask, rule(it)),
                Effect::Deny(message) => (Verdict::Deny { message: message.clone() }, rule(it)),
            },
            Finding::Uncertain(it) => {
                (Verdict::Ask, Ground::Uncertain { rule: it.reference.clone() })
            }
            Finding::Nothing(Some(it)) => {
                (Verdict::Ask, Ground::ForPeople { rule: it.reference.clone() })
            }
            Finding::Nothing(None) => {
                let verdict = match &self.otherwise {
                    Otherwise::Ask => Verdict::Ask,
                    Otherwise::Deny(message) => Verdict::Deny { message: message.clone() },
                };
                (verdict, Ground::Default)
            }
        };
        let outcome = match verdict {
            Verdict::Allow => Outcome::Allowed,
            Verdict::Deny { .. } => Outcome::Denied,
            Verdict::Ask => Outcome::Asked,
        };
        let (command, obstacle) = match part {
            Some(Part::Run(command) | Part::Mention(command, _)) => (Some(&command.text), None),
            Some(Part::Touch(touch)) => (Some(&touch.text), None),
            Some(Part::Words { text, .. }) => (Some(text), None),
            Some(Part::Opaque { why, text, .. }) => (Some(text), Some(*why)),
            None => (None, None),
        };
        let command = command.filter(|text| !text.is_empty()).cloned();
        let obstacle = obstacle.filter(|_| outcome == Outcome::Asked).map(str::to_owned);
        Decision { verdict, because: Explanation { outcome, ground, command, obstacle } }
    }
}

/// No beats ask beats yes; among equals the first counts.
fn strictest(judged: Vec<Judged>) -> Option<Decision> {
    // The maximum is the last one of equals.
    let decisions = judged.into_iter().rev().map(|judged| judged.decision);
    decisions.max_by_key(weight)
}

/// Whether the CLI may not decide for itself what was found: a rule denies it, or asks about less
/// than everything.
fn is_meant(finding: &Finding<'_>) -> bool {
    match finding {
        Finding::Rule(rule) => !rule.is_catch_all(),
        Finding::Uncertain(_) => true,
        Finding::Nothing(_) => false,
    }
}

/// Whether a finding about a mention, or of a project's, changes nothing.
fn is_silent(finding: &Finding<'_>) -> bool {
    match finding {
        Finding::Rule(rule) => rule.effect == Effect::Allow,
        Finding::Uncertain(_) => false,
        Finding::Nothing(_) => true,
    }
}

fn weight(decision: &Decision) -> u8 {
    match decision.verdict {
        Verdict::Allow => 0,
        Verdict::Ask => 1,
        Verdict::Deny { .. } => 2,
    }
}

/// Questions are for people. So is the end of planning, unless the rule names it.
fn is_for_people(tool: &str, rule: &Rule) -> bool {
    match canonical(tool) {
        "AskUserQuestion" => true,
        "ExitPlanMode" => !rule.names(tool),
        _ => false,
    }
}
