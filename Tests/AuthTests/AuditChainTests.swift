import Crypto
import Loops
import Postgres
import Synchronization
import TestKit
import Testing
import WalletProtocol

@testable import AuthService
@testable import ServiceKit

/// Every entry in one block, in order; and nobody alters what was sealed unseen.
@Suite struct AuditChainTests {
    static func verifier(_ harness: Harness) -> ChainVerifier {
        let parts = harness.parts
        return ChainVerifier(
            AuditChain(log: parts.audit, database: harness.database),
            database: harness.database,
            proofKeys: parts.configuration.auditKeys
        )
    }

    static func append(_ count: Int, _ harness: Harness) async throws {
        let subject = ID<User>.new()
        try await harness.database.transaction { transaction in
            var entries: [AuditEntry] = []
            for number in 0..<count {
                let actor: AuditActor = number % 2 == 0 ? .user(.new()) : .operator
                let about: ID<User>? = number % 4 == 3 ? nil : subject
                if number % 3 == 0 {
                    let name = "Änne \(number)"
                    entries.append(
                        AuditEntry(
                            .userChanged,
                            by: actor,
                            of: about,
                            detail: ["fields": ["firstName"]],
                            texts: ["firstName": name]
                        )
                    )
                } else {
                    entries.append(AuditEntry(.userRead, by: actor, of: about))
                }
            }
            try await harness.parts.audit.append(entries, in: transaction)
        }
    }

    /// Seals what there is; other tests' transactions, of the same cluster, hold it back a while.
    static func seal(_ sealer: ChainSealer, _ harness: Harness) async throws {
        while true {
            _ = try await sealer.run()
            guard try await harness.database.queryOne(hasUnsealed) == true else { return }
            try await harness.rig.service.loop.sleep(nanoseconds: 5_000_000)
        }
    }

    @Test func entriesAreSealedAndVerifiedFromNothingOrFromABlock() async throws {
        try await Harness.run { _, harness in
            let verifier = Self.verifier(harness)
            let sealer = harness.parts.auditSealer(harness.rig.service)
            let empty = try await verifier.verify()
            #expect(empty.isIntact && empty.isComplete && empty.head == nil)
            let nothing = try await sealer.run()
            #expect(nothing == 0)
            for count in [1, 3, 700] {
                try await Self.append(count, harness)
                try await Self.seal(sealer, harness)
            }
            let whole = try await verifier.verify()
            #expect(whole.isIntact && whole.isComplete)
            #expect(whole.entries == 704 && whole.verifiedTo == 3)
            #expect(whole.head?.height == 3)
            let rest = try await verifier.verify(after: 2)
            #expect(rest.isIntact && rest.entries == 700 && rest.verifiedFrom == 2)
            let end = try await verifier.verify(after: 3)
            #expect(end.isIntact && end.isComplete && end.entries == 0)
            let beyond = try await verifier.verify(after: 4)
            #expect(beyond.fault?.kind == .tailCut)
            // A walk that is out of time goes on behind its last block.
            let part = try await verifier.verify(until: 0)
            #expect(!part.isComplete && part.isIntact && part.verifiedTo == 3)
            // The head is told to whoever keeps heads.
            let told = try await harness.database.query(sealedEvents)
            #expect(told.count == 3 && told.last?.contains(whole.head?.hash ?? "?") == true)
        }
    }

