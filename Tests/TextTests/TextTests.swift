import Testing

@testable import Text

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

    @Test func everyNameOfTheDatabaseWorks() {
        #expect(TimeZones.names.count > 500)
        for name in TimeZones.names.keys {
            #expect(TimeZones.isKnown(name), "\(name)")
            #expect(TimeZones.civilDay(ofMicroseconds: 0, in: name) != nil, "\(name)")
        }
        for name in ["America/Ciudad_Juarez", "Europe/Kyiv", "Asia/Calcutta", "US/Pacific"] {
            #expect(TimeZones.isKnown(name), "\(name)")
        }
    }

    /// Noon less the offset, for zones whose rule or list the instant falls into.
    @Test(arguments: [
        ("America/Ciudad_Juarez", 2026, 7, 1, -6), ("America/Ciudad_Juarez", 2026, 12, 1, -7),
        ("Europe/Rome", 2090, 7, 1, 2), ("Europe/Rome", 2090, 12, 1, 1),
        ("Australia/Sydney", 2090, 1, 1, 11), ("Australia/Sydney", 2090, 7, 1, 10),
        ("Asia/Kolkata", 2026, 1, 1, 5), ("Pacific/Kiritimati", 2026, 1, 1, 14),
        ("Africa/Casablanca", 2086, 7, 1, 1), ("Asia/Gaza", 2026, 1, 1, 2),
    ])
    func daysBeginByTheZonesOffset(
        _ zone: String,
        _ year: Int,
        _ month: Int,
        _ day: Int,
        _ hours: Int
    ) throws {
        let start = try #require(
            TimeZones.startOfDay(year: year, month: month, day: day, in: zone)
        )
        let utc = CivilDate.days(year: year, month: month, day: day) * 86_400
        let offset = utc - Int(start / 1_000_000)
        #expect(offset / 3_600 == hours, "\(zone)")
    }

    @Test func aSkippedOrRepeatedMidnightHasOneBeginning() throws {
        // Beirut skipped midnight of 2020-03-29, Havana repeated that of 2020-11-01.
        for (zone, year, month, day) in [
            ("Asia/Beirut", 2020, 3, 29), ("America/Havana", 2020, 11, 1),
            ("America/Sao_Paulo", 2018, 11, 4), ("America/Sao_Paulo", 2019, 2, 17),
        ] {
            let start = try #require(
                TimeZones.startOfDay(year: year, month: month, day: day, in: zone)
            )
            let first = try #require(TimeZones.civilDay(ofMicroseconds: start, in: zone))
            let before = try #require(TimeZones.civilDay(ofMicroseconds: start - 1, in: zone))
            #expect(first == (year, month, day), "\(zone)")
            #expect(before < (year, month, day), "\(zone)")
        }
        // Samoa had no 2011-12-30: it begins with the day after.
        let missing = TimeZones.startOfDay(year: 2011, month: 12, day: 30, in: "Pacific/Apia")
        let next = TimeZones.startOfDay(year: 2011, month: 12, day: 31, in: "Pacific/Apia")
        #expect(missing == next)
    }

    @Test func malformedFilesAreNoZones() {
        for bytes in [[], Array("TZif2".utf8), [UInt8](repeating: 0, count: 200)] {
            #expect(ZoneFile(bytes) == nil)
        }
        for text in ["", "<", "CET", "CET-1CEST", "CET-25", "CET-1CEST,M13.1.0,M1.1.0", "A-1B,M1"] {
            #expect(ZoneRule(text) == nil, "\(text)")
        }
        #expect(ZoneRule("<+03>-3")?.offset(at: 0) == 10_800)
    }

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

@Suite struct PasswordTextTests {
    @Test(arguments: [
        ("Gru\u{308}n-Ma\u{301}a-77", "Gr\u{FC}n-M\u{E1}a-77"), ("a\u{A0}b\u{3000}c", "a b c"),
        (" Abc ", " Abc "), ("ａＢ", "ａＢ"), ("e\u{200B}f", "e\u{200B}f"), ("plain", "plain"),
    ])
    func spellingsBecomeOne(_ sent: String, _ normalized: String) {
        let text = PasswordText(sent)
        #expect(Array(text.normalized.utf8) == Array(normalized.utf8))
        let isSame = Array(sent.utf8) == Array(normalized.utf8)
        #expect((text.unnormalized == nil) == isSame)
        #expect(PasswordText(normalized).unnormalized == nil)
    }

    @Test func noMarkIsDropped() {
        let marks = String(repeating: "\u{323}", count: 60)
        #expect(PasswordText("x" + marks).normalized.unicodeScalars.count == 61)
        let fewer = PasswordText("x" + String(repeating: "\u{323}", count: 30))
        #expect(PasswordText("x" + marks).normalized != fewer.normalized)
    }
}

@Suite struct LanguageTests {
    @Test func everyLanguageHasItsOwnName() {
        #expect(Languages.all == Languages.all.sorted())
        let names = Languages.all.map { Languages.ownName($0) }
        #expect(Set(names).count == names.count)
        for (tag, name) in zip(Languages.all, names) { #expect(tag != name, "\(tag)") }
        #expect(Languages.ownName("it") == "italiano" && Languages.ownName("de") == "Deutsch")
    }

    @Test(arguments: [
        ("it-CH", "it"), ("pt-BR", "pt"), ("nn-NO", "nb"), ("zh-TW", "zh-Hant"), ("EN-gb", "en"),
        ("xx", nil), ("tlh", nil), ("", nil),
    ])
    func theNearestLanguageIsFound(_ tag: String, _ language: String?) {
        #expect(Languages.nearest(to: tag) == language)
    }
}

@Suite struct DayTextTests {
    @Test(arguments: [
        ("yyyy-MM-dd", "2026-11-05"), ("yyyy/MM/dd", "2026/11/05"), ("dd/MM/yyyy", "05/11/2026"),
        ("dd.MM.yyyy", "05.11.2026"), ("dd-MM-yyyy", "05-11-2026"), ("MM/dd/yyyy", "11/05/2026"),
    ])
    func aPatternIsFilled(_ pattern: String, _ text: String) {
        #expect(DayText(language: "it", pattern: pattern).text("2026-11-05") == text)
        #expect(DayText(language: "it", pattern: pattern).text("yesterday") == nil)
    }
}
