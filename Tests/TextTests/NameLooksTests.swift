import Testing
import Text

@Suite struct NameLooksTests {
    @Test(arguments: [
        ("paypal", "paypa1"), ("Iisa", "lisa"), ("Iisa", "Lisa"), ("0scar", "oscar"),
        ("раураl", "paypal"), ("ｐaypal", "paypal"), ("mary", "rnary"), ("ΑΒΓ", "ABΓ"),
        ("a\u{301}b", "\u{E1}b"), ("STRASSE", "straße"), ("lıma", "lima"), ("ﬁnn", "finn"),
        ("ﬂora", "flora"), ("œuvre", "oeuvre"), ("æon", "aeon"),
    ])
    func namesThatLookAlikeAreOne(first: String, second: String) {
        #expect(NameLooks.skeleton(first) == NameLooks.skeleton(second))
    }

    @Test(arguments: [("anna", "hanna"), ("müller", "muller"), ("bob", "rob"), ("李", "季")])
    func othersAreNot(first: String, second: String) {
        #expect(NameLooks.skeleton(first) != NameLooks.skeleton(second))
    }

    /// Names of letters that are easily taken for others: a skeleton is its own, and what is one
    /// name by case and width looks like one, where no letter looks otherwise in another case.
    @Test func aSkeletonStandsStillUnderFolding() {
        let letters = Array("aAàÀáßẞſsSlI1iİı0OoΟоО@mrnMRNкКkKΚＡａⅠⅼ①ﬁǅ한한")
        let plain = Array("aAàÀáÁsSoOmrnMRNＡａ한xXzZ")
        var state = UInt64.random(in: 1...UInt64.max)
        let seed = state
        func next(_ count: Int) -> Int {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return Int(state >> 33) % count
        }
        for round in 0..<4_000 {
            let from = round % 2 == 0 ? letters : plain
            let name = String((0...next(7)).map { _ in from[next(from.count)] })
            let skeleton = NameLooks.skeleton(name)
            let isStill = NameLooks.skeleton(skeleton) == skeleton
            #expect(isStill, "seed \(seed): \(name)")
            guard round % 2 == 1 else { continue }
            for other in [TextFolding.caseFolded(name), name.uppercased(), name.lowercased()] {
                let isSame = NameLooks.skeleton(other) == skeleton
                #expect(isSame, "seed \(seed): \(name), \(other)")
            }
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
