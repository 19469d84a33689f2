//! `login ls`, `login rename` and `login rm`: the browsers that are logged in.

use anyhow::bail;
use hyper::Method;
use jiff::Timestamp;
use pilothouse_host::config::Config;
use pilothouse_host::http::guard::{ChangeLogin, LoginRow};
use serde::Deserialize;

use super::{print, print_json, usage};
use crate::args::LoginCommand;
use crate::exit::Exit;
use crate::reach::{ApiError, Ask, Reach};
use crate::view::{ACCENT, BOLD, DIM, PLAIN, Screen, Table, ago, one_line};

#[derive(Deserialize)]
struct Page {
    items: Vec<LoginRow>,
}

pub(super) async fn logins(config: &Config, command: LoginCommand) -> anyhow::Result<Exit> {
    let mut reach = Reach::open(config).await?;
    let done = match command {
        LoginCommand::Ls { json } => ls(&mut reach, json).await,
        LoginCommand::Rename { login, name } => rename(&mut reach, &login, name).await,
        LoginCommand::Rm { logins } => rm(&mut reach, &logins).await,
    };
    reach.close().await;
    done
}

async fn all(reach: &mut Reach) -> Result<Vec<LoginRow>, ApiError> {
    Ok(reach.get::<Page>("/api/v1/logins").await?.items)
}

async fn ls(reach: &mut Reach, json: bool) -> anyhow::Result<Exit> {
    let rows = all(reach).await?;
    if json {
        return print_json(&rows);
    }
    if rows.is_empty() {
        return print("No browser is logged in. `pilothouse login` makes a link for one.\n");
    }
    let (mut table, now) = (Table::default(), Timestamp::now());
    for row in rows {
        table.row([
            (ACCENT, &*row.id),
            (BOLD, &one_line(row.name.as_deref().unwrap_or("browser"))),
            (PLAIN, &one_line(&row.origin)),
            (DIM, &format!("created {}", ago(row.created_at, now))),
            (DIM, &format!("used {}", ago(row.last_used_at, now))),
        ]);
    }
    table.write(&mut Screen::new())?;
    Ok(Exit::Done)
}

async fn rename(reach: &mut Reach, login: &str, name: String) -> anyhow::Result<Exit> {
    let rows = all(reach).await?;
    let id = &find(&rows, login)?.id;
    let change = Ask::new(Method::PATCH, path(id)).json(&ChangeLogin { name })?;
    reach.send(change).await?;
    print(&format!("renamed {id}\n"))
}

async fn rm(reach: &mut Reach, logins: &[String]) -> anyhow::Result<Exit> {
    let rows = all(reach).await?;
    let ended = logins.iter().map(|login| find(&rows, login)).collect::<Result<Vec<_>, _>>()?;
    for row in ended {
        reach.send(Ask::new(Method::DELETE, path(&row.id))).await?;
        print(&format!("ended {}\n", row.id))?;
    }
    Ok(Exit::Done)
}

fn path(id: &str) -> String {
    format!("/api/v1/logins/{id}")
}

/// The login with this id, this beginning of an id, or this name.
fn find<'r>(rows: &'r [LoginRow], wanted: &str) -> anyhow::Result<&'r LoginRow> {
    if wanted.is_empty() {
        return Err(usage("name a login by its id: see `pilothouse login ls`"));
    }
    let named: Vec<_> = rows.iter().filter(|row| row.name.as_deref() == Some(wanted)).collect();
    let fits: Vec<_> = match named.is_empty() {
        true => rows.iter().filter(|row| row.id.starts_with(wanted)).collect(),
        false => named,
    };
    match fits[..] {
        [row] => Ok(row),
        [] => bail!("there is no login `{wanted}`: see `pilothouse login ls`"),
        _ => bail!("`{wanted}` fits several logins: write more of the id"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(id: &str, name: Option<&str>) -> LoginRow {
        LoginRow {
            id: id.to_owned(),
            name: name.map(str::to_owned),
            origin: "http://127.0.0.1:7717".to_owned(),
            created_at: Timestamp::UNIX_EPOCH,
            last_used_at: Timestamp::UNIX_EPOCH,
            expires_at: Timestamp::UNIX_EPOCH,
            is_current: false,
        }
    }

    #[test]
    fn logins_are_found_by_id_and_by_name() {
        let rows = [
            row("00aa000000000000", Some("phone")),
            row("00ab000000000000", None),
            row("11aa000000000000", Some("desk")),
            row("22aa000000000000", Some("desk")),
        ];
        let found = |wanted: &str| find(&rows, wanted).ok().map(|row| &row.id[..4]);
        assert_eq!(found("phone"), Some("00aa"));
        assert_eq!(found("00ab"), Some("00ab"));
        assert_eq!(found("11aa000000000000"), Some("11aa"));
        for wanted in ["", "00", "desk", "x"] {
            assert_eq!(found(wanted), None, "{wanted}");
        }
    }
}
