/// One token of a text: a value, or a member's name, which stands right before its value.
struct JSONNode: Sendable {
    var kind: Kind
    /// For strings and names: whether it has escapes, and whether U+0000 is among them.
    var hasEscapes = false
    var hasNull = false
    /// The bytes of it; without the quotes for strings and names.
    var start: Int32
    var end: Int32
    /// The node after the whole of this value; for a name, a hash of it.
    var next: Int32

    enum Kind: UInt8, Sendable {
        case null, `false`, `true`, integer, number, string, name, array, object
    }
}

/// One pass over the bytes: checks all of the grammar and leaves the tokens in a flat list.
///
/// Source: RFC 8259, and RFC 7493 (I-JSON) for what it forbids beyond that: doubled names,
/// unpaired surrogates, anything but UTF-8.
struct JSONScanner {
    static let depthMax = 32
    /// From how many members on names are compared through a set.
    static let pairwiseMax = 16

    var nodes: [JSONNode] = []
    var at = 0

    static func scan(_ bytes: Span<UInt8>) throws(MalformedJSON) -> [JSONNode] {
        guard bytes.count < Int(Int32.max) else {
            throw MalformedJSON(reason: .tooLong, offset: bytes.count)
        }
        var scanner = JSONScanner()
        scanner.nodes.reserveCapacity(min(32, bytes.count / 8) + 8)
        scanner.skipSpace(bytes)
        try scanner.value(bytes, depth: 1)
        scanner.skipSpace(bytes)
        guard scanner.at == bytes.count else { throw scanner.fault(.trailingGarbage) }
        return scanner.nodes
    }

    func fault(_ reason: MalformedJSON.Reason) -> MalformedJSON {
        MalformedJSON(reason: reason, offset: at)
    }

    private mutating func skipSpace(_ bytes: Span<UInt8>) {
        while at < bytes.count {
            switch bytes[at] {
            case 0x20, 0x0A, 0x0D, 0x09: at += 1
            default: return
            }
        }
    }

    func peek(_ bytes: Span<UInt8>) throws(MalformedJSON) -> UInt8 {
        guard at < bytes.count else { throw fault(.unexpectedEnd) }
        return bytes[at]
    }

    private mutating func value(_ bytes: Span<UInt8>, depth: Int) throws(MalformedJSON) {
        switch try peek(bytes) {
        case UInt8(ascii: "\""): try string(bytes, .string)
        case UInt8(ascii: "{"): try object(bytes, depth)
        case UInt8(ascii: "["): try array(bytes, depth)
        case UInt8(ascii: "-"), 0x30...0x39: try number(bytes)
        case UInt8(ascii: "t"): try word(bytes, "true", .true)
        case UInt8(ascii: "f"): try word(bytes, "false", .false)
        case UInt8(ascii: "n"): try word(bytes, "null", .null)
        default: throw fault(.unexpectedByte)
        }
    }

    mutating func append(_ kind: JSONNode.Kind, from start: Int) {
        nodes.append(
            JSONNode(
                kind: kind,
                start: Int32(truncatingIfNeeded: start),
                end: Int32(truncatingIfNeeded: at),
                next: Int32(truncatingIfNeeded: nodes.count + 1)
            )
        )
    }

    private mutating func word(
        _ bytes: Span<UInt8>,
        _ word: StaticString,
        _ kind: JSONNode.Kind
    ) throws(MalformedJSON) {
        let start = at
        for letter in word.description.utf8 {
            guard try peek(bytes) == letter else { throw fault(.unexpectedByte) }
            at += 1
        }
        append(kind, from: start)
    }

    private mutating func number(_ bytes: Span<UInt8>) throws(MalformedJSON) {
        let start = at
        var kind = JSONNode.Kind.integer
        if bytes[at] == UInt8(ascii: "-") { at += 1 }
        if try peek(bytes) == UInt8(ascii: "0") { at += 1 } else { try digits(bytes) }
        if at < bytes.count, bytes[at] == UInt8(ascii: ".") {
            kind = .number
            at += 1
            try digits(bytes)
        }
        if at < bytes.count, bytes[at] | 0x20 == UInt8(ascii: "e") {
            kind = .number
            at += 1
            let sign = try peek(bytes)
            if sign == UInt8(ascii: "+") || sign == UInt8(ascii: "-") { at += 1 }
            try digits(bytes)
        }
        if at < bytes.count, bytes[at] >= 0x30 && bytes[at] <= 0x39 { throw fault(.badNumber) }
        append(kind, from: start)
    }

