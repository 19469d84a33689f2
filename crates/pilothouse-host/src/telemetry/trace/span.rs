//! A span that has ended, and one that has not.

use std::borrow::Cow;

use jiff::Timestamp;

use super::context::SpanContext;

/// How many events a span may have. A run may go on for days.
const EVENTS: usize = 256;

/// A value of an attribute.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    /// Text.
    Text(Cow<'static, str>),
    /// A number.
    Int(i64),
    /// A number that need not be whole.
    Float(f64),
    /// Yes or no.
    Bool(bool),
}

/// An attribute.
pub type Attribute = (&'static str, Value);

/// Something that happened while a span was open.
#[derive(Clone, Debug, PartialEq)]
pub struct SpanEvent {
    /// What.
    pub name: Cow<'static, str>,
    /// When.
    pub at: Timestamp,
    /// More about it.
    pub attributes: Vec<Attribute>,
}

/// What a span stands for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SpanKind {
    /// Something within this program.
    #[default]
    Internal,
    /// This program asked somebody else.
    Client,
    /// Somebody else asked this program.
    Server,
}

/// A span.
#[derive(Clone, Debug, PartialEq)]
pub struct Span {
    /// Its name.
    pub name: Cow<'static, str>,
    /// Which it is.
    pub context: SpanContext,
    /// The span it is part of, in the same trace.
    pub parent: Option<u64>,
    /// The parent is another program's.
    pub parent_is_remote: bool,
    /// What it stands for.
    pub kind: SpanKind,
    /// When it began.
    pub start: Timestamp,
    /// When it ended.
    pub end: Timestamp,
    /// More about it.
    pub attributes: Vec<Attribute>,
    /// What happened meanwhile.
    pub events: Vec<SpanEvent>,
    /// How many events there were besides.
    pub dropped_events: u32,
    /// Why it failed, where it did.
    pub failure: Option<String>,
}

impl Span {
    pub(super) fn new(
        name: impl Into<Cow<'static, str>>,
        context: SpanContext,
        parent: Option<u64>,
        at: Timestamp,
    ) -> Self {
        Self {
            name: name.into(),
            context,
            parent,
            parent_is_remote: false,
            kind: SpanKind::Internal,
            start: at,
            end: at,
            attributes: Vec::new(),
            events: Vec::new(),
            dropped_events: 0,
            failure: None,
        }
    }

    /// Sets an attribute; what it was before is forgotten.
    pub(super) fn set(&mut self, key: &'static str, value: impl Into<Value>) {
        let value = value.into();
        match self.attributes.iter_mut().find(|(known, _)| *known == key) {
            Some((_, before)) => *before = value,
            None => self.attributes.push((key, value)),
        }
    }

    pub(super) fn set_some(&mut self, key: &'static str, value: Option<impl Into<Value>>) {
        if let Some(value) = value {
            self.set(key, value);
        }
    }

    pub(super) fn add_event(&mut self, event: SpanEvent) {
        if self.events.len() < EVENTS {
            self.events.push(event);
        } else {
            self.dropped_events = self.dropped_events.saturating_add(1);
        }
    }

    /// Clocks may go back; spans may not.
    pub(super) fn ended(mut self, at: Timestamp) -> Self {
        self.end = at.max(self.start);
        self
    }

    /// Roughly how much memory it takes.
    pub(super) fn weight(&self) -> usize {
        let text = |attributes: &[Attribute]| -> usize {
            let length = |(_, value): &Attribute| match value {
                Value::Text(text) => 48 + text.len(),
                _ => 48,
            };
            attributes.iter().map(length).sum()
        };
        let events = self.events.iter().map(|event| 64 + text(&event.attributes)).sum::<usize>();
        256 + text(&self.attributes) + events
    }
}

impl From<String> for Value {
    fn from(text: String) -> Self {
        Self::Text(text.into())
    }
}

impl From<&'static str> for Value {
    fn from(text: &'static str) -> Self {
        Self::Text(text.into())
    }
}

impl From<u64> for Value {
    fn from(number: u64) -> Self {
        Self::Int(i64::try_from(number).unwrap_or(i64::MAX))
    }
}

impl From<usize> for Value {
    fn from(number: usize) -> Self {
        Self::Int(i64::try_from(number).unwrap_or(i64::MAX))
    }
}

impl From<i32> for Value {
    fn from(number: i32) -> Self {
        Self::Int(number.into())
    }
}

impl From<u32> for Value {
    fn from(number: u32) -> Self {
        Self::Int(number.into())
    }
}

impl From<f64> for Value {
    fn from(number: f64) -> Self {
        Self::Float(number)
    }
}

impl From<bool> for Value {
    fn from(answer: bool) -> Self {
        Self::Bool(answer)
    }
}
