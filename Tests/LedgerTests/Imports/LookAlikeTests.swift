import Testing
import WalletProtocol

@testable import BankFiles
@testable import LedgerService

/// Which rows of a file look like what stands on an account.
@Suite struct LookAlikeTests {
    private static func row(
        _ day: Int,
        _ amount: Int64,
        _ name: String,
        _ description: String? = nil
    ) throws -> StatementRow {
        StatementRow(
            line: 1,
            day: try #require(Day(daysSince1970: 20_000 + day)),
            amount: amount,
            name: name,
            description: description,
            reference: nil
        )
    }

    private static func standing(
        _ day: Int,
        _ amount: Int64,
        _ name: String?,
        mayHaveAnotherName: Bool = false
    ) throws -> StandingTransaction {
        StandingTransaction(
            id: .new(),
            day: try #require(Day(daysSince1970: 20_000 + day)),
            amount: amount,
            name: name,
            description: nil,
            importID: nil,
            mayHaveAnotherName: mayHaveAnotherName
        )
    }

    private static func find(
        _ rows: [StatementRow],
        _ standing: [StandingTransaction]
    ) -> [[ID<MoneyTransaction>]?] {
        LookAlikes.find(rows, rows.map { _ in true }, among: standing)
    }

    @Test(arguments: [
        ("REWE Markt GmbH 123", "Rewe", true), ("Acme GmbH", "Globex GmbH", false),
        ("CAFÉ RIO", "Café Rio", true), ("PIZZERIA GINO MILANO", "Pizza Gino", true),
        ("Ｄöner 42", "döner", true), ("漢字屋", "漢字屋", true), ("12345", "Kiosk", true),
        ("Dentist", "Kiosk", false), ("Unnamed", "Kiosk", true),
    ])
    func namesAreAlikeByTheirWords(_ bank: String, _ noted: String, _ isAlike: Bool) throws {
        let found = try Self.find([Self.row(0, -5, bank)], [Self.standing(0, -5, noted)])
        #expect((found[0] != nil) == isAlike)
    }

    @Test func eachTakesTheNearestDayAndTheLikest() throws {
        let rows = try (0..<4).map { try Self.row($0, -120, "Café Rio") }
        let standing = try [3, 1, 0, 2].map { try Self.standing($0, -120, "Rio") }
        let found = Self.find(rows, standing)
        #expect(found == [2, 1, 3, 0].map { [standing[$0].id] })
        let other = try Self.standing(0, -120, "Café Rio")
        #expect(Self.find([rows[0]], [standing[2], other])[0]?.first == other.id)
    }

    @Test func whatIsLeftIsShownWithARowThatHasOne() throws {
        let standing = try (0..<9).map { _ in try Self.standing(0, -5, "Kiosk") }
        let found = try Self.find([Self.row(1, -5, "Kiosk"), Self.row(2, -5, "Dentist")], standing)
        #expect(found[0]?.count == ImportRow.matchesMax)
        #expect(found[1] == nil)
        #expect(Set(found[0] ?? []).count == ImportRow.matchesMax)
    }

    @Test func anotherNameIsProposedToARowWithoutAMatch() throws {
        let rows = try [Self.row(2, -5, "Bella"), Self.row(2, -5, "Kiosk")]
        let dinner = try Self.standing(1, -5, "Dinner", mayHaveAnotherName: true)
        let lunch = try Self.standing(2, -5, "Lunch", mayHaveAnotherName: true)
        let kiosk = try Self.standing(0, -5, "Kiosk")
        let found = Self.find(rows, [dinner, kiosk, lunch])
        #expect(found == [[lunch.id, dinner.id], [kiosk.id]])
        let tooFar = try Self.standing(8, -5, "Dinner", mayHaveAnotherName: true)
        #expect(Self.find(rows, [tooFar]) == [nil, nil])
    }

    @Test func likestNameComesBeforeNearestDay() throws {
        let rows = try [Self.row(3, -5, "Kiosk")]
        let near = try Self.standing(3, -5, "Kiosk und Bar")
        let same = try Self.standing(1, -5, "Kiosk")
        let far = try Self.standing(0, -5, "Kiosk")
        #expect(Self.find(rows, [near, far, same]) == [[same.id, far.id, near.id]])
    }

    @Test func noRowThatIsNotAskedTakesOne() throws {
        let standing = [try Self.standing(0, -5, "Kiosk")]
        let rows = [try Self.row(0, -5, "Kiosk"), try Self.row(0, -5, "Kiosk")]
        #expect(LookAlikes.find(rows, [false, true], among: standing) == [nil, [standing[0].id]])
    }

    /// Fifty thousand on one day of one amount: each is had by one row, in linear time.
    @Test func manyOfOneAmountAreHadOnceEach() throws {
        let rows = try (0..<50_000).map { _ in try Self.row(0, -5, "Kiosk") }
        let standing = try (0..<50_000).map { _ in try Self.standing(0, -5, "Kiosk") }
        let found = Self.find(rows, standing)
        #expect(Set(found.compactMap { $0?.first }).count == 50_000)
        #expect(found.allSatisfy { $0?.count == 1 })
    }

    @Test func manyOfOtherNamesAreHadOnceEach() throws {
        let rows = try (0..<10_000).map { _ in try Self.row(0, -5, "Kiosk") }
        let standing = try (0..<10_000).map { _ in
            try Self.standing(0, -5, "Dentist", mayHaveAnotherName: true)
        }
        let found = Self.find(rows, standing)
        #expect(Set(found.compactMap { $0?.first }).count == 10_000)
    }

    @Test func comparingEndsWithItsBound() throws {
        let rows = try (0..<100).map { try Self.row(0, -5, "Kiosk \($0)") }
        let standing = try (0..<100).map { _ in try Self.standing(0, -5, "Kiosk und Bar") }
        let asked = rows.map { _ in true }
        let some = LookAlikes.find(rows, asked, among: standing, pairsMax: 640)
        #expect(some.count { $0 != nil } == 10)
        #expect(LookAlikes.find(rows, asked, among: standing).allSatisfy { $0 != nil })
    }

    /// A pair of long texts costs as much as several of names.
    @Test func longTextsUseTheBoundUpSooner() throws {
        let words = (0..<300).map { "w\($0)" }.joined(separator: " ")
        let rows = try (0..<100).map { try Self.row(0, -5, "Dentist \($0)", words) }
        let standing = try (0..<100).map { _ in try Self.standing(0, -5, "Kiosk") }
        let last = try Self.row(0, -7, "Kiosk")
        let all = rows + [last]
        let asked = all.map { _ in true }
        let shown = standing + [try Self.standing(0, -7, "Kiosk")]
        #expect(LookAlikes.find(all, asked, among: shown, pairsMax: 7_000).last == .some(nil))
        #expect(LookAlikes.find(all, asked, among: shown).last != .some(nil))
    }

    @Test func exportedIdentifiersAreReadWithAndWithoutDashes() {
        let id = ID<MoneyTransaction>.new()
        #expect(ID(exported: id.text) == id)
        #expect(ID(exported: id.text.filter { $0 != "-" }) == id)
        #expect(ID<MoneyTransaction>(exported: String(repeating: "ä", count: 16)) == nil)
        #expect(ID<MoneyTransaction>(exported: "FITID 42") == nil)
    }
}
