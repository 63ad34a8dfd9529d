import CEmbedded
import IBANsData

extension IBANRegistry {
    /// The process's own, with the file that was compiled in: read on first use.
    package static func shared() throws(IBANError) -> IBANRegistry { try shipped.get() }

    private static let shipped = Result { () throws(IBANError) in
        try IBANRegistry(json: file)
    }

    // Safety: the file is a constant of the executable, with its own length.
    private static var file: [UInt8] {
        unsafe Array(UnsafeBufferPointer(start: ibans_data.bytes, count: ibans_data.length))
    }
}
