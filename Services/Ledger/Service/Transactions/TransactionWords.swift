import Postgres
import ServiceKit
import Text
import WalletProtocol

/// Reads what a body says of a transaction beside money and day; every bad field is noted.
struct TransactionWords {
    /// What is wrong, each with its pointer.
    private(set) var errors: [FieldError] = []
    /// Where in the body the transaction stands: empty, or `/transactions/17`.
    let base: String

    init(at base: String = "") { self.base = base }

    mutating func fail(_ pointer: String, _ code: FieldCode, _ detail: String) {
        guard errors.count < JSONReading.errorsMax else { return }
        errors.append(FieldError(pointer: base + pointer, code: code, detail: detail))
    }

    /// The parts of an amount: distinct categories, nothing of nothing, the whole in all.
    mutating func lines(_ lines: [TransactionLine], of amount: Money) -> [Posting.Line] {
        var sum = Money.zero(amount.currency)
        var seen: Set<CategoryID> = []
        var hasSum = true
        for (index, line) in lines.enumerated() {
            if !seen.insert(line.categoryID).inserted {
                fail("/lines/\(index)/categoryId", .duplicate, "has a line already")
            }
            if line.amount.currency != amount.currency {
                fail(
                    "/lines/\(index)/amount/currency",
                    .currencyMismatch,
                    "is not the transaction's"
                )
                hasSum = false
            } else if line.amount.isZero {
                fail("/lines/\(index)/amount/amount", .invalidValue, "must not be zero")
            }
            guard hasSum else { continue }
            do throws(MoneyError) {
                sum = try sum.adding(line.amount)
            } catch {
                fail("/lines/\(index)/amount/amount", .outOfRange, "is too large a sum")
                hasSum = false
            }
        }
        if hasSum, sum != amount {
            fail("/lines", .sumMismatch, "come to \(sum.amount), not to \(amount.amount)")
        }
        return lines.map { Posting.Line(category: $0.categoryID, amount: $0.amount.minorUnits) }
    }

    /// Tags as they are kept: in normal form C, each once whatever its case.
    mutating func tags(_ tags: [String]) -> [String] {
        var seen: Set<String> = []
        let kept = tags.map { composed(TransactionTags.trimmed($0)) }
        for (index, tag) in kept.enumerated() {
            let folded = TextFolding.caseFolded(tag)
            if folded.isEmpty {
                fail("/tags/\(index)", .blank, "must not be blank")
            } else if !seen.insert(folded).inserted {
                fail("/tags/\(index)", .duplicate, "is there already")
            }
        }
        return kept
    }

    /// - Throws: 422 naming every bad field, where there is one.
    func check() throws(APIError) {
        if !errors.isEmpty { throw APIError(.invalidBody, errors: errors) }
    }
}

/// What the caller is told of a posting that was refused: which field of which transaction.
struct TransactionRefusal {
    let database: any Querying

    /// The error of one transaction that stands at `base` in the body.
    func error(
        _ status: PostingStatus,
        of posting: Posting,
        owner: ID<User>,
        by user: ID<User>? = nil,
        at base: String = ""
    ) async throws -> APIError {
        if status == .forbidden { try await checkRole(user ?? owner, on: [posting.account]) }
        let errors = try await unknownReferences([(base, posting)], owner: owner, by: user)
        let ofAmount: [PostingStatus] = [.insufficientFunds, .limitExceeded, .approvalRequired]
        if !ofAmount.contains(status), !errors.isEmpty {
            return APIError(.invalidBody, errors: errors)
        }
        return error(status, at: base)
    }

    /// The error of a status, with a pointer to what is at fault.
    func error(_ status: PostingStatus, at base: String) -> APIError {
        var error = status.error
        let pointer =
            switch status {
            case .currencyMismatch: "/amount/currency"
            case .insufficientFunds, .limitExceeded, .approvalRequired, .overflow,
                .invalidAmount:
                "/amount"
            case .accountClosed, .accountFrozen: "/accountId"
            default: ""
            }
        if !error.errors.isEmpty {
            error.errors = error.errors.map {
                FieldError(pointer: base + $0.pointer, code: $0.code, detail: $0.detail)
            }
        } else if error.code.status < 500, !(base + pointer).isEmpty {
            error.errors = [
                FieldError(
                    pointer: base + pointer,
                    code: FieldCode(error.code.text),
                    detail: error.code.title
                )
            ]
        }
        return error
    }

    /// - Throws: 403 where somebody sees an account and may not write to it.
    func checkRole(_ user: ID<User>, on accounts: [ID<Account>]) async throws {
        for account in accounts {
            let role = try await database.queryOne(MemberStatements.role, user, account)
            if role == .viewer { throw APIError(.forbidden) }
        }
    }

    /// Every account, category and folder that is not there, or whose currency is another.
    func unknownReferences(
        _ postings: [(base: String, posting: Posting)],
        owner: ID<User>,
        by user: ID<User>? = nil
    ) async throws -> [FieldError] {
        let accounts = try await database.query(
            TransactionStatements.recordable,
            user ?? owner,
            Array(Set(postings.map(\.posting.account)))
        )
        let labels = postings.flatMap { each in
            each.posting.lines.map(\.category) + [each.posting.category].compactMap(\.self)
        }
        let known = try await database.query(
            TransactionStatements.categories,
            owner,
            Array(Set(labels))
        )
        let categories = Set(known.map(\.id))
        let named = postings.compactMap(\.posting.folder)
        let folders = try await writableFolders(named, user ?? owner)
        var errors: [FieldError] = []
        func fail(_ pointer: String, _ code: FieldCode, _ detail: String) {
            errors.append(FieldError(pointer: pointer, code: code, detail: detail))
        }
        for (base, posting) in postings where errors.count < JSONReading.errorsMax {
            let account = accounts.first { $0.id == posting.account }
            if account == nil {
                fail(base + "/accountId", .unknownReference, "is absent or not yours")
            } else if let account, let currency = posting.currency, account.currency != currency {
                fail(base + "/amount/currency", .currencyMismatch, "is not the account's")
            }
            if let category = posting.category, !categories.contains(category) {
                fail(base + "/categoryId", .unknownReference, "is absent or not yours")
            }
            for (index, line) in posting.lines.enumerated()
            where !categories.contains(line.category) {
                let at = base + "/lines/\(index)/categoryId"
                fail(at, .unknownReference, "is absent or not yours")
            }
            // What is in one stays there.
            if let folder = posting.folder, posting.version == nil, !folders.contains(folder) {
                fail(base + "/folderId", .unknownReference, "is absent or not yours to put into")
            }
        }
        return errors
    }

    private func writableFolders(
        _ folders: [ID<Folder>],
        _ user: ID<User>
    ) async throws -> Set<ID<Folder>> {
        if folders.isEmpty { return [] }
        let wanted = Array(Set(folders))
        return Set(try await database.query(FolderStatements.writable, user, wanted))
    }
}
