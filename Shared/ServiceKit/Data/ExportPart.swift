public import Postgres
public import WalletProtocol

/// A row of what is held on somebody.
public struct ExportRow: Sendable {
    /// What the page behind it begins with.
    public let after: String
    /// The item as JSON; amounts stand in it as `{"minorUnits":…,"currency":…}`, sums that may be
    /// beyond 64 bits with a string in place of the number.
    public let json: String

    /// Reads the two columns.
    public init(_ row: borrowing PostgresRow) throws {
        after = try row.string(0)
        json = try row.string(1)
    }
}

/// One list of what a service holds on somebody, for their own export.
public struct ExportPart: Sendable {
    /// The name of the list.
    public let name: String
    let start: String
    let statement: Statement<ExportRow>
    let pageMax: Int32

    /// How many rows a page has where they are small: an answer stays far below what is taken.
    public static let pageMax: Int32 = 200

    /// A part whose statement takes the person, what to begin behind, and how many rows; it gives
    /// `after` and the item, in the order of `after`.
    public init(
        _ name: String,
        from start: String,
        pageMax: Int32 = ExportPart.pageMax,
        _ statement: Statement<ExportRow>
    ) {
        self.name = name
        self.start = start
        self.statement = statement
        self.pageMax = pageMax
    }

    /// Before every identifier.
    public static let firstID = "00000000-0000-0000-0000-000000000000"

    /// A page of one of the parts.
    /// - Throws: `not-found` where there is no such part.
    public static func page(
        _ query: ExportQuery,
        of user: ID<User>,
        from parts: [ExportPart],
        in database: Database
    ) async throws -> ExportPage {
        guard
            let place = query.part.map({ name in parts.firstIndex { $0.name == name } }) ?? 0,
            parts.indices.contains(place)
        else { throw APIError.notFound }
        let part = parts[place]
        let rows = try await database.query(
            part.statement,
            user,
            query.after ?? part.start,
            part.pageMax
        )
        return ExportPage(
            part: part.name,
            items: try rows.map {
                RawJSON(written(try JSON.read(JSONTree.self, from: Array($0.json.utf8))))
            },
            after: rows.count < part.pageMax ? nil : rows.last?.after,
            nextPart: place + 1 < parts.count ? parts[place + 1].name : nil
        )
    }

    private static func minorUnits(_ tree: JSONTree) -> Int128? {
        switch tree {
        case .integer(let units): Int128(units)
        case .string(let digits): Int128(digits)
        default: nil
        }
    }

    /// Sums as the API writes them, and no members without a value.
    private static func written(_ tree: JSONTree) -> JSONTree {
        switch tree {
        case .array(let items): return .array(items.map(written))
        case .object(let members):
            if members.count == 2, let units = tree["minorUnits"].flatMap(minorUnits),
                case .string(let code) = tree["currency"], let currency = Currency(code)
            {
                let sum = Total(minorUnits: units, currency)
                return .object([
                    JSONMember("amount", .string(sum.amount)),
                    JSONMember("currency", .string(code)),
                ])
            }
            return .object(
                members.filter { $0.value != .null }.map { member in
                    JSONMember(member.name, written(member.value))
                }
            )
        default: return tree
        }
    }
}
