import Loops
import TestKit
import Testing
import WalletProtocol

@testable import GatewayService

/// What the proxy does with requests in flight where a replica dies.
@Suite(.serialized) struct DeathTests {
    @Test func manyReadsOfOneClientAreInFlightAtOneKillAndNoneFails() async throws {
        let replicas = [MortalReplica(), MortalReplica()]
        try await withProxy(replicas.map(\.server)) { proxy in
            let peers = (0..<60).map { _ in proxy.open("GET", query: "?hold") }
            try await proxy.waits { _ in replicas.reduce(0) { $0 + $1.held } == 60 }
            #expect(replicas.allSatisfy { $0.held > 0 })
            replicas[0].die(forGood: true)
            replicas[1].release()
            for peer in peers { #expect(peer.read().hasSuffix("ok")) }
            #expect(await proxy.look { $0.service.repeats.suspectCount } == 0)
        }
    }

    @Test func aKillerCostsTwoReplicasHoweverOftenItComes() async throws {
        let replicas = (0..<4).map { _ in MortalReplica() }
        try await withProxy(replicas.map(\.server)) { proxy in
            for _ in 0..<12 {
                #expect(proxy.ask("GET", query: "?kill").hasPrefix("HTTP/1.1 502 "))
            }
            #expect(replicas.filter { $0.deaths > 0 }.count == 2)
            #expect(await proxy.look { $0.service.repeats.suspectCount } == 1)
        }
    }

    @Test func whoAsksOtherThingsThanAKillerIsServedAndRepeated() async throws {
        let replicas = (0..<4).map { _ in MortalReplica() }
        let other = try #require(
            Catalogue.public.last {
                $0.service == .ledger && $0.method == .get && !$0.path.text.contains("{")
            }
        ).path.text
        try await withProxy(replicas.map(\.server)) { proxy in
            try #require(other != proxy.path)
            #expect(proxy.ask("GET", query: "?kill").hasPrefix("HTTP/1.1 502 "))
            let peers = (0..<20).map { _ in RawPeer(port: proxy.port) }
            for peer in peers { peer.send("GET \(other)?hold HTTP/1.1\r\nHost: h\r\n\r\n") }
            try await proxy.waits { _ in replicas.reduce(0) { $0 + $1.held } == 20 }
            let fullest = try #require(replicas.max { $0.held < $1.held })
            fullest.die(forGood: true)
            for replica in replicas { replica.release() }
            for peer in peers { #expect(peer.read().hasSuffix("ok")) }
        }
    }

    @Test func aPostIsSentOnceThoughItsReplicaDies() async throws {
        let replicas = [MortalReplica(), MortalReplica()]
        try await withProxy(replicas.map(\.server)) { proxy in
            let answer = proxy.ask("POST", query: "?kill")
            #expect(answer.hasPrefix("HTTP/1.1 502 "))
            #expect(replicas.reduce(0) { $0 + $1.deaths } == 1)
        }
    }
}
