//! Everything that can be asked over HTTP.

mod problem;
