/// Why a registration or an assertion is refused: the first rule that it breaks.
public enum WebAuthnError: String, Error, Equatable, Sendable, CaseIterable {
    /// The client data is no JSON of the right shape.
    case malformedClientData = "malformed-client-data"
    /// It is of the other ceremony.
    case wrongType = "wrong-type"
    /// It answers another challenge.
    case wrongChallenge = "wrong-challenge"
    /// It comes from another origin.
    case wrongOrigin = "wrong-origin"
    /// It comes from a frame within another origin's page.
    case crossOrigin = "cross-origin"
    /// The authenticator data is cut off, too long, or its parts do not fit its flags.
    case malformedAuthenticatorData = "malformed-authenticator-data"
    /// It is for another relying party.
    case wrongRelyingParty = "wrong-relying-party"
    /// Nobody touched the authenticator.
    case userNotPresent = "user-not-present"
    /// The authenticator has not verified who touched it.
    case userNotVerified = "user-not-verified"
    /// Backed up, and yet not eligible to be; or no longer what it was registered as.
    case inconsistentBackup = "inconsistent-backup"
    /// The key is broken, or of a kind that its algorithm does not sign with.
    case malformedKey = "malformed-key"
    /// The key's algorithm is none of ES256, RS256 and EdDSA over Ed25519.
    case unsupportedAlgorithm = "unsupported-algorithm"
    /// The credential's id is not the one that was told beside it.
    case wrongCredential = "wrong-credential"
    /// The attestation object is not canonical CBOR of the right shape.
    case malformedAttestation = "malformed-attestation"
    /// The attestation is neither `none` nor `packed`.
    case unsupportedAttestation = "unsupported-attestation"
    /// The attestation's signature, or its certificate, does not hold.
    case invalidAttestation = "invalid-attestation"
    /// The assertion's signature is not the credential's.
    case wrongSignature = "wrong-signature"
    /// The assertion is another user's than its credential.
    case wrongUserHandle = "wrong-user-handle"
    /// The sign count has not gone up: there may be a copy of the authenticator.
    case signCountRegression = "sign-count-regression"
}
