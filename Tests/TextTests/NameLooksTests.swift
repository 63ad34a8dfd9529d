import Testing
import Text

@Suite struct NameLooksTests {
    @Test(arguments: [
        ("paypal", "paypa1"), ("Iisa", "lisa"), ("Iisa", "Lisa"), ("0scar", "oscar"),
        ("раураl", "paypal"), ("ｐaypal", "paypal"), ("mary", "rnary"), ("ΑΒΓ", "ABΓ"),
        ("a\u{301}b", "\u{E1}b"), ("STRASSE", "straße"),
    ])
    func namesThatLookAlikeAreOne(first: String, second: String) {
        #expect(NameLooks.skeleton(first) == NameLooks.skeleton(second))
    }

    @Test(arguments: [("anna", "hanna"), ("müller", "muller"), ("bob", "rob"), ("李", "季")])
    func othersAreNot(first: String, second: String) {
        #expect(NameLooks.skeleton(first) != NameLooks.skeleton(second))
    }

    /// Names of letters that are easily taken for others: what is the same by folding looks the
    /// same, a skeleton is its own, and case and width say nothing.
    @Test func aSkeletonStandsStillUnderFolding() {
        let letters = Array("aAàÀáßẞſsSlI1iİı0OoΟоО@mrnMRNкКkKΚＡａⅠⅼ①ﬁǅ한한")
        var state: UInt64 = UInt64.random(in: 1...UInt64.max)
        let seed = state
        for _ in 0..<20_000 {
            var name = ""
            for _ in 0..<(state % 7 + 1) {
                state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
                name.append(letters[Int(state >> 33) % letters.count])
            }
            let skeleton = NameLooks.skeleton(name)
            #expect(NameLooks.skeleton(skeleton) == skeleton, "seed \(seed): \(name)")
            let folded = NameLooks.skeleton(TextFolding.caseFolded(name))
            let upper = NameLooks.skeleton(name.uppercased())
            // `I` looks like `l` where `i` does not: what is folded first may lose that, no more.
            if !name.unicodeScalars.contains(where: { "IİıiKkKΚ１Ⅰ1lⅼ①ﬁſßẞǅ".unicodeScalars.contains($0) }) {
                #expect(folded == skeleton, "seed \(seed): \(name)")
            }
            _ = upper
        }
    }

    @Test(arguments: ["paypal", "анна", "山田さくら", "Ελένη", "müller 2", "한국어"])
    func aNameOfOneScriptIsPlain(name: String) {
        let isPlain = NameLooks.isPlain(name)
        #expect(isPlain)
    }

    @Test(arguments: ["раypal", "αbc", "a\u{200B}b", "1٢", "a\u{301}\u{301}"])
    func aMixedOrUnseenOneIsNot(name: String) {
        let isPlain = NameLooks.isPlain(name)
        #expect(!isPlain)
    }
}

@Suite struct MailAddressTextTests {
    @Test(arguments: [
        ("a@Bücher.example", "a@xn--bcher-kva.example"),
        ("a@bu\u{308}cher.example", "a@xn--bcher-kva.example"),
        ("a@XN--BCHER-KVA.example", "a@xn--bcher-kva.example"),
        ("a@ＥＸＡＭＰＬＥ。org", "a@example.org"), ("a@faß.example", "a@xn--fa-hia.example"),
        ("Ann.A+x@example.org", "Ann.A+x@example.org"),
        ("u\u{308}@example.org", "\u{FC}@example.org"),
    ])
    func twoSpellingsAreOneAddress(written: String, canonical: String) {
        let kept = MailAddressText.canonical(written)
        #expect(kept == canonical)
        let again = kept.flatMap { MailAddressText.canonical($0) }
        #expect(again == canonical)
    }

    @Test(arguments: [
        "a@", "a@-b.co", "a@xn--a.co", "a@b_c.co", "a@a\u{200D}b.co", "a@\u{202E}b.co", "a",
        "a@" + String(repeating: "ü", count: 64) + ".co", "a@א1b.co",
    ])
    func otherDomainsAreNone(written: String) {
        let kept = MailAddressText.canonical(written)
        #expect(kept == nil)
    }
}

@Suite struct RegionsTests {
    @Test func countriesOfTheStandardAreKnown() {
        for code in ["CH", "IT", "US", "SS", "AQ", "TL"] {
            let isOne = Regions.isCountry(code)
            #expect(isOne, "\(code)")
        }
        for code in ["XX", "ZZ", "EU", "UK", "ch", "C", "", "CHE"] {
            let isOne = Regions.isCountry(code)
            #expect(!isOne, "\(code)")
        }
    }
}
