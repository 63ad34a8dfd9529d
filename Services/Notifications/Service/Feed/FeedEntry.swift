import Text
import WalletProtocol

/// What a notification is made of.
struct FeedEntry: JSONObject, Hashable {
    let groupID: ID<Group>?
    let familyID: ID<Family>?
    let accountID: ID<Account>?
    let folderID: ID<Folder>?
    let invitationID: ID<Invitation>?
    let amount: Total?
    let other: Total?
    let categoryID: CategoryID?
    let recurrenceID: ID<Recurrence>?
    let standingOrderID: ID<StandingOrder>?
    let approvalID: ID<Approval>?
    let envelopeID: ID<HouseholdEnvelope>?
    /// Whether it is paused by that.
    let isPaused: Bool?
    /// The code of a refusal.
    let reason: String?
    /// Whose doing it is.
    var userID: ID<User>?
    let isAccepted: Bool?

    init(
        groupID: ID<Group>? = nil,
        familyID: ID<Family>? = nil,
        accountID: ID<Account>? = nil,
        folderID: ID<Folder>? = nil,
        invitationID: ID<Invitation>? = nil,
        amount: Total? = nil,
        other: Total? = nil,
        categoryID: CategoryID? = nil,
        recurrenceID: ID<Recurrence>? = nil,
        standingOrderID: ID<StandingOrder>? = nil,
        approvalID: ID<Approval>? = nil,
        envelopeID: ID<HouseholdEnvelope>? = nil,
        isPaused: Bool? = nil,
        reason: String? = nil,
        userID: ID<User>? = nil,
        isAccepted: Bool? = nil
    ) {
        self.groupID = groupID
        self.familyID = familyID
        self.accountID = accountID
        self.folderID = folderID
        self.invitationID = invitationID
        self.amount = amount
        self.other = other
        self.categoryID = categoryID
        self.recurrenceID = recurrenceID
        self.standingOrderID = standingOrderID
        self.approvalID = approvalID
        self.envelopeID = envelopeID
        self.isPaused = isPaused
        self.reason = reason
        self.userID = userID
        self.isAccepted = isAccepted
    }

    static let json = Object(
        FeedEntry.init,
        Field("groupId", \.groupID),
        Field("familyId", \.familyID),
        Field("accountId", \.accountID),
        Field("folderId", \.folderID),
        Field("invitationId", \.invitationID),
        Field("amount", \.amount),
        Field("other", \.other),
        Field("categoryId", \.categoryID),
        Field("recurrenceId", \.recurrenceID),
        Field("standingOrderId", \.standingOrderID),
        Field("approvalId", \.approvalID),
        Field("envelopeId", \.envelopeID),
        Field("paused", \.isPaused),
        Field("reason", \.reason),
        Field("userId", \.userID),
        Field("accepted", \.isAccepted)
    )
}

extension FeedRow {
    /// The notification as its reader sees it, in their language.
    func view(language: String) throws -> NotificationView {
        let entry = try JSON.read(
            FeedEntry.self,
            from: Array(parameters.utf8),
            ignoringUnknownFields: true
        )
        let phrases = Phrases.of(language)
        let isRefund = kind.isOfExpense && entry.amount?.isNegative == true
        func written(_ signed: Total) -> String {
            // A refund is named as one: its amount needs no sign.
            let money = isRefund ? signed.magnitude : signed
            return MoneyText.format(
                decimal: money.amount,
                currency: money.currency.code,
                digits: money.currency.exponent,
                language: phrases.language
            ) ?? money.description
        }
        let values = [
            "amount": entry.amount.map(written) ?? "",
            "other": entry.other.map(written) ?? "",
            "reason": phrases.find("reason.\(entry.reason ?? "")") ?? phrases.say("reason.other"),
        ]
        let phrase = "feed.\(kind.rawValue)\(isRefund ? ".refund" : "")"
        return NotificationView(
            id: id,
            kind: kind,
            title: phrases.say("\(phrase).title"),
            text: phrases.say("\(phrase).\(variant(of: entry))", values),
            groupID: entry.groupID,
            familyID: entry.familyID,
            accountID: entry.accountID,
            folderID: entry.folderID,
            invitationID: entry.invitationID,
            categoryID: entry.categoryID,
            recurrenceID: entry.recurrenceID,
            standingOrderID: entry.standingOrderID,
            approvalID: entry.approvalID,
            envelopeID: entry.envelopeID,
            amount: entry.amount,
            userID: entry.userID,
            isAccepted: entry.isAccepted,
            createdAt: createdAt,
            readAt: readAt
        )
    }

    /// Which of its kind's texts it is, of expenses and of refunds alike.
    private func variant(of entry: FeedEntry) -> String {
        switch kind {
        case .invitationReceived:
            entry.folderID != nil
                ? "folder"
                : entry.accountID != nil ? "wallet" : entry.groupID != nil ? "group" : "family"
        case .expenseAdded, .expenseChanged: entry.other == nil ? "text" : "shared"
        case .standingOrderSkipped, .expenseSkipped, .allowanceSkipped:
            entry.isPaused == true ? "paused" : "text"
        case .settlementRecorded, .settlementRemoved: entry.amount == nil ? "several" : "text"
        case .invitationAnswered:
            entry.isAccepted.map { $0 ? "accepted" : "rejected" } ?? "text"
        case .approvalEnded:
            entry.reason != nil
                ? "refused" : entry.isAccepted.map { $0 ? "approved" : "declined" } ?? "expired"
        case .familyRole: entry.isAccepted == true ? "changed" : "proposed"
        case .expenseLinkOutdated: entry.reason == nil ? "text" : "refused"
        case .approvalAsked, .thresholdCrossed, .budgetExceeded, .childOverspent,
            .recurrenceSkipped,
            .transferReceived, .expenseRemoved, .expenseCommented,
            .groupImported, .guestMerged, .guestRestored, .allowancePaid, .householdExceeded,
            .postingKept, .limitRefused, .childDeleted, .limitLost:
            "text"
        }
    }
}

extension NotificationKind {
    /// Whether its amount is a shared expense's, which is below zero where money came back.
    var isOfExpense: Bool {
        switch self {
        case .expenseAdded, .expenseChanged, .expenseRemoved, .expenseCommented, .expenseSkipped,
            .expenseLinkOutdated, .postingKept:
            true
        default: false
        }
    }
}

extension Total {
    /// The same without its sign.
    fileprivate var magnitude: Total {
        Total(minorUnits: Int128(clamping: minorUnits.magnitude), currency)
    }
}
