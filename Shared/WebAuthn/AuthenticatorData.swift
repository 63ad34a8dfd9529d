internal import Crypto

/// What an authenticator says of itself and of the touch; it signs these bytes.
///
/// Shape: 32 bytes SHA-256 of the relying party's id, flags, 4 bytes sign count; with the flag AT
/// 16 bytes AAGUID, 2 bytes length, the credential's id, its key in COSE; with the flag ED a map of
/// extensions. Nothing behind.
/// Source: WebAuthn Level 3, 6.1.
struct AuthenticatorData {
    let rpIDHash: [UInt8]
    let flags: Flags
    let signCount: UInt32
    let attested: Attested?

    /// The bits of the flags; the reserved ones mean nothing and are passed over.
    struct Flags: OptionSet {
        let rawValue: UInt8
        static let userPresent = Flags(rawValue: 0x01)
        static let userVerified = Flags(rawValue: 0x04)
        static let backupEligible = Flags(rawValue: 0x08)
        static let backedUp = Flags(rawValue: 0x10)
        static let hasAttested = Flags(rawValue: 0x40)
        static let hasExtensions = Flags(rawValue: 0x80)
    }

    /// The new credential.
    struct Attested {
        let aaguid: [UInt8]
        let id: [UInt8]
        /// The key as it came, which is what is kept.
        let cose: [UInt8]
        let key: CBOR
    }

    /// The longest id that a credential may have.
    static let credentialIDMax = 1_023
    /// The longest that is looked at.
    static let bytesMax = 8_192

    init(_ bytes: [UInt8]) throws(WebAuthnError) {
        guard (37...Self.bytesMax).contains(bytes.count) else {
            throw .malformedAuthenticatorData
        }
        rpIDHash = Array(bytes[..<32])
        flags = Flags(rawValue: bytes[32])
        signCount = bytes[33..<37].reduce(0) { $0 << 8 | UInt32($1) }
        var rest = bytes[37...]
        if flags.contains(.hasAttested) {
            attested = try Attested(&rest)
        } else {
            attested = nil
        }
        if flags.contains(.hasExtensions) {
            // They are read to find their end; none was asked for, so none is believed.
            guard let (value, after) = try? CBOR.first(of: rest), case .map = value else {
                throw .malformedAuthenticatorData
            }
            rest = after
        }
        guard rest.isEmpty else { throw .malformedAuthenticatorData }
    }

    /// Judges what both ceremonies ask for.
    func check(
        _ party: RelyingParty,
        _ expected: RelyingParty.Expectation
    ) throws(WebAuthnError) {
        guard equalInConstantTime(rpIDHash, party.idHash) else { throw .wrongRelyingParty }
        guard flags.contains(.userPresent) else { throw .userNotPresent }
        guard flags.contains(.userVerified) || !expected.requiresUserVerification else {
            throw .userNotVerified
        }
        guard flags.contains(.backupEligible) || !flags.contains(.backedUp) else {
            throw .inconsistentBackup
        }
    }
}

extension AuthenticatorData.Attested {
    fileprivate init(_ rest: inout ArraySlice<UInt8>) throws(WebAuthnError) {
        guard rest.count >= 18 else { throw .malformedAuthenticatorData }
        aaguid = Array(rest.prefix(16))
        let length = rest.dropFirst(16).prefix(2).reduce(0) { $0 << 8 | Int($1) }
        rest = rest.dropFirst(18)
        guard (1...AuthenticatorData.credentialIDMax).contains(length), length <= rest.count else {
            throw .malformedAuthenticatorData
        }
        id = Array(rest.prefix(length))
        rest = rest.dropFirst(length)
        guard let (value, after) = try? CBOR.first(of: rest) else { throw .malformedKey }
        key = value
        cose = Array(rest.prefix(rest.count - after.count))
        rest = after
    }
}
