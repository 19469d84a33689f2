//! Completions and manual pages, made from the command line's own description.

use std::fs;
use std::io;
use std::path::Path;

use anyhow::Context;
use clap_complete::Shell;

use super::print;
use crate::args::command;
use crate::exit::Exit;

pub(super) fn completions(shell: Shell) -> anyhow::Result<Exit> {
    let mut text = Vec::new();
    clap_complete::generate(shell, &mut command(), "pilothouse", &mut text);
    print(&String::from_utf8_lossy(&text))
}

/// Writes `pilothouse.1`, and a page for each command and each of theirs.
pub(super) fn man(dir: &Path) -> anyhow::Result<Exit> {
    let written = || -> io::Result<()> {
        fs::create_dir_all(dir)?;
        let mut command = command();
        command.build();
        write(&command, "pilothouse", dir)
    };
    written().with_context(|| format!("manual pages cannot be written to {}", dir.display()))?;
    Ok(Exit::Done)
}

fn write(command: &clap::Command, name: &str, dir: &Path) -> io::Result<()> {
    let mut page = Vec::new();
    clap_mangen::Man::new(command.clone().name(name.to_owned())).render(&mut page)?;
    fs::write(dir.join(format!("{name}.1")), page)?;
    for sub in command.get_subcommands().filter(|sub| !sub.is_hide_set()) {
        write(sub, &format!("{name}-{}", sub.get_name()), dir)?;
    }
    Ok(())
}
