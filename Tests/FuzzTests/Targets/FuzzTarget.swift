/// Something that reads what strangers send: bytes to begin with, and what must hold of any bytes.
public struct FuzzTarget: Sendable, CustomStringConvertible {
    /// For `deploy/fuzz`, and for the folder of its corpus.
    public let name: String
    /// Words of its language, which mutations put in.
    public let words: [String]
    /// Inputs that could take more time than their length.
    public let growths: [Growth]
    /// Good and bad inputs.
    public let seeds: @Sendable () -> [[UInt8]]
    /// Reads the bytes as the services do.
    ///
    /// Throws `FuzzFault` for what may not be.
    public let check: @Sendable ([UInt8]) throws -> Void

    init(
        _ name: String,
        words: [String] = [],
        growths: [Growth] = [],
        seeds: @escaping @Sendable () -> [[UInt8]],
        check: @escaping @Sendable ([UInt8]) throws -> Void
    ) {
        self.name = name
        self.words = words
        self.growths = growths
        self.seeds = seeds
        self.check = check
    }

    /// The name.
    public var description: String { name }

    /// All of them.
    public static let all: [FuzzTarget] =
        endpoints + events + values + texts + credentials + statements + groupExports + archives
        + [httpCodec, receipts]
}

/// An input of any length: what stands before, again and again, and behind.
public struct Growth: Sendable, CustomStringConvertible {
    /// How it looks.
    public let name: String
    private let make: @Sendable (Int) -> [UInt8]

    init(_ name: String, _ make: @escaping @Sendable (Int) -> [UInt8]) {
        self.name = name
        self.make = make
    }

    init(_ piece: String) { self.init("", piece) }

    init(_ head: String, _ piece: String, _ tail: String = "") {
        name = "\(head.suffix(20))…\(piece.prefix(30))…\(tail.prefix(20))"
        make = { bytes in
            let count = max(1, bytes / piece.utf8.count)
            let middle = [[UInt8]](repeating: Array(piece.utf8), count: count).joined()
            return Array(head.utf8) + middle + Array(tail.utf8)
        }
    }

    /// A numbered piece: names that are all different.
    init(_ head: String = "", numbered before: String, _ after: String, _ tail: String = "") {
        name = "\(head.suffix(20))…\(before)1\(after)\(before)2\(after)…\(tail.prefix(20))"
        make = { bytes in
            var text = Array(head.utf8)
            var number = 0
            while text.count < bytes {
                text += "\(before)\(number)\(after)".utf8
                number += 1
            }
            return text + Array(tail.utf8)
        }
    }

    /// How it looks.
    public var description: String { name }

    /// Some so many bytes.
    public func input(_ bytes: Int) -> [UInt8] { make(bytes) }
}

/// What an input has shown that may not be.
public struct FuzzFault: Error, CustomStringConvertible {
    /// In words.
    public let description: String
}

/// Ends the check where something does not hold.
func hold(_ isSo: Bool, _ rule: @autoclosure () -> String) throws(FuzzFault) {
    guard isSo else { throw FuzzFault(description: rule()) }
}

/// Whether two values of one type are equal, where it can be said.
func areEqual<Value>(_ one: Value, _ other: Value) -> Bool {
    func compare<Comparable: Equatable>(_ one: Comparable) -> Bool {
        one == other as? Comparable
    }
    guard let one = one as? any Equatable else { return true }
    return compare(one)
}
