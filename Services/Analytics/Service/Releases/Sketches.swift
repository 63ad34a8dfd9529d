/// Who is in a cell, so that the people of several can be counted once each.
///
/// Up to 4,096 people it is all of them, and what is counted of such is exact; of more it is those
/// 4,096 whose scattered numbers are the lowest, by which unions are estimated within about 1.6 %
/// (one standard deviation). The numbers are nobody's once their people are erased.
/// Source: Bar-Yossef and others, «Counting distinct elements in a data stream», 2002 (k minimum
/// values).
struct PeopleSketch: Sendable, Equatable {
    static let peopleMax = 4_096
    /// Whether it is whole, then the steps from each to the next; read where they are counted.
    let bytes: [UInt8]

    init(bytes: [UInt8]) { self.bytes = bytes }

    init(_ all: [Int64]) {
        let isWhole = all.count <= Self.peopleMax
        let kept =
            isWhole
            ? all : Array(all.sorted { Self.scatter($0) < Self.scatter($1) }.prefix(Self.peopleMax))
        var bytes: [UInt8] = [isWhole ? 1 : 0]
        var last: Int64 = 0
        for person in kept.sorted() {
            Varint.append(UInt128(person - last), to: &bytes)
            last = person
        }
        self.bytes = bytes
    }

    var isWhole: Bool { bytes.first != 0 }

    /// In ascending order.
    var people: [Int64] {
        var people: [Int64] = []
        appendPeople(to: &people)
        return people
    }

    private func appendPeople(to people: inout [Int64]) {
        var (place, last) = (1, Int64(0))
        while let step = Varint.take(from: bytes, at: &place) {
            last += Int64(clamping: step)
            people.append(last)
        }
    }

    /// How many different people there are in all of these.
    static func count(_ parts: [CellFigures]) -> (users: Int64, isExact: Bool) {
        if parts.count == 1 { return (parts[0].users, true) }
        let partial = parts.map(\.people).filter { !$0.isWhole }
        guard !partial.isEmpty else {
            var all: [Int64] = []
            for part in parts { part.people.appendPeople(to: &all) }
            return (different(all), true)
        }
        // Up to the lowest of the partial ones' highest, every one's people are known.
        let bound = partial.map { $0.people.map(scatter).max() ?? 0 }.min() ?? 0
        var known: [UInt64] = []
        for part in parts { known += part.people.people.map(scatter).filter { $0 <= bound } }
        let estimate = Double(Set(known).count) / (Double(bound) / 0x1p64)
        let most = parts.reduce(0) { $0 + $1.users }
        let least = parts.map(\.users).max() ?? 0
        return (min(max(Int64(estimate.rounded()), least), most), false)
    }

    /// How many different ones there are, by a bit for each where that takes no more room.
    private static func different(_ all: [Int64]) -> Int64 {
        guard let highest = all.max(), highest < 64 * all.count, all.min() ?? -1 >= 0 else {
            let sorted = all.sorted()
            return Int64(all.count - zip(sorted, sorted.dropFirst()).count { $0 == $1 })
        }
        var bits = [UInt64](repeating: 0, count: Int(highest) / 64 + 1)
        for person in all { bits[Int(person) / 64] |= 1 << UInt64(person % 64) }
        return bits.reduce(0) { $0 + Int64($1.nonzeroBitCount) }
    }

    /// A number of 64 bits that tells nothing of the order, one for each.
    ///
    /// Source: Steele, Lea and Flood, «Fast splittable pseudorandom number generators», 2014.
    private static func scatter(_ number: Int64) -> UInt64 {
        // Wraps: it is arithmetic of 64 bits, and each step can be undone.
        var bits = UInt64(bitPattern: number) &* 0x9E37_79B9_7F4A_7C15
        bits = (bits ^ bits >> 30) &* 0xBF58_476D_1CE4_E5B9
        bits = (bits ^ bits >> 27) &* 0x94D0_49BB_1331_11EB
        return bits ^ bits >> 31
    }
}

/// How often there is which amount.
struct Amounts: Sendable, Equatable {
    struct Step: Sendable, Equatable {
        var value: Int128
        var times: Int64
    }
    let isExact: Bool
    /// In ascending order, each once.
    let steps: [Step]
    let count: Int64

    /// Of all bookings, in any order.
    init(_ bookings: [Step]) { self.init(bookings, isExact: true) }

    /// Of what several cells have together.
    /// - Parameter bookings: how many that are; of more than `AmountSketch` keeps exactly, what it
    ///   keeps of such.
    init(of sketches: [AmountSketch], bookings: Int64) {
        let isExact = bookings <= AmountSketch.bookingsMax && sketches.allSatisfy(\.isExact)
        if isExact {
            var steps: [Step] = []
            for sketch in sketches { sketch.forEach { steps.append(Step(value: $0, times: $1)) } }
            self.init(steps, isExact: true)
            return
        }
        var times = [Int64](repeating: 0, count: AmountBucket.count)
        for sketch in sketches { sketch.forEach { times[AmountBucket.of($0)] += $1 } }
        self.init(
            times.enumerated().compactMap { bucket, times in
                times > 0 ? Step(value: AmountBucket.middle(bucket), times: times) : nil
            },
            isExact: false
        )
    }

