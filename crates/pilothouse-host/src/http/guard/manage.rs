//! Lists, renames and ends logins.

use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use jiff::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Guard;
use super::identity::Identity;
use super::logins::{Login, LoginId};
use super::routes::{blocking, check_name};
use crate::http::extract::{ApiJson, ApiPath};
use crate::http::problem::Problem;
use crate::store::Page;

/// A browser that has logged in.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct LoginRow {
    /// Identifies the login; the same as in the audit.
    pub id: String,
    /// What its owner calls it.
    pub name: Option<String>,
    /// The address at which it was made: `http://127.0.0.1:7717`. It works at no other.
    pub origin: String,
    /// When it was made.
    pub created_at: Timestamp,
    /// When it was last used, to within a few minutes.
    pub last_used_at: Timestamp,
    /// When it ends if it is not used before.
    pub expires_at: Timestamp,
    /// Whether this request was made with it.
    pub is_current: bool,
}

/// A login, in a path.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
pub struct OfLogin {
    /// The login's id.
    pub login: String,
}

/// Changes a login.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ChangeLogin {
    /// The new name, of at most 64 characters; empty for none.
    pub name: String,
}

impl LoginRow {
    fn new(login: &Login, guard: &Guard, asking: &Identity) -> Self {
        let id = login.id.to_string();
        let is_current = matches!(asking, Identity::Login { id: asking, .. } if *asking == id);
        Self {
            id,
            name: Some(login.name.clone()).filter(|name| !name.is_empty()),
            origin: login.origin.clone(),
            created_at: login.created_at,
            last_used_at: login.last_used_at,
            expires_at: login.ends_at(guard.login_terms().login_idle),
            is_current,
        }
    }
}

pub(super) async fn list(State(guard): State<Guard>, asking: Identity) -> Json<Page<LoginRow>> {
    let logins = guard.logins().list(Timestamp::now());
    let items = logins.iter().map(|login| LoginRow::new(login, &guard, &asking)).collect();
    Json(Page { items, next: None })
}

pub(super) async fn change(
    State(guard): State<Guard>,
    ApiPath(OfLogin { login }): ApiPath<OfLogin>,
    asking: Identity,
    ApiJson(ChangeLogin { name }): ApiJson<ChangeLogin>,
) -> Result<Json<LoginRow>, Problem> {
    check_name(&name)?;
    let id = LoginId::parse(&login).ok_or_else(missing)?;
    let changing = guard.clone();
    let changed = blocking(move || changing.logins().rename(id, name)).await?;
    let changed = changed.ok_or_else(missing)?;
    Ok(Json(LoginRow::new(&changed, &guard, &asking)))
}

/// Ends a login, and the sockets and streams that were opened with it.
pub(super) async fn end(
    State(guard): State<Guard>,
    ApiPath(OfLogin { login }): ApiPath<OfLogin>,
    asking: Identity,
) -> Result<StatusCode, Problem> {
    let id = LoginId::parse(&login).ok_or_else(missing)?;
    if !guard.end(id).await? {
        return Err(missing());
    }
    tracing::info!(who = %asking, login = %id, "ended a login");
    Ok(StatusCode::NO_CONTENT)
}

fn missing() -> Problem {
    Problem::not_found("there is no such login, or it has ended: list them with GET /api/v1/logins")
}
