import Crypto
import Testing

@testable import WebAuthn

/// Every vector of the standard: what is supported is taken, the rest refused for its reason.
@Suite struct VectorTests {
    /// Why a vector's registration is refused; those not named are taken.
    static let refused: [String: WebAuthnError] = [
        "ES256 Credential with \"crossOrigin\": true in clientDataJSON": .crossOrigin,
        "ES256 Credential with \"topOrigin\" in clientDataJSON": .crossOrigin,
        "Packed Attestation with ES384 Credential": .unsupportedAlgorithm,
        "Packed Attestation with ES512 Credential": .unsupportedAlgorithm,
        "Packed Attestation with Ed448 Credential": .unsupportedAlgorithm,
        "TPM Attestation with ES256 Credential": .unsupportedAttestation,
    ]

    static func taken() throws -> [Vectors.Vector] {
        try Vectors.load().filter { refused[$0.name] == nil }
    }

    @Test func eachIsTakenOrRefusedForItsReason() throws {
        for vector in try Vectors.load() {
            let ceremonies = Ceremonies(vector)
            let fault = ceremonies.registrationFault
            #expect(fault == Self.refused[vector.name], "\(vector.name)")
            guard fault == nil else { continue }
            let credential = try ceremonies.register()
            #expect(credential.aaguid == vector.registration.aaguid.bytes)
            #expect(credential.id == vector.registration.credentialID.bytes)
            let assertionFault = ceremonies.assertionFault(credential)
            #expect(assertionFault == nil, "\(vector.name)")
        }
    }

    @Test func assertionsOfWhatIsRefusedAtRegistrationAreRefusedToo() throws {
        for vector in try Vectors.load() {
            guard let reason = Self.refused[vector.name], reason == .crossOrigin else { continue }
            var ceremonies = Ceremonies(vector)
            let object = try CBOR(document: ceremonies.attestationObject)
            guard case .bytes(let bytes)? = object["authData"] else { continue }
            let attested = try #require(try AuthenticatorData(bytes).attested)
            let known = RegisteredCredential(
                id: attested.id,
                publicKey: attested.cose,
                algorithm: -7,
                signCount: 0,
                aaguid: attested.aaguid,
                isBackupEligible: false,
                isBackedUp: false,
                isUserVerified: false
            )
            let fault = ceremonies.assertionFault(known)
            #expect(fault == .crossOrigin, "\(vector.name)")
            ceremonies.requestClientData.append(0x20)
            let changed = ceremonies.assertionFault(known)
            #expect(changed == .crossOrigin)
        }
    }

    @Test func userVerificationIsAskedFor() throws {
        for vector in try Self.taken() {
            var ceremonies = Ceremonies(vector)
            let credential = try ceremonies.register()
            ceremonies.isVerificationRequired = true
            let registration = ceremonies.registrationFault
            #expect(registration == (credential.isUserVerified ? nil : .userNotVerified))
            let isVerified = ceremonies.authenticatorData[32] & 4 != 0
            let assertion = ceremonies.assertionFault(credential)
            #expect(assertion == (isVerified ? nil : .userNotVerified), "\(vector.name)")
        }
    }

    @Test func everyBitOfAnAssertionCounts() throws {
        for vector in try Self.taken() {
            let ceremonies = Ceremonies(vector)
            let credential = try ceremonies.register()
            let parts: [WritableKeyPath<Ceremonies, [UInt8]>] = [
                \.requestChallenge, \.requestClientData, \.authenticatorData, \.signature,
                \.credentialID,
            ]
            for part in parts {
                for place in ceremonies[keyPath: part].indices {
                    for bit in 0..<8 {
                        var changed = ceremonies
                        changed[keyPath: part][place] ^= 1 << UInt8(bit)
                        let fault = changed.assertionFault(credential)
                        if fault == nil {
                            Issue.record("\(vector.name): \(part) \(place) bit \(bit)")
                        }
                    }
                }
            }
        }
    }

