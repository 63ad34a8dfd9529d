/// A value of one of two types that have no shape in common.
public enum Either<First: JSONValue, Second: JSONValue>: JSONValue {
    /// Of the first.
    case first(First)
    /// Of the second.
    case second(Second)

    /// Reads the first where it can be, else the second; what is wrong is told of the second.
    public static func read(_ source: JSONSource, _ reading: inout JSONReading) -> Either? {
        var attempt = JSONReading(ignoresUnknownFields: reading.ignoresUnknownFields)
        if let first = First.read(source, &attempt), attempt.errors.isEmpty {
            return .first(first)
        }
        if let second = Second.read(source, &reading) { return .second(second) }
        return nil
    }

    /// Writes the value.
    public func write(to writer: inout JSONWriter) {
        switch self {
        case .first(let value): value.write(to: &writer)
        case .second(let value): value.write(to: &writer)
        }
    }

    /// Any of the two.
    public static func schema(_ components: inout SchemaComponents) -> JSONTree {
        ["anyOf": [First.schema(&components), Second.schema(&components)]]
    }
}

extension Either: Equatable where First: Equatable, Second: Equatable {}
extension Either: Hashable where First: Hashable, Second: Hashable {}
