import Postgres
import ServiceKit
import WalletProtocol

/// Moves money many times: all of it or none, or each by itself.
struct TransferBatchStore {
    let transfers: TransferStore

    /// The results in the order of what was asked, and whether all of them are of an earlier call.
    typealias Answer = (results: TransferResults, isReplay: Bool)

    /// One of many on its way.
    private struct Part {
        let plan: TransferPlan
        let posting: Posting
        let heldUntil: Instant?
    }

    /// Posts all of them, at most once under their key.
    /// - Throws: what is wrong with one where none is to be done without the others.
    func post(
        _ body: NewTransfers,
        under scope: IdempotencyScope,
        by user: UserIdentity
    ) async throws -> Answer {
        let person = try await transfers.people.person(user.id)
        let day = transfers.people.today(for: person)
        let plans = try await transfers.planner.plans(body.transfers, for: user.id)
        let parts = zip(plans, body.transfers).enumerated().map { index, pair in
            pair.0.map { plan in
                let until = pair.1.hold ? Instant.now().adding(seconds: transfers.holdSeconds) : nil
                let operation =
                    body.isAtomic
                    ? (index == 0 ? Posting.Operation(scope) : nil)
                    : Posting.Operation(scope, part: index)
                return Part(
                    plan: plan,
                    posting: plan.posting(
                        operation,
                        by: user.id,
                        person,
                        on: day,
                        heldUntil: until
                    ),
                    heldUntil: until
                )
            }
        }
        return body.isAtomic
            ? try await postTogether(parts, scope, by: user)
            : try await postEach(parts, scope, by: user)
    }

    // MARK: All or none

    private func postTogether(
        _ parts: [Result<Part, APIError>],
        _ scope: IdempotencyScope,
        by user: UserIdentity
    ) async throws -> Answer {
        let all: [Part]
        do {
            all = try await allowed(parts, scope, by: user)
        } catch let error as APIError {
            guard let answer = try await replayed(scope, by: user.id) else { throw error }
            return answer
        }
        let outcomes = try await transfers.batcher.post(all: all.map(\.posting))
        if outcomes.first?.isReplay == true, outcomes.first?.status == .posted {
            let ids = outcomes.compactMap(\.transfer)
            return (TransferResults(results: try await stored(ids, for: user.id)), true)
        }
        for (index, outcome) in outcomes.enumerated()
        where outcome.status != .posted && outcome.status != .chainFailed {
            let error = outcome.status.error
            let explained = try await transfers.planner.explained(
                [(error, all[index].plan)],
                for: user.id
            )
            throw (explained.first ?? error).of(transfer: index)
        }
        let results = all.map {
            TransferResult(status: 201, transfer: $0.plan.view(heldUntil: $0.heldUntil))
        }
        return (TransferResults(results: results), false)
    }

    /// All that are to be posted, which whoever asks may do.
    private func allowed(
        _ parts: [Result<Part, APIError>],
        _ scope: IdempotencyScope,
        by user: UserIdentity
    ) async throws -> [Part] {
        var all: [Part] = []
        for (index, part) in parts.enumerated() {
            do throws(APIError) { all.append(try part.get()) } catch {
                throw error.of(transfer: index)
            }
        }
        let toOthers = all.map(\.plan).filter { !$0.isOwn }
        if !toOthers.isEmpty {
            try await transfers.stepUp.check(
                toOthers.map(\.debit),
                as: Posting.Operation(scope).id,
                by: user
            )
        }
        return all
    }

    /// The answer to a key under which all were posted.
    private func replayed(
        _ scope: IdempotencyScope,
        by user: ID<User>
    ) async throws -> Answer? {
        guard
            let posted = try await transfers.database.queryOne(
                TransferStatements.posted,
                Posting.Operation(scope).id
            )
        else { return nil }
        try Posting.Operation(scope).check(posted.request)
        let ids = posted.members.isEmpty ? [posted.transfer].compactMap(\.self) : posted.members
        return (TransferResults(results: try await stored(ids, for: user)), true)
    }

