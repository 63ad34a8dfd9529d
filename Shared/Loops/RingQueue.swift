/// A first-in first-out queue in one growing ring of slots, which can be looked through.
///
/// Inlined where it is used: each hop of a loop and each statement goes through one, and generic
/// code of another module is not specialised.
/// Cannot wrap: there is memory for fewer elements than an index can count; places are taken within
/// the slots, whose number is a power of two.
package struct RingQueue<Element> {
    @usableFromInline var slots: [Element?] = Array(repeating: nil, count: 16)
    @usableFromInline var head = 0
    package internal(set) var count = 0

    @inlinable package init() {}

    @inlinable package var isEmpty: Bool { count == 0 }
    @inlinable package var first: Element? { count == 0 ? nil : slots[head] }

    @inlinable package mutating func append(_ element: Element) {
        if count == slots.count { grow() }
        slots[(head &+ count) & (slots.count &- 1)] = element
        count &+= 1
    }

    @inlinable
    @discardableResult
    package mutating func popFirst() -> Element? {
        guard count > 0 else { return nil }
        let element = slots[head].take()
        head = (head &+ 1) & (slots.count &- 1)
        count &-= 1
        return element
    }

    @inlinable package func forEach(_ body: (Element) -> Void) {
        for offset in 0..<count {
            if let element = slots[(head &+ offset) & (slots.count &- 1)] { body(element) }
        }
    }

    /// Keeps the elements that `isWanted`, in order.
    @inlinable package mutating func keep(_ isWanted: (Element) -> Bool) {
        for _ in 0..<count {
            if let element = popFirst(), isWanted(element) { append(element) }
        }
    }

    @usableFromInline mutating func grow() {
        var larger: [Element?] = []
        larger.reserveCapacity(slots.count * 2)
        for offset in 0..<count { larger.append(slots[(head + offset) & (slots.count - 1)]) }
        larger.append(contentsOf: repeatElement(nil, count: slots.count * 2 - count))
        slots = larger
        head = 0
    }
}
