/// A first-in first-out queue in one growing ring of slots.
///
/// Cannot wrap: there is memory for fewer elements than an index can count; places are taken within
/// the slots, whose number is a power of two.
struct RingQueue<Element> {
    private var slots: [Element?] = Array(repeating: nil, count: 64)
    private var head = 0
    private(set) var count = 0

    var isEmpty: Bool { count == 0 }

    mutating func append(_ element: Element) {
        if count == slots.count { grow() }
        slots[(head &+ count) & (slots.count &- 1)] = element
        count &+= 1
    }

    mutating func popFirst() -> Element? {
        guard count > 0 else { return nil }
        let element = slots[head].take()
        head = (head &+ 1) & (slots.count &- 1)
        count &-= 1
        return element
    }

    private mutating func grow() {
        var larger: [Element?] = []
        larger.reserveCapacity(slots.count * 2)
        for offset in 0..<count { larger.append(slots[(head + offset) & (slots.count - 1)]) }
        larger.append(contentsOf: repeatElement(nil, count: slots.count * 2 - count))
        slots = larger
        head = 0
    }
}
