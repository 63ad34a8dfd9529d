import Crypto
import Loops
import Postgres
import TestKit
import Testing
import WalletProtocol

@testable import AuthService
@testable import ServiceKit

/// What the walk says of a chain at its edges: numbers beyond all, other secrets, other beginnings.
@Suite struct AuditFaultTests {
    private static func verifier(
        _ harness: Harness,
        keys: [[UInt8]],
        sealSeconds: Int64 = ChainVerifier.sealSeconds
    ) -> ChainVerifier {
        ChainVerifier(
            AuditChain(log: AuditLog(keys: keys), database: harness.database),
            database: harness.database,
            proofKeys: keys,
            sealSeconds: sealSeconds
        )
    }

    private static func administer(_ script: SQLScript, _ harness: Harness) async throws {
        let name = harness.rig.service.settings.text(CommonVariables.databaseName)
        try await PostgresCluster.shared().administer(script, in: name)
    }

    /// A block by hand, its hash right; or the constraint that forbids it.
    private static func insert(
        height: Int64 = 1,
        count: Int64,
        _ harness: Harness
    ) async throws -> String? {
        var block = ChainBlock(
            chain: "auth.audit",
            height: height,
            previousHash: ChainBlock.noHash,
            from: 0,
            below: 5,
            count: count,
            leaves: [UInt8](repeating: 1, count: ChainBlock.hashBytes),
            sealedAt: .now(),
            keyID: "nobody's"
        )
        block.hash = block.computedHash
        do {
            try await harness.database.execute(
                ChainStatements.insert,
                block.chain,
                block.height,
                block.previousHash,
                String(block.from),
                String(block.below),
                block.count,
                block.leaves,
                block.sealedAt,
                block.keyID,
                block.hash,
                block.signature
            )
            return nil
        } catch { return error.violatedConstraint }
    }

    @Test func numbersBeyondAllAreFaults() async throws {
        try await Harness.run { _, harness in
            for count in [Int64.max, 0, -1, 2] {
                let refused = try await Self.insert(count: count, harness)
                #expect(refused == "chain_block_count_check", "\(count)")
            }
            let refused = try await Self.insert(height: .max, count: 1, harness)
            #expect(refused == "chain_block_bound_check")
            try await Self.administer(dropBounds, harness)
            let keys = harness.parts.configuration.auditKeys
            let verifier = Self.verifier(harness, keys: keys)
            for count in [Int64.max, Int64.max / 32 + 1, .min, 0, 2] {
                _ = try await Self.insert(count: count, harness)
                let verification = try await verifier.verify()
                #expect(verification.fault == ChainFault(kind: .blockChanged, height: 1))
                try await Self.administer("delete from auth.chain_block;", harness)
            }
            _ = try await Self.insert(height: .max, count: 1, harness)
            let missing = try await verifier.verify()
            #expect(missing.fault == ChainFault(kind: .blockMissing, height: 1))
            let behind = try await verifier.verify(after: .max)
            #expect(behind.fault == ChainFault(kind: .unknownKey, height: .max))
            try await AuditChainTests.append(1, harness)
            let sealer = harness.parts.auditSealer(harness.rig.service)
            await #expect(throws: ChainError.noHeightLeft) { _ = try await sealer.run() }
        }
    }

    @Test func aSecretRolledOutOverTwoReplicasForgesNothing() async throws {
        try await Harness.run { _, harness in
            let old = harness.parts.configuration.auditKeys
            let both = [[7]] + old
            let sealer = harness.parts.auditSealer(harness.rig.service)
            // One replica writes under the new secret; another, that has it not, seals.
            for keys in [both, old, both] {
                try await AuditLog(keys: keys).append(
                    [AuditEntry(.userRead, by: .operator, of: .new())],
                    in: harness.database
                )
            }
            try await AuditChainTests.seal(sealer, harness)
            let rolled = try await Self.verifier(harness, keys: both).verify()
            #expect(rolled.isIntact && rolled.entries == 3, "\(String(describing: rolled.fault))")
            let unproved = try await Self.verifier(harness, keys: old).verify()
            #expect(unproved.fault?.kind == .entryForged)
            try await AuditLog(keys: [[9]]).append(
                AuditEntry(.userRead, by: .operator, of: .new()),
                in: harness.database
            )
            try await AuditChainTests.seal(sealer, harness)
            let forged = try await Self.verifier(harness, keys: both).verify()
            #expect(forged.fault?.kind == .entryForged)
        }
    }

