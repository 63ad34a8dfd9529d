import Testing
import WalletProtocol

@testable import AnalyticsService

/// What somebody booked on a wallet that is another's is in their reports while they see it.
@Suite struct MembershipTests {
    private let user = ID<User>.new()
    private let wallet = ID<Account>.new()

    private func posting(_ amount: Int64, on account: ID<Account>) throws -> EventEnvelope {
        envelope(
            TransactionPosted(
                source: JournalLine(entryID: .new(), place: 1),
                transactionID: .new(),
                version: 1,
                kind: .posted,
                userID: user,
                accountID: account,
                accountKind: .wallet,
                amount: Money(minorUnits: amount, .eur),
                day: try #require(Day("2023-05-17")),
                categoryID: .new(),
                coicop: .food,
                recordedAt: .now()
            )
        )
    }

    private func member(_ isMember: Bool, _ sequence: Int64) -> EventEnvelope {
        EventEnvelope(
            id: .new(),
            source: .ledger,
            time: .now(),
            aggregate: "account:\(wallet)",
            sequence: sequence,
            body: WalletMemberChanged(accountID: wallet, userID: user, isMember: isMember)
        )
    }

    private func spent(
        _ bench: Bench,
        on accounts: [ID<Account>] = [],
        isOfChild: Bool = false
    ) async throws -> String {
        let day = try #require(Day("2023-05-31"))
        let scope = ReportScope(
            subject: .person(user),
            isOfChild: isOfChild,
            period: try .ofReport(from: nil, to: day, today: day),
            currency: .eur,
            accounts: accounts
        )
        let report = try await bench.reports.categories(scope.going(.outgoing))
        let summary = try await bench.reports.summary(scope)
        #expect(report.total == summary.expenses)
        return summary.expenses.amount
    }

    @Test func endsWithTheirRightAndComesBackWithIt() async throws {
        try await withBench { [self] _, bench in
            try await bench.apply([posting(-100, on: .new()), posting(-700, on: wallet)])
            #expect(try await spent(bench) == "8.00")
            try await bench.apply([member(true, 2), member(false, 3)])
            #expect(try await spent(bench) == "1.00")
            #expect(try await spent(bench, on: [wallet]) == "0.00")
            // An event that comes late or twice changes nothing.
            try await bench.apply([member(true, 2), member(false, 3)])
            #expect(try await spent(bench) == "1.00")
            try await bench.apply([member(true, 4)])
            #expect(try await spent(bench, on: [wallet]) == "7.00")
        }
    }

    @Test func aParentSeesNothingOfWhatAChildBooksInAnothersWallet() async throws {
        try await withBench { [self] _, bench in
            try await bench.apply([posting(-100, on: .new()), posting(-700, on: wallet)])
            try await bench.apply([member(true, 2)])
            #expect(try await spent(bench) == "8.00")
            #expect(try await spent(bench, isOfChild: true) == "1.00")
            #expect(try await spent(bench, on: [wallet], isOfChild: true) == "0.00")
            try await bench.apply([member(false, 3)])
            #expect(try await spent(bench, isOfChild: true) == "1.00")
        }
    }

    @Test func everybodysFiguresKeepWhatWasSpent() async throws {
        try await withBench { [self] _, bench in
            for _ in 0..<Bench.usersMin - 1 {
                try await bench.apply([MembershipTests().posting(-700, on: .new())])
            }
            try await bench.apply([posting(-700, on: wallet), member(false, 2)])
            try await bench.release()
            let query = SpendingQuery(from: Day("2023-05-01"), to: Day("2023-05-31"))
            let view = try await bench.insights.spending(query, by: .new())
            #expect(view.cells.first?.total?.amount == "21.00")
        }
    }
}
