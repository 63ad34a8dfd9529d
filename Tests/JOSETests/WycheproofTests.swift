import Crypto
import Foundation
import JOSE
import JSONCodec
import Testing

/// All of Wycheproof's vectors for JWS, JWK and confusion between them, each with its outcome.
@Suite struct WycheproofTests {
    /// Why a vector that Wycheproof calls valid is refused here.
    enum NotOffered: String {
        /// HMAC: a secret is no public key.
        case hmac
        /// Encryption: no token for us is encrypted.
        case encryption
        /// The key says one algorithm and the header another, or one that is not registered
        /// (`ES521`): the key decides (RFC 8725, 3.1).
        case otherAlgorithm
    }

    struct Vector {
        let name: String
        let isValid: Bool
        let token: String?
        let isEncrypted: Bool
        let key: JSONTree
    }

    private func vectors(_ file: String) throws -> [Vector]? {
        let environment = ProcessInfo.processInfo.environment
        let folder = environment["EZWALLET_TEST_DATA"] ?? "../shared/data"
        guard let data = FileManager.default.contents(atPath: "\(folder)/vectors/\(file)") else {
            #expect(environment["EZWALLET_REQUIRE_TEST_DATA"] != "1", "no \(file)")
            return nil
        }
        let root = try JSON.value(JSONTree.self, of: Array(data))
        let groups = try #require(root["testGroups"]?.array)
        return try groups.flatMap { group in
            let key = try #require(group["public"] ?? group["private"])
            return try #require(group["tests"]?.array).map { test in
                let told = try #require(test["jws"] ?? test["jwe"])
                return Vector(
                    name: "\(test["tcId"]?.integer ?? 0) \(test["comment"]?.text ?? "")",
                    isValid: test["result"]?.text == "valid",
                    token: told.text,
                    isEncrypted: test["jwe"] != nil,
                    key: key
                )
            }
        }
    }

    /// Nil where the token was accepted, else why not.
    private func refusal(_ vector: Vector) -> String? {
        // The JSON serialisation is no text at all: nothing takes it.
        guard let token = vector.token else { return "no compact form" }
        do {
            let keys =
                if vector.key["keys"] != nil {
                    try JWKSet(JSON.write(vector.key))
                } else { JWKSet(keys: [try JWK(vector.key)]) }
            _ = try VerifiedJWS(
                Array(token.utf8),
                by: keys,
                allowing: Set(JOSEAlgorithm.allCases)
            )
            return nil
        } catch { return "\(error)" }
    }

    private func notOffered(_ vector: Vector) -> NotOffered? {
        if vector.isEncrypted { return .encryption }
        let keys = vector.key["keys"]?.array ?? [vector.key]
        if keys.contains(where: { $0["kty"]?.text == "oct" }) { return .hmac }
        let parts = (vector.token ?? "").split(separator: ".")
        let header = parts.first.flatMap { Base64URL.decode($0.utf8) }.flatMap {
            try? JSON.value(JSONTree.self, of: $0)
        }
        if let told = header?["alg"]?.text, keys.allSatisfy({ $0["alg"]?.text != told }) {
            return .otherAlgorithm
        }
        return nil
    }

    @Test(arguments: [
        ("json_web_signature_test.json", 401, [NotOffered.hmac: 10, .otherAlgorithm: 4]),
        ("json_web_key_test.json", 26, [.hmac: 4]),
        ("json_web_crypto_test.json", 83, [.hmac: 2, .encryption: 2]),
    ])
    func everyVectorIsRight(_ file: String, _ count: Int, _ refused: [NotOffered: Int]) throws {
        guard let vectors = try vectors(file) else { return }
        var reasons: [NotOffered: Int] = [:]
        for vector in vectors {
            let why = refusal(vector)
            guard vector.isValid else {
                #expect(why != nil, "\(vector.name) was accepted")
                continue
            }
            if why == nil { continue }
            let reason = try #require(notOffered(vector), "\(vector.name): \(why ?? "")")
            reasons[reason, default: 0] += 1
        }
        #expect(vectors.count == count)
        // What is refused though it is called valid: these and no others.
        #expect(reasons == refused)
    }
}

extension JSONTree {
    var text: String? { if case .string(let text) = self { text } else { nil } }
    var integer: Int64? { if case .integer(let number) = self { number } else { nil } }
    var array: [JSONTree]? { if case .array(let values) = self { values } else { nil } }
}
