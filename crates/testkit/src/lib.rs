//! The test bed of Pilothouse: what stands on the other side of the code under test.
//!
//! * [`script`]: the small language in which a test says what the model answers. It rides in the
//!   prompt.
//! * [`answer`]: a scripted reply turned into what the Messages API sends for it. Pure, like
//!   `script`.
//! * [`model`]: the scripted Messages API on loopback.
//! * [`cli`]: the real CLI at the versions we test with, a throw-away home for it and a raw driver.
//! * [`hostile`]: a repository that attacks whoever opens it.
//! * [`record`]: plays scenarios with a real CLI and writes transcripts.
//! * [`sim`]: a simulated CLI that plays the same scripts without a model, and misbehaves on
//!   demand. Like `script` and `answer` it is a crate of its own, because the demo runs it too.
//!
//! Nothing in here knows the crates it is used to test.

#[cfg(unix)]
pub mod cli;
#[cfg(unix)]
pub mod hostile;
pub mod model;
#[cfg(unix)]
pub mod record;

pub use pilothouse_sim::{answer, script, sim};
