import Crypto
import FoundationEssentials
import JOSE

@testable import WalletProtocol
@testable import WebAuthn

/// Keys and tokens that were made for these tests alone.
enum TokenBytes {
    static let key = made()
    static let set = (try? JWKSet(Array("{\"keys\":[\(key.jwk)]}".utf8))) ?? JWKSet(keys: [])
    static let sealed: [[UInt8]] = [
        [], [1], Array("secret".utf8), [UInt8](repeating: 7, count: 300),
    ]
    static let seal = Seal(key: [UInt8](repeating: 5, count: 32))

    private static func made() -> ES256Key {
        let text =
            "MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgbpldiQC4+lvSS8pgRGFyanRk1lra"
            + "tTtcVBNtgbf5OV6hRANCAASFqSBnDPdZHBxFEXpEVTNxG8bufYISGEgpuTdq+SJhwE34nAnI9qwJ"
            + "E+syzfCPiY+GPjAfLUy805bU8Med09yg"
        guard let der = Data(base64Encoded: text), let key = try? ES256Key(der: Array(der)) else {
            preconditionFailure("the key of the tests is none")
        }
        return key
    }

    static let parts: [[UInt8]] = [
        #"{"alg":"ES256","kid":"\#(key.id)","typ":"at+jwt"}"#, #"{"alg":"none"}"#,
        #"{"alg":"ES256","crit":["b64"],"b64":false}"#, #"{"alg":"HS256","kid":"a"}"#,
        #"{"iss":"https://example.org","aud":"ezwallet","sub":"service:ledger","iat":1,"exp":2}"#,
        #"{"iss":"i","aud":"a","sub":"0190163d-8694-739b-aea5-966c26f8ad90","sid":"#
            + #""0190163d-8694-739b-aea5-966c26f8ad90","roles":["user","admin"],"gen":3,"iat":1,"#
            + #""exp":9999999999,"nbf":1,"auth_time":1,"amr":["pwd","mfa"],"acr":"2"}"#,
    ].map { Array($0.utf8) }

    static let tokens: [[UInt8]] =
        parts.map { Array(CompactJWS.sign($0, with: key).utf8) }
        + ["a.b.c", "..", "e30.e30.e30"].map { Array($0.utf8) }

    static let keySets: [[UInt8]] = [
        "{\"keys\":[\(key.jwk)]}",
        #"{"keys":[{"kty":"OKP","crv":"Ed25519","kid":"e","#
            + #""x":"_4R2LiGGpHsZlR7UvXJnXztDlI5jlt5gMRl6jNx5BCw"},{"kty":"RSA","e":"AQAB","#
            + #""alg":"PS256","key_ops":["verify"],"n":"\#(modulus)"}]}"#,
        #"{"keys":[{"kty":"oct","k":"AAAA"},{"kty":"EC","crv":"P-521","x":"AA","y":"AA"}]}"#,
    ].map { Array($0.utf8) }

    private static let modulus =
        "vN8ouTULCvIv3_B8TQNZTiWxC7LWeNxpfIn_DpK42uP5X00M-NphxO2_0QT1ZlcDhRWcOT57e_K5THszFP-oj93"
        + "iXXdE6Exyj3P87RE4j80DVjH_D8vn_rlupPgbd8pGr16Hfz17zy4s7ZYBK5qI8A12ZkwV6NcVonLEiCzibClaO"
        + "SlGAGBD4JFXRwuOv3LLbI4mAeihh6KmU4NX09kXX-glObTOnjrGAKgcCzdphfcIxvNUe-1V14_Uph5zvwf1F6A"
        + "vlt1Izi8dkwa7TuDsMHtFmHcLGGDXqiwvGXrdxAiLyVaQX55YamESyEaYcvzSxEHkT3QLVz9-VhVArUViqw"
}

/// What authenticators say: made here, and the vectors of the standard where they are at hand.
enum CeremonyBytes {
    static let challenge: [UInt8] = [1, 2, 3, 4]

