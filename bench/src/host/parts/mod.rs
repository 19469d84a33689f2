//! What is measured, one file per part of the table.

mod append;
mod cold;
mod holder;
mod idle;
mod load;
mod node;
mod replay;
mod running;
mod stalled;

use std::path::PathBuf;

use super::Outcome;
use super::report::Row;

/// What a measurement is given.
#[derive(Clone, Debug)]
pub struct Terms {
    /// Where our programs are.
    pub programs: PathBuf,
    /// The rivals' sources.
    pub rivals: PathBuf,
    /// How long those take that can take any time.
    pub seconds: u64,
}

/// A part of the table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// 400 sessions with 100 lines a second each.
    Load400,
    /// 100 sessions with 100 lines a second each.
    Load100,
    /// One who does not read.
    Stalled,
    /// A thousand sessions and sockets, and nothing happens.
    Idle,
    /// Everything of a long session.
    Replay,
    /// From nothing to the first answer.
    Cold,
    /// The memory of a holder.
    Holder,
    /// How fast events are stored.
    Append,
    /// Beside a host in Node.
    Node,
}

impl Part {
    /// All, in the order of the table.
    pub const ALL: [Self; 9] = [
        Self::Load400,
        Self::Load100,
        Self::Stalled,
        Self::Idle,
        Self::Replay,
        Self::Cold,
        Self::Holder,
        Self::Append,
        Self::Node,
    ];

    /// Its name on the command line.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Load400 => "load-400",
            Self::Load100 => "load-100",
            Self::Stalled => "stalled",
            Self::Idle => "idle",
            Self::Replay => "replay",
            Self::Cold => "cold",
            Self::Holder => "holder",
            Self::Append => "append",
            Self::Node => "node",
        }
    }

    /// Measures.
    pub async fn measure(self, terms: &Terms) -> Vec<Row> {
        let measured: Outcome<Vec<Row>> = match self {
            Self::Load400 => load::measure(terms, 400).await,
            Self::Load100 => load::measure(terms, 100).await,
            Self::Stalled => stalled::measure(terms).await,
            Self::Idle => idle::measure(terms).await,
            Self::Replay => replay::measure(terms).await,
            Self::Cold => cold::measure(terms),
            Self::Holder => holder::measure(terms).await,
            Self::Append => append::measure(terms),
            Self::Node => node::measure(terms).await,
        };
        measured.unwrap_or_else(|error| vec![Row::failed(self.name(), &error.to_string())])
    }
}
