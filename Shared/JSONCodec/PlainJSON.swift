/// Reads JSON that our own writers wrote, byte after byte, without a list of tokens.
///
/// It gives up (nil) at whatever is not exactly as expected, an escape or a letter beyond ASCII
/// among it; who asked reads by the description then, which takes ten times as long and judges.
package struct PlainJSON {
    package let bytes: [UInt8]
    package private(set) var at = 0

    package init(_ bytes: [UInt8]) { self.bytes = bytes }

    /// What has not been read yet.
    package var rest: ArraySlice<UInt8> { bytes[at...] }

    /// Passes over a text that has to stand here; answers whether it does.
    package mutating func skip(_ expected: StaticString) -> Bool {
        let count = expected.utf8CodeUnitCount
        guard count <= bytes.count - at else { return false }
        for place in 0..<count {
            // Safety: the constant has `count` bytes.
            guard unsafe expected.utf8Start[place] == bytes[at + place] else { return false }
        }
        at += count
        return true
    }

    /// The bytes up to the quote that ends a string, which is passed over.
    package mutating func text() -> ArraySlice<UInt8>? {
        let start = at
        while at < bytes.count {
            let byte = bytes[at]
            if byte == UInt8(ascii: "\"") {
                at += 1
                return bytes[start..<at - 1]
            }
            guard byte >= 0x20, byte < 0x80, byte != UInt8(ascii: "\\") else { return nil }
            at += 1
        }
        return nil
    }

    /// The same as a value.
    package mutating func value<Value: TextValue>(_ type: Value.Type = Value.self) -> Value? {
        text().flatMap { Value.parse($0) }
    }

    /// The same as a string.
    package mutating func string() -> String? { text().map { String(decoding: $0, as: UTF8.self) } }

    /// A whole number above zero.
    package mutating func positive() -> Int64? {
        var number: Int64 = 0
        let start = at
        while at < bytes.count, bytes[at] >= 0x30, bytes[at] <= 0x39 {
            guard at - start < 18 else { return nil }
            number = number * 10 + Int64(bytes[at] - 0x30)
            at += 1
        }
        // Neither none nor a zero in front.
        return at > start && bytes[start] != 0x30 ? number : nil
    }
}
