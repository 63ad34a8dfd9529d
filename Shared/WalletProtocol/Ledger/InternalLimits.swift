extension InternalAllowances {
    /// What a child may spend of their account in a family.
    public static let limits = Endpoint<NoQuery, NoBody, SpendingLimitsView>(
        "getAllowanceLimits",
        .get,
        "/internal/allowances/{familyId}/{userId}/limits",
        of: .ledger,
        for: .internalService,
        errors: [.notFound],
        summary: "What a child may spend of the account for allowances"
    )

    /// Says what a child may spend of it.
    public static let setLimits = Endpoint<NoQuery, SpendingLimits, SpendingLimitsView>(
        "setAllowanceLimits",
        .put,
        "/internal/allowances/{familyId}/{userId}/limits",
        of: .ledger,
        for: .internalService,
        errors: [.notFound, .preconditionFailed],
        summary: "Say what a child may spend of the account for allowances"
    )

    /// One of a child's categories, of however many.
    public static let category = Endpoint<NoQuery, NoBody, LimitableCategory>(
        "getAllowanceCategory",
        .get,
        "/internal/allowances/{familyId}/{userId}/categories/{categoryId}",
        of: .ledger,
        for: .internalService,
        errors: [.notFound],
        summary: "A category of a child's"
    )
}
