//! TLS to the daemon of a data directory: it must show the one certificate that its beacon has.
//!
//! Who issued it and for which name does not matter. It is made for the name that browsers use, by
//! whoever they trust, and commands come by way of this machine; but the beacon can be written by
//! the directory's owner alone, like the token, and says exactly who listens.

use std::sync::Arc;

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use tokio_rustls::rustls::client::danger::{
    HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier,
};
use tokio_rustls::rustls::crypto::{
    WebPkiSupportedAlgorithms, ring, verify_tls12_signature, verify_tls13_signature,
};
use tokio_rustls::rustls::pki_types::{CertificateDer, ServerName, UnixTime};
use tokio_rustls::rustls::{
    CertificateError, ClientConfig, DigitallySignedStruct, Error, SignatureScheme,
};

/// A certificate, as a beacon has it.
pub(super) fn written(certificate: &[u8]) -> String {
    BASE64_STANDARD.encode(certificate)
}

/// How to speak to who has this certificate, and to nobody else.
pub(super) fn only(certificate: &str) -> anyhow::Result<Arc<ClientConfig>> {
    let certificate = CertificateDer::from(BASE64_STANDARD.decode(certificate)?);
    let provider = Arc::new(ring::default_provider());
    let algorithms = provider.signature_verification_algorithms;
    let config = ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()?
        .dangerous()
        .with_custom_certificate_verifier(Arc::new(Only { certificate, algorithms }))
        .with_no_client_auth();
    Ok(Arc::new(config))
}

/// Accepts one certificate.
#[derive(Debug)]
struct Only {
    certificate: CertificateDer<'static>,
    algorithms: WebPkiSupportedAlgorithms,
}

impl ServerCertVerifier for Only {
    fn verify_server_cert(
        &self,
        shown: &CertificateDer<'_>,
        _intermediates: &[CertificateDer<'_>],
        _name: &ServerName<'_>,
        _ocsp: &[u8],
        _now: UnixTime,
    ) -> Result<ServerCertVerified, Error> {
        match *shown == self.certificate {
            true => Ok(ServerCertVerified::assertion()),
            false => Err(CertificateError::ApplicationVerificationFailure.into()),
        }
    }

    // That it has the certificate's key is checked as always.
    fn verify_tls12_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        verify_tls12_signature(message, certificate, signed, &self.algorithms)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        verify_tls13_signature(message, certificate, signed, &self.algorithms)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.algorithms.supported_schemes()
    }
}
