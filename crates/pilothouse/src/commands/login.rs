//! `login`: a link that logs a browser in, once; and how it gets into the browser.

use std::fs::OpenOptions;
use std::io::{self, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;
use std::process::{Command, Stdio};

use pilothouse_host::config::Config;
use pilothouse_host::daemon::Daemon;
use pilothouse_host::http::guard::{LinkRequest, LoginLink};

use super::print;
use crate::args::LoginArgs;
use crate::exit::Exit;
use crate::reach::{ApiError, Beacon, Reach};

pub(super) async fn login(config: &Config, args: LoginArgs) -> anyhow::Result<Exit> {
    let mut reach = Reach::open(config).await?;
    anyhow::ensure!(
        reach.is_lasting(),
        "no daemon runs that a browser could log in to: start it with `pilothouse up`"
    );
    let link = link(&mut reach, args.name).await?;
    print(&format!("{link}\n"))
}

/// A new link, whole.
pub(super) async fn link(reach: &mut Reach, name: Option<String>) -> Result<String, ApiError> {
    let made: LoginLink = reach.post("/api/v1/login/links", &LinkRequest { name }).await?;
    Ok(format!("{}{}", reach.beacon().origin().unwrap_or_default(), made.path))
}

/// A new link of a daemon in this process.
pub(super) fn link_for(daemon: &Daemon, beacon: &Beacon) -> anyhow::Result<String> {
    let made = daemon.guard().mint_link("")?;
    Ok(format!("{}{}", beacon.origin().unwrap_or_default(), made.path))
}

/// Opens a browser with a link, where there is a screen to open it on.
///
/// The link is secret until it is used, and a command line can be read by everyone on the machine:
/// so the browser is given a file that leads there, which only its owner can read.
pub(super) fn open_browser(link: &str, data_dir: &Path) -> bool {
    let Some(opener) = opener() else { return false };
    let Ok(page) = leading_page(link, data_dir) else { return false };
    let mut command = Command::new(opener);
    command.arg(page).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    #[expect(clippy::disallowed_methods, reason = "it is a browser, not the CLI")]
    let spawned = command.spawn();
    spawned.is_ok()
}

fn leading_page(link: &str, data_dir: &Path) -> io::Result<std::path::PathBuf> {
    let page = data_dir.join("login.html");
    let _ = std::fs::remove_file(&page);
    let mut options = OpenOptions::new();
    let mut file = options.write(true).create_new(true).mode(0o600).open(&page)?;
    // Made of an address and letters that need no quoting.
    write!(
        file,
        "<!doctype html><meta charset=\"utf-8\"><title>Pilothouse</title>\
         <meta http-equiv=\"refresh\" content=\"0;url={link}\"><a href=\"{link}\">Pilothouse</a>"
    )?;
    Ok(page)
}

fn opener() -> Option<&'static str> {
    let is_set = |name: &str| std::env::var_os(name).is_some_and(|value| !value.is_empty());
    if cfg!(target_os = "macos") {
        return Some("open");
    }
    // Somebody who came over ssh has their browser elsewhere.
    let has_screen = is_set("DISPLAY") || is_set("WAYLAND_DISPLAY");
    (has_screen && !is_set("SSH_CONNECTION")).then_some("xdg-open")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_its_owner_can_read_the_page_with_the_link() {
        use std::os::unix::fs::PermissionsExt;
        let dir = tempfile::tempdir().unwrap();
        leading_page("http://127.0.0.1:1/login#old", dir.path()).unwrap();
        let page = leading_page("http://127.0.0.1:1/login#code", dir.path()).unwrap();
        assert_eq!(page.metadata().unwrap().permissions().mode() & 0o777, 0o600);
        let text = std::fs::read_to_string(page).unwrap();
        assert!(text.contains("url=http://127.0.0.1:1/login#code\"") && !text.contains("old"));
    }
}
