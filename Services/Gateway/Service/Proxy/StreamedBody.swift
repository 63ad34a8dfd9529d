import HTTP

/// A request's body in chunks: its beginning gathered, the rest passed on as it comes.
final class StreamedBody {
    private let request: HTTPRequest
    /// However many chunks they are.
    private let bytesMax: Int
    /// What has been gathered and not been passed on.
    private(set) var bytes: [UInt8] = []
    private var count = 0

    init(_ request: HTTPRequest, bytesMax: Int) {
        self.request = request
        self.bytesMax = bytesMax
    }

    /// Gathers the body up to its end, or a little more than `max` bytes; whether it has ended.
    func gather(max: Int) async throws(BodyError) -> Bool {
        while bytes.count <= max {
            guard let part = try await read() else { return true }
            bytes.append(contentsOf: part)
        }
        return false
    }

    /// The next part, beginning with what was gathered; nil at the end.
    func next() async throws(BodyError) -> [UInt8]? {
        guard bytes.isEmpty else {
            let gathered = bytes
            bytes = []
            return gathered
        }
        return try await read()
    }

    private func read() async throws(BodyError) -> [UInt8]? {
        guard let part = try await request.nextBodyPart() else { return nil }
        count += part.count
        guard count <= bytesMax else { throw .tooLarge }
        return part
    }
}