    private func stored(
        _ ids: [ID<Transfer>],
        for user: ID<User>
    ) async throws -> [TransferResult] {
        let rows = try await transfers.database.query(TransferStatements.find, user, ids)
        let views = try Dictionary(
            rows.map { ($0.id, try $0.viewWhenMade(for: user)) },
            uniquingKeysWith: { first, _ in first }
        )
        return try ids.map { id in
            guard let view = views[id] else { throw APIError.notFound }
            return TransferResult(status: 201, transfer: view)
        }
    }

    // MARK: Each by itself

    private func postEach(
        _ parts: [Result<Part, APIError>],
        _ scope: IdempotencyScope,
        by user: UserIdentity
    ) async throws -> Answer {
        let sound = parts.compactMap { try? $0.get() }
        let announced = scope.part(parts.count)
        let outcomes = try await outcomes(of: sound, announcedAs: announced, scope, user)
        let old = outcomes.filter { $0.isReplay && $0.status == .posted }.compactMap(\.transfer)
        var replayed: [ID<Transfer>: TransferResult] = [:]
        if !old.isEmpty {
            for result in try await stored(old, for: user.id) {
                if let id = result.transfer?.id { replayed[id] = result }
            }
        }
        let refusals = zip(outcomes, sound).filter { $0.0.status != .posted }
        var explained = try await transfers.planner.explained(
            refusals.map { ($0.status.error, $1.plan) },
            for: user.id
        ).makeIterator()
        var next = outcomes.makeIterator()
        let results = parts.map { part in
            switch part {
            case .failure(let error): return TransferResult(refusedBy: error)
            case .success(let part):
                guard let outcome = next.next() else {
                    return TransferResult(refusedBy: APIError(.internalError))
                }
                guard outcome.status == .posted else {
                    return TransferResult(refusedBy: explained.next() ?? outcome.status.error)
                }
                if outcome.isReplay, let transfer = outcome.transfer, let known = replayed[transfer]
                {
                    return known
                }
                return TransferResult(
                    status: 201,
                    transfer: part.plan.view(heldUntil: part.heldUntil)
                )
            }
        }
        return (TransferResults(results: results), old.count == parts.count)
    }

    /// What becomes of each that has a plan.
    /// - Throws: `idempotency-key-reused`, `step-up-required`.
    private func outcomes(
        of sound: [Part],
        announcedAs announced: IdempotencyScope,
        _ scope: IdempotencyScope,
        _ user: UserIdentity
    ) async throws -> [PostingOutcome] {
        // Another request under the key is refused as a whole, before any of it is posted.
        guard
            let decided = try await transfers.database.queryOne(
                TransferStatements.decided,
                sound.compactMap(\.posting.operation?.id),
                Posting.Operation(scope).request
            )
        else { throw APIError(.internalError) }
        guard !decided.isReused else { throw APIError(.idempotencyKeyReused) }
        let toOthers = sound.filter { !$0.plan.isOwn }
        // What was done before needs no proof to be told again.
        let mayBeNew = !toOthers.isEmpty && decided.count < Int64(sound.count)
        // All under one name, for as long as any of them is under way.
        if mayBeNew {
            try await transfers.stepUp.check(
                toOthers.map(\.plan.debit),
                as: Posting.Operation(announced).id,
                by: user
            )
        }
        let outcomes = try await transfers.batcher.post(each: sound.map(\.posting))
        if mayBeNew {
            try await transfers.stepUp.withdraw(Posting.Operation(announced).id, of: user.id)
        }
        return outcomes
    }
}

extension TransferResult {
    /// One that was refused.
    fileprivate init(refusedBy error: APIError) {
        let field = error.errors.first.map { "\($0.pointer) \($0.detail)" }
        self.init(
            status: error.code.status,
            transfer: nil,
            code: error.code.text,
            detail: error.detail ?? field ?? error.code.title
        )
    }
}

extension APIError {
    /// The same, as what is wrong with one of many.
    fileprivate func of(transfer index: Int) -> APIError {
        var error = self
        let place = "/transfers/\(index)"
        error.errors =
            errors.isEmpty
            ? [FieldError(pointer: place, code: .refused, detail: detail ?? code.title)]
            : errors.map {
                FieldError(pointer: place + $0.pointer, code: $0.code, detail: $0.detail)
            }
        return error
    }
}

extension Posting.Operation {
    /// One of many that are asked under one key, each by itself.
    init(_ scope: IdempotencyScope, part: Int) { self.init(scope.part(part)) }
}