    @Test func everyEntryLandsInOneBlockWhoeverWritesAndSeals() async throws {
        try await Harness.run { actor, harness in
            let bound = LoopBound(harness, to: actor)
            let sealing = Sealing()
            // Two that take turns by the lease, and two that believe to hold it at all times, as
            // one does that was frozen and thawed.
            let sealers = [0.05, 0.05, -1, -1].map { lease in
                let keys = harness.parts.keys
                return LoopBound(
                    ChainSealer(
                        AuditChain(log: harness.parts.audit, database: harness.database),
                        database: harness.database,
                        proofKeys: harness.parts.configuration.auditKeys,
                        leaseSeconds: lease,
                        signingKey: { try await keys.signingKey() }
                    ),
                    to: actor
                )
            }
            let workers = sealers.map { sealer in
                actor.spawn { actor in
                    while !sealing.isOver.value {
                        do { _ = try await sealer.on(actor).run() } catch {
                            Issue.record("\(error)")
                        }
                        try? await actor.loop.sleep(nanoseconds: 2_000_000)
                    }
                }
            }
            let written = try await atOnce(16, on: actor) { actor, number in
                let harness = bound.on(actor)
                var random = SystemRandomNumberGenerator()
                var count = 0
                var round = 0
                // Whatever other tests hold open in the same cluster holds the sealers back.
                while try await harness.goesOn(writing: round, untilBlocks: 4) {
                    let several = Int.random(in: 1...4, using: &random)
                    try await harness.database.transaction { transaction in
                        for _ in 0..<several {
                            try await harness.parts.audit.append(
                                AuditEntry(.userRead, by: .user(.new()), of: .new()),
                                in: transaction
                            )
                            // Some last longer than many rounds of the sealers.
                            if number % 4 == 0, round % 3 == 0 {
                                try await actor.loop.sleep(nanoseconds: 40_000_000)
                            }
                        }
                    }
                    count += several
                    round += 1
                }
                return count
            }
            sealing.isOver.value = true
            for worker in workers { await worker.value }
            try await Self.seal(sealers[2].on(actor), harness)
            let total = Int64(written.reduce(0, +))
            let verification = try await Self.verifier(harness).verify()
            #expect(verification.isIntact, "\(String(describing: verification.fault))")
            #expect(verification.entries == total)
            let homes = try await harness.database.queryOne(homesOfEntries)
            #expect(homes?.entries == total && homes?.least == 1 && homes?.most == 1)
            #expect(verification.verifiedTo > 3, "sealed while they wrote")
        }
    }

