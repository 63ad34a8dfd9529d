// Groups.
extension ErrorCode {
    /// The personal group cannot do that.
    public static let defaultGroup = ErrorCode(
        "default-group",
        409,
        "The personal group cannot do that"
    )
    /// Others are in the group.
    public static let groupNotEmpty = ErrorCode("group-not-empty", 409, "Others are in the group")
    /// No such user.
    public static let userNotFound = ErrorCode("user-not-found", 404, "No such user")
    /// A member already.
    public static let alreadyMember = ErrorCode("already-member", 409, "A member already")
    /// Invited already.
    public static let alreadyInvited = ErrorCode("already-invited", 409, "Invited already")
    /// A balance is open.
    public static let unsettledBalance = ErrorCode("unsettled-balance", 409, "A balance is open")
    /// Nothing to settle.
    public static let nothingToSettle = ErrorCode("nothing-to-settle", 409, "Nothing to settle")
    /// More than what is open.
    public static let settlementTooLarge = ErrorCode(
        "settlement-too-large",
        422,
        "More than what is open"
    )
    /// The creditor has named no account.
    public static let noReceivingAccount = ErrorCode(
        "no-receiving-account",
        409,
        "The creditor has named no account"
    )
}
