import Loops
import Postgres
import Receipts
import ServiceKit
import WalletProtocol

/// Every endpoint of the ledger, one line each; the right stands in the endpoint itself.
func addRoutes(to router: Router, _ parts: LedgerParts) {
    addAccountRoutes(to: router, parts)
    addFolderRoutes(to: router, parts)
    addPlanRoutes(to: router, parts)
    addHouseholdRoutes(to: router, parts)
    addTransactionRoutes(to: router, parts)
    addTransferRoutes(to: router, parts)
    addOrderRoutes(to: router, parts)
    addImportRoutes(to: router, parts)
    addAttachmentRoutes(to: router, parts)
    addPersonRoutes(to: router, parts)
    addReportRoutes(to: router, parts)
    router.add(GetRates(rates: .shared, blocking: parts.blocking))
    router.add(ConvertAmounts(rates: .shared, blocking: parts.blocking))
    router.add(ListCurrencies())
    router.add(GetIntegrity(reader: IntegrityReader(parts)))
    addSnapshotRoutes(to: router, SnapshotStore(database: parts.database))
}

/// What read models begin anew from.
private func addSnapshotRoutes(to router: Router, _ snapshots: SnapshotStore) {
    router.add(SnapshotAccounts(snapshots: snapshots))
    router.add(SnapshotCategories(snapshots: snapshots))
    router.add(SnapshotWalletMembers(snapshots: snapshots))
    router.add(FindBookedVersions(snapshots: snapshots))
}

/// Accounts, who is in them, and what is in them for a child.
private func addAccountRoutes(to router: Router, _ parts: LedgerParts) {
    let (database, people) = (parts.database, parts.people)
    let accounts = AccountStore(database: database, people: people)
    router.add(
        OpenAccount(
            effects: parts.effects,
            database: database,
            people: people,
            ibans: parts.ibans
        )
    )
    router.add(ListAccounts(accounts: accounts))
    router.add(GetAccount(accounts: accounts))
    router.add(ChangeAccount(accounts: accounts))
    router.add(CloseAccount(accounts: accounts))
    router.add(GetOwnAccount(accounts: accounts))
    router.add(OpenDeposit(deposits: DepositStore(parts)))
    router.add(
        GetStatement(
            statements: StatementStore(database: database),
            people: people,
            slots: parts.fileSlots
        )
    )
    let members = MemberStore(database: database, people: people, relayBell: parts.relayBell)
    router.add(ListMembers(members: members))
    router.add(ChangeMember(members: members))
    router.add(RemoveMember(members: members))
    router.add(GetWalletAccess(members: members))
    router.add(GetSharedWallet(members: members))
    router.add(GetLedgerAcquaintance(members: members))
    router.add(JoinWallet(members: members))
    let allowances = AllowanceStore(
        database: database,
        people: people,
        relayBell: parts.relayBell
    )
    let payments = AllowancePayments(
        database: database,
        people: people,
        stepUp: parts.stepUp,
        relayBell: parts.relayBell
    )
    router.add(OpenAllowance(allowances: allowances))
    router.add(ReleaseAllowance(allowances: allowances))
    router.add(PayAllowance(payments: payments))
    router.add(DecideAllowance(payments: payments))
    router.add(AgreeToAllowance(payments: payments))
    let limits = LimitStore(database: database, people: people)
    router.add(GetAllowanceLimits(limits: limits))
    router.add(SetAllowanceLimits(limits: limits))
    router.add(GetAllowanceCategory(limits: limits))
    let purchases = PurchaseStore(
        database: database,
        people: people,
        relayBell: parts.relayBell
    )
    router.add(PostPurchase(purchases: purchases))
    let settlements = SettlementTransferStore(parts)
    router.add(PaySettlement(settlements: settlements))
    router.add(DecideSettlement(settlements: settlements))
    addReceivableRoutes(to: router, parts)
}

/// Shared expenses in their payers' books.
private func addReceivableRoutes(to router: Router, _ parts: LedgerParts) {
    let postings = ExpensePostingStore(
        database: parts.database,
        people: parts.people,
        relayBell: parts.relayBell
    )
    let clearings = ReceivableClearingStore(
        database: parts.database,
        people: parts.people,
        relayBell: parts.relayBell
    )
    router.add(PostExpense(postings: postings))
    router.add(GetExpensePosting(postings: postings))
    router.add(WithdrawExpensePosting(postings: postings))
    router.add(ClearReceivable(clearings: clearings))
    router.add(WithdrawReceivableClearing(clearings: clearings))
}

