import Crypto
import JOSE

@testable import ServiceKit
@testable import WalletProtocol
@testable import WebAuthn

extension FuzzTarget {
    static let credentials = [
        FuzzTarget(
            "cbor",
            growths: [
                Growth("\u{7F}", "a"), Growth("\u{1}"),
                Growth("a long array") { [0x9B] + [UInt8](repeating: 0, count: $0) },
                Growth("bytes") { [UInt8](repeating: 0x81, count: $0) },
            ],
            seeds: { CeremonyBytes.documents },
            check: { bytes in
                guard let value = try? CBOR(document: bytes) else { return }
                let (first, rest) = try CBOR.first(of: bytes[...])
                try hold(first == value && rest.isEmpty, "the first value is not the only one")
                try hold(CeremonyBytes.written(value).count == bytes.count, "two spellings")
            }
        ),
        FuzzTarget(
            "attestations",
            words: ["packed", "none", "authData", "attStmt", "fmt", "x5c", "sig", "alg"],
            seeds: { CeremonyBytes.attestations },
            check: { try attestation($0) }
        ),
        FuzzTarget(
            "authenticator-data",
            seeds: { CeremonyBytes.authenticatorData },
            check: { try assertion($0) }
        ),
        FuzzTarget(
            "client-data",
            words: jsonWords + ["\"type\":\"webauthn.create\"", "\"crossOrigin\":true"],
            growths: [Growth("{", numbered: "\"a", "\":1,", "\"z\":1}")],
            seeds: { CeremonyBytes.clientData },
            check: { try clientData($0) }
        ),
        FuzzTarget(
            "certificates",
            seeds: { CeremonyBytes.certificates },
            check: { bytes in
                for algorithm in SignatureAlgorithm.allCases {
                    guard
                        let certificate = try? AttestationCertificate(
                            der: bytes,
                            signingBy: algorithm
                        )
                    else { continue }
                    try hold(certificate.model?.count ?? 16 == 16, "a model of another length")
                    _ = certificate.key.verify(Array(bytes.prefix(72)), over: bytes)
                }
            }
        ),
        FuzzTarget(
            "key-sets",
            words: jsonWords + [
                "\"kty\":\"EC\"", "\"crv\":\"P-256\"", "\"use\":\"sig\"", "\"n\":",
            ],
            growths: [
                Growth("{\"keys\":[", "{},", "{}]}"),
                Growth("{\"keys\":[{\"kty\":\"RSA\",\"e\":\"AQAB\",\"n\":\"", "A", "\"}]}"),
                Growth("{\"keys\":[{", numbered: "\"a", "\":1,", "\"kty\":\"EC\"}]}"),
            ],
            seeds: { TokenBytes.keySets },
            check: { bytes in
                guard let set = try? JWKSet(bytes) else { return }
                try hold(set.keys.count <= JWKSet.keysMax, "too many keys")
                for key in set.keys { _ = key.key.verify(Array(bytes.prefix(64)), over: bytes) }
                if let token = TokenBytes.tokens.first {
                    _ = try? VerifiedJWS(token, by: set, allowing: Set(JOSEAlgorithm.allCases))
                }
            }
        ),
        FuzzTarget(
            "tokens",
            words: [".", "eyJhbGciOiJub25lIn0", "..", "=", "-", "_"],
            growths: [
                Growth("."), Growth("A"), Growth("A.", "A", ".A"),
            ],
            seeds: { TokenBytes.tokens },
            check: { try token($0) }
        ),
        FuzzTarget(
            "token-parts",
            words: jsonWords + ["\"alg\":\"none\"", "\"crit\":[\"b64\"]", "\"kid\":"],
            seeds: { TokenBytes.parts },
            check: { bytes in
                // The payload, under a header that is good; and the header, however signed.
                let (key, set) = (TokenBytes.key, TokenBytes.set)
                let good = Array(CompactJWS.sign(bytes, with: key).utf8)
                let verified = try? VerifiedJWS(good, by: set, allowing: [.es256])
                try hold(verified.map(\.payload) == bytes, "what was signed is not verified")
                try claims(bytes)
                let signed = Base64URL.encode(bytes) + ".e30"
                let signature = Base64URL.encode(key.sign(Array(signed.utf8)))
                try token(Array("\(signed).\(signature)".utf8))
            }
        ),
        FuzzTarget(
            "seals",
            seeds: {
                TokenBytes.sealed.map { TokenBytes.seal?.seal($0, context: [1]) ?? [] }
            },
            check: { bytes in
                guard let opened = try? TokenBytes.seal?.open(bytes, context: [1]) else { return }
                try hold(
                    TokenBytes.sealed.contains(opened),
                    "something opens that was never sealed"
                )
                let other = try? TokenBytes.seal?.open(bytes, context: [2])
                try hold(other == nil, "it opens for another use")
            }
        ),
    ]

