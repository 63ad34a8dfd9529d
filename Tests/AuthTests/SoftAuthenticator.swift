import Crypto
import HTTP
import ServiceKit
import TestKit
import Testing
import WalletProtocol

@testable import AuthService

/// An authenticator of our own making, whose every answer can be bent.
struct SoftAuthenticator {
    let key: ES256Key
    var id = randomBytes(32)
    var user: ID<User>
    var origin = "https://wallet.example"
    var party = "wallet.example"
    var signCount: UInt32 = 0
    /// Present and verified.
    var flags: UInt8 = 0x05
    var isCrossOrigin = false
    var tellsUser = true

    init(user: ID<User>) throws {
        key = try ES256Key.generate()
        self.user = user
    }

    private func clientData(_ type: String, _ challenge: String) -> [UInt8] {
        Array(
            (#"{"type":"\#(type)","challenge":"\#(challenge)","origin":"\#(origin)","#
                + #""crossOrigin":\#(isCrossOrigin)}"#).utf8
        )
    }

    private func data(flags: UInt8) -> [UInt8] {
        SHA256.digest(party.utf8) + [flags]
            + (0..<4).map { UInt8(truncatingIfNeeded: signCount >> (24 - 8 * $0)) }
    }

    /// A registration in the format `none`.
    func register(_ creation: PasskeyCreation, name: String? = nil) -> NewPasskey {
        let cose: [UInt8] =
            [0xA5, 1, 2, 3, 0x26, 0x20, 1, 0x21, 0x58, 32] + key.x + [0x22, 0x58, 32] + key.y
        let bytes =
            data(flags: flags | 0x40) + [UInt8](repeating: 0, count: 16) + [0, UInt8(id.count)]
            + id + cose
        let object: [UInt8] =
            [0xA3, 0x63] + Array("fmt".utf8) + [0x64] + Array("none".utf8) + [0x67]
            + Array("attStmt".utf8) + [0xA0, 0x68] + Array("authData".utf8)
            + [0x58, UInt8(bytes.count)] + bytes
        let client = clientData("webauthn.create", creation.publicKey.challenge)
        return NewPasskey(
            challengeID: creation.challengeID,
            credential: PasskeyCredential(
                id: text(id),
                rawID: text(id),
                response: PasskeyAttestation(
                    clientDataJSON: text(client),
                    attestationObject: text(object),
                    transports: ["internal", "new-kind"]
                )
            ),
            name: name
        )
    }

    /// An assertion, whose sign count is the authenticator's.
    func assert(_ challenge: PasskeyChallenge) -> PasskeyAssertion {
        let client = clientData("webauthn.get", challenge.publicKey.challenge)
        let data = data(flags: flags)
        let signature = der(key.sign(data + SHA256.digest(client)))
        return PasskeyAssertion(
            challengeID: challenge.challengeID,
            credential: PasskeyCredential(
                id: text(id),
                rawID: text(id),
                response: PasskeySignature(
                    clientDataJSON: text(client),
                    authenticatorData: text(data),
                    signature: text(signature),
                    userHandle: tellsUser ? text(user.bytes) : nil
                )
            )
        )
    }

    private func text(_ bytes: [UInt8]) -> String { Base64URL.encode(bytes) }

    /// R and S as the DER that authenticators write.
    private func der(_ pair: [UInt8]) -> [UInt8] {
        let numbers = [pair[..<32], pair[32...]].map { half in
            var number = Array(half.drop { $0 == 0 })
            if number.first ?? 0x80 >= 0x80 { number.insert(0, at: 0) }
            return [2, UInt8(number.count)] + number
        }
        let both = Array(numbers.joined())
        return [0x30, UInt8(both.count)] + both
    }
}

extension Harness {
    /// Somebody new with a passkey.
    func registerWithPasskey(
        isProved: Bool = true
    ) async throws -> (
        email: String, session: SessionTokens, id: ID<User>, passkey: SoftAuthenticator
    ) {
        let (email, session, id) = try await register()
        if isProved { try await prove(id) }
        let authenticator = try SoftAuthenticator(user: id)
        let answer = try await add(authenticator, session)
        try #require(answer.status == 201, "\(answer.text)")
        return (email, session, id, authenticator)
    }

    func begin(_ session: SessionTokens) async throws -> PasskeyCreation {
        let answer = try await rig.call(
            .post,
            "/v1/passkeys/options",
            token: session.accessToken
        )
        try #require(answer.status == 201, "\(answer.text)")
        return try JSON.read(PasskeyCreation.self, from: answer.body)
    }

    func add(
        _ authenticator: SoftAuthenticator,
        _ session: SessionTokens
    ) async throws -> ServiceRig.Answer {
        try await send(authenticator.register(begin(session)), session)
    }

    func send(
        _ new: NewPasskey,
        _ session: SessionTokens,
        headers: [(StaticString, String)] = []
    ) async throws -> ServiceRig.Answer {
        try await rig.call(
            .post,
            "/v1/passkeys",
            headers: headers,
            body: JSON.write(new),
            token: session.accessToken
        )
    }

    func challenge(
        _ request: PasskeyRequest = PasskeyRequest(),
        token: String? = nil,
        headers: [(StaticString, String)] = []
    ) async throws -> PasskeyChallenge {
        let answer = try await rig.call(
            .post,
            "/v1/sessions/passkey-options",
            headers: headers,
            body: JSON.write(request),
            token: token
        )
        try #require(answer.status == 201, "\(answer.text)")
        return try JSON.read(PasskeyChallenge.self, from: answer.body)
    }

    func logIn(_ assertion: PasskeyAssertion) async throws -> ServiceRig.Answer {
        try await post("/v1/sessions", NewSession(passkey: assertion))
    }
}