    @Test func aSavedHeadBelowTheBeginningIsHeldToo() async throws {
        try await Harness.run { _, harness in
            let sealer = harness.parts.auditSealer(harness.rig.service)
            var hashes: [[UInt8]] = []
            let verifier = AuditChainTests.verifier(harness)
            for count in 1...3 {
                try await AuditChainTests.append(count, harness)
                try await AuditChainTests.seal(sealer, harness)
                let head = try #require(try await verifier.verify().head)
                hashes.append(try #require(bytes(hexadecimal: head.hash, count: 32)))
            }
            for after in Int64(0)...3 {
                for height in Int64(1)...3 {
                    let right = try await verifier.verify(
                        after: after,
                        saved: (height, hashes[Int(height) - 1])
                    )
                    #expect(right.isIntact, "\(after), \(height)")
                    let wrong = try await verifier.verify(
                        after: after,
                        saved: (height, hashes[Int(height) % 3])
                    )
                    let fault = ChainFault(kind: .headDiffers, height: height)
                    #expect(wrong.fault == fault, "\(after), \(height)")
                }
            }
            for height in [0, -1, Int64.min] {
                let wrong = try await verifier.verify(saved: (height, hashes[0]))
                #expect(wrong.fault?.kind == .headDiffers)
            }
            try await Self.administer("delete from auth.chain_block where height = 1;", harness)
            let cut = try await verifier.verify(after: 3, saved: (1, hashes[0]))
            #expect(cut.fault == ChainFault(kind: .blockMissing, height: 1))
        }
    }

    @Test func whatNobodyVouchesForYetIsNotCalledIntact() async throws {
        try await Harness.run { _, harness in
            try await AuditChainTests.append(3, harness)
            let key = try ES256Key.generate()
            let forger = ChainSealer(
                AuditChain(log: harness.parts.audit, database: harness.database),
                database: harness.database,
                proofKeys: [[7]],
                signingKey: { key }
            )
            try await AuditChainTests.seal(forger, harness)
            let verifier = AuditChainTests.verifier(harness)
            let part = try await verifier.verify(until: 0)
            #expect(!part.isIntact && !part.isComplete && part.fault == nil)
            let rest = try await verifier.verify(after: part.verifiedTo)
            #expect(rest.fault == ChainFault(kind: .unknownKey, height: 1))
        }
    }

    @Test func whatComesToLightLateGetsASecondLook() async throws {
        try await Harness.run { actor, harness in
            let keys = harness.parts.configuration.auditKeys
            // As if each entry had waited for its block too long.
            let verifier = Self.verifier(harness, keys: keys, sealSeconds: -1)
            try await AuditChainTests.append(1, harness)
            let unsealed = try await verifier.verify().fault
            #expect(unsealed?.kind == .entryUnsealed && unsealed?.count == 1)
            let bound = LoopBound(harness, to: actor)
            let sealing = actor.spawn { actor in
                do {
                    try await actor.loop.sleep(nanoseconds: 100_000_000)
                    let harness = bound.on(actor)
                    let sealer = harness.parts.auditSealer(harness.rig.service)
                    // Other tests' transactions, of the same cluster, may hold it back.
                    while try await sealer.run() == 0 {
                        try await actor.loop.sleep(nanoseconds: 20_000_000)
                    }
                } catch { Issue.record("\(error)") }
            }
            var verification = try await verifier.verify()
            await sealing.value
            if !verification.isIntact { verification = try await verifier.verify() }
            #expect(verification.isIntact && verification.entries == 1)
        }
    }

    @Test func textsOfNobodyAreFoundPageByPage() async throws {
        try await Harness.run { _, harness in
            let chain = AuditChain(log: harness.parts.audit, database: harness.database)
            try await Self.administer(manyTexts, harness)
            var place: ID<ChainFault>?
            var pages = 0
            while true {
                let page = try await chain.strays(after: place)
                #expect(page.fault == nil)
                pages += 1
                place = page.last
                if place == nil { break }
            }
            #expect(pages == 3)
            try await Self.administer(strayText, harness)
            let first = try await chain.strays(after: nil)
            let second = try await chain.strays(after: first.last)
            let third = try await chain.strays(after: second.last)
            #expect(first.fault == nil && second.fault == nil)
            #expect(third.fault?.kind == .textAdded)
        }
    }

    // Its turn among the other tests counts, too.
    @Test(.timeLimit(.minutes(5))) func textsBesideTheEntriesEndAtTheDeadlineToo() async throws {
        try await Harness.run { _, harness in
            let audit = AuditChain(log: harness.parts.audit, database: harness.database)
            let verifier = ChainVerifier(
                EndlessTexts(audit: audit),
                database: harness.database,
                proofKeys: harness.parts.configuration.auditKeys
            )
            let verification = try await verifier.verify(
                until: monotonicNanoseconds() + 20_000_000
            )
            #expect(!verification.isComplete && verification.fault == nil)
        }
    }
}

/// A source that never ends to tell of texts.
private struct EndlessTexts: ChainSource {
    let audit: AuditChain
    var chain: String { audit.chain }

    func hasEntries(from: UInt64) async throws -> Bool { try await audit.hasEntries(from: from) }

    func entries(
        from: UInt64,
        after: ID<ChainFault>?,
        through: UInt64,
        limit: Int
    ) async throws -> [ChainEntry] {
        try await audit.entries(from: from, after: after, through: through, limit: limit)
    }

    func strays(
        after: ID<ChainFault>?
    ) async throws -> (fault: ChainFault?, last: ID<ChainFault>?) {
        _ = try await audit.strays(after: after)
        return (nil, .new())
    }
}

private let dropBounds: SQLScript = """
    alter table auth.chain_block
        drop constraint chain_block_count_check, drop constraint chain_block_bound_check;
    """

private let manyTexts: SQLScript = """
    insert into auth.audit_entry (
        id, actor, action, detail, text_hash, address_family, at, code)
    select gen_random_uuid(), 'operator', 'user-read', '{}', sha256('x'), 'IPv4', now(),
        sha256('x')
    from generate_series(1, 4500);
    insert into auth.audit_text (entry_id, salt, value)
    select id, sha256('x'), '{}' from auth.audit_entry;
    """

private let strayText: SQLScript = """
    set session_replication_role = replica;
    insert into auth.audit_text (entry_id, salt, value)
    values ('ffffffff-ffff-ffff-ffff-ffffffffffff', sha256('x'), '{}');
    reset session_replication_role;
    """
