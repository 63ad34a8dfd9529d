internal import CCbor

/// A value of CBOR, as far as authenticators need it.
enum CBOR: Hashable, Sendable {
    case integer(Int64)
    case bytes([UInt8])
    case text(String)
    case array([CBOR])
    case map([CBOR: CBOR])
    case boolean(Bool)
    case null

    /// What is wrong with a document.
    enum Fault: Error, Equatable {
        /// It ends before it is whole, or is not CBOR.
        case malformed
        /// A float, a tag, an indefinite length, or another value without a use here.
        case refusedKind
        /// A number that is written longer than it need be.
        case notShortest
        case doubledKey
        /// Too many values within values, or too many values.
        case tooMuch
        /// Something follows the value.
        case trailingBytes
    }

    /// How deep values may stand within values: CTAP2 allows four.
    static let depthMax = 4
    /// How many values one document may have.
    static let valuesMax = 256

    /// The value that the whole document is.
    init(document: [UInt8]) throws(Fault) {
        var reading = CBORReading(document[...])
        self = try reading.value(depth: 0)
        guard reading.rest.isEmpty else { throw .trailingBytes }
    }

    /// The value at the beginning of the bytes, and what follows it.
    static func first(of bytes: ArraySlice<UInt8>) throws(Fault) -> (CBOR, ArraySlice<UInt8>) {
        var reading = CBORReading(bytes)
        let value = try reading.value(depth: 0)
        return (value, reading.rest)
    }

    /// The map's values by their names, where it has exactly such keys.
    subscript(key: String) -> CBOR? {
        if case .map(let pairs) = self { pairs[.text(key)] } else { nil }
    }
}

/// Reads values one head at a time, with a bound on each thing that a stranger can make large.
///
/// Source: CTAP 2.1, 8 (canonical CBOR): shortest numbers, definite lengths, no doubled keys. The
/// order of keys is not held against anybody: software authenticators differ in it.
private struct CBORReading {
    private(set) var rest: ArraySlice<UInt8>
    private var valuesLeft = CBOR.valuesMax

    init(_ bytes: ArraySlice<UInt8>) { rest = bytes }

    mutating func value(depth: Int) throws(CBOR.Fault) -> CBOR {
        guard depth <= CBOR.depthMax, valuesLeft > 0 else { throw .tooMuch }
        valuesLeft -= 1
        let (item, taken) = try head()
        switch item.kind {
        case EZWALLET_CBOR_POSITIVE:
            guard let number = Int64(exactly: item.number) else { throw .refusedKind }
            return .integer(number)
        case EZWALLET_CBOR_NEGATIVE:
            guard let number = Int64(exactly: item.number) else { throw .refusedKind }
            return .integer(-1 - number)
        case EZWALLET_CBOR_BYTES: return .bytes(Array(taken.suffix(Int(item.number))))
        case EZWALLET_CBOR_TEXT:
            let bytes = taken.suffix(Int(item.number))
            guard let text = String(validating: bytes, as: UTF8.self) else { throw .malformed }
            return .text(text)
        case EZWALLET_CBOR_ARRAY: return try array(item.number, depth)
        case EZWALLET_CBOR_MAP: return try map(item.number, depth)
        case EZWALLET_CBOR_BOOL: return .boolean(item.number == 1)
        case EZWALLET_CBOR_NULL: return .null
        default: throw .refusedKind
        }
    }

    private mutating func array(_ count: UInt64, _ depth: Int) throws(CBOR.Fault) -> CBOR {
        guard count <= UInt64(valuesLeft) else { throw .tooMuch }
        var values: [CBOR] = []
        for _ in 0..<count { values.append(try value(depth: depth + 1)) }
        return .array(values)
    }

    private mutating func map(_ count: UInt64, _ depth: Int) throws(CBOR.Fault) -> CBOR {
        guard count <= UInt64(valuesLeft) else { throw .tooMuch }
        var pairs: [CBOR: CBOR] = [:]
        for _ in 0..<count {
            let key = try value(depth: depth + 1)
            guard pairs[key] == nil else { throw .doubledKey }
            pairs[key] = try value(depth: depth + 1)
        }
        return .map(pairs)
    }

    /// The next head with its string, and the bytes that it stands in.
    private mutating func head() throws(CBOR.Fault) -> (ezwallet_cbor_item, ArraySlice<UInt8>) {
        var item = ezwallet_cbor_item()
        // Safety: the slice's own memory and length, lent for one call; nothing of it is kept.
        let count = unsafe rest.withUnsafeBufferPointer { bytes in
            unsafe ezwallet_cbor_next(bytes.baseAddress, bytes.count, &item)
        }
        guard count > 0, let first = rest.first else { throw .malformed }
        guard item.kind != EZWALLET_CBOR_REFUSED else { throw .refusedKind }
        let taken = rest.prefix(count)
        let isString =
            item.kind == EZWALLET_CBOR_BYTES || item.kind == EZWALLET_CBOR_TEXT
        let headCount = count - (isString ? Int(item.number) : 0)
        guard first >> 5 == 7 || headCount == Self.shortest(item.number) else {
            throw .notShortest
        }
        rest = rest.dropFirst(count)
        return (item, taken)
    }

    private static func shortest(_ number: UInt64) -> Int {
        switch number {
        case 0..<24: 1
        case 24..<0x100: 2
        case 0x100..<0x1_0000: 3
        case 0x1_0000..<0x1_0000_0000: 5
        default: 9
        }
    }
}
