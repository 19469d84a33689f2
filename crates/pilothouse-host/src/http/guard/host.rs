//! Whether a request is meant for us.
//!
//! A page of another site can point a name of its own at 127.0.0.1 and so become "the same
//! origin". It cannot choose what its browser writes into `Host`: only names that nobody else can
//! own are taken. Those are `localhost` and addresses of this machine, with the port the request
//! came in on, and the names that were configured.

use std::fmt;
use std::net::{IpAddr, Ipv6Addr};
use std::str::FromStr;

use axum::http::{Uri, header, request::Parts};

use super::connection::Connection;
use crate::http::problem::{Kind, Problem};

/// A host, with a port where one is named.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct HostName {
    host: Host,
    port: Option<u16>,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Host {
    Name(String),
    Address(IpAddr),
}

/// Why a host is none.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "`{0}` is no host: write a name or an address, with a port or without, as in \
     `pilot.example.org`, `localhost:8080` or `[::1]:8080`; no scheme, no path, no `*`"
)]
pub struct BadHostName(String);

impl FromStr for HostName {
    type Err = BadHostName;

    fn from_str(text: &str) -> Result<Self, BadHostName> {
        parse(text).ok_or_else(|| BadHostName(text.chars().take(80).collect()))
    }
}

fn parse(text: &str) -> Option<HostName> {
    let (host, port) = match text.strip_prefix('[') {
        Some(rest) => {
            let (address, rest) = rest.split_once(']')?;
            let address = IpAddr::V6(address.parse::<Ipv6Addr>().ok()?);
            let port = if rest.is_empty() { None } else { Some(rest.strip_prefix(':')?) };
            (Host::Address(address.to_canonical()), port)
        }
        None => {
            let (host, port) = match text.split_once(':') {
                Some((host, port)) => (host, Some(port)),
                None => (text, None),
            };
            let host = match host.parse() {
                Ok(address) => Host::Address(IpAddr::V4(address)),
                Err(_) => Host::Name(name(host)?),
            };
            (host, port)
        }
    };
    let port = match port {
        None => None,
        Some(digits) if digits.bytes().all(|b| b.is_ascii_digit()) => Some(digits.parse().ok()?),
        Some(_) => return None,
    };
    Some(HostName { host, port })
}

/// In lower case and without the dot at its end.
fn name(text: &str) -> Option<String> {
    let name = text.strip_suffix('.').unwrap_or(text).to_ascii_lowercase();
    let fits = |label: &str| {
        !label.is_empty()
            && label.len() <= 63
            && label.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_'))
    };
    // A last label of digits only is read as an address by browsers: `0x7f.1`, `2130706433`.
    let last = name.rsplit('.').next().unwrap_or_default();
    let number = last.starts_with(|c: char| c.is_ascii_digit())
        && (last.bytes().all(|b| b.is_ascii_digit()) || last.starts_with("0x"));
    (name.len() <= 253 && name.split('.').all(fits) && !number).then_some(name)
}

impl HostName {
    fn port_or(&self, default: u16) -> u16 {
        self.port.unwrap_or(default)
    }

    /// The same host and port, where ports that are not named are those of the scheme.
    pub(super) fn is(&self, other: &Self, default_port: u16) -> bool {
        self.host == other.host && self.port_or(default_port) == other.port_or(default_port)
    }

    /// Whether nobody else can own it, on this connection.
    pub(super) fn is_here(&self, connection: &Connection) -> bool {
        let here = match &self.host {
            Host::Name(name) => name == "localhost",
            Host::Address(address) => {
                address.is_loopback() || *address == connection.local.ip().to_canonical()
            }
        };
        here && self.port_or(connection.scheme_port()) == connection.local.port()
    }

    /// Whether it is this configured one. One without a port stands for the port of this server
    /// and for none, which is what a proxy before it passes on.
    pub(super) fn is_configured(&self, configured: &Self, connection: &Connection) -> bool {
        self.host == configured.host
            && match (configured.port, self.port) {
                (Some(wanted), port) => port.unwrap_or(connection.scheme_port()) == wanted,
                (None, None) => true,
                (None, Some(port)) => port == connection.local.port(),
            }
    }
}

impl fmt::Display for HostName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.host {
            Host::Name(name) => f.write_str(name)?,
            Host::Address(IpAddr::V4(address)) => write!(f, "{address}")?,
            Host::Address(IpAddr::V6(address)) => write!(f, "[{address}]")?,
        }
        self.port.map_or(Ok(()), |port| write!(f, ":{port}"))
    }
}

