import Crypto
import Foundation
import Testing

@testable import WebAuthn

/// The test vectors of the standard, as the folder of test data keeps them.
struct Vectors: Decodable {
    let vectors: [Vector]

    struct Vector: Decodable, CustomTestStringConvertible {
        let name: String
        let registration: Registration
        let authentication: Authentication
        var testDescription: String { name }
    }
    struct Registration: Decodable {
        let challenge: Hex
        let aaguid: Hex
        let credentialID: Hex
        let clientDataJSON: Hex
        let attestationObject: Hex

        enum CodingKeys: String, CodingKey {
            case challenge, aaguid, clientDataJSON, attestationObject
            case credentialID = "credential_id"
        }
    }
    struct Authentication: Decodable {
        let challenge: Hex
        let authenticatorData: Hex
        let clientDataJSON: Hex
        let signature: Hex
    }
    struct Hex: Decodable {
        let bytes: [UInt8]
        init(from decoder: any Decoder) throws {
            bytes = try Vectors.bytes(decoder.singleValueContainer().decode(String.self))
        }
    }

    static func bytes(_ text: String) -> [UInt8] {
        var rest = text[...]
        var bytes: [UInt8] = []
        while !rest.isEmpty {
            bytes.append(UInt8(rest.prefix(2), radix: 16) ?? 0)
            rest = rest.dropFirst(2)
        }
        return bytes
    }

    /// All of them; none where the folder is absent and not demanded.
    static func load() throws -> [Vector] {
        let environment = ProcessInfo.processInfo.environment
        let folder = environment["EZWALLET_TEST_DATA"] ?? "../shared/data"
        let path = folder + "/vectors/webauthn.json"
        guard FileManager.default.fileExists(atPath: path) else {
            #expect(environment["EZWALLET_REQUIRE_TEST_DATA"] != "1", "no \(path)")
            return []
        }
        let data = try Data(contentsOf: URL(filePath: path))
        let all = try JSONDecoder().decode(Vectors.self, from: data).vectors
        #expect(all.count == 12)
        return all
    }
}

/// A vector as our verifier is asked about it, each part open to be tampered with.
struct Ceremonies {
    static let party = RelyingParty(origin: "https://example.org")

    var party = Self.party
    var creationChallenge: [UInt8]
    var credentialID: [UInt8]
    var creationClientData: [UInt8]
    var attestationObject: [UInt8]
    var requestChallenge: [UInt8]
    var requestClientData: [UInt8]
    var authenticatorData: [UInt8]
    var signature: [UInt8]
    var userHandle: [UInt8]? = [1, 2, 3]
    var isVerificationRequired = false

    init(_ vector: Vectors.Vector) {
        creationChallenge = vector.registration.challenge.bytes
        credentialID = vector.registration.credentialID.bytes
        creationClientData = vector.registration.clientDataJSON.bytes
        attestationObject = vector.registration.attestationObject.bytes
        requestChallenge = vector.authentication.challenge.bytes
        requestClientData = vector.authentication.clientDataJSON.bytes
        authenticatorData = vector.authentication.authenticatorData.bytes
        signature = vector.authentication.signature.bytes
    }

    func register() throws(WebAuthnError) -> RegisteredCredential {
        try party.verify(
            RegistrationAnswer(
                credentialID: credentialID,
                clientData: creationClientData,
                attestationObject: attestationObject
            ),
            expectation(creationChallenge)
        )
    }

    func assert(by known: RegisteredCredential) throws(WebAuthnError) -> VerifiedAssertion {
        try party.verify(
            AssertionAnswer(
                credentialID: credentialID,
                userHandle: userHandle,
                clientData: requestClientData,
                authenticatorData: authenticatorData,
                signature: signature
            ),
            by: KnownCredential(
                id: known.id,
                publicKey: known.publicKey,
                signCount: known.signCount,
                isBackupEligible: known.isBackupEligible,
                userHandle: [1, 2, 3]
            ),
            isDiscovered: true,
            expectation(requestChallenge)
        )
    }

    private func expectation(_ challenge: [UInt8]) -> RelyingParty.Expectation {
        RelyingParty.Expectation(
            challengeDigest: SHA256.digest(challenge),
            requiresUserVerification: isVerificationRequired
        )
    }

    /// Why the registration is refused; nil where it is not.
    var registrationFault: WebAuthnError? {
        do { _ = try register() } catch { return error }
        return nil
    }

    func assertionFault(_ known: RegisteredCredential) -> WebAuthnError? {
        do { _ = try assert(by: known) } catch { return error }
        return nil
    }
}
