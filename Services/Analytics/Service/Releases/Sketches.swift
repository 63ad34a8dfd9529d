/// Who is in a cell, so that the people of several can be counted once each.
///
/// Up to 4,096 people it is all of them, and what is counted of such is exact; of more it is those
/// 4,096 whose scattered numbers are the lowest, by which unions are estimated within about 1.6 %
/// (one standard deviation). The numbers are nobody's once their people are erased.
/// Source: Bar-Yossef and others, «Counting distinct elements in a data stream», 2002 (k minimum
/// values).
struct PeopleSketch: Sendable, Equatable {
    static let peopleMax = 4_096
    let isWhole: Bool
    /// In ascending order.
    let people: [Int64]

    init(_ all: [Int64]) {
        isWhole = all.count <= Self.peopleMax
        guard !isWhole else {
            people = all.sorted()
            return
        }
        people = all.sorted { Self.scatter($0) < Self.scatter($1) }.prefix(Self.peopleMax).sorted()
    }

    /// How many different people there are in all of these.
    static func count(_ parts: [CellFigures]) -> (users: Int64, isExact: Bool) {
        if parts.count == 1 { return (parts[0].users, true) }
        let partial = parts.map(\.people).filter { !$0.isWhole }
        guard !partial.isEmpty else {
            let all = parts.flatMap(\.people.people).sorted()
            let repeats = zip(all, all.dropFirst()).count { $0 == $1 }
            return (Int64(all.count - repeats), true)
        }
        // Up to the lowest of the partial ones' highest, every one's people are known.
        let bound = partial.map { $0.people.map(scatter).max() ?? 0 }.min() ?? 0
        let known = Set(parts.flatMap(\.people.people).map(scatter).filter { $0 <= bound })
        let estimate = Double(known.count) / (Double(bound) / 0x1p64)
        let most = parts.reduce(0) { $0 + $1.users }
        let least = parts.map(\.users).max() ?? 0
        return (min(max(Int64(estimate.rounded()), least), most), false)
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

    /// Whether it is whole, then the steps from each to the next.
    var bytes: [UInt8] {
        var bytes: [UInt8] = [isWhole ? 1 : 0]
        var last: Int64 = 0
        for person in people {
            Varint.append(UInt128(person - last), to: &bytes)
            last = person
        }
        return bytes
    }

    init(bytes: [UInt8]) {
        isWhole = bytes.first != 0
        var rest = bytes.dropFirst()
        var (people, last) = ([Int64](), Int64(0))
        while let step = Varint.take(from: &rest) {
            last += Int64(clamping: step)
            people.append(last)
        }
        self.people = people
    }
}

/// How often there is which amount in a cell, for medians and other quantiles of several.
///
/// Up to 10,000 bookings it is all of them, and quantiles are exact; of more, amounts above 127 are
/// kept by their seven leading bits, at the middle of what begins so: within 0.8 % of each.
/// Source: the buckets of HdrHistogram.
struct AmountSketch: Sendable, Equatable {
    struct Step: Sendable, Equatable {
        var value: Int128
        var times: Int64
    }
    static let bookingsMax: Int64 = 10_000
    let isExact: Bool
    /// In ascending order, each once.
    let steps: [Step]
    let count: Int64

    /// Of all amounts, exactly.
    init(whole steps: [Step]) { self.init(steps, isExact: true) }

    /// Of what several have together.
    init(merging parts: [AmountSketch]) {
        self.init(parts.flatMap(\.steps), isExact: parts.allSatisfy(\.isExact))
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

    /// The same in a bounded size.
    func reduced() -> AmountSketch {
        guard count > Self.bookingsMax else { return self }
        return AmountSketch(
            steps.map { Step(value: Self.coarse($0.value), times: $0.times) },
            isExact: false
        )
    }

    static func coarse(_ value: Int128) -> Int128 {
        guard value > 127 else { return value }
        // Cannot wrap: a positive number of 128 bits has one leading zero at least.
        let dropped = 128 - value.leadingZeroBitCount - 7
        return ((value >> dropped) << dropped) + (Int128(1) << dropped) / 2
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

    /// Whether it is exact, then each amount's step from the one before, and how often it is there.
    var bytes: [UInt8] {
        var bytes: [UInt8] = [isExact ? 1 : 0]
        var last: Int128 = 0
        for step in steps {
            Varint.append(UInt128(step.value - last), to: &bytes)
            Varint.append(UInt128(step.times), to: &bytes)
            last = step.value
        }
        return bytes
    }

    init(bytes: [UInt8]) {
        var rest = bytes.dropFirst()
        var (steps, last) = ([Step](), Int128(0))
        while let more = Varint.take(from: &rest), let times = Varint.take(from: &rest) {
            last += Int128(clamping: more)
            steps.append(Step(value: last, times: Int64(clamping: times)))
        }
        self.steps = steps
        isExact = bytes.first != 0
        count = steps.reduce(0) { $0 + $1.times }
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

    static func take(from bytes: inout ArraySlice<UInt8>) -> UInt128? {
        var (number, shift) = (UInt128(0), UInt128(0))
        while let byte = bytes.popFirst() {
            number |= UInt128(byte & 127) << shift
            if byte < 128 { return number }
            shift += 7
        }
        return nil
    }
}
