import Glibc
import Loops
import Names
import TestKit
import Testing
import WalletProtocol

@testable import AuthService
@testable import ServiceKit

/// Whose silence pauses the check of mail domains.
@Suite struct MailDomainCheckTests {
    /// Whether an address is let pass, and whether the server was asked of it.
    private static func asks(
        _ check: MailDomainCheck,
        _ server: NameServer,
        _ address: String
    ) async throws -> (passes: Bool, isAsked: Bool) {
        let email = try #require(EmailAddress(address))
        let before = server.questions.count
        var checks = FieldChecks()
        await check.check(email, &checks)
        let passes = (try? checks.finish()) != nil
        return (passes, server.questions.count > before)
    }

    private static func run(
        _ body: @escaping @Sendable (NameServer, MailDomainCheck) async throws -> Void
    ) async throws {
        let server = try NameServer()
        defer { server.stop() }
        let file = try NameServer.serversFile(["127.0.0.1"])
        defer { unlink(file) }
        var configuration = ResolverConfiguration()
        configuration.serversFile = file
        configuration.serverPort = server.port
        let final = configuration
        let group = LoopGroup(count: 1)
        group.startAll()
        defer { group.stop() }
        try await group.loops[0].actor.run { actor in
            let names = NameResolver(on: actor.loop, configuration: final)
            defer { names.close() }
            let logger = Logger(service: "auth", level: .error)
            try await body(server, MailDomainCheck(names: names, validator: nil, logger: logger))
        }
    }

    @Test func aStrangersSlowServerSwitchesNothingOff() async throws {
        try await Self.run { server, check in
            server.setMail("good.test", ["mx.good.test"])
            server.silence("slow.test")
            // However many names it has, and once however often.
            for number in 0..<MailDomainCheck.silentDomainsMax {
                let slow = try await Self.asks(check, server, "a@n\(number).slow.test")
                #expect(slow.passes && slow.isAsked, "who says nothing is let pass")
            }
            let absent = try await Self.asks(check, server, "a@absent.test")
            #expect(!absent.passes && absent.isAsked)
            // Nor do many, as long as others are answered for in between.
            for number in 0..<MailDomainCheck.silentDomainsMax {
                server.silence("slow\(number).test")
                let slow = try await Self.asks(check, server, "a@slow\(number).test")
                let good = try await Self.asks(check, server, "a@good.test")
                #expect(slow.passes && good.passes && good.isAsked)
            }
            let last = try await Self.asks(check, server, "a@absent.test")
            #expect(!last.passes)
        }
    }

    @Test func nobodyWaitsForAResolverThatIsOut() async throws {
        try await Self.run { server, check in
            server.set(.isSilent)
            for number in 0..<MailDomainCheck.silentDomainsMax {
                let slow = try await Self.asks(check, server, "a@good\(number).test")
                #expect(slow.passes && slow.isAsked)
            }
            let started = monotonicNanoseconds()
            for number in 0..<20 {
                let paused = try await Self.asks(check, server, "a@other\(number).test")
                #expect(paused.passes && !paused.isAsked)
            }
            #expect(monotonicNanoseconds() - started < 2_000_000_000)
        }
    }
}
