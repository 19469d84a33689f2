//! Names of traces and spans.
//!
//! A run's trace and its root span, and the span of a turn, are named after the run and the turn: a
//! daemon that takes over a run goes on with the same names, and can hand in the spans that the one
//! before it had left open. All other spans are named at random.

use std::fmt;

use pilothouse_session::id::{RunId, TurnId};
use uuid::Uuid;

/// Which trace, and which span in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct SpanContext {
    /// The trace; never 0.
    pub trace: u128,
    /// The span; never 0.
    pub span: u64,
}

/// Written as W3C `traceparent`, sampled.
impl fmt::Display for SpanContext {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "00-{:032x}-{:016x}-01", self.trace, self.span)
    }
}

/// A span in another program, as `traceparent` tells of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RemoteParent {
    /// The span.
    pub context: SpanContext,
    /// Whether it is recorded. Children of what is not recorded are not recorded either.
    pub is_sampled: bool,
}

impl RemoteParent {
    /// Reads a W3C `traceparent`. Versions to come may have more at the end.
    pub fn parse(text: &str) -> Option<Self> {
        let mut parts = text.trim().split('-');
        let mut next = |length: usize| {
            let part = parts.next().filter(|part| part.len() == length)?;
            let is_hex = |byte: u8| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte);
            part.bytes().all(is_hex).then_some(part)
        };
        let (version, trace, span, flags) = (next(2)?, next(32)?, next(16)?, next(2)?);
        let is_end = parts.next().is_none();
        if version == "ff" || version == "00" && !is_end {
            return None;
        }
        let trace = u128::from_str_radix(trace, 16).ok().filter(|id| *id != 0)?;
        let span = u64::from_str_radix(span, 16).ok().filter(|id| *id != 0)?;
        let flags = u8::from_str_radix(flags, 16).ok()?;
        Some(Self { context: SpanContext { trace, span }, is_sampled: flags & 1 == 1 })
    }
}

/// The root span of a run.
pub(super) fn of_run(run: RunId, parent: Option<RemoteParent>) -> SpanContext {
    let number = run.0.as_u128();
    let trace = parent.map_or(number.max(1), |parent| parent.context.trace);
    SpanContext { trace, span: mixed(low(number)) }
}

/// The span of a turn.
pub(super) fn of_turn(run: SpanContext, turn: TurnId) -> SpanContext {
    let span = mixed(run.span ^ turn.0.wrapping_mul(0x9e37_79b9_7f4a_7c15));
    SpanContext { span, ..run }
}

/// Where names of spans come from.
#[derive(Clone, Debug)]
pub(super) struct Names(u64);

impl Names {
    pub(super) fn new() -> Self {
        Self(low(Uuid::new_v4().as_u128()))
    }

    pub(super) fn within(&mut self, trace: u128) -> SpanContext {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        SpanContext { trace, span: mixed(self.0) }
    }
}

fn low(number: u128) -> u64 {
    (number & u128::from(u64::MAX)) as u64
}

/// Spreads a number over all bits, so that neighbours do not look alike.
fn mixed(number: u64) -> u64 {
    let number = (number ^ (number >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let number = (number ^ (number >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    (number ^ (number >> 31)).max(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_traceparent_is_read_as_it_is_written() {
        let context = SpanContext { trace: 0xabc, span: 0x12 };
        let parent = RemoteParent::parse(&context.to_string()).unwrap();
        assert_eq!(parent, RemoteParent { context, is_sampled: true });
    }

    #[test]
    fn what_is_no_traceparent_is_none() {
        let good = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-00";
        assert_eq!(RemoteParent::parse(good).map(|parent| parent.is_sampled), Some(false));
        assert!(RemoteParent::parse(&good.replacen("00", "cc", 1)).is_some(), "a later version");
        assert!(RemoteParent::parse(&format!("{}-more", good.replacen("00", "cc", 1))).is_some());
        let bad = [
            String::new(),
            "00".to_owned(),
            good.to_uppercase(),
            good.replacen("00", "ff", 1),
            format!("{good}-more"),
            good.replace("b7ad6b7169203331", "0000000000000000"),
            good.replace("0af7651916cd43dd8448eb211c80319c", "00000000000000000000000000000000"),
            good.replace("b7ad", "+7ad"),
            good[..54].to_owned(),
        ];
        for bad in bad {
            assert_eq!(RemoteParent::parse(&bad), None, "{bad}");
        }
    }

    #[test]
    fn turns_of_a_run_have_names_of_their_own() {
        let run = of_run(RunId(Uuid::from_u128(7)), None);
        let spans = (0..1000).map(|turn| of_turn(run, TurnId(turn)).span);
        assert_eq!(spans.collect::<std::collections::HashSet<_>>().len(), 1000);
        assert_eq!(of_turn(run, TurnId(3)), of_turn(run, TurnId(3)));
    }
}
