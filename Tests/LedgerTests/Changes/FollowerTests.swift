import Loops
import Postgres
import ServiceKit
import TestKit
import Testing
import WalletProtocol

@testable import LedgerService

/// Whoever follows misses nothing, whenever it was committed.
@Suite struct FollowerTests {
    /// What the highest id that was seen would miss, the snapshot's does not.
    @Test func whatCommitsLateIsSeen() async throws {
        let rig = try await LedgerRig()
        try await rig.run { actor, books in
            let user = try await books.person()
            let follower = Follower(user, books.service)
            let (late, early) = (
                CategoryID.new(), CategoryID.new()
            )
            let sessions = Sessions(rig, on: actor.loop, count: 1)
            defer { sessions.close() }
            try await sessions.open { leases in
                try await leases[0].execute(beginSession)
                try await leases[0].execute(insertCategory, late, user, "late")
                try await books.owner.execute(insertCategory, early, user, "early")
                try await follower.catchUp()
                #expect(follower.copy[.init(kind: .category, id: early.change)] != nil)
                #expect(follower.copy[.init(kind: .category, id: late.change)] == nil)
                let naive = try #require(try await books.owner.queryOne(highestSeen, user))
                try await leases[0].execute(commitSession)
                try await follower.catchUp()
                #expect(follower.copy[.init(kind: .category, id: late.change)] != nil)
                let missed = try await books.service.query(
                    ChangeStatements.categories,
                    user,
                    naive,
                    ID<Change>(high: .max, low: .max),
                    "9223372036854775807",
                    Int32(10)
                )
                #expect(missed.isEmpty, "by the highest id it would have been seen, too")
            }
        }
    }

    /// Sessions that stand open while others commit, and followers that read page by page all the
    /// while: at the end each has what a new client would load.
    @Test(arguments: (0..<6).map { _ in UInt64.random(in: 0...UInt64.max) })
    func theCopyIsWhatThereIs(seed: UInt64) async throws {
        let rig = try await LedgerRig()
        try await rig.run { actor, books in
            let sessions = Sessions(rig, on: actor.loop, count: 4)
            defer { sessions.close() }
            try await sessions.open { leases in
                let world = try await ChangingWorld(books, leases, seed: seed)
                for round in 0..<150 {
                    try await world.step()
                    if round == 75 { try await world.check("seed \(seed), half-way") }
                }
                try await world.check("seed \(seed)")
                try await books.check("seed \(seed)")
            }
        }
    }
}

/// Connections that each have a transaction of their own.
struct Sessions {
    private let databases: [Database]

    init(_ rig: LedgerRig, on loop: EventLoop, count: Int) {
        databases = (0..<count).map { _ in
            Database(configuration: rig.database.owner, loop: loop)
        }
    }

    func open(_ body: ([LeasedConnection]) async throws -> Void) async throws {
        try await open(databases[...], [], body)
    }

    private func open(
        _ rest: ArraySlice<Database>,
        _ leases: [LeasedConnection],
        _ body: ([LeasedConnection]) async throws -> Void
    ) async throws {
        guard let first = rest.first else { return try await body(leases) }
        try await first.lease { lease in
            try await open(rest.dropFirst(), leases + [lease], body)
        }
    }

    func close() { for database in databases { database.close() } }
}

/// Somebody's books while several sessions write, and those who follow.
private final class ChangingWorld {
    private let books: Books
    private let leases: [LeasedConnection]
    private var isOpen: [Bool]
    private var chance: SeededGenerator
    private let owner: ID<User>
    private let accounts: [ID<Account>]
    private let members: [ID<User>]
    private let categories: [CategoryID]
    private let followers: [Follower]
    private var known: [ID<MoneyTransaction>] = []
    private var attached: [[ID<WalletProtocol.Attachment>]]
    private var names = 0

    init(_ books: Books, _ leases: [LeasedConnection], seed: UInt64) async throws {
        (self.books, self.leases) = (books, leases)
        isOpen = leases.map { _ in false }
        attached = leases.map { _ in [] }
        chance = SeededGenerator(seed: seed)
        owner = try await books.person()
        var accounts: [ID<Account>] = []
        for _ in 0..<4 { accounts.append(try await books.account(of: owner, .wallet)) }
        self.accounts = accounts
        var members: [ID<User>] = []
        for _ in leases { members.append(try await books.person()) }
        self.members = members
        var categories: [CategoryID] = []
        for number in leases.indices {
            let id = CategoryID.new()
            try await books.owner.execute(insertCategory, id, owner, "of session \(number)")
            categories.append(id)
        }
        self.categories = categories
        followers = ([owner] + members).map { Follower($0, books.service) }
    }

    private func number(_ below: Int) -> Int { Int.random(in: 0..<below, using: &chance) }

