import Foundation
import Testing
import WalletProtocol

@testable import LedgerService

func day(_ text: String) throws -> Day { try #require(Day(text)) }

func currency(_ code: String) throws -> Currency { try #require(Currency(code)) }

@Suite struct RateHistoryTests {
    private let history: RateHistory

    init() throws { history = try RateStore.shared.history() }

    // Looked up in the bank's file by hand.
    @Test(arguments: [
        ("1999-01-04", "USD", "1.1789"), ("1999-01-04", "KRW", "1398.59"),
        ("2008-12-09", "ISK", "290"), ("2005-07-01", "RON", "3.603"),
        ("2022-03-01", "RUB", "117.201"), ("2026-10-30", "IDR", "20275.17"),
        ("2026-10-30", "GBP", "0.8338"), ("2026-10-30", "TRY", "55.8015"),
    ])
    func aRateIsThatOfTheFile(on text: String, code: String, rate: String) throws {
        let row = try #require(history.row(on: try day(text)))
        let published = try #require(row.published(try currency(code)))
        let expected = try #require(ExactDecimal(rate))
        #expect(try row.day == day(text))
        #expect(
            ExactDecimal(coefficient: published.mantissa, scale: published.scale) == expected
        )
        #expect(row.rate(from: .eur, to: try currency(code))?.value == expected)
    }

    @Test func everyCellIsWhatAnotherReaderSees() throws {
        guard let csv = try otherReader() else { return }
        let lines = csv.split(separator: UInt8(ascii: "\n"))
        let header = cells(lines[0])
        #expect(history.days.count == lines.count - 1)
        for (index, line) in lines.dropFirst().enumerated() where index % 5 == 0 {
            let row = cells(line)
            let published = try #require(history.row(on: try day(row[0])))
            #expect(published.day.text == row[0])
            for (code, cell) in zip(header, row).dropFirst() {
                guard let currency = Currency(code) else { continue }
                let rate = published.published(currency)
                let value = rate.map { ExactDecimal(coefficient: $0.mantissa, scale: $0.scale) }
                let isSame = value == (cell == "N/A" ? nil : ExactDecimal(cell))
                #expect(isSame, "\(row[0]) \(code) \(cell)")
            }
        }
    }

    @Test func theNewestRowOnOrBeforeTheDayCounts() throws {
        #expect(history.row(on: try day("1999-01-03")) == nil)
        #expect(try history.row(on: day("1999-01-04"))?.day == day("1999-01-04"))
        // A Sunday, and the far future.
        #expect(try history.row(on: day("2018-02-04"))?.day == day("2018-02-02"))
        #expect(try history.row(on: day("9999-12-31"))?.day == history.days.last)
        let isAscending = zip(history.days, history.days.dropFirst()).allSatisfy { $0 < $1 }
        #expect(isAscending)
    }

    @Test func aCurrencyThatIsNoLongerQuotedIsUnavailableAndNotStale() throws {
        let (rouble, krona) = (try currency("RUB"), try currency("ISK"))
        let last = try day("2022-03-01")
        let after = try day("2022-03-02")
        #expect(history.rate(from: rouble, to: .eur, on: last) != nil)
        #expect(history.rate(from: rouble, to: .eur, on: after) == nil)
        #expect(history.rate(from: .usd, to: rouble, on: after) == nil)
        #expect(history.rate(from: krona, to: .eur, on: try day("2010-06-15")) == nil)
        #expect(history.rate(from: .kwd, to: .eur, on: after) == nil)
        #expect(throws: RateError.unavailable(from: .kwd, to: .eur, on: after)) {
            try history.required(from: .kwd, to: .eur, on: after)
        }
    }

    @Test func aCurrencyIsOneOfItself() throws {
        let rate = try #require(history.rate(from: .kwd, to: .kwd, on: try day("2020-01-02")))
        #expect(rate.numerator == 1 && rate.denominator == 1)
    }

    @Test(arguments: [
        ("", RateFileError.header), ("Day,USD,\n", .header), ("Date,usd,\n", .header),
        ("Date,USD,USD,\n", .header), ("Date,EUR,\n", .header), ("Date,USD,\n", .empty),
        ("Date,USD,\n2026-02-30,1.1,\n", .row(line: 2)),
        ("Date,USD,\n2026-10-30,1.1,\n2026-10-30,1.1,\n", .row(line: 3)),
        ("Date,USD,\n2026-10-30\n", .row(line: 2)),
        ("Date,USD,\n2026-10-30,1.1,2.2,\n", .row(line: 2)),
        ("Date,USD,\n2026-10-30,-1.1,\n", .cell(line: 2, column: 2)),
        ("Date,USD,\n2026-10-30,1.,\n", .cell(line: 2, column: 2)),
        ("Date,USD,\n2026-10-30,.5,\n", .cell(line: 2, column: 2)),
        ("Date,USD,\n2026-10-30,0.0,\n", .cell(line: 2, column: 2)),
        ("Date,USD,\n2026-10-30,1e3,\n", .cell(line: 2, column: 2)),
        ("Date,USD,\n2026-10-30,n/a,\n", .cell(line: 2, column: 2)),
        ("Date,USD,\n2026-10-30,12345678901,\n", .cell(line: 2, column: 2)),
        ("Date,USD,\n2026-10-30,0.123456789,\n", .cell(line: 2, column: 2)),
    ])
    func aFileWithAFaultIsRefused(csv: String, fault: RateFileError) {
        #expect(throws: fault) { try RateHistory(csv: Array(csv.utf8)) }
    }

    @Test(arguments: [
        "Date,USD,EEK,\n2026-10-30,1.1172,N/A,\n2026-10-29,,15.6,\n",
        "Date,USD,EEK\r\n2026-10-30,1.1172,N/A\r\n2026-10-29,N/A,15.6",
    ])
    func otherLineEndsAndEmptyCellsAreRead(csv: String) throws {
        let history = try RateHistory(csv: Array(csv.utf8))
        #expect(try history.days == [day("2026-10-29"), day("2026-10-30")])
        #expect(history.currencies == [.usd])
        #expect(history.row(on: history.days[0])?.published(.usd) == nil)
        #expect(history.row(on: history.days[1])?.published(.usd)?.mantissa == 11_172)
    }

    @Test func whatIsFetchedCountsOnItsDaysForAllReplicas() throws {
        let shipped = try RateHistory(csv: Array("Date,USD,\n2026-10-29,1.1,\n".utf8))
        let more = try RateHistory(
            csv: Array("Date,USD,JPY,\n2026-10-31,1.3,150,\n2026-10-29,9.9,1,\n".utf8)
        )
        let store = RateStore(shipped)
        store.take(more.rows(after: try day("2026-10-01")), revision: 7)
        let history = try store.history()
        #expect(try history.days == [day("2026-10-29"), day("2026-10-31")])
        #expect(history.row(on: history.days[0])?.published(.usd)?.mantissa == 99)
        #expect(history.row(on: history.days[1])?.published(.jpy)?.mantissa == 150)
        #expect(store.revision == 7)
    }

    @Test func theTableOfADayHasEveryOtherCurrencyOfTheRow() throws {
        let row = try #require(history.row(on: try day("2026-10-31")))
        let euro = try #require(RateTable(row, base: .eur, asked: row.day))
        #expect(euro.day.text == "2026-10-30" && euro.source == "ECB" && euro.base == .eur)
        #expect(euro.rates["USD"]?.text == "1.1172" && euro.rates["EUR"] == nil)
        let dollar = try #require(RateTable(row, base: .usd, asked: row.day))
        #expect(dollar.rates.count == euro.rates.count)
        // 1 / 1.1172 and 175.68 / 1.1172.
        #expect(dollar.rates["EUR"]?.text == "0.895094880057")
        #expect(dollar.rates["JPY"]?.text == "157.250268528464")
        #expect(RateTable(row, base: .kwd, asked: row.day) == nil)
        #expect(dollar.rates["RUB"] == nil)
    }

    @Test func theEndpointTakesTheDayAskedForOrToday() throws {
        let today = try day("2018-02-04")
        let now = try GetRates.table(RateQuery(), of: history, today: today)
        #expect(now.day.text == "2018-02-02" && now.base == .eur)
        let query = RateQuery(base: .usd, date: try day("2022-03-02"))
        let then = try GetRates.table(query, of: history, today: today)
        #expect(then.day.text == "2022-03-02" && then.base == .usd)
        let refused = [
            RateQuery(base: .kwd),
            RateQuery(base: try currency("ISK"), date: try day("2010-06-15")),
            RateQuery(date: try day("1998-12-31")),
        ]
        for query in refused {
            let error = #expect(throws: APIError.self) {
                try GetRates.table(query, of: history, today: today)
            }
            #expect(error?.code == .rateUnavailable && error?.code.status == 422)
        }
    }

    @Test func everyCurrencyIsListedOnce() {
        let views = ListCurrencies.views
        #expect(views.map(\.code) == Currency.all)
        #expect(views.contains { $0.code == .jpy && $0.exponent == 0 && $0.numeric == "392" })
    }

    @Test func oldRateMovesNoMoney() throws {
        let last = try #require(history.days.last)
        func moving(after days: Int, daysMax: Int?) throws -> ExchangeRate {
            let today = try #require(last.adding(days: days))
            return try history.moving(from: .usd, to: .eur, on: today, daysMax: daysMax)
        }
        #expect(try moving(after: 7, daysMax: 7).day == last)
        #expect(try moving(after: 900, daysMax: nil).day == last)
        let refusal = #expect(throws: APIError.self) { try moving(after: 8, daysMax: 7) }
        #expect(refusal?.code == .rateStale && refusal?.code.status == 503)
        #expect(refusal?.retryAfterSeconds == 3_600)
    }

    @Test func refusalsOfConversionsHaveTheirCodes() throws {
        let unavailable = RateError.unavailable(from: .kwd, to: .eur, on: try day("2026-10-30"))
        #expect(APIError(unavailable).code == .rateUnavailable)
        #expect(APIError(RateError.overflow).code == .balanceOverflow)
    }

    private func cells(_ line: ArraySlice<UInt8>) -> [String] {
        line.split(separator: UInt8(ascii: ",")).map { String(decoding: $0, as: UTF8.self) }
    }

    /// The CSV as Python unpacks it; nil where there is none.
    private func otherReader() throws -> [UInt8]? {
        let python = "/usr/bin/python3"
        guard FileManager.default.isExecutableFile(atPath: python) else { return nil }
        let archive = FileManager.default.temporaryDirectory
            .appendingPathComponent("rates-\(UUID().uuidString).zip")
        try Data(try ShippedData.file("eurofxref-hist.zip")).write(to: archive)
        defer { try? FileManager.default.removeItem(at: archive) }
        let process = Process()
        process.executableURL = URL(fileURLWithPath: python)
        let script =
            "import sys, zipfile; sys.stdout.buffer.write("
            + "zipfile.ZipFile(sys.argv[1]).read('eurofxref-hist.csv'))"
        process.arguments = ["-c", script, archive.path]
        let output = Pipe()
        process.standardOutput = output
        try process.run()
        let bytes = [UInt8](output.fileHandleForReading.readDataToEndOfFile())
        process.waitUntilExit()
        #expect(process.terminationStatus == 0)
        return bytes
    }
}
