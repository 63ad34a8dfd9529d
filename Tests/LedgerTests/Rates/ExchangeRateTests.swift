import TestKit
import Testing
import WalletProtocol

@testable import LedgerService

@Suite struct ExchangeRateTests {
    private let history: RateHistory

    init() throws { history = try RateStore.shared.history() }

    private func rate(_ source: String, _ target: String) throws -> ExchangeRate {
        let rate = history.rate(
            from: try currency(source),
            to: try currency(target),
            on: try day("2026-10-30")
        )
        return try #require(rate)
    }

    // By hand: 1.1172 dollars and 175.68 yen for a euro, the krona and the yen without cents.
    @Test func amountsAreConvertedByTheirExponents() throws {
        let dollars = try rate("EUR", "USD")
        #expect(try dollars.credit(for: 10_000) == 11_172)
        #expect(try dollars.credit(for: 1) == 1)
        #expect(try dollars.debit(for: 1) == 1)
        #expect(try dollars.debit(for: 3_333) == 2_984, "29.8335… euros")
        let yen = try rate("EUR", "JPY")
        #expect(try yen.credit(for: 100) == 175)
        #expect(try yen.debit(for: 175) == 100)
        #expect(try yen.debit(for: 176) == 101)
        let back = try rate("JPY", "EUR")
        #expect(try back.credit(for: 1) == 0, "0.569 cents")
        #expect(try back.shown(1) == 1)
        #expect(try back.credit(for: 1_757) == 1_000)
        #expect(try back.credit(for: 0) == 0 && back.debit(for: 0) == 0)
        #expect(dollars.view.value.text == "1.1172" && dollars.view.source == "ECB")
    }

    @Test func threeAndFourDigitsAreKeptToo() throws {
        let table = Array("Date,KWD,CLF,JPY,\n2026-10-30,0.3421,0.02713,175.68,\n".utf8)
        let row = try #require(try RateHistory(csv: table).row(on: try day("2026-10-30")))
        let dinar = try #require(row.rate(from: .kwd, to: try currency("CLF")))
        // One dinar is 0.02713 / 0.3421 = 0.079304… units of 10,000.
        #expect(try dinar.credit(for: 1_000) == 793)
        #expect(try dinar.debit(for: 793) == 1_000)
        let yen = try #require(row.rate(from: .jpy, to: try currency("CLF")))
        #expect(try yen.credit(for: 1_000_000) == 1_544_285)
    }

    @Test func aHalfIsShownAsTheEvenNeighbour() throws {
        let csv = Array("Date,USD,JPY,\n2026-10-30,0.5,150,\n".utf8)
        let row = try #require(try RateHistory(csv: csv).row(on: try day("2026-10-30")))
        let half = try #require(row.rate(from: .eur, to: .usd))
        let shown = try [1, 2, 3, 5, -1, -3, -5].map { try half.shown($0) }
        #expect(shown == [0, 1, 2, 2, 0, -2, -2])
        // 1.5 yen a cent: the half that stays is on top of whole multiples.
        let yen = try #require(row.rate(from: .eur, to: .jpy))
        let inYen = try [1, 3, 5, 7, -1, -3].map { try yen.shown($0) }
        #expect(inYen == [2, 4, 8, 10, -2, -4])
        #expect(try half.credit(for: -1) == -1 && half.debit(for: -1) == -2)
    }

    @Test func whatDoesNotFitIsRefused() throws {
        let rupiah = try rate("EUR", "IDR")
        #expect(throws: RateError.overflow) { try rupiah.credit(for: .max) }
        #expect(throws: RateError.overflow) { try rupiah.credit(for: .min) }
        let largest = try rupiah.debit(for: .max)
        #expect(try rupiah.credit(for: largest - 1) <= .max)
        #expect(throws: RateError.overflow) { try rupiah.credit(for: largest + 1) }
        let same = try rate("EUR", "EUR")
        #expect(try same.credit(for: .max) == .max && same.debit(for: .min) == .min)
    }

    @Test func aStoredRateComesBackAndBadTermsAreNone() throws {
        let rate = try rate("USD", "JPY")
        let again = ExchangeRate(
            from: .usd,
            to: .jpy,
            numerator: rate.numerator,
            denominator: rate.denominator,
            day: rate.day,
            publisher: rate.publisher
        )
        #expect(again == rate)
        let terms: [(Int64, Int64)] = [(0, 1), (1, 0), (-1, 1), (.max, .max - 1)]
        for (up, down) in terms {
            let none = ExchangeRate(
                from: .jpy,
                to: .kwd,
                numerator: up,
                denominator: down,
                day: rate.day,
                publisher: rate.publisher
            )
            #expect(none == nil || down == .max - 1)
        }
    }

