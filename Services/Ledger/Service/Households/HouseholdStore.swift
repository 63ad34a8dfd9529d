import Loops
import Messaging
import Palette
import Postgres
import ServiceKit
import Text
import WalletProtocol

/// What a family's envelopes are made, changed and read through; parents alone may, as groups says
/// at each call.
struct HouseholdStore {
    let database: Database
    let people: People
    let rates: RateStore
    let blocking: BlockingPool
    let relayBell: RelayBell
    /// Groups' live answer: 404 for whoever is in no family.
    let place: (ID<User>) async throws -> FamilyPlace

    /// What a broken rule of the database means.
    static let constraints = ["household_envelope_name_key": ErrorCode.envelopeNameTaken]

    /// - Throws: 404 without a family, `parents-only` for a child.
    func asParent(_ user: ID<User>) async throws -> FamilyPlace {
        let place = try await place(user)
        guard place.role == .parent else { throw APIError(.parentsOnly) }
        return place
    }

    /// Runs `body` in a transaction that sees one state.
    func read<Value>(
        _ place: FamilyPlace,
        for user: ID<User>,
        _ body: (HouseholdReader, Transaction) async throws -> Value
    ) async throws -> Value {
        let reader = HouseholdReader(
            family: place.familyID,
            currency: place.currency,
            today: people.today(for: try await people.person(user)),
            rates: rates,
            blocking: blocking
        )
        return try await database.transaction(BudgetReader.options) { transaction in
            try await body(reader, transaction)
        }
    }

    /// The family's envelopes in a month.
    /// - Throws: 422 for a month that cannot be planned.
    func budget(in asked: Month?, for user: ID<User>) async throws -> HouseholdBudget {
        let place = try await asParent(user)
        return try await read(place, for: user) { reader, transaction in
            let month = try Self.planned(asked ?? reader.today.month)
            return HouseholdBudget(
                month: month,
                from: month.firstDay,
                to: month.lastDay,
                currency: place.currency,
                items: try await reader.envelopes(in: month, for: user, transaction)
            )
        }
    }

    private static func planned(_ month: Month) throws(APIError) -> Month {
        guard BudgetCalendar.planned.contains(month.year) else {
            throw APIError.query("month", .outOfRange, "cannot be planned")
        }
        return month
    }

    /// Opens a family's budget where it is not open yet; until the transaction's end it stays so.
    /// - Throws: 404 where the family has ended meanwhile.
    private static func open(_ place: FamilyPlace, _ transaction: Transaction) async throws {
        try await transaction.execute(
            HouseholdStatements.open,
            place.familyID,
            place.currency.code
        )
        let isOpen = try await transaction.queryOne(HouseholdStatements.lock, place.familyID)
        guard isOpen == true else { throw APIError.notFound }
    }

    // MARK: Envelopes

    func make(
        _ body: NewHouseholdEnvelope,
        in place: FamilyPlace,
        _ transaction: Transaction
    ) async throws -> HouseholdEnvelopeRow {
        try Palette.check(body.symbol)
        try await Self.open(place, transaction)
        let rows = try await transaction.query(HouseholdStatements.list, place.familyID)
        guard rows.count < HouseholdBudgets.envelopesMax else {
            let detail = "a family has at most \(HouseholdBudgets.envelopesMax) envelopes"
            throw APIError.field("", .tooMany, detail)
        }
        let id = ID<HouseholdEnvelope>.new()
        let folded = TextFolding.caseFolded(body.name)
        try await transaction.execute(
            HouseholdStatements.insert,
            place.familyID,
            id,
            TextFolding.composed(body.name),
            folded,
            Int32((body.color ?? Palette.next(after: rows.map(\.color))).rgb),
            body.symbol,
            (body.coicop ?? Palette.coicop(ofFolded: folded))?.rawValue
        )
        return try await Self.find(id, of: place.familyID, transaction)
    }

    func list(for user: ID<User>) async throws -> Page<HouseholdEnvelopeView> {
        let place = try await asParent(user)
        return try await read(place, for: user) { reader, transaction in
            let rows = try await transaction.query(HouseholdStatements.list, place.familyID)
            let own = try await categories(of: user, in: reader, transaction)
            return Page(items: rows.map { $0.view(with: own[$0.id] ?? []) }, nextCursor: nil)
        }
    }

    /// Where somebody's own categories count in the running month.
    private func categories(
        of user: ID<User>,
        in reader: HouseholdReader,
        _ transaction: Transaction
    ) async throws -> [ID<HouseholdEnvelope>: [CategoryID]] {
        let month = reader.today.month
        let placings = try await transaction.query(
            HouseholdFigureStatements.placings,
            reader.family,
            month.firstDay
        )
        return HouseholdReader.categories(of: user, in: month, placings)
    }

