//! How full the context is, and what the turns took.
//!
//! Context is what the last message of the main thread read and wrote; subagents have their own and
//! do not count. Costs and tokens by model are totals of the run, as the CLI keeps them: they are
//! passed on, never summed.

use std::collections::BTreeMap;

use pilothouse_wire::message::{ModelUsages, Usage};
use pilothouse_wire::{Nullable, Num};
use serde::{Deserialize, Serialize};

use super::Session;
use crate::event::{Body, ModelShare, Tokens};

/// Tokens of a context whose size nobody has told yet.
const WINDOW: u64 = 200_000;

/// The gauge.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(super) struct Meter {
    used: u64,
    window: Option<u64>,
    /// What was last shown.
    shown: Option<(u64, u64)>,
}

impl Meter {
    /// A message of the main thread has read and written this much.
    pub(super) fn grew(&mut self, usage: &Usage) {
        let tokens = tokens(usage);
        let used = tokens.input + tokens.output + tokens.cache_creation + tokens.cache_read;
        if used > 0 {
            self.used = used;
        }
    }

    pub(super) fn learn_window(&mut self, models: &ModelUsages, main: Option<&str>) {
        let of_main = main.and_then(|main| models.get(main));
        let usage = of_main.or_else(|| models.values().next());
        self.window = usage.and_then(|usage| usage.context_window).or(self.window);
    }

    /// The conversation was summarised; to how much is not always told.
    pub(super) fn shrank(&mut self, used: Option<u64>) {
        self.used = used.unwrap_or(self.used);
    }

    pub(super) fn empty(&mut self) {
        self.used = 0;
    }
}

impl Session {
    pub(super) fn show_context(&mut self) {
        let reading = (self.meter.used, self.meter.window.unwrap_or(WINDOW));
        if self.meter.used > 0 && self.meter.shown != Some(reading) {
            self.meter.shown = Some(reading);
            self.tell(Body::ContextWindow { used: reading.0, window: reading.1 });
        }
    }
}

pub(super) fn tokens(usage: &Usage) -> Tokens {
    let count = |count: &Nullable<u64>| count.get().copied().unwrap_or(0);
    Tokens {
        input: count(&usage.input_tokens),
        output: count(&usage.output_tokens),
        cache_creation: count(&usage.cache_creation_input_tokens),
        cache_read: count(&usage.cache_read_input_tokens),
    }
}

pub(super) fn shares(models: &ModelUsages) -> BTreeMap<String, ModelShare> {
    let share = |usage: &pilothouse_wire::message::ModelUsage| ModelShare {
        tokens: Tokens {
            input: usage.input_tokens.unwrap_or(0),
            output: usage.output_tokens.unwrap_or(0),
            cache_creation: usage.cache_creation_input_tokens.unwrap_or(0),
            cache_read: usage.cache_read_input_tokens.unwrap_or(0),
        },
        cost_usd: number(usage.cost_usd.as_ref()),
        context_window: usage.context_window,
    };
    models.iter().map(|(model, usage)| (model.clone(), share(usage))).collect()
}

pub(super) fn number(number: Option<&Num>) -> Option<f64> {
    number.and_then(Num::as_f64)
}
