import Loops
import Names
import TestKit
import Testing

@Suite struct MailDomainTests {
    @Test func mailGoesToAHostOrToTheDomainItself() async throws {
        try await withResolver { server, resolver in
            server.setMail("mx.test", ["a.mx.test", "b.mx.test"])
            server.set("a.test", ["192.0.2.1"])
            server.set("aaaa.test", ["2001:db8::1"])
            server.setMail("null.test", ["."])
            server.set("bare.test", [])
            let wanted: [(String, MailDomain)] = [
                ("mx.test", .takesMail), ("A.test", .takesMail), ("aaaa.test", .takesMail),
                ("null.test", .refusesMail), ("bare.test", .isAbsent), ("no.test", .isAbsent),
                ("..", .isAbsent),
            ]
            for (domain, expected) in wanted {
                let said = try await resolver.mailDomain(domain, deadline: soon())
                #expect(said == expected, "\(domain)")
            }
        }
    }

    @Test(arguments: [NameServer.Manner.fails, .refuses, .isSilent, .talksGarbage])
    func aServerThatDoesNotAnswerSaysNothing(manner: NameServer.Manner) async throws {
        try await withResolver(impatient) { server, resolver in
            server.setMail("mx.test", ["a.mx.test"])
            server.set(manner)
            let started = monotonicNanoseconds()
            do throws(NameError) {
                let said = try await resolver.mailDomain("mx.test", deadline: soon())
                Issue.record("\(said)")
            } catch { #expect(error != .notFound) }
            #expect(monotonicNanoseconds() - started < 2_000_000_000)
            server.set(.answers)
            let said = try await resolver.mailDomain("mx.test", deadline: soon())
            #expect(said == .takesMail)
        }
    }
}

private func soon() -> UInt64 { monotonicNanoseconds() + 1_000_000_000 }
