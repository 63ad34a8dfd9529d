import ServiceKit
import WalletProtocol

extension Posting {
    /// Under which key it happens at most once.
    struct Operation: Sendable, Hashable {
        let scope: String
        let key: String
        let requestHash: [UInt8]

        init(scope: String, key: String, requestHash: [UInt8]) {
            self.scope = scope
            self.key = key
            self.requestHash = requestHash
        }

        init(_ scope: IdempotencyScope) {
            self.scope = scope.scope
            key = scope.key
            requestHash = scope.requestHash
        }

        /// For calls without a key: nobody ever asks under it again but the batcher, which sends
        /// the same element once more after a connection that was lost at COMMIT, and is answered
        /// with what became of it.
        ///
        /// In a transaction of one's own, whose every try makes another one, it is no protection:
        /// whatever else that transaction writes has to tell whether it was committed.
        init(of user: ID<User>) {
            scope = user.text + " own"
            key = ID<Event>.new().text
            requestHash = [0]
        }

        /// For work whose name is fixed, and which is done again after a kill.
        init(work: String, part: Int) {
            scope = "work " + work
            key = String(part)
            requestHash = [0]
        }
    }
}

extension Posting.Operation {
    /// The key as the books keep it: 128 bits of SHA-256 of scope and key.
    ///
    /// It tells whoever reads the books no more than that somebody chose a key; and no secret that
    /// is replaced may make another of it, for then what was posted under it would be so again.
    var id: ID<Posting.Operation> { ID(digesting: key, in: scope) }

    /// What was asked, likewise.
    var request: ID<Posting.Operation>? {
        requestHash.isEmpty ? nil : ID(digesting: requestHash)
    }

    /// Whether what stands under the key was asked for by the same request; once that is forgotten,
    /// it was.
    /// - Throws: `idempotency-key-reused`.
    func check(_ kept: ID<Posting.Operation>?) throws(APIError) {
        if let kept, kept != request { throw APIError(.idempotencyKeyReused) }
    }
}
