/// How often there is which amount.
struct Amounts: Sendable {
    struct Step: Sendable {
        var value: Int128
        var times: Int64
    }
    /// In ascending order, each once.
    private let steps: [Step]
    let count: Int64

    /// Of all bookings, in any order.
    init(_ bookings: [Step]) {
        var steps: [Step] = []
        for step in bookings.sorted(by: { $0.value < $1.value }) {
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
