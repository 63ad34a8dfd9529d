import Messaging
import Postgres
import ServiceKit
import WalletProtocol

/// Writes and reads settlements.
final class SettlementStore {
    private let database: Database

    init(database: Database) {
        self.database = database
    }

    /// What a settlement pays, and what that changes of what is open.
    struct Claim {
        let payments: [MemberDebt]
        let changes: [MemberDebt]
        /// What was paid, where that is in another currency than the debt.
        let paid: Money?
    }

    /// Records that a debt between the caller and another member, or two who are nobody's, was paid
    /// back.
    func settle(
        _ body: NewSettlement,
        _ id: ID<Settlement> = .new(),
        in group: ID<Group>,
        by user: ID<User>,
        today: Day,
        in transaction: Transaction
    ) async throws -> SettlementView {
        let membership = try await Membership.lock(user, in: group, to: .write, transaction)
        let claim = try await Self.claim(body, by: membership, in: transaction)
        let day = body.date ?? today
        try await Self.write(id, claim, as: .recorded, on: day, by: membership, transaction)
        try await Self.tell(of: id, in: group, transaction)
        let views = try await Self.views(of: [id], for: membership, transaction)
        guard let view = views.first else { throw APIError(.internalError) }
        return view
    }

    /// Decides who pays whom how much.
    /// - Parameter today: of one that is a transfer, when it is made.
    static func claim(
        _ body: NewSettlement,
        by membership: Membership,
        transferring today: Day? = nil,
        in transaction: Transaction
    ) async throws -> Claim {
        let (group, other) = (membership.group.id, body.withMemberID)
        let one = body.memberID ?? membership.member
        var faults: [FieldError] = []
        if let today, let day = body.date, day != today {
            faults.note("/date", .conflict, "a transfer is made today")
        }
        // Whoever has left may owe still, and be owed.
        if try await transaction.queryOne(GroupStatements.known, group, other) == nil {
            faults.note("/withMemberId", .unknownReference, "is nobody in the group")
        } else if other == one {
            faults.note("/withMemberId", .conflict, "is the same member")
        } else if ![one, other].contains(membership.member) {
            try await checkAreNobodys([one, other], of: group, &faults, transaction)
        }
        if let settles = body.settles {
            if body.amount == nil {
                faults.note("/settles", .conflict, "is for an amount in another currency")
            } else if body.amount?.currency == settles.currency {
                faults.note("/settles/currency", .conflict, "is the amount's: leave it out")
            }
        }
        try faults.check()
        let open = try await open(between: one, and: other, in: membership.group, transaction)
        let asked = body.settles ?? body.amount
        var payments: [MemberDebt] = []
        var changes: [MemberDebt] = []
        for debts in open where asked == nil || asked?.currency == debts.currency {
            guard
                let payment = try debts.payment(of: asked?.minorUnits, between: one, and: other)
            else { continue }
            payments.append(payment)
            changes += debts.changes(by: payment)
        }
        guard !payments.isEmpty else {
            throw APIError.nothingOpen(
                in: asked?.currency,
                but: open.compactMap { $0.largest(between: one, and: other)?.amount },
                at: body.settles == nil ? "/amount/currency" : "/settles/currency"
            )
        }
        return Claim(
            payments: payments,
            changes: changes,
            paid: body.settles == nil ? nil : body.amount
        )
    }

    /// What is open with any of the two, by currency.
    static func open(
        between one: ID<Member>,
        and other: ID<Member>,
        in group: GroupRow,
        _ database: some Querying
    ) async throws -> [OpenDebts] {
        let pairs = Dictionary(
            grouping: try await database.query(BalanceStatements.pairs, group.id, [one, other])
        ) { $0.amount.currency }
        let balances = Dictionary(
            grouping: try await database.query(BalanceStatements.members, group.id)
        ) { $0.amount.currency }
        return Set(pairs.keys).union(balances.keys).sorted().map { currency in
            OpenDebts(
                currency,
                pairs: pairs[currency] ?? [],
                balances: balances[currency] ?? [],
                simplifies: group.simplifiesDebts
            )
        }
    }

    /// Of whoever has an account nobody else writes down what they paid, or got: they do, or did
    /// before they left and may come back.
    private static func checkAreNobodys(
        _ sides: [ID<Member>],
        of group: ID<Group>,
        _ faults: inout [FieldError],
        _ transaction: Transaction
    ) async throws {
        for (pointer, side) in zip(["/memberId", "/withMemberId"], sides) {
            let row = try await transaction.queryOne(GroupStatements.known, group, side)
            guard row?.isNobodys != true else { continue }
            faults.note(pointer, row == nil ? .unknownReference : .conflict, "is somebody's")
        }
    }

