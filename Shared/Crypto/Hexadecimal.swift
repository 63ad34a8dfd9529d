/// Lower-case hexadecimal of the bytes.
public func hexadecimal(_ bytes: some Collection<UInt8>) -> String {
    var text: [UInt8] = []
    text.reserveCapacity(bytes.count * 2)
    for byte in bytes {
        text.append(digit(byte >> 4))
        text.append(digit(byte & 15))
    }
    return String(decoding: text, as: UTF8.self)
}

/// The bytes of so many pairs of hexadecimal digits, in either case; nil for any other text.
public func bytes(hexadecimal text: String, count: Int) -> [UInt8]? {
    guard text.utf8.count == count * 2 else { return nil }
    var bytes: [UInt8] = []
    bytes.reserveCapacity(count)
    var high: UInt8?
    for character in text.utf8 {
        guard let value = value(character) else { return nil }
        if let first = high {
            bytes.append(first << 4 | value)
            high = nil
        } else {
            high = value
        }
    }
    return bytes
}

private func digit(_ value: UInt8) -> UInt8 {
    // Cannot wrap: four bits, and the letters begin at 0x61.
    value < 10 ? 0x30 &+ value : 0x57 &+ value
}

private func value(_ digit: UInt8) -> UInt8? {
    switch digit {
    case 0x30...0x39: digit - 0x30
    case 0x41...0x46: digit - 0x37
    case 0x61...0x66: digit - 0x57
    default: nil
    }
}
