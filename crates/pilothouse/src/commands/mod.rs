//! A file for each command.

mod asking;
mod attach;
mod config;
mod daemon;
#[cfg(unix)]
mod demo;
mod doctor;
mod list;
mod login;
mod logins;
mod logs;
mod papers;
mod policy;
mod replay;
mod rewind;
mod run;
mod serve;
mod sessions;
mod steer;
mod take;
mod trust;
mod up;

use std::process::ExitCode;

use clap::FromArgMatches;
use pilothouse_host::config::{Config, Environment, Key, Options};

use crate::args::{Cli, Command, Common, UpArgs, command};
use crate::exit::{self, Exit, Trouble};
use crate::view::{self, set_color, warn};

/// Does what the command line says.
pub(crate) fn main() -> ExitCode {
    let matches = command().get_matches();
    let cli = match Cli::from_arg_matches(&matches) {
        Ok(cli) => cli,
        Err(error) => error.exit(),
    };
    set_color(cli.common.color);
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build();
    let done = match runtime {
        Ok(runtime) => {
            let done = runtime.block_on(dispatch(cli));
            // A thread may still wait for the terminal; nothing is owed to it.
            runtime.shutdown_background();
            done
        }
        Err(error) => Err(error.into()),
    };
    match done {
        Ok(exit) => exit.into(),
        Err(error) => {
            let (exit, told) = exit::of(&error);
            if let Some(told) = told {
                let _ = warn(&told);
            }
            exit.into()
        }
    }
}

async fn dispatch(cli: Cli) -> anyhow::Result<Exit> {
    let common = cli.common;
    match cli.command.unwrap_or(Command::Up(UpArgs { no_open: false })) {
        Command::Up(args) => up::up(&common, &args).await,
        Command::Serve(args) => serve::serve(&common, &args).await,
        Command::Status(args) => daemon::status(&load(&common)?, &args).await,
        Command::Down => daemon::down(&load(&common)?).await,
        Command::Login(args) => login::login(&load(&common)?, args).await,
        Command::Doctor(args) => doctor::doctor(&load(&common)?, &args).await,
        Command::Config(args) => config::config(&load(&common)?, &args),
        Command::Completions(args) => papers::completions(args.shell),
        Command::Man { dir } => papers::man(&dir),
        #[cfg(unix)]
        Command::Demo(args) => demo::demo(&args).await,
        #[cfg(not(unix))]
        Command::Demo(_) => anyhow::bail!(
            "the demo's Claude runs shell scripts: try it on Linux or macOS, or under WSL"
        ),
        Command::Run(args) => run::run(&load(&common)?, *args).await,
        Command::Ls(args) => list::ls(&load(&common)?, &args).await,
        Command::Show(args) => list::show(&load(&common)?, &args).await,
        Command::Attach(args) => attach::attach(&load(&common)?, &args).await,
        Command::Logs(args) => logs::logs(&load(&common)?, &args).await,
        Command::Search(args) => take::search(&load(&common)?, &args).await,
        Command::Import(args) => take::import(&load(&common)?, &args).await,
        Command::Export(args) => take::export(&load(&common)?, &args).await,
        Command::Replay(args) => replay::replay(&args).await,
        Command::Trust(command) => trust::trust(&load(&common)?, command).await,
        Command::Policy(command) => policy::policy(|| load(&common), command).await,
        command @ (Command::Send(_)
        | Command::Approve(_)
        | Command::Deny(_)
        | Command::Stop(_)
        | Command::Resume(_)
        | Command::Fork(_)
        | Command::Rewind(_)
        | Command::Rm(_)) => steer::steer(&common, &load(&common)?, &command).await,
    }
}

/// The configuration, as the command line has it.
fn load(common: &Common) -> anyhow::Result<Config> {
    load_with(common, Options::default())
}

/// The same with more values from flags.
fn load_with(common: &Common, mut options: Options) -> anyhow::Result<Config> {
    options.file.clone_from(&common.config);
    for pair in &common.set {
        options.assign(pair).map_err(usage)?;
    }
    let data_dir = common.data_dir.as_ref().map(std::path::absolute).transpose()?;
    let named = data_dir.as_ref().and_then(|dir| dir.to_str());
    if let (Some(dir), Some(key)) = (named, Key::named("data_dir")) {
        options.set(key, dir, "--data-dir");
    }
    let mut config = Config::load(&options, &Environment::of_process()).map_err(usage)?;
    // A configuration is text, a path need not be.
    if let (Some(dir), None) = (&data_dir, named) {
        config.data_dir.clone_from(dir);
    }
    Ok(config)
}

fn usage(error: impl std::fmt::Display) -> anyhow::Error {
    Trouble::Usage(error.to_string()).into()
}

/// Writes text for people to stdout, as the last thing that a command does.
fn print(text: &str) -> anyhow::Result<Exit> {
    view::print(text)?;
    Ok(Exit::Done)
}

/// Writes values to stdout as lines of JSON, as the last thing that a command does.
fn print_json<T: serde::Serialize>(values: impl IntoIterator<Item = T>) -> anyhow::Result<Exit> {
    for value in values {
        view::print_json(&serde_json::to_string(&value)?)?;
    }
    Ok(Exit::Done)
}
