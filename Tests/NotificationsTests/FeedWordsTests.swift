import HTTP
import Loops
import Postgres
import TestKit
import Testing
import WalletProtocol

@testable import NotificationsService
@testable import ServiceKit

/// What the feed says of refunds, and how much a page of it holds.
@Suite struct FeedWordsTests {
    /// Money that came back is no expense with a minus.
    @Test(arguments: [
        ("en", "New refund", "Refund added: €60.00, of which €20.00 is yours."),
        (
            "it", "Nuovo rimborso",
            "È stato aggiunto un rimborso: 60,00\u{a0}€, di cui 20,00\u{a0}€ a te."
        ),
    ])
    func refundHasItsOwnWords(language: String, title: String, text: String) async throws {
        let entry = FeedEntry(
            amount: Total(Money(minorUnits: -6_000, .eur)),
            other: Total(Money(minorUnits: -2_000, .eur))
        )
        func view(_ kind: NotificationKind, _ entry: FeedEntry) throws -> NotificationView {
            try FeedRow(
                id: .new(),
                kind: kind,
                parameters: JSON.text(entry),
                createdAt: .now(),
                readAt: nil
            ).view(language: language)
        }
        let added = try view(.expenseAdded, entry)
        #expect(added.title == title && added.text == text)
        #expect(added.amount == entry.amount)
        let plain = try view(.expenseAdded, FeedEntry(amount: Total(Money(minorUnits: 1, .eur))))
        #expect(plain.title != title)
        for kind in NotificationKind.allCases where kind.isOfExpense {
            for reason in [nil, "insufficient-funds"] {
                for isPaused in [nil, true] {
                    let said = try view(
                        kind,
                        FeedEntry(amount: entry.amount, isPaused: isPaused, reason: reason)
                    )
                    let words = said.text.lowercased()
                    #expect(words.contains(language == "en" ? "refund" : "rimborso"), "\(kind)")
                    #expect(!words.contains("-") && words.contains("60"), "\(kind): \(words)")
                }
            }
        }
    }

    /// The feed's texts are short; whatever a page holds, its bytes have a bound.
    @Test func pageOfTheFeedIsBounded() async throws {
        try await Harness.run { _, harness in
            let user = ID<User>.new()
            let insert = Statement<Void>(
                """
                insert into notifications.notification (user_id, id, kind, parameters)
                select $1, gen_random_uuid(), 'expense-skipped', $2::text::jsonb
                from generate_series(1, 201)
                """
            )
            let entry = FeedEntry(
                groupID: .new(),
                amount: Total(minorUnits: .max, .eur),
                recurrenceID: .new(),
                reason: "member-has-left"
            )
            try await harness.database.execute(insert, user, JSON.text(entry))
            let token = harness.rig.token(of: user)
            var read: Set<ID<FeedNotification>> = []
            var cursor: Cursor?
            repeat {
                let next = cursor.map { "&cursor=\($0.queryText)" } ?? ""
                let answer = try await harness.rig.call(
                    .get,
                    "/v1/notifications?limit=200" + next,
                    token: token
                )
                #expect(answer.body.count <= PageSize.bytesMax + 1_024)
                let page = try JSON.read(NotificationPage.self, from: answer.body)
                #expect(!page.items.isEmpty && page.unreadCount == 201)
                read.formUnion(page.items.map(\.id))
                cursor = page.nextCursor
            } while cursor != nil
            #expect(read.count == 201)
        }
    }
}
