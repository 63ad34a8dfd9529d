import TestKit
import Testing
import WalletProtocol

@testable import LedgerService

/// What the bank publishes, and what somebody else might answer in its place.
@Suite struct RateDocumentTests {
    private func day(_ text: String) throws -> Day { try #require(Day(text)) }

    @Test func theDailyDocumentIsReadAsItIsPublished() throws {
        let rows = try RateDocument.read(
            Array(
                """
                <?xml version="1.0" encoding="UTF-8"?>
                <gesmes:Envelope xmlns:gesmes="http://www.gesmes.org/xml/2002-08-01"
                    xmlns="http://www.ecb.int/vocabulary/2002-08-01/eurofxref">
                  <gesmes:subject>Reference rates</gesmes:subject>
                  <gesmes:Sender><gesmes:name>European Central Bank</gesmes:name></gesmes:Sender>
                  <Cube><Cube time='2026-11-20'><Cube currency='USD' rate='1.1534'/>
                    <Cube currency='JPY' rate='181.24'/><Cube currency='EEK' rate='15.6466'/>
                  </Cube></Cube>
                </gesmes:Envelope>
                """.utf8
            ),
            publisher: "ECB"
        )
        #expect(rows.count == 1)
        #expect(rows.first?.day == (try day("2026-11-20")))
        #expect(rows.first?.rates[.usd] == PublishedRate(mantissa: 11_534, scale: 4))
        // Those that there are no more are left out.
        #expect(rows.first?.rates.count == 2)
    }

    @Test func theArchiveIsReadToo() throws {
        let rows = try RateDocument.read(ShippedData.file("eurofxref-hist.zip"), publisher: "ECB")
        #expect(rows.count > 7_000)
        #expect(rows.first?.day == (try day("1999-01-04")))
        #expect(zip(rows, rows.dropFirst()).allSatisfy { $0.day < $1.day })
    }

    @Test(arguments: [
        "", " ", "nothing", "{\"rates\": 1}", "<html><body>busy</body></html>",
        "<Cube><Cube time='2026-11-20'><Cube currency='USD' rate='1.1'/></Cube>",
        "<!DOCTYPE x [<!ENTITY e 'USD'>]><Cube time='2026-11-20'><Cube currency='&e;' rate='1'/>"
            + "</Cube>",
        "<Cube time='2026-11-31'><Cube currency='USD' rate='1.1'/></Cube>",
        "<c><Cube time='2026-11-20'><Cube currency='USD' rate='1.1'/></Cube>"
            + "<Cube time='2026-11-20'><Cube currency='USD' rate='1.1'/></Cube></c>",
        "<Cube time='2026-11-20'><Cube currency='USD' rate='0'/></Cube>",
        "<Cube time='2026-11-20'><Cube currency='USD' rate='0.0000'/></Cube>",
        "<Cube time='2026-11-20'><Cube currency='USD' rate='-1.1'/></Cube>",
        "<Cube time='2026-11-20'><Cube currency='USD' rate='1e3'/></Cube>",
        "<Cube time='2026-11-20'><Cube currency='USD' rate='NaN'/></Cube>",
        "<Cube time='2026-11-20'><Cube currency='USD' rate='1,1'/></Cube>",
        "<Cube time='2026-11-20'><Cube currency='USD' rate='12345678901'/></Cube>",
        "<Cube time='2026-11-20'><Cube currency='EUR' rate='1.1'/></Cube>",
        "<Cube time='2026-11-20'><Cube currency='USD' rate='1'/><Cube currency='USD' rate='2'/>"
            + "</Cube>",
        "<Cube currency='USD' rate='1.1'/>", "PK\u{3}\u{4}nothing",
    ])
    func whatIsNoDocumentIsRefused(text: String) {
        #expect(throws: (any Error).self) {
            try RateDocument.read(Array(text.utf8), publisher: "ECB")
        }
    }

