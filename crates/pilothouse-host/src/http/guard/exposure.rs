//! Whether it is safe to listen where somebody wants us to.

use std::net::SocketAddr;

/// How what goes over the network is protected.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exposure {
    /// Not at all: only this machine may connect.
    Loopback,
    /// By TLS.
    Tls,
    /// Not at all, and somebody has said that it is to be so: a tunnel, a proxy, a closed network.
    Insecure,
}

/// Others could read and change what is sent.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "{address} can be reached from other machines, and everything, the token included, would go \
     over the network in the clear: set `tls.cert` and `tls.key`, or listen on 127.0.0.1 and use a \
     tunnel, or set `server.insecure_expose = true` if something else protects the connection"
)]
pub struct Exposed {
    /// The address.
    pub address: SocketAddr,
}

impl Exposure {
    /// Whether it is safe to listen on an address.
    pub fn check(self, address: SocketAddr) -> Result<(), Exposed> {
        match self {
            Self::Loopback if !address.ip().to_canonical().is_loopback() => {
                Err(Exposed { address })
            }
            Self::Loopback | Self::Tls | Self::Insecure => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_loopback_is_safe_without_more() {
        for (address, safe) in [
            ("127.0.0.1:1", true),
            ("127.9.9.9:1", true),
            ("[::1]:1", true),
            ("[::ffff:127.0.0.1]:1", true),
            ("0.0.0.0:1", false),
            ("[::]:1", false),
            ("192.168.0.1:1", false),
            ("[fe80::1]:1", false),
        ] {
            let address = address.parse().unwrap();
            assert_eq!(Exposure::Loopback.check(address).is_ok(), safe, "{address}");
            assert!(Exposure::Tls.check(address).is_ok());
            assert!(Exposure::Insecure.check(address).is_ok());
        }
    }
}
