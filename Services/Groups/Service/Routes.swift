import Receipts
import ServiceKit
import WalletProtocol

/// Every endpoint of groups, one line each; the right stands in the endpoint itself.
func addRoutes(to router: Router, _ parts: GroupsParts, map: MapView) {
    let (people, groups, invitations) = (parts.people, parts.groups, parts.invitations)
    let effects = parts.effects
    router.add(
        MakeGroup(effects: effects, people: people, groups: groups, invitations: invitations)
    )
    router.add(PairWithFriend(people: people, pairs: parts.pairs))
    router.add(RefuseFriendsDebts(refusals: parts.refusals))
    router.add(BlockUser(refusals: parts.refusals))
    router.add(UnblockUser(refusals: parts.refusals))
    router.add(ListBlocks(refusals: parts.refusals))
    router.add(ListGroups(people: people, groups: groups))
    router.add(GetGroup(groups: groups))
    router.add(ChangeGroup(groups: groups))
    router.add(RemoveGroup(groups: groups))
    router.add(ArchiveGroup(groups: groups))
    router.add(RestoreGroup(groups: groups))
    router.add(heavy: ListMembers(members: parts.members))
    router.add(AddGuest(effects: effects, members: parts.members))
    router.add(ChangeMember(members: parts.members))
    router.add(RemoveMember(members: parts.members))
    router.add(UndoGuestMerge(effects: effects))
    router.add(GetMap(map: map))
    addInvitationRoutes(to: router, parts)
}

/// Those of invitations to groups, families, wallets and folders.
private func addInvitationRoutes(to router: Router, _ parts: GroupsParts) {
    let (people, invitations, effects) = (parts.people, parts.invitations, parts.effects)
    router.add(
        SendInvitation(
            effects: effects,
            people: people,
            invitations: invitations,
            links: parts.links
        )
    )
    router.add(GetInvitationLink(links: parts.links))
    router.add(DrawLink(links: parts.links))
    router.add(
        AcceptInvitationLink(
            effects: effects,
            people: people,
            invitations: invitations,
            links: parts.links
        )
    )
    router.add(ListGroupInvitations(invitations: invitations))
    router.add(WithdrawInvitation(invitations: invitations))
    router.add(ListInvitations(people: people, invitations: invitations))
    let shared = parts.shared
    router.add(GetInvitation(people: people, invitations: invitations, shared: shared))
    router.add(
        AcceptInvitation(
            effects: effects,
            people: people,
            invitations: invitations,
            shared: shared,
            families: parts.families,
            allowances: parts.allowances
        )
    )
    router.add(
        RejectInvitation(
            effects: effects,
            people: people,
            invitations: invitations,
            shared: shared,
            families: parts.families
        )
    )
    router.add(InviteToShared<WalletMembers>(effects: effects, people: people, shared: shared))
    router.add(ListSharedInvitations<WalletMembers>(shared: shared))
    router.add(WithdrawSharedInvitation<WalletMembers>(shared: shared))
    router.add(InviteToShared<FolderMembers>(effects: effects, people: people, shared: shared))
    router.add(ListSharedInvitations<FolderMembers>(shared: shared))
    router.add(WithdrawSharedInvitation<FolderMembers>(shared: shared))
}

/// Those of other services.
func addInternalRoutes(to router: Router, _ parts: GroupsParts) {
    router.add(EraseUser(people: parts.people))
    router.add(GetAccess(members: parts.members))
    router.add(GetAcquaintance(members: parts.members))
    router.add(SnapshotGroups(snapshots: parts.snapshots))
    router.add(SnapshotMembers(snapshots: parts.snapshots))
    router.add(SnapshotExpenses(snapshots: parts.snapshots))
    router.add(SnapshotGroupCategories(snapshots: parts.snapshots))
}

/// Those of families.
func addFamilyRoutes(to router: Router, _ parts: GroupsParts) {
    let (people, families, effects) = (parts.people, parts.families, parts.effects)
    router.add(MakeFamily(effects: effects, people: people, families: families))
    router.add(GetFamily(families: families))
    router.add(GetFamilyPlace(families: families))
    router.add(ChangeFamily(families: families))
    router.add(SetFamilyRole(families: families))
    router.add(RemoveFamily(families: families))
    router.add(
        InviteToFamily(
            effects: effects,
            people: people,
            invitations: parts.invitations,
            families: families
        )
    )
    router.add(ListFamilyInvitations(families: families))
    router.add(WithdrawFamilyInvitation(families: families))
    router.add(RemoveFamilyMember(families: families))
    router.add(
        GetChildDashboard(
            families: families,
            ledger: parts.allowances.ledger,
            limits: parts.limits
        )
    )
    let recurring = parts.recurringAllowances
    router.add(
        PayFamilyAllowance(
            effects: effects,
            people: people,
            allowances: parts.allowances,
            recurring: recurring
        )
    )
    router.add(ListAllowances(recurring: recurring))
    router.add(GetAllowance(recurring: recurring))
    router.add(ListAllowanceOccurrences(recurring: recurring))
    router.add(ChangeAllowance(recurring: recurring))
    router.add(RemoveAllowance(recurring: recurring))
    router.add(GetChildLimits(limits: parts.limits))
    router.add(SetChildLimits(limits: parts.limits))
    router.add(AskForApproval(effects: effects, approvals: parts.approvals))
    router.add(ListApprovals(approvals: parts.approvals))
    router.add(GetApproval(approvals: parts.approvals))
    router.add(WithdrawApproval(approvals: parts.approvals))
    router.add(DecideApproval(decisions: parts.approvalDecisions))
}