    @Test func everyAlterationIsFound() async throws {
        let seed = UInt64.random(in: 0...UInt64.max)
        try await Harness.run { _, harness in
            let sealer = harness.parts.auditSealer(harness.rig.service)
            for count in [2, 5, 1, 9, 4] {
                try await Self.append(count, harness)
                try await Self.seal(sealer, harness)
            }
            let head = try #require(try await Self.verifier(harness).verify().head)
            let saved = (head.height, try #require(bytes(hexadecimal: head.hash, count: 32)))
            let name = harness.rig.service.settings.text(CommonVariables.databaseName)
            try await PostgresCluster.shared().administer(tamperingScript, in: name)
            var random = SeededGenerator(seed: seed)
            var done = 0
            while done < 250 {
                let rolls = (0..<3).map { _ in Int32.random(in: 0...1_000_000, using: &random) }
                let what = try await harness.database.queryOne(
                    tamper,
                    rolls[0],
                    rolls[1],
                    rolls[2]
                )
                guard let what = what ?? nil else { continue }
                done += 1
                // What the sealer makes of it meanwhile hides nothing.
                if done % 2 == 0 { _ = try? await sealer.run() }
                let verification = try await Self.verifier(harness).verify(saved: saved)
                #expect(!verification.isIntact, "seed \(seed): \(what) was not found")
                _ = try await harness.database.queryOne(restoreAudit)
            }
            let good = try await Self.verifier(harness).verify(saved: saved)
            #expect(good.isIntact)
        }
    }

    @Test func anErasedPersonBreaksNothing() async throws {
        try await Harness.run { _, harness in
            let sealer = harness.parts.auditSealer(harness.rig.service)
            let subject = ID<User>.new()
            let audit = harness.parts.audit
            try await audit.append(
                AuditEntry(.userCreated, by: .operator, of: subject, texts: ["username": "anna"]),
                in: harness.database
            )
            try await Self.seal(sealer, harness)
            try await harness.database.transaction { transaction in
                try await audit.eraseTexts(of: subject, in: transaction)
                try await audit.append(
                    AuditEntry(.userErased, by: .user(subject), of: subject),
                    in: transaction
                )
            }
            try await Self.seal(sealer, harness)
            let verification = try await Self.verifier(harness).verify()
            #expect(verification.isIntact && verification.entries == 2)
        }
    }

    @Test func oldBlocksVerifyWhenTheirKeyIsRetired() async throws {
        try await Harness.run { _, harness in
            let sealer = harness.parts.auditSealer(harness.rig.service)
            try await Self.append(3, harness)
            try await Self.seal(sealer, harness)
            let old = try await harness.parts.keys.signingKey()
            _ = try await harness.parts.keys.rotation.rotate(now: true)
            try await harness.database.execute(forgetKeys, old.id)
            // As a replica that starts now: it has read none of the old keys.
            let parts = try AuthParts(harness.rig.service)
            try await Self.append(3, harness)
            try await Self.seal(parts.auditSealer(harness.rig.service), harness)
            let signers = try await harness.database.query(signersOfBlocks)
            #expect(Set(signers).count == 2 && signers.first == old.id && signers.last != old.id)
            let verification = try await Self.verifier(harness).verify()
            // Three, the change of keys, and three.
            #expect(verification.isIntact && verification.entries == 7)
            // A secret outside that was replaced since: the newest proof vouches for all before.
            let another = ChainVerifier(
                AuditChain(log: AuditLog(keys: [[1]]), database: harness.database),
                database: harness.database,
                proofKeys: [[1]]
            )
            let unvouched = try await another.verify()
            #expect(unvouched.fault == ChainFault(kind: .unknownKey, height: 1))
            try await Self.append(1, harness)
            let keys = parts.keys
            let successor = ChainSealer(
                AuditChain(
                    log: AuditLog(keys: [[1]] + parts.configuration.auditKeys),
                    database: harness.database
                ),
                database: harness.database,
                proofKeys: [[1]] + parts.configuration.auditKeys,
                leaseSeconds: -1,
                signingKey: { try await keys.signingKey() }
            )
            try await harness.database.execute(endLease)
            try await Self.seal(successor, harness)
            let vouched = try await another.verify()
            #expect(vouched.isIntact, "\(String(describing: vouched.fault))")
        }
    }

    /// One who may write everything in the database, and has read the sealed keys, cannot sign.
    @Test func aChainSignedAnewIsFound() async throws {
        try await Harness.run { _, harness in
            try await Self.append(3, harness)
            let key = try ES256Key.generate()
            let forger = ChainSealer(
                AuditChain(log: harness.parts.audit, database: harness.database),
                database: harness.database,
                proofKeys: [[7]],
                signingKey: { key }
            )
            try await Self.seal(forger, harness)
            let verification = try await Self.verifier(harness).verify()
            #expect(verification.fault == ChainFault(kind: .unknownKey, height: 1))
        }
    }

    @Test func noSignatureOfABlockIsATokensNorTheReverse() async throws {
        try await Harness.run { _, harness in
            let key = try await harness.parts.keys.signingKey()
            let hash = SHA256.digest("block".utf8)
            let signed = ChainBlock.signedBytes(hash)
            #expect(signed.contains(0), "which no compact token contains")
            let token = CompactJWS.sign(Array("{}".utf8), with: key)
            let jws = try CompactJWS(Array(token.utf8))
            let parts = token.split(separator: ".")
            let signature = try #require(Base64URL.decode(parts[2].utf8))
            #expect(jws.isSigned(by: key))
            #expect(!key.verify(signature, over: signed))
            let block = key.sign(signed)
            let forged = parts[0] + "." + parts[1] + "." + Base64URL.encode(block)
            let parsed = try CompactJWS(Array(forged.utf8))
            #expect(!parsed.isSigned(by: key))
        }
    }
}

/// Shared by tasks of one loop alone.
private final class Sealing: Sendable {
    let isOver = Flag()
}

/// Set on one thread and read on another.
final class Flag: Sendable {
    private let state = Atomic<Bool>(false)
    var value: Bool {
        get { state.load(ordering: .relaxed) }
        set { state.store(newValue, ordering: .relaxed) }
    }
}

extension Harness {
    /// Whether a writer has another round to do: twelve, and on while too few blocks are sealed
    /// beside them, a minute at most.
    fileprivate func goesOn(writing round: Int, untilBlocks count: Int64) async throws -> Bool {
        if round < 12 { return true }
        guard round < 1_200, try await database.queryOne(blockCount) ?? 0 < count else {
            return false
        }
        try await rig.service.loop.sleep(nanoseconds: 50_000_000)
        return true
    }
}

private let blockCount = Statement("select count(*) from auth.chain_block") { row in
    try row.int64(0)
}

private let sealedEvents = Statement(
    "select payload::text from auth.outbox where aggregate = 'audit:log' order by sequence"
) { row in try row.string(0) }

private let homesOfEntries = Statement(
    """
    select count(*), min(homes), max(homes)
    from (
        select (select count(*) from auth.chain_block b
            where e.xid::text::bigint >= b.number_from
                and e.xid::text::bigint < b.number_below) as homes
        from auth.audit_entry e) as all_entries
    """
) { row in try (entries: row.int64(0), least: row.int64(1), most: row.int64(2)) }

private let hasUnsealed = Statement(
    """
    select exists (
        select from auth.audit_entry
        where xid >= coalesce((select max(number_below) from auth.chain_block), 0)
            ::text::xid8)
    """
) { row in try row.bool(0) }

private let signersOfBlocks = Statement(
    "select key_id from auth.chain_block order by height"
) { row in try row.string(0) }

private let forgetKeys = Statement<Void>("delete from auth.signing_key where key_id = $1")
private let endLease = Statement<Void>("update auth.chain_lease set until = '-infinity'")
