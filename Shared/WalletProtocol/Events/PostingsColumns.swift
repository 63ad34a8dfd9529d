extension Postings {
    public static let json = Object(
        Postings.init(
            coversFrom:
            coversThrough:
            places:
            entryIDs:
            transactionIDs:
            versions:
            kinds:
            userIDs:
            accountIDs:
            accountKinds:
            amounts:
            currencies:
            days:
            categoryIDs:
            coicops:
            transferIDs:
            ownTransfers:
            lines:
            uncounted:
            recordedAt:
            sequences:
            traceParents:
        ),
        Field("coversFrom", \.coversFrom, about: "The first place of each run that is settled."),
        Field("coversThrough", \.coversThrough, about: "The last place of each of these."),
        Field("place", \.places, about: "The entry's place in the journal."),
        Field("entryId", \.entryIDs, about: "The entry."),
        Field("transactionId", \.transactionIDs, about: "The transaction."),
        Field(
            "version",
            \.versions,
            about: "Its version, from 1; a reversal has that of what it takes back."
        ),
        Field("kind", \.kinds, about: "Whether it came or went."),
        Field("userId", \.userIDs, about: "Whose."),
        Field("accountId", \.accountIDs, about: "The account."),
        Field("accountKind", \.accountKinds, about: "The account's kind."),
        Field(
            "amount",
            \.amounts,
            about: "Minor units, signed as the account sees it; a reversal repeats them."
        ),
        Field("currency", \.currencies, about: "The currency."),
        Field("day", \.days, about: "The day that it is booked on."),
        Field("categoryId", \.categoryIDs, about: "The category."),
        Field("coicop", \.coicops, about: "The category's division."),
        Field("transferId", \.transferIDs, about: "The transfer, where it is one side of one."),
        Field(
            "ownTransfer",
            \.ownTransfers,
            about: "Whether both sides are the same user's: no income, no expense."
        ),
        Field("lines", \.lines, about: "Of one that is split: its parts, in place of a category."),
        Field(
            "uncounted",
            \.uncounted,
            about: "Whether all of it is what others owe or have paid back: no income, no expense."
        ),
        Field("recordedAt", \.recordedAt, about: "When."),
        Field("accountSequence", \.sequences, about: "Its place among those of its account."),
        Field("traceparent", \.traceParents, about: "The trace of the request that made it.")
    )
}
