//! `login`: a link that logs a browser in, once; and how it gets into the browser.

use std::fs::OpenOptions;
use std::io::{self, Write};
use std::path::Path;
use std::process::{Command, Stdio};
use std::str::FromStr;

use pilothouse_host::config::Config;
use pilothouse_host::daemon::Daemon;
use pilothouse_host::http::guard::{BadHostName, HostName, LinkRequest, LoginLink};
use pilothouse_host::private::Private;

use super::{logins, print, usage};
use crate::args::LoginArgs;
use crate::exit::Exit;
use crate::reach::{ApiError, Beacon, Reach};
use crate::view::warn;

pub(super) async fn login(config: &Config, args: LoginArgs) -> anyhow::Result<Exit> {
    if let Some(command) = args.command {
        return logins::logins(config, command).await;
    }
    let mut reach = Reach::open(config).await?;
    anyhow::ensure!(
        reach.is_lasting(),
        "no daemon runs that a browser could log in to: start it with `pilothouse up`"
    );
    let named = args.host.as_deref().map(Elsewhere::from_str).transpose().map_err(usage)?;
    let configured = config.server.allowed_hosts.first().cloned().map(Elsewhere::from);
    let made = ask(&mut reach, args.name).await?;
    let beacon = reach.beacon();
    let away = |named: &Elsewhere| format!("{}{}", named.origin(config, beacon), made.path);
    if let Some(named) = named {
        if !named.is_known(config) {
            warn(&format!(
                "`{}` is not in `server.allowed_hosts`: the daemon will refuse it \
                 unless it is told of it",
                named.host
            ))?;
        }
        return print(&format!("{}\n", away(&named)));
    }
    let here = format!("{}{}", beacon.origin().unwrap_or_default(), made.path);
    print(&match configured {
        Some(name) => format!("{here}\nor, on another machine, {}\n", away(&name)),
        None => format!("{here}\n"),
    })
}

/// What browsers on other machines call the daemon.
#[derive(Debug)]
struct Elsewhere {
    scheme: Option<&'static str>,
    host: HostName,
}

impl From<HostName> for Elsewhere {
    fn from(host: HostName) -> Self {
        Self { scheme: None, host }
    }
}

/// A host, with a port or without; `http://` or `https://` before it where it matters.
impl FromStr for Elsewhere {
    type Err = BadHostName;

    fn from_str(text: &str) -> Result<Self, BadHostName> {
        for scheme in ["https", "http"] {
            let rest = text.strip_prefix(scheme).and_then(|rest| rest.strip_prefix("://"));
            if let Some(host) = rest {
                let host = host.trim_end_matches('/').parse()?;
                return Ok(Self { scheme: Some(scheme), host });
            }
        }
        Ok(Self { scheme: None, host: text.parse()? })
    }
}

impl Elsewhere {
    /// A daemon that others reach by themselves is called by its port. One that they do not is behind
    /// something that speaks TLS for it, at the usual port.
    fn origin(&self, config: &Config, beacon: &Beacon) -> String {
        let by_itself = beacon.tls || config.server.insecure_expose;
        let scheme = self.scheme.unwrap_or(match by_itself && !beacon.tls {
            true => "http",
            false => "https",
        });
        let exposed = beacon.addresses.iter().find(|address| !address.ip().is_loopback());
        match exposed {
            Some(address) if by_itself && !self.has_port() => {
                format!("{scheme}://{}:{}", self.host, address.port())
            }
            _ => format!("{scheme}://{}", self.host),
        }
    }

    fn has_port(&self) -> bool {
        let text = self.host.to_string();
        text.rsplit_once(':').is_some_and(|(_, port)| !port.ends_with(']'))
    }

    /// As far as can be told here: addresses of the machine need not be configured.
    fn is_known(&self, config: &Config) -> bool {
        let text = self.host.to_string();
        let name = |text: &str| match self.has_port() {
            true => text.rsplit_once(':').map_or_else(|| text.to_owned(), |(host, _)| host.into()),
            false => text.to_owned(),
        };
        let bare = name(&text);
        bare.starts_with('[')
            || bare.parse::<std::net::IpAddr>().is_ok()
            || bare == "localhost"
            || config.server.allowed_hosts.iter().any(|known| {
                let known = known.to_string();
                known == text || known == bare
            })
    }
}

async fn ask(reach: &mut Reach, name: Option<String>) -> Result<LoginLink, ApiError> {
    reach.post("/api/v1/login/links", &LinkRequest { name }).await
}

/// A new link for this machine, whole.
pub(super) async fn link(reach: &mut Reach) -> Result<String, ApiError> {
    let made = ask(reach, None).await?;
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
    let mut file = options.write(true).create_new(true).private().open(&page)?;
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
    if cfg!(windows) {
        return Some("explorer");
    }
    // Somebody who came over ssh has their browser elsewhere.
    let has_screen = is_set("DISPLAY") || is_set("WAYLAND_DISPLAY");
    (has_screen && !is_set("SSH_CONNECTION")).then_some("xdg-open")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::reach::Keeper;

    fn origin(host: &str, listen: &str, insecure: bool) -> String {
        let mut config = Config::default();
        config.server.insecure_expose = insecure;
        let beacon = Beacon::of(Keeper::Daemon, vec![listen.parse().unwrap()], None);
        host.parse::<Elsewhere>().unwrap().origin(&config, &beacon)
    }

    #[test]
    fn a_phone_is_told_the_name_that_reaches_the_daemon() {
        // Behind a proxy, or `tailscale serve`.
        let behind = |host| origin(host, "127.0.0.1:7717", false);
        assert_eq!(behind("machine.example.org"), "https://machine.example.org");
        assert_eq!(behind("machine.example.org:8443"), "https://machine.example.org:8443");
        assert_eq!(behind("http://machine.example.org/"), "http://machine.example.org");
        // In a network that protects it.
        let open = |host| origin(host, "0.0.0.0:7718", true);
        assert_eq!(open("10.0.0.5"), "http://10.0.0.5:7718");
        assert_eq!(open("[fd00::5]"), "http://[fd00::5]:7718");
        assert_eq!(open("machine:80"), "http://machine:80");
        // By itself, with TLS.
        let mut beacon = Beacon::of(Keeper::Daemon, vec!["0.0.0.0:7718".parse().unwrap()], None);
        beacon.tls = true;
        let named: Elsewhere = "machine.example.org".parse().unwrap();
        let origin = named.origin(&Config::default(), &beacon);
        assert_eq!(origin, "https://machine.example.org:7718");
        assert!("ftp://x".parse::<Elsewhere>().is_err());
    }

    #[test]
    fn names_that_the_daemon_would_refuse_are_noticed() {
        let mut config = Config::default();
        config.server.allowed_hosts = vec!["machine.example.org".parse().unwrap()];
        let is_known = |host: &str| host.parse::<Elsewhere>().unwrap().is_known(&config);
        assert!(is_known("machine.example.org") && is_known("https://machine.example.org:7717"));
        assert!(is_known("10.0.0.5") && is_known("[fd00::5]:80") && is_known("localhost:7717"));
        assert!(!is_known("other.example.org"));
    }

    #[cfg(unix)]
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
