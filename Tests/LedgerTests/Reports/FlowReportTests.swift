import Loops
import Postgres
import ServiceKit
import TestKit
import Testing
import Text
import WalletProtocol

@testable import LedgerService

/// What went where and to whom, against rows that are added up beside the books.
@Suite struct FlowReportTests {
    /// What is told of a payee or a place.
    private struct Told: Equatable {
        let amount: Int128
        let count: Int
        let previous: Int128
    }

    @Test(arguments: ledgerSeeds)
    func reportsAreThoseOfAModelThatAddsRows(seed: UInt64) async throws {
        try await LedgerRig().run { _, books in
            var model = try await ReportModel(books, seed: seed)
            var reader = FlowReader(
                database: books.service,
                rates: .shared,
                blocking: BlockingPool(threads: 1, queueMax: 4)
            )
            for step in 0..<240 {
                let note: Comment = "seed \(seed), step \(step)"
                try await model.step(note)
                guard step % 4 == 3 else { continue }
                let today = try model.someDay()
                let query = try Self.query(&model)
                let isOfChild =
                    Bool.random(using: &model.chance)
                    && query.accountIDs.allSatisfy { id in
                        model.wallets.contains { $0.id == id && $0.isOwn }
                    }
                let subject = model.subject(today: today, isOfChild: isOfChild)
                guard query.to ?? today >= query.from ?? today.month.firstDay else { continue }
                // The sums of ended months are kept, or are not.
                reader.linesMin = [0, 0, .max].randomElement(using: &model.chance) ?? 0
                let payees = try await reader.payees(query, of: subject)
                try Self.check(payees, query, model, subject, note)
                let places = try await reader.places(query, of: subject)
                try Self.check(places, query, model, subject, note)
            }
            try await books.check("seed \(seed)")
        }
    }

    private static func query(_ model: inout ReportModel) throws -> FlowReportQuery {
        let currency: Currency? =
            [nil, .eur, .usd, .jpy].randomElement(using: &model.chance) ?? nil
        let some = model.wallets.shuffled(using: &model.chance)
            .prefix([0, 0, 1, 3].randomElement(using: &model.chance) ?? 0)
        let within = model.categories.shuffled(using: &model.chance)
            .prefix([0, 0, 1, 2].randomElement(using: &model.chance) ?? 0)
        let (one, other) = (try model.someDay(), try model.someDay())
        let isWhole = Int.random(in: 0..<3, using: &model.chance) == 0
        let bounds = [nil, nil, "10", "30"].map { $0.flatMap { ExactDecimal($0) } }
        return FlowReportQuery(
            from: Bool.random(using: &model.chance)
                ? isWhole ? min(one, other).month.firstDay : min(one, other) : nil,
            to: Bool.random(using: &model.chance)
                ? isWhole ? max(one, other).month.lastDay : max(one, other) : nil,
            direction: Bool.random(using: &model.chance) ? .incoming : .outgoing,
            minAmount: bounds.randomElement(using: &model.chance) ?? nil,
            maxAmount: [nil, nil, ExactDecimal("60")].randomElement(using: &model.chance) ?? nil,
            currency: currency,
            accountIDs: some.map(\.id),
            categoryIDs: Array(within),
            limit: [1, 3, 1_000].randomElement(using: &model.chance) ?? 50
        )
    }

    /// By key, its definition.
    private static func wanted<Key: Hashable>(
        _ query: FlowReportQuery,
        _ model: ReportModel,
        _ subject: ReportSubject,
        key: (ReportModel.Item) -> Key?
    ) -> (told: [Key: Told], total: Int128, count: Int, before: Int128, apart: [Currency: Int128]) {
        let period = ReportPeriod(
            query.from ?? (query.to ?? subject.today).month.firstDay,
            query.to ?? subject.today
        )
        let now = model.counted(query, period, ownAlone: subject.isOfChild)
            .filter { key($0.item) != nil }
        let before = model.counted(query, period.before, ownAlone: subject.isOfChild)
            .filter { key($0.item) != nil }
        var told: [Key: Told] = [:]
        for (wanted, parts) in Dictionary(grouping: now, by: { key($0.item) }) {
            guard let wanted, parts.contains(where: { $0.shown != nil }) else { continue }
            told[wanted] = Told(
                amount: parts.reduce(0) { $0 + ($1.shown ?? 0) },
                count: Set(parts.filter { $0.shown != nil }.map(\.id)).count,
                previous: before.filter { key($0.item) == wanted }
                    .reduce(0) { $0 + ($1.shown ?? 0) }
            )
        }
        var apart: [Currency: Int128] = [:]
        for part in now where part.shown == nil {
            apart[part.item.currency, default: 0] += Int128(part.line.amount.magnitude)
        }
        return (
            told, now.reduce(0) { $0 + ($1.shown ?? 0) },
            Set(now.filter { $0.shown != nil }.map(\.id)).count,
            before.reduce(0) { $0 + ($1.shown ?? 0) }, apart.filter { $0.value != 0 }
        )
    }

