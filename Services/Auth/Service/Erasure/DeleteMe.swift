import Crypto
import Loops
import Postgres
import ServiceKit
import WalletProtocol

/// The endpoints of deletion.
func addErasureRoutes(to router: Router, _ parts: AuthParts, _ service: ServiceLoop) {
    router.add(
        DeleteMe(
            erasures: parts.erasures,
            database: service.database,
            blocking: service.blocking,
            configuration: parts.configuration
        )
    )
    router.add(GetDeletionReceipt(erasures: parts.erasures))
}

/// What goes on with deletions, on loop 0 of each replica.
func addErasureWorkers(to service: ServiceLoop, _ parts: AuthParts) {
    let work = ErasureWork(service, parts)
    for _ in 0..<ErasureWork.workers {
        service.addPeriodicWorker("erasures", everyMilliseconds: 500) {
            while try await work.doOne() {}
        }
    }
}

/// Deletes the account of who calls.
struct DeleteMe: Handler {
    static let endpoint = Deletions.request
    let erasures: ErasureStore
    let database: Database
    let blocking: BlockingPool
    let configuration: AuthConfiguration

    func handle(
        _ request: Request<NoQuery, DeletionRequest>,
        as caller: Caller
    ) async throws -> Response<DeletionReceipt> {
        try await requireProof(of: caller.user, password: request.body.password)
        let receipt = try await erasures.begin(caller.user.id, by: caller.user.id)
        let token = receipt.token ?? ""
        return SessionAnswer.clearing(
            .accepted(receipt, at: "/v1/deletion-receipts/\(token)")
        )
    }

    /// A fresh log-in, or the password of who has one.
    private func requireProof(of user: UserIdentity, password: String?) async throws {
        guard let password else { return try user.requireFreshProof() }
        guard
            let credential = try await database.queryOne(UserStatements.credentialByID, user.id)
        else { throw APIError(.unauthenticated) }
        guard let hash = credential.passwordHash else { return try user.requireFreshProof() }
        let attempts = AttemptGuard(
            database: database,
            configuration: configuration,
            refusingBy: .lockedOut
        )
        for subject in credential.attempts { try await attempts.count(subject) }
        guard
            try await blocking.run({ PasswordHash.verify(password, against: hash) })
        else { throw APIError(.wrongPassword) }
        try await attempts.forget(credential.attempts)
    }
}

/// How far a deletion is.
struct GetDeletionReceipt: Handler {
    static let endpoint = Deletions.receipt
    let erasures: ErasureStore

    func handle(
        _ request: Request<NoQuery, NoBody>,
        as caller: Caller
    ) async throws -> Response<DeletionReceipt> {
        .ok(try await erasures.receipt(token: request.path["token"]))
    }
}
