internal import Crypto

/// What a browser answers to a request for an assertion.
public struct AssertionAnswer: Sendable {
    /// The credential that it says to be of.
    public let credentialID: [UInt8]
    /// The user whom the authenticator keeps beside the credential.
    public let userHandle: [UInt8]?
    let clientData: [UInt8]
    let authenticatorData: [UInt8]
    let signature: [UInt8]

    /// An answer.
    public init(
        credentialID: [UInt8],
        userHandle: [UInt8]?,
        clientData: [UInt8],
        authenticatorData: [UInt8],
        signature: [UInt8]
    ) {
        self.credentialID = credentialID
        self.userHandle = userHandle
        self.clientData = clientData
        self.authenticatorData = authenticatorData
        self.signature = signature
    }
}

/// A credential as it was kept.
public struct KnownCredential: Sendable {
    let id: [UInt8]
    let publicKey: [UInt8]
    let signCount: UInt32
    let isBackupEligible: Bool
    let userHandle: [UInt8]

    /// A credential.
    public init(
        id: [UInt8],
        publicKey: [UInt8],
        signCount: UInt32,
        isBackupEligible: Bool,
        userHandle: [UInt8]
    ) {
        self.id = id
        self.publicKey = publicKey
        self.signCount = signCount
        self.isBackupEligible = isBackupEligible
        self.userHandle = userHandle
    }
}

/// What an assertion has proved, and what is to be kept of it.
public struct VerifiedAssertion: Sendable, Hashable {
    /// The sign count from now on.
    public let signCount: UInt32
    /// Whether the credential has a copy with its provider by now.
    public let isBackedUp: Bool
    /// Whether the user was verified.
    public let isUserVerified: Bool
}

extension RelyingParty {
    /// Verifies an assertion: the rules of WebAuthn Level 3, 7.2, the sign count last, so that a
    /// regression is known to come from the key itself.
    ///
    /// - Parameter isDiscovered: whether nobody was named beforehand: the authenticator must then
    ///   say whose the credential is.
    public func verify(
        _ answer: AssertionAnswer,
        by known: KnownCredential,
        isDiscovered: Bool,
        _ expected: Expectation
    ) throws(WebAuthnError) -> VerifiedAssertion {
        guard answer.credentialID == known.id else { throw .wrongCredential }
        if let handle = answer.userHandle {
            guard handle == known.userHandle else { throw .wrongUserHandle }
        } else if isDiscovered {
            throw .wrongUserHandle
        }
        let clientDigest = try ClientData.digest(
            of: answer.clientData,
            type: "webauthn.get",
            from: self,
            expected
        )
        let data = try AuthenticatorData(answer.authenticatorData)
        try data.check(self, expected)
        // What may be copied is told once, when the credential is made.
        guard data.flags.contains(.backupEligible) == known.isBackupEligible else {
            throw .inconsistentBackup
        }
        let key = try CredentialKey(cose: known.publicKey)
        guard key.key.verify(answer.signature, over: answer.authenticatorData + clientDigest)
        else { throw .wrongSignature }
        guard Self.hasAdvanced(known.signCount, to: data.signCount) else {
            throw .signCountRegression
        }
        return VerifiedAssertion(
            signCount: data.signCount,
            isBackedUp: data.flags.contains(.backedUp),
            isUserVerified: data.flags.contains(.userVerified)
        )
    }

    /// Whether a sign count has gone up; an authenticator that never counts says 0 each time.
    public static func hasAdvanced(_ old: UInt32, to new: UInt32) -> Bool {
        new > old || (new == 0 && old == 0)
    }
}
