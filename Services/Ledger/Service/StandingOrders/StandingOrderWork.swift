import Messaging
import Postgres
import ServiceKit
import WalletProtocol

/// Pays what is due of standing orders, each day of each at most once.
///
/// An order is claimed by its row's lock, which ends with the transaction: of two replicas one
/// passes over what the other is at, and whoever is killed leaves nothing half done. One day of one
/// order is paid in a transaction, which writes the day and moves the order on; the next comes
/// behind the others. The posting's key is made of order and day: even if the order went back in
/// time it would find what was paid.
struct StandingOrderWork {
    private let database: Database
    private let rates: () async throws -> RateHistory
    private let relayBell: RelayBell
    private let begun: BegunWork
    /// After how many days a rate pays no order any more; nil: never.
    var rateDaysMax: Int?
    /// What time it is; a test moves it.
    var now: () -> Instant

    init(
        database: Database,
        rates: @escaping () async throws -> RateHistory,
        relayBell: RelayBell,
        begun: BegunWork? = nil,
        now: @escaping () -> Instant = { .now() }
    ) {
        self.database = database
        self.rates = rates
        self.relayBell = relayBell
        self.begun = begun ?? BegunWork(database: database)
        self.now = now
    }

    /// A day of an order that is due; false where there is none.
    func doOne() async throws -> Bool {
        let moment = now()
        guard let next = try await database.queryOne(StandingOrderWorkStatements.next, moment)
        else { return false }
        let history = next.isExchange ? try await rates() : nil
        try await begun.attempt("standing-order", next.id) { attempt in
            if attempt.isHopeless {
                try await setAside(next.id)
            } else {
                try await pay(next.id, of: next.user, at: moment, by: history)
            }
        }
        return true
    }

    private func pay(
        _ id: ID<StandingOrder>,
        of user: ID<User>,
        at moment: Instant,
        by history: RateHistory?
    ) async throws {
        do {
            try await database.transaction { transaction in
                // It may be another's by now, or not due any more.
                guard
                    let zone = try await transaction.queryOne(
                        StandingOrderWorkStatements.take,
                        id,
                        moment
                    ),
                    let order = try await transaction.queryOne(
                        StandingOrderStatements.lock,
                        user,
                        id
                    )
                else { return }
                var payment = OrderPayment(
                    order: order,
                    zone: zone,
                    moment: moment,
                    history: history,
                    rateDaysMax: rateDaysMax
                )
                try await payment.run(in: transaction)
            }
            relayBell.ring()
        } catch is TryAgain {
            // Its account is held: others have their turn meanwhile.
            try await putOff(id, moment)
        } catch let error as DatabaseError {
            // What the database cannot take must not keep the others from their turn.
            if case .server = error { try await putOff(id, moment) }
            throw error
        }
    }

    private func putOff(_ order: ID<StandingOrder>, _ moment: Instant) async throws {
        try await database.execute(StandingOrderWorkStatements.putOff, order, moment)
    }

    /// What has ended its process three times is paused, and its owner told.
    private func setAside(_ order: ID<StandingOrder>) async throws {
        try await database.transaction { transaction in
            guard
                let paused = try await transaction.queryOne(
                    StandingOrderWorkStatements.setAside,
                    order
                )
            else { return }
            try await StandingOrderSkipped(
                standingOrderID: order,
                userID: paused.user,
                day: paused.day,
                amount: paused.amount,
                reason: ErrorCode.internalError.text,
                isPaused: true
            ).tell(in: transaction)
        }
        relayBell.ring()
    }
}

extension StandingOrderSkipped {
    /// Tells the owner, once the transaction has committed.
    func tell(in transaction: Transaction) async throws {
        _ = try await Outbox.append(self, of: "standing-order:\(standingOrderID)", in: transaction)
    }
}
