import Loops
import Messaging
import Postgres
import ServiceKit
import WalletProtocol

/// An expense that somebody asks to have written down.
struct AskedExpense: Sendable {
    var id: ID<Expense> = .new()
    let body: NewExpense
    /// What its shape tells of it already.
    var faults: [FieldError] = []
    let group: ID<Group>
    let user: ID<User>
    /// Where they are, by their own time zone where left out.
    var today: Day?
    var recurrence: ID<Recurrence>?
    /// Whether its day passed while nobody wrote it down.
    var isMadeUpFor = false
    /// Of the request that it is made in, for others' may be written beside it.
    let traceparent = RequestContext.current?.traceparent
}

extension AskedExpense {
    /// About how much there is to write, in rows.
    var weight: Int {
        let items = body.split?.items ?? []
        return 1 + (body.paidBy?.count ?? 1) + (body.split?.parts.count ?? 1)
            + items.reduce(0) { $0 + 1 + $1.memberIDs.count }
    }
}

/// Writing expenses down: several at once share locks, statements and the commit.
extension ExpenseStore {
    /// Writes some down, each or none by itself: a refusal takes nothing of the others' back.
    /// - Parameter waits: for groups that somebody holds; else `GroupIsHeld` stands for theirs.
    func add(
        _ orders: [AskedExpense],
        waits: Bool = true,
        in transaction: Transaction
    ) async throws -> [Result<ExpenseView, any Error>] {
        let scene = try await ExpenseScene(of: orders, waits: waits, in: transaction)
        var outcomes: [Result<ExpenseView, any Error>] = []
        var drafts: [DraftedExpense] = []
        for (place, order) in orders.enumerated() {
            do {
                drafts.append(try scene.draft(of: order, at: place))
                // Until it is written.
                outcomes.append(.failure(APIError(.internalError)))
            } catch { outcomes.append(.failure(error)) }
        }
        while !drafts.isEmpty {
            // What crosses a limit is told of each by itself, in their order.
            var groups: Set<ID<Group>> = []
            var later: [DraftedExpense] = []
            var round: [DraftedExpense] = []
            for drafted in drafts {
                let group = drafted.order.group
                if groups.contains(group) {
                    later.append(drafted)
                    continue
                }
                if scene.limited.contains(group) { groups.insert(group) }
                round.append(drafted)
            }
            let createdAt = try await write(round, scene, in: transaction)
            for one in round { outcomes[one.place] = .success(one.view(createdAt: createdAt)) }
            drafts = later
        }
        return outcomes
    }

    /// The same of one.
    func add(_ order: AskedExpense, in transaction: Transaction) async throws -> ExpenseView {
        guard let outcome = try await add([order], in: transaction).first else {
            throw APIError(.internalError)
        }
        return try outcome.get()
    }

    /// The same as answers to requests.
    func answers(
        to orders: [AskedExpense],
        waits: Bool,
        in transaction: Transaction
    ) async throws -> [Result<Response<ExpenseView>, any Error>] {
        try await add(orders, waits: waits, in: transaction).map { $0.map(\.answer) }
    }

    private func write(
        _ round: [DraftedExpense],
        _ scene: ExpenseScene,
        in transaction: Transaction
    ) async throws -> Instant {
        var written = WrittenExpenses()
        for one in round {
            written.append(
                one.draft,
                one.order.id,
                by: one.membership,
                recurrence: one.order.recurrence
            )
        }
        let createdAt = try await written.write(in: transaction)
        try await Outbox.append(
            round.map { one in
                ToldEvent(
                    one.event(in: scene),
                    of: one.membership.group.aggregate,
                    traceparent: one.order.traceparent
                )
            },
            in: transaction
        )
        for one in round where scene.limited.contains(one.order.group) {
            try await ThresholdStore.announceCrossings(
                by: SpentExpense(id: one.order.id, amount: one.draft.amount, day: one.draft.day),
                in: one.membership.group,
                today: one.today,
                telling: scene.members(of: one.order.group).compactMap(\.user),
                in: transaction
            )
        }
        return createdAt
    }
}

/// One that has been read and divided.
struct DraftedExpense {
    let place: Int
    let order: AskedExpense
    let today: Day
    let draft: ExpenseDraft
    let membership: Membership

    func view(createdAt: Instant) -> ExpenseView {
        draft.view(
            order.id,
            in: order.group,
            addedBy: membership.member,
            recurrence: order.recurrence,
            version: 1,
            createdAt: createdAt
        )
    }

