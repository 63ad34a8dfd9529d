/// How an expense falls on members.
public enum SplitKind: String, StringEnum {
    /// The same for each.
    case equal
    /// By stated amounts, which sum to the whole.
    case exact
    /// By percentages, which sum to 100.
    case percent
    /// By shares.
    case shares
    /// The same for each, and for some so much more or less.
    case adjustment
    /// By what each had: tax, tip and discount fall on all in proportion.
    case itemised
}

/// One member of a split.
public struct SplitPart: JSONObject, Hashable {
    public let memberID: ID<Member>
    public let value: ExactDecimal?

    public init(memberID: ID<Member>, value: ExactDecimal? = nil) {
        self.memberID = memberID
        self.value = value
    }

    public static let json = Object(
        SplitPart.init,
        Field("memberId", \.memberID, about: "The member."),
        Field(
            "value",
            \.value,
            about:
                "The amount, the percentage (at most 6 decimals), the number of shares (at most "
                + "2 decimals), or by how much they bear more or less; none for equal."
        )
    )
}

/// One line of a bill.
public struct SplitItem: JSONObject, Hashable {
    public let name: String?
    public let amount: Money
    public let memberIDs: [ID<Member>]

    public init(name: String? = nil, amount: Money, memberIDs: [ID<Member>]) {
        self.name = name
        self.amount = amount
        self.memberIDs = memberIDs
    }

    public static let json = Object(
        SplitItem.init,
        Field("name", \.name, .line(1...140), about: "What it is."),
        Field(
            "amount",
            \.amount,
            .sent,
            .notZero,
            about: "Its price; below zero: it was returned, or is a discount."
        ),
        Field(
            "memberIds",
            \.memberIDs,
            .count(1...200),
            about: "Who had it, the same for each."
        )
    )
}

/// How an expense falls on members.
public struct Split: JSONObject, Hashable {
    public let kind: SplitKind
    public let parts: [SplitPart]
    public let items: [SplitItem]?

    public init(kind: SplitKind, parts: [SplitPart] = [], items: [SplitItem]? = nil) {
        self.kind = kind
        self.parts = parts
        self.items = items
    }

    public static let json = Object(
        Split.init,
        Field("kind", \.kind, about: "The rule."),
        Field(
            "parts",
            \.parts,
            .count(0...200),
            default: [],
            about: "Who bears it; of an itemised one the items say so."
        ),
        Field(
            "items",
            \.items,
            .count(1...200),
            about:
                "The lines of the bill, of an itemised one. What the expense is above or below "
                + "their sum falls on all in proportion to what they had."
        )
    )
}

extension SplitKind {
    /// The most decimals of a value that is sent; nil where the currency decides.
    fileprivate var decimalsMax: Int? {
        switch self {
        case .percent: 6
        case .shares: 2
        case .equal, .exact, .adjustment, .itemised: nil
        }
    }
}

extension Rule where Value.Content == Split {
    /// Values with no more decimals than their kind of split takes.
    ///
    /// Not of what is stored already: percentages used to have up to nine.
    public static var sent: Rule {
        let kinds: [SplitKind] = [.percent, .shares]
        let schemas = kinds.map { kind in schema(of: kind, kind.decimalsMax ?? 0) }
        return Rule(schema: [JSONMember("allOf", .array(schemas))]) { split, reading in
            guard !reading.ignoresUnknownFields, let most = split.kind.decimalsMax else { return }
            for (index, part) in split.parts.enumerated() where part.value?.scale ?? 0 > most {
                let detail = "must have at most \(most) decimals"
                reading.fail(.invalidDecimal, detail, at: "/parts/\(index)/value")
            }
        }
    }

    private static func schema(of kind: SplitKind, _ decimals: Int) -> JSONTree {
        let pattern = #"^(0|[1-9][0-9]*)(\.[0-9]{1,\#(decimals)})?$"#
        let part: JSONTree = ["properties": ["value": ["pattern": .string(pattern)]]]
        return [
            "if": [
                "properties": ["kind": ["const": .string(kind.rawValue)]], "required": ["kind"],
            ],
            "then": ["properties": ["parts": ["items": part]]],
        ]
    }
}