/// Those of expenses' receipts.
func addAttachmentRoutes(
    to router: Router,
    _ attachments: ExpenseAttachmentStore,
    _ uploads: AttachmentUploads,
    _ files: AttachmentFiles
) {
    router.add(AddExpenseAttachment(attachments: attachments, uploads: uploads))
    router.add(ListExpenseAttachments(attachments: attachments))
    router.add(GetExpenseAttachment(attachments: attachments, files: files))
    router.add(RemoveExpenseAttachment(attachments: attachments))
}

/// Those of expenses, and of what follows from them.
func addExpenseRoutes(to router: Router, _ parts: GroupsParts) {
    let (people, effects) = (parts.people, parts.effects)
    router.add(
        AddExpense(
            effects: effects,
            people: people,
            recurrences: parts.recurrences,
            linked: parts.linked,
            batcher: parts.batcher
        )
    )
    router.add(heavy: ListExpenses(expenses: parts.expenseList, table: parts.expenseTable))
    router.add(GetExpense(expenses: parts.expenses))
    router.add(heavy: ListExpenseHistory(expenses: parts.expenses))
    let (expenses, links) = (parts.expenses, parts.ledgerLinks)
    router.add(ChangeExpense(effects: effects, people: people, expenses: expenses, links: links))
    router.add(RemoveExpense(effects: effects, expenses: expenses, links: links))
    router.add(RestoreExpense(effects: effects, people: people, expenses: expenses, links: links))
    router.add(SetLedgerLink(links: links))
    router.add(RemoveLedgerLink(links: links))
    let recurrences = parts.recurrences
    router.add(ListExpenseRecurrences(recurrences: recurrences))
    router.add(GetExpenseRecurrence(recurrences: recurrences))
    router.add(ListExpenseOccurrences(recurrences: recurrences))
    router.add(ChangeExpenseRecurrence(recurrences: recurrences))
    router.add(RemoveExpenseRecurrence(recurrences: recurrences))
    router.add(MakeGroupCategory(effects: effects, categories: parts.categories))
    router.add(ListGroupCategories(categories: parts.categories))
    router.add(ChangeGroupCategory(categories: parts.categories))
    router.add(RemoveGroupCategory(categories: parts.categories))
    router.add(LabelGroupCategory(categories: parts.categories))
    router.add(UnlabelGroupCategory(categories: parts.categories))
    router.add(AddComment(effects: effects, comments: parts.comments))
    router.add(heavy: ListComments(comments: parts.comments))
    router.add(RemoveComment(comments: parts.comments))
    router.add(heavy: GetGroupTotals(reports: parts.reports))
    router.add(heavy: ListExpensePositions(reports: parts.reports))
    router.add(heavy: ListFriends(friends: parts.friends))
    router.add(heavy: ListFriendBalances(friends: parts.friends))
    router.add(heavy: GetBalances(balances: parts.balances))
    router.add(heavy: ListDebts(balances: parts.balances))
    router.add(heavy: ListDebtExpenses(balances: parts.balances))
    router.add(
        Settle(
            effects: effects,
            people: people,
            settlements: parts.settlements,
            orders: parts.settlementOrders,
            cleared: parts.cleared,
            conversion: parts.settlementConversion
        )
    )
    router.add(GetSettlement(settlements: parts.settlements))
    router.add(heavy: ListSettlements(settlements: parts.settlements))
    router.add(
        RemoveSettlement(cleared: parts.cleared)
    )
    router.add(ListReceivingAccounts(accounts: parts.receiving))
    router.add(NameReceivingAccount(accounts: parts.receiving))
    router.add(RemoveReceivingAccount(accounts: parts.receiving))
    router.add(GetPaymentCode(codes: parts.paymentCodes))
    router.add(MakeThreshold(effects: effects, people: people, thresholds: parts.thresholds))
    router.add(ListThresholds(people: people, thresholds: parts.thresholds))
    router.add(ChangeThreshold(people: people, thresholds: parts.thresholds))
    router.add(RemoveThreshold(thresholds: parts.thresholds))
}

/// Those of other apps' exports.
func addImportRoutes(to router: Router, _ imports: GroupImportStore, people: PeopleStore) {
    router.add(UploadGroupImport(imports: imports))
    router.add(heavy: GetGroupImport(imports: imports))
    router.add(ChangeGroupImport(imports: imports))
    router.add(CommitGroupImport(people: people, imports: imports))
    router.add(RemoveGroupImport(imports: imports))
}