    func event(in scene: ExpenseScene) -> GroupExpenseAdded {
        GroupExpenseAdded(
            expenseID: order.id,
            groupID: order.group,
            amount: draft.amount,
            day: draft.day,
            categoryID: draft.details.category,
            coicop: scene.category(draft.details.category, of: order.group)?.coicop,
            splitKind: draft.splitKind,
            shares: draft.userShares(scene.users(of: order.group)),
            addedBy: order.user,
            isMadeUpFor: order.isMadeUpFor
        )
    }
}

/// What is known of the groups of some expenses, whose rows are held.
struct ExpenseScene {
    /// By place, of those who are members.
    private var memberships: [Int: Membership] = [:]
    private var zones: [Int: String] = [:]
    /// Places in whose groups new debts are refused.
    private var refused: Set<Int> = []
    private let now = Instant.now()
    private var held: Set<ID<Group>> = []
    private var members: [ID<Group>: [(id: ID<Member>, user: ID<User>?)]] = [:]
    private var categories: [ID<Group>: [GroupCategoryRow]] = [:]
    /// Groups that have limits.
    private(set) var limited: Set<ID<Group>> = []

    /// Locks the groups, and reads them as the last holder has left them.
    init(of orders: [AskedExpense], waits: Bool, in transaction: Transaction) async throws {
        let groups = orders.map(\.group)
        let users = orders.map(\.user)
        let lock = try transaction.ask(
            waits ? GroupStatements.lockAll : GroupStatements.lockAllFree,
            groups,
            users
        )
        let joined = try transaction.ask(GroupStatements.memberships, users, groups)
        let present = try transaction.ask(GroupStatements.presentInAll, groups)
        held = Set(try await lock.rows())
        for row in try await joined.rows() {
            let place = Int(row.place - 1)
            memberships[place] = Membership(
                group: row.group,
                member: row.member,
                role: row.role,
                user: users[place]
            )
            zones[place] = row.zone
            if row.isRefused { refused.insert(place) }
            if row.isLimited { limited.insert(row.group.id) }
        }
        members = Dictionary(grouping: try await present.rows(), by: \.group)
            .mapValues { $0.map { (id: $0.id, user: $0.user) } }
        let named = orders.compactMap { order in
            order.body.categoryID.flatMap { category in
                category == .others(of: order.group) ? nil : (group: order.group, id: category)
            }
        }
        guard !named.isEmpty else { return }
        let found = try await transaction.query(
            GroupCategoryStatements.findSome,
            named.map(\.group),
            named.map(\.id)
        )
        categories = Dictionary(grouping: found, by: \.group)
    }

    func members(of group: ID<Group>) -> [(id: ID<Member>, user: ID<User>?)] {
        members[group, default: []]
    }

    func users(of group: ID<Group>) -> [ID<Member>: ID<User>?] {
        // Cannot fire: a member's id stands once in a group (member_pkey).
        Dictionary(uniqueKeysWithValues: members(of: group).map { ($0.id, $0.user) })
    }

    func category(_ id: ID<GroupCategory>?, of group: ID<Group>) -> GroupCategoryRow? {
        categories[group]?.first { $0.id == id }
    }

    /// What an order comes to.
    /// - Throws: `GroupIsHeld`, and why it is refused.
    func draft(
        of order: AskedExpense,
        at place: Int
    ) throws -> DraftedExpense {
        guard let membership = memberships[place] else { throw APIError.notFound }
        guard held.contains(order.group) else { throw GroupIsHeld() }
        try membership.check(.write)
        let members = members(of: order.group)
        try membership.group.checkIsJoined(by: members.count)
        // Which day it is for whoever asks.
        let today = order.today ?? Person.day(at: now, in: zones[place] ?? "UTC")
        let draft = try ExpenseDraft(
            order.body,
            faults: order.faults,
            by: membership,
            members: Set(members.map(\.id)),
            categories: Set(categories[order.group, default: []].map(\.id)),
            today: today
        )
        if refused.contains(place) {
            try PlaceChanges(adding: draft).check(refusedTo: order.user, among: members)
        }
        return DraftedExpense(
            place: place,
            order: order,
            today: today,
            draft: draft,
            membership: membership
        )
    }
}

extension ExpenseView {
    /// As the one that was made.
    var answer: Response<ExpenseView> {
        .created(self, at: "/v1/groups/\(groupID.text)/expenses/\(id.text)")
            .tagged(String(version))
    }
}
