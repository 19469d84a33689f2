//! Tokens and money: for a turn, since the last result, and for the session.

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};

/// Token counts.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Tokens {
    pub(super) input: u64,
    pub(super) output: u64,
    pub(super) cache_read: u64,
    pub(super) cache_creation: u64,
}

impl Tokens {
    /// From the `usage` of a message.
    pub(super) fn of(usage: &Value) -> Self {
        let count = |key: &str| usage[key].as_u64().unwrap_or(0);
        Self {
            input: count("input_tokens"),
            output: count("output_tokens"),
            cache_read: count("cache_read_input_tokens"),
            cache_creation: count("cache_creation_input_tokens"),
        }
    }

    pub(super) fn add(&mut self, other: Self) {
        self.input += other.input;
        self.output += other.output;
        self.cache_read += other.cache_read;
        self.cache_creation += other.cache_creation;
    }

    pub(super) fn total(self) -> u64 {
        self.input + self.output + self.cache_read + self.cache_creation
    }

    /// The `usage` of a result.
    pub(super) fn usage(self) -> Value {
        json!({
            "input_tokens": self.input,
            "cache_creation_input_tokens": self.cache_creation,
            "cache_read_input_tokens": self.cache_read,
            "output_tokens": self.output,
            "output_tokens_details": {"thinking_tokens": 0},
            "server_tool_use": {"web_search_requests": 0, "web_fetch_requests": 0},
            "service_tier": "standard",
            "cache_creation": {"ephemeral_1h_input_tokens": 0, "ephemeral_5m_input_tokens": 0},
            "inference_geo": "",
            "iterations": [],
            "speed": "standard",
            "fallback_credit": null,
        })
    }
}

/// Dollars for a million tokens, in and out.
fn prices(model: &str) -> (f64, f64) {
    match model {
        model if model.contains("haiku") => (0.1, 0.5),
        model if model.contains("sonnet") => (2.0, 10.0),
        model if model.contains("fable") => (8.0, 40.0),
        _ => (4.0, 20.0),
    }
}

fn cost(model: &str, tokens: Tokens) -> f64 {
    let (price_in, price_out) = prices(model);
    // Reading the cache costs a tenth, filling it a quarter more.
    let input =
        tokens.input as f64 + tokens.cache_read as f64 * 0.1 + tokens.cache_creation as f64 * 1.25;
    (input * price_in + tokens.output as f64 * price_out) / 1e6
}

#[derive(Debug, Clone, Copy, Default)]
struct Account {
    tokens: Tokens,
    cost: f64,
}

type Accounts = BTreeMap<String, Account>;

/// What was used, by model.
#[derive(Debug, Clone, Default)]
pub(super) struct Ledger {
    session: Accounts,
    since_result: Accounts,
}

impl Ledger {
    pub(super) fn book(&mut self, model: &str, tokens: Tokens) {
        for accounts in [&mut self.session, &mut self.since_result] {
            let account = accounts.entry(model.to_owned()).or_default();
            account.tokens.add(tokens);
            account.cost += cost(model, tokens);
        }
    }

    pub(super) fn total_cost(&self) -> f64 {
        self.session.values().map(|account| account.cost).sum()
    }

    pub(super) fn tokens(&self) -> Tokens {
        let mut sum = Tokens::default();
        for account in self.session.values() {
            sum.add(account.tokens);
        }
        sum
    }

    /// `modelUsage` for the session.
    pub(super) fn model_usage(&self) -> Value {
        model_usage(&self.session)
    }

    /// The same since the last result, which this one is.
    pub(super) fn take_since_result(&mut self) -> Value {
        model_usage(&std::mem::take(&mut self.since_result))
    }

    /// As it is kept in a transcript.
    pub(super) fn saved(&self) -> Value {
        json!({"totalCostUSD": self.total_cost(), "modelUsage": self.model_usage()})
    }

    /// Goes on from what a transcript kept.
    pub(super) fn restore(&mut self, saved: &Value) {
        for (model, usage) in saved["modelUsage"].as_object().into_iter().flatten() {
            let count = |key: &str| usage[key].as_u64().unwrap_or(0);
            let tokens = Tokens {
                input: count("inputTokens"),
                output: count("outputTokens"),
                cache_read: count("cacheReadInputTokens"),
                cache_creation: count("cacheCreationInputTokens"),
            };
            let cost = usage["costUSD"].as_f64().unwrap_or(0.0);
            self.session.insert(model.clone(), Account { tokens, cost });
        }
    }
}

fn model_usage(accounts: &Accounts) -> Value {
    let mut usage = Map::new();
    for (model, account) in accounts {
        let entry = json!({
            "inputTokens": account.tokens.input,
            "outputTokens": account.tokens.output,
            "cacheReadInputTokens": account.tokens.cache_read,
            "cacheCreationInputTokens": account.tokens.cache_creation,
            "webSearchRequests": 0,
            "costUSD": account.cost,
            "contextWindow": 1_000_000,
            "maxOutputTokens": 128_000,
            "thinkingTokens": 0,
            "cacheCreationEphemeral5mInputTokens": 0,
            "cacheCreationEphemeral1hInputTokens": 0,
            "canonicalModel": model,
            "provider": "firstParty",
            "costBasis": "list",
        });
        usage.insert(model.clone(), entry);
    }
    Value::Object(usage)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn totals_grow_and_the_rest_starts_again() {
        let tokens = Tokens { input: 100, output: 20, ..Tokens::default() };
        let mut ledger = Ledger::default();
        ledger.book("claude-opus-5-5", tokens);
        assert_eq!(ledger.total_cost(), 0.0008);
        assert_eq!(ledger.take_since_result()["claude-opus-5-5"]["inputTokens"], 100);
        ledger.book("claude-opus-5-5", tokens);
        assert_eq!(ledger.total_cost(), 0.0016);
        assert_eq!(ledger.take_since_result()["claude-opus-5-5"]["inputTokens"], 100);
        assert_eq!(ledger.model_usage()["claude-opus-5-5"]["inputTokens"], 200);
        let mut later = Ledger::default();
        later.restore(&ledger.saved());
        assert_eq!(later.model_usage(), ledger.model_usage());
    }
}
