import Loops
import ServiceKit

/// Every endpoint of the ledger, one line each; the right stands in the endpoint itself.
func addRoutes(to router: Router, _ parts: LedgerParts, blocking: BlockingPool) {
    let (database, relayBell) = (parts.database, parts.relayBell)
    let (people, batcher, registry) = (parts.people, parts.batcher, parts.registry)
    let effects = parts.effects
    router.add(
        OpenAccount(effects: effects, database: database, people: people, ibans: parts.ibans)
    )
    router.add(ListAccounts(database: database, people: people))
    router.add(GetAccount(database: database))
    router.add(ChangeAccount(database: database))
    router.add(CloseAccount(database: database))
    addMemberRoutes(to: router, parts)
    addFolderRoutes(to: router, parts)
    router.add(OpenAllowance(database: database, people: people, relayBell: relayBell))
    router.add(ReleaseAllowance(database: database))
    router.add(PayAllowance(database: database, people: people, relayBell: relayBell))
    router.add(MakeCategory(effects: effects, people: people))
    router.add(ListCategories(database: database, people: people))
    router.add(ChangeCategory(database: database, relayBell: relayBell))
    router.add(RemoveCategory(database: database, relayBell: relayBell))
    router.add(GetCategory(database: database))
    router.add(LabelCategory(database: database))
    router.add(UnlabelCategory(database: database))
    router.add(GetPalette())
    router.add(ListBudgets(store: parts.budgets))
    router.add(AllocateBudget(effects: effects, store: parts.budgets))
    router.add(TransferBudget(effects: effects, store: parts.budgets))
    router.add(ListRecurrences(database: database))
    router.add(GetRecurrence(database: database))
    router.add(ChangeRecurrence(database: database, people: people, relayBell: relayBell))
    router.add(RemoveRecurrence(database: database))
    router.add(ListOccurrences(database: database))
    router.add(
        RecordTransaction(
            database: database,
            people: people,
            batcher: batcher,
            relayBell: relayBell,
            budgets: parts.budgets
        )
    )
    router.add(
        RecordTransactions(database: database, people: people, relayBell: relayBell)
    )
    router.add(
        ListTransactions(
            database: database,
            people: people,
            rates: .shared,
            blocking: parts.blocking
        )
    )
    router.add(ListPositions(database: database))
    router.add(GetTransaction(database: database))
    router.add(ChangeTransaction(database: database, relayBell: relayBell))
    router.add(GetTransactionHistory(database: database))
    router.add(DeleteTransaction(database: database, relayBell: relayBell))
    router.add(DeleteTransactions(effects: effects, database: database))
    router.add(UndoDeletion(database: database, relayBell: relayBell))
    router.add(
        MakeQuote(
            database: database,
            people: people,
            rates: .shared,
            blocking: parts.blocking,
            registry: registry
        )
    )
    router.add(
        PostTransfer(
            database: database,
            people: people,
            batcher: batcher,
            planner: parts.planner,
            stepUp: parts.stepUp,
            holdSeconds: parts.holdSeconds
        )
    )
    router.add(
        PostTransfers(
            database: database,
            people: people,
            batcher: batcher,
            planner: parts.planner,
            stepUp: parts.stepUp,
            holdSeconds: parts.holdSeconds
        )
    )
    let ending = HoldEnding(database: database, people: people, batcher: batcher)
    router.add(CaptureTransfer(ending: ending))
    router.add(VoidTransfer(ending: ending))
    router.add(
        OpenDeposit(
            database: database,
            people: people,
            batcher: batcher,
            ibans: parts.ibans
        )
    )
    router.add(GetTransfer(database: database))
    router.add(GetRates(rates: .shared, blocking: parts.blocking))
    router.add(ListCurrencies())
    // Each file is up to 20 MiB, and its rows several times that.
    let slots = Slots(4, perUserMax: 2)
    router.add(
        UploadImport(effects: effects, database: database, blocking: blocking, slots: slots)
    )
    router.add(ChangeImport(database: database, blocking: blocking, slots: slots))
    router.add(GetImport(database: database))
    router.add(CommitImport(database: database, bell: parts.importBell))
    router.add(RemoveImport(database: database, bell: parts.importBell))
    router.add(MakeImportRule(effects: effects, people: people))
    router.add(ListImportRules(database: database))
    router.add(GetImportRule(database: database))
    router.add(ChangeImportRule(database: database))
    router.add(RemoveImportRule(database: database))
    addAttachmentRoutes(to: router, parts)
    router.add(ListChanges(database: database, people: people))
    router.add(
        GetStatement(
            database: database,
            people: people,
            slots: Slots(
                // Each holds a connection for as long as its reader takes.
                max(1, database.configuration.leasedConnectionsMax / 2),
                perUserMax: 2
            )
        )
    )
    router.add(GetIntegrity(database: database, rates: .shared, blocking: blocking))
    router.add(ExportUser(database: database))
    router.add(AgreeToErasure(database: database))
    router.add(EraseUser(eraser: PersonEraser(database: database)))
}

/// The endpoints of wallets with other people.
private func addMemberRoutes(to router: Router, _ parts: LedgerParts) {
    let (database, relayBell) = (parts.database, parts.relayBell)
    router.add(ListMembers(database: database))
    router.add(ChangeMember(database: database))
    router.add(RemoveMember(database: database, relayBell: relayBell))
    router.add(GetWalletAccess(database: database))
    router.add(GetSharedWallet(database: database))
    router.add(JoinWallet(database: database, people: parts.people, relayBell: relayBell))
}

/// The endpoints of folders.
private func addFolderRoutes(to router: Router, _ parts: LedgerParts) {
    let (database, relayBell) = (parts.database, parts.relayBell)
    router.add(MakeFolder(effects: parts.effects, people: parts.people))
    router.add(ListFolders(database: database))
    router.add(GetFolder(database: database))
    router.add(ChangeFolder(database: database))
    router.add(RemoveFolder(database: database))
    router.add(PutIntoFolder(database: database, relayBell: relayBell))
    router.add(TakeOutOfFolder(database: database, relayBell: relayBell))
    router.add(PutCategoryIntoFolder(database: database))
    router.add(TakeCategoryOutOfFolder(database: database))
    router.add(ListFolderMembers(database: database))
    router.add(ChangeFolderMember(database: database))
    router.add(RemoveFolderMember(database: database))
    router.add(GetFolderAccess(database: database))
    router.add(GetSharedFolder(database: database))
    router.add(JoinFolder(database: database, people: parts.people))
}

/// The endpoints of receipts.
private func addAttachmentRoutes(to router: Router, _ parts: LedgerParts) {
    let database = parts.database
    router.add(
        AddAttachment(
            effects: parts.effects,
            database: database,
            limits: parts.attachmentLimits,
            slots: Slots(64)
        )
    )
    router.add(ListAttachments(database: database))
    router.add(GetAttachment(database: database))
    router.add(RemoveAttachment(database: database))
}
