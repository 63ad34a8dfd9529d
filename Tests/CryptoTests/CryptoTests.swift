import Foundation
import JSONCodec
import Testing

@testable import Crypto

private func bytes(_ hex: String) -> [UInt8] {
    let digits = hex.filter { !$0.isWhitespace }
    return stride(from: 0, to: digits.count, by: 2).map { offset in
        let start = digits.index(digits.startIndex, offsetBy: offset)
        return UInt8(digits[start..<digits.index(start, offsetBy: 2)], radix: 16) ?? 0
    }
}

@Suite struct DigestTests {
    @Test func sha256MeetsTheVectorsOfFIPS180() {
        #expect(
            hexadecimal(SHA256.digest("abc".utf8))
                == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
        )
        #expect(
            hexadecimal(SHA256.digest("".utf8))
                == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
        )
    }

    @Test func hmacMeetsTheVectorsOfRFC4231() {
        #expect(
            hexadecimal(
                HMACSHA256.code("Hi There".utf8, key: [UInt8](repeating: 0x0b, count: 20))
            )
                == "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7"
        )
        #expect(
            hexadecimal(
                HMACSHA256.code("what do ya want for nothing?".utf8, key: Array("Jefe".utf8))
            )
                == "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"
        )
    }

    @Test func secretsAreComparedWhole() {
        #expect(equalInConstantTime([1, 2, 3], [1, 2, 3]))
        #expect(!equalInConstantTime([1, 2, 3], [1, 2, 4]))
        #expect(!equalInConstantTime([1, 2, 3], [1, 2]))
    }
}

@Suite struct Base64URLTests {
    @Test func everyTextHasOneValueAndTheReverse() {
        for count in 0..<70 {
            let random = randomBytes(count)
            #expect(Base64URL.decode(Base64URL.encodedBytes(random)) == random)
        }
        for text in ["A", "AB=", "AB==", "A+", "A/", "AB", "AAB", "A A", "Zg=="] {
            // "AB" and "AAB" carry bits that must be zero.
            #expect(Base64URL.decode(Array(text.utf8)) == nil, "\(text)")
        }
    }
}

@Suite struct CommonPasswordTests {
    @Test(arguments: ["password", "Password1", "iloveyou", "qwertyuiop", "drowssap1"])
    func whatIsTriedFirstIsKnown(password: String) {
        #expect(CommonPasswords.contains(password))
    }

    @Test(arguments: ["correct-horse-battery-7", "Ünïcödé und lang genug", "t7$kQ-2vXw9!"])
    func whatIsNoWordIsNot(password: String) {
        #expect(!CommonPasswords.contains(password))
    }
}

@Suite struct SealTests {
    @Test func gcmMeetsTheVectorOfNIST() {
        // SP 800-38D validation: 256-bit key, no data; and test case 15 of McGrew and Viega.
        let key = bytes("feffe9928665731c6d6a8f9467308308feffe9928665731c6d6a8f9467308308")
        let text = bytes(
            """
            d9313225f88406e5a55909c5aff5269a86a7a9531534f7da2e4c303d8a318a72
            1c3c0c95956809532fcf0e2449a6b525b16aedf5aa0de657ba637b391aafd255
            """
        )
        let sealed = Seal.encrypt(
            text,
            key: key,
            nonce: bytes("cafebabefacedbaddecaf888"),
            context: []
        )
        #expect(hexadecimal(sealed.suffix(16)) == "b094dac5d93471bdec1a502270e3cc6c")
    }

    @Test func oneChangedBitOrAnotherContextOpensNothing() throws {
        let seal = try #require(Seal(key: randomBytes(32)))
        let sealed = seal.seal(Array("secret".utf8), context: [1])
        #expect(try seal.open(sealed, context: [1]) == Array("secret".utf8))
        #expect(throws: SealBroken.self) { try seal.open(sealed, context: [2]) }
        for index in sealed.indices {
            var changed = sealed
            changed[index] ^= 1
            #expect(throws: SealBroken.self) { try seal.open(changed, context: [1]) }
        }
        #expect(Seal(key: [1]) == nil)
    }
}

@Suite struct PasswordHashTests {
    @Test func aPasswordIsVerifiedAgainstItsOwnHashAlone() {
        let hash = PasswordHash.make("correct horse")
        #expect(hash.hasPrefix("$argon2id$v=19$m=19456,t=2,p=1$"))
        #expect(PasswordHash.verify("correct horse", against: hash))
        #expect(!PasswordHash.verify("correct horsf", against: hash))
        #expect(!PasswordHash.verify("anything", against: PasswordHash.ofNobody))
        #expect(!PasswordHash.verify("x", against: "not a hash"))
        #expect(PasswordHash.make("a") != PasswordHash.make("a"), "salted")
    }
}

