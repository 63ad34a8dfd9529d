import Postgres
import ServiceKit
import WalletProtocol

/// What verifying has come to, kept for whoever asks.
struct VerificationStore {
    let database: Database

    func keep(_ result: LedgerVerification) async throws {
        try await database.execute(
            VerifyStatements.insert,
            ID<LedgerVerification>.new(),
            result.finishedAt,
            result.milliseconds,
            result.by.rawValue,
            result.isIntact,
            result.verifiedFrom,
            result.verifiedTo,
            result.head?.hash,
            result.entries,
            result.movements,
            result.fault?.table,
            result.fault?.row,
            result.fault?.what
        )
    }

    func last() async throws -> LedgerVerification? {
        try await database.queryOne(VerifyStatements.last, JournalChain.name)
    }
}

/// Verifies the whole journal once a day, by one replica, at a quiet hour.
struct NightlyVerification {
    let service: ServiceLoop
    let configuration: LedgerConfiguration

    /// Does nothing at any other hour, and where another has done it or does it.
    func run(at now: Instant = .now()) async throws {
        guard let hour = configuration.verificationHour,
            now.microseconds / 3_600_000_000 % 24 == hour,
            try await service.database.queryOne(
                VerifyStatements.claim,
                ID<NightlyVerification>.new()
            ) == true
        else { return }
        let database = service.longDatabase()
        defer { database.close() }
        let logger = service.logger
        let verification = JournalVerification(
            database: database,
            proofKeys: configuration.journalProofKeys,
            by: .service
        )
        let result = try await verification.run()
        try await VerificationStore(database: database).keep(result)
        try await database.execute(VerifyStatements.deleteOld)
        if let fault = result.fault {
            logger.error(
                "the journal is not intact",
                [("table", fault.table), ("row", fault.row), ("what", fault.what)]
            )
        } else {
            logger.info("the journal is intact", [("entries", String(result.entries))])
        }
    }
}
