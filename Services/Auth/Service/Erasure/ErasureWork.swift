import Messaging
import Postgres
import ServiceKit
import WalletProtocol

/// Goes on with erasures, part by part, until nothing is left.
///
/// A part belongs to whoever claimed its row until the turn ends; a replica that is killed leaves
/// it to be claimed again. Parts of a stage are rows of their own, so that one service that is away
/// holds up no other.
final class ErasureWork {
    private let database: Database
    private let client: InternalClient
    private let store: ErasureStore
    private let attempts: AttemptGuard
    private let audit: AuditLog
    private let relayBell: RelayBell
    private let connection: NatsConnection
    private let logger: Logger
    private let begun: BegunWork
    /// Its thread is made with the first that is erased.
    private var purge: EventPurge?

    /// How many parts one loop works on at once.
    static let workers = 3

    init(
        _ service: ServiceLoop,
        store: ErasureStore,
        audit: AuditLog,
        configuration: AuthConfiguration
    ) {
        database = service.database
        client = service.internalClient
        relayBell = service.relayBell
        connection = service.nats
        logger = service.logger
        begun = BegunWork(service)
        self.store = store
        self.audit = audit
        attempts = AttemptGuard(
            database: service.database,
            configuration: configuration,
            refusingBy: .lockedOut
        )
    }

    /// What a stage consists of; each begins when the one before is done.
    static func parts(ofStage stage: Int16) -> [DeletionPartName] {
        switch stage {
        case 0: [.accounts]
        case 1: [.transactions, .groups, .reports, .messages]
        case 2: [.profile]
        case 3: [.history]
        default: []
        }
    }

    /// Does the part that has been due for longest.
    /// - Returns: whether there was one.
    func doOne() async throws -> Bool {
        guard
            let turn = try await database.queryOne(
                ErasureStatements.claim,
                ErasureStatements.turnSeconds
            )
        else { return try await latePurge.doOne() }
        try await begun.attempt("erasure of \(turn.part.rawValue)", turn.erasure) { attempt in
            if attempt.isHopeless {
                try await database.execute(
                    ErasureStatements.rest,
                    turn.erasure,
                    turn.part.rawValue,
                    turn.number
                )
            } else {
                try await workOrWait(turn)
            }
        }
        return true
    }

    private func workOrWait(_ turn: ErasureTurn) async throws {
        do {
            try await work(turn)
        } catch {
            if let error = error as? APIError, error.code == .accountsNotEmpty { return }
            logger.warning(
                "erasure waits",
                [
                    ("erasure", turn.erasure.text), ("part", turn.part.rawValue),
                    ("cause", String(describing: error)),
                ]
            )
            try await database.execute(
                ErasureStatements.postpone,
                turn.erasure,
                turn.part.rawValue,
                turn.number
            )
        }
    }

    private func work(_ turn: ErasureTurn) async throws {
        guard let erasure = try await database.queryOne(ErasureStatements.find, turn.erasure)
        else { return }
        switch turn.part {
        case .accounts: try await store.askLedger(turn, about: erasure.user)
        case .transactions, .groups, .reports, .messages:
            try await tell(turn.part, to: erasure)
            try await finish(turn)
        case .profile: try await eraseProfile(turn)
        case .history:
            try await purgeStream(erasure)
            try await finish(turn)
        }
    }

    /// Looks at those once more who were erased a while ago.
    private var latePurge: LatePurge {
        LatePurge(database: database, logger: logger, begun: begun) { [self] erasure in
            for part in Self.parts(ofStage: 1) { try await tell(part, to: erasure) }
        } purgeStream: { [self] erasure in
            try await purgeStream(erasure)
        }
    }

    /// Has the service forget that a part is with.
    private func tell(_ part: DeletionPartName, to erasure: ErasureRow) async throws {
        let endpoint =
            switch part {
            case .transactions: InternalErasures.ledger
            case .groups: InternalErasures.groups
            case .reports: InternalErasures.analytics
            case .messages: InternalErasures.notifications
            case .accounts, .profile, .history: throw APIError(.internalError)
            }
        let sequence = try await database.queryOne(
            ErasedRowStatements.lastSequence,
            erasure.user.text
        )
        // Groups asks people by address, and may not have heard of the last that was proved.
        let person =
            part == .groups
            ? try await database.queryOne(UserStatements.credentialByID, erasure.user) : nil
        _ = try await client.call(
            endpoint,
            path: ["id": erasure.id.text],
            query: NoQuery(),
            body: ErasureOrder(
                userID: erasure.user,
                erasedAt: erasure.agreedAt ?? erasure.requestedAt,
                lastSequence: Int(sequence ?? 0),
                email: person?.emailIsVerified == true ? person?.email.lowercased() : nil
            )
        )
    }

