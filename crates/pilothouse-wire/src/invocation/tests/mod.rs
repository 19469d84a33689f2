//! Options in, command lines out: as tables, and as laws that hold for any options.

mod arguments;
mod environment;
mod injection;
mod laws;
mod mcp;
mod refusals;