    private mutating func digits(_ bytes: Span<UInt8>) throws(MalformedJSON) {
        let start = at
        while at < bytes.count, bytes[at] >= 0x30 && bytes[at] <= 0x39 { at += 1 }
        guard at > start else {
            throw fault(at < bytes.count ? .badNumber : .unexpectedEnd)
        }
    }

    private mutating func array(_ bytes: Span<UInt8>, _ depth: Int) throws(MalformedJSON) {
        guard depth <= JSONScanner.depthMax else { throw fault(.tooDeep) }
        let node = nodes.count
        append(.array, from: at)
        at += 1
        skipSpace(bytes)
        if try peek(bytes) != UInt8(ascii: "]") {
            while true {
                try value(bytes, depth: depth + 1)
                skipSpace(bytes)
                let byte = try peek(bytes)
                if byte == UInt8(ascii: "]") { break }
                guard byte == UInt8(ascii: ",") else { throw fault(.unexpectedByte) }
                at += 1
                skipSpace(bytes)
            }
        }
        close(node)
    }

    private mutating func object(_ bytes: Span<UInt8>, _ depth: Int) throws(MalformedJSON) {
        guard depth <= JSONScanner.depthMax else { throw fault(.tooDeep) }
        let node = nodes.count
        append(.object, from: at)
        at += 1
        skipSpace(bytes)
        var count = 0
        if try peek(bytes) != UInt8(ascii: "}") {
            while true {
                guard try peek(bytes) == UInt8(ascii: "\"") else { throw fault(.unexpectedByte) }
                let name = nodes.count
                try string(bytes, .name)
                nodes[name].next = Int32(bitPattern: hash(ofName: nodes[name], bytes))
                if count < JSONScanner.pairwiseMax { try refuse(name, twiceIn: node, bytes) }
                count += 1
                skipSpace(bytes)
                guard try peek(bytes) == UInt8(ascii: ":") else { throw fault(.unexpectedByte) }
                at += 1
                skipSpace(bytes)
                try value(bytes, depth: depth + 1)
                skipSpace(bytes)
                let byte = try peek(bytes)
                if byte == UInt8(ascii: "}") { break }
                guard byte == UInt8(ascii: ",") else { throw fault(.unexpectedByte) }
                at += 1
                skipSpace(bytes)
            }
        }
        if count > JSONScanner.pairwiseMax { try refuseDoubles(in: node, bytes) }
        close(node)
    }

    private mutating func close(_ node: Int) {
        at += 1
        nodes[node].end = Int32(truncatingIfNeeded: at)
        nodes[node].next = Int32(truncatingIfNeeded: nodes.count)
    }

    // MARK: Names

    private func hash(ofName node: JSONNode, _ bytes: Span<UInt8>) -> UInt32 {
        if node.hasEscapes {
            return nameHash(JSONText.unescaped(bytes, Int(node.start), Int(node.end)).span)
        }
        return nameHash(bytes, Int(node.start), Int(node.end))
    }

    private func refuse(
        _ name: Int,
        twiceIn object: Int,
        _ bytes: Span<UInt8>
    ) throws(MalformedJSON) {
        var other = object + 1
        while other < name {
            if nodes[other].next == nodes[name].next, same(other, name, bytes) {
                throw fault(.doubledKey)
            }
            other = Int(nodes[other + 1].next)
        }
    }

    private func refuseDoubles(in object: Int, _ bytes: Span<UInt8>) throws(MalformedJSON) {
        var seen = Set<[UInt8]>()
        var name = object + 1
        while name < nodes.count {
            guard seen.insert(text(name, bytes)).inserted else { throw fault(.doubledKey) }
            name = Int(nodes[name + 1].next)
        }
    }

    private func same(_ left: Int, _ right: Int, _ bytes: Span<UInt8>) -> Bool {
        text(left, bytes) == text(right, bytes)
    }

    private func text(_ node: Int, _ bytes: Span<UInt8>) -> [UInt8] {
        JSONText.unescaped(bytes, Int(nodes[node].start), Int(nodes[node].end))
    }
}

/// A hash that needs three bytes of a name: enough to tell the names of one type apart.
func nameHash(_ bytes: Span<UInt8>, _ start: Int, _ end: Int) -> UInt32 {
    guard end > start else { return 0 }
    return UInt32(truncatingIfNeeded: end - start) << 24 | UInt32(bytes[start]) << 16
        | UInt32(bytes[(start + end) / 2]) << 8 | UInt32(bytes[end - 1])
}

func nameHash(_ bytes: Span<UInt8>) -> UInt32 { nameHash(bytes, 0, bytes.count) }
