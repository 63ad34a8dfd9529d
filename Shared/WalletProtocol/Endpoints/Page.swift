/// One page of a list; the last has no `nextCursor`.
public struct Page<Item: JSONObject>: JSONObject {
    private let list: PageItems<Item>
    public let nextCursor: Cursor?

    /// The rows.
    public var items: [Item] { list.items }

    /// All of a list that is short by its nature, or a page that was bounded before.
    public init(items: [Item], nextCursor: Cursor?) {
        self.init(PageItems(items), nextCursor: nextCursor)
    }

    /// A page.
    public init(_ items: PageItems<Item>, nextCursor: Cursor?) {
        list = items
        self.nextCursor = nextCursor
    }

    /// The page of up to `limit` rows, of which the caller has read one more than that; it ends
    /// earlier where its rows are long (`PageItems`).
    public init(
        rows: [Item],
        limit: Int,
        cursor: (Item) -> Cursor
    ) {
        list = PageItems(rows: rows, limit: limit)
        nextCursor = list.isCut ? list.items.last.map(cursor) : nil
    }

    /// The description.
    public static var json: Object<Page, [Item], Cursor?> {
        Object(
            { @Sendable in Page(items: $0, nextCursor: $1) },
            Field(
                "items",
                \.items,
                about: "The rows, in the list's order: fewer than were asked for where they are "
                    + "long together, which `nextCursor` shows."
            ),
            Field(
                "nextCursor",
                \.nextCursor,
                about: "What to ask for the next page with. Absent on the last page."
            )
        )
    }

    /// Writes by hand what the description says: a generic type cannot keep its description, and
    /// lists are what is answered most.
    public func write(to writer: inout JSONWriter) {
        writer.append(raw: "{\"items\":".utf8)
        list.write(to: &writer)
        if let nextCursor {
            writer.append(raw: ",\"nextCursor\":".utf8)
            nextCursor.write(to: &writer)
        }
        writer.append(byte: UInt8(ascii: "}"))
    }

    /// `PageOf` and the item's name.
    public static var schemaName: String { "PageOf\(Item.schemaName)" }
}
