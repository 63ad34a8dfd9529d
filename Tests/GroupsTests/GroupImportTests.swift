import BankFiles
import Loops
import Postgres
import ServiceKit
import TestKit
import Testing
import WalletProtocol

@testable import GroupsService

/// Files of made-up groups, taken in beside what members write down themselves.
@Suite struct GroupImportTests {
    private static let invariants: [(sql: Statement<Int64>, rule: String)] = [
        (
            Statement(
                """
                select count(*) from groups.member_balance b where amount <> (
                    select coalesce(sum(
                        case when low_id = b.member_id then -amount else amount end), 0)
                    from groups.pair_balance p
                    where p.group_id = b.group_id and p.currency = b.currency
                        and b.member_id in (low_id, high_id))
                """
            ) { row in try row.int64(0) },
            "what stands between two sums to where each one stands"
        ),
        (
            Statement(
                """
                select count(*) from groups.group_total t where amount <> (
                    select sum(e.amount) from groups.expense e
                    where e.group_id = t.group_id and e.currency = t.currency
                        and e.removed_at is null)
                """
            ) { row in try row.int64(0) },
            "the total is that of the expenses"
        ),
        (
            Statement(
                """
                select count(*) from (
                    select 1 from groups.member_balance group by group_id, currency
                    having sum(amount) <> 0) open
                """
            ) { row in try row.int64(0) },
            "balances sum to zero"
        ),
        (
            Statement(
                """
                select count(*) from groups.outbox o where sequence <> (
                    select count(*) from groups.outbox b
                    where b.aggregate = o.aggregate and b.id <= o.id)
                """
            ) { row in try row.int64(0) },
            "events stand in the order of their sequences"
        ),
    ]

    private func hold(_ harness: Harness, _ seed: UInt64) async throws {
        for (sql, rule) in Self.invariants {
            let broken = try await harness.database.queryOne(sql)
            #expect(broken == 0, "\(rule); seed \(seed)")
        }
    }

    private func store(_ harness: Harness) -> GroupImportStore {
        GroupImportStore(
            database: harness.database,
            effects: harness.parts.effects,
            members: harness.parts.members,
            blocking: BlockingPool(threads: 1, queueMax: 8)
        )
    }

    /// A preview of a file, everybody in it mapped: members in turn, the rest guests.
    private func preview(
        _ text: String,
        of group: TestGroup,
        _ harness: Harness
    ) async throws -> ID<GroupImport> {
        let bytes = Array(text.utf8)
        let file = ReadGroupFile(
            id: .new(),
            group: group.id,
            user: group.users[0],
            bytes: bytes,
            reading: try GroupImportReading(bytes, nil, assuming: nil)
        )
        try await harness.database.transaction { transaction in
            try await GroupImportStore.insert(file, in: transaction)
        }
        let people = file.reading.export.people.enumerated().map { index, name in
            index < group.members.count
                ? GroupImportPerson(name: name, memberID: group.members[index])
                : GroupImportPerson(name: name, isGuest: true)
        }
        _ = try await store(harness).change(
            file.id,
            GroupImportChange(people: people),
            of: group.users[0],
            ifMatch: nil
        )
        return file.id
    }

    private func commit(
        _ id: ID<GroupImport>,
        by group: TestGroup,
        _ harness: Harness
    ) async throws {
        let person = Person(UserRegistered.of(group.users[0], "p0"))
        _ = try await store(harness).commit(id, by: person, today: Period.ever.start, under: nil)
    }

    /// A file of Splitwise's, of three people.
    private func file(_ random: inout SeededGenerator) -> String {
        var rows = ""
        var sums: [Int64] = [0, 0, 0]
        for row in 0..<Int.random(in: 1...30, using: &random) {
            var nets: [Int64] = [0, 0, 0]
            for _ in 0..<2 {
                let amount = Int64.random(in: 1...9_999, using: &random)
                nets[Int.random(in: 0..<3, using: &random)] += amount
                nets[Int.random(in: 0..<3, using: &random)] -= amount
            }
            let positive = nets.filter { $0 > 0 }.reduce(0, +)
            guard positive > 0 else { continue }
            let isPayment = nets.contains(0) && Bool.random(using: &random)
            let spent = positive + (isPayment ? 0 : Int64.random(in: 0...999, using: &random))
            let cost = isPayment || Bool.random(using: &random) ? spent : -spent
            let fields = ([cost] + nets).map { Money(minorUnits: $0, .eur).amount }
            rows += "2024-01-05,R\(row),\(isPayment ? "Payment" : "Food"),\(fields[0]),EUR,"
            rows += fields.dropFirst().joined(separator: ",") + "\n"
            for index in 0..<3 { sums[index] += nets[index] }
        }
        let totals = sums.map { Money(minorUnits: $0, .eur).amount }.joined(separator: ",")
        return "Date,What,Category,Cost,Currency,A,B,C\n\n\(rows)\n2024-02-01,T, , ,EUR,\(totals)\n"
    }

