//! Real and simulated runs of a scenario side by side.

use testkit::cli::CliVersion;

use super::bed::{Played, Run};
use super::scenario::{Order, Scenario};
use super::shape::{Frame, shape};

/// Fields that only one of the two sends, and why that is all right.
struct Difference {
    version: CliVersion,
    /// How the label of the frame begins.
    frame: &'static str,
    /// How the path of the field begins.
    field: &'static str,
    why: &'static str,
}

const DIFFERENCES: &[Difference] = &[
    Difference {
        version: CliVersion::V2_1_325,
        frame: "system: init",
        field: "plugins[]",
        why: "the simulated CLI brings no plugins",
    },
    Difference {
        version: CliVersion::V2_1_325,
        frame: "assistant: text",
        field: "context_usage.skills[]",
        why: "the simulated CLI has no skills",
    },
    Difference {
        version: CliVersion::V2_1_325,
        frame: "control_response: success",
        field: "response.response.applied.",
        why: "get_settings: internal switches",
    },
    Difference {
        version: CliVersion::V2_1_325,
        frame: "control_response: success",
        field: "response.response.account.apiKeySource",
        why: "without an account the field is left out or none",
    },
    Difference {
        version: CliVersion::V2_1_325,
        frame: "control_response: success",
        field: "response.response.autoCompactThreshold",
        why: "get_context_usage: the simulated CLI does not compact by itself",
    },
    Difference {
        version: CliVersion::V2_1_325,
        frame: "control_response: success",
        field: "response.response.categories[].isDeferred",
        why: "get_context_usage: no deferred tools",
    },
    Difference {
        version: CliVersion::V2_1_325,
        frame: "control_response: success",
        field: "response.response.mcpInstructions",
        why: "get_context_usage: not counted",
    },
    Difference {
        version: CliVersion::V2_1_325,
        frame: "control_response: success",
        field: "response.response.messageBreakdown",
        why: "get_context_usage: not counted",
    },
    Difference {
        version: CliVersion::V2_1_325,
        frame: "control_response: success",
        field: "response.response.skills",
        why: "get_context_usage: the simulated CLI has no skills",
    },
    Difference {
        version: CliVersion::V2_1_325,
        frame: "control_response: success",
        field: "response.response.slashCommands",
        why: "get_context_usage: not counted",
    },
    Difference {
        version: CliVersion::V2_1_7,
        frame: "assistant: ",
        field: "message.stop_reason",
        why: "the reason may or may not be known when the last block is told",
    },
    Difference {
        version: CliVersion::V2_1_325,
        frame: "user: tool_result",
        field: "tool_use_result.harness",
        why: "notes of the CLI to itself about the report of a subagent",
    },
];

fn is_known(version: CliVersion, frame: &str, field: &str) -> bool {
    let known = |difference: &&Difference| {
        difference.version == version
            && frame.starts_with(difference.frame)
            && field.starts_with(difference.field)
    };
    DIFFERENCES.iter().find(known).is_some_and(|difference| !difference.why.is_empty())
}

/// What is different between the two, in words.
pub(crate) fn differences(scenario: &Scenario, real: &Played, sim: &Played) -> Vec<String> {
    let mut found = Vec::new();
    if real.runs.len() != sim.runs.len() {
        found.push(format!("{} runs instead of {}", sim.runs.len(), real.runs.len()));
    }
    for (real, sim) in real.runs.iter().zip(&sim.runs) {
        runs(scenario, real, sim, &mut found);
    }
    found
}

fn runs(scenario: &Scenario, real: &Run, sim: &Run, found: &mut Vec<String>) {
    let (mut real_shape, mut sim_shape) = (shape(real), shape(sim));
    if real_shape.code != sim_shape.code {
        found.push(format!("exit code {:?} instead of {:?}", sim_shape.code, real_shape.code));
    }
    // What is said on the side in a run that goes well is nobody's business.
    if real.code != Some(0) && real.stderr.is_empty() != sim.stderr.is_empty() {
        found.push(format!("stderr {:?} instead of {:?}", sim.stderr, real.stderr));
    }
    if scenario.order == Order::Any {
        real_shape.frames.sort();
        sim_shape.frames.sort();
    }
    let labels =
        |frames: &[Frame]| frames.iter().map(|frame| frame.label.clone()).collect::<Vec<_>>();
    lists("frames", &labels(&real_shape.frames), &labels(&sim_shape.frames), found);
    lists("stream", &real_shape.stream, &sim_shape.stream, found);
    if labels(&real_shape.frames) == labels(&sim_shape.frames) {
        for (real, sim) in real_shape.frames.iter().zip(&sim_shape.frames) {
            fields(scenario.version, real, sim, found);
        }
    }
}

fn lists(what: &str, real: &[String], sim: &[String], found: &mut Vec<String>) {
    let length = real.len().max(sim.len());
    if let Some(at) = (0..length).find(|at| real.get(*at) != sim.get(*at)) {
        let from = at.saturating_sub(2);
        let excerpt = |list: &[String]| {
            list.iter().skip(from).take(7).cloned().collect::<Vec<_>>().join("\n      ")
        };
        found.push(format!(
            "{what} differ at {at}\n    real:\n      {}\n    simulated:\n      {}",
            excerpt(real),
            excerpt(sim)
        ));
    }
}

fn fields(version: CliVersion, real: &Frame, sim: &Frame, found: &mut Vec<String>) {
    let unknown = |field: &&String| !is_known(version, &real.label, field);
    let missing: Vec<_> = real.fields.difference(&sim.fields).filter(unknown).collect();
    let extra: Vec<_> = sim.fields.difference(&real.fields).filter(unknown).collect();
    if !missing.is_empty() || !extra.is_empty() {
        found.push(format!("{}: without {missing:?}, with {extra:?}", real.label));
    }
}
