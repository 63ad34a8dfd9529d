internal import COpenSSL

/// What is wrong with a certificate that attests an authenticator.
public enum AttestationCertificateFault: String, Error, Equatable, Sendable {
    /// No certificate, or something behind it.
    case malformed
    /// Its version is not 3.
    case version
    /// Its subject is not of a country, an organisation, the unit «Authenticator Attestation» and
    /// a name.
    case subject
    /// It may sign other certificates, or does not say that it may not.
    case authority
    /// The extension that names the model is broken or critical.
    case modelExtension = "model-extension"
    /// Its key does not sign by the algorithm that was told.
    case algorithm
}

/// The leaf certificate of an attestation, judged by what it says of itself alone.
///
/// No chain is followed and no date is looked at: whoever asks for no attestation trusts nobody's
/// root, and learns from it only that the statement is whole.
/// Source: WebAuthn Level 3, 8.2.1.
public struct AttestationCertificate: Sendable {
    /// Its key.
    public let key: PublicKey
    /// The model (AAGUID) that it was made for, where it says so.
    public let model: [UInt8]?

    /// Reads a certificate's DER, whose key is to sign by this algorithm.
    public init(
        der: [UInt8],
        signingBy algorithm: SignatureAlgorithm
    ) throws(AttestationCertificateFault) {
        var facts = ezwallet_certificate()
        // Safety: the array is lent for one call; the key is ours, and its wrapper's next.
        guard let pointer = unsafe ezwallet_read_certificate(der, der.count, &facts) else {
            throw .malformed
        }
        key = unsafe PublicKey(owning: pointer, algorithm)
        guard key.fits(algorithm) else { throw .algorithm }
        guard facts.version == 3 else { throw .version }
        guard facts.has_country == 1, facts.has_organisation == 1,
            facts.has_attestation_unit == 1, facts.has_common_name == 1
        else { throw .subject }
        guard facts.is_no_authority == 1 else { throw .authority }
        guard facts.model_length != 0 else { throw .modelExtension }
        let bytes = facts.model
        model =
            facts.model_length == 16
            ? [
                bytes.0, bytes.1, bytes.2, bytes.3, bytes.4, bytes.5, bytes.6, bytes.7, bytes.8,
                bytes.9, bytes.10, bytes.11, bytes.12, bytes.13, bytes.14, bytes.15,
            ] : nil
    }
}
