//! The Claude Code CLI's stream-json protocol as Rust types.
//!
//! A host starts the CLI ([`invocation`]), reads lines from its stdout ([`lines`], [`codec`]) and
//! writes lines to its stdin. Both sides make requests of each other ([`control`], [`peer`]). This
//! crate knows the words and does no I/O.
//!
//! Two promises hold for every type here:
//!
//! * **Total.** Any line decodes. What is not known (a type, a subtype, a block, a word) becomes
//!   `Unknown` or `Other`; a field of an unexpected kind moves to `extra` and costs nothing but
//!   itself.
//! * **Lossless.** What was decoded can be encoded again with every field it had.
//!
//! ```
//! use pilothouse_wire::{Inbound, codec};
//!
//! let line = br#"{"type":"result","subtype":"success","result":"Done.","new_field":1}"#;
//! let Inbound::Result(result) = codec::decode(line) else { panic!() };
//! assert_eq!(result.text(), "Done.");
//! assert_eq!(result.extra.get("new_field").unwrap().get(), "1");
//! ```

#![cfg_attr(docsrs, feature(doc_cfg))]

#[macro_use]
mod macros;

pub mod block;
pub mod capability;
pub mod codec;
pub mod control;
mod field;
pub mod hook;
pub mod invocation;
pub mod json;
pub mod lines;
pub mod message;
pub mod peer;
pub mod permission;
mod raw;
pub mod tool;

pub use block::{Block, Content};
pub use codec::{Frame, Inbound, Outbound};
pub use field::{Nullable, Object, Tag, Unknown, Wire};
pub use permission::{PermissionMode, PermissionResult, PermissionUpdate};
pub use raw::{Extra, Num, Raw};

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
