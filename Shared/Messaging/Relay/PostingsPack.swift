internal import WalletProtocol

/// Entries that go in one message, with what it covers.
struct PostingsPack {
    let covers: PlaceSet
    let rows: [TransactionPosted]
    let message: OutgoingMessage

    /// What a relay puts on this subject is no event of an aggregate: it stands beside those of
    /// `ezwallet.<service>.>`, whose consumers count sequences.
    static func subject(of service: ServiceName) -> String {
        "ezwallet.journal.\(service.rawValue)"
    }

    /// Packs rows, in the order of their places, up to so many bytes and postings a message; an
    /// entry's stay together.
    /// - Parameter settled: the places of the rows, and those that hold nothing and never will.
    static func packs(
        of rows: [TransactionPosted],
        settling settled: PlaceSet,
        from service: ServiceName,
        bytesMax: Int,
        postingsMax: Int
    ) -> [PostingsPack] {
        var packs: [PostingsPack] = []
        var (open, bytes, left) = (rows[rows.startIndex..<rows.startIndex], 0, settled)
        var start = rows.startIndex
        while start < rows.endIndex {
            let place = rows[start].source.place
            let end = rows[start...].firstIndex { $0.source.place != place } ?? rows.endIndex
            let size = rows[start..<end].reduce(0) { $0 + self.size(of: $1) }
            let isFull = bytes + size > bytesMax || open.count + (end - start) > postingsMax
            if !open.isEmpty, isFull, let last = open.last {
                let (covers, rest) = left.parted(after: last.source.place)
                packs.append(PostingsPack(covers, Array(open), service))
                (open, bytes, left) = (rows[start..<start], 0, rest)
            }
            open = rows[open.startIndex..<end]
            bytes += size
            start = end
        }
        if !left.isEmpty { packs.append(PostingsPack(left, Array(open), service)) }
        return packs
    }

    /// Each entry by itself.
    func entries(from service: ServiceName) -> [PostingsPack] {
        Self.packs(of: rows, settling: covers, from: service, bytesMax: 0, postingsMax: 1)
    }

    private init(_ covers: PlaceSet, _ rows: [TransactionPosted], _ service: ServiceName) {
        self.covers = covers
        self.rows = rows
        let name = Self.name(of: rows, covers)
        var writer = JSONWriter(capacity: 1_024 + rows.count * 512)
        appendEnvelope(
            EnvelopeHead(
                id: name,
                type: Postings.eventType,
                time: .now(),
                aggregate: "journal:\(service.rawValue)",
                sequence: covers.highest ?? 1,
                traceparent: nil
            ),
            of: service,
            data: JSON.write(Postings(covers: covers.runs, rows: rows)),
            to: &writer
        )
        message = OutgoingMessage(
            subject: Self.subject(of: service),
            id: name.text,
            body: writer.bytes
        )
    }

    /// The `Nats-Msg-Id`: a function of the entries and of what is covered.
    ///
    /// Whatever is packed otherwise after a restart has another name, and so has what covers more:
    /// the broker would drop it, and the consumers would miss what it settles.
    ///
    /// Wraps: it is a name alone.
    static func name(of rows: [TransactionPosted], _ covers: PlaceSet) -> ID<Event> {
        var (high, low): (UInt64, UInt64) = (0, 0)
        func mix(_ first: UInt64, _ second: UInt64) {
            high = (high ^ first) &* 0x9E37_79B9_7F4A_7C15
            high ^= high >> 29
            low = (low ^ second) &* 0xBF58_476D_1CE4_E5B9
            low ^= low >> 31
        }
        for row in rows { mix(row.source.entryID.high, row.source.entryID.low) }
        for run in covers.runs {
            let bounds = (UInt64(clamping: run.lowerBound), UInt64(clamping: run.upperBound))
            mix(bounds.0, bounds.1)
            mix(bounds.1, bounds.0)
        }
        return ID(high: high, low: low)
    }

    /// What a row takes in JSON, at most.
    private static func size(of row: TransactionPosted) -> Int {
        let trace = row.source.traceParent.map { $0.utf8.count + 8 } ?? 5
        return 430 + trace + (row.lines?.count ?? 0) * 160
    }
}
