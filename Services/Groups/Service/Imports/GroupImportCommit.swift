import BankFiles
import Messaging
import Postgres
import ServiceKit
import Text
import WalletProtocol

/// Takes a preview into its group, in a transaction that holds both.
///
/// Order of checks: what cannot be read, whether the balances tie, who everybody is, room for
/// guests. Then guests, expenses, settlements and balances are written, and the balances compared
/// with those of before: they have moved by what the rows come to, or nothing of it is kept.
struct GroupImportCommit {
    let record: GroupImportRecord
    let reading: GroupImportReading
    let membership: Membership
    let members: MemberStore
    let today: Day
    let transaction: Transaction

    private typealias Row = (row: GroupExportRow, fingerprint: GroupImportFingerprint)
    private var group: ID<Group> { membership.group.id }

    /// - Throws: `import-has-errors`, `balances-do-not-tie`, `people-not-mapped`.
    func run() async throws {
        try membership.checkIsShared()
        guard record.summary.errorCount == 0 || record.leavesOutErrors else {
            let count = record.summary.errorCount
            throw APIError(.importHasErrors, "\(count) rows: leave them out by leaveOutErrors")
        }
        guard reading.summary.ties else {
            throw APIError(.balancesDoNotTie, reading.summary.differences)
        }
        let known = try await GroupImportStore.known(reading, in: group, transaction)
        let rows = zip(reading.export.rows, reading.fingerprints)
            .filter { !known.contains($0.1) }.map { (row: $0.0, fingerprint: $0.1) }
        let people = try await places(of: rows)
        if !rows.isEmpty {
            try await checkIsAgreed()
            try await take(rows, people)
        }
        try await transaction.execute(
            GroupImportStatements.commit,
            record.id,
            JSON.text(people),
            Int32(clamping: known.count)
        )
    }

    /// - Throws: `not-agreed`, in a group of two where new debts are refused.
    private func checkIsAgreed() async throws {
        let isRefused = try await transaction.queryOne(
            RefusalStatements.isRefused,
            group,
            membership.member
        )
        if isRefused == true { throw APIError(.notAgreed) }
    }

    // MARK: Who is who

    /// The people with the places that they have now: of each whom a row names one.
    private func places(of rows: [Row]) async throws -> [GroupImportPerson] {
        let named = Set(rows.flatMap { ($0.row.paid + $0.row.shares).map(\.person) })
        let present = Set(try await transaction.query(GroupStatements.present, group).map(\.id))
        var people = record.people
        let unknown = named.sorted().filter { person in
            let member = people[person].memberID
            return member.map { !present.contains($0) } ?? !people[person].isGuest
        }
        guard unknown.isEmpty else {
            let names = unknown.prefix(10).map { people[$0].name }.joined(separator: ", ")
            throw APIError(.peopleNotMapped, "say who they are: \(names)")
        }
        for person in named.sorted() where people[person].memberID == nil {
            let name = people[person].name
            let guest = try await members.add(
                NewGuest(displayName: name),
                to: group,
                by: membership.user,
                in: transaction
            )
            people[person] = GroupImportPerson(name: name, memberID: guest.view.id, isGuest: true)
        }
        return people
    }

    // MARK: Writing

    private func take(_ rows: [Row], _ people: [GroupImportPerson]) async throws {
        var places: [Int: ID<Member>] = [:]
        for (person, named) in people.enumerated() { places[person] = named.memberID }
        let categories = try await transaction.query(GroupCategoryStatements.list, group)
        var named: [String: ID<GroupCategory>] = [:]
        for category in categories where !category.isDefault {
            named[TextFolding.caseFolded(category.name)] = category.id
        }
        let entries = try GroupImportEntries(rows, members: places, categories: named) {
            TextFolding.caseFolded($0)
        }
        let before = try await balances()
        try await GroupImportWriter(membership: membership, transaction: transaction)
            .write(entries)
        try await add(entries)
        try await check(rows, places, from: before)
        try await tell(entries, categories)
    }

    private func add(_ entries: GroupImportEntries) async throws {
        try await BalanceStore.add(entries.debts, to: group, in: transaction)
        for (currency, amount) in entries.totals {
            try await BalanceStore.within64Bits {
                try await transaction.execute(
                    ExpenseStatements.addToTotal,
                    group,
                    currency,
                    amount
                )
            }
        }
        let settled = Set(entries.payments.flatMap(\.debts).map(\.amount.currency))
        for currency in settled.sorted() {
            _ = try await transaction.query(BalanceStatements.clearCircles, group, currency)
        }
    }

    // MARK: Comparing

    private struct Place: Hashable {
        let member: ID<Member>
        let currency: Currency
    }

    private func balances() async throws -> [Place: Int128] {
        let rows = try await transaction.query(BalanceStatements.members, group)
        var balances: [Place: Int128] = [:]
        for row in rows {
            let place = Place(member: row.member, currency: row.amount.currency)
            balances[place] = Int128(row.amount.minorUnits)
        }
        return balances
    }