    /// Writes one, and takes it from what is open.
    static func write(
        _ id: ID<Settlement>,
        _ claim: Claim,
        as state: SettlementState,
        on day: Day,
        by membership: Membership,
        _ transaction: Transaction
    ) async throws {
        let group = membership.group.id
        try await transaction.execute(
            SettlementStatements.insert,
            group,
            id,
            membership.member,
            state.rawValue,
            day
        )
        let changes = Dictionary(grouping: claim.changes) { $0.amount.currency }
        for payment in claim.payments {
            let added = changes[payment.amount.currency, default: []]
            try await transaction.execute(
                SettlementStatements.insertPayment,
                group,
                id,
                payment.amount.currency,
                payment.debtor,
                payment.creditor,
                payment.amount.minorUnits,
                added.map(\.debtor),
                added.map(\.creditor),
                added.map(\.amount.minorUnits),
                claim.paid?.minorUnits,
                claim.paid?.currency
            )
        }
        try await BalanceStore.add(claim.changes, to: group, in: transaction)
    }

    /// Tells of one that is made, or paid, and of what it settles by the way.
    static func tell(
        of id: ID<Settlement>,
        in group: ID<Group>,
        _ transaction: Transaction
    ) async throws {
        let rows = try await transaction.query(SettlementStatements.find, group, [id])
        guard let row = rows.first else { throw APIError(.internalError) }
        let payments = try await transaction.query(SettlementStatements.payments, group, [id])
        for currency in payments.map(\.debt.amount.currency) {
            let cleared = try await transaction.query(
                BalanceStatements.clearCircles,
                group,
                currency
            ).map { $0.debt.reversed }
            guard !cleared.isEmpty else { continue }
            try await transaction.execute(
                SettlementStatements.addChanges,
                group,
                id,
                currency,
                cleared.map(\.debtor),
                cleared.map(\.creditor),
                cleared.map(\.amount.minorUnits)
            )
        }
        // All of one are between the same two. Of who is erased meanwhile nobody is told, and
        // guests have nobody to be told for.
        guard let first = payments.first,
            let recorder = try await user(of: row.recordedBy, in: group, transaction)
        else { return }
        let sides = first.debt
        let other = sides.debtor == row.recordedBy ? sides.creditor : sides.debtor
        let told = try await user(of: other, in: group, transaction)
        try await Outbox.append(
            GroupSettlementRecorded(
                settlementID: id,
                groupID: group,
                payments: payments.map(\.part),
                recordedBy: recorder,
                userIDs: told.map { [$0] } ?? []
            ),
            of: group.aggregate,
            in: transaction
        )
    }

    /// Takes back one that was written down by mistake: what it settled is open again.
    /// - Returns: whether that waits for the ledger to take back what its creditor, who asks, has
    ///   cleared by it; `finishRemoval` comes behind it then, whatever they may do by that time.
    func remove(
        _ id: ID<Settlement>,
        from group: ID<Group>,
        by user: ID<User>,
        ifMatch: EntityTags?,
        in transaction: Transaction
    ) async throws -> Bool {
        let membership = try await Membership.lock(user, in: group, to: .write, transaction)
        let rows = try await transaction.query(SettlementStatements.find, group, [id])
        guard let row = rows.first else { throw APIError.notFound }
        // Nothing else of it changes.
        try ifMatch.check(row.state.rawValue)
        // What a transfer has paid is paid.
        guard row.state == .recorded else { throw APIError(.settlementState) }
        let open = try await transaction.query(SettlementStatements.changes, group, id)
        var changes = PlaceChanges()
        changes.add(open.map(\.reversed))
        try await changes.check(by: membership, transaction)
        if try await LedgerLinkStore.end(clearing: id, by: user, in: transaction) { return true }
        try await Self.finishRemoval(of: id, from: group, by: user, in: transaction)
        return false
    }

    /// Whether it is there, under the group's lock.
    static func stands(
        _ id: ID<Settlement>,
        in group: ID<Group>,
        _ transaction: Transaction
    ) async throws -> Bool {
        try await !transaction.query(SettlementStatements.find, group, [id]).isEmpty
    }