    /// A file of a hundred people in every currency.
    @Test func previewOfTheLargestFileIsBounded() async throws {
        let names = (0..<100).map { "\($0) " + String(repeating: "🙂", count: 40) }
        let zeros = String(repeating: ",0", count: 98)
        let rows = Currency.all.map { "2024-01-05,R,Food,2,\($0.code),1,-1\(zeros)" }
        let text =
            "Date,What,Category,Cost,Currency,\(names.joined(separator: ","))\n\n"
            + rows.joined(separator: "\n") + "\n"
        try await Harness.run { [self] _, harness in
            let group = try await harness.makeGroup(of: 2)
            let id = try await preview(text, of: group, harness)
            let record = try await store(harness).find(id, of: group.users[0])
            var read: [GroupImportBalance] = []
            var cursor: Cursor?
            var pages = 0
            repeat {
                let view = try record.view(from: cursor)
                #expect(JSON.write(view.balances).count <= PageSize.bytesMax)
                #expect(JSON.write(view).count <= 2 * PageSize.bytesMax)
                read += view.balances.items
                cursor = view.nextCursor
                pages += 1
            } while cursor != nil
            #expect(pages > 1 && read == record.summary.balances)
            #expect(read.map(\.name) == record.people.map(\.name))
            for foreign in [Cursor(100), Cursor(-1), Cursor("0")] {
                let refused = #expect(throws: APIError.self) { try record.view(from: foreign) }
                #expect(refused?.code == .invalidQuery)
            }
        }
    }

    @Test func importsAndExpensesLeaveBooksThatAgree() async throws {
        let seed = UInt64.random(in: 0...UInt64.max)
        try await Harness.run { _, harness in
            var random = SeededGenerator(seed: seed)
            let group = try await harness.makeGroup(of: 2)
            for _ in 0..<6 {
                let id = try await preview(file(&random), of: group, harness)
                let body = NewExpense(name: "Rent", amount: Money(minorUnits: 300, .eur))
                try await harness.database.transaction { transaction in
                    _ = try await harness.parts.expenses.add(
                        body,
                        to: group.id,
                        by: group.users[1],
                        today: Period.ever.start,
                        in: transaction
                    )
                }
                try await commit(id, by: group, harness)
                try await commit(id, by: group, harness)
                try await hold(harness, seed)
            }
        }
    }

    @Test func whatIsOlderThanADayAndWhatTheErasedSentIsGone() async throws {
        try await Harness.run { actor, harness in
            let (seed, count) = (
                UInt64(7),
                Statement("select count(*) from groups.group_import") {
                    row in try row.int64(0)
                }
            )
            var random = SeededGenerator(seed: seed)
            let group = try await harness.makeGroup(of: 2)
            let old = try await preview(file(&random), of: group, harness)
            _ = try await preview(file(&random), of: group, harness)
            let age = Statement<Void>(
                "update groups.group_import set created_at = now() - interval '25 h' where id = $1"
            )
            try await harness.database.execute(age, old)
            try await store(harness).deleteOld()
            #expect(try await harness.database.queryOne(count) == 1)
            try await harness.parts.people.erase(
                ErasureOrder(
                    userID: group.users[0],
                    erasedAt: .now(),
                    lastSequence: 0,
                    email: nil
                )
            )
            #expect(try await harness.database.queryOne(count) == 0)
        }
    }

    @Test func aGroupGoesWithItsImports() async throws {
        try await Harness.run { _, harness in
            var random = SeededGenerator(seed: 9)
            let group = try await harness.makeGroup(of: 1)
            let id = try await preview(file(&random), of: group, harness)
            try await commit(id, by: group, harness)
            _ = try await preview(file(&random), of: group, harness)
            try await harness.parts.groups.remove(group.id, by: group.users[0], ifMatch: nil)
            let left = Statement(
                """
                select (select count(*) from groups.group_import)
                    + (select count(*) from groups.imported_row)
                """
            ) { row in try row.int64(0) }
            #expect(try await harness.database.queryOne(left) == 0)
        }
    }
}
