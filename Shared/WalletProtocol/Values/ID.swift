internal import Synchronization

/// An identifier of one kind of thing: a UUIDv7 (RFC 9562), sorted by when it was made.
///
/// A name, never a secret: half of it is a clock.
public struct ID<Tag>: Hashable, Comparable, Sendable {
    /// The first eight bytes, most significant first.
    public let high: UInt64
    /// The last eight bytes, most significant first.
    public let low: UInt64

    /// The identifier with these bytes, of whatever version.
    public init(high: UInt64, low: UInt64) {
        self.high = high
        self.low = low
    }

    /// A new identifier, above every one that this process has made before.
    public static func new() -> ID {
        make(microseconds: systemMicroseconds(), random: RandomBits.next())
    }

    /// An identifier as `new()` makes it, of a given time and randomness, for tests and replays.
    public static func at(_ instant: Instant, random: UInt64) -> ID {
        ID(high: uuidHigh(ticks: uuidTicks(instant.microseconds)), low: uuidLow(random))
    }

    static func make(microseconds: Int64, random: UInt64) -> ID {
        ID(
            high: uuidHigh(ticks: uuidClock.next(after: uuidTicks(microseconds))),
            low: uuidLow(random)
        )
    }

    /// The identifier written in 8-4-4-4-12 hexadecimal digits of either case; nil else.
    public init?(_ text: some StringProtocol) {
        self.init(Array(text.utf8)[...])
    }

    init?(_ text: ArraySlice<UInt8>) {
        guard text.count == 36 else { return nil }
        var halves: (UInt64, UInt64) = (0, 0)
        var digits = 0
        for offset in 0..<36 {
            let byte = text[text.startIndex + offset]
            if offset == 8 || offset == 13 || offset == 18 || offset == 23 {
                guard byte == UInt8(ascii: "-") else { return nil }
                continue
            }
            guard let digit = hexadecimalValue(byte) else { return nil }
            if digits < 16 {
                halves.0 = halves.0 << 4 | UInt64(digit)
            } else {
                halves.1 = halves.1 << 4 | UInt64(digit)
            }
            digits += 1
        }
        self.init(high: halves.0, low: halves.1)
    }

    /// The identifier in these 16 bytes; nil for another count.
    public init?(bytes: some Collection<UInt8>) {
        guard bytes.count == 16 else { return nil }
        self.init(
            high: bytes.prefix(8).reduce(0) { $0 << 8 | UInt64($1) },
            low: bytes.dropFirst(8).reduce(0) { $0 << 8 | UInt64($1) }
        )
    }

    /// The 16 bytes, most significant first.
    public var bytes: [UInt8] {
        (0..<16).map { index in
            let half = index < 8 ? high : low
            return UInt8(truncatingIfNeeded: half >> UInt64(56 - 8 * (index & 7)))
        }
    }

    /// 36 characters, lower case.
    public var text: String {
        let characters = self.characters
        // Safety: the characters' bytes, lent for one copy.
        return unsafe characters.span.withUnsafeBufferPointer {
            unsafe String(decoding: $0, as: UTF8.self)
        }
    }

    /// The 36 characters of the text, for who writes them into a message.
    public var characters: InlineArray<36, UInt8> {
        var all = InlineArray<36, UInt8>(repeating: UInt8(ascii: "-"))
        var bytes = all.mutableSpan
        let groups = (
            hexadecimalDigits(UInt32(truncatingIfNeeded: high >> 32)),
            hexadecimalDigits(UInt32(truncatingIfNeeded: high)),
            hexadecimalDigits(UInt32(truncatingIfNeeded: low >> 32)),
            hexadecimalDigits(UInt32(truncatingIfNeeded: low))
        )
        for index in 0..<8 {
            let shift = UInt64(56 - 8 * index)
            // 8-4-4-4-12: the dashes stand before the places 9, 14, 19 and 24.
            bytes[index] = UInt8(truncatingIfNeeded: groups.0 >> shift)
            bytes[9 + index + (index < 4 ? 0 : 1)] = UInt8(truncatingIfNeeded: groups.1 >> shift)
            bytes[19 + index + (index < 4 ? 0 : 1)] = UInt8(truncatingIfNeeded: groups.2 >> shift)
            bytes[28 + index] = UInt8(truncatingIfNeeded: groups.3 >> shift)
        }
        return all
    }

    /// The same bytes as the name of another kind of thing.
    public func retagged<Other>(_ tag: Other.Type) -> ID<Other> {
        ID<Other>(high: high, low: low)
    }

    /// When it was made, to the millisecond; meaningful for version 7 only.
    public var instant: Instant { Instant(microseconds: Int64(high >> 16) * 1_000) }

    /// By bytes, and so by time.
    public static func < (left: ID, right: ID) -> Bool {
        left.high != right.high ? left.high < right.high : left.low < right.low
    }
}

extension ID: CustomStringConvertible {
    /// The text.
    public var description: String { text }
}

/// Milliseconds with 12 more bits of fraction: RFC 9562 section 6.2, method 3.
private func uuidTicks(_ microseconds: Int64) -> UInt64 {
    let microseconds = UInt64(max(0, microseconds))
    return (microseconds / 1_000) << 12 | (microseconds % 1_000) * 4_096 / 1_000
}

private func uuidHigh(ticks: UInt64) -> UInt64 {
    (ticks >> 12) << 16 | 0x7000 | ticks & 0xFFF
}

private func uuidLow(_ random: UInt64) -> UInt64 {
    random & 0x3FFF_FFFF_FFFF_FFFF | 0x8000_0000_0000_0000
}

/// The last tick handed out in this process; never the same one twice, never backwards.
private struct UUIDClock: ~Copyable, Sendable {
    private let last = Atomic<UInt64>(0)

    func next(after now: UInt64) -> UInt64 {
        var seen = last.load(ordering: .relaxed)
        while true {
            let wanted = max(now, seen + 1)
            let (done, original) = last.compareExchange(
                expected: seen,
                desired: wanted,
                ordering: .relaxed
            )
            if done { return wanted }
            seen = original
        }
    }
}

private let uuidClock = UUIDClock()