/// Folders, and who and what is in them.
private func addFolderRoutes(to router: Router, _ parts: LedgerParts) {
    let folders = FolderStore(database: parts.database, people: parts.people)
    let members = FolderMemberStore(database: parts.database, people: parts.people)
    let contents = FolderContentStore(database: parts.database, relayBell: parts.relayBell)
    router.add(MakeFolder(effects: parts.effects, folders: folders))
    router.add(ListFolders(folders: folders))
    router.add(GetFolder(folders: folders))
    router.add(ChangeFolder(folders: folders))
    router.add(RemoveFolder(folders: folders))
    router.add(PutIntoFolder(contents: contents))
    router.add(TakeOutOfFolder(contents: contents))
    router.add(PutCategoryIntoFolder(contents: contents))
    router.add(TakeCategoryOutOfFolder(contents: contents))
    router.add(ListFolderMembers(members: members))
    router.add(ChangeFolderMember(members: members))
    router.add(RemoveFolderMember(members: members))
    router.add(GetFolderAccess(members: members))
    router.add(GetSharedFolder(folders: folders))
    router.add(JoinFolder(folders: folders, members: members))
}

/// What money is for, and what comes again: categories, budgets, recurrences.
private func addPlanRoutes(to router: Router, _ parts: LedgerParts) {
    let (database, people) = (parts.database, parts.people)
    let (effects, relayBell) = (parts.effects, parts.relayBell)
    let categories = CategoryStore(database: database, people: people, relayBell: relayBell)
    router.add(MakeCategory(effects: effects, categories: categories))
    router.add(ListCategories(categories: categories))
    router.add(ChangeCategory(categories: categories))
    router.add(RemoveCategory(database: database, relayBell: relayBell))
    router.add(GetCategory(categories: categories))
    router.add(GetCategoryLabels(categories: categories))
    router.add(LabelCategory(categories: categories))
    router.add(UnlabelCategory(categories: categories))
    router.add(GetPalette())
    router.add(heavy: ListBudgets(store: parts.budgets))
    router.add(AllocateBudget(effects: effects, store: parts.budgets))
    router.add(TransferBudget(effects: effects, store: parts.budgets))
    let recurrences = RecurrenceStore(database: database)
    let changes = RecurrenceChanges(database: database, people: people, relayBell: relayBell)
    router.add(ListRecurrences(recurrences: recurrences))
    router.add(GetRecurrence(recurrences: recurrences))
    router.add(ChangeRecurrence(changes: changes))
    router.add(RemoveRecurrence(changes: changes))
    router.add(ListOccurrences(recurrences: recurrences))
}

/// What the parents of a family have set aside together.
private func addHouseholdRoutes(to router: Router, _ parts: LedgerParts) {
    let (effects, households) = (parts.effects, parts.households)
    router.add(GetHouseholdBudget(households: households))
    router.add(AllocateHouseholdBudget(effects: effects, households: households))
    router.add(TransferHouseholdBudget(effects: effects, households: households))
    router.add(MakeHouseholdEnvelope(effects: effects, households: households))
    router.add(ListHouseholdEnvelopes(households: households))
    router.add(ChangeHouseholdEnvelope(households: households))
    router.add(RemoveHouseholdEnvelope(households: households))
    router.add(PutCategoryIntoHouseholdEnvelope(households: households))
    router.add(TakeCategoryOutOfHouseholdEnvelope(households: households))
    router.add(LeaveHousehold(households: households))
    router.add(EndHousehold(households: households))
}

/// What was earned and spent.
private func addTransactionRoutes(to router: Router, _ parts: LedgerParts) {
    let database = parts.database
    let recorder = TransactionRecorder(parts)
    let transactions = TransactionStore(database: database, relayBell: parts.relayBell)
    let deletions = DeletionStore(database: database, relayBell: parts.relayBell)
    let history = TransactionHistory(database: database)
    router.add(RecordTransaction(recorder: recorder))
    router.add(RecordTransactions(recorder: recorder))
    router.add(
        heavy: ListTransactions(list: TransactionList(parts), files: TransactionFiles(parts))
    )
    router.add(heavy: ListPositions(database: database))
    router.add(GetTransaction(transactions: transactions))
    router.add(ChangeTransaction(transactions: transactions))
    router.add(heavy: GetTransactionHistory(history: history))
    router.add(DeleteTransaction(deletions: deletions))
    router.add(DeleteTransactions(effects: parts.effects, deletions: deletions))
    router.add(UndoDeletion(effects: parts.effects, deletions: deletions))
    router.add(heavy: ListChanges(changes: ChangeStore(database: database), people: parts.people))
}

/// Money that moves from one account to another.
private func addTransferRoutes(to router: Router, _ parts: LedgerParts) {
    let transfers = TransferStore(parts)
    let holds = HoldStore(transfers: transfers)
    router.add(
        MakeQuote(effects: parts.effects, quotes: QuoteStore(parts), people: parts.people)
    )
    router.add(PostTransfer(transfers: transfers))
    router.add(PostTransfers(batches: TransferBatchStore(transfers: transfers)))
    router.add(GetTransfer(transfers: transfers))
    router.add(CaptureTransfer(holds: holds))
    router.add(VoidTransfer(holds: holds))
}

