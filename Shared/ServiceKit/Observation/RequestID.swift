public import HTTP

extension MessageHead {
    /// The request's name as its sender chose it, where it is short and of letters that no log
    /// minds; the gateway and the services take the same ones.
    public var requestID: String? {
        text(.xRequestID).flatMap { text in
            (1...128).contains(text.utf8.count) && text.utf8.allSatisfy(Self.isPlain) ? text : nil
        }
    }

    private static func isPlain(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x41...0x5a, 0x61...0x7a: true
        case UInt8(ascii: "-"), UInt8(ascii: "_"), UInt8(ascii: "."): true
        default: false
        }
    }
}