@Suite struct JWSTests {
    @Test func theTokenOfRFC7515AppendixA3IsVerified() throws {
        let token =
            "eyJhbGciOiJFUzI1NiJ9.eyJpc3MiOiJqb2UiLA0KICJleHAiOjEzMDA4MTkzODAsDQogImh0dHA6Ly9leGFt"
            + "cGxlLmNvbS9pc19yb290Ijp0cnVlfQ.DtEhU3ljbEg8L38VWAfUAqOyKAM6-Xx-F4Gawxaep"
            + "mXFCgfTjDxw5djxLa8ISlSApmWQxfKTUJqPP3-Kg6NU1Q"
        let key = try ES256Key(
            x: #require(Base64URL.decode("f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU".utf8)),
            y: #require(Base64URL.decode("x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0".utf8))
        )
        #expect(try CompactJWS(token.utf8).isSigned(by: key))
        #expect(try !CompactJWS(token.utf8).isSigned(by: ES256Key.generate()))
    }

    @Test func aSignedTokenComesBackAndAChangedOneDoesNot() throws {
        let key = try ES256Key.generate()
        let again = try ES256Key(der: key.der)
        #expect(again.id == key.id)
        let token = CompactJWS.sign(Array(#"{"sub":"a"}"#.utf8), with: again)
        let publicKey = try ES256Key(x: key.x, y: key.y)
        let parsed = try CompactJWS(token.utf8)
        #expect(parsed.isSigned(by: publicKey))
        #expect(parsed.payload == Array(#"{"sub":"a"}"#.utf8))
        var changed = Array(token.utf8)
        changed[changed.count / 2] ^= 1
        #expect((try? CompactJWS(changed))?.isSigned(by: publicKey) != true)
        #expect(throws: JWSError.malformed) { try CompactJWS((token + "=").utf8) }
        #expect(throws: JWSError.malformed) { try CompactJWS("a.b".utf8) }
    }

    @Test func aPointOffTheCurveIsNoKey() {
        #expect(throws: InvalidKey.self) {
            try ES256Key(
                x: [UInt8](repeating: 1, count: 32),
                y: [UInt8](repeating: 2, count: 32)
            )
        }
    }

    /// Wycheproof's signature vectors for ES256, from the test data folder.
    @Test func wycheproofsVectorsOfES256AreAllRight() throws {
        let environment = ProcessInfo.processInfo.environment
        let folder = environment["EZWALLET_TEST_DATA"] ?? "../shared/data"
        let path = folder + "/vectors/json_web_signature_test.json"
        guard let data = FileManager.default.contents(atPath: path) else {
            #expect(environment["EZWALLET_REQUIRE_TEST_DATA"] != "1", "no \(path)")
            return
        }
        let root = try #require(try JSONSerialization.jsonObject(with: data) as? [String: Any])
        let groups = try #require(root["testGroups"] as? [[String: Any]])
        var checked = 0
        for group in groups {
            let jwk = (group["public"] ?? group["key"]) as? [String: Any] ?? [:]
            // A key that says it is for something else is not taken at all.
            let isForSignatures =
                jwk["use"] as? String ?? "sig" == "sig"
                && (jwk["key_ops"] as? [String] ?? ["verify"]).contains("verify")
            guard isForSignatures, jwk["crv"] as? String == "P-256", let x = jwk["x"] as? String,
                let y = jwk["y"] as? String, let xBytes = Base64URL.decode(x.utf8),
                let yBytes = Base64URL.decode(y.utf8),
                let key = try? ES256Key(x: xBytes, y: yBytes)
            else { continue }
            for test in group["tests"] as? [[String: Any]] ?? [] {
                guard let token = test["jws"] as? String else { continue }
                let parsed = try? CompactJWS(token.utf8)
                let header = parsed.flatMap {
                    try? JSONSerialization.jsonObject(with: Data($0.header)) as? [String: Any]
                }
                let accepted =
                    header?["alg"] as? String == "ES256" && parsed?.isSigned(by: key) == true
                let expected = test["result"] as? String
                checked += 1
                if expected == "valid" {
                    #expect(accepted, "\(test)")
                } else if expected == "invalid" {
                    #expect(!accepted, "\(test)")
                }
            }
        }
        #expect(checked > 0)
    }
}
