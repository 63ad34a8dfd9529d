/// Takes a body out of its framing: bytes in, ranges of data out; pure, without sockets.
///
///     chunked:  size ─▶ data ─▶ data's CR LF ─▶ size … ─▶ (size 0) trailers ─▶ end
///
/// Trailers are read over and dropped. Source: RFC 9112, 7.1 and 11.
public struct BodyDecoder: Sendable {
    /// One step of decoding.
    public enum Step: Equatable, Sendable {
        /// So many bytes of framing can be skipped; ask again.
        case skip(Int)
        /// The next so many bytes are the body's.
        case data(Int)
        /// Nothing more can be told from what is there.
        case needsMore
        /// The body has ended.
        case end
    }

    private enum State: Sendable {
        case length(Int)
        case chunkSize, chunkData(Int), chunkEnd, trailers(Int)
        case untilClose
        case ended
    }

    static let chunkLineBytesMax = 256
    static let trailerBytesMax = 8_192
    static let extensionsBytesMax = 8_192

    private var state: State
    /// Bytes of chunk extensions so far: each is bounded, and so is their sum.
    private var extensionBytes = 0
    /// Bytes of the body that its framing has announced so far.
    public private(set) var announced = 0

    /// A decoder for a body framed so.
    public init(_ framing: BodyFraming) {
        if case .length(let length) = framing { announced = length }
        state =
            switch framing {
            case .none: .ended
            case .length(let length): length == 0 ? .ended : .length(length)
            case .chunked: .chunkSize
            case .untilClose: .untilClose
            }
    }

    /// Whether the whole body was taken.
    public var isAtEnd: Bool { if case .ended = state { true } else { false } }
    /// Whether the end of the connection is the end of the body.
    public var endsWithConnection: Bool { if case .untilClose = state { true } else { false } }

    /// What comes next in `bytes[start..<end]`; the caller moves on by what it is told.
    public mutating func next(
        in bytes: [UInt8],
        from start: Int,
        to end: Int
    ) throws(FramingError) -> Step {
        switch state {
        case .ended: return .end
        case .untilClose: return start < end ? .data(end - start) : .needsMore
        case .length(let left):
            guard start < end else { return .needsMore }
            let taken = min(left, end - start)
            state = taken == left ? .ended : .length(left - taken)
            return .data(taken)
        case .chunkData(let left):
            guard start < end else { return .needsMore }
            let taken = min(left, end - start)
            state = taken == left ? .chunkEnd : .chunkData(left - taken)
            return .data(taken)
        case .chunkEnd:
            if end - start >= 1, bytes[start] != 0x0d { throw .badChunk }
            guard end - start >= 2 else { return .needsMore }
            guard bytes[start + 1] == 0x0a else { throw .badChunk }
            state = .chunkSize
            return .skip(2)
        case .chunkSize:
            guard let line = try line(bytes, start, end, max: Self.chunkLineBytesMax) else {
                return .needsMore
            }
            let size = try chunkSize(bytes, start, line)
            announced += size
            state = size == 0 ? .trailers(0) : .chunkData(size)
            return .skip(line + 2 - start)
        case .trailers(let read):
            guard let line = try line(bytes, start, end, max: Self.trailerBytesMax) else {
                return .needsMore
            }
            let length = line + 2 - start
            guard read + length <= Self.trailerBytesMax else { throw .badChunk }
            for index in start..<line {
                let byte = bytes[index]
                guard byte >= 0x20 || byte == 0x09, byte != 0x7f else { throw .badChunk }
            }
            if line > start, !isField(bytes, start, line) { throw .badChunk }
            state = line == start ? .ended : .trailers(read + length)
            return .skip(length)
        }
    }

    /// A trailer looks like a field: a token, then a colon.
    private func isField(_ bytes: [UInt8], _ start: Int, _ end: Int) -> Bool {
        var index = start
        while index < end, Characters.isToken(bytes[index]) { index += 1 }
        return index > start && index < end && bytes[index] == UInt8(ascii: ":")
    }

    /// The index of the CR that ends the line, or nil where it has not come yet.
    private func line(
        _ bytes: [UInt8],
        _ start: Int,
        _ end: Int,
        max: Int
    ) throws(FramingError) -> Int? {
        guard let newline = firstIndex(of: 0x0a, in: bytes, from: start, to: end) else {
            if end - start > max { throw .badChunk }
            return nil
        }
        guard newline > start, bytes[newline - 1] == 0x0d, newline - start <= max else {
            throw .badChunk
        }
        return newline - 1
    }

    /// Hexadecimal digits, then nothing or an extension after `;`, which is ignored.
    private mutating func chunkSize(
        _ bytes: [UInt8],
        _ start: Int,
        _ end: Int
    ) throws(FramingError) -> Int {
        var size = 0
        var index = start
        while index < end {
            let digit: UInt8
            switch bytes[index] {
            case 0x30...0x39: digit = bytes[index] - 0x30
            case 0x41...0x46: digit = bytes[index] - 0x41 + 10
            case 0x61...0x66: digit = bytes[index] - 0x61 + 10
            default:
                guard index > start, bytes[index] == UInt8(ascii: ";") else { throw .badChunk }
                extensionBytes += end - index
                guard extensionBytes <= Self.extensionsBytesMax else { throw .badChunk }
                for rest in index..<end {
                    let byte = bytes[rest]
                    guard byte >= 0x20 || byte == 0x09, byte != 0x7f else { throw .badChunk }
                }
                return size
            }
            guard index - start < 12 else { throw .badChunk }
            size = size << 4 | Int(digit)
            index += 1
        }
        guard index > start else { throw .badChunk }
        return size
    }
}
