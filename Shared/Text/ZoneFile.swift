/// A zone's offsets from UTC, as its compiled file has them: the changes that are listed, and the
/// rule that goes on after the last.
///
/// Source: RFC 8536 (TZif).
struct ZoneFile: Sendable {
    /// When the offset changes, in seconds since 1970, ascending.
    private let changes: [Int]
    /// The offset from each change on, in seconds.
    private let offsets: [Int]
    private let firstOffset: Int
    private let rule: ZoneRule?

    static let utc = ZoneFile(changes: [], offsets: [], firstOffset: 0, rule: nil)

    private init(changes: [Int], offsets: [Int], firstOffset: Int, rule: ZoneRule?) {
        self.changes = changes
        self.offsets = offsets
        self.firstOffset = firstOffset
        self.rule = rule
    }

    /// Nil where the bytes are no such file.
    init?(_ bytes: [UInt8]) {
        // The first block has 32 bits a change, and is there for readers of before.
        guard let old = Header(bytes[...]), old.version >= UInt8(ascii: "2") else { return nil }
        let second = bytes.dropFirst(Header.size + old.bodySize(timeSize: 4))
        guard let header = Header(second), header.types > 0 else { return nil }
        var rest = second.dropFirst(Header.size)
        guard rest.count >= header.bodySize(timeSize: 8) else { return nil }
        let footer = rest.dropFirst(header.bodySize(timeSize: 8))
        let times = (0..<header.times).map { Self.number(rest.dropFirst($0 * 8).prefix(8)) }
        rest = rest.dropFirst(header.times * 8)
        let kinds = rest.prefix(header.times).map(Int.init)
        rest = rest.dropFirst(header.times)
        let types = (0..<header.types).map { Self.number(rest.dropFirst($0 * 6).prefix(4)) }
        guard kinds.allSatisfy({ $0 < types.count }), types.allSatisfy({ abs($0) < 200_000 }),
            zip(times, times.dropFirst()).allSatisfy({ $0 < $1 })
        else { return nil }
        let text = footer.dropFirst().prefix { $0 != 0x0A }
        self.init(
            changes: times,
            offsets: kinds.map { types[$0] },
            firstOffset: types[0],
            rule: ZoneRule(String(decoding: text, as: UTF8.self))
        )
    }

    /// Seconds east of UTC at an instant.
    func offset(at seconds: Int) -> Int {
        guard let last = changes.last, seconds < last || rule == nil else {
            return rule?.offset(at: seconds) ?? firstOffset
        }
        // The first change after the instant.
        var (low, high) = (0, changes.count)
        while low < high {
            let middle = (low + high) / 2
            if changes[middle] <= seconds { low = middle + 1 } else { high = middle }
        }
        return low == 0 ? firstOffset : offsets[low - 1]
    }

    /// The first instant at which clocks show a local time or a later one.
    func first(local: Int) -> Int {
        // No zone is further from UTC than 26 hours.
        let margin = 26 * 3_600
        var begin = local - margin
        for change in changes(after: begin, to: local + margin) {
            let instant = max(begin, local - offset(at: begin))
            if instant < change { return instant }
            begin = change
        }
        return max(begin, local - offset(at: begin))
    }

    private func changes(after start: Int, to end: Int) -> [Int] {
        let listed = changes.filter { $0 > start && $0 <= end }
        let last = changes.last ?? .min
        return listed + (rule?.changes(after: max(start, last), to: end) ?? [])
    }

    /// A number in two's complement, the highest byte first.
    private static func number(_ bytes: ArraySlice<UInt8>) -> Int {
        let isNegative = (bytes.first ?? 0) >= 0x80
        return bytes.reduce(isNegative ? -1 : 0) { $0 << 8 | Int($1) }
    }

    /// What stands before a block: how many there are of each kind.
    private struct Header {
        static let size = 44
        let version: UInt8
        let isUTC, isStandard, leaps, times, types, letters: Int

        init?(_ bytes: ArraySlice<UInt8>) {
            guard bytes.count >= Self.size, bytes.starts(with: "TZif".utf8) else { return nil }
            let head = Array(bytes.prefix(Self.size))
            version = head[4]
            let counts = (0..<6).map { ZoneFile.number(head[(20 + $0 * 4)..<(24 + $0 * 4)]) }
            // A real file has some hundred of each.
            guard counts.allSatisfy({ (0...20_000).contains($0) }) else { return nil }
            (isUTC, isStandard, leaps) = (counts[0], counts[1], counts[2])
            (times, types, letters) = (counts[3], counts[4], counts[5])
        }

        func bodySize(timeSize: Int) -> Int {
            times * (timeSize + 1) + types * 6 + letters + leaps * (timeSize + 4)
                + isStandard + isUTC
        }
    }
}
