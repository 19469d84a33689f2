//! The daemon's face to the network.
//!
//! - [`problem`]: what every refusal looks like.
//! - [`extract`]: what handlers take from a request, refused with a problem where it does not fit.
//! - [`guard`]: who may ask, from where, how much and for how long; and the server itself.
//! - [`rest`]: the API's routes.
//! - [`assets`]: the pages of the browser client.
//! - [`openapi`]: their description, and the types of a client, made from the same table.
//!
//! Nothing here knows a session: handlers use the host's facade.

pub mod assets;
pub mod extract;
pub mod guard;
pub mod openapi;
mod pace;
pub mod problem;
pub mod rest;
pub mod sse;
pub mod ws;

pub use extract::{ApiJson, ApiPath, ApiQuery};
pub use guard::{Guard, Identity};
pub use problem::{Kind, Problem};
