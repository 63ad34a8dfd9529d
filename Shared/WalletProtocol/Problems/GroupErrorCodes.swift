// Groups.
extension ErrorCode {
    public static let defaultGroup = ErrorCode(
        "default-group",
        409,
        "The personal group cannot do that"
    )
    public static let groupNotEmpty = ErrorCode("group-not-empty", 409, "Others are in the group")
    public static let pairGroup = ErrorCode(
        "pair-group",
        409,
        "Two people have it to themselves"
    )
    public static let groupArchived = ErrorCode("group-archived", 409, "The group is put away")
    public static let alreadyInFamily = ErrorCode(
        "already-in-family",
        409,
        "In a family already"
    )
    /// A family has at least one parent.
    public static let lastParent = ErrorCode(
        "last-parent",
        409,
        "The family has no other parent"
    )
    /// A parent limits what a child spends in the category, or in the one above it.
    public static let categoryLimited = ErrorCode(
        "category-limited",
        409,
        "A parent limits the category"
    )
    public static let parentsOnly = ErrorCode("parents-only", 403, "Only parents may")
    public static let memberIsParent = ErrorCode("member-is-parent", 403, "That is a parent")
    public static let childCannotLeave = ErrorCode(
        "child-cannot-leave",
        409,
        "Children cannot leave by themselves"
    )
    public static let userNotFound = ErrorCode("user-not-found", 404, "No such user")
    public static let alreadyMember = ErrorCode("already-member", 409, "A member already")
    public static let alreadyInvited = ErrorCode("already-invited", 409, "Invited already")
    /// In a group of two people one of them has not joined yet, or refuses new debts.
    public static let notAgreed = ErrorCode(
        "not-agreed",
        409,
        "The other person does not agree to new debts"
    )
    public static let userBlocked = ErrorCode("user-blocked", 409, "You have blocked that person")
    /// A write would make a place that was left owe more, or be owed less.
    public static let memberHasLeft = ErrorCode(
        "member-has-left",
        409,
        "Somebody who has left would owe more"
    )
    public static let unsettledBalance = ErrorCode("unsettled-balance", 409, "A balance is open")
    public static let nothingToSettle = ErrorCode("nothing-to-settle", 409, "Nothing to settle")
    public static let settlementTooLarge = ErrorCode(
        "settlement-too-large",
        422,
        "More than what is open"
    )
    public static let settlementGivenUp = ErrorCode(
        "settlement-given-up",
        409,
        "The payment was given up"
    )
    /// Money has moved for it, or may be moving.
    public static let settlementState = ErrorCode(
        "settlement-state",
        409,
        "A transfer pays the settlement"
    )
    public static let noReceivingAccount = ErrorCode(
        "no-receiving-account",
        409,
        "The creditor has named no account"
    )
    /// Whom an import names and nobody in the group is said to be.
    public static let peopleNotMapped = ErrorCode(
        "people-not-mapped",
        409,
        "It is not said who everybody is"
    )
    /// Rows that cannot be read, and are not left out by anybody's word.
    public static let importHasErrors = ErrorCode(
        "import-has-errors",
        409,
        "Some rows cannot be read"
    )
}
