//! What is known of the connection a request came over.

use std::net::{IpAddr, SocketAddr};

/// The connection. [`serve`](super::serve) attaches it to every request; without it the guard
/// refuses everything.
///
/// The address of the peer is that of the socket. What a proxy claims (`X-Forwarded-For`) is not
/// believed: behind one, all clients are the proxy.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Connection {
    /// Who is at the other end.
    pub peer: SocketAddr,
    /// Our end.
    pub local: SocketAddr,
    /// Whether it is TLS.
    pub secure: bool,
}

impl Connection {
    pub(super) fn scheme(&self) -> &'static str {
        if self.secure { "https" } else { "http" }
    }

    pub(super) fn scheme_port(&self) -> u16 {
        if self.secure { 443 } else { 80 }
    }

    pub(super) fn household(&self) -> IpAddr {
        household(self.peer.ip())
    }
}

/// What one client can choose from freely counts as one: with IPv6, a /64.
pub(super) fn household(address: IpAddr) -> IpAddr {
    match address.to_canonical() {
        IpAddr::V6(address) if !address.is_loopback() => {
            IpAddr::V6((address.to_bits() & !u128::from(u64::MAX)).into())
        }
        address => address,
    }
}
