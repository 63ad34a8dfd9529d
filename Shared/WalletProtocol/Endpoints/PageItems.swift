/// The items of one page, and whether the list goes on behind them.
///
/// A page ends at its limit, or earlier: where its next item would make it longer than `bytesMax`.
/// So one long list, such as a large group's expenses, costs an answer no more than a short one.
public struct PageItems<Item: JSONValue> {
    /// The items.
    public let items: [Item]
    /// Whether there are more than these.
    public let isCut: Bool
    /// The items as JSON, for those that were bounded: each is written once.
    private let written: [UInt8]?

    /// All of a list, however long it is.
    public init(_ items: [Item]) {
        self.items = items
        isCut = false
        written = nil
    }

    /// As many of the first rows as a page holds, of which there is always one: the caller has read
    /// one row more than `limit`, or says that the list goes on.
    public init(rows: [Item], limit: Int, goesOn: Bool = false) {
        var writer = JSONWriter(capacity: 4_096)
        writer.append(byte: UInt8(ascii: "["))
        var count = 0
        var end = writer.bytes.count
        for row in rows.prefix(limit) {
            if count > 0 { writer.append(byte: UInt8(ascii: ",")) }
            row.write(to: &writer)
            guard count == 0 || writer.bytes.count <= PageSize.bytesMax else { break }
            count += 1
            end = writer.bytes.count
        }
        items = count == rows.count ? rows : Array(rows.prefix(count))
        isCut = count < rows.count || goesOn
        written = writer.bytes.prefix(end) + [UInt8(ascii: "]")]
    }
}

/// How long the items of a page may be together; one item may be longer by itself.
public enum PageSize {
    /// In bytes of JSON.
    public static let bytesMax = 256 * 1_024

    /// The first rows that make one page, where it is known about how long each is as JSON: for
    /// rows of which more is read, or that are changed, before they are written.
    public static func first<Row>(
        of rows: [Row],
        limit: Int,
        length: (Row) -> Int
    ) -> ArraySlice<Row> {
        var left = bytesMax
        var count = 0
        for row in rows.prefix(limit) {
            left -= length(row)
            guard count == 0 || left >= 0 else { break }
            count += 1
        }
        return rows.prefix(count)
    }
}

extension PageItems: Equatable, Hashable where Item: Hashable {
    /// By the items: how they were written follows from them.
    public static func == (one: PageItems, other: PageItems) -> Bool { one.items == other.items }

    /// By the items.
    public func hash(into hasher: inout Hasher) { hasher.combine(items) }
}

extension PageItems: JSONValue {
    /// An array.
    public static func read(_ source: JSONSource, _ reading: inout JSONReading) -> PageItems? {
        [Item].read(source, &reading).map { PageItems($0) }
    }

    /// An array.
    public func write(to writer: inout JSONWriter) {
        if let written { writer.append(raw: written) } else { items.write(to: &writer) }
    }

    /// An array.
    public static func schema(_ components: inout SchemaComponents) -> JSONTree {
        [Item].schema(&components)
    }
}