    static let clientData: [[UInt8]] =
        ["create", "get"].map { ceremony in
            Array(
                (#"{"type":"webauthn.\#(ceremony)","challenge":"AQIDBA","#
                    + #""origin":"https://example.org","crossOrigin":false}"#).utf8
            )
        } + [withUnknownMember] + vectors.flatMap { $0("clientDataJSON") }

    /// With a member that browsers may add, whose text has U+0000, which our reader refuses.
    private static let withUnknownMember = Array(
        (#"{"type":"webauthn.get","challenge":"AQIDBA","origin":"https://example.org","#
            + #""other":"\u0000"}"#).utf8
    )

    /// A key in COSE, and one of Ed25519.
    static let publicKey = written(
        .map([
            .integer(1): .integer(2), .integer(3): .integer(-7), .integer(-1): .integer(1),
            .integer(-2): .bytes(TokenBytes.key.x), .integer(-3): .bytes(TokenBytes.key.y),
        ])
    )
    private static let edwards = written(
        .map([
            .integer(1): .integer(1), .integer(3): .integer(-8), .integer(-1): .integer(6),
            .integer(-2): .bytes([UInt8](repeating: 9, count: 32)),
        ])
    )

    static let authenticatorData: [[UInt8]] = {
        let hash = SHA256.digest("example.org".utf8)
        let attested = [UInt8](repeating: 3, count: 16) + [0, 4, 1, 2, 3, 4]
        let extensions = written(.map([.text("credProtect"): .integer(2)]))
        return [
            hash + [0x05, 0, 0, 0, 2], hash + [0x1D, 0, 0, 0, 0],
            hash + [0x45, 0, 0, 0, 1] + attested + publicKey,
            hash + [0x5D, 0, 0, 0, 1] + attested + edwards,
            hash + [0xC5, 0, 0, 0, 1] + attested + publicKey + extensions,
            hash + [0x85, 0, 0, 0, 1] + extensions,
        ]
    }()

    static let certificates: [[UInt8]] =
        [certificate]
        + vectors.flatMap { $0("attestationObject") }.flatMap { object in
            guard let tree = try? CBOR(document: object),
                case .array(let all)? = tree["attStmt"]?["x5c"]
            else { return [[UInt8]]() }
            return all.compactMap { if case .bytes(let der) = $0 { der } else { nil } }
        }

    static let attestations: [[UInt8]] =
        authenticatorData.flatMap { data in
            [
                attestation("none", .map([:]), data),
                attestation("packed", packed(nil, data), data),
                attestation("packed", packed(certificate, data), data),
            ]
        } + vectors.flatMap { $0("attestationObject") }

    static let documents: [[UInt8]] =
        attestations + [publicKey, edwards]
        + [
            .array([.integer(-1), .integer(24), .integer(65_536), .integer(.max), .integer(.min)]),
            .array([.boolean(true), .null, .text("é"), .array([.array([.array([])])])]),
        ].map { written($0) }

    private static func attestation(
        _ format: String,
        _ statement: CBOR,
        _ data: [UInt8]
    ) -> [UInt8] {
        written(
            .map([
                .text("fmt"): .text(format), .text("attStmt"): statement,
                .text("authData"): .bytes(data),
            ])
        )
    }

    /// A statement whose signature holds.
    private static func packed(_ certificate: [UInt8]?, _ data: [UInt8]) -> CBOR {
        let signature = TokenBytes.key.sign(data + SHA256.digest(clientData[0]))
        var members: [CBOR: CBOR] = [
            .text("alg"): .integer(-7), .text("sig"): .bytes(der(signature)),
        ]
        if let certificate { members[.text("x5c")] = .array([.bytes(certificate)]) }
        return .map(members)
    }

    /// R and S as DER writes them.
    private static func der(_ signature: [UInt8]) -> [UInt8] {
        func number(_ bytes: ArraySlice<UInt8>) -> [UInt8] {
            var digits = Array(bytes.drop { $0 == 0 })
            if digits.first.map({ $0 >= 0x80 }) ?? true { digits.insert(0, at: 0) }
            return [0x02, UInt8(digits.count)] + digits
        }
        let both = number(signature[..<32]) + number(signature[32...])
        return [0x30, UInt8(both.count)] + both
    }

    /// The shortest form; pairs in the order of their keys' bytes.
    static func written(_ value: CBOR) -> [UInt8] {
        func head(_ kind: UInt8, _ number: UInt64) -> [UInt8] {
            let sizes: [(most: UInt64, code: UInt8, count: Int)] = [
                (0xFF, 24, 1), (0xFFFF, 25, 2), (0xFFFF_FFFF, 26, 4),
            ]
            if number < 24 { return [kind << 5 | UInt8(number)] }
            let (_, code, count) = sizes.first { number <= $0.most } ?? (0, 27, 8)
            return [kind << 5 | code]
                + (0..<count).reversed().map { UInt8(truncatingIfNeeded: number >> UInt64(8 * $0)) }
        }
        switch value {
        case .integer(let number):
            return number >= 0 ? head(0, UInt64(number)) : head(1, UInt64(-1 - number))
        case .bytes(let bytes): return head(2, UInt64(bytes.count)) + bytes
        case .text(let text): return head(3, UInt64(text.utf8.count)) + Array(text.utf8)
        case .array(let values): return head(4, UInt64(values.count)) + values.flatMap(written)
        case .map(let pairs):
            let all = pairs.map { written($0.key) + written($0.value) }
                .sorted { $0.lexicographicallyPrecedes($1) }
            return head(5, UInt64(pairs.count)) + all.flatMap(\.self)
        case .boolean(let isTrue): return [isTrue ? 0xF5 : 0xF4]
        case .null: return [0xF6]
        }
    }

    /// What the test data tells under a name, if it is there.
    private static let vectors: [@Sendable (String) -> [[UInt8]]] = {
        guard let bytes = TestData.file("vectors/webauthn.json"),
            let tree = try? JSON.read(JSONTree.self, from: bytes),
            case .array(let all)? = tree["vectors"]
        else { return [] }
        return all.map { vector in
            { name in
                ["registration", "authentication"].compactMap { part in
                    guard case .string(let text)? = vector[part]?[name] else { return nil }
                    return stride(from: 0, to: text.utf8.count, by: 2).map { place in
                        UInt8(text.dropFirst(place).prefix(2), radix: 16) ?? 0
                    }
                }
            }
        }
    }()

    private static let certificate: [UInt8] = Array(
        Data(
            base64Encoded:
                "MIIB/DCCAaKgAwIBAgIUFGsQHRdz3Ykev9CtQFDP93E7A7gwCgYIKoZIzj0EAwIwUzELMAkGA1UE"
                + "BhMCSVQxEDAOBgNVBAoMB0V4YW1wbGUxIjAgBgNVBAsMGUF1dGhlbnRpY2F0b3IgQXR0ZXN0YXRp"
                + "b24xDjAMBgNVBAMMBU1vZGVsMCAXDTI2MTEyMzA2MTcwMFoYDzIxMjYxMDMwMDYxNzAwWjBTMQsw"
                + "CQYDVQQGEwJJVDEQMA4GA1UECgwHRXhhbXBsZTEiMCAGA1UECwwZQXV0aGVudGljYXRvciBBdHRl"
                + "c3RhdGlvbjEOMAwGA1UEAwwFTW9kZWwwWTATBgcqhkjOPQIBBggqhkjOPQMBBwNCAASFqSBnDPdZ"
                + "HBxFEXpEVTNxG8bufYISGEgpuTdq+SJhwE34nAnI9qwJE+syzfCPiY+GPjAfLUy805bU8Med09yg"
                + "o1IwUDAMBgNVHRMBAf8EAjAAMCEGCysGAQQBguUcAQEEBBIEEAECAwQFBgcICQoLDA0ODxAwHQYD"
                + "VR0OBBYEFNk5/uju2ROPiVPJNYxm/EtEU798MAoGCCqGSM49BAMCA0gAMEUCIQD1sDFcwrrr3ut2"
                + "UWnYFMSfNYy9DR8NowO2d8RsnyaQxAIgUg79XLsYlMQxFOG0LM9IkBiNZmMhPvtZqIU3MY4AKs0="
        ) ?? Data()
    )
}

/// Files of the folder of test data, which are never committed.
enum TestData {
    private static let folder =
        ProcessInfo.processInfo.environment["EZWALLET_TEST_DATA"] ?? "../shared/data"

    static func file(_ path: String) -> [UInt8]? {
        FileManager.default.contents(atPath: "\(folder)/\(path)").map { [UInt8]($0) }
    }

    /// Every file right inside a folder that is not too long for a corpus.
    static func files(in path: String) -> [[UInt8]] {
        let names =
            (try? FileManager.default.contentsOfDirectory(atPath: "\(folder)/\(path)")) ?? []
        return names.sorted().compactMap { file("\(path)/\($0)") }.filter { $0.count < 65_536 }
    }
}