/// Money that moves again and again.
private func addOrderRoutes(to router: Router, _ parts: LedgerParts) {
    let orders = StandingOrderStore(database: parts.database)
    let changes = StandingOrderChanges(
        database: parts.database,
        people: parts.people,
        proof: StandingOrderProof(stepUp: parts.stepUp)
    )
    router.add(MakeStandingOrder(effects: parts.effects, maker: StandingOrderMaker(parts)))
    router.add(ListStandingOrders(orders: orders))
    router.add(GetStandingOrder(orders: orders))
    router.add(ChangeStandingOrder(changes: changes))
    router.add(RemoveStandingOrder(changes: changes))
    router.add(ListStandingOrderOccurrences(orders: orders))
}

/// Banks' files, and what their rows become.
private func addImportRoutes(to router: Router, _ parts: LedgerParts) {
    let (database, blocking) = (parts.database, parts.blocking)
    // Each file is up to 20 MiB, and its rows several times that.
    let slots = Slots(4, perUserMax: 2)
    let uploads = ImportUploads(
        effects: parts.effects,
        database: database,
        blocking: blocking,
        slots: slots
    )
    let changes = ImportChanges(database: database, blocking: blocking, slots: slots)
    let imports = ImportStore(database: database, bell: parts.importBell)
    router.add(UploadImport(uploads: uploads))
    router.add(ChangeImport(changes: changes))
    router.add(heavy: GetImport(imports: imports))
    router.add(CommitImport(effects: parts.effects, imports: imports))
    router.add(RemoveImport(imports: imports))
    let rules = ImportRuleStore(database: database, people: parts.people)
    router.add(MakeImportRule(effects: parts.effects, rules: rules))
    router.add(ListImportRules(rules: rules))
    router.add(GetImportRule(rules: rules))
    router.add(ChangeImportRule(rules: rules))
    router.add(RemoveImportRule(rules: rules))
}

/// Receipts.
private func addAttachmentRoutes(to router: Router, _ parts: LedgerParts) {
    let attachments = AttachmentStore(
        database: parts.database,
        limits: parts.configuration.attachments
    )
    let uploads = AttachmentUploads(effects: parts.effects, database: parts.database)
    let files = AttachmentFiles(database: parts.database)
    router.add(AddAttachment(attachments: attachments, uploads: uploads))
    router.add(ListAttachments(attachments: attachments))
    router.add(GetAttachment(attachments: attachments, files: files))
    router.add(RemoveAttachment(attachments: attachments))
}

/// Figures of one's own, and of a child's for its parents.
private func addReportRoutes(to router: Router, _ parts: LedgerParts) {
    let (database, blocking) = (parts.database, parts.blocking)
    let subjects = ReportSubjects(people: parts.people, place: parts.households.place)
    let balances = BalanceReader(database: database, rates: .shared, blocking: blocking)
    let documents = parts.documents
    let budgets = BudgetReportReader(budgets: parts.budgets)
    let flows = FlowReader(database: database, rates: .shared, blocking: blocking)
    let forecasts = ForecastReader(database: database, rates: .shared, blocking: blocking)
    router.add(heavy: GetBalanceReport(documents: documents, subjects: subjects, reader: balances))
    router.add(heavy: GetBudgetReport(documents: documents, subjects: subjects, reader: budgets))
    router.add(heavy: GetPlaceReport(documents: documents, subjects: subjects, reader: flows))
    router.add(heavy: GetPayeeReport(documents: documents, subjects: subjects, reader: flows))
    router.add(heavy: GetForecast(documents: documents, subjects: subjects, reader: forecasts))
    router.add(
        heavy: GetChildBalanceReport(documents: documents, subjects: subjects, reader: balances)
    )
    router.add(
        heavy: GetChildBudgetReport(documents: documents, subjects: subjects, reader: budgets)
    )
    router.add(heavy: GetChildPlaceReport(documents: documents, subjects: subjects, reader: flows))
    router.add(heavy: GetChildPayeeReport(documents: documents, subjects: subjects, reader: flows))
    router.add(heavy: GetChildForecast(documents: documents, subjects: subjects, reader: forecasts))
}

/// What is held on a person: all of it told, or forgotten.
private func addPersonRoutes(to router: Router, _ parts: LedgerParts) {
    let eraser = PersonEraser(database: parts.database)
    router.addExport(InternalExports.ledger, of: ExportStatements.parts, in: parts.database)
    let overviews = OverviewReader(
        people: parts.people,
        accounts: AccountStore(database: parts.database, people: parts.people),
        categories: CategoryStore(
            database: parts.database,
            people: parts.people,
            relayBell: parts.relayBell
        ),
        budgets: parts.budgets,
        transactions: TransactionList(parts)
    )
    router.add(GetOverview(overviews: overviews))
    router.add(AgreeToErasure(eraser: eraser))
    router.add(EraseUser(eraser: eraser))
}