    @Test func extremeRatesStayWithinTheirBounds() throws {
        let csv = Array("Date,USD,JPY,\n2026-10-30,9999999999,0.00000001,\n".utf8)
        let row = try #require(try RateHistory(csv: csv).row(on: try day("2026-10-30")))
        let up = try #require(row.rate(from: .jpy, to: .usd))
        let down = try #require(row.rate(from: .usd, to: .jpy))
        #expect(up.numerator == 999_999_999_900_000_000 && up.denominator == 1)
        #expect(up.value.text == "999999999900000000" && down.value.text == "0")
        #expect(try down.credit(for: .max) == 0)
        #expect(throws: RateError.overflow) { try down.debit(for: 1) }
        #expect(throws: RateError.overflow) { try up.credit(for: 1) }
    }

    @Test(arguments: ledgerSeeds)
    func conversionsAreThoseOfASchoolbook(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        for _ in 0..<1_500 {
            let row = try randomRow(&random)
            let source = try #require(row.currencies.randomElement(using: &random))
            let target = try #require(row.currencies.randomElement(using: &random))
            let rate = try #require(row.rate(from: source, to: target))
            let amount = random.amount()
            let (up, down) = try terms(row, source, target)
            let facts: Comment =
                "seed \(seed): \(amount) \(source.code) to \(target.code) on \(row.day.text)"
            let product = LongNumber(amount) * up
            if let credit = try? rate.credit(for: amount) {
                let isFloor =
                    LongNumber(credit) * down <= product
                    && product < (LongNumber(credit) + LongNumber(1)) * down
                #expect(isFloor, facts)
                if let shown = (try? rate.shown(Int128(amount))).flatMap({ Int64(exactly: $0) }) {
                    let isNearest = try isHalfEven(shown, credit, product, down)
                    #expect(isNearest, facts)
                }
            } else {
                let isLarge = product >= (LongNumber(.max) + LongNumber(1)) * down
                #expect(isLarge, facts)
            }
            let wanted = LongNumber(amount) * down
            if let debit = try? rate.debit(for: amount) {
                let isLeast =
                    LongNumber(debit) * up >= wanted && LongNumber(debit - 1) * up < wanted
                #expect(isLeast, facts)
            } else {
                let isLarge = LongNumber(.max) * up < wanted
                #expect(isLarge, facts)
            }
        }
    }

    private func randomRow(_ random: inout SeededGenerator) throws -> RateRow {
        let day = try #require(history.days.randomElement(using: &random))
        return try #require(history.row(on: day))
    }

    /// The amount in the target's minor units is amount times the first over the second.
    private func terms(
        _ row: RateRow,
        _ source: Currency,
        _ target: Currency
    ) throws -> (LongNumber, LongNumber) {
        let (from, to) = (row.published(source), row.published(target))
        let (sourceRate, targetRate) = (try #require(from), try #require(to))
        return (
            LongNumber(targetRate.mantissa).shifted(sourceRate.scale + target.exponent),
            LongNumber(sourceRate.mantissa).shifted(targetRate.scale + source.exponent)
        )
    }

    private func isHalfEven(
        _ shown: Int64,
        _ floor: Int64,
        _ product: LongNumber,
        _ down: LongNumber
    ) throws -> Bool {
        let twice = product + product
        // Twice the point midway between the floor and the next.
        let middle = (LongNumber(floor) + LongNumber(floor) + LongNumber(1)) * down
        if twice == middle { return shown == (floor % 2 == 0 ? floor : floor + 1) }
        return shown == (twice < middle ? floor : floor + 1)
    }

    @Test(arguments: ledgerSeeds)
    func noChainOfConversionsEndsAboveItsStart(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        for _ in 0..<1_500 {
            let row = try randomRow(&random)
            let start = try #require(row.currencies.randomElement(using: &random))
            var stops = (0..<Int.random(in: 1...6, using: &random)).compactMap { _ in
                row.currencies.randomElement(using: &random)
            }
            stops.append(start)
            let first = random.amount(bitsMax: 44)
            var (held, needed) = (first, first)
            var (here, there) = (start, start)
            var path = start.code
            do throws(RateError) {
                for next in stops {
                    path += " \(next.code)"
                    // Forward: what is held is paid. By turns the payee's amount is named, so
                    // that the debit is rounded instead of the credit.
                    guard let rate = row.rate(from: here, to: next),
                        let back = row.rate(from: next, to: there)
                    else { break }
                    let credit = try rate.credit(for: held)
                    let debit = try rate.debit(for: credit)
                    #expect(debit <= held, "seed \(seed): \(path) on \(row.day.text)")
                    held = credit
                    // Backward: what must be paid at the start of a chain for what is needed.
                    needed = try back.debit(for: needed)
                    let had = try back.credit(for: needed)
                    #expect(had >= 0)
                    (here, there) = (next, next)
                }
            } catch { continue }
            #expect(held <= first, "seed \(seed): \(first) became \(held): \(path) \(row.day)")
            #expect(needed >= first, "seed \(seed): \(needed) buys \(first): \(path) \(row.day)")
        }
    }
}
