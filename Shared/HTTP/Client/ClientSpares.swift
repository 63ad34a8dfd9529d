/// What the connections to an upstream lend each other.
final class ClientSpares {
    private static let headsMax = 16
    let blocks = BufferPool()
    let out = OutPool()
    private var heads: [MessageHead] = []

    func takeHead() -> MessageHead { heads.popLast() ?? MessageHead() }

    func give(_ head: MessageHead) {
        if heads.count < Self.headsMax { heads.append(head) }
    }
}
