import Testing

@testable import Crypto

@Suite struct OneTimePasswordTests {
    private static let secret = Array("12345678901234567890".utf8)

    /// RFC 4226, appendix D: counters 0 to 9.
    @Test(
        arguments: [
            "755224", "287082", "359152", "969429", "338314", "254676", "287922", "162583",
            "399871",
            "520489",
        ].enumerated().map { (step: Int64($0.offset), code: $0.element) }
    )
    func codesMeetTheVectorsOfRFC4226(step: Int64, code: String) {
        #expect(OneTimePassword.code(secret: Self.secret, step: step) == code)
    }

    /// RFC 6238, appendix B, SHA-1: eight digits there, of which an app that shows six shows the
    /// last.
    @Test(
        arguments: [
            (59, "94287082"), (1_111_111_109, "07081804"), (1_111_111_111, "14050471"),
            (1_234_567_890, "89005924"), (2_000_000_000, "69279037"), (20_000_000_000, "65353130"),
        ] as [(Int64, String)]
    )
    func codesMeetTheVectorsOfRFC6238(seconds: Int64, eightDigits: String) {
        let code = String(eightDigits.suffix(6))
        let step = seconds / OneTimePassword.stepSeconds
        #expect(OneTimePassword.code(secret: Self.secret, step: step) == code)
        #expect(OneTimePassword.step(of: code, secret: Self.secret, at: seconds) == step)
    }

    @Test func aCodeIsTakenInItsOwnStepAndOneBesideAlone() {
        let seconds: Int64 = 1_234_567_890
        let step = seconds / 30
        for offset in Int64(-3)...3 {
            let code = OneTimePassword.code(secret: Self.secret, step: step + offset)
            let found = OneTimePassword.step(of: code, secret: Self.secret, at: seconds)
            #expect(found == (abs(offset) <= 1 ? step + offset : nil), "\(offset)")
        }
        for other in ["", "5924", "005924 ", "0005924", "00592４", "-05924", "89005924"] {
            let found = OneTimePassword.step(of: other, secret: Self.secret, at: seconds)
            #expect(found == nil, "\(other)")
        }
        let others = Array("12345678901234567891".utf8)
        #expect(OneTimePassword.step(of: "005924", secret: others, at: seconds) == nil)
    }

    /// RFC 4648, 10, without its padding, which apps do not want.
    @Test(arguments: [
        ("", ""), ("f", "MY"), ("fo", "MZXQ"), ("foo", "MZXW6"), ("foob", "MZXW6YQ"),
        ("fooba", "MZXW6YTB"), ("foobar", "MZXW6YTBOI"),
    ])
    func base32MeetsTheVectorsOfRFC4648(text: String, encoded: String) {
        #expect(Base32.encode(text.utf8) == encoded)
    }
}