    func change(
        _ id: ID<HouseholdEnvelope>,
        _ change: HouseholdEnvelopeChange,
        by user: ID<User>,
        ifMatch: EntityTags?
    ) async throws -> (view: HouseholdEnvelopeView, version: Int32) {
        let place = try await asParent(user)
        if case .set(let symbol) = change.symbol { try Palette.check(symbol) }
        return try await refusing(Self.constraints) {
            try await read(place, for: user) { reader, transaction in
                let old = try await Self.find(id, of: place.familyID, transaction)
                try ifMatch.check(old.version)
                let name = change.name.applied(to: old.name)
                try await transaction.execute(
                    HouseholdStatements.change,
                    place.familyID,
                    id,
                    TextFolding.composed(name),
                    TextFolding.caseFolded(name),
                    Int32(change.color.applied(to: old.color).rgb),
                    change.symbol.applied(to: old.symbol),
                    change.coicop.applied(to: old.coicop)?.rawValue
                )
                let new = try await Self.find(id, of: place.familyID, transaction)
                let own = try await categories(of: user, in: reader, transaction)
                return (new.view(with: own[id] ?? []), new.version)
            }
        }
    }

    func remove(
        _ id: ID<HouseholdEnvelope>,
        by user: ID<User>,
        ifMatch: EntityTags?
    ) async throws {
        let place = try await asParent(user)
        try await database.transaction { transaction in
            // Whoever leaves meanwhile leaves sums in it, or finds it gone.
            _ = try await transaction.queryOne(HouseholdStatements.lock, place.familyID)
            let old = try await Self.find(id, of: place.familyID, transaction)
            try ifMatch.check(old.version)
            try await transaction.execute(HouseholdStatements.delete, place.familyID, id)
        }
    }

    /// An envelope of the family's, which stays until the transaction's end.
    static func find(
        _ id: ID<HouseholdEnvelope>,
        of family: ID<Family>,
        _ transaction: Transaction
    ) async throws -> HouseholdEnvelopeRow {
        guard let row = try await transaction.queryOne(HouseholdStatements.find, family, id) else {
            throw APIError.notFound
        }
        return row
    }

    // MARK: Categories

    /// Says where a category of somebody's own counts from a month on: in the envelope, or, where
    /// it is taken out of it, in none.
    /// - Throws: 404 without such an envelope or such a category, or where it is not in it.
    func put(
        _ category: CategoryID,
        into id: ID<HouseholdEnvelope>,
        isTaken: Bool = false,
        from asked: Month?,
        by user: ID<User>
    ) async throws {
        let place = try await asParent(user)
        let today = people.today(for: try await people.person(user))
        let wanted = try Self.planned(asked ?? today.month)
        try await database.transaction { transaction in
            try await ErasedUsers.hold([user], in: transaction)
            // Of another family first: two who change places would wait for each other's.
            try await transaction.execute(
                HouseholdStatements.leaveEarlier,
                user,
                place.familyID,
                place.joinedAt
            )
            try await Self.open(place, transaction)
            _ = try await Self.find(id, of: place.familyID, transaction)
            try await Self.join(place, user, transaction)
            let month = try await Self.counted(from: wanted, of: user, in: place, transaction)
            let kept = try await transaction.queryOne(CategoryStatements.keep, user, category)
            guard kept != nil else { throw APIError.notFound }
            if isTaken,
                try await Self.placed(category, of: user, in: month, transaction) != id
            {
                throw APIError.notFound
            }
            try await transaction.execute(
                HouseholdStatements.forgetLater,
                user,
                category,
                month.firstDay
            )
            let target = isTaken ? nil : id
            if try await Self.placed(category, of: user, in: month, transaction) != target {
                try await transaction.execute(
                    HouseholdStatements.place,
                    user,
                    category,
                    month.firstDay,
                    place.familyID,
                    target
                )
            }
            // What counts there already may be more than is in it.
            try await transaction.execute(
                HouseholdFigureStatements.touch,
                place.familyID,
                month.firstDay
            )
        }
    }

    /// A month, or the first after those of an earlier membership: what was spent in those counts
    /// already, of no one by name.
    private static func counted(
        from month: Month,
        of user: ID<User>,
        in place: FamilyPlace,
        _ transaction: Transaction
    ) async throws -> Month {
        let kept = try await transaction.queryOne(
            HouseholdStatements.keptUntil,
            user,
            place.familyID
        )
        guard let kept else { return month }
        return max(month, kept.month)
    }

    /// Where a category counts in a month.
    private static func placed(
        _ category: CategoryID,
        of user: ID<User>,
        in month: Month,
        _ transaction: Transaction
    ) async throws -> ID<HouseholdEnvelope>? {
        try await transaction.queryOne(
            HouseholdStatements.placed,
            user,
            category,
            month.firstDay
        ) ?? nil
    }

    /// - Throws: 404 where the membership has ended meanwhile, or the person is erased.
    private static func join(
        _ place: FamilyPlace,
        _ user: ID<User>,
        _ transaction: Transaction
    ) async throws {
        let (family, joinedAt) = (place.familyID, place.joinedAt)
        try await transaction.execute(HouseholdStatements.join, user, family, joinedAt)
        let isIn = try await transaction.queryOne(
            HouseholdStatements.isIn,
            user,
            family,
            joinedAt
        )
        guard isIn == true else { throw APIError.notFound }
    }

    // MARK: Ends

    /// A membership has ended.
    func leave(_ user: ID<User>, _ family: ID<Family>, since joinedAt: Instant) async throws {
        try await database.execute(HouseholdStatements.leave, user, family, joinedAt)
    }

    /// A family has ended.
    func end(_ family: ID<Family>) async throws {
        try await database.execute(HouseholdStatements.end, family)
    }
}
