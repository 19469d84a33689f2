//! Leases.

use std::time::Duration;

use jiff::{SignedDuration, Timestamp};
use pilothouse_session::id::SessionId;
use rusqlite::{Connection, OptionalExtension, params};

use super::{Tx, number_of, signed, time, unsigned};
use crate::store::claim::Claim;
use crate::store::error::StoreError;

/// The token of the last claim.
pub(super) fn token(conn: &Connection, no: i64) -> Result<Option<u64>, StoreError> {
    let mut statement = conn.prepare_cached("SELECT token FROM claims WHERE session = ?1")?;
    let token: Option<i64> = statement.query_row([no], |row| row.get(0)).optional()?;
    Ok(token.map(unsigned))
}

pub(in crate::store) fn claim(
    tx: &mut Tx<'_>,
    session: SessionId,
    owner: &str,
    lease: Duration,
    now: Timestamp,
) -> Result<Claim, StoreError> {
    let no = number_of(tx.conn, session)?;
    let mut statement =
        tx.conn.prepare_cached("SELECT owner, token, until FROM claims WHERE session = ?1")?;
    let row = |row: &rusqlite::Row<'_>| {
        let owner: Option<String> = row.get(0)?;
        Ok((owner, unsigned(row.get(1)?), time(2, row.get(2)?)?))
    };
    let current = statement.query_row([no], row).optional()?;
    let lease = SignedDuration::try_from(lease).unwrap_or(SignedDuration::MAX);
    let until = now.checked_add(lease).unwrap_or(Timestamp::MAX);
    let token = match current {
        Some((Some(other), _, until)) if other != owner && until > now => {
            return Err(StoreError::Claimed { session, owner: other, until });
        }
        Some((Some(same), token, until)) if same == owner && until > now => token,
        Some((_, token, _)) => token + 1,
        None => 1,
    };
    let mut statement = tx.conn.prepare_cached(
        "INSERT INTO claims (session, owner, token, until) VALUES (?1, ?2, ?3, ?4)
         ON CONFLICT (session) DO UPDATE SET
             owner = excluded.owner, token = excluded.token, until = excluded.until",
    )?;
    statement.execute(params![no, owner, signed(token), until.as_microsecond()])?;
    tx.tails.forget(session);
    Ok(Claim { session, owner: owner.to_owned(), token, until })
}

/// The row stays, for its token: the next one has to be larger.
pub(in crate::store) fn release(tx: &mut Tx<'_>, claim: &Claim) -> Result<(), StoreError> {
    let mut statement = tx.conn.prepare_cached(
        "UPDATE claims SET owner = NULL, until = 0, token = token + 1
         WHERE session = (SELECT no FROM sessions WHERE id = ?1) AND owner = ?2 AND token = ?3",
    )?;
    statement.execute(params![claim.session.0.as_bytes(), claim.owner, signed(claim.token)])?;
    tx.tails.forget(claim.session);
    Ok(())
}
