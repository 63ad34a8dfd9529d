/// A colour as `#rrggbb`.
public struct Colour: Hashable, Sendable {
    /// Red, green and blue in the lower 24 bits.
    public let rgb: UInt32

    /// The colour of these 24 bits.
    public init(rgb: UInt32) {
        self.rgb = rgb & 0xFF_FFFF
    }
}

extension Colour: JSONValue, TextValue, QueryValue {
    /// The colour in these bytes.
    public static func parse(_ text: ArraySlice<UInt8>) -> Colour? {
        guard text.count == 7, text.first == UInt8(ascii: "#") else { return nil }
        var rgb: UInt32 = 0
        for byte in text.dropFirst() {
            guard let digit = hexadecimalValue(byte) else { return nil }
            rgb = rgb << 4 | UInt32(digit)
        }
        return Colour(rgb: rgb)
    }
    /// `#rrggbb`, lower case.
    public func appendText(to writer: inout JSONWriter) {
        writer.append(byte: UInt8(ascii: "#"))
        for shift: UInt32 in [16, 8, 0] {
            writer.appendHexadecimal(UInt8(truncatingIfNeeded: rgb >> shift))
        }
    }
    /// A colour.
    public static var expectation: String { "a colour, #rrggbb" }
    /// `invalid-value`.
    public static var fault: FieldCode { .invalidValue }
    /// A string.
    public static func schema(_ components: inout SchemaComponents) -> JSONTree {
        ["type": "string", "pattern": "^#[0-9a-fA-F]{6}$"]
    }
}
