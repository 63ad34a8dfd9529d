import Testing
import Text

@Suite struct TextFoldingTests {
    @Test(arguments: [
        ("Anna", "anna"), ("ＡＮＮＡ", "anna"), ("STRASSE", "straße"), ("ﬁn", "FIN"),
        ("A\u{200D}nna", "anna"), ("É", "e\u{301}"),
    ])
    func textsThatReadAlikeFoldAlike(a: String, b: String) {
        #expect(TextFolding.caseFolded(a) == TextFolding.caseFolded(b))
    }

    @Test func foldingTwiceChangesNothing() {
        for text in ["", "İstanbul", "ǅ", "\u{FDFA}", String(repeating: "ﬃ", count: 1_000)] {
            let once = TextFolding.caseFolded(text)
            #expect(TextFolding.caseFolded(once) == once)
        }
        #expect(TextFolding.caseFolded("\u{FDFA}").count > 10, "one character may become many")
    }

    /// As ICU does it alone, the marks of one letter take time with their square.
    @Test(arguments: ["\u{301}\u{316}", "\u{F73}", "\u{301}\u{AD}\u{316}\u{200D}", "\u{344}"])
    func noMoreMarksStayThanAWritingHas(_ marks: String) {
        for form in [TextFolding.caseFolded, TextFolding.composed, TextFolding.decomposed] {
            let few = form("e" + marks)
            #expect(form(few) == few)
            let many = form("e" + String(repeating: marks, count: 200_000) + "z")
            #expect(many.unicodeScalars.count <= 32 && many.last == "z")
            #expect(form(many) == many)
        }
    }

    @Test func composedTextHasOneSpelling() {
        #expect(Array(TextFolding.composed("e\u{301}").utf8) == Array("é".utf8))
    }
}

@Suite struct TimeZoneTests {
    @Test(arguments: ["Europe/Rome", "UTC", "Asia/Kolkata", "America/Argentina/Ushuaia"])
    func namesOfTheDatabaseAreKnown(name: String) { #expect(TimeZones.isKnown(name)) }

    @Test(arguments: ["", "Europe/Atlantis", "GMT+2", "CEST", "Europe/Rome\0", "../etc/passwd"])
    func otherNamesAreNot(name: String) { #expect(!TimeZones.isKnown(name)) }

    @Test func aDayBeginsAtTheZonesMidnight() throws {
        // 2024-03-31 has 23 hours in Rome.
        let start = try #require(
            TimeZones.startOfDay(year: 2024, month: 3, day: 31, in: "Europe/Rome")
        )
        let next = try #require(
            TimeZones.startOfDay(year: 2024, month: 4, day: 1, in: "Europe/Rome")
        )
        #expect(next - start == 23 * 3_600 * 1_000_000)
        let day = try #require(TimeZones.civilDay(ofMicroseconds: start, in: "Europe/Rome"))
        #expect(day == (2024, 3, 31))
        let before = try #require(TimeZones.civilDay(ofMicroseconds: start - 1, in: "Europe/Rome"))
        #expect(before == (2024, 3, 30))
        #expect(TimeZones.civilDay(ofMicroseconds: 0, in: "Nowhere/Else") == nil)
    }

    @Test func daysBefore1970AreRightToo() throws {
        let day = try #require(TimeZones.civilDay(ofMicroseconds: -1, in: "UTC"))
        #expect(day == (1969, 12, 31))
    }
}
