//! `config`: what is set, and where it comes from.

use pilothouse_host::config::{Config, Key};

use super::{print, usage};
use crate::args::ConfigArgs;
use crate::exit::Exit;

pub(super) fn config(config: &Config, args: &ConfigArgs) -> anyhow::Result<Exit> {
    let Some(name) = &args.key else { return print(&config.render()) };
    let Some(key) = Key::named(name) else {
        return Err(usage(format!(
            "there is no key `{name}`: `pilothouse config` shows all of them"
        )));
    };
    print(&format!("{}\n", key.show(config).unwrap_or_default()))
}
