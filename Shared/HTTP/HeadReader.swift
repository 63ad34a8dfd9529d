/// What a connection has received, and the parser that looks for heads in it.
///
/// One value, so that a connection gets at both with one access.
struct HeadReader {
    var buffer: ReceiveBuffer
    private var parser: HeadParser

    init(limits: HeadLimits, pool: BufferPool) {
        buffer = ReceiveBuffer(pool: pool)
        parser = HeadParser(limits: limits)
    }

    /// Takes the next request's head out of the buffer; false: more is needed.
    mutating func readRequest(into head: MessageHead) throws(FramingError) -> Bool {
        guard buffer.count > 0,
            let length = try parser.headLength(
                in: buffer.bytes,
                from: buffer.start,
                to: buffer.end
            )
        else { return false }
        try parser.readRequest(buffer.bytes, from: buffer.start, length: length, into: head)
        buffer.consume(length)
        return true
    }

    /// Takes the next answer's head out of the buffer; false: more is needed.
    mutating func readResponse(
        to method: HTTPMethod,
        into head: MessageHead
    ) throws(FramingError) -> Bool {
        guard buffer.count > 0,
            let length = try parser.headLength(
                in: buffer.bytes,
                from: buffer.start,
                to: buffer.end
            )
        else { return false }
        try parser.readResponse(
            buffer.bytes,
            from: buffer.start,
            length: length,
            to: method,
            into: head
        )
        buffer.consume(length)
        return true
    }
}
