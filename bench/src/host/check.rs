//! Holds what a client hears of a session against what its generator said.
//!
//! Every piece must come once, in order, at its offset; every event must have the next number;
//! every message must be exactly its pieces.

use serde::Deserialize;

use super::latency::Durations;
use super::script::{Mark, PIECES, Plan, moment_of};

/// One of the daemon's messages, as far as it matters here.
#[derive(Debug, Deserialize)]
pub struct Part<'a> {
    /// What it is.
    #[serde(rename = "type")]
    pub kind: &'a str,
    /// Events.
    #[serde(default)]
    events: Vec<Event<'a>>,
    /// Pieces.
    #[serde(default, borrow)]
    deltas: Vec<Delta<'a>>,
    /// How long each of the message's events and pieces was held back on purpose, with its length.
    #[serde(default)]
    held_us: Vec<(usize, u32)>,
}

#[derive(Debug, Deserialize)]
struct Event<'a> {
    seq: u64,
    #[serde(rename = "type")]
    kind: &'a str,
    #[serde(default)]
    text: Option<String>,
    #[serde(default)]
    uuid: Option<&'a str>,
}

#[derive(Debug, Deserialize)]
struct Delta<'a> {
    item: u64,
    offset: usize,
    text: &'a str,
}

/// What was heard of one session.
#[derive(Debug, Default)]
pub struct Heard {
    /// The number of the last event.
    seq: u64,
    /// How many pieces have come.
    pieces: u64,
    /// The item that is open, and how long it is.
    open: Option<(u64, usize)>,
    /// What its pieces say.
    text: String,
    /// How many messages, and results.
    messages: u64,
    turns: u64,
    /// The CLI can be spoken to.
    pub is_ready: bool,
    /// It has ended.
    pub is_ended: bool,
    /// Everything that is stored has been heard.
    pub is_live: bool,
    /// What is missing, or came twice, or at the wrong place.
    pub faults: Vec<String>,
    /// How often the daemon has left out pieces.
    pub lagged: u64,
    /// When each line that shows was written, and how long it took and was held back, in
    /// nanoseconds.
    pub lines: Vec<Seen>,
}

/// Lengths of events and pieces, and how long they were held back.
struct Held<I>(I);

impl<I: Iterator<Item = (usize, u32)>> Held<I> {
    /// The next length and time, in nanoseconds; nothing where the daemon does not say.
    fn next(&mut self) -> (usize, u64) {
        self.0.next().map_or((0, 0), |(length, micros)| (length, u64::from(micros) * 1000))
    }
}

/// A line that has arrived.
#[derive(Clone, Copy, Debug)]
pub struct Seen {
    /// When it was written.
    pub at: u64,
    /// How long it was on its way, on purpose or not.
    pub took: u64,
    /// How long it was held back on purpose.
    pub gathered: u64,
    /// Whether it had to be stored first.
    pub is_event: bool,
}

impl Heard {
    /// Takes in a message of the daemon.
    pub fn hear(&mut self, text: &[u8], came_at: u64) -> serde_json::Result<()> {
        let parts: Vec<Part<'_>> = serde_json::from_slice(text)?;
        let mut held = Held(parts.iter().flat_map(|part| part.held_us.iter()).copied());
        for part in &parts {
            match part.kind {
                "live" => self.is_live = true,
                "lagged" => {
                    self.lagged += 1;
                    self.open = None;
                    self.text.clear();
                }
                "unsubscribed" => self.faults.push("the session is not shown any more".to_owned()),
                _ => {}
            }
            for event in &part.events {
                let (_, held) = held.next();
                if event.seq != self.seq + 1 {
                    self.faults.push(format!("event {} came after {}", event.seq, self.seq));
                }
                self.seq = event.seq;
                self.event(event, came_at, held);
            }
            for delta in &part.deltas {
                self.delta(delta, came_at, &mut held);
            }
        }
        Ok(())
    }

    fn event(&mut self, event: &Event<'_>, came_at: u64, held: u64) {
        match event.kind {
            "run_ready" => self.is_ready = true,
            "run_ended" => self.is_ended = true,
            "complete" => self.turns += 1,
            "message" => {
                self.messages += 1;
                if self.pieces > 0 && self.lagged == 0 && event.text.as_deref() != Some(&self.text)
                {
                    self.faults.push(format!("message {} is not its pieces", self.messages));
                }
                self.text.clear();
                self.open = None;
                if let Some(at) = event.uuid.and_then(moment_of) {
                    self.seen(at, came_at, held, true);
                }
            }
            _ => {}
        }
    }

