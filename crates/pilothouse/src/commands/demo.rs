//! `demo`: everything with a simulated Claude, in a directory that is gone afterwards.

use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::Command;

use anyhow::Context;
use pilothouse_host::Host;
use pilothouse_host::config::Config;
use pilothouse_host::daemon::DaemonOptions;
use pilothouse_host::holder::HolderProgram;
use pilothouse_host::store::SessionFilter;
use pilothouse_host::telemetry::Secrets;
use tokio::task::JoinSet;

use super::login::{link_for, open_browser};
use super::serve::{Serving, told_to_stop};
use crate::args::DemoArgs;
use crate::demo::{Place, begin};
use crate::exit::Exit;
use crate::system::WindowClosed;
use crate::view::{Screen, print};

/// More sessions than anybody makes in a demo.
const MOST: usize = 500;

pub(super) async fn demo(args: &DemoArgs) -> anyhow::Result<Exit> {
    match &args.place {
        Some(root) => play(args, &Place::at(root.clone())).await,
        None => Err(enter(args)?),
    }
}

/// Makes a place and begins again there, as a process that knows no other home of Claude Code's and
/// nothing of the user's configuration: the demo shows what it brings along, and nothing else.
fn enter(args: &DemoArgs) -> anyhow::Result<anyhow::Error> {
    let exe = std::env::current_exe().context("this program does not know where it is")?;
    let place = Place::new(&exe).context("a throw-away directory cannot be made")?;
    let mut command = Command::new(exe);
    for (name, _) in std::env::vars_os() {
        if name.as_encoded_bytes().starts_with(b"PILOTHOUSE_") {
            command.env_remove(name);
        }
    }
    command.env("CLAUDE_CONFIG_DIR", place.home());
    // Nor is anybody told of it.
    command.env("OTEL_SDK_DISABLED", "true");
    command.args(["demo", "--port", &args.port.to_string()]);
    if args.no_open {
        command.arg("--no-open");
    }
    command.arg("--place").arg(place.keep());
    Ok(command.exec().into())
}

async fn play(args: &DemoArgs, place: &Place) -> anyhow::Result<Exit> {
    let mut screen = Screen::new();
    let mut config = Config::default();
    config.data_dir = place.data();
    config.server.listen = vec![([127, 0, 0, 1], args.port).into()];
    config.claude.path = Some(place.claude());
    // Everything ends with the demo.
    config.holder.enabled = false;
    let options =
        DaemonOptions::of(&config, HolderProgram::of_this_program()?, &Secrets::default())?;
    let serving = Serving::open(&config, options).await?;
    let host = serving.daemon.host().clone();
    let link = link_for(&serving.daemon, &serving.beacon)?;
    let origin = serving.beacon.origin().unwrap_or_default();
    let (stop, clearing) = (told_to_stop()?, host.clone());
    let mut window_closed = WindowClosed::new()?;
    let running = tokio::spawn(serving.run(async move {
        tokio::select! {
            () = stop => {}
            () = window_closed.next() => {}
        }
        clear(&clearing).await;
    }));
    begin(&host, place, |number, of| {
        let _ = screen.status(&format!("beginning session {number} of {of} …"));
    })
    .await?;
    drop(screen);
    let opened = !args.no_open && open_browser(&link, &config.data_dir);
    print(&format!(
        "The demo runs at {origin}.\n{} {link}\n\nIts Claude is simulated: no account, no network. \
         Its files are in {}\nand are gone when you end it with Ctrl-C.\nIn another terminal: \
         {} --data-dir {} ls\n",
        if opened { "Your browser opens" } else { "Open" },
        place.project().display(),
        typed(&std::env::current_exe()?),
        quoted(&place.data()),
    ))?;
    running.await?;
    Ok(Exit::Done)
}

/// What to type to have this program: its name where a shell finds it by that, else all of its path.
fn typed(exe: &Path) -> String {
    let name = exe.file_name().unwrap_or_default();
    let found = std::env::var_os("PATH").and_then(|path| {
        std::env::split_paths(&path).map(|dir| dir.join(name)).find(|program| program.is_file())
    });
    let is_found = found
        .and_then(|program| program.canonicalize().ok())
        .is_some_and(|program| exe.canonicalize().is_ok_and(|exe| exe == program));
    quoted(if is_found { Path::new(name) } else { exe })
}

/// A path as a word of a shell.
fn quoted(path: &Path) -> String {
    let text = path.to_string_lossy();
    let is_plain = |c: char| c.is_alphanumeric() || "/._-+:@%".contains(c);
    match text.chars().all(is_plain) {
        true => text.into_owned(),
        false => format!("'{}'", text.replace('\'', r"'\''")),
    }
}

/// Ends everything, so that nobody writes into a directory that is being removed.
async fn clear(host: &Host) {
    let Ok(all) = host.sessions(SessionFilter::default(), None, MOST).await else { return };
    let mut ending = JoinSet::new();
    for row in all.items {
        let host = host.clone();
        ending.spawn(async move { host.delete(row.id, "demo").await });
    }
    while ending.join_next().await.is_some() {}
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_printed_can_be_typed() {
        assert_eq!(quoted(Path::new("/tmp/a-b.c")), "/tmp/a-b.c");
        assert_eq!(quoted(Path::new("/tmp/it's here")), r"'/tmp/it'\''s here'");
        // Nobody has the test's own program in their PATH.
        let exe = std::env::current_exe().unwrap();
        assert_eq!(typed(&exe), quoted(&exe));
    }
}
