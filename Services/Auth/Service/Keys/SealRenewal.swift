import Crypto
import Loops
import Postgres
import ServiceKit
import WalletProtocol

/// Seals anew, under the first secret, what an older one sealed: signing keys and the secrets of
/// authenticator apps, which outlive any change of `EZWALLET_TOKEN_SECRET`.
///
/// Every replica may do it at once: whoever finds a row changed since leaves it alone. What has an
/// end of its own (exports, sign-ins under way) is not sealed anew.
struct SealRenewal {
    /// Again and again while there are two secrets, and not at the start.
    ///
    /// A replica that has not been told of the new one goes on sealing by the old one, and opens
    /// nothing of ours.
    static let milliseconds: UInt64 = 600_000

    /// What became of it.
    struct Outcome: Equatable {
        var renewed = 0
        /// Opened by none of the secrets that are given.
        var broken = 0
    }

    let database: Database
    let signingKeys: Seal
    let totp: Seal
    let logger: Logger
    /// Secrets are read in pieces of so many.
    var piece: Int32 = 500

    init(_ configuration: AuthConfiguration, _ service: ServiceLoop) {
        database = service.database
        signingKeys = configuration.signingKeySeal
        totp = configuration.totpSeal
        logger = service.logger
    }

    /// Whether there is an older secret at all.
    var isNeeded: Bool { signingKeys.isInChange || totp.isInChange }

    @discardableResult
    func run() async throws -> Outcome {
        var outcome = Outcome()
        for row in try await database.query(KeyStatements.live) {
            try await renew(
                row.sealedPrivateKey,
                by: signingKeys,
                context: Array(row.id.utf8),
                &outcome
            ) { new in
                try await database.execute(
                    KeyStatements.sealAnew,
                    row.id,
                    row.sealedPrivateKey,
                    new
                )
            }
        }
        var last = Optional(ID<User>(high: 0, low: 0))
        while let after = last {
            let rows = try await database.query(TotpStatements.sealed, after, piece)
            for (user, sealed) in rows {
                try await renew(sealed, by: totp, context: user.bytes, &outcome) { new in
                    try await database.execute(TotpStatements.sealAnew, user, sealed, new)
                }
            }
            last = rows.last?.0
        }
        if outcome.broken > 0 {
            logger.error("sealed by no known secret", [("count", String(outcome.broken))])
        }
        logger.info("sealed anew", [("count", String(outcome.renewed))])
        return outcome
    }

    private func renew(
        _ sealed: [UInt8],
        by seal: Seal,
        context: [UInt8],
        _ outcome: inout Outcome,
        keep: ([UInt8]) async throws -> Int
    ) async throws {
        do {
            guard let new = try seal.renewed(sealed, context: context) else { return }
            outcome.renewed += try await keep(new)
        } catch is SealBroken {
            outcome.broken += 1
        }
    }
}

/// Seals anew while there are two secrets, from when replicas that are replaced one by one have all
/// been told of both.
func addSealWorker(to service: ServiceLoop, _ configuration: AuthConfiguration) {
    let renewal = SealRenewal(configuration, service)
    guard renewal.isNeeded else { return }
    let begin = monotonicNanoseconds() + SealRenewal.milliseconds * 900_000
    service.addPeriodicWorker("seals", everyMilliseconds: SealRenewal.milliseconds) {
        guard monotonicNanoseconds() > begin else { return }
        try await renewal.run()
    }
}
