import Text
import WalletProtocol

/// What a notification is made of.
struct FeedEntry: JSONObject, Hashable {
    let groupID: ID<Group>?
    let accountID: ID<Account>?
    let folderID: ID<Folder>?
    let amount: Total?
    let other: Total?
    let categoryID: ID<WalletProtocol.Category>?
    let recurrenceID: ID<Recurrence>?
    /// The code of a refusal.
    let reason: String?

    init(
        groupID: ID<Group>? = nil,
        accountID: ID<Account>? = nil,
        folderID: ID<Folder>? = nil,
        amount: Total? = nil,
        other: Total? = nil,
        categoryID: ID<WalletProtocol.Category>? = nil,
        recurrenceID: ID<Recurrence>? = nil,
        reason: String? = nil
    ) {
        self.groupID = groupID
        self.accountID = accountID
        self.folderID = folderID
        self.amount = amount
        self.other = other
        self.categoryID = categoryID
        self.recurrenceID = recurrenceID
        self.reason = reason
    }

    static let json = Object(
        FeedEntry.init,
        Field("groupId", \.groupID),
        Field("accountId", \.accountID),
        Field("folderId", \.folderID),
        Field("amount", \.amount),
        Field("other", \.other),
        Field("categoryId", \.categoryID),
        Field("recurrenceId", \.recurrenceID),
        Field("reason", \.reason)
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
        let isItalian = language.lowercased().hasPrefix("it")
        let title: String
        let text: String
        func written(_ money: Total) -> String {
            MoneyText.format(
                decimal: money.amount,
                currency: money.currency.code,
                digits: money.currency.exponent,
                language: isItalian ? "it" : "en"
            ) ?? money.description
        }
        let amount = entry.amount.map(written) ?? ""
        switch kind {
        case .thresholdCrossed:
            title = isItalian ? "Soglia superata" : "Threshold crossed"
            let spent = entry.other.map(written) ?? ""
            text =
                isItalian
                ? "Il gruppo ha speso \(spent), oltre la soglia di \(amount)."
                : "The group has spent \(spent), over its threshold of \(amount)."
        case .invitationReceived:
            title = isItalian ? "Nuovo invito" : "New invitation"
            if entry.folderID != nil {
                text =
                    isItalian
                    ? "Sei stato invitato in una cartella." : "You are invited to a folder."
            } else if entry.accountID != nil {
                text =
                    isItalian
                    ? "Sei stato invitato in un portafoglio." : "You are invited to a wallet."
            } else {
                text =
                    isItalian ? "Sei stato invitato in un gruppo." : "You are invited to a group."
            }
        case .invitationAnswered:
            title = isItalian ? "Invito con risposta" : "Invitation answered"
            text =
                isItalian
                ? "Il tuo invito ha avuto risposta." : "Your invitation has been answered."
        case .expenseAdded:
            title = isItalian ? "Nuova spesa" : "New expense"
            let share = entry.other.map(written).map {
                isItalian ? ", a te \($0)" : ", of which you bear \($0)"
            }
            text =
                (isItalian ? "È stata aggiunta una spesa: " : "Expense added: ") + amount
                + (share ?? "") + "."
        case .settlementRecorded:
            title = isItalian ? "Saldo registrato" : "Settlement recorded"
            if entry.amount == nil {
                text =
                    isItalian
                    ? "Sono stati saldati debiti in più valute."
                    : "Debts in several currencies have been settled."
            } else {
                text = isItalian ? "È stato saldato \(amount)." : "\(amount) has been settled."
            }
        case .budgetExceeded:
            title = isItalian ? "Budget superato" : "Budget exceeded"
            let spent = entry.other.map(written) ?? ""
            text =
                isItalian
                ? "In una categoria hai speso \(spent), oltre il budget di \(amount)."
                : "You have spent \(spent) in a category, over its budget of \(amount)."
        case .recurrenceSkipped:
            title = isItalian ? "Transazione non eseguita" : "Transaction left out"
            let why = Self.words(for: entry.reason, isItalian)
            text =
                isItalian
                ? "Una transazione ricorrente di \(amount) non è stata eseguita: \(why)."
                : "A recurring transaction of \(amount) was left out: \(why)."
        }
        return NotificationView(
            id: id,
            kind: kind,
            title: title,
            text: text,
            groupID: entry.groupID,
            accountID: entry.accountID,
            folderID: entry.folderID,
            categoryID: entry.categoryID,
            recurrenceID: entry.recurrenceID,
            amount: entry.amount,
            createdAt: createdAt,
            readAt: readAt
        )
    }

    /// Why a transaction was refused, as people say it.
    private static func words(for reason: String?, _ isItalian: Bool) -> String {
        switch reason {
        case "insufficient-funds":
            isItalian ? "il saldo non basta" : "the account does not hold enough"
        case "account-closed": isItalian ? "il conto è chiuso" : "the account is closed"
        default: isItalian ? "il conto non è disponibile" : "the account cannot be used"
        }
    }
}
