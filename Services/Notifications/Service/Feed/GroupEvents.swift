import WalletProtocol

/// Turns what happens in groups into entries of the feeds of those whom it concerns.
enum GroupEvents {
    static func add(_ event: EventEnvelope, to lines: inout FeedLines) throws {
        switch event.type {
        case GroupThresholdCrossed.eventType:
            let body = try event.body(as: GroupThresholdCrossed.self)
            let entry = FeedEntry(
                groupID: body.groupID,
                amount: Total(body.amount),
                other: body.spent
            )
            for user in body.userIDs {
                lines.add(.thresholdCrossed, entry, to: user, event)
            }
        case InvitationSent.eventType:
            let body = try event.body(as: InvitationSent.self)
            guard let user = body.userID else { return }
            let entry = FeedEntry(
                groupID: body.groupID,
                familyID: body.familyID,
                accountID: body.accountID,
                folderID: body.folderID,
                invitationID: body.invitationID
            )
            lines.add(.invitationReceived, entry, to: user, event)
        case InvitationAnswered.eventType:
            let body = try event.body(as: InvitationAnswered.self)
            let entry = FeedEntry(
                groupID: body.groupID,
                familyID: body.familyID,
                accountID: body.accountID,
                folderID: body.folderID,
                invitationID: body.invitationID,
                userID: body.userID,
                isAccepted: body.isAccepted
            )
            let user = body.invitedBy
            lines.add(.invitationAnswered, entry, to: user, event)
        default: try addOfFamily(event, to: &lines)
        }
    }

    private static func addOfFamily(_ event: EventEnvelope, to lines: inout FeedLines) throws {
        switch event.type {
        case FamilyChildOverspent.eventType:
            let body = try event.body(as: FamilyChildOverspent.self)
            let entry = FeedEntry(amount: body.budget, other: body.spent, userID: body.childID)
            for user in body.userIDs {
                lines.add(.childOverspent, entry, to: user, event)
            }
        case FamilyRoleAgreed.eventType:
            let body = try event.body(as: FamilyRoleAgreed.self)
            let entry = FeedEntry(userID: body.memberID, isAccepted: body.isChanged)
            for user in body.userIDs { lines.add(.familyRole, entry, to: user, event) }
        case FamilyChildNoticed.eventType:
            let body = try event.body(as: FamilyChildNoticed.self)
            let entry = FeedEntry(amount: body.amount, userID: body.childID)
            for user in body.userIDs {
                lines.add(body.notice.kind, entry, to: user, event)
            }
        case FamilyBudgetExceeded.eventType:
            let body = try event.body(as: FamilyBudgetExceeded.self)
            let entry = FeedEntry(
                amount: body.budget,
                other: body.spent,
                envelopeID: body.envelopeID
            )
            for user in body.userIDs {
                lines.add(.householdExceeded, entry, to: user, event)
            }
        case FamilyApprovalAsked.eventType:
            let body = try event.body(as: FamilyApprovalAsked.self)
            let entry = FeedEntry(
                amount: Total(body.amount),
                approvalID: body.approvalID,
                userID: body.childID
            )
            for user in body.userIDs {
                lines.add(.approvalAsked, entry, to: user, event)
            }
        case FamilyApprovalEnded.eventType:
            let body = try event.body(as: FamilyApprovalEnded.self)
            for user in body.userIDs {
                let entry = FeedEntry(body)
                lines.add(.approvalEnded, entry, to: user, event)
            }
        default: try addExpense(event, to: &lines)
        }
    }

    /// One currency is the rule; of several no single amount says what was settled.
    private static func single(_ payments: [SettlementPart]) -> Total? {
        payments.count == 1 ? Total(payments[0].amount) : nil
    }

