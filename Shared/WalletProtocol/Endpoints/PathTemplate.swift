/// A path with named parameters: `/v1/accounts/{id}`.
public struct PathTemplate: Hashable, Sendable, ExpressibleByStringLiteral {
    /// As it is written in the document; also the route's label in metrics and logs.
    public let text: String
    /// Its parts, in order.
    public let segments: [Segment]

    /// One part between two slashes.
    public enum Segment: Hashable, Sendable {
        /// These very characters.
        case literal(String)
        /// A value of this name.
        case parameter(String)
    }

    /// The template written so.
    public init(stringLiteral text: String) {
        // Cannot fire: templates are literals.
        precondition(text.first == "/", "a path begins with a slash: \(text)")
        self.text = text
        segments = text.split(separator: "/").map { part in
            part.first == "{" && part.last == "}"
                ? .parameter(String(part.dropFirst().dropLast())) : .literal(String(part))
        }
    }

    /// The names of its parameters, in order.
    public var parameterNames: [String] {
        segments.compactMap { if case .parameter(let name) = $0 { name } else { nil } }
    }

    /// The values of the parameters, percent-decoded, of a path in which they stand there.
    ///
    /// Nil where one cannot be read: it names nothing. As many as there are names are given.
    public func parameters(
        at places: [Range<Int>],
        of path: ArraySlice<UInt8>
    ) -> PathParameters? {
        var values: [(name: String, value: String)] = []
        for (name, place) in zip(parameterNames, places) {
            let part = path.dropFirst(place.lowerBound).prefix(place.count)
            guard let value = Percent.decode(part), !value.isEmpty else { return nil }
            values.append((name, value))
        }
        return PathParameters(values)
    }

    /// The path with these values, percent-encoded.
    public func path(_ values: [String: String] = [:]) -> String {
        segments.map { segment in
            switch segment {
            case .literal(let literal): return "/" + literal
            case .parameter(let name):
                // Cannot fire: callers give the names of a template of theirs as literals.
                guard let value = values[name] else {
                    preconditionFailure("no value for \(name) of \(text)")
                }
                return "/" + Percent.encode(value)
            }
        }.joined()
    }
}

/// The values of a path's parameters.
public struct PathParameters: Sendable {
    private let values: [(name: String, value: String)]

    /// These values.
    public init(_ values: [(name: String, value: String)]) {
        self.values = values
    }

    /// The first of them; nil where the path has none.
    public var first: String? { values.first?.value }

    /// The text of a parameter; a name that the template does not have is our own bug.
    public subscript(name: String) -> String {
        // Cannot fire: handlers name what their own paths have, and a path that matches has all.
        guard let value = values.first(where: { $0.name == name })?.value else {
            preconditionFailure("the path has no parameter \(name)")
        }
        return value
    }

    /// The identifier in a parameter.
    /// - Throws: 404, for a malformed one names nothing.
    public func id<Tag>(
        _ name: String = "id",
        of tag: Tag.Type = Tag.self
    ) throws(APIError) -> ID<Tag> {
        try value(name)
    }

    /// The identifier in a parameter, nil where it is `me`: who asks.
    /// - Throws: 404, for a malformed one names nothing.
    public func idUnlessMe<Tag>(
        _ name: String,
        of tag: Tag.Type = Tag.self
    ) throws(APIError) -> ID<Tag>? {
        self[name] == "me" ? nil : try id(name)
    }

    /// The value in a parameter.
    /// - Throws: 404, for a malformed one names nothing.
    public func value<Value: TextValue>(
        _ name: String,
        as type: Value.Type = Value.self
    ) throws(APIError) -> Value {
        guard let value = Value.parse(Array(self[name].utf8)[...]) else { throw .notFound }
        return value
    }
}

/// Percent-encoding (RFC 3986).
public enum Percent {
    /// The text that was encoded; nil for a bad escape, bad UTF-8 or U+0000.
    public static func decode(_ text: some Collection<UInt8>, plusIsSpace: Bool = false) -> String?
    {
        var bytes: [UInt8] = []
        var rest = text.makeIterator()
        while let byte = rest.next() {
            switch byte {
            case UInt8(ascii: "%"):
                guard let high = rest.next().flatMap(hexadecimalValue),
                    let low = rest.next().flatMap(hexadecimalValue)
                else { return nil }
                bytes.append(high << 4 | low)
            case UInt8(ascii: "+") where plusIsSpace: bytes.append(0x20)
            default: bytes.append(byte)
            }
        }
        guard !bytes.contains(0) else { return nil }
        return String(validating: bytes, as: UTF8.self)
    }

    /// Everything but unreserved characters escaped.
    public static func encode(_ text: String) -> String {
        var writer = JSONWriter()
        for byte in text.utf8 {
            switch byte {
            case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, UInt8(ascii: "-"), UInt8(ascii: "."),
                UInt8(ascii: "_"), UInt8(ascii: "~"):
                writer.append(byte: byte)
            default:
                writer.append(byte: UInt8(ascii: "%"))
                writer.appendHexadecimal(byte)
            }
        }
        return String(decoding: writer.bytes, as: UTF8.self)
    }
}