    func step() async throws {
        let turn = number(leases.count)
        if number(6) == 0, isOpen[turn] {
            isOpen[turn] = false
            try await leases[turn].execute(number(5) == 0 ? rollbackSession : commitSession)
        } else {
            if !isOpen[turn], number(4) > 0 {
                try await leases[turn].execute(beginSession)
                isOpen[turn] = true
            }
            try await write(turn)
        }
        for follower in followers where number(3) == 0 {
            _ = try await follower.poll(1 + number(9))
        }
    }

    /// Something of the session's own, so that no two wait for each other; accounts are shared, and
    /// left where another has them.
    private func write(_ turn: Int) async throws {
        let lease = leases[turn]
        switch number(10) {
        case 0:
            names += 1
            try await lease.execute(renameCategory, categories[turn], "name \(names)")
        case 1:
            try await lease.execute(
                BudgetStatements.allocate,
                owner,
                categories[turn],
                someDay.month.firstDay,
                someDay,
                "EUR",
                Int64(number(50))
            )
        case 2: try await lease.execute(BudgetStatements.drop, owner, categories[turn])
        case 3:
            guard let transaction = known.randomElement(using: &chance) else { return }
            let id = ID<WalletProtocol.Attachment>.new()
            try await lease.execute(insertAttachment, id, transaction, owner)
            attached[turn].append(id)
        case 4:
            guard let id = attached[turn].popLast() else { return }
            _ = try await lease.queryOne(AttachmentStatements.remove, id)
        case 5:
            let isLeaving = number(2) == 0
            try await lease.execute(
                shareAccount,
                accounts[number(accounts.count)],
                members[turn],
                isLeaving
            )
        default: try await post(lease)
        }
    }

    private func post(_ lease: LeasedConnection) async throws {
        let account = accounts[number(accounts.count)]
        guard let id = known.randomElement(using: &chance), number(3) > 0,
            let found = try await lease.queryOne(TransactionStatements.find(id, for: owner))
        else {
            let new = Posting.record(Int64(number(90)) - 40, on: account, by: owner)
            if let id = new.transaction { known.append(id) }
            _ = try await lease.post([new], waits: false)
            return
        }
        switch number(4) {
        case 0:
            _ = try await lease.post(
                [Posting(reversing: found.row, .init(of: owner), by: owner)],
                waits: false
            )
        case 1:
            var revised = Posting(revising: found.row, .init(of: owner), by: owner)
            revised.name = "words \(number(1_000))"
            _ = try await lease.post([revised], waits: false)
        default:
            var row = found.row
            (row.account, row.amount) = (account, Int64(number(90)) - 40)
            var reversal = Posting(reversing: found.row, .init(of: owner), by: owner)
            var record = Posting(recordingAnew: row, nil, by: owner)
            (reversal.chain, record.chain) = (1, 1)
            _ = try await lease.post([reversal, record], waits: false)
        }
    }

    func check(_ note: String) async throws {
        for turn in leases.indices where isOpen[turn] {
            isOpen[turn] = false
            try await leases[turn].execute(commitSession)
        }
        for follower in followers {
            try await follower.catchUp(1 + number(50))
            let whole = try await follower.fresh()
            for key in Set(whole.keys).union(follower.copy.keys)
            where whole[key] != follower.copy[key] {
                Issue.record(
                    """
                    \(note): \(follower.user == owner ? "owner" : "member") has \
                    \(String(describing: follower.copy[key])), not \(String(describing: whole[key]))
                    """
                )
            }
        }
        let there = try await followers[0].fresh().keys.count { $0.kind == .transaction }
        #expect(Int64(there) == (try await books.owner.queryOne(standing, owner)), "\(note)")
    }
}

private let beginSession = Statement<Void>("begin")
private let commitSession = Statement<Void>("commit")
private let rollbackSession = Statement<Void>("rollback")
private let insertCategory = Statement<Void>(
    """
    insert into ledger.category (id, user_id, name, name_folded, color)
    values ($1, $2, $3, $3, 0)
    """
)
private let renameCategory = Statement<Void>(
    """
    update ledger.category set name = $2, name_folded = $2, xid = pg_current_xact_id()
    where id = $1
    """
)
private let highestSeen = Statement(
    "select xid::text from ledger.category where user_id = $1 order by category.xid desc limit 1"
) { row in try row.string(0) }
private let insertAttachment = Statement<Void>(
    """
    insert into ledger.attachment (id, transaction_id, user_id, name, media_type, size, sha256)
    values ($1, $2, $3, 'a receipt', 'image/png', 1, sha256('a'))
    """
)
private let shareAccount = Statement<Void>(
    """
    insert into ledger.account_member (account_id, user_id, role, invitation_id, left_at)
    values ($1, $2, 'viewer', gen_random_uuid(), case when $3 then now() end)
    on conflict (account_id, user_id) do update
    set left_at = excluded.left_at, xid = pg_current_xact_id()
    """
)
private let standing = Statement(
    "select count(*) from ledger.money_transaction where user_id = $1 and reversed_by is null"
) { row in try row.int64(0) }
