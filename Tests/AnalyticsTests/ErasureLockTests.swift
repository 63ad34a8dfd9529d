import Loops
import Postgres
import ServiceKit
import TestKit
import Testing
import WalletProtocol

@testable import AnalyticsService

/// How a transaction holds somebody's bucket: nil where it does not.
private let bucket = Statement(
    """
    select max(mode)
    from pg_locks
    where locktype = 'advisory' and pid = pg_backend_pid() and granted and objsubid = 1
        and classid = 0 and objid::int8 = hashtextextended($1::text, 4997) & 255
    """
) { row in try row.value(0, as: String?.self) }

private let locks = Statement(
    """
    select count(*)
    from pg_locks
    where locktype = 'advisory' and pid = pg_backend_pid()
    """
) { row in try row.int64(0) }

private let bookedRows = Statement(
    """
    select (select count(*) from analytics.fact where user_id = $1)
        + (select count(*) from analytics.report_cell where owner_id = $1)
    """
) { row in try row.int64(0) }

/// Two streams meet: bookings that come in sets, and erasures.
@Suite struct ErasureLockTests {
    private func bookings(_ count: Int) throws -> [TransactionPosted] {
        try (1...count).map { _ in try booking(.new(), of: .new(), .posted) }
    }

    private func booking(
        _ transaction: ID<MoneyTransaction>,
        of user: ID<User>,
        _ kind: PostingKind
    ) throws -> TransactionPosted {
        TransactionPosted(
            source: JournalLine(entryID: .new(), place: 1),
            transactionID: transaction,
            version: 1,
            kind: kind,
            userID: user,
            accountID: user.retagged(Account.self),
            accountKind: .wallet,
            amount: Money(minorUnits: -100, .eur),
            day: try #require(Day("2024-02-29")),
            categoryID: user.retagged(WalletProtocol.Category.self),
            recordedAt: .now()
        )
    }

    /// A row that changes while an erasure waits for it is none that its statement has seen.
    @Test func whatIsTakenBackDuringAnErasureGoesToo() async throws {
        let (user, id) = (ID<User>.new(), ID<MoneyTransaction>.new())
        let (posted, reversed) = try (
            booking(id, of: user, .posted), booking(id, of: user, .reversed)
        )
        try await withBench { actor, bench in
            try await bench.apply([envelope(posted)])
            let bound = LoopBound((bench, Meeting()), to: actor)
            _ = try await atOnce(2, on: actor) { actor, number in
                let (bench, meeting) = bound.on(actor)
                guard number == 0 else {
                    let order = ErasureOrder(userID: user, erasedAt: .now(), lastSequence: 0)
                    try await meeting.behind(on: actor.loop) {
                        try await PersonEraser(database: bench.database).erase(by: order)
                    }
                    return
                }
                try await bench.database.transaction { transaction in
                    try await Facts.apply([reversed], in: transaction)
                    let isWaiting = try await meeting.waits(transaction, actor.loop)
                    #expect(isWaiting)
                }
            }
            let left = try await bench.database.queryOne(bookedRows, user)
            #expect(left == 0)
        }
    }

    @Test func bookingsOfThousandsHoldFewLocks() async throws {
        let bookings = try bookings(2_000)
        try await withBench { _, bench in
            let held = try await bench.database.transaction { transaction in
                try await Facts.apply(bookings, in: transaction)
                return try await transaction.queryOne(locks)
            }
            #expect((1...256).contains(held ?? 0), "\(held ?? 0)")
        }
    }

    @Test func whoeverErasesWaitsForBookingsOfThePersonAndTheyForThem() async throws {
        let bookings = try bookings(3)
        try await withBench { _, bench in
            for booking in bookings {
                let user = booking.userID
                let booked = try await bench.database.transaction { transaction in
                    try await Facts.apply([booking], in: transaction)
                    return try await transaction.queryOne(bucket, user.text)
                }
                #expect(booked == "ShareLock")
                let erased = try await bench.database.transaction { transaction in
                    try await ErasedUsers.remember(user, at: .now(), in: transaction)
                    return try await transaction.queryOne(bucket, user.text)
                }
                #expect(erased == "ExclusiveLock")
            }
        }
    }
}
