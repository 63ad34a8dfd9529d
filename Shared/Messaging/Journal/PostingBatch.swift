internal import WalletProtocol

/// Postings that are applied together, and the places that are settled with them; pure.
struct PostingBatch: Sendable {
    private(set) var covers: PlaceSet
    private(set) var rows: [TransactionPosted]

    init(covers: PlaceSet, rows: [TransactionPosted]) {
        self.covers = covers
        self.rows = rows
    }

    /// What a message or a page says.
    init(_ postings: Postings) throws(APIError) {
        covers = PlaceSet(try postings.covers())
        rows = try postings.rows()
    }

    /// Several as one.
    init(_ batches: [PostingBatch]) {
        covers = PlaceSet(batches.flatMap(\.covers.runs))
        rows = batches.count == 1 ? batches[0].rows : batches.flatMap(\.rows)
    }

    /// Whether there is nothing to do and nothing to settle.
    var isEmpty: Bool { rows.isEmpty && covers.isEmpty }

    /// What is not applied yet.
    func without(_ window: AppliedWindow) -> PostingBatch {
        PostingBatch(
            covers: PlaceSet(covers.runs.filter { $0.upperBound > window.mark })
                .subtracting(window.above),
            rows: rows.filter { !window.contains($0.source.place) }
        )
    }

    /// Two of half as many entries; nil where there is one, for what is of one place is settled
    /// together.
    var halves: (PostingBatch, PostingBatch)? {
        guard let middle = rows.dropFirst(rows.count / 2).first?.source.place else { return nil }
        // The first whose entry is whole in the first half, else the one behind it.
        var end = rows.firstIndex { $0.source.place >= middle } ?? 0
        if end == 0 { end = rows.firstIndex { $0.source.place > middle } ?? rows.count }
        guard end > 0, end < rows.count else { return nil }
        let (low, high) = covers.parted(after: rows[end - 1].source.place)
        return (
            PostingBatch(covers: low, rows: Array(rows[..<end])),
            PostingBatch(covers: high, rows: Array(rows[end...]))
        )
    }

    /// Each entry by itself.
    var entries: [PostingBatch] {
        var (left, found) = ([self], [PostingBatch]())
        while let next = left.popLast() {
            guard let (first, second) = next.halves else {
                found.append(next)
                continue
            }
            left += [second, first]
        }
        return found
    }
}