    fn delta(
        &mut self,
        delta: &Delta<'_>,
        came_at: u64,
        held: &mut Held<impl Iterator<Item = (usize, u32)>>,
    ) {
        let expected = match self.open {
            Some((item, length)) if item == delta.item => length,
            _ => 0,
        };
        if delta.offset != expected && self.lagged == 0 {
            self.faults.push(format!("a piece at {} where {expected} was due", delta.offset));
        }
        self.open = Some((delta.item, delta.offset + delta.text.len()));
        self.text.push_str(delta.text);
        let (mut end, mut time) = held.next();
        for (at, _) in delta.text.match_indices('@') {
            while at >= end && end > 0 {
                let (length, next) = held.next();
                end = if length == 0 { 0 } else { end + length };
                time = next;
            }
            let held = time;
            let mark = delta.text.get(at..).and_then(Mark::read);
            match mark {
                Some(mark) if mark.number == self.pieces || self.lagged > 0 => {
                    self.pieces += 1;
                    self.seen(mark.at, came_at, held, false);
                }
                _ => self.faults.push(format!("{mark:?} where piece {} was due", self.pieces)),
            }
        }
    }

    fn seen(&mut self, at: u64, came_at: u64, gathered: u64, is_event: bool) {
        let took = came_at.saturating_sub(at);
        self.lines.push(Seen { at, took, gathered, is_event });
    }

    /// The number of the last event.
    #[must_use]
    pub fn seq(&self) -> u64 {
        self.seq
    }

    /// Whether the generator has said everything.
    #[must_use]
    pub fn is_over(&self, plan: Plan) -> bool {
        self.turns >= plan.turns
    }

    /// How many lines of the plan have not arrived.
    #[must_use]
    pub fn lost(&self, plan: Plan) -> u64 {
        let pieces = plan.pieces().saturating_sub(self.pieces);
        let messages = plan.messages().saturating_sub(self.messages);
        debug_assert_eq!(plan.pieces(), plan.messages() * PIECES);
        pieces + messages + plan.turns.saturating_sub(self.turns)
    }
}

/// The lines of all sessions, divided.
#[derive(Debug, Default)]
pub struct Latency {
    /// From the line to the client, without what was held back on purpose.
    pub added: Durations,
    /// The same, of lines that had to be stored first.
    pub events: Durations,
    /// Held back on purpose.
    pub gathered: Durations,
    /// Both.
    pub total: Durations,
}

impl Latency {
    /// Of lines that were written within a time.
    pub fn of<'a>(lines: impl IntoIterator<Item = &'a Seen>, within: impl Fn(u64) -> bool) -> Self {
        let mut all = Self::default();
        for line in lines.into_iter().filter(|line| within(line.at)) {
            let added = line.took.saturating_sub(line.gathered);
            all.added.add(added);
            all.gathered.add(line.gathered);
            all.total.add(line.took);
            if line.is_event {
                all.events.add(added);
            }
        }
        all
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn delta(offset: usize, number: u64) -> String {
        let text = Mark { number, at: 5 }.text();
        format!(
            "[{{\"type\":\"deltas\",\"session\":\"x\",\"deltas\":[{{\"item\":1,\"type\":\"message_chunk\",\"offset\":{offset},\"text\":\"{text}\"}}]}},{{\"type\":\"timing\",\"held_us\":[[40,2]]}}]"
        )
    }

    #[test]
    fn what_is_missing_is_noticed() {
        let mut heard = Heard::default();
        heard.hear(delta(0, 0).as_bytes(), 4_000).unwrap();
        assert!(heard.faults.is_empty());
        assert_eq!((heard.lines[0].took, heard.lines[0].gathered), (3_995, 2_000));
        heard.hear(delta(61, 2).as_bytes(), 1_000).unwrap();
        assert_eq!(heard.faults.len(), 2, "{:?}", heard.faults);
        heard.hear(br#"[{"type":"events","events":[{"seq":2,"type":"complete"}]}]"#, 9).unwrap();
        assert_eq!(heard.faults.len(), 3, "{:?}", heard.faults);
        assert_eq!(heard.lost(Plan { turns: 1, rate: 1 }), PIECES * 10 - 1 + 10);
    }
}
