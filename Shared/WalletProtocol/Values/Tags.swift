// What identifiers name. Types without values: `ID<Account>` cannot be taken for `ID<User>`.

/// A person with an account of this suite.
public enum User {}
/// A person's data on its way out of every service.
public enum Erasure {}
/// A person's data in one file.
public enum Export {}
/// A device signed in.
public enum Session {}
/// A one-time code under way.
public enum Challenge {}
/// A key of a person's authenticator.
public enum Passkey {}
/// A registration or an assertion under way.
public enum PasskeyCeremony {}
/// Who a person is at another provider.
public enum LinkedIdentity {}
/// A place where money is: wallet, current, deposit, allowance.
public enum Account {}
/// What money is spent on or earned by.
public enum Category {}

/// The id of a category.
public typealias CategoryID = ID<Category>
/// A transaction as its owner sees it.
public enum MoneyTransaction {}
/// A place where things are put together.
public enum Folder {}
/// A schedule of transactions, of shared expenses or of pocket money.
public enum Recurrence {}
/// A transfer that comes again.
public enum StandingOrder {}
/// Transactions deleted together.
public enum Deletion {}
/// A journal entry.
public enum JournalEntry {}
/// A transfer between two accounts.
public enum Transfer {}
/// A transfer's price, fixed for a minute.
public enum Quote {}
/// Whatever a change is of.
public enum Change {}
/// A file that belongs to a transaction or a shared expense.
public enum Attachment {}
/// A rule that names the categories of imported rows.
public enum ImportRule {}
/// A query for everybody's figures that somebody has kept.
public enum SavedQuery {}
/// A bank statement taken in.
public enum StatementImport {}
/// People who share expenses.
public enum Group {}
/// A person or guest in one group.
public enum Member {}
/// A family.
public enum Family {}
/// What a family sets aside for something.
public enum HouseholdEnvelope {}
/// A payment of pocket money.
public enum AllowanceOrder {}
/// A purchase that a child asks its parents for.
public enum Approval {}
/// A call to join something.
public enum Invitation {}
/// A shared expense.
public enum Expense {}
/// A debt paid back.
public enum Settlement {}
/// What of an expense or settlement is in somebody's own ledger: of a settlement its own id.
public enum SharedPosting {}
/// Something said about a shared expense.
public enum ExpenseComment {}
/// Another app's export, taken into a group.
public enum GroupImport {}
/// What a group's expenses are told apart by.
public enum GroupCategory {}
/// A limit of a group's spending.
public enum Threshold {}
/// A line of the feed.
public enum FeedNotification {}
/// A mail or SMS on its way.
public enum OutgoingMessage {}
/// A thing that happened, as told to other services.
public enum Event {}