    /// Takes one away under the group's lock, and tells of that; where it is gone it does nothing.
    static func finishRemoval(
        of id: ID<Settlement>,
        from group: ID<Group>,
        by user: ID<User>,
        in transaction: Transaction
    ) async throws {
        let payments = try await transaction.query(SettlementStatements.payments, group, [id])
        guard !payments.isEmpty else { return }
        try await Self.takeBack(id, of: group, in: transaction)
        try await LedgerLinkStore.follow(removalOf: id, in: transaction)
        var told: [ID<User>] = []
        for member in Set(payments.flatMap { [$0.debt.debtor, $0.debt.creditor] }).sorted() {
            guard let side = try await Self.user(of: member, in: group, transaction) else {
                continue
            }
            told.append(side)
        }
        try await Outbox.append(
            GroupSettlementRemoved(
                settlementID: id,
                groupID: group,
                payments: payments.map(\.part),
                removedBy: user,
                userIDs: told
            ),
            of: group.aggregate,
            in: transaction
        )
    }

    /// Takes one away, and what it changed of what is open: under the group's lock.
    static func takeBack(
        _ id: ID<Settlement>,
        of group: ID<Group>,
        in transaction: Transaction
    ) async throws {
        let changes = try await transaction.query(SettlementStatements.changes, group, id)
        try await BalanceStore.add(changes.map(\.reversed), to: group, in: transaction)
        try await transaction.execute(SettlementStatements.delete, group, id)
    }

    private static func user(
        of member: ID<Member>,
        in group: ID<Group>,
        _ transaction: Transaction
    ) async throws -> ID<User>? {
        try await transaction.queryOne(GroupStatements.known, group, member)?.user
    }

    /// Some, as a member sees them.
    static func views(
        of ids: [ID<Settlement>],
        for membership: Membership,
        _ database: some Querying
    ) async throws -> [SettlementView] {
        let rows = try await database.query(
            SettlementStatements.find,
            membership.group.id,
            ids
        )
        return try await views(rows, for: membership, database)
    }

    func find(
        _ id: ID<Settlement>,
        in group: ID<Group>,
        for user: ID<User>
    ) async throws -> SettlementView {
        let membership = try await Membership.find(user, in: group, database)
        let views = try await Self.views(of: [id], for: membership, database)
        guard let view = views.first else { throw APIError.notFound }
        return view
    }

    func list(
        _ query: PageQuery,
        of group: ID<Group>,
        for user: ID<User>
    ) async throws -> Page<SettlementView> {
        let membership = try await Membership.find(user, in: group, database)
        let before = try query.cursor?.decode(ID<Settlement>.self) ?? ID(high: .max, low: .max)
        let rows = try await database.query(
            SettlementStatements.list,
            group,
            before,
            query.limit + 1
        )
        return Page(
            rows: try await Self.views(rows, for: membership, database),
            limit: query.limit
        ) { Cursor($0.id) }
    }

    private static func views(
        _ rows: [SettlementRow],
        for membership: Membership,
        _ database: some Querying
    ) async throws -> [SettlementView] {
        guard !rows.isEmpty else { return [] }
        let group = membership.group.id
        let payments = Dictionary(
            grouping: try await database.query(
                SettlementStatements.payments,
                group,
                rows.map(\.id)
            ),
            by: \.settlement
        )
        let links = try await database.query(
            LedgerLinkStatements.ofSettlements,
            rows.map(\.id),
            membership.user
        )
        return rows.map { row in
            let payments = payments[row.id, default: []].map(\.part)
            // The transfer is of the two who can read it.
            let isOwn = payments.contains {
                [$0.fromMemberID, $0.toMemberID].contains(membership.member)
            }
            return SettlementView(
                id: row.id,
                groupID: group,
                payments: payments,
                date: row.day,
                recordedBy: row.recordedBy,
                state: row.state,
                transferID: isOwn ? row.transfer : nil,
                createdAt: row.createdAt,
                link: links.first { $0.settlement == row.id }?.view
            )
        }
    }
}

extension APIError {
    /// Why somebody who wants to settle cannot: nothing is open, or not in that currency.
    fileprivate static func nothingOpen(
        in currency: Currency?,
        but open: [Money],
        at pointer: String
    ) -> APIError {
        guard let currency, !open.isEmpty else {
            return APIError(.nothingToSettle, "Nothing is open between the two.")
        }
        return .field(
            pointer,
            .currencyMismatch,
            "must be a currency in which something is open: \(open.saying(nothingIn: currency))"
        )
    }
}

extension [Money] {
    /// What is open, where nothing is in a currency.
    func saying(nothingIn currency: Currency) -> String {
        let amounts = map { "\($0)" }.joined(separator: ", ")
        return "nothing is open in \(currency.code); \(amounts) \(count == 1 ? "is" : "are")"
    }
}
