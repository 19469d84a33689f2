//! Where a session could work.

use schemars::JsonSchema;
use serde::Deserialize;

use super::call::Call;
use super::limit;
use crate::files::{Directories, FileError, Hidden, Search};
use crate::host::blocking;
use crate::http::openapi::{Got, NoBody, Nothing};
use crate::http::problem::{Kind, Problem};

/// Which directories.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct ListDirectories {
    /// The directory that they are in; the first of those that can be looked through, if left out.
    #[serde(default)]
    path: Option<String>,
    /// How their names begin.
    #[serde(default)]
    starts: String,
    /// What becomes of those that begin with a dot.
    #[serde(default)]
    hidden: Hidden,
    /// How many.
    #[serde(default)]
    #[schemars(range(min = 1, max = 500))]
    limit: Option<u32>,
}

pub(super) async fn list(
    call: Call<Nothing, ListDirectories, NoBody>,
) -> Result<Got<Directories>, Problem> {
    let ListDirectories { path, starts, hidden, limit } = call.query;
    let limit = limit::page(limit)?;
    let roots = call.api.host.browsable().await.map_err(problem)?;
    let found = blocking(move || {
        let path = path.as_deref().unwrap_or(".");
        roots.directories(Search { path, starts: &starts, hidden, limit })
    });
    Ok(Got(found.await.map_err(problem)?))
}

/// What files say of a session's directories is not about these.
fn problem(error: FileError) -> Problem {
    match error {
        FileError::Outside(path) => {
            let detail = format!(
                "`{path}` cannot be looked through: name it whole, or name a directory above it in \
                 `files.browse` of the configuration"
            );
            Problem::new(Kind::Forbidden, detail)
        }
        FileError::NoDirectory(path) => {
            let detail = format!(
                "{} cannot be looked through: is it still there, and may it be read?",
                path.display()
            );
            Problem::new(Kind::Conflict, detail)
        }
        other => other.into(),
    }
}
