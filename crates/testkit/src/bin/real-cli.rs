//! A real CLI, the newest or the version in the first argument, with its scripted model, for tests that
//! are not written in Rust.
//!
//! Writes where everything is as one line of JSON (`program`, `env`, `home`, `cwd`), then answers
//! orders from stdin, one line of JSON each, in their order; ends with stdin and leaves nothing
//! behind.
//!
//! ```text
//! release NAME     lets answers pass that wait, or will wait, at `hold NAME`
//! held NAME        waits until an answer has come to `hold NAME`
//! abandoned NAME   waits until the CLI has hung up at `hold NAME`
//! asked            what the model was asked last in a conversation
//! plant            makes the project a hostile repository
//! ran              names of the repository's programs that ran, and how many requests it diverted
//! ```
//!
//! A reply is `{"ok": VALUE}` or `{"error": TEXT}`.
#![allow(clippy::print_stdout, clippy::print_stderr, reason = "it is spoken to over its pipes")]

use std::io;
use std::process::ExitCode;

use serde_json::{Map, Value, json};
use testkit::cli::{CliVersion, Harness};
use testkit::hostile::HostileRepository;
use testkit::model::{ModelError, ScriptedModel};
use tokio::io::{AsyncBufReadExt, BufReader};

#[tokio::main]
async fn main() -> ExitCode {
    match serve().await {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

async fn serve() -> Result<(), Box<dyn std::error::Error>> {
    let model = ScriptedModel::start().await?;
    let thief = ScriptedModel::start().await?;
    let wanted = std::env::args().nth(1);
    let version = match &wanted {
        None => CliVersion::ALL.first().copied(),
        Some(wanted) => CliVersion::ALL.into_iter().find(|version| version.number() == wanted),
    };
    let version = version.ok_or_else(|| format!("there is no version {wanted:?} here"))?;
    let harness = Harness::new(version, &model.base_url())?;
    let env: Map<_, _> =
        harness.env().into_iter().map(|(name, value)| (name, Value::from(value))).collect();
    println!(
        "{}",
        json!({"program": harness.program(), "env": env, "home": harness.home(), "cwd": harness.cwd()})
    );
    let mut bed = Bed { model, thief, harness, repository: None };
    let mut orders = BufReader::new(tokio::io::stdin()).lines();
    while let Some(order) = orders.next_line().await? {
        let reply = match bed.carry_out(&order).await {
            Ok(value) => json!({"ok": value}),
            Err(error) => json!({"error": error.to_string()}),
        };
        println!("{reply}");
    }
    Ok(())
}

#[derive(Debug, thiserror::Error)]
enum OrderError {
    #[error(transparent)]
    Model(#[from] ModelError),
    #[error("the repository cannot be planted: {0}")]
    Plant(#[from] io::Error),
    #[error("the model was not asked anything yet")]
    NotAsked,
    #[error("there is no order {0:?}; see the head of real-cli.rs")]
    Unknown(String),
}

/// What orders are about.
struct Bed {
    model: ScriptedModel,
    /// Where a hostile repository wants requests to go.
    thief: ScriptedModel,
    harness: Harness,
    repository: Option<HostileRepository>,
}

impl Bed {
    fn plant(&self) -> io::Result<HostileRepository> {
        let marks = self.harness.home().with_file_name("marks");
        let thief = self.thief.base_url();
        let repository = HostileRepository::plant(self.harness.cwd(), &marks, &thief)?;
        repository.plant_git()?;
        Ok(repository)
    }

    async fn carry_out(&mut self, order: &str) -> Result<Value, OrderError> {
        let (verb, name) = order.split_once(' ').unwrap_or((order, ""));
        let model = &self.model;
        match verb {
            "plant" => self.repository = Some(self.plant()?),
            "ran" => {
                let ran = self.repository.as_ref().map(HostileRepository::marks);
                let diverted = self.thief.requests().len() + self.thief.other_requests().len();
                return Ok(json!({"programs": ran, "diverted": diverted}));
            }
            "release" => model.release(name),
            "held" => model.wait_held(name).await?,
            "abandoned" => model.wait_abandoned(name).await?,
            "asked" => {
                let mut requests = model.requests();
                // What the CLI asks on the side offers no tools.
                requests.retain(|request| !request.tools().is_empty());
                return requests.pop().map(|request| request.body).ok_or(OrderError::NotAsked);
            }
            _ => return Err(OrderError::Unknown(order.to_owned())),
        }
        Ok(Value::Null)
    }
}
