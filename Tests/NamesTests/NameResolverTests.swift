import Glibc
import Loops
import Names
import TestKit
import Testing

@Suite struct NameResolverTests {
    @Test func addressesInFiguresAreAnsweredWithoutAsking() async throws {
        try await withResolver { _, resolver in
            for host in ["127.0.0.1", "10.1.2.3", "::1", "2001:db8::7"] {
                let found = try await resolver.addresses(of: host)
                same(found.map(\.text), [host])
                same(found[0].isIPv6, host.contains(":"))
            }
            same(resolver.lookupCount, 0)
        }
    }

    @Test func allAddressesOfANameComeWithTheirTimeToLive() async throws {
        try await withResolver { server, resolver in
            server.set("db.test", ["2001:db8::1", "10.0.0.2", "10.0.0.1"], ttl: 7)
            let found = try await resolver.addresses(of: "db.test")
            same(Set(found.prefix(2).map(\.text)), ["10.0.0.1", "10.0.0.2"])
            same(found.dropFirst(2).map(\.text), ["2001:db8::1"])
            same(Set(found.map(\.secondsToLive)), [7])
        }
    }

    @Test func theHostsFileComesFirst() async throws {
        let (name, address) = try hostsEntry()
        try await withResolver { server, resolver in
            server.set(name, ["10.9.9.9"])
            let found = try await resolver.addresses(of: name)
            #expect(found.map(\.text).contains(address))
            same(server.questions, [])
        }
    }

    @Test func anAnswerIsKeptForItsTimeAndThenAskedForAgain() async throws {
        try await withResolver { server, resolver in
            server.set("db.test", ["10.0.0.1"], ttl: 1)
            for _ in 0..<5 { _ = try await resolver.addresses(of: "DB.test") }
            same(resolver.lookupCount, 1)
            server.set("db.test", ["10.0.0.2"], ttl: 1)
            let moved = try await eventually {
                try await resolver.addresses(of: "db.test").map(\.text) == ["10.0.0.2"]
            }
            #expect(moved)
        }
    }

    @Test func aTimeToLiveIsHeldWithinItsBounds() async throws {
        try await withResolver { server, resolver in
            server.set("long.test", ["10.0.0.1"], ttl: 86_400)
            server.set("short.test", ["10.0.0.1"], ttl: 0)
            let long = try await resolver.addresses(of: "long.test")
            same(long.map(\.secondsToLive), [60])
            let short = try await resolver.addresses(of: "short.test")
            same(short.map(\.secondsToLive), [1])
        }
    }

    @Test func whoWantsItFreshHasItAskedForAgain() async throws {
        try await withResolver { server, resolver in
            server.set("db.test", ["10.0.0.1"])
            _ = try await resolver.addresses(of: "db.test")
            server.set("db.test", ["10.0.0.2"])
            let kept = try await resolver.addresses(of: "db.test", secondsOldMax: 30)
            same(kept.map(\.text), ["10.0.0.1"])
            let fresh = try await resolver.addresses(of: "db.test", secondsOldMax: 0)
            same(fresh.map(\.text), ["10.0.0.2"])
        }
    }

    @Test func whoAsksAtTheSameTimeSharesOneLookUp() async throws {
        try await withResolver { server, resolver in
            server.set("db.test", ["10.0.0.1"])
            let loop = resolver.loop
            let bound = LoopBound(resolver, to: loop.actor)
            let tasks = (0..<20).map { _ in
                loop.actor.spawn { actor in
                    let found = try? await bound.on(actor).addresses(of: "db.test")
                    same(found?.map(\.text), ["10.0.0.1"])
                }
            }
            for task in tasks { await task.value }
            same(resolver.lookupCount, 1)
        }
    }

    @Test func anAbsentNameIsKeptBriefly() async throws {
        try await withResolver { server, resolver in
            let first = await problem { try await resolver.addresses(of: "none.test") }
            same(first, .notFound)
            server.set("none.test", ["10.0.0.1"])
            let second = await problem { try await resolver.addresses(of: "none.test") }
            same(second, .notFound)
            same(resolver.lookupCount, 1)
            let came = try await eventually {
                (try? await resolver.addresses(of: "none.test"))?.map(\.text) == ["10.0.0.1"]
            }
            #expect(came)
        }
    }

    @Test func aNameWithoutAddressesIsAbsent() async throws {
        try await withResolver { server, resolver in
            server.set("text.test", [])
            let found = await problem { try await resolver.addresses(of: "text.test") }
            same(found, .notFound)
        }
    }

    @Test(arguments: ["", ".", "a..b", "a b", "ä.test", String(repeating: "a", count: 64)])
    func whatCannotBeANameIsNotAskedFor(_ name: String) async throws {
        try await withResolver { _, resolver in
            let found = await problem { try await resolver.addresses(of: name) }
            same(found, .notFound)
            same(resolver.lookupCount, 0)
        }
    }

    @Test func theTableOfNamesNeverGrowsOverItsBound() async throws {
        try await withResolver({ $0.namesMax = 4 }) { server, resolver in
            for index in 0..<10 {
                server.set("n\(index).test", ["10.0.0.\(index)"])
                let found = try await resolver.addresses(of: "n\(index).test")
                same(found.map(\.text), ["10.0.0.\(index)"])
                #expect(resolver.knownCount <= 4)
            }
        }
    }
}