    /// Whatever bytes change of a document, there are rates or a refusal, and no crash.
    @Test(arguments: ledgerSeeds)
    func changedBytesAreReadOrRefused(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        let good = Array(
            "<a><Cube time='2026-11-20'><Cube currency='USD' rate='1.1534'/></Cube></a>".utf8
        )
        for _ in 0..<3_000 {
            var bytes = good
            for _ in 0..<Int.random(in: 1...4, using: &random) {
                bytes[Int.random(in: bytes.indices, using: &random)] = UInt8.random(
                    in: 0...255,
                    using: &random
                )
            }
            guard let rows = try? RateDocument.read(bytes, publisher: "ECB") else { continue }
            for row in rows { #expect(row.rates.values.allSatisfy { $0.mantissa > 0 }) }
        }
    }

    // MARK: What of it is taken

    private func rows(_ lines: [(String, [String: String])]) throws -> [DayRates] {
        try lines.map { text, figures in
            var rates: [Currency: PublishedRate] = [:]
            for (code, figure) in figures {
                let (currency, rate) = (Currency(code), PublishedRate(published: figure))
                rates[try #require(currency)] = try #require(rate) as PublishedRate
            }
            return DayRates(day: try day(text), rates: rates, publisher: "ECB")
        }
    }

    private func check(
        _ lines: [(String, [String: String])],
        confirmed: Set<RateCheck.Doubt> = []
    ) throws -> (new: [String], doubts: [RateCheck.Doubt]) {
        let history = try RateHistory(
            csv: Array("Date,USD,JPY,\n2026-11-18,1.1,180,\n2026-11-17,1.2,181,\n".utf8)
        )
        let found = RateCheck(history: history, confirmed: confirmed).sort(
            try rows(lines),
            today: try day("2026-11-21")
        )
        return (found.new.map(\.day.text), found.doubts)
    }

    @Test func newDaysAreTakenAndKnownOnesLeft() throws {
        let good = ["USD": "1.1", "JPY": "180"]
        let found = try check([
            ("2026-11-20", good), ("2026-11-19", good), ("2026-11-18", ["USD": "9", "JPY": "9"]),
            ("2026-11-16", good),
        ])
        #expect(found.new == ["2026-11-19", "2026-11-20"])
        #expect(found.doubts.isEmpty)
    }

    @Test func aLeapWaitsAndHoldsUpWhatComesBehindIt() throws {
        let good = ["USD": "1.1", "JPY": "180"]
        let lines = [
            ("2026-11-19", good), ("2026-11-20", ["USD": "1.1", "JPY": "271"]),
            ("2026-11-21", good),
        ]
        let found = try check(lines)
        #expect(found.new == ["2026-11-19"])
        #expect(found.doubts.map(\.currency) == [.jpy])
        // Said again half a day later it is so.
        let again = try check(lines.dropLast(), confirmed: Set(found.doubts))
        #expect(again.new == ["2026-11-19", "2026-11-20"])
        // 50 % up and down are none yet.
        let bounds = try check([("2026-11-19", ["USD": "0.55", "JPY": "270"])])
        #expect(bounds.new == ["2026-11-19"])
        #expect(try check([("2026-11-19", ["USD": "0.5499", "JPY": "180"])]).doubts.count == 1)
    }

    @Test func aDayAheadOrWithTooLittleIsNotTaken() throws {
        let good = ["USD": "1.1", "JPY": "180"]
        #expect(try check([("2026-11-23", good)]).new.isEmpty)
        #expect(try check([("2026-11-22", good)]).new.count == 1)
        let few = [("2026-11-19", ["USD": "1.1"]), ("2026-11-20", good)]
        let found = try check(few)
        #expect(found.new.isEmpty)
        #expect(found.doubts.map(\.currency) == [.usd])
        // Said again half a day later it is so: what was dropped does not keep the rest away.
        let again = try check(few, confirmed: Set(found.doubts))
        #expect(again.new == ["2026-11-19", "2026-11-20"])
        #expect(try check([("2026-11-19", [:]), ("2026-11-20", good)]).new.isEmpty)
    }

    @Test func theNextFetchIsAtTheNextPublication() throws {
        func pause(_ now: String, _ newest: String) throws -> Instant {
            let now = try #require(Instant(now))
            return now.adding(seconds: RateWork.pause(at: now, newest: try day(newest)))
        }
        // A Friday: in the morning until the afternoon, then every half an hour until it is there.
        let afternoon = try pause("2026-11-20T09:00:00Z", "2026-11-19")
        #expect(afternoon > (try #require(Instant("2026-11-20T14:00:00Z"))))
        #expect(afternoon < (try #require(Instant("2026-11-20T14:31:00Z"))))
        let soon = try pause("2026-11-20T15:00:00Z", "2026-11-19")
        #expect(soon < (try #require(Instant("2026-11-20T15:36:00Z"))))
        let tomorrow = try pause("2026-11-20T15:00:00Z", "2026-11-20")
        #expect(tomorrow > (try #require(Instant("2026-11-21T14:00:00Z"))))
    }
}
