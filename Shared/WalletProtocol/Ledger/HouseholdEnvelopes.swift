/// What a family's envelope is made with.
public struct NewHouseholdEnvelope: JSONObject, Hashable {
    public let name: String
    public let color: Colour?
    public let symbol: String?
    public let coicop: Coicop?

    public static let json = Object(
        NewHouseholdEnvelope.init,
        Field("name", \.name, .line(1...60), about: "The name, once a family whatever its case."),
        Field("color", \.color, about: "The colour; the next free of the palette where left out."),
        Field("symbol", \.symbol, .line(1...40), about: "The symbol's name in the palette."),
        Field(
            "coicop",
            \.coicop,
            about: "The division; the built-in category's of this name where left out."
        )
    )
}

/// What changes of a family's envelope.
public struct HouseholdEnvelopeChange: JSONObject, Hashable {
    public let name: Replace<String>
    public let color: Replace<Colour>
    public let symbol: Patch<String>
    public let coicop: Patch<Coicop>

    public static let json = Object(
        HouseholdEnvelopeChange.init,
        Field("name", \.name, .line(1...60), about: "The name."),
        Field("color", \.color, about: "The colour."),
        Field("symbol", \.symbol, .line(1...40), about: "The symbol's name."),
        Field("coicop", \.coicop, about: "The division.")
    )
}

/// An envelope of a family's.
public struct HouseholdEnvelopeView: JSONObject, Hashable {
    public let id: ID<HouseholdEnvelope>
    public let name: String
    public let color: Colour
    public let symbol: String?
    public let coicop: Coicop?
    public let categoryIDs: [CategoryID]

    public init(
        id: ID<HouseholdEnvelope>,
        name: String,
        color: Colour,
        symbol: String? = nil,
        coicop: Coicop? = nil,
        categoryIDs: [CategoryID]
    ) {
        self.id = id
        self.name = name
        self.color = color
        self.symbol = symbol
        self.coicop = coicop
        self.categoryIDs = categoryIDs
    }

    public static let json = Object(
        HouseholdEnvelopeView.init,
        Field("id", \.id, about: "The identifier."),
        Field("name", \.name, about: "The name."),
        Field("color", \.color, about: "The colour."),
        Field("symbol", \.symbol, about: "The symbol's name."),
        Field("coicop", \.coicop, about: "The division."),
        Field(
            "categoryIds",
            \.categoryIDs,
            about: "The caller's own categories in it; nobody sees those of others."
        )
    )
}

/// From when on a category counts in an envelope, or no more.
public struct HouseholdCategoryQuery: QueryObject, Hashable {
    public let month: Month?

    public static let query = QueryFields(
        HouseholdCategoryQuery.init,
        QueryField(
            "month",
            \.month,
            about: "From which month on; the current one where left out."
        )
    )
}

/// What the parents of a family set money aside for together.
public enum HouseholdEnvelopes {
    /// Makes one.
    public static let make = Endpoint<NoQuery, NewHouseholdEnvelope, HouseholdEnvelopeView>(
        "makeHouseholdEnvelope",
        .post,
        "/v1/families/me/budget/envelopes",
        of: .ledger,
        for: .user,
        statuses: [201],
        errors: [.notFound, .parentsOnly, .envelopeNameTaken],
        isTagged: true,
        summary: "Make an envelope of the family's"
    )

    /// All of them.
    public static let list = Endpoint<NoQuery, NoBody, Page<HouseholdEnvelopeView>>(
        "listHouseholdEnvelopes",
        .get,
        "/v1/families/me/budget/envelopes",
        of: .ledger,
        for: .user,
        errors: [.notFound, .parentsOnly],
        summary: "List the family's envelopes, by name"
    )

    /// Changes one.
    public static let change = Endpoint<NoQuery, HouseholdEnvelopeChange, HouseholdEnvelopeView>(
        "changeHouseholdEnvelope",
        .patch,
        "/v1/families/me/budget/envelopes/{id}",
        of: .ledger,
        for: .user,
        errors: [.notFound, .parentsOnly, .envelopeNameTaken, .preconditionFailed],
        isTagged: true,
        summary: "Change an envelope of the family's"
    )

    /// Deletes one.
    public static let remove = Endpoint<NoQuery, NoBody, NoView>(
        "removeHouseholdEnvelope",
        .delete,
        "/v1/families/me/budget/envelopes/{id}",
        of: .ledger,
        for: .user,
        errors: [.notFound, .parentsOnly, .preconditionFailed],
        summary: "Delete an envelope of the family's, with what was allocated to it",
        description: "The categories in it are in none then; nothing that was booked changes."
    )

    /// Puts a category in.
    public static let putCategory = Endpoint<HouseholdCategoryQuery, NoBody, NoView>(
        "putCategoryIntoHouseholdEnvelope",
        .put,
        "/v1/families/me/budget/envelopes/{id}/categories/{categoryId}",
        of: .ledger,
        for: .user,
        errors: [.notFound, .parentsOnly],
        summary: "Count what is booked in a category of one's own in an envelope of the family's",
        description: """
            From the month on, whatever was said of the category for it and later months; before \
            that it counts where it did. Whoever has left the family and come back counts from the \
            month behind that in which they left: until then what they spent stays in it as a sum.
            """
    )

    /// Takes a category out.
    public static let takeCategory = Endpoint<HouseholdCategoryQuery, NoBody, NoView>(
        "takeCategoryOutOfHouseholdEnvelope",
        .delete,
        "/v1/families/me/budget/envelopes/{id}/categories/{categoryId}",
        of: .ledger,
        for: .user,
        errors: [.notFound, .parentsOnly],
        summary: "Count a category of one's own in an envelope of the family's no more",
        description: "From the month on; what counted in the months before stays counted."
    )

    /// Every public endpoint here.
    public static let all: [EndpointDescription] = [
        make.erased, list.erased, change.erased, remove.erased, putCategory.erased,
        takeCategory.erased,
    ]
}
