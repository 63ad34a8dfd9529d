/// Reads JSON byte after byte, without a list of tokens: what our writers wrote, and hot bodies.
///
/// It gives up (nil) at whatever is not plainly as expected, an escape or a letter beyond ASCII
/// among it; who asked reads by the description then, which takes ten times as long and judges.
public struct PlainJSON: Sendable {
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

// Bodies, as clients write them: in any order, with space where JSON has any.
//
//     guard json.begins("{") else { return nil }
//     repeat {
//         if name == nil, json.names(#""name""#) {
//             guard let text = json.line(1...80) else { return nil }
//             name = text
//         } else { return nil }
//     } while json.goesOn()
//     guard json.ends("}") else { return nil }
//
// A name that comes again is none of those that are still expected, and so left to the description.
extension PlainJSON {
    /// All of the bytes as one value.
    package mutating func whole<Value: JSONValue>(_ type: Value.Type) -> Value? {
        skipSpace()
        guard let value = Value.read(plain: &self) else { return nil }
        skipSpace()
        return at == bytes.count ? value : nil
    }

    package mutating func skipSpace() {
        while at < bytes.count {
            switch bytes[at] {
            case 0x20, 0x0A, 0x0D, 0x09: at += 1
            default: return
            }
        }
    }

    /// Passes over what opens an object or an array.
    package mutating func begins(_ bracket: StaticString) -> Bool {
        guard skip(bracket) else { return false }
        skipSpace()
        return true
    }

    /// Passes over a member's name, which is given with its quotes, up to its value; over nothing
    /// where there is none, so that another name is looked for from the same place.
    package mutating func names(_ quoted: StaticString) -> Bool {
        let start = at
        guard skip(quoted) else { return false }
        skipSpace()
        guard skip(":") else {
            at = start
            return false
        }
        skipSpace()
        return true
    }

    /// Passes over a comma, behind which a member or an element has to stand.
    package mutating func goesOn() -> Bool {
        skipSpace()
        guard skip(",") else { return false }
        skipSpace()
        return true
    }

    /// Passes over what closes an object or an array.
    package mutating func ends(_ bracket: StaticString) -> Bool {
        skipSpace()
        return skip(bracket)
    }

    /// A value between quotes.
    package mutating func quoted<Value: TextValue>(_ type: Value.Type = Value.self) -> Value? {
        guard skip("\"") else { return nil }
        return value()
    }

    /// `true` or `false`.
    package mutating func bool() -> Bool? {
        if skip("true") { return true }
        return skip("false") ? false : nil
    }

    /// A string within the rule of one line, which has nothing to trim.
    package mutating func line(_ length: ClosedRange<Int>) -> String? {
        guard skip("\""), let text = text(), length.contains(text.count),
            !text.contains(0x7F), text.first != 0x20, text.last != 0x20
        else { return nil }
        return String(decoding: text, as: UTF8.self)
    }

    /// An array of values that are read by hand, with one of them at least.
    package mutating func elements<Value: JSONValue>(countMax: Int) -> [Value]? {
        guard begins("[") else { return nil }
        var all: [Value] = []
        repeat {
            guard all.count < countMax, let value = Value.read(plain: &self) else { return nil }
            all.append(value)
        } while goesOn()
        return ends("]") ? all : nil
    }
}
