import HTTP
import Loops
import Postgres
import TestKit
import Testing
import WalletProtocol

@testable import NotificationsService
@testable import ServiceKit

/// What is an event for whoever counts, and no line of anybody's feed.
@Suite struct SilentExpenseTests {
    /// Days that are made up for, and rows of a file, are told of by something else.
    @Test(arguments: [true, false])
    func whatIsOneOfManyIsNotToldOf(isImported: Bool) async throws {
        try await Harness.run { _, harness in
            let (ada, bob) = (ID<User>.new(), ID<User>.new())
            let amount = Money(minorUnits: 10, .eur)
            let event = harness.event(
                GroupExpenseAdded(
                    expenseID: .new(),
                    groupID: .new(),
                    amount: amount,
                    day: try #require(Day("2026-01-31")),
                    shares: [
                        UserShare(
                            memberID: .new(),
                            userID: bob,
                            paid: Money(minorUnits: 0, .eur),
                            owed: amount
                        )
                    ],
                    addedBy: ada,
                    isImported: isImported,
                    isMadeUpFor: !isImported
                )
            )
            try await harness.apply(event)
            let token = harness.rig.token(of: bob)
            let answer = try await harness.rig.call(.get, "/v1/notifications", token: token)
            let told = try JSON.read(NotificationPage.self, from: answer.body)
            #expect(told.items.isEmpty)
        }
    }
}
