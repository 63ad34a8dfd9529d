internal import Crypto

/// A credential that was just made, as it is to be kept.
public struct RegisteredCredential: Sendable, Hashable {
    /// Its id, which the authenticator chose.
    public let id: [UInt8]
    /// Its public key in COSE, as it came.
    public let publicKey: [UInt8]
    /// COSE's number of the key's algorithm.
    public let algorithm: Int64
    /// The sign count at the beginning; 0 where the authenticator counts nothing.
    public let signCount: UInt32
    /// The model of the authenticator; zeros where it does not say.
    public let aaguid: [UInt8]
    /// Whether the credential may be copied by its provider (a synced passkey).
    public let isBackupEligible: Bool
    /// Whether it has been.
    public let isBackedUp: Bool
    /// Whether the user was verified.
    public let isUserVerified: Bool
}

/// What a browser answers to a registration.
public struct RegistrationAnswer: Sendable {
    let credentialID: [UInt8]
    let clientData: [UInt8]
    let attestationObject: [UInt8]

    /// An answer.
    /// - Parameter credentialID: the id that stands beside the attestation.
    public init(credentialID: [UInt8], clientData: [UInt8], attestationObject: [UInt8]) {
        self.credentialID = credentialID
        self.clientData = clientData
        self.attestationObject = attestationObject
    }
}

extension RelyingParty {
    /// The largest attestation object that is looked at.
    static let attestationBytesMax = 16_384

    /// Verifies a registration: the rules of WebAuthn Level 3, 7.1, in their order.
    ///
    /// Attestation is conveyed as `none`: a statement in the format `packed` must hold, but whose
    /// root signed its certificate is not asked, and no policy depends on it.
    public func verify(
        _ answer: RegistrationAnswer,
        _ expected: Expectation
    ) throws(WebAuthnError) -> RegisteredCredential {
        let clientDigest = try ClientData.digest(
            of: answer.clientData,
            type: "webauthn.create",
            from: self,
            expected
        )
        guard answer.attestationObject.count <= Self.attestationBytesMax,
            let object = try? CBOR(document: answer.attestationObject),
            case .map(let members) = object, members.count == 3,
            case .text(let format)? = object["fmt"], let statement = object["attStmt"],
            case .bytes(let bytes)? = object["authData"]
        else { throw .malformedAttestation }
        let data = try AuthenticatorData(bytes)
        try data.check(self, expected)
        guard let attested = data.attested else { throw .malformedAuthenticatorData }
        let key = try CredentialKey(attested.key)
        guard attested.id == answer.credentialID else { throw .wrongCredential }
        try AttestationStatement(format, statement).check(
            of: attested,
            key,
            over: bytes + clientDigest
        )
        return RegisteredCredential(
            id: attested.id,
            publicKey: attested.cose,
            algorithm: key.algorithm,
            signCount: data.signCount,
            aaguid: attested.aaguid,
            isBackupEligible: data.flags.contains(.backupEligible),
            isBackedUp: data.flags.contains(.backedUp),
            isUserVerified: data.flags.contains(.userVerified)
        )
    }
}

/// The statements that are understood.
///
/// Source: WebAuthn Level 3, 8.2 (packed), 8.7 (none).
enum AttestationStatement {
    case none
    case packed(algorithm: Int64, signature: [UInt8], certificates: [[UInt8]]?)

    init(_ format: String, _ statement: CBOR) throws(WebAuthnError) {
        guard case .map(let members) = statement else { throw .malformedAttestation }
        switch format {
        case "none":
            guard members.isEmpty else { throw .malformedAttestation }
            self = .none
        case "packed":
            guard case .integer(let algorithm)? = statement["alg"],
                case .bytes(let signature)? = statement["sig"]
            else { throw .malformedAttestation }
            guard let listed = statement["x5c"] else {
                guard members.count == 2 else { throw .malformedAttestation }
                self = .packed(algorithm: algorithm, signature: signature, certificates: nil)
                return
            }
            guard members.count == 3, case .array(let values) = listed, !values.isEmpty else {
                throw .malformedAttestation
            }
            var certificates: [[UInt8]] = []
            for value in values {
                guard case .bytes(let der) = value else { throw .malformedAttestation }
                certificates.append(der)
            }
            self = .packed(
                algorithm: algorithm,
                signature: signature,
                certificates: certificates
            )
        default: throw .unsupportedAttestation
        }
    }

    func check(
        of attested: AuthenticatorData.Attested,
        _ key: CredentialKey,
        over signed: [UInt8]
    ) throws(WebAuthnError) {
        guard case .packed(let number, let signature, let certificates) = self else { return }
        guard let leaf = certificates?.first else {
            // Self attestation: the credential's own key, by its own algorithm.
            guard number == key.algorithm, key.key.verify(signature, over: signed) else {
                throw .invalidAttestation
            }
            return
        }
        guard let algorithm = CredentialKey.signature(of: number) else {
            throw .unsupportedAlgorithm
        }
        guard
            let certificate = try? AttestationCertificate(der: leaf, signingBy: algorithm),
            certificate.model ?? attested.aaguid == attested.aaguid,
            certificate.key.verify(signature, over: signed)
        else { throw .invalidAttestation }
    }
}