@Suite struct NameServerFaultTests {
    @Test(arguments: [NameServer.Manner.isSilent, .talksGarbage])
    func withoutAnAnswerTheLookUpEndsInTime(_ manner: NameServer.Manner) async throws {
        try await withResolver(impatient) { server, resolver in
            server.set(manner)
            let begin = monotonicNanoseconds()
            let ended = await problem { try await resolver.addresses(of: "db.test") }
            same(ended, .timedOut)
            #expect(monotonicNanoseconds() - begin < 10_000_000_000)
            server.set(.answers)
            server.set("db.test", ["10.0.0.1"])
            let found = try await resolver.addresses(of: "db.test")
            same(found.map(\.text), ["10.0.0.1"])
        }
    }

    @Test func aCallersOwnDeadlineEndsItsWaitAlone() async throws {
        try await withResolver({ $0.tryMilliseconds = 20_000 }) { server, resolver in
            server.set(.isSilent)
            let context = RequestContext(
                deadline: monotonicNanoseconds() + 50_000_000,
                requestID: "test",
                traceparent: nil
            )
            let ended = await RequestContext.with(context) {
                await problem { try await resolver.addresses(of: "db.test") }
            }
            same(ended, .timedOut)
        }
    }

    @Test func aCancelledCallerLeaves() async throws {
        try await withResolver({ $0.tryMilliseconds = 20_000 }) { server, resolver in
            server.set(.isSilent)
            let bound = LoopBound(resolver, to: resolver.loop.actor)
            let task = resolver.loop.actor.spawn { actor in
                let resolver = bound.on(actor)
                let ended = await problem { try await resolver.addresses(of: "db.test") }
                same(ended, .cancelled)
            }
            while server.questions.isEmpty {
                try await resolver.loop.sleep(nanoseconds: 1_000_000)
            }
            task.cancel()
            await task.value
        }
    }

    @Test func whoWaitsIsToldWhenTheResolverIsClosed() async throws {
        try await withResolver({ $0.tryMilliseconds = 20_000 }) { server, resolver in
            server.set(.isSilent)
            let bound = LoopBound(resolver, to: resolver.loop.actor)
            let task = resolver.loop.actor.spawn { actor in
                let resolver = bound.on(actor)
                let ended = await problem { try await resolver.addresses(of: "db.test") }
                same(ended, .cancelled)
            }
            while server.questions.isEmpty {
                try await resolver.loop.sleep(nanoseconds: 1_000_000)
            }
            resolver.close()
            await task.value
        }
    }

    @Test func aRefusalIsToldAndNotKept() async throws {
        try await withResolver { server, resolver in
            server.set("db.test", ["10.0.0.1"])
            server.set(.refuses)
            let ended = await problem { try await resolver.addresses(of: "db.test") }
            #expect(ended != nil && ended != .notFound, "\(ended as Any)")
            server.set(.answers)
            let found = try await resolver.addresses(of: "db.test")
            same(found.map(\.text), ["10.0.0.1"])
        }
    }

    @Test func aTruncatedAnswerIsAskedForAgainOverTCP() async throws {
        try await withResolver { server, resolver in
            server.set(.truncates)
            server.set("db.test", (1...60).map { "10.0.0.\($0)" })
            let found = try await resolver.addresses(of: "db.test")
            same(found.count, 60)
        }
    }

    @Test func ofTwoServersOneMayBeDown() async throws {
        try await withResolver(impatient, servers: ["127.0.0.9", "127.0.0.1"]) { server, resolver in
            server.set("db.test", ["10.0.0.1"])
            let found = try await resolver.addresses(of: "db.test")
            same(found.map(\.text), ["10.0.0.1"])
        }
    }

    @Test func whenTheServersHaveFailedTheFileIsReadAgain() async throws {
        let file = try NameServer.serversFile(["127.0.0.9"])
        defer { unlink(file) }
        try await withResolver(impatient, file: file) { server, resolver in
            server.set("db.test", ["10.0.0.1"])
            let ended = await problem { try await resolver.addresses(of: "db.test") }
            #expect(ended != nil)
            _ = try NameServer.serversFile([server.address], at: file)
            let found = try await resolver.addresses(of: "db.test")
            same(found.map(\.text), ["10.0.0.1"])
        }
    }

    @Test func moreLookUpsThanTheBoundAreRefused() async throws {
        try await withResolver({ $0.lookupsMax = 1 }) { server, resolver in
            server.set(.isSilent)
            let bound = LoopBound(resolver, to: resolver.loop.actor)
            let task = resolver.loop.actor.spawn { actor in
                _ = try? await bound.on(actor).addresses(of: "first.test")
            }
            while server.questions.isEmpty {
                try await resolver.loop.sleep(nanoseconds: 1_000_000)
            }
            let second = await problem { try await resolver.addresses(of: "second.test") }
            same(second, .tooMany)
            resolver.close()
            await task.value
        }
    }
}