    @Test func everyBitOfARegistrationCountsButWhatNobodySigns() throws {
        for vector in try Self.taken() {
            let ceremonies = Ceremonies(vector)
            let credential = try ceremonies.register()
            let isSigned = vector.name.contains("Packed") || vector.name.contains("Self")
            let parts: [WritableKeyPath<Ceremonies, [UInt8]>] = [
                \.creationChallenge, \.creationClientData, \.attestationObject, \.credentialID,
            ]
            for part in parts {
                for place in ceremonies[keyPath: part].indices {
                    for bit in 0..<8 {
                        var changed = ceremonies
                        changed[keyPath: part][place] ^= 1 << UInt8(bit)
                        guard let other = try? changed.register() else { continue }
                        // Without attestation nothing is signed: neither what the browser says
                        // beside what is asked, nor the model, the count and the flags.
                        let isLoose =
                            !isSigned && other.publicKey == credential.publicKey
                            && other.id == credential.id
                        let isUnsignedChain =
                            isSigned && part == \.attestationObject
                            && Self.isBehindLeaf(place, ceremonies.attestationObject)
                        if !isLoose && !isUnsignedChain {
                            Issue.record("\(vector.name): \(part) \(place) bit \(bit)")
                        }
                    }
                }
            }
        }
    }

    /// Whether a place is within the leaf's parts that only its issuer signs (names of the issuer,
    /// days, the signature): with attestation `none` nobody's chain is followed.
    static func isBehindLeaf(_ place: Int, _ object: [UInt8]) -> Bool {
        guard let statement = try? CBOR(document: object)["attStmt"],
            case .array(let list)? = statement["x5c"], case .bytes(let leaf)? = list.first,
            let start = object.indices.first(where: { object[$0...].starts(with: leaf) })
        else { return false }
        return (start..<start + leaf.count).contains(place)
    }

    @Test func cutOffOrExtendedPartsAreRefused() throws {
        for vector in try Self.taken() {
            let ceremonies = Ceremonies(vector)
            let credential = try ceremonies.register()
            for count in ceremonies.attestationObject.indices {
                var changed = ceremonies
                changed.attestationObject = Array(ceremonies.attestationObject.prefix(count))
                let fault = changed.registrationFault
                #expect(fault == .malformedAttestation)
            }
            var longer = ceremonies
            longer.attestationObject.append(0)
            let fault = longer.registrationFault
            #expect(fault == .malformedAttestation)
            for count in ceremonies.authenticatorData.indices {
                var changed = ceremonies
                changed.authenticatorData = Array(ceremonies.authenticatorData.prefix(count))
                let fault = changed.assertionFault(credential)
                #expect(fault == .malformedAuthenticatorData)
            }
            longer = ceremonies
            longer.authenticatorData.append(0)
            let longFault = longer.assertionFault(credential)
            #expect(longFault == .malformedAuthenticatorData)
        }
    }

    @Test func anotherPartyOriginOrUserIsRefused() throws {
        for vector in try Self.taken() {
            var ceremonies = Ceremonies(vector)
            let credential = try ceremonies.register()
            for origin in [
                "https://example.org:8443", "http://example.org", "https://www.example.org",
                "https://example.com", "https://example.org/",
            ] {
                ceremonies.party = RelyingParty(origin: origin)
                let registration = ceremonies.registrationFault
                let assertion = ceremonies.assertionFault(credential)
                #expect(registration == .wrongOrigin && assertion == .wrongOrigin, "\(origin)")
            }
            ceremonies = Ceremonies(vector)
            ceremonies.userHandle = [1, 2, 4]
            var fault = ceremonies.assertionFault(credential)
            #expect(fault == .wrongUserHandle)
            ceremonies.userHandle = nil
            fault = ceremonies.assertionFault(credential)
            #expect(fault == .wrongUserHandle)
        }
    }

    @Test func oneCeremonyIsNotTheOther() throws {
        for vector in try Self.taken() {
            var ceremonies = Ceremonies(vector)
            let credential = try ceremonies.register()
            swap(&ceremonies.creationClientData, &ceremonies.requestClientData)
            swap(&ceremonies.creationChallenge, &ceremonies.requestChallenge)
            let registration = ceremonies.registrationFault
            let assertion = ceremonies.assertionFault(credential)
            #expect(registration == .wrongType && assertion == .wrongType)
        }
    }
}
