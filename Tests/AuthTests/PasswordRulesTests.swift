import Crypto
import Testing

@testable import AuthService

/// What a password must be, and what it need not be.
@Suite struct PasswordRulesTests {
    private func weakness(_ password: String, names: [String] = []) -> PasswordWeakness? {
        PasswordRules.weakness(of: password, names: names)
    }

    @Test func eightCharactersAreTheFewest() {
        #expect(weakness("kq7-Pz!") == .tooShort)
        #expect(weakness("kq7-Pz!w") == nil)
        // Characters, not bytes: seven of four bytes each are seven.
        #expect(weakness("🦊🐙🌵🪐🧊🎺🛶") == .tooShort)
        #expect(weakness("🦊🐙🌵🪐🧊🎺🛶🧭") == nil)
    }

    @Test(arguments: [64, 128, 256])
    func longOnesAreTaken(characters: Int) {
        let words = "stapler horse battery correct "
        let long = String(String(repeating: words, count: 20).prefix(characters))
        #expect(weakness(long) == nil)
        let hash = PasswordHash.make(long)
        #expect(PasswordHash.verify(long, against: hash))
        // Every character counts: none is cut off.
        #expect(!PasswordHash.verify(String(long.dropLast()), against: hash))
    }

    @Test(arguments: [
        "plumtreeviolinmoss", "PLUMTREEVIOLINMOSS", "8402957163028", "§¶†‡•ªº–≠∞",
        "tavolo però così",
        "пароль длинный", "多い言葉と長い文字列", "a b c d e f g h j",
    ])
    func anyCompositionWillDo(password: String) { #expect(weakness(password) == nil) }

    @Test func passwordsAreComparedAsTheyCame() {
        let hash = PasswordHash.make("Correct-Horse-7 ")
        for other in ["correct-horse-7 ", "Correct-Horse-7", " Correct-Horse-7 "] {
            #expect(!PasswordHash.verify(other, against: hash))
        }
        #expect(PasswordHash.verify("Correct-Horse-7 ", against: hash))
    }

    @Test(arguments: ["password1", "qwerty123", "iloveyou1", "Password1", "letmein123"])
    func commonOnesAreRefused(password: String) {
        let isRefused = weakness(password) != nil || CommonPasswords.contains(password)
        #expect(isRefused)
    }

    @Test func namesAndOurOwnNameAreRefused() {
        #expect(weakness("xx-margherita-42", names: ["Margherita"]) == .containsName)
        #expect(weakness("My-EZWallet-2031") == .containsName)
        #expect(weakness("my-purse-2031-q") == nil)
        // A name of three letters is in too many words.
        #expect(weakness("banana-split-on", names: ["Ana"]) == nil)
    }

    @Test(arguments: ["12345678", "abcdefgh", "87654321", "abcdefgj", "aaaaaaaa", "abababab"])
    func sequencesAndFewCharactersAreRefused(password: String) {
        #expect(weakness(password) != nil)
    }
}
