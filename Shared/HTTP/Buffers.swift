/// Blocks for receiving, shared by the connections of a loop: one that waits holds none.
final class BufferPool {
    private static let sparesMax = 512
    private var spares: [[UInt8]] = []

    func take() -> [UInt8] {
        spares.popLast() ?? [UInt8](repeating: 0, count: ReceiveBuffer.blockBytes)
    }

    func give(_ block: consuming [UInt8]) {
        if spares.count < Self.sparesMax { spares.append(block) }
    }
}

/// Arrays to gather in what is sent, shared by the connections of a loop: one that has sent
/// everything holds none, and the one that is used next is still in the cache.
final class OutPool {
    private static let sparesMax = 16
    private static let bytesMax = 131_072
    private var spares: [[UInt8]] = []

    func take() -> [UInt8] {
        if let spare = spares.popLast() { return spare }
        var fresh: [UInt8] = []
        fresh.reserveCapacity(4_096)
        return fresh
    }

    /// Takes an empty array back; what was large once is let go.
    func give(_ array: consuming [UInt8]) {
        if spares.count < Self.sparesMax, array.capacity <= Self.bytesMax { spares.append(array) }
    }
}

/// Bytes received and not yet taken: one growing array with a start and an end.
///
/// It begins with a small block, for most messages are small and many connections share the cache;
/// a read that fills it makes the next one large.
struct ReceiveBuffer {
    static let blockBytes = 4_096
    static let readBytes = 16_384
    private(set) var bytes: [UInt8] = []
    private(set) var start = 0
    private(set) var end = 0
    private var wasFilled = false
    private let pool: BufferPool

    init(pool: BufferPool) { self.pool = pool }

    var count: Int { end - start }
    var room: Int { bytes.count - end }

    /// Makes room for one read at the end.
    mutating func reserve() {
        if start == end {
            start = 0
            end = 0
        }
        if bytes.isEmpty {
            bytes = pool.take()
            return
        }
        if !wasFilled, room >= min(bytes.count, Self.readBytes) / 2 { return }
        if start > 0 {
            bytes.removeSubrange(0..<start)
            end -= start
            start = 0
        }
        let wanted = end + Self.readBytes
        if bytes.count < wanted {
            bytes.append(contentsOf: repeatElement(0, count: wanted - bytes.count))
        }
    }

    // Safety: the rest of the array is lent for the call alone; `end` is never beyond its count,
    // for whoever reads tells no more than it was lent.
    /// Lets `read` write at the end and counts what it has written.
    mutating func fill(_ read: (UnsafeMutableRawBufferPointer) -> Int) -> Int {
        let from = end
        let count = unsafe bytes.withUnsafeMutableBytes { buffer in
            unsafe read(UnsafeMutableRawBufferPointer(rebasing: buffer[from...]))
        }
        if count > 0 { end += count }
        wasFilled = end == bytes.count
        return count
    }

    mutating func fill(
        _ read: (UnsafeMutableRawBufferPointer) -> TLSSession.Progress
    ) -> TLSSession.Progress {
        let from = end
        let progress = unsafe bytes.withUnsafeMutableBytes { buffer in
            unsafe read(UnsafeMutableRawBufferPointer(rebasing: buffer[from...]))
        }
        if case .bytes(let count) = progress { end += count }
        wasFilled = end == bytes.count
        return progress
    }

    mutating func consume(_ count: Int) { start += count }

    /// Takes the first bytes out.
    mutating func take(_ count: Int) -> Range<Int> {
        defer { start += count }
        return start..<(start + count)
    }

    /// Gives the memory back while nothing is held.
    mutating func shrink() {
        guard start == end else { return }
        start = 0
        end = 0
        wasFilled = false
        if bytes.count == Self.blockBytes {
            pool.give(exchangeForNothing())
        } else {
            bytes = []
        }
    }

    private mutating func exchangeForNothing() -> [UInt8] {
        var block: [UInt8] = []
        swap(&block, &bytes)
        return block
    }
}