    /// Where everybody stands has moved by what the rows make them be owed.
    private func check(
        _ rows: [Row],
        _ places: [Int: ID<Member>],
        from before: [Place: Int128]
    ) async throws {
        var wanted = before
        for (row, _) in rows {
            for net in row.nets {
                guard let member = places[net.person] else { continue }
                let place = Place(member: member, currency: row.amount.currency)
                wanted[place, default: 0] += Int128(net.amount)
            }
        }
        let after = try await balances()
        let wrong = Set(wanted.keys).union(after.keys).first { wanted[$0] ?? 0 != after[$0] ?? 0 }
        guard let wrong else { return }
        let (found, due) = (after[wrong] ?? 0, wanted[wrong] ?? 0)
        throw APIError(
            .balancesDoNotTie,
            "\(wrong.member.text) would stand at \(Total(minorUnits: found, wrong.currency)), "
                + "not at \(Total(minorUnits: due, wrong.currency))"
        )
    }

    // MARK: Telling

    private func tell(
        _ entries: GroupImportEntries,
        _ categories: [GroupCategoryRow]
    ) async throws {
        let present = try await transaction.query(GroupStatements.present, group)
        // Cannot fire: a member's id stands once in a group (member_pkey).
        let users = Dictionary(uniqueKeysWithValues: present.map { ($0.id, $0.user) })
        let coicops = Dictionary(
            categories.map { ($0.id, $0.coicop) },
            uniquingKeysWith: { first, _ in first }
        )
        let aggregate = membership.group.aggregate
        try await Outbox.append(
            all: entries.expenses.map { entry in
                GroupExpenseAdded(
                    expenseID: entry.id,
                    groupID: group,
                    amount: entry.draft.amount,
                    day: entry.draft.day,
                    categoryID: entry.draft.details.category,
                    coicop: entry.draft.details.category.flatMap { coicops[$0] ?? nil },
                    splitKind: entry.draft.splitKind,
                    shares: entry.draft.userShares(users),
                    addedBy: membership.user,
                    isImported: true
                )
            },
            of: aggregate,
            in: transaction
        )
        try await Outbox.append(all: settlements(entries), of: aggregate, in: transaction)
        try await Outbox.append(
            GroupImported(
                importID: record.id,
                groupID: group,
                format: record.format,
                expenseCount: entries.expenses.count,
                settlementCount: entries.payments.count,
                importedBy: membership.user,
                userIDs: present.compactMap(\.user)
            ),
            of: aggregate,
            in: transaction
        )
        try await announceCrossings(entries, telling: present.compactMap(\.user))
    }

    /// Nobody is told of each.
    private func settlements(_ entries: GroupImportEntries) -> [GroupSettlementRecorded] {
        entries.payments.flatMap { payment in
            zip(payment.ids, payment.debts).map { id, debt in
                GroupSettlementRecorded(
                    settlementID: id,
                    groupID: group,
                    payments: [
                        SettlementPart(
                            fromMemberID: debt.creditor,
                            toMemberID: debt.debtor,
                            amount: debt.amount
                        )
                    ],
                    recordedBy: membership.user,
                    userIDs: []
                )
            }
        }
    }

    /// Tells of each limit that all of it together crosses in the period that runs today.
    ///
    /// Nobody is told now of what was spent years ago. What is in other currencies waits for its
    /// rates.
    private func announceCrossings(
        _ entries: GroupImportEntries,
        telling users: [ID<User>]
    ) async throws {
        let currency = membership.group.currency
        let rows = try await transaction.query(
            ThresholdStatements.list,
            group,
            ID<Threshold>(high: .max, low: .max),
            ThresholdStore.countMax
        )
        guard !rows.isEmpty else { return }
        let added = entries.expenses.filter { $0.draft.amount.currency == currency }
        try await ForeignExpenses.track(
            entries.expenses.filter { $0.draft.amount.currency != currency }.map {
                SpentExpense(id: $0.id, amount: $0.draft.amount, day: $0.draft.day)
            },
            in: group,
            today: today,
            transaction
        )
        var sums = PeriodSums(group: group, currency: currency)
        for row in rows {
            guard let period = row.running(on: today) else { continue }
            let inside = added.filter { period.contains($0.draft.day) }
            guard let last = inside.last else { continue }
            let spent = try await sums.spent(in: period, transaction)
            let new = inside.reduce(Int128(0)) { $0 + Int128($1.draft.amount.minorUnits) }
            guard spent.minorUnits > row.amount, spent.minorUnits - new <= row.amount else {
                continue
            }
            try await ThresholdStore.announce(
                Crossing(threshold: row, period: period, spent: spent, expense: last.id),
                of: group,
                telling: users,
                in: transaction
            )
        }
    }
}
