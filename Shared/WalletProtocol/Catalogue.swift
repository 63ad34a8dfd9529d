/// Every endpoint of the suite, for the gateway's route table and for checks over all of them.
///
/// A service registers what it implements; the document is made from what is registered.
public enum Catalogue {
    /// What clients can call.
    public static let `public`: [EndpointDescription] = [
        Users.all, Profiles.all, Pictures.all, Deletions.all, Exports.all, Sessions.all,
        SecondFactors.all, Passwords.all, Recoveries.all, Passkeys.all, Identities.all,
        WellKnown.all,
        Accounts.all, WalletMembers.all, Folders.all, FolderMembers.all, Categories.all,
        Transactions.all, Recurrences.all,
        Imports.all,
        Transfers.all, ImportRules.all, Rates.all, Integrity.all, Attachments.all, Statements.all,
        StandingOrders.all, Deposits.all, Budgets.all, HouseholdBudgets.all, Changes.all,
        Groups.all, GroupMembers.all, Invitations.all, Expenses.all, GroupCategories.all,
        ExpenseRecurrences.all, LedgerLinks.all,
        Comments.all, ExpenseAttachments.all, GroupImports.all,
        GroupReports.all, Families.all, Approvals.all, Allowances.all,
        ChildDashboards.all, Friends.all, Blocks.all, Settlements.all,
        ReceivingAccounts.all, PaymentCodes.all, Thresholds.all, Maps.all,
        LedgerReports.all, Reports.all, Insights.all, SavedQueries.all,
        Notifications.all,
        Audit.all, Administration.all,
    ].flatMap(\.self)

    /// What only services can call, on the internal listener.
    public static let `internal`: [EndpointDescription] =
        [
            InternalAuth.serviceToken.erased, InternalAuth.revocations.erased,
            InternalAuth.user.erased, InternalAuth.users.erased, InternalAuth.snapshot.erased,
            InternalAuth.insightsRead.erased,
            InternalOverviews.get.erased, InternalRates.convert.erased,
            InternalPurchases.post.erased, InternalCategories.labels.erased,
            InternalGroups.access.erased, InternalGroups.acquaintance.erased,
            InternalGroups.familyPlace.erased,
            InternalMessages.send.erased,
        ] + InternalEvents.all + InternalWallets.all + InternalFolders.all + InternalAllowances.all
        + InternalAccounts.all + InternalSettlements.all + InternalReceivables.all
        + InternalErasures.all + InternalExports.all + GroupSnapshots.all + InternalHouseholds.all
        + InternalLedger.all

    /// Both.
    public static let all = `public` + `internal`
}
