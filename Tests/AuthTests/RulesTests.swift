import Crypto
import Testing
import WalletProtocol

@testable import AuthService

@Suite struct EmailAddressTests {
    @Test(arguments: [
        "a@b.co", "first.last+tag@sub.example.org", "x!#$%&'*+/=?^_`{|}~-@example.org",
        "ünï@exämple.org",
    ])
    func addressesOfPeopleAreTaken(text: String) {
        let address = EmailAddress(text)
        #expect(address?.text == text)
    }

    @Test(arguments: [
        "", "a", "@b.co", "a@", "a@b", "a@b..co", ".a@b.co", "a.@b.co", "a..b@c.de", "a b@c.de",
        "a@-b.co", "a@b-.co", "a@b.co\r\nBcc: x@y.z", "\"a\"@b.co", "a@[127.0.0.1]", "a@b@c.de",
        "a\0@b.co", String(repeating: "a", count: 65) + "@b.co",
        "a@" + String(repeating: "b.", count: 130) + "co",
    ])
    func otherTextsAreNot(text: String) {
        let address = EmailAddress(text)
        #expect(address == nil)
    }
}

@Suite struct UsernameTests {
    @Test func aNameIsMadeFromEveryAddress() {
        for text in ["a@b.co", "!!!@b.co", "grace.hopper+x@b.co", "ünï@b.co"] {
            guard let email = EmailAddress(text) else {
                Issue.record("\(text)")
                continue
            }
            for suffix in [nil, UInt32.max] {
                let name = Username.made(from: email, suffix: suffix)
                let isValid = Username.isValid(name)
                #expect(isValid, "\(name)")
            }
        }
    }
}

@Suite struct RefreshTokenTests {
    private let key = [UInt8](repeating: 7, count: 32)

    @Test func aTokenComesBackAndAnyChangeMakesItNone() {
        let token = RefreshToken(family: .new(), number: 41)
        let text = token.text(key: key)
        let again = RefreshToken(text, keys: [key])
        #expect(again == token)
        #expect(text == token.text(key: key), "a lost answer can be repeated")
        let other = RefreshToken(text, keys: [[UInt8](repeating: 8, count: 32)])
        #expect(other == nil)
        var bytes = Array(text.utf8)
        for index in bytes.indices {
            let old = bytes[index]
            bytes[index] = old == UInt8(ascii: "A") ? UInt8(ascii: "B") : UInt8(ascii: "A")
            let changed = RefreshToken(String(decoding: bytes, as: UTF8.self), keys: [key])
            #expect(changed == nil, "\(index)")
            bytes[index] = old
        }
    }
}

@Suite struct PhoneTokenTests {
    private let keys = [[UInt8](repeating: 9, count: 32)]

    @Test func aTokenIsGoodWhileItsKeyIsReplaced() {
        let proof = PhoneToken.make("+393331234567", keys: keys)
        let next = [UInt8](repeating: 10, count: 32)
        let during = PhoneToken.proves("+393331234567", proof.phoneToken, keys: [next] + keys)
        let after = PhoneToken.proves("+393331234567", proof.phoneToken, keys: [next])
        #expect(during && !after)
    }

    @Test func aTokenProvesItsOwnPhoneAlone() {
        let proof = PhoneToken.make("+393331234567", keys: keys)
        let own = PhoneToken.proves("+393331234567", proof.phoneToken, keys: keys)
        let others = PhoneToken.proves("+393331234568", proof.phoneToken, keys: keys)
        let forged = PhoneToken.proves("+393331234567", "AAAA" + proof.phoneToken, keys: keys)
        #expect(own && !others && !forged)
    }

    @Test(arguments: ["", "393331234567", "+0333123456", "+39 333", "+39333123456789012", "+39a"])
    func otherTextsAreNoPhones(text: String) {
        let isPhone = PhoneToken.isPhone(text)
        #expect(!isPhone)
    }
}
