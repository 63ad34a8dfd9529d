/// In which form a payment is given to a banking app.
public enum PaymentCodeFormat: String, StringEnum {
    /// A QR code.
    case picture
    /// What the code says.
    case text

    /// The media type.
    public var mediaType: String {
        switch self {
        case .picture: "image/svg+xml"
        case .text: "text/plain; charset=utf-8"
        }
    }
}

/// How much of a debt is to be paid, and in which form that is told.
public struct PaymentCodeQuery: QueryObject, Hashable {
    public let amount: ExactDecimal?
    public let format: PaymentCodeFormat

    public init(amount: ExactDecimal? = nil, format: PaymentCodeFormat = .picture) {
        self.amount = amount
        self.format = format
    }

    public static let query = QueryFields(
        PaymentCodeQuery.init,
        QueryField(
            "amount",
            \.amount,
            about: "How many euros, at most what is open; the whole debt where left out."
        ),
        QueryField("format", \.format, default: .picture, about: "The form.")
    )
}

/// Debts as payments from an account at any bank.
public enum PaymentCodes {
    /// The most that one code pays, in cents (EPC069-12, AT-04).
    public static let centsMax: Int64 = 99_999_999_999

    /// What the caller owes a member, for their banking app.
    public static let get = Endpoint<PaymentCodeQuery, NoBody, NoView>(
        "getPaymentCode",
        .get,
        "/v1/groups/{id}/members/{memberId}/payment-code",
        of: .groups,
        for: .user,
        response: .file(PaymentCodeFormat.allCases.map(\.mediaType)),
        statuses: [200],
        errors: [.notFound, .nothingToSettle, .settlementTooLarge, .noReceivingAccount],
        summary: "What one owes a member, as a QR code for one's banking app",
        description: """
            A SEPA credit transfer (EPC069-12, version 002) of the debt in euros to the account \
            that the member has named for them, with the group's name as its reference. It moves \
            nothing, and settles nothing: what was paid is recorded as a settlement.
            """
    )

    /// Every public endpoint here.
    public static let all: [EndpointDescription] = [get.erased]
}