    private func finish(_ turn: ErasureTurn) async throws {
        try await database.transaction { transaction in
            try await Self.finish(turn, in: transaction)
        }
    }

    /// Has auth forget, and tells it: `user.erased` is the last event of a person, and the only one
    /// that is kept.
    private func eraseProfile(_ turn: ErasureTurn) async throws {
        try await database.transaction { [audit, attempts] transaction in
            guard
                let erasure = try await transaction.queryOne(
                    ErasureStatements.lock,
                    turn.erasure
                ), erasure.stage == 2
            else { return }
            let user = erasure.user
            // Or a call that holds the row leaves a code, a mail or a text behind what is cleared.
            try await transaction.execute(ErasedRowStatements.lockUser, user)
            let person = try await transaction.queryOne(UserStatements.credentialByID, user)
            let reached = [person?.email, person?.phone].compactMap(\.self)
            try await transaction.execute(ErasedRowStatements.deleteChallenges, reached)
            try await MessageJobs.erase(user, in: transaction)
            try await ErasedUsers.forgetKeys(of: user, in: transaction)
            try await audit.append(
                AuditEntry(.userErased, by: .user(erasure.requestedBy), of: user),
                in: transaction
            )
            try await audit.eraseTexts(of: user, in: transaction)
            try await attempts.forgetAll(of: user, in: transaction)
            try await transaction.execute(ErasedRowStatements.deleteUser, user)
            try await Outbox.erase("user:" + user.text, in: transaction)
            try await Self.tellLast(erasure, in: transaction)
            try await Self.finish(turn, in: transaction)
        }
        relayBell.ring()
    }

    /// Purges the person's subject once its last event is in the stream.
    ///
    /// The relay goes in the order of rows, and those of before are gone: what comes behind is what
    /// a replica was telling that has been held up. Then the last event is told again, for behind
    /// that all of it is older. Where the stream has dropped the event meanwhile, nothing older is
    /// left either.
    private func purgeStream(_ erasure: ErasureRow) async throws {
        let purge = self.purge ?? EventPurge(connection)
        self.purge = purge
        guard let event = erasure.event else { throw APIError(.internalError) }
        let subject = EventPurge.subject(of: erasure.user)
        // Asked first: what comes into the stream in between is found there.
        let isTold = try await database.queryOne(
            ErasedRowStatements.isTold,
            erasure.user.text,
            event
        )
        let newest = try await purge.newest(of: subject)
        if let newest, (try? EventEnvelope.read(newest.data))?.id == event {
            // By its place: whatever comes in between cannot take it.
            return try await purge.purge(subject: subject, before: newest.sequence)
        }
        guard isTold == true else {
            throw APIError(.unavailable, "the last event is not in the stream yet")
        }
        if newest != nil {
            try await database.transaction { transaction in
                try await Self.tellLast(erasure, in: transaction)
            }
            relayBell.ring()
            throw APIError(.unavailable, "something came behind the last event: it is told again")
        }
    }

    /// Tells what is the last event of a person.
    private static func tellLast(
        _ erasure: ErasureRow,
        in transaction: Transaction
    ) async throws {
        let event = ID<Event>.new()
        try await Outbox.append(
            UserErased(
                userID: erasure.user,
                erasedAt: erasure.agreedAt ?? erasure.requestedAt
            ),
            of: "user:" + erasure.user.text,
            id: event,
            in: transaction
        )
        try await transaction.execute(ErasureStatements.keepEvent, erasure.id, event)
    }

    /// Marks a part as done, and begins the next stage with the last of one.
    static func finish(
        _ turn: ErasureTurn,
        in transaction: Transaction
    ) async throws {
        // One after the other: of two parts that end at once, the second sees the first.
        guard
            let erasure = try await transaction.queryOne(ErasureStatements.lock, turn.erasure)
        else { return }
        try await transaction.execute(
            ErasureStatements.finish,
            turn.erasure,
            turn.part.rawValue
        )
        guard
            parts(ofStage: erasure.stage).contains(turn.part),
            try await transaction.queryOne(ErasureStatements.isStageDone, erasure.id) == true
        else { return }
        let next = erasure.stage + 1
        try await transaction.execute(ErasureStatements.advance, erasure.id, next)
        if parts(ofStage: next).isEmpty {
            try await transaction.execute(LatePurgeStatements.insert, erasure.id)
        }
        try await transaction.execute(
            ErasureStatements.insertParts,
            erasure.id,
            parts(ofStage: next).map(\.rawValue)
        )
    }
}
