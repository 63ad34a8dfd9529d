import ServiceKit

/// Every endpoint of groups, one line each; the right stands in the endpoint itself.
func addRoutes(to router: Router, _ parts: GroupsParts) {
    let (people, groups, invitations) = (parts.people, parts.groups, parts.invitations)
    router.add(EraseUser(people: people))
    router.add(MakeGroup(people: people, groups: groups, invitations: invitations))
    router.add(ListGroups(people: people, groups: groups))
    router.add(GetGroup(groups: groups))
    router.add(ListMembers(groups: groups))
    router.add(SendInvitation(people: people, invitations: invitations))
    router.add(ListGroupInvitations(invitations: invitations))
    router.add(ListInvitations(people: people, invitations: invitations))
    let wallets = parts.wallets
    router.add(AcceptInvitation(people: people, invitations: invitations, wallets: wallets))
    router.add(RejectInvitation(people: people, invitations: invitations, wallets: wallets))
    router.add(InviteToWallet(people: people, wallets: wallets))
    router.add(ListWalletInvitations(wallets: wallets))
    router.add(WithdrawWalletInvitation(wallets: wallets))
    router.add(AddExpense(people: people, expenses: parts.expenses))
    router.add(ListExpenses(expenses: parts.expenses))
    router.add(GetExpense(expenses: parts.expenses))
    router.add(RemoveExpense(expenses: parts.expenses))
    router.add(GetBalances(balances: parts.balances))
    router.add(Settle(settlements: parts.settlements))
    router.add(ListSettlements(settlements: parts.settlements))
    router.add(MakeThreshold(people: people, thresholds: parts.thresholds))
    router.add(ListThresholds(people: people, thresholds: parts.thresholds))
    router.add(RemoveThreshold(thresholds: parts.thresholds))
    router.add(GetAccess(groups: groups))
    router.add(GetAcquaintance(groups: groups))
}
