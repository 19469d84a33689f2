//! The process that runs the machine dies between any two effects, and another takes over.

use std::collections::BTreeMap;

use jiff::Timestamp;
use pilothouse_session::id::{RunId, SessionId};
use pilothouse_session::policy::{PolicySet, Preset};
use pilothouse_session::session::Setup;
use pilothouse_session::{Effect, Event, Input, Session};
use proptest::prelude::*;
use uuid::Uuid;

use crate::support::Stage;
use crate::support::play::{Step, any_steps};

type Handed = (Input, Timestamp);

/// What is left when the process dies: the store, and what the holders of the runs have.
#[derive(Default, Debug, PartialEq)]
struct World {
    events: Vec<Event>,
    checkpoint: Option<String>,
    /// By run, what was written to the CLI. A holder drops numbers it has had.
    written: BTreeMap<RunId, Vec<Vec<u8>>>,
}

impl World {
    fn store(&mut self, event: &Event) {
        let stored = self.events.len() as u64;
        if event.seq > stored {
            assert_eq!(event.seq, stored + 1, "no event is missing");
            self.events.push(event.clone());
        }
    }

    fn write(&mut self, run: RunId, number: u64, line: &[u8]) {
        let written = self.written.entry(run).or_default();
        if number > written.len() as u64 {
            assert_eq!(number, written.len() as u64 + 1, "no line is missing");
            written.push(line.to_vec());
        }
    }

    /// Does the first `many` of what is to be done.
    fn carry_out(&mut self, effects: &[Effect], session: &Session, many: usize) {
        let has_checkpoint = effects.contains(&Effect::Checkpoint);
        let mut pending = Vec::new();
        for effect in effects.iter().take(many) {
            match effect {
                Effect::Append(event) if !has_checkpoint => self.store(event),
                // Events and checkpoint are one transaction.
                Effect::Append(event) => pending.push(event),
                Effect::Checkpoint => {
                    pending.drain(..).for_each(|event| self.store(event));
                    self.checkpoint = Some(serde_json::to_string(session).expect("a state"));
                }
                Effect::Send { number, line } => {
                    let run = session.run().expect("a run that is written to");
                    self.write(run, *number, line);
                }
                _ => {}
            }
        }
    }

    fn revive(&self, setup: &Setup) -> Session {
        let session = match &self.checkpoint {
            Some(text) => serde_json::from_str(text).expect("a state that can be read"),
            None => Session::new(SessionId(Uuid::from_u128(1)), Setup::default()),
        };
        session.within(setup.clone())
    }
}

/// Plays `inputs`, and dies at the `input`th after `many` of its effects.
fn play(setup: &Setup, inputs: &[Handed], death: Option<(usize, usize)>) -> World {
    play_on(setup, setup, inputs, death)
}

/// The same, where whoever takes over has other surroundings.
fn play_on(
    setup: &Setup,
    later: &Setup,
    inputs: &[Handed],
    death: Option<(usize, usize)>,
) -> World {
    let mut world = World::default();
    let mut session = world.revive(setup);
    let mut at = 0;
    let mut dies = death;
    while let Some((input, now)) = inputs.get(at) {
        let effects = session.handle(input.clone(), *now);
        at += 1;
        let Some((_, many)) = dies.filter(|(death, _)| *death == at - 1) else {
            world.carry_out(&effects, &session, usize::MAX);
            continue;
        };
        dies = None;
        world.carry_out(&effects, &session, many);
        session = take_over(&mut world, later, &inputs[..at]);
        let is_stored = effects.iter().take(many).any(|effect| *effect == Effect::Checkpoint);
        let is_line = matches!(input, Input::Line(_) | Input::Written { .. });
        if !is_line && !is_stored {
            // Nobody was told that it was done: it is asked for again.
            at -= 1;
        }
    }
    world
}

/// Reads the state back and catches up with what the CLI wrote meanwhile.
fn take_over(world: &mut World, setup: &Setup, past: &[Handed]) -> Session {
    let mut session = world.revive(setup);
    let Some(run) = session.run() else { return session };
    for effect in session.outstanding() {
        if let Effect::Send { number, line } = effect {
            world.write(run, number, &line);
        }
    }
    let is_start =
        |(input, _): &Handed| matches!(input, Input::Started { run: it, .. } if *it == run);
    let start = past.iter().position(is_start).expect("the start of the run");
    let lines = past[start..].iter().filter(|(input, _)| matches!(input, Input::Line(_)));
    let missed: Vec<&Handed> = lines.skip(session.lines() as usize).collect();
    for (input, now) in missed {
        let effects = session.handle(input.clone(), *now);
        world.carry_out(&effects, &session, usize::MAX);
    }
    session
}

/// The state is left out: it was last taken at another moment.
fn same(left: &World, right: &World) -> bool {
    left.events == right.events && left.written == right.written
}

/// Has the process die at every effect of every input.
fn die_everywhere(setup: &Setup, inputs: &[Handed]) {
    let whole = play(setup, inputs, None);
    let mut session = Session::new(SessionId(Uuid::from_u128(1)), setup.clone());
    for (at, (input, now)) in inputs.iter().enumerate() {
        let effects = session.handle(input.clone(), *now);
        for many in 0..=effects.len() {
            let torn = play(setup, inputs, Some((at, many)));
            if !same(&torn, &whole) {
                assert_eq!(torn.events, whole.events, "dies at {input:?} after {many}");
                assert_eq!(torn.written, whole.written, "dies at {input:?} after {many}");
            }
        }
    }
}

