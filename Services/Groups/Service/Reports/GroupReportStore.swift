import Postgres
import ServiceKit
import WalletProtocol

/// What a group has spent, what of it is a member's, and where it was.
final class GroupReportStore {
    private let database: Database

    init(database: Database) {
        self.database = database
    }

    func totals(
        _ query: GroupTotalsQuery,
        of group: ID<Group>,
        for user: ID<User>
    ) async throws -> GroupTotalsView {
        let membership = try await Membership.find(user, in: group, database)
        let rows = try await database.query(
            GroupReportStatements.totals(query, of: group, for: membership.member)
        )
        let shown = rows.prefix(GroupTotalsView.countMax)
        let last = shown.count < rows.count ? shown.last : nil
        return GroupTotalsView(
            totals: shown.map { row in
                let isByCategory = query.groupBy == .category
                return GroupTotal(
                    categoryID: isByCategory ? row.key.flatMap { ID($0) } : nil,
                    month: isByCategory ? nil : row.key,
                    count: Int(row.count),
                    group: Total(minorUnits: row.group, row.currency),
                    mine: Total(minorUnits: row.mine, row.currency),
                    share: Total(minorUnits: row.share, row.currency)
                )
            },
            nextCursor: last.map { Cursor(TotalsPlace(currency: $0.currency, key: $0.place)) }
        )
    }

    func positions(
        _ query: ExpensePositionQuery,
        of group: ID<Group>,
        for user: ID<User>
    ) async throws -> ExpensePositionPage {
        let membership = try await Membership.find(user, in: group, database)
        let filter = try await ExpenseFilter.read(query, of: membership, database)
        if query.groupBy == .place { return try await places(query, filter) }
        let rows = try await database.query(GroupReportStatements.located(query, by: filter))
        let next = rows.count > query.limit ? rows.dropLast().last : nil
        return ExpensePositionPage(
            features: rows.prefix(query.limit).compactMap { $0.position(in: group) },
            nextCursor: next.map { Cursor(ExpensePlace($0)) }
        )
    }

    private func places(
        _ query: ExpensePositionQuery,
        _ filter: ExpenseFilter
    ) async throws -> ExpensePositionPage {
        let sums = try await database.query(
            GroupReportStatements.places(by: filter, behind: query.cursor?.decode())
        )
        var features: [ExpensePositionFeature] = []
        var places: [MapPlace] = []
        var sharing: [GroupReportStatements.PlaceSum] = []
        func close() {
            guard let place = sharing.first else { return }
            features.append(
                ExpensePositionFeature(
                    geometry: GeoPoint(longitude: place.longitude, latitude: place.latitude),
                    properties: ExpensePositionProperties(
                        label: sharing.lazy.compactMap(\.label).first,
                        count: Int(sharing.reduce(0) { $0 + $1.count }),
                        totals: sharing.map { Total(minorUnits: $0.amount, $0.currency) }
                    )
                )
            )
            places.append(MapPlace(place))
            sharing = []
        }
        for sum in sums {
            if let place = sharing.first,
                (place.latitude, place.longitude) != (sum.latitude, sum.longitude)
            {
                close()
            }
            sharing.append(sum)
        }
        // The last place may have further sums where so many were read.
        let isPartial = sums.count == GroupReportStatements.placeSumsMax
        if !isPartial { close() }
        let page = PageItems(rows: features, limit: GroupReports.placesMax, goesOn: isPartial)
        let last = page.isCut ? places.prefix(page.items.count).last : nil
        return ExpensePositionPage(
            features: page.items,
            nextCursor: last.map { Cursor($0) }
        )
    }
}

extension ExpenseRow {
    /// Where it was; nil where that is not known.
    fileprivate func position(in group: ID<Group>) -> ExpensePositionFeature? {
        guard let place = details.location?.view else { return nil }
        return ExpensePositionFeature(
            id: id,
            geometry: GeoPoint(longitude: place.longitude, latitude: place.latitude),
            properties: ExpensePositionProperties(
                name: details.name,
                date: day,
                amount: amount,
                categoryID: details.category ?? .others(of: group),
                label: place.label
            )
        )
    }
}