    private init(_ unordered: [Step], isExact: Bool) {
        self.isExact = isExact
        var steps: [Step] = []
        for step in unordered.sorted(by: { $0.value < $1.value }) {
            if let last = steps.last, last.value == step.value {
                steps[steps.count - 1].times += step.times
            } else {
                steps.append(step)
            }
        }
        self.steps = steps
        count = steps.reduce(0) { $0 + $1.times }
    }

    var total: Int128 { steps.reduce(0) { $0 + $1.value * Int128($1.times) } }

    /// The two amounts in the middle, the same one twice for an odd count.
    var middle: (low: Int128, high: Int128) { (amount(at: (count - 1) / 2), amount(at: count / 2)) }

    /// The least that nine in ten are at most.
    var ninth: Int128 { amount(at: (count * 9 + 9) / 10 - 1) }

    private func amount(at place: Int64) -> Int128 {
        var before: Int64 = 0
        for step in steps {
            before += step.times
            if place < before { return step.value }
        }
        return steps.last?.value ?? 0
    }
}

/// What is kept of a cell's amounts, for medians and other quantiles of several.
///
/// Up to 10,000 bookings it is all of them, and quantiles are exact; of more, each stands in its
/// bucket, within 0.8 % of it.
struct AmountSketch: Sendable, Equatable {
    static let bookingsMax: Int64 = 10_000
    /// Whether it is exact, then each amount's step from the one before, and how often it is there;
    /// read where they are merged.
    let bytes: [UInt8]

    init(bytes: [UInt8]) { self.bytes = bytes }

    init(_ amounts: Amounts) {
        let isExact = amounts.isExact && amounts.count <= Self.bookingsMax
        let kept = isExact ? amounts.steps : Self.coarse(amounts.steps)
        var bytes: [UInt8] = [isExact ? 1 : 0]
        var last: Int128 = 0
        for step in kept {
            Varint.append(UInt128(step.value - last), to: &bytes)
            Varint.append(UInt128(step.times), to: &bytes)
            last = step.value
        }
        self.bytes = bytes
    }

    var isExact: Bool { bytes.first != 0 }

    /// Each amount with how often it is there, in ascending order.
    func forEach(_ body: (Int128, Int64) -> Void) {
        var (place, last) = (1, Int128(0))
        while let more = Varint.take(from: bytes, at: &place),
            let times = Varint.take(from: bytes, at: &place)
        {
            last += Int128(clamping: more)
            body(last, Int64(clamping: times))
        }
    }

    /// In ascending order as they are.
    private static func coarse(_ steps: [Amounts.Step]) -> [Amounts.Step] {
        var kept: [Amounts.Step] = []
        for step in steps {
            let value = AmountBucket.middle(AmountBucket.of(step.value))
            if let last = kept.last, last.value == value {
                kept[kept.count - 1].times += step.times
            } else {
                kept.append(Amounts.Step(value: value, times: step.times))
            }
        }
        return kept
    }
}

/// Amounts that begin with the same seven bits: up to 127 each by itself.
///
/// Source: the buckets of HdrHistogram.
private enum AmountBucket {
    /// A positive number of 128 bits has 127 at most: 120 beside its leading seven.
    static let count = 128 + 120 * 64

    static func of(_ value: Int128) -> Int {
        guard value > 127 else { return Int(clamping: max(0, value)) }
        // Cannot wrap: a positive number of 128 bits has one leading zero at least.
        let dropped = 128 - value.leadingZeroBitCount - 7
        return 128 + (dropped - 1) * 64 + Int(truncatingIfNeeded: value >> dropped) - 64
    }

    static func middle(_ bucket: Int) -> Int128 {
        guard bucket > 127 else { return Int128(bucket) }
        let dropped = (bucket - 128) / 64 + 1
        return Int128((bucket - 128) % 64 + 64) << dropped + (Int128(1) << dropped) / 2
    }
}

/// Numbers by seven bits a byte, the lowest first, the last without its highest bit.
private enum Varint {
    static func append(_ number: UInt128, to bytes: inout [UInt8]) {
        var rest = number
        while rest > 127 {
            bytes.append(UInt8(truncatingIfNeeded: rest) | 128)
            rest >>= 7
        }
        bytes.append(UInt8(truncatingIfNeeded: rest))
    }

    /// The one at a place, which moves behind it; nil at the end.
    static func take(from bytes: [UInt8], at place: inout Int) -> UInt128? {
        // Nearly all are of a few bytes: their sum is within 64 bits.
        var (number, shift) = (UInt64(0), UInt64(0))
        while place < bytes.count, shift < 56 {
            let byte = bytes[place]
            place += 1
            number |= UInt64(byte & 127) << shift
            if byte < 128 { return UInt128(number) }
            shift += 7
        }
        var (long, far) = (UInt128(number), UInt128(shift))
        while place < bytes.count {
            let byte = bytes[place]
            place += 1
            long |= UInt128(byte & 127) << far
            if byte < 128 { return long }
            far += 7
        }
        return nil
    }
}
