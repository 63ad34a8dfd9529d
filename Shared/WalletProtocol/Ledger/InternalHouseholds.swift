/// Which membership has ended.
public struct HouseholdLeaving: QueryObject, Hashable {
    public let joinedAt: Instant

    public init(joinedAt: Instant) { self.joinedAt = joinedAt }

    public static let query = QueryFields(
        HouseholdLeaving.init,
        QueryField("joinedAt", \.joinedAt, about: "When the membership that ended had begun.")
    )
}

/// What groups tells the ledger of families' budgets; each call may come again.
public enum InternalHouseholds {
    /// A parent is in the family no more.
    public static let leave = Endpoint<HouseholdLeaving, NoBody, NoView>(
        "leaveHousehold",
        .delete,
        "/internal/households/{familyId}/parents/{userId}",
        of: .ledger,
        for: .internalService,
        summary: "Take a parent's categories out of a family's budget"
    )

    /// There is no such family any more.
    public static let end = Endpoint<NoQuery, NoBody, NoView>(
        "endHousehold",
        .delete,
        "/internal/households/{familyId}",
        of: .ledger,
        for: .internalService,
        summary: "Delete a family's budget"
    )

    /// Every internal endpoint here.
    public static let all: [EndpointDescription] = [leave.erased, end.erased]
}
