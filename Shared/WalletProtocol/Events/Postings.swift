/// Postings in the order of the journal, hundreds in one body: a column a field.
///
/// A column that has nothing at any row is left out.
public struct Postings: JSONObject, Hashable {
    let coversFrom: [Int64]
    let coversThrough: [Int64]
    let places: [Int64]
    let entryIDs: [ID<JournalEntry>]
    let transactionIDs: [ID<MoneyTransaction>]
    let versions: [Int]
    let kinds: [PostingKind]
    let userIDs: [ID<User>]
    let accountIDs: [ID<Account>]
    let accountKinds: [AccountKind]
    let amounts: [Int64]
    let currencies: [Currency]
    let days: [Day]
    let categoryIDs: [CategoryID]
    let coicops: [Nullable<Coicop>]?
    let transferIDs: [Nullable<ID<Transfer>>]?
    let ownTransfers: [Bool]
    let lines: [[PostedLine]]?
    let uncounted: [Bool]?
    let recordedAt: [Instant]
    let sequences: [Nullable<Int64>]?
    let traceParents: [Nullable<String>]?
}

extension Postings {
    /// Postings, and the places that they settle.
    /// - Parameters:
    ///   - covers: the places of which there is nothing else, now or later: ascending and apart.
    ///   - rows: the postings of these places, those of an entry next to each other.
    public init(covers: [ClosedRange<Int64>], rows: [TransactionPosted]) {
        let parts = rows.map { $0.lines ?? [] }
        self.init(
            coversFrom: covers.map(\.lowerBound),
            coversThrough: covers.map(\.upperBound),
            places: rows.map(\.source.place),
            entryIDs: rows.map(\.source.entryID),
            transactionIDs: rows.map(\.transactionID),
            versions: rows.map(\.version),
            kinds: rows.map(\.kind),
            userIDs: rows.map(\.userID),
            accountIDs: rows.map(\.accountID),
            accountKinds: rows.map(\.accountKind),
            amounts: rows.map(\.amount.minorUnits),
            currencies: rows.map(\.amount.currency),
            days: rows.map(\.day),
            categoryIDs: rows.map(\.categoryID),
            coicops: Self.column(rows.map(\.coicop)),
            transferIDs: Self.column(rows.map(\.transferID)),
            ownTransfers: rows.map(\.isOwnTransfer),
            lines: parts.allSatisfy(\.isEmpty) ? nil : parts,
            uncounted: rows.contains(where: \.isUncounted) ? rows.map(\.isUncounted) : nil,
            recordedAt: rows.map(\.recordedAt),
            sequences: Self.column(rows.map(\.source.sequence)),
            traceParents: Self.column(rows.map(\.source.traceParent))
        )
    }

    private static func column<Value>(_ values: [Value?]) -> [Nullable<Value>]? {
        values.allSatisfy { $0 == nil } ? nil : values.map { Nullable($0) }
    }

    /// The places that are settled, ascending and apart.
    /// - Throws: 422 `invalid-body`, where they are none.
    public func covers() throws(APIError) -> [ClosedRange<Int64>] {
        guard coversFrom.count == coversThrough.count else { throw APIError(.invalidBody) }
        var last: Int64 = 0
        var ranges: [ClosedRange<Int64>] = []
        ranges.reserveCapacity(coversFrom.count)
        for (low, high) in zip(coversFrom, coversThrough) {
            guard low > last, high >= low, high < .max else { throw APIError(.invalidBody) }
            ranges.append(low...high)
            last = high
        }
        return ranges
    }

    /// The postings, in the order of their places.
    /// - Throws: 422 `invalid-body`, where the columns are not of one length, or a posting stands
    ///   at no place that is covered, or behind a later one.
    public func rows() throws(APIError) -> [TransactionPosted] {
        let count = places.count
        guard lengths.allSatisfy({ $0 == count }) else { throw APIError(.invalidBody) }
        var ranges = try covers()[...]
        var last: Int64 = 0
        for place in places {
            while let range = ranges.first, range.upperBound < place { ranges = ranges.dropFirst() }
            guard place >= last, let range = ranges.first, range.contains(place) else {
                throw APIError(.invalidBody)
            }
            last = place
        }
        return (0..<count).map(row)
    }

    /// How long each column is that is there.
    private var lengths: [Int] {
        let whole: [Int] = [
            entryIDs.count, transactionIDs.count, versions.count, kinds.count, userIDs.count,
            accountIDs.count, accountKinds.count, amounts.count, currencies.count, days.count,
            categoryIDs.count, ownTransfers.count, recordedAt.count,
        ]
        let partial: [Int?] = [
            coicops?.count, transferIDs?.count, lines?.count, uncounted?.count,
            sequences?.count, traceParents?.count,
        ]
        return whole + partial.compactMap(\.self)
    }

    private func row(_ at: Int) -> TransactionPosted {
        TransactionPosted(
            source: JournalLine(
                entryID: entryIDs[at],
                place: places[at],
                sequence: sequences?[at].value,
                traceParent: traceParents?[at].value
            ),
            transactionID: transactionIDs[at],
            version: versions[at],
            kind: kinds[at],
            userID: userIDs[at],
            accountID: accountIDs[at],
            accountKind: accountKinds[at],
            amount: Money(minorUnits: amounts[at], currencies[at]),
            day: days[at],
            categoryID: categoryIDs[at],
            coicop: coicops?[at].value,
            transferID: transferIDs?[at].value,
            isOwnTransfer: ownTransfers[at],
            lines: lines.flatMap { $0[at].isEmpty ? nil : $0[at] },
            isUncounted: uncounted?[at] ?? false,
            recordedAt: recordedAt[at]
        )
    }
}

extension Postings: EventBody {
    /// `wallet.postings.v1`.
    public static let eventType = "wallet.postings.v1"
}
