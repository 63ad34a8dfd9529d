import Foundation
import Glibc
import HTTP
import Loops
import Testing
import WalletProtocol

@testable import ServiceKit

/// Log-ins and refusals in the log.
@Suite struct SecurityLogTests {
    private final class Clock {
        var now: UInt64 = 1_000_000_000
    }

    /// What a body has logged, line by line, and the metrics of it.
    private func logged(
        _ body: (SecurityLog, Clock) -> Void
    ) throws -> (lines: [[String: String]], metrics: String) {
        var ends: [Int32] = [0, 0]
        try #require(pipe(&ends) == 0)
        let logger = Logger(service: "test", replica: "host:1", descriptor: ends[1])
        let (metrics, clock) = (Metrics(), Clock())
        body(SecurityLog(logger, metrics: metrics) { clock.now }, clock)
        logger.flush()
        close(ends[1])
        let text = FileHandle(fileDescriptor: ends[0], closeOnDealloc: true).readDataToEndOfFile()
        let lines = try text.split(separator: 0x0a).map { line in
            try #require(JSONSerialization.jsonObject(with: line) as? [String: String])
        }
        return (lines, metrics.render())
    }

    private func facts(
        _ address: String = "203.0.113.77",
        _ sender: SecuritySender = .nobody
    ) -> SecurityLog.Facts {
        SecurityLog.Facts(route: "GET /v1/mine", sender: sender, address: address)
    }

    @Test func failedHandshakesAreCountedByReason() throws {
        let (lines, metrics) = try logged { log, _ in
            for error in [TransportError.tls, .closed, .timedOut, .tls] {
                log.noteHandshake(error)
            }
        }
        #expect(lines.isEmpty)
        for (reason, count) in [("invalid", 2), ("closed", 1), ("timed-out", 1)] {
            let counter = "ezwallet_tls_handshakes_failed_total{reason=\"\(reason)\"} \(count)\n"
            #expect(metrics.contains(counter), "\(metrics)")
        }
    }

    @Test func linesSayWhoWhereAndWhat() throws {
        let user = ID<User>.new()
        let request = RequestContext(
            deadline: .max,
            requestID: "abc",
            traceparent: "00-0123456789abcdef0123456789abcdef-0123456789abcdef-01"
        )
        let (lines, metrics) = try logged { log, _ in
            let refusal = APIError(.forbidden).caused(by: "role")
            log.note(.forbidden, refusal, facts("2001:db8:1:2::3", .user(user)), of: request)
        }
        let line = try #require(lines.first)
        #expect(lines.count == 1)
        let expected = [
            "level": "warning", "service": "test", "replica": "host:1",
            "message": "security event", "event": "forbidden", "route": "GET /v1/mine",
            "network": "2001:db8:1::/48", "code": "forbidden", "cause": "role",
            "requestId": "abc", "traceId": "0123456789abcdef0123456789abcdef",
        ]
        for (name, value) in expected { #expect(line[name] == value, "\(name)") }
        let sender = try #require(line["who"])
        #expect(sender.count == 16 && !user.text.contains(sender))
        #expect(metrics.contains("ezwallet_security_events_total{event=\"forbidden\"} 1\n"))
        #expect(metrics.contains("ezwallet_security_events_total{event=\"log-in\"} 0\n"))
    }

    @Test func floodsAreCounted() throws {
        let (lines, metrics) = try logged { log, clock in
            for number in 0..<1_000 {
                log.note(.unauthenticated, facts("198.51.100.\(number % 256)"))
            }
            log.note(.unauthenticated, facts())
            clock.now += SecurityLog.windowNanoseconds
            log.endWindow()
            log.note(.unauthenticated, facts("198.51.100.1"))
        }
        let events = lines.filter { $0["message"] == "security event" }
        #expect(events.count == SecurityLog.linesMax + 2)
        let counted = lines.filter { $0["message"] == "security events counted" }
        #expect(counted.map { $0["count"] } == ["990"])
        #expect(counted.map { $0["network"] } == ["198.51.100.0/24"])
        #expect(metrics.contains("ezwallet_security_events_total{event=\"unauthenticated\"} 1002"))
    }

    @Test func manyNetworksAreCountedTogether() throws {
        let networks = 1_000
        let (lines, _) = try logged { log, _ in
            for number in 0..<networks {
                log.note(.forbidden, facts("10.\(number / 256).\(number % 256).1"))
            }
            log.endWindow(isLast: true)
        }
        let most = SecurityLog.networksMax + SecurityLog.linesMax
        #expect(lines.count == most + 1)
        #expect(lines.last?["network"] == "others")
        #expect(lines.last?["count"] == String(networks - most))
    }

    @Test(arguments: [
        (APIError(.unauthenticated), SecurityEvent.unauthenticated),
        (APIError(.unauthenticated).caused(by: SecurityEvent.foreignOrigin), .originRefused),
        (APIError(.invalidRefreshToken), .proofRefused), (APIError(.wrongCode), .proofRefused),
        (APIError(.wrongCredentials), .proofRefused), (APIError(.userDisabled), .proofRefused),
        (APIError(.forbidden), .forbidden), (APIError(.stepUpRequired), .stepUpRequired),
        (APIError(.bodyTooLarge), .bodyTooLarge), (APIError(.lockedOut), .lockedOut),
        (APIError(.tooManyRequests), .tooManyRequests),
        (APIError(.headersTooLarge), .malformedRequest),
        (APIError(.invalidRequest), .malformedRequest),
    ])
    func everyKindOfRefusalHasItsEvent(refusal: APIError, event: SecurityEvent) {
        #expect(SecurityEvent(refusal) == event)
    }

    @Test(arguments: [ErrorCode.notFound, .invalidBody, .preconditionFailed, .internalError])
    func otherRefusalsAreNoEvents(code: ErrorCode) {
        #expect(SecurityEvent(APIError(code)) == nil)
    }
}