    private static func check(
        _ report: PayeeReport,
        _ query: FlowReportQuery,
        _ model: ReportModel,
        _ subject: ReportSubject,
        _ note: Comment
    ) throws {
        let wanted = wanted(query, model, subject) { item in
            TextFolding.caseFolded(item.name ?? "")
        }
        #expect(report.total.minorUnits == wanted.total, note)
        #expect(report.count == wanted.count, note)
        #expect(report.previous.total.minorUnits == wanted.before, note)
        let apart = report.unconverted.map { ($0.currency, $0.minorUnits) }
        #expect(Dictionary(uniqueKeysWithValues: apart) == wanted.apart, note)
        #expect(report.items.count == min(query.limit, wanted.told.count), note)
        for item in report.items {
            let told = Told(
                amount: item.amount.minorUnits,
                count: item.count,
                previous: item.previous.minorUnits
            )
            #expect(wanted.told[TextFolding.caseFolded(item.name ?? "")] == told, note)
        }
        check(
            report.items.map { ($0.amount, $0.count, $0.percent) },
            report.rest,
            of: report.total,
            wanted.told.count,
            note
        )
    }

    private static func check(
        _ report: PlaceReport,
        _ query: FlowReportQuery,
        _ model: ReportModel,
        _ subject: ReportSubject,
        _ note: Comment
    ) throws {
        /// To a thousandth, the half away from zero.
        func rounded(_ degree: Int32) -> Double {
            let size = (Int(degree.magnitude) + 500) / 1_000
            return Double(degree < 0 ? -size : size) / 1_000
        }
        let wanted = wanted(query, model, subject) { item in
            item.place.map { [rounded($0.longitude), rounded($0.latitude)] }
        }
        #expect(report.total.minorUnits == wanted.total, note)
        #expect(report.count == wanted.count, note)
        #expect(report.previous.total.minorUnits == wanted.before, note)
        #expect(report.features.count == min(query.limit, wanted.told.count), note)
        for feature in report.features {
            let told = Told(
                amount: feature.properties.amount.minorUnits,
                count: feature.properties.count,
                previous: feature.properties.previous.minorUnits
            )
            #expect(wanted.told[feature.geometry.coordinates] == told, note)
        }
        check(
            report.features.map {
                ($0.properties.amount, $0.properties.count, $0.properties.percent)
            },
            report.rest,
            of: report.total,
            wanted.told.count,
            note
        )
    }

    /// The largest first; with the rest they are the whole, and all of its hundred percent.
    private static func check(
        _ items: [(amount: Total, count: Int, percent: ExactDecimal)],
        _ rest: ReportRest,
        of total: Total,
        _ count: Int,
        _ note: Comment
    ) {
        let amounts = items.map(\.amount.minorUnits)
        #expect(amounts == amounts.sorted(by: >), note)
        #expect(amounts.reduce(rest.amount.minorUnits, +) == total.minorUnits, note)
        #expect(items.count + rest.items == count, note)
        let tenths = (items.map(\.percent) + [rest.percent]).map {
            $0.coefficient * ($0.scale == 1 ? 1 : 10)
        }
        #expect(tenths.reduce(0, +) == (total.isZero ? 0 : 1_000), note)
        if rest.items > 0, let last = amounts.last {
            #expect(rest.amount.minorUnits <= last * Int128(rest.items), note)
        }
    }

    @Test func whatIsUnknownOrOutOfBoundsIsToldAllAtOnce() async throws {
        try await LedgerRig().run { _, books in
            let (ada, eve) = try await (books.person(), books.person())
            let hers = try await books.account(of: eve, .wallet)
            let theirs = try await books.others(of: eve)
            let person = try #require(try await books.service.queryOne(PeopleStatements.find, ada))
            let reader = FlowReader(
                database: books.service,
                rates: .shared,
                blocking: BlockingPool(threads: 1, queueMax: 4)
            )
            let subject = ReportSubject(
                user: ada,
                person: person,
                today: someDay,
                isOfChild: false
            )
            let query = FlowReportQuery(
                from: Day("1899-12-31"),
                to: Day("2200-01-01"),
                minAmount: ExactDecimal("-1"),
                maxAmount: ExactDecimal("0.001"),
                accountIDs: [hers, .new()],
                categoryIDs: [theirs]
            )
            let error = await #expect(throws: APIError.self) {
                _ = try await reader.payees(query, of: subject)
            }
            #expect(error?.code == .invalidQuery)
            #expect(
                error?.errors.map(\.pointer) == [
                    "query:from", "query:to", "query:minAmount", "query:maxAmount",
                    "query:accountId", "query:accountId", "query:categoryId",
                ]
            )
        }
    }
}
