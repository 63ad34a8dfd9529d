import Postgres
import ServiceKit
import WalletProtocol

/// Moves money many times: all of it or none, or each by itself.
struct PostTransfers: Handler {
    static let endpoint = Transfers.postMany
    let database: Database
    let people: People
    let batcher: PostingBatcher
    let planner: TransferPlanner
    let stepUp: StepUpRule
    let holdSeconds: Int64

    /// One of many on its way.
    private struct Part {
        let plan: TransferPlan
        let posting: Posting
        let heldUntil: Instant?
    }

    func handle(
        _ request: Request<NoQuery, NewTransfers>,
        as caller: Caller
    ) async throws -> Response<TransferResults> {
        let (user, body) = (caller.user.id, request.body)
        let person = try await people.person(user)
        guard let scope = request.idempotency else { throw APIError(.internalError) }
        let day = people.today(for: person)
        let plans = try await planner.plans(body.transfers, for: user)
        let parts = zip(plans, body.transfers).enumerated().map { index, pair in
            pair.0.map { plan in
                let until = pair.1.hold ? Instant.now().adding(seconds: holdSeconds) : nil
                let operation =
                    body.isAtomic
                    ? (index == 0 ? Posting.Operation(scope) : nil)
                    : Posting.Operation(scope, part: index)
                return Part(
                    plan: plan,
                    posting: plan.posting(operation, by: user, person, on: day, heldUntil: until),
                    heldUntil: until
                )
            }
        }
        return body.isAtomic
            ? try await postTogether(parts, scope, by: caller.user)
            : try await postEach(parts, scope, by: caller.user)
    }

    // MARK: All or none

    private func postTogether(
        _ parts: [Result<Part, APIError>],
        _ scope: IdempotencyScope,
        by user: UserIdentity
    ) async throws -> Response<TransferResults> {
        var all: [Part] = []
        do {
            for (index, part) in parts.enumerated() {
                do throws(APIError) { all.append(try part.get()) } catch {
                    throw error.of(transfer: index)
                }
            }
            let toOthers = all.map(\.plan).filter { !$0.isOwn }
            if !toOthers.isEmpty {
                try await stepUp.check(toOthers.map(\.debit), under: scope, by: user)
            }
        } catch let error as APIError {
            guard let response = try await replayed(scope, by: user.id) else { throw error }
            return response
        }
        let outcomes = try await batcher.post(all: all.map(\.posting))
        if outcomes.first?.isReplay == true, outcomes.first?.status == .posted {
            let ids = outcomes.compactMap(\.transfer)
            return .ok(TransferResults(results: try await stored(ids, for: user.id))).replayed()
        }
        for (index, outcome) in outcomes.enumerated()
        where outcome.status != .posted && outcome.status != .chainFailed {
            let error = outcome.status.error
            let explained = try await planner.explained([(error, all[index].plan)], for: user.id)
            throw (explained.first ?? error).of(transfer: index)
        }
        return .ok(
            TransferResults(
                results: all.map {
                    TransferResult(status: 201, transfer: $0.plan.view(heldUntil: $0.heldUntil))
                }
            )
        )
    }

    /// The answer to a key under which all were posted.
    private func replayed(
        _ scope: IdempotencyScope,
        by user: ID<User>
    ) async throws -> Response<TransferResults>? {
        guard
            let posted = try await database.queryOne(
                TransferStatements.posted,
                scope.scope,
                scope.key
            )
        else { return nil }
        guard posted.hash == scope.requestHash else { throw APIError(.idempotencyKeyReused) }
        let ids = posted.members.isEmpty ? [posted.transfer].compactMap(\.self) : posted.members
        return .ok(TransferResults(results: try await stored(ids, for: user))).replayed()
    }

    private func stored(
        _ ids: [ID<Transfer>],
        for user: ID<User>
    ) async throws -> [TransferResult] {
        let rows = try await database.query(TransferStatements.find, user, ids)
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
    ) async throws -> Response<TransferResults> {
        let sound = parts.compactMap { try? $0.get() }
        // All under one name, for as long as any of them is under way.
        let announced = scope.part(parts.count)
        let toOthers = sound.filter { !$0.plan.isOwn }
        // Another request under the key is refused as a whole, before any of it is posted.
        guard
            let decided = try await database.queryOne(
                TransferStatements.decided,
                scope.scope,
                sound.compactMap(\.posting.operation?.key),
                scope.requestHash
            )
        else { throw APIError(.internalError) }
        guard !decided.isReused else { throw APIError(.idempotencyKeyReused) }
        // What was done before needs no proof to be told again.
        let mayBeNew = !toOthers.isEmpty && decided.count < Int64(sound.count)
        if mayBeNew {
            try await stepUp.check(toOthers.map(\.plan.debit), under: announced, by: user)
        }
        let outcomes = try await batcher.post(each: sound.map(\.posting))
        if mayBeNew { try await stepUp.withdraw(announced, of: user.id) }
        var replayed: [ID<Transfer>: TransferResult] = [:]
        let old = outcomes.filter { $0.isReplay && $0.status == .posted }.compactMap(\.transfer)
        if !old.isEmpty {
            for result in try await stored(old, for: user.id) {
                if let id = result.transfer?.id { replayed[id] = result }
            }
        }
        let refusals = zip(outcomes, sound).filter { $0.0.status != .posted }
        var explained = try await planner.explained(
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
        let answer = Response.ok(TransferResults(results: results))
        return old.count == parts.count ? answer.replayed() : answer
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

extension FieldCode {
    /// Fine in itself, but the whole is refused for it.
    static let refused = FieldCode("refused")
}

extension Posting.Operation {
    /// One of many that are asked under one key, each by itself.
    init(_ scope: IdempotencyScope, part: Int) { self.init(scope.part(part)) }
}
