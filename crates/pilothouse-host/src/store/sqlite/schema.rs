//! The tables, and the way to them from every version before.
//!
//! Steps are only added, never changed: a file of any version becomes what a new file is. Each step
//! is one transaction, with the version it leads to. There is no way back; a newer file is refused.

use rusqlite::{Connection, TransactionBehavior};

use super::{search, usage};
use crate::store::error::StoreError;

/// One step.
struct Step {
    sql: &'static str,
    /// What has to be computed.
    then: fn(&Connection) -> Result<(), StoreError>,
}

/// From version 0, which is an empty file.
const STEPS: [Step; 4] = [
    Step { sql: include_str!("schema/1_core.sql"), then: |_| Ok(()) },
    Step { sql: include_str!("schema/2_search.sql"), then: search::fill },
    Step { sql: include_str!("schema/3_usage.sql"), then: usage::fill },
    Step { sql: include_str!("schema/4_trust.sql"), then: |_| Ok(()) },
];

/// The version of the tables.
pub(in crate::store) const VERSION: u32 = STEPS.len() as u32;

/// Refuses a file that a newer version wrote.
pub(super) fn check(conn: &Connection) -> Result<(), StoreError> {
    match version(conn)? {
        found if found > VERSION => Err(StoreError::NewerSchema { found, known: VERSION }),
        _ => Ok(()),
    }
}

/// Brings the file up to date.
pub(super) fn migrate(conn: &mut Connection) -> Result<(), StoreError> {
    loop {
        if version(conn)? == VERSION {
            return Ok(());
        }
        let tx = conn.transaction_with_behavior(TransactionBehavior::Immediate)?;
        // Another process may have done the step while the lock was waited for.
        let found = version(&tx)?;
        let Some(step) = STEPS.get(found as usize) else {
            return check(&tx);
        };
        tx.execute_batch(step.sql)?;
        (step.then)(&tx)?;
        tx.pragma_update(None, "user_version", found + 1)?;
        tx.commit()?;
    }
}

fn version(conn: &Connection) -> Result<u32, StoreError> {
    Ok(conn.pragma_query_value(None, "user_version", |row| row.get(0))?)
}
