import HTTP
import Loops

/// A service's answer as ours.
extension ProxyHandler {
    /// The fields of the service's answer that go on.
    private func headers(of exchange: HTTPExchange) -> HeaderBlock {
        var headers = HeaderBlock()
        let side = self.side
        exchange.head.copyEndToEndFields(to: &headers) { field in
            switch field {
            case .date, .server, .connection, .xEZWalletUnfit: true
            // Ours is said once, from outside.
            case .xRequestID: side == .outside
            default: false
            }
        }
        return headers
    }

    /// The service's answer as ours, where all of it has come.
    @inline(never)
    func renderAtOnce(_ exchange: HTTPExchange) -> HTTPResponse? {
        guard case .length = exchange.head.framing else { return nil }
        // Before the body: with its end the head is the connection's next answer's.
        let status = exchange.head.status
        let headers = headers(of: exchange)
        guard let bytes = exchange.bodyAtOnce(max: Self.answerBufferedMax) else { return nil }
        return HTTPResponse(status: status, headers: headers, body: .bytes(bytes))
    }

    /// Passes a long answer on as it comes; nil: it may be silent for as long as it likes.
    ///
    /// A file may take longer than a request may, to make and to be read; but from each part to the
    /// next no longer than that. What the client takes its time for is the server's to bound.
    private static func passOn(
        _ exchange: HTTPExchange,
        to writer: BodyWriter,
        within longest: UInt64?
    ) async throws {
        while true {
            // Cannot wrap: 300 s at most, by the variable's range.
            exchange.setDeadline(longest.map { writer.loop.now &+ $0 } ?? .max)
            guard let part = try await exchange.nextBodyPart() else { return }
            exchange.setDeadline(.max)
            try await writer.write(part)
        }
    }

    /// The service's answer as ours: its end-to-end fields, its body whole or piece by piece.
    func render(
        _ exchange: HTTPExchange,
        _ request: HTTPRequest
    ) async throws(HTTPClientError) -> HTTPResponse {
        let headers = headers(of: exchange)
        let status = exchange.head.status
        switch exchange.head.framing {
        case .none:
            var response = HTTPResponse(status: status, headers: headers)
            response.declaredLength = exchange.head.declaredLength
            _ = try await exchange.body(max: 0)
            return response
        case .length(let length) where length <= Self.answerBufferedMax:
            let bytes = try await exchange.body(max: length)
            return HTTPResponse(status: status, headers: headers, body: .bytes(bytes))
        case .length(let length):
            return HTTPResponse(
                status: status,
                headers: headers,
                body: .stream(length: length) { [requestNanoseconds] writer in
                    try await Self.passOn(exchange, to: writer, within: requestNanoseconds)
                }
            )
        case .chunked, .untilClose:
            let isEvents = exchange.head.text(.contentType)?.hasPrefix("text/event-stream") == true
            if isEvents {
                // An event stream lives until one side goes, however long that is: ordinary calls
                // do not wait for its connection.
                guard exchange.becomeStream() else { throw .tooManyStreams }
                request.setDeadline(.max)
                exchange.setDeadline(.max)
            }
            var response = HTTPResponse(
                status: status,
                headers: headers,
                body: .stream(length: nil) { [requestNanoseconds] writer in
                    let longest = isEvents ? nil : requestNanoseconds
                    try await Self.passOn(exchange, to: writer, within: longest)
                }
            )
            response.isEndless = isEvents
            return response
        }
    }
}
