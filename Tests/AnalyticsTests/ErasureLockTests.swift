import Postgres
import ServiceKit
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

/// Two streams meet: bookings that come in sets, and erasures.
@Suite struct ErasureLockTests {
    private func bookings(_ count: Int) throws -> [TransactionPosted] {
        let day = try #require(Day("2024-02-29"))
        return (1...count).map { place in
            TransactionPosted(
                source: JournalLine(entryID: .new(), place: Int64(place)),
                transactionID: .new(),
                version: 1,
                kind: .posted,
                userID: .new(),
                accountID: .new(),
                accountKind: .wallet,
                amount: Money(minorUnits: -100, .eur),
                day: day,
                categoryID: .new(),
                recordedAt: .now()
            )
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
