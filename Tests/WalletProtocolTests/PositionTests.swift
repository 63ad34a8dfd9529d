import Testing
import WalletProtocol

/// Positions as GeoJSON (RFC 7946).
@Suite struct PositionTests {
    private static let created = Instant(microseconds: 0)

    private static func view(_ location: TransactionLocation?) throws -> TransactionView {
        var view = TransactionView(
            id: ID(high: 1, low: 2),
            accountID: ID(high: 3, low: 4),
            amount: Money(minorUnits: -1_250, .eur),
            name: "Bar",
            date: try #require(Day("2026-02-03")),
            categoryID: ID(high: 5, low: 6),
            tags: ["trip"],
            version: 1,
            createdAt: created
        )
        view.location = location
        return view
    }

    @Test func aPageIsACollectionOfPointsWithTheLongitudeFirst() throws {
        let location = TransactionLocation(latitude: -45.5, longitude: 9.189982, label: "Duomo")
        let view = try Self.view(location)
        let feature = try #require(PositionFeature(view))
        let text =
            #"{"type":"FeatureCollection","features":[{"type":"Feature","#
            + #""id":"00000000-0000-0001-0000-000000000002","#
            + #""geometry":{"type":"Point","coordinates":[9.189982,-45.5]},"#
            + #""properties":{"name":"Bar","date":"2026-02-03","#
            + #""amount":{"amount":"-12.50","currency":"EUR"},"#
            + #""accountId":"00000000-0000-0003-0000-000000000004","#
            + #""categoryId":"00000000-0000-0005-0000-000000000006","label":"Duomo"}}]}"#
        let page = PositionPage(features: [feature], nextCursor: nil)
        #expect(JSON.text(page) == text)
        #expect(try reading(PositionPage.self, text).get() == page)
    }

    @Test func withoutWordsThereIsNoLabelAndWithoutALocationNothing() throws {
        let plain = TransactionLocation(latitude: 0, longitude: -180)
        let view = try Self.view(plain)
        let feature = try #require(PositionFeature(view))
        #expect(feature.geometry.coordinates == [-180, 0])
        let isTold = JSON.text(feature).contains("label")
        #expect(!isTold)
        let nothing = PositionFeature(try Self.view(nil))
        #expect(nothing == nil)
    }

    /// Each filter of the list is carried over, and what only the list takes is refused.
    @Test func theFiltersAreThoseOfTheList() throws {
        let id = ID<Account>.new().text
        let texts = [
            "from=2026-01-02", "to=2026-01-03", "minAmount=1.5", "maxAmount=2",
            "categoryId=\(id)&categoryId=\(id)", "accountId=\(id)&accountId=\(id)",
            "folderId=\(id)", "direction=out", "query=a+b", "tag=x&tag=y", "near=45.5,-9,1.5",
            "limit=7", "cursor=\(Cursor("x").queryText)",
        ]
        for text in texts + [texts.joined(separator: "&"), ""] {
            let query = try PositionQuery.read(query: text)
            let list = try TransactionQuery.read(query: text)
            #expect(query.transactions == list)
            let again = try PositionQuery.read(query: query.queryText)
            #expect(again == query)
        }
        for text in ["sort=-date", "groupBy=day", "expand=category", "limit=0", "limit=201"] {
            let fault = #expect(throws: APIError.self) { try PositionQuery.read(query: text) }
            #expect(fault?.code == .invalidQuery)
        }
    }
}
