//! What is known of the connection a request came over.

use std::net::{IpAddr, Ipv4Addr, SocketAddr};

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

/// What one client can choose from freely counts as one: all of loopback, and with IPv6, a /64.
pub(super) fn household(address: IpAddr) -> IpAddr {
    match address.to_canonical() {
        address if address.is_loopback() => IpAddr::V4(Ipv4Addr::LOCALHOST),
        IpAddr::V6(address) => IpAddr::V6((address.to_bits() & !u128::from(u64::MAX)).into()),
        address => address,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn loopback_is_one_household_and_so_is_a_network_of_ipv6() {
        let of = |text: &str| household(text.parse().unwrap());
        for address in ["127.0.0.1", "127.0.0.2", "127.255.3.4", "::1", "::ffff:127.9.9.9"] {
            assert_eq!(of(address), of("127.0.0.1"), "{address}");
        }
        assert_eq!(of("2001:db8:1:2::1"), of("2001:db8:1:2:ffff:ffff:ffff:ffff"));
        assert_ne!(of("2001:db8:1:2::1"), of("2001:db8:1:3::1"));
        assert_eq!(of("::ffff:10.0.0.1"), of("10.0.0.1"));
        assert_ne!(of("10.0.0.1"), of("10.0.0.2"));
    }
}