    // MARK: WebAuthn

    private static let party = RelyingParty(origin: "https://example.org")

    private static func expectation(_ challenge: [UInt8]) -> RelyingParty.Expectation {
        RelyingParty.Expectation(challengeDigest: SHA256.digest(challenge))
    }

    /// The client data is good and the credential's id that of the attestation, so that what is
    /// behind them is reached.
    private static func attestation(_ bytes: [UInt8]) throws {
        var id: [UInt8] = [1]
        if let object = try? CBOR(document: bytes), case .bytes(let data)? = object["authData"],
            let attested = try? AuthenticatorData(data).attested
        {
            id = attested.id
        }
        let answer = RegistrationAnswer(
            credentialID: id,
            clientData: CeremonyBytes.clientData[0],
            attestationObject: bytes
        )
        guard let made = try? party.verify(answer, expectation(CeremonyBytes.challenge)) else {
            return
        }
        try hold(made.aaguid.count == 16 && !made.id.isEmpty, "a credential without a name")
        try hold(made.id.count <= 1_023, "a name that is too long")
        let key = try CredentialKey(cose: made.publicKey)
        try hold(key.algorithm == made.algorithm, "a key of another algorithm when read again")
    }

    /// Two bytes of the length of the data, the data, the signature; the key is that of the data
    /// where it has one.
    private static func assertion(_ bytes: [UInt8]) throws {
        guard let data = try? AuthenticatorData(bytes) else { return }
        try hold(data.rpIDHash.count == 32, "a digest of another length")
        let key = data.attested?.cose ?? CeremonyBytes.publicKey
        if let attested = data.attested {
            try hold((1...1_023).contains(attested.id.count), "a name of another length")
            try hold(attested.aaguid.count == 16, "a model of another length")
        }
        let answer = AssertionAnswer(
            credentialID: [1],
            userHandle: [2],
            clientData: CeremonyBytes.clientData[1],
            authenticatorData: bytes,
            signature: Array(bytes.suffix(70))
        )
        let known = KnownCredential(
            id: [1],
            publicKey: key,
            signCount: 1,
            isBackupEligible: data.flags.contains(.backupEligible),
            userHandle: [2]
        )
        let verified = try? party.verify(
            answer,
            by: known,
            isDiscovered: true,
            expectation(CeremonyBytes.challenge)
        )
        try hold(verified == nil, "nobody has signed it")
    }

    private static func clientData(_ bytes: [UInt8]) throws {
        for type in ["webauthn.create", "webauthn.get"] {
            let digest = try? ClientData.digest(
                of: bytes,
                type: type,
                from: party,
                expectation(CeremonyBytes.challenge)
            )
            guard let digest else { continue }
            try hold(digest == SHA256.digest(bytes), "the digest of something else")
            let read = try JSON.value(Ceremony.self, of: bytes, ignoringUnknownFields: true)
            try hold(read.type == type, "another ceremony's")
            try hold(read.origin == "https://example.org", "another origin's")
        }
    }

    /// What is checked of client data; other members may be anything, and are not read.
    private struct Ceremony: JSONObject {
        let type: String
        let origin: String

        static let json = Object(
            Ceremony.init,
            Field("type", \.type),
            Field("origin", \.origin)
        )
    }

    // MARK: JOSE

    private static func token(_ bytes: [UInt8]) throws {
        if let parsed = try? CompactJWS(bytes) {
            let parts = [parsed.header, parsed.payload].map { Base64URL.encode($0) }
            try hold(
                bytes.starts(with: (parts.joined(separator: ".") + ".").utf8),
                "one token has two spellings"
            )
            if parsed.isSigned(by: TokenBytes.key) { try claims(parsed.payload) }
        }
        let verified = try? VerifiedJWS(
            bytes,
            by: TokenBytes.set,
            allowing: Set(JOSEAlgorithm.allCases)
        )
        try hold(verified.map { $0.algorithm == .es256 } ?? true, "not the key's algorithm")
    }

    private static func claims(_ payload: [UInt8]) throws {
        try read(AccessClaims.self, payload, ignoringUnknownFields: true)
    }
}
