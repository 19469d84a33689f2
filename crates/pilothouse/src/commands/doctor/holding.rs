//! A holder that holds something for a moment.

use std::path::Path;
use std::time::Duration;

use pilothouse_host::doctor::{Check, State};
use pilothouse_host::holder::{HoldSpec, HolderProgram, Link, Times, start, stop};
use pilothouse_host::wirelog::Record;

use super::{advised, check};

const WORD: &str = "here";

pub(super) async fn holder() -> Check {
    let (id, title) = ("holder", "Holder");
    let advice = "Runs cannot outlive the daemon: install Pilothouse anew, or set \
                  `holder.enabled` to false.";
    let held = tokio::task::spawn_blocking(|| {
        let dir = tempfile::tempdir()?;
        hold(dir.path())
    });
    match held.await {
        Ok(Ok(())) => check(id, title, State::Ok, "starts, writes its log and ends"),
        Ok(Err(error)) => advised(id, title, State::Fail, format!("{error:#}"), advice),
        Err(error) => advised(id, title, State::Fail, error.to_string(), advice),
    }
}

fn hold(dir: &Path) -> anyhow::Result<()> {
    let run = dir.join("run");
    let name = uuid::Uuid::new_v4().to_string();
    let spec = HoldSpec::new(name, "/bin/sh", dir).args(["-c", &format!("echo {WORD}; cat")]);
    let times = Times { linger: Duration::ZERO, ..Times::default() };
    start(&HolderProgram::of_this_program()?, &run, &HoldSpec { times, ..spec })?;
    let heard = hear(&run);
    let _ = stop(&run, Duration::ZERO);
    heard
}

fn hear(run: &Path) -> anyhow::Result<()> {
    let mut link = Link::attach(run, 0)?;
    link.set_patience(Duration::from_secs(10))?;
    while let Some(found) = link.next_record()? {
        if let Record::Out { line, .. } = found.record {
            anyhow::ensure!(&*line == WORD.as_bytes(), "its log has another line than was written");
            return Ok(());
        }
    }
    anyhow::bail!("its log has not what was written")
}
