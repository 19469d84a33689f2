//! Whatever the order in which things happen around a request: the stage watches the laws.

#![allow(clippy::expect_used, clippy::panic, reason = "a test says what went wrong by panicking")]

mod support;

use pilothouse_session::session::Setup;
use proptest::prelude::*;
use support::Stage;
use support::play::{Step, any_steps};

/// Every order of `steps`, one after the other.
fn each_order(steps: &mut [Step], from: usize, play: &mut impl FnMut(&[Step])) {
    if from == steps.len() {
        return play(steps);
    }
    for other in from..steps.len() {
        steps.swap(from, other);
        each_order(steps, from + 1, play);
        steps.swap(from, other);
    }
}

/// Plays the steps, then has the run end: so every play comes to its end, whatever it left open.
fn play_out(setup: Setup, steps: &[Step]) -> Stage {
    let mut stage = Stage::working_with(setup);
    for step in steps {
        stage.step(*step);
    }
    stage.killed();
    stage
}

#[test]
fn one_request_in_every_order() {
    use Step::*;
    let decisions = [Allow(1), Deny(1), DenyAndStop(1)];
    let mut plays = 0;
    for decision in decisions {
        let mut steps = [Asks(1), decision, Cancels(1), Interrupt, Result, Exit];
        each_order(&mut steps, 0, &mut |steps| {
            let stage = play_out(Setup::default(), steps);
            plays += 1;
            let at = |step: Step| steps.iter().position(|it| *it == step);
            let ends = [Cancels(1), Exit].iter().filter_map(|end| at(*end)).min();
            let is_in_time = at(Asks(1)) < at(decision) && at(decision) < ends;
            assert_eq!(stage.answer_to("r1-1").is_some(), is_in_time, "{steps:?}");
        });
    }
    assert_eq!(plays, 3 * 720);
}

#[test]
fn the_first_of_two_answers_counts_in_every_order() {
    use Step::*;
    let mut steps = [Asks(1), Allow(1), Deny(1), Asks(1), Cancels(1), Calls(1)];
    each_order(&mut steps, 0, &mut |steps| {
        let stage = play_out(Setup::default(), steps);
        let at = |step: Step| steps.iter().position(|it| *it == step);
        let asked = at(Asks(1)).expect("it is asked");
        let after = |step: Step| at(step).filter(|at| *at > asked);
        let first = [Allow(1), Deny(1)].into_iter().filter_map(after).min();
        let in_time = first.filter(|first| at(Cancels(1)) > Some(*first));
        let expected = in_time.map(|first| match steps[first] {
            Allow(_) => "allow",
            _ => "deny",
        });
        let answer = stage.answer_to("r1-1");
        let behavior = answer.as_ref().map(|answer| &answer["response"]["behavior"]);
        assert_eq!(behavior.and_then(|word| word.as_str()), expected, "{steps:?}");
    });
}

#[test]
fn two_requests_in_every_order() {
    use Step::*;
    let mut steps = [Asks(1), Asks(2), Allow(1), DenyAndStop(2), Result, Killed];
    each_order(&mut steps, 0, &mut |steps| {
        play_out(Setup { resume_attempts: 1, ..Setup::default() }, steps);
    });
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, ..ProptestConfig::default() })]

    #[test]
    fn anything_in_any_order(steps in any_steps(60), resume_attempts in 0..3_u32) {
        play_out(Setup { resume_attempts, ..Setup::default() }, &steps);
    }

    #[test]
    fn anything_from_the_very_beginning(steps in any_steps(40)) {
        let mut stage = Stage::dark(Setup::default());
        for step in &steps {
            // Before the first run the host has asked for nothing.
            if !stage.sent.is_empty() || *step != Step::Replies {
                stage.step(*step);
            }
        }
        stage.killed();
    }
}