fn steps(setup: &Setup, steps: &[Step]) -> Vec<Handed> {
    let mut stage = Stage::working_with(setup.clone());
    steps.iter().for_each(|step| stage.step(*step));
    stage.inputs
}

#[test]
fn a_turn_with_a_request_and_a_dead_run() {
    use Step::*;
    let setup = Setup { resume_attempts: 1, ..Setup::default() };
    let inputs = steps(
        &setup,
        &[
            Text,
            Calls(1),
            Asks(1),
            Prompt(2),
            Written,
            Allow(1),
            ToolResult(1),
            Interrupt,
            Replies,
            Aborted,
            Init,
            Text,
            Killed,
            Starts,
            Init,
            Calls(1),
            Asks(1),
            Deny(2),
            Result,
            Stop,
            Exit,
        ],
    );
    die_everywhere(&setup, &inputs);
}

fn with_policy(preset: Preset) -> Setup {
    let policy = PolicySet::new([preset.policy()]);
    Setup { policy: Some(std::sync::Arc::new(policy)), ..Setup::default() }
}

/// A policy is a file that somebody may have changed when the next process reads it.
#[test]
fn what_a_policy_has_said_holds_for_who_takes_over_with_another() {
    let (free, strict) = (with_policy(Preset::Autonomous), with_policy(Preset::Supervised));
    let rest = [Step::Text, Step::Prompt(2), Step::Text, Step::Result];
    let asked = [Step::Calls(1), Step::Asks(1)];
    let inputs = steps(&free, &[&asked[..], &rest].concat());
    for later in [&strict, &Setup::default()] {
        let whole = play(&free, &inputs, None);
        for at in inputs.len() - rest.len()..inputs.len() {
            let torn = play_on(&free, later, &inputs, Some((at, usize::MAX)));
            assert_eq!(torn.events, whole.events, "dies at {:?}", inputs[at]);
            assert_eq!(torn.written, whole.written, "dies at {:?}", inputs[at]);
        }
    }
}

#[test]
fn a_policy_answers_once() {
    let setup = with_policy(Preset::Autonomous);
    let inputs = steps(&setup, &[Step::Asks(1), Step::Calls(1), Step::Asks(2), Step::Result]);
    let world = play(&setup, &inputs, None);
    let answers = world
        .written
        .values()
        .flatten()
        .filter(|line| String::from_utf8_lossy(line).contains("control_response"));
    assert_eq!(answers.count(), 2);
    die_everywhere(&setup, &inputs);
}

#[test]
fn a_plan_is_carried_out_once() {
    use pilothouse_session::approval::{Decision, PlanChoice};
    let mut stage = Stage::working();
    let input = serde_json::json!({"plan": "1. Dig."});
    stage.can_use("r1", "t1", "ExitPlanMode", &input);
    stage.prompt(2, "And then?");
    let choice = PlanChoice::ClearContext;
    stage.decide(1, Decision::Plan { choice, plan: None, feedback: None });
    stage.aborted();
    stage.exit(1, "");
    stage.started();
    stage.introduces();
    stage.init_in("c0000000-0000-4000-8000-000000000002", "acceptEdits");
    stage.result();
    assert_eq!(stage.said().iter().filter(|text| text.contains("1. Dig.")).count(), 1);
    die_everywhere(&Setup::default(), &stage.inputs);
}

#[test]
fn a_run_that_was_asked_for_is_asked_for_again() {
    let mut stage = Stage::dark(Setup::default());
    stage.prompt(1, "Go.");
    stage.restore();
    let again = stage.session.outstanding();
    assert_eq!(again, [Effect::Start(stage.launches[0].clone())]);
    stage.started();
    stage.introduces();
    stage.command(pilothouse_session::Command::Stop);
    stage.written();
    stage.restore();
    assert_eq!(stage.session.outstanding(), [Effect::Stop]);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, ..ProptestConfig::default() })]

    /// At any input the state can be written down and read back, and nothing is different.
    #[test]
    fn a_state_read_back_goes_on_the_same(play in any_steps(60), resume_attempts in 0..2_u32) {
        let setup = Setup { resume_attempts, ..Setup::default() };
        let mut kept = Stage::working_with(setup.clone());
        let mut restored = Stage::working_with(setup);
        for step in play {
            kept.step(step);
            restored.restore();
            restored.step(step);
            prop_assert_eq!(&kept.sent, &restored.sent);
            prop_assert_eq!(&kept.events, &restored.events);
            prop_assert_eq!(&kept.launches, &restored.launches);
        }
    }

    #[test]
    fn a_death_anywhere_loses_and_doubles_nothing(
        play_steps in any_steps(40),
        resume_attempts in 0..2_u32,
        deaths in prop::collection::vec((any::<prop::sample::Index>(), 0..8_usize), 24),
    ) {
        let setup = Setup { resume_attempts, ..Setup::default() };
        let inputs = steps(&setup, &play_steps);
        let whole = play(&setup, &inputs, None);
        for (at, many) in deaths {
            let torn = play(&setup, &inputs, Some((at.index(inputs.len()), many)));
            prop_assert_eq!(&torn.events, &whole.events);
            prop_assert_eq!(&torn.written, &whole.written);
        }
    }
}
