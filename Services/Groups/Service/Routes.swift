import ServiceKit
import WalletProtocol

/// Every endpoint of groups, one line each; the right stands in the endpoint itself.
func addRoutes(to router: Router, _ parts: GroupsParts, map: MapView) {
    let (people, groups, invitations) = (parts.people, parts.groups, parts.invitations)
    let effects = parts.effects
    router.add(EraseUser(people: people))
    router.add(
        MakeGroup(effects: effects, people: people, groups: groups, invitations: invitations)
    )
    router.add(ListGroups(people: people, groups: groups))
    router.add(GetGroup(groups: groups))
    router.add(ListMembers(groups: groups))
    router.add(SendInvitation(effects: effects, people: people, invitations: invitations))
    router.add(ListGroupInvitations(invitations: invitations))
    router.add(ListInvitations(people: people, invitations: invitations))
    let shared = parts.shared
    router.add(
        AcceptInvitation(effects: effects, people: people, invitations: invitations, shared: shared)
    )
    router.add(
        RejectInvitation(effects: effects, people: people, invitations: invitations, shared: shared)
    )
    router.add(InviteToShared<WalletMembers>(effects: effects, people: people, shared: shared))
    router.add(ListSharedInvitations<WalletMembers>(shared: shared))
    router.add(WithdrawSharedInvitation<WalletMembers>(shared: shared))
    router.add(InviteToShared<FolderMembers>(effects: effects, people: people, shared: shared))
    router.add(ListSharedInvitations<FolderMembers>(shared: shared))
    router.add(WithdrawSharedInvitation<FolderMembers>(shared: shared))
    router.add(AddExpense(effects: effects, people: people, expenses: parts.expenses))
    router.add(ListExpenses(expenses: parts.expenses))
    router.add(GetExpense(expenses: parts.expenses))
    router.add(RemoveExpense(effects: effects, expenses: parts.expenses))
    router.add(GetBalances(balances: parts.balances))
    router.add(Settle(effects: effects, settlements: parts.settlements))
    router.add(ListSettlements(settlements: parts.settlements))
    router.add(MakeThreshold(effects: effects, people: people, thresholds: parts.thresholds))
    router.add(ListThresholds(people: people, thresholds: parts.thresholds))
    router.add(RemoveThreshold(thresholds: parts.thresholds))
    router.add(GetMap(map: map))
    router.add(GetAccess(groups: groups))
    router.add(GetAcquaintance(groups: groups))
}
