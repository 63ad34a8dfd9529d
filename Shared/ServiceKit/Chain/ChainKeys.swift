internal import Crypto
internal import Postgres

/// The public keys of a chain's blocks, kept for as long as the chain, with a proof that each was
/// ours: a code under a secret outside the database, so that nobody signs the chain anew with a
/// key of their own.
struct ChainKeys {
    /// The first makes proofs, any of them checks one.
    let proofKeys: [[UInt8]]

    func proof(of id: String, x: [UInt8], y: [UInt8], under key: [UInt8]) -> [UInt8] {
        var all = CanonicalBytes("EZWallet chain key v1")
        all.append(id)
        all.append(x)
        all.append(y)
        return HMACSHA256.code(all.bytes, key: key)
    }

    /// Keeps a key's public half.
    func keep(_ key: ES256Key, in database: some Querying) async throws {
        try await database.execute(
            ChainStatements.insertKey,
            key.id,
            key.x,
            key.y,
            proof(of: key.id, x: key.x, y: key.y, under: proofKeys[0])
        )
    }

    /// The key of that name, and whether it is proved to be ours under a secret that we still
    /// have; nil: there is none, or its row is not what its name is of.
    func find(
        _ id: String,
        in database: some Querying
    ) async throws -> (key: ES256Key, isProved: Bool)? {
        var found: (key: ES256Key, isProved: Bool)?
        for row in try await database.query(ChainStatements.key, id) {
            // The name is the thumbprint: another key cannot stand under it.
            guard let key = try? ES256Key(x: row.x, y: row.y), key.id == id else { return nil }
            let isProved = proofKeys.contains {
                equalInConstantTime(row.proof, proof(of: id, x: row.x, y: row.y, under: $0))
            }
            if found?.isProved != true { found = (key, isProved) }
        }
        return found
    }
}
