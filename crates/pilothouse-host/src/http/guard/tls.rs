//! TLS, with a certificate and a key from files.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use tokio_rustls::TlsAcceptor;
use tokio_rustls::rustls::crypto::ring;
use tokio_rustls::rustls::pki_types::pem::{self, PemObject};
use tokio_rustls::rustls::pki_types::{CertificateDer, PrivateKeyDer};
use tokio_rustls::rustls::{self, ServerConfig};

/// How a listener speaks TLS.
#[derive(Clone)]
pub struct Tls {
    pub(super) acceptor: TlsAcceptor,
    certificate: CertificateDer<'static>,
}

/// Why it cannot.
#[derive(Debug, thiserror::Error)]
pub enum TlsError {
    /// A file cannot be read, or has no PEM in it.
    #[error("{path} cannot be used ({reason}): it must be a PEM file with {wanted}")]
    File {
        /// The file.
        path: PathBuf,
        /// What it should be.
        wanted: &'static str,
        /// What is wrong.
        reason: String,
    },
    /// Certificate and key are no pair, or of a kind that is not known.
    #[error(
        "the certificate and the key cannot be used together ({0}): check that they are a pair"
    )]
    Pair(rustls::Error),
}

impl Tls {
    /// With a chain of certificates and the key of the first, both PEM. They are read once:
    /// renewed ones need a restart.
    pub fn from_files(cert: &Path, key: &Path) -> Result<Self, TlsError> {
        let chain = CertificateDer::pem_file_iter(cert)
            .and_then(Iterator::collect::<Result<Vec<_>, _>>)
            .map_err(|error| unusable(cert, "certificates", &error))?;
        let Some(certificate) = chain.first().cloned() else {
            return Err(unusable(cert, "certificates", &pem::Error::NoItemsFound));
        };
        let key = PrivateKeyDer::from_pem_file(key)
            .map_err(|error| unusable(key, "a private key", &error))?;
        let mut config = ServerConfig::builder_with_provider(Arc::new(ring::default_provider()))
            .with_safe_default_protocol_versions()
            .and_then(|builder| builder.with_no_client_auth().with_single_cert(chain, key))
            .map_err(TlsError::Pair)?;
        config.alpn_protocols = vec![b"http/1.1".to_vec()];
        Ok(Self { acceptor: TlsAcceptor::from(Arc::new(config)), certificate })
    }

    /// The certificate that it shows, as DER.
    pub fn certificate(&self) -> &[u8] {
        &self.certificate
    }
}

impl std::fmt::Debug for Tls {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Tls(…)")
    }
}

fn unusable(path: &Path, wanted: &'static str, error: &pem::Error) -> TlsError {
    let reason = match error {
        pem::Error::Io(error) if error.kind() == io::ErrorKind::NotFound => {
            "there is no such file".to_owned()
        }
        error => error.to_string(),
    };
    TlsError::File { path: path.to_owned(), wanted, reason }
}