    private static func addExpense(_ event: EventEnvelope, to lines: inout FeedLines) throws {
        switch event.type {
        case GroupExpenseAdded.eventType:
            let body = try event.body(as: GroupExpenseAdded.self)
            // Of all of an import `GroupImported` tells, once; of days that are made up for the
            // newest does.
            guard !body.isImported, !body.isMadeUpFor else { return }
            for share in body.shares {
                guard let user = share.userID, user != body.addedBy else { continue }
                let entry = FeedEntry(share, of: body.amount, in: body.groupID)
                lines.add(.expenseAdded, entry, to: user, event)
            }
        case GroupExpenseChanged.eventType:
            let body = try event.body(as: GroupExpenseChanged.self)
            for share in body.shares {
                guard let user = share.userID, user != body.changedBy else { continue }
                let entry = FeedEntry(share, of: body.amount, in: body.groupID)
                lines.add(.expenseChanged, entry, to: user, event)
            }
        case GroupExpenseRemoved.eventType:
            let body = try event.body(as: GroupExpenseRemoved.self)
            let entry = FeedEntry(groupID: body.groupID, amount: body.amount.map { Total($0) })
            for user in body.userIDs where user != body.removedBy {
                lines.add(.expenseRemoved, entry, to: user, event)
            }
        case GroupExpenseCommented.eventType:
            let body = try event.body(as: GroupExpenseCommented.self)
            let entry = FeedEntry(
                groupID: body.groupID,
                amount: Total(body.amount),
                userID: body.commentedBy
            )
            for user in body.userIDs where user != body.commentedBy {
                lines.add(.expenseCommented, entry, to: user, event)
            }
        case GroupExpenseSkipped.eventType:
            let body = try event.body(as: GroupExpenseSkipped.self)
            let entry = FeedEntry(
                groupID: body.groupID,
                amount: Total(body.amount),
                recurrenceID: body.recurrenceID,
                isPaused: body.isPaused,
                reason: body.reason
            )
            lines.add(.expenseSkipped, entry, to: body.userID, event)
        case GroupGuestMerged.eventType:
            let body = try event.body(as: GroupGuestMerged.self)
            let entry = FeedEntry(groupID: body.groupID, userID: body.mergedBy)
            for user in body.userIDs where user != body.mergedBy {
                lines.add(body.isUndone ? .guestRestored : .guestMerged, entry, to: user, event)
            }
        case GroupImported.eventType:
            let body = try event.body(as: GroupImported.self)
            let entry = FeedEntry(groupID: body.groupID, userID: body.importedBy)
            for user in body.userIDs where user != body.importedBy {
                lines.add(.groupImported, entry, to: user, event)
            }
        default: try addLink(event, to: &lines)
        }
    }

    private static func addLink(_ event: EventEnvelope, to lines: inout FeedLines) throws {
        switch event.type {
        case GroupLinkOutdated.eventType:
            let body = try event.body(as: GroupLinkOutdated.self)
            let entry = FeedEntry(
                groupID: body.groupID,
                amount: Total(body.amount),
                reason: body.reason
            )
            lines.add(.expenseLinkOutdated, entry, to: body.userID, event)
        case GroupPostingKept.eventType:
            let body = try event.body(as: GroupPostingKept.self)
            let entry = FeedEntry(
                groupID: body.groupID,
                accountID: body.accountID,
                amount: Total(body.amount),
                reason: body.reason
            )
            lines.add(.postingKept, entry, to: body.userID, event)
        default: try addSettlement(event, to: &lines)
        }
    }

    private static func addSettlement(_ event: EventEnvelope, to lines: inout FeedLines) throws {
        switch event.type {
        case GroupSettlementRecorded.eventType:
            let body = try event.body(as: GroupSettlementRecorded.self)
            let entry = FeedEntry(groupID: body.groupID, amount: single(body.payments))
            for user in body.userIDs where user != body.recordedBy {
                lines.add(.settlementRecorded, entry, to: user, event)
            }
        case GroupSettlementRemoved.eventType:
            let body = try event.body(as: GroupSettlementRemoved.self)
            let entry = FeedEntry(
                groupID: body.groupID,
                amount: single(body.payments),
                userID: body.removedBy
            )
            for user in body.userIDs where user != body.removedBy {
                lines.add(.settlementRemoved, entry, to: user, event)
            }
        default: try addAllowance(event, to: &lines)
        }
    }

    private static func addAllowance(_ event: EventEnvelope, to lines: inout FeedLines) throws {
        switch event.type {
        case FamilyAllowancePaid.eventType:
            let body = try event.body(as: FamilyAllowancePaid.self)
            let entry = FeedEntry(
                amount: Total(body.amount),
                recurrenceID: body.recurrenceID,
                userID: body.paidBy
            )
            lines.add(.allowancePaid, entry, to: body.userID, event)
        case FamilyAllowanceSkipped.eventType:
            let body = try event.body(as: FamilyAllowanceSkipped.self)
            lines.add(.allowanceSkipped, FeedEntry(body), to: body.userID, event)
        default: break
        }
    }
}

extension FeedEntry {
    /// What became of what a child asked for.
    fileprivate init(_ ended: FamilyApprovalEnded) {
        self.init(
            amount: Total(ended.amount),
            approvalID: ended.approvalID,
            reason: ended.refusal,
            userID: ended.childID,
            isAccepted: ended.state == .expired ? nil : ended.state == .posted
        )
    }

    /// What a child did not get.
    fileprivate init(_ skipped: FamilyAllowanceSkipped) {
        self.init(
            amount: Total(skipped.amount),
            recurrenceID: skipped.recurrenceID,
            isPaused: skipped.isPaused,
            reason: skipped.reason,
            userID: skipped.childID
        )
    }

    /// What somebody bears of a shared expense.
    fileprivate init(_ share: UserShare, of amount: Money, in group: ID<Group>) {
        self.init(groupID: group, amount: Total(amount), other: Total(share.owed))
    }
}

extension AllowanceNotice {
    /// What tells of it in the feed.
    fileprivate var kind: NotificationKind {
        switch self {
        case .refused: .limitRefused
        case .deleted: .childDeleted
        case .lost: .limitLost
        }
    }
}
