import Testing
import WalletProtocol

@testable import LedgerService

/// Envelopes of figures: values in, values out.
@Suite struct EnvelopeTests {
    private let food = CategoryID.new()

    private func figure(
        _ month: String,
        _ amount: Int128,
        _ currency: Currency = .eur,
        day: String = "2026-10-30"
    ) throws -> BudgetFigure {
        BudgetFigure(
            category: food,
            month: try #require(Month(month)),
            day: try #require(Day(day)),
            currency: currency,
            amount: amount
        )
    }

    private func envelope(
        _ month: String,
        _ allocations: [BudgetFigure],
        _ spending: [BudgetFigure]
    ) throws -> Envelope {
        try EnvelopeSums(
            month: try #require(Month(month)),
            currency: .eur,
            rates: try RateStore.shared.history(),
            allocations: allocations,
            spending: spending
        ).envelope(of: food)
    }

    @Test func whatIsLeftRollsOverAndWhatIsOverspentToo() throws {
        let allocations = [try figure("2026-09", 10_000), try figure("2026-11", 5_000)]
        let spending = [
            try figure("2026-08", -99_999), try figure("2026-09", -2_500),
            try figure("2026-10", -9_000), try figure("2026-11", -1_000),
            try figure("2026-12", -7),
        ]
        let found = try envelope("2026-11", allocations, spending)
        #expect(found.rolledOver.amount == "-15.00")
        #expect(found.allocated.amount == "50.00")
        #expect(found.spent.amount == "10.00")
        #expect(found.available.amount == "25.00")
        #expect(found.percent.value?.text == "28.6")
        // Before the first allocation nothing rolls over.
        let august = try envelope("2026-08", [], spending)
        #expect(august.rolledOver.isZero && august.available.amount == "-999.99")
        #expect(august.percent.value == nil)
    }

    @Test func incomesAndRefundsCountAgainstWhatWasSpent() throws {
        let found = try envelope(
            "2026-11",
            [try figure("2026-11", 100)],
            [try figure("2026-11", -300), try figure("2026-11", 250)]
        )
        #expect(found.spent.amount == "0.50")
        #expect(found.percent.value?.text == "50")
    }

    @Test func otherCurrenciesCountAtTheirDaysRate() throws {
        // 1.1172 dollars and 175.68 yen for one euro on that day.
        let found = try envelope(
            "2026-11",
            [try figure("2026-11", 11_172, .usd)],
            [try figure("2026-11", -17_568, .jpy)]
        )
        #expect(found.allocated.amount == "100.00")
        #expect(found.spent.amount == "100.00")
        #expect(found.percent.value?.text == "100")
    }

    @Test func whatHasNoRateStandsApart() throws {
        let kwd = try #require(Currency("KWD"))
        let found = try envelope(
            "2026-11",
            [try figure("2026-11", 100)],
            [try figure("2026-11", -1_234, kwd), try figure("2026-11", -40)]
        )
        #expect(found.unconverted.map(\.description) == [Money(minorUnits: 1_234, kwd).description])
        #expect(found.spent.amount == "0.40")
    }

    @Test func sumsBeyond64BitsAreTold() throws {
        let most = try figure("2026-11", Int128(Int64.max))
        let least = try figure("2026-11", Int128(Int64.min))
        let found = try envelope("2026-11", [most, most], [least, least, least])
        #expect(found.allocated.amount == "184467440737095516.14")
        #expect(found.spent.amount == "276701161105643274.24")
        #expect(found.available.amount == "-92233720368547758.10")
        let rupiah = try figure("2026-11", Int128(Int64.max), try #require(Currency("IDR")))
        let shown = try envelope("2026-11", [rupiah, rupiah], [])
        #expect(shown.allocated.minorUnits > 0 && shown.unconverted.isEmpty)
    }

    @Test func sharesAreRoundedHalfToEvenAndOverflowIsAnError() throws {
        for (spent, budget, share) in [
            (1, 3, "33.3"), (2, 3, "66.7"), (1, 2_000, "0"), (3, 2_000, "0.2"), (5, 2, "250"),
            (-1, 3, "-33.3"),
        ] as [(Int128, Int128, String)] {
            #expect(EnvelopeBalance.percent(spent, of: budget)?.text == share)
        }
        #expect(EnvelopeBalance.percent(1, of: 0) == nil)
        #expect(EnvelopeBalance.percent(1, of: -5) == nil)
        let most = try figure("2026-11", .max)
        #expect(throws: MoneyError.overflow) { try envelope("2026-11", [most, most], []) }
    }

    @Test(arguments: 1...28)
    func everyDayIsInOneMonthAndMonthsFollowEachOther(start: Int) throws {
        let calendar = BudgetCalendar(monthStart: start)
        var month = try #require(Month(year: 2023, month: 12))
        for _ in 0..<30 {
            let (first, end) = (calendar.first(of: month), calendar.end(of: month))
            let begins = try #require(first)
            #expect(begins.parts.day == start)
            #expect(begins.month == month)
            let next = try #require(month.adding(1))
            #expect(end == calendar.first(of: next))
            var day = begins
            while day != end {
                #expect(calendar.month(of: day) == month)
                day = try #require(day.adding(days: 1))
            }
            month = next
        }
    }
}
