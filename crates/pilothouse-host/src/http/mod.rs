//! The daemon's face to the network.
//!
//! - [`problem`]: what every refusal looks like.
//! - [`extract`]: what handlers take from a request, refused with a problem where it does not fit.
//! - [`guard`]: who may ask, from where, how much and for how long; and the server itself.
//!
//! Nothing here knows a session: handlers use the host's facade.

pub mod extract;
pub mod guard;
pub mod problem;
mod rest;
pub mod sse;
pub mod ws;

pub use extract::{ApiJson, ApiPath, ApiQuery};
pub use guard::{Guard, Identity};
pub use problem::{Kind, Problem};