/// The host a request is for, if it is ours.
pub(super) fn check(
    parts: &Parts,
    connection: &Connection,
    configured: &[HostName],
) -> Result<HostName, Problem> {
    let host = told(parts)?;
    let ours = host.is_here(connection)
        || configured.iter().any(|name| host.is_configured(name, connection));
    if ours {
        return Ok(host);
    }
    // Not `localhost`: browsers try [::1] for it, where another user may listen at the same port.
    let detail = format!(
        "this daemon is not `{host}`: use `127.0.0.1:{}`, or add `{host}` to \
         `server.allowed_hosts` if the name is yours",
        connection.local.port()
    );
    Err(Problem::new(Kind::WrongHost, detail))
}

/// The host that a request names, whether or not it is ours.
pub(super) fn told(parts: &Parts) -> Result<HostName, Problem> {
    let bad = |detail: &str| Problem::new(Kind::BadHost, detail);
    let mut values = parts.headers.get_all(header::HOST).iter();
    let value = values.next().ok_or_else(|| bad("there is no `Host` header: send one"))?;
    if values.next().is_some() {
        return Err(bad("there are several `Host` headers: send one"));
    }
    let text = value.to_str().unwrap_or_default();
    let host: HostName = text.parse().map_err(|error: BadHostName| bad(&error.to_string()))?;
    // `GET http://other/ HTTP/1.1`: what it says there would win.
    match absolute(&parts.uri) {
        Some(text) if text.parse::<HostName>().ok().as_ref() != Some(&host) => {
            Err(bad("the address of the request and its `Host` header differ: send the path only"))
        }
        _ => Ok(host),
    }
}

fn absolute(uri: &Uri) -> Option<&str> {
    uri.authority().map(|authority| authority.as_str())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn connection(local: &str) -> Connection {
        Connection {
            peer: "127.0.0.1:50000".parse().unwrap(),
            local: local.parse().unwrap(),
            secure: false,
        }
    }

    #[test]
    fn hosts_that_are_none() {
        let long = "a".repeat(64);
        for text in [
            "",
            ":80",
            "a b",
            "a/b",
            "http://a",
            "a@b",
            "*.a",
            "a..b",
            "[::1",
            "[::1]x",
            "::1",
            "a:",
            "a:b",
            "a:99999",
            "a:+80",
            "a:80:80",
            "2130706433",
            "0x7f.0x1",
            "1.2.3",
            "ä.de",
            &long,
        ] {
            // A port that is there but empty is the same as none for some; not here.
            assert!(text.parse::<HostName>().is_err(), "{text:?}");
        }
    }

    #[test]
    fn only_what_nobody_else_can_own_is_here() {
        let here = connection("127.0.0.1:7717");
        let table = [
            ("localhost:7717", true),
            ("LOCALHOST.:7717", true),
            ("127.0.0.1:7717", true),
            ("127.8.8.8:7717", true),
            ("[::1]:7717", true),
            ("[::ffff:127.0.0.1]:7717", true),
            ("localhost", false),
            ("localhost:7718", false),
            ("evil.localhost:7717", false),
            ("localhost.evil.example:7717", false),
            ("127.0.0.1.evil.example:7717", false),
            ("0.0.0.0:7717", false),
            ("[::]:7717", false),
            ("192.168.1.5:7717", false),
        ];
        for (text, ours) in table {
            assert_eq!(text.parse::<HostName>().unwrap().is_here(&here), ours, "{text}");
        }
        let exposed = connection("192.168.1.5:7717");
        assert!("192.168.1.5:7717".parse::<HostName>().unwrap().is_here(&exposed));
        let plain = connection("127.0.0.1:80");
        assert!("localhost".parse::<HostName>().unwrap().is_here(&plain));
    }

    #[test]
    fn configured_names_with_and_without_port() {
        let here = connection("127.0.0.1:7717");
        let table = [
            ("pilot.example", "pilot.example", true),
            ("pilot.example", "Pilot.Example:7717", true),
            ("pilot.example", "pilot.example:1", false),
            ("pilot.example", "x.pilot.example", false),
            ("localhost:5173", "localhost:5173", true),
            ("localhost:5173", "localhost", false),
            ("pilot.example:80", "pilot.example", true),
        ];
        for (configured, told, ours) in table {
            let told: HostName = told.parse().unwrap();
            let configured: HostName = configured.parse().unwrap();
            assert_eq!(told.is_configured(&configured, &here), ours, "{configured} {told}");
        }
    }
}
